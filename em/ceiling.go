package em

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// ceiling bounds what lies ahead of the states of a lattice that is not made as a whole. Each
// machine of the cascade is replaced by one of a single state, in which each pair of labels
// has the greatest weight that it has at any state: the sum over the arcs of a path, label
// by label, is then at most what it is there. The lattice of those is small.
type ceiling struct {
	once     sync.Once
	err      error
	machines []*fst.FST[semiring.ScaledFloat]
	// Whether the first machine gives pairs, and outputs for its input, no more than 1 in
	// all, and whether the others give their outputs no more than that.
	joint, first, others bool
}

// scaled is the ring of sums.
func scaled() semiring.Semiring[semiring.ScaledFloat] { return semiring.Scaled{} }

// make fills c at the values of the Params' Space.
func (c *ceiling) make(p Problem, values []semiring.ScaledFloat) error {
	c.once.Do(func() {
		c.others = true
		for k, m := range p.Cascade {
			var f *fst.FST[semiring.ScaledFloat]
			f, c.err = fst.Expand(fst.Map(m, scaled(), func(w expr.W) semiring.ScaledFloat { return values[w] }), 0)
			if c.err != nil {
				return
			}
			if k == 0 {
				c.joint, c.first = atMostOne(f, false), atMostOne(f, true)
			} else {
				c.others = c.others && atMostOne(f, true)
			}
			if f, c.err = merged(f); c.err != nil {
				return
			}
			c.machines = append(c.machines, f)
		}
	})
	return c.err
}

// merged returns the machine of one state that bounds f.
func merged(f *fst.FST[semiring.ScaledFloat]) (*fst.FST[semiring.ScaledFloat], error) {
	type pair struct{ in, out int32 }
	greatest, order := map[pair]semiring.ScaledFloat{}, []pair{}
	here := map[pair]semiring.ScaledFloat{}
	final := semiring.ScaledFloat{}
	var arcs []fst.Arc[semiring.ScaledFloat]
	for s := range int32(f.NumStates()) {
		clear(here)
		arcs = f.AppendArcs(arcs[:0], s)
		for _, a := range arcs {
			here[pair{a.In, a.Out}] = here[pair{a.In, a.Out}].Add(a.Weight)
		}
		for _, a := range arcs {
			x := pair{a.In, a.Out}
			known, ok := greatest[x]
			if !ok {
				order = append(order, x)
			}
			if !ok || here[x].Cmp(known) > 0 {
				greatest[x] = here[x]
			}
		}
		if w := f.Final(s); w.Cmp(final) > 0 {
			final = w
		}
	}
	b := fst.NewBuilder(scaled())
	s := b.AddState()
	b.AddStart(s, unit)
	b.SetFinal(s, final)
	for _, x := range order {
		b.AddArc(s, fst.Arc[semiring.ScaledFloat]{In: x.in, Out: x.out, Weight: greatest[x], To: s})
	}
	return b.Freeze()
}

// mostMass is what rounding may make of a sum of probabilities that is 1.
const mostMass = 1 + 1e-13

// atMostOne reports whether the weights of f are those of a probabilistic machine that walks
// from state to state: the arcs of a state and its stop weight come to no more than 1,
// together or, if it is conditional, for each input and for its end.
func atMostOne(f *fst.FST[semiring.ScaledFloat], conditional bool) bool {
	mass := map[int32]float64{}
	for s := range int32(f.NumStates()) {
		clear(mass)
		for _, a := range f.AppendArcs(nil, s) {
			mass[a.In] += a.Weight.Float64()
		}
		insert, final := mass[fst.Epsilon], f.Final(s).Float64()
		delete(mass, fst.Epsilon)
		most, all := final, final
		for _, x := range mass {
			most, all = max(most, x), all+x
		}
		if !conditional {
			most = all
		}
		if !(most+insert <= mostMass) {
			return false
		}
	}
	return true
}

// chain is a cascade composed from the left, with what is known of its two ends. Its states
// say where they are at these.
type chain[W any] struct {
	m           fst.Machine[W]
	steps       []*fst.Composition[W]
	left, right bool // whether the first machine, and the last, is such an end
}

// newChain composes the machines between the ends, nil where nothing is known.
func newChain[W any](left *fst.FST[W], ms []*fst.FST[W], right *fst.FST[W]) (*chain[W], error) {
	c := &chain[W]{left: left != nil, right: right != nil}
	all := ms
	if left != nil {
		all = append([]*fst.FST[W]{left}, all...)
	}
	if right != nil {
		all = append(all[:len(all):len(all)], right)
	}
	c.m = all[0]
	for _, next := range all[1:] {
		step, err := fst.Compose(c.m, fst.Machine[W](next))
		if err != nil {
			return nil, err
		}
		c.m, c.steps = step, append(c.steps, step)
	}
	return c, nil
}

// place is where a state of a chain is: the states of its ends, 0 where nothing is known.
type place struct{ left, right int32 }

func (c *chain[W]) place(s int32) place {
	var p place
	for k := len(c.steps) - 1; k >= 0; k-- {
		a, b := c.steps[k].State(s)
		if k == len(c.steps)-1 && c.right {
			p.right = b
		}
		s = a
	}
	if c.left {
		p.left = s
	}
	return p
}

// partly returns the lattice of x, to be searched, with bounds of what lies ahead.
func (b *composer) partly(x *Example) (lattice, error) {
	p := b.of.problem
	if len(p.Cascade) == 0 || len(p.Branches) > 0 {
		return lattice{}, errTree
	}
	c := b.choice.ceiling
	if err := c.make(p, b.choice.values); err != nil {
		return lattice{}, err
	}
	fine, err := newChain(b.side(x.X), b.edges[0].Machines, b.side(x.Y))
	if err != nil {
		return lattice{}, err
	}
	most := semiring.ScaledFloat{Mant: math.Inf(1)}
	plain := (x.X.string || x.X.Absent()) && (x.Y.string || x.Y.Absent())
	if plain && c.others && (x.X.string && c.first || x.X.Absent() && c.joint) {
		most = unit
	}
	l := lattice{m: fine.m,
		best: func(int32) semiring.ScaledFloat { return unit },
		rest: func(int32) semiring.ScaledFloat { return most }}
	best, rest, err := b.ahead(x)
	if err != nil || best == nil {
		return l, err
	}
	l.best = func(s int32) semiring.ScaledFloat { return best[fine.place(s)] }
	l.rest = func(s int32) semiring.ScaledFloat {
		if w := rest[fine.place(s)]; w.Cmp(most) < 0 {
			return w
		}
		return most
	}
	return l, nil
}

// ahead returns, by the ceiling, bounds of the best way on and of the sum of all ways on from
// each place that a derivation may reach; nil if there are none.
//
// Two states of a composition may be in the same place, where one of them may do less. What
// holds of a place is the greater of the two.
func (b *composer) ahead(x *Example) (best, rest map[place]semiring.ScaledFloat, err error) {
	var ends [2]*fst.FST[semiring.ScaledFloat]
	for i, s := range []Side{x.X, x.Y} {
		if f := b.side(s); f != nil {
			if _, err := b.value(expr.One); err != nil {
				return nil, nil, err
			}
			if ends[i], err = fst.Expand(fst.Map(f, scaled(), func(w expr.W) semiring.ScaledFloat { return b.values[w] }), 0); err != nil {
				return nil, nil, err
			}
		}
	}
	coarse, err := newChain(ends[0], b.choice.ceiling.machines, ends[1])
	if err != nil {
		return nil, nil, err
	}
	f, err := fst.Expand(coarse.m, b.limit)
	if errors.Is(err, semiring.ErrLimit) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	bounds := func(ring semiring.Semiring[semiring.ScaledFloat]) (map[place]semiring.ScaledFloat, error) {
		g := graph.Map(f.Graph(), ring, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w })
		beta, err := graph.Backward(g)
		if err != nil {
			return nil, err
		}
		all := map[place]semiring.ScaledFloat{}
		for s, w := range beta {
			if at := coarse.place(int32(s)); w.Cmp(all[at]) > 0 {
				all[at] = w
			}
		}
		return all, nil
	}
	if best, err = bounds(semiring.Viterbi{}); err == nil {
		rest, err = bounds(semiring.Scaled{})
	}
	if outOfRange(err) { // nothing is known
		return nil, nil, nil
	}
	return best, rest, err
}

// errTree says why a lattice is not searched.
var errTree = fmt.Errorf("%w: a lattice that is too large to choose a part from; only that of a cascade without branches can be searched", semiring.ErrLimit)
