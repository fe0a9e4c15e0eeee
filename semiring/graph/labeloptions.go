package graph

import "example.org/pathsum/semiring"

// labelOptions holds the arcs that lie on paths to a final state by what they read, and
// per state a bound on the mass of any one sequence from there.
type labelOptions struct {
	row, to []int32
	// arcs has those of state s in row[s] … row[s+1]−1: first the ε-arcs, up to
	// epsilon[s], and last, from labeled[s] on, the others.
	arcs             []labelArc
	epsilon, labeled []int32
	epsilons         int // how many ε-arcs there are
	labels           numbering
	bound            []semiring.ScaledFloat

	sums  []semiring.ScaledFloat // per label, over the arcs from one state; 0 between states
	found []int32                // the labels that have one
}

// labelArc is an arc that reads the label of a number. The bound is that of its weight ⊗
// what comes after it.
type labelArc struct {
	label, arc int32
	bound      semiring.ScaledFloat
}

func newLabelOptions(d *distribution, labels []int32) *labelOptions {
	g, n := d.g, d.g.NumStates()
	o := &labelOptions{
		row:     g.Row(),
		to:      g.To(),
		arcs:    make([]labelArc, len(labels)),
		epsilon: make([]int32, n),
		labeled: make([]int32, n),
		bound:   make([]semiring.ScaledFloat, n),
	}
	components := d.solver.components
	for c := components.Len() - 1; c >= 0; c-- {
		lo, hi := components.Bounds(c)
		for p := lo; p < hi; p++ {
			o.sort(components.State(p), g, d.beta, labels)
		}
		sweeps := 1
		if components.Cyclic() && components.Loop[c] {
			for p := lo; p < hi; p++ {
				o.bound[components.State(p)] = d.beta[components.State(p)]
			}
			sweeps = boundSweeps
		}
		for range sweeps {
			for p := hi - 1; p >= lo; p-- {
				s := components.State(p)
				o.bound[s] = o.best(s, g)
			}
		}
	}
	return o
}

// boundSweeps is how often bounds are lowered on cycles, where they begin with the mass of
// all sequences. They are bounds after each, and most of what there is to gain comes at
// once.
const boundSweeps = 6

// sort lists the arcs of state s.
func (o *labelOptions) sort(s int32, g *Graph[semiring.ScaledFloat], beta []semiring.ScaledFloat, labels []int32) {
	lo, hi := o.row[s], o.row[s+1]
	front, back := lo, hi
	for e := lo; e < hi; e++ {
		switch {
		case g.weight[e].IsZero() || beta[o.to[e]].IsZero():
		case labels[e] == 0:
			o.arcs[front] = labelArc{arc: e}
			front++
		default:
			number, fresh := o.labels.of(labels[e])
			if fresh {
				o.sums = append(o.sums, semiring.ScaledFloat{})
			}
			back--
			o.arcs[back] = labelArc{label: number, arc: e}
		}
	}
	o.epsilon[s], o.labeled[s] = front, back
	o.epsilons += int(front - lo)
}

// best bounds the arcs of state s, and returns the bound of the state: one sequence ends
// there, or goes on by the arcs of one label, and by any ε-arc.
func (o *labelOptions) best(s int32, g *Graph[semiring.ScaledFloat]) semiring.ScaledFloat {
	o.found = o.found[:0]
	after := o.after(s)
	for i := range after {
		a := &after[i]
		a.bound = g.weight[a.arc].Mul(o.bound[o.to[a.arc]])
		sum := &o.sums[a.label]
		if sum.IsZero() {
			o.found = append(o.found, a.label)
		}
		*sum = sum.Add(a.bound)
	}
	best := g.final[s]
	for _, l := range o.found {
		if best.Cmp(o.sums[l]) < 0 {
			best = o.sums[l]
		}
		o.sums[l] = semiring.ScaledFloat{}
	}
	for _, a := range o.before(s) {
		best = best.Add(g.weight[a.arc].Mul(o.bound[o.to[a.arc]]))
	}
	return best
}

// before returns the ε-arcs of state s, after those that read a label.
func (o *labelOptions) before(s int32) []labelArc { return o.arcs[o.row[s]:o.epsilon[s]] }
func (o *labelOptions) after(s int32) []labelArc  { return o.arcs[o.labeled[s]:o.row[s+1]] }

// epsilonGraph returns the graph of the ε-arcs of g.
func epsilonGraph[W any](g *Graph[W], o *labelOptions) (*Graph[W], error) {
	row, to, weight := make([]int32, 1, len(o.row)), make([]int32, 0, o.epsilons), make([]W, 0, o.epsilons)
	for s := range int32(g.NumStates()) {
		for _, a := range o.before(s) {
			to, weight = append(to, o.to[a.arc]), append(weight, g.weight[a.arc])
		}
		row = append(row, int32(len(to)))
	}
	return New(g.ring, row, to, weight, nil, make([]W, g.NumStates()))
}
