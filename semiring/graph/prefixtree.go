package graph

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
	"example.org/pathsum/semiring/internal/numbering"
	"example.org/pathsum/semiring/internal/weights"
)

// prefixTree holds prefixes of label sequences. For those that have been tried it holds the
// states that they lead to, with the sum over the paths that do: a graph determinized on demand.
type prefixTree[W any] struct {
	g       *Graph[W]
	mass    func(W) semiring.ScaledFloat
	options *labelOptions
	epsilon *Pairs[W] // the sums over paths of ε-arcs; nil: g has no ε-arcs

	prefixes []treePrefix
	state    []int32 // of the prefixes tried, one after the other
	weight   []W     // and the sum over the paths to it

	products weights.Products[W]
	place    []int32                // per state: its possible index in state
	sums     []semiring.ScaledFloat // per label: scratch
	found    []int32                // the labels whose sum is not 0
	ends     W                      // the sum over the paths that end
	bounds   []semiring.ScaledFloat // of the prefixes that expand adds
}

// treePrefix is a label sequence: prefix number parent and one additional label.
type treePrefix struct {
	parent, label int32 // label is the number of the label
	lo, hi        int32 // its states, once it has been tried
}

// newPrefixTree returns a tree of the paths of g that contains only the empty prefix; d has the
// masses of g.
func newPrefixTree[W any](g *Graph[W], d *derivation.Distribution, labels []int32) (*prefixTree[W], error) {
	t := &prefixTree[W]{
		g:        g,
		mass:     weights.MassOf(g.ring).Of,
		options:  newLabelOptions(g.topology, d, labels),
		prefixes: []treePrefix{{parent: -1}},
		products: weights.NewProducts(g.ring),
		place:    make([]int32, g.NumStates()),
	}
	t.sums = t.options.sums
	if t.options.epsilons == 0 {
		return t, nil
	}
	closure, err := epsilonGraph(g, t.options)
	if err == nil {
		t.epsilon, err = NewPairs(closure)
	}
	return t, err
}

// expand adds the prefixes that extend number n by one label. It returns their bounds, which are
// valid until the next call, and the sum over the paths that end at n.
func (t *prefixTree[W]) expand(n int32) (bounds []semiring.ScaledFloat, ends W, err error) {
	if err := t.enter(n); err != nil {
		return nil, ends, err
	}
	p := t.prefixes[n]
	states, masses := t.state[p.lo:p.hi], t.weight[p.lo:p.hi]
	t.ends = *new(W) // its storage has been returned
	weights.Before(&t.products, &t.ends, masses, nil, t.g.final, states)
	if weights.IsReal(t.g.ring) && (weights.Lost(nil, t.ends) || weights.Lost(nil, masses...)) {
		return nil, ends, nested.Errorf("graph: best sequences: %w in Real: paths that begin with %d overflow; semiring.Scaled holds them",
			semiring.ErrNotFinite, t.sequence(n))
	}

	t.found, t.bounds = t.found[:0], t.bounds[:0]
	for i, s := range states {
		mass := t.mass(masses[i])
		for _, a := range t.options.after(s) {
			sum := &t.sums[a.label]
			if sum.IsZero() {
				t.found = append(t.found, a.label)
			}
			*sum = sum.Add(mass.Mul(a.bound))
		}
	}
	for _, l := range t.found {
		t.prefixes = append(t.prefixes, treePrefix{parent: n, label: l})
		t.bounds = append(t.bounds, t.sums[l])
		t.sums[l] = semiring.ScaledFloat{}
	}
	return t.bounds, t.ends, nil
}

// enter computes the states of a prefix.
func (t *prefixTree[W]) enter(n int32) error {
	p := &t.prefixes[n]
	p.lo = int32(len(t.state))
	if p.parent < 0 {
		for _, start := range t.g.starts {
			t.reach(p.lo, start.State, start.Weight)
		}
	} else {
		g, from := t.g, t.prefixes[p.parent]
		for i := from.lo; i < from.hi; i++ {
			for _, a := range t.options.after(t.state[i]) {
				if a.label == p.label {
					t.reach(p.lo, g.topology.To[a.arc], g.ring.Times(t.weight[i], g.weight[a.arc]))
				}
			}
		}
	}
	if t.epsilon != nil {
		states, sums, err := t.epsilon.spread(t.state[p.lo:], t.weight[p.lo:])
		if err != nil {
			return err
		}
		t.state, t.weight = append(t.state[:p.lo], states...), append(t.weight[:p.lo], sums...)
	}
	p.hi = int32(len(t.state))
	return nil
}

// reach adds paths of weight w to state s of the prefix whose states start at index lo.
func (t *prefixTree[W]) reach(lo, s int32, w W) {
	if p := t.place[s]; lo <= p && p < int32(len(t.state)) && t.state[p] == s {
		t.weight[p] = t.g.ring.Plus(t.weight[p], w)
		return
	}
	t.place[s] = int32(len(t.state))
	t.state, t.weight = append(t.state, s), append(t.weight, w)
}

// sequence returns the labels of a prefix.
func (t *prefixTree[W]) sequence(n int32) []int32 {
	length := 0
	for p := n; p != 0; p = t.prefixes[p].parent {
		length++
	}
	s := make([]int32, length)
	for ; n != 0; n = t.prefixes[n].parent {
		length--
		s[length] = t.options.labels.State(t.prefixes[n].label)
	}
	return s
}

// labelOptions holds the arcs on paths to a final state, grouped by label, and per state a bound
// on the mass of any single sequence from there.
type labelOptions struct {
	row, to []int32
	// arcs has the arcs of state s in row[s] … row[s+1]−1: first the ε-arcs, up to
	// epsilon[s], and last, from labeled[s] on, the others.
	arcs             []labelArc
	epsilon, labeled []int32
	epsilons         int // the number of ε-arcs
	labels           numbering.Table
	bound            []semiring.ScaledFloat

	sums  []semiring.ScaledFloat // per label, over the arcs from one state; 0 between states
	found []int32                // the labels with a non-zero sum
}

// labelArc is an arc with the given label number. The bound is on the product of its weight and
// the continuation.
type labelArc struct {
	label, arc int32
	bound      semiring.ScaledFloat
}

func newLabelOptions(t *topology, d *derivation.Distribution, labels []int32) *labelOptions {
	n := t.NumStates()
	o := &labelOptions{
		row:     t.Row,
		to:      t.To,
		arcs:    make([]labelArc, len(labels)),
		epsilon: make([]int32, n),
		labeled: make([]int32, n),
		bound:   make([]semiring.ScaledFloat, n),
	}
	components := t.Components()
	for c := components.Len() - 1; c >= 0; c-- {
		lo, hi := components.Bounds(c)
		for p := lo; p < hi; p++ {
			o.sort(components.State(p), d, labels)
		}
		sweeps := 1
		if components.Cyclic() && components.Loop[c] {
			for p := lo; p < hi; p++ {
				o.bound[components.State(p)] = d.Inside[components.State(p)]
			}
			sweeps = boundSweeps
		}
		for range sweeps {
			for p := hi - 1; p >= lo; p-- {
				s := components.State(p)
				o.bound[s] = o.best(s, d.Option, d.End)
			}
		}
	}
	return o
}

// boundSweeps is the number of times that bounds are lowered on cycles, where they start with the
// mass of all sequences. They are valid bounds after each sweep, and most of the gain comes from
// the first one.
const boundSweeps = 6

// sort lists the arcs of state s.
func (o *labelOptions) sort(s int32, d *derivation.Distribution, labels []int32) {
	lo, hi := o.row[s], o.row[s+1]
	front, back := lo, hi
	for e := lo; e < hi; e++ {
		switch {
		case d.Option[e].IsZero() || d.Inside[o.to[e]].IsZero():
		case labels[e] == 0:
			o.arcs[front] = labelArc{arc: e}
			front++
		default:
			number, fresh := o.labels.Of(labels[e])
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

// best bounds the arcs of state s, and returns the bound of the state: a single sequence ends
// there, or continues by the arcs of one label, and by any ε-arc.
func (o *labelOptions) best(s int32, weight, final []semiring.ScaledFloat) semiring.ScaledFloat {
	o.found = o.found[:0]
	after := o.after(s)
	for i := range after {
		a := &after[i]
		a.bound = weight[a.arc].Mul(o.bound[o.to[a.arc]])
		sum := &o.sums[a.label]
		if sum.IsZero() {
			o.found = append(o.found, a.label)
		}
		*sum = sum.Add(a.bound)
	}
	best := final[s]
	for _, l := range o.found {
		if best.Cmp(o.sums[l]) < 0 {
			best = o.sums[l]
		}
		o.sums[l] = semiring.ScaledFloat{}
	}
	for _, a := range o.before(s) {
		best = best.Add(weight[a.arc].Mul(o.bound[o.to[a.arc]]))
	}
	return best
}

// before returns the ε-arcs of state s, and after returns the arcs that read a label.
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
