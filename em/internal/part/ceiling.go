package part

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Ceiling bounds the sums of continuations from the states of a lattice that is only searched.
// Each machine of the cascade is replaced by a machine whose states are classes of states. Its arc
// for a pair of labels has the greatest weight with which any state of the class leads to the other
// class. So its sums are upper bounds, arc by arc. The lattice of these machines is small.
type Ceiling struct {
	cascade  []*fst.FST[expr.W]
	values   []semiring.ScaledFloat
	once     sync.Once
	err      error
	machines []*fst.FST[semiring.ScaledFloat]
	class    [][]int32 // per machine and state
	// joint: the first machine's weights of all pairs sum to at most 1. first: so do its weights
	// of outputs for each input. others: so do these weights of each other machine.
	joint, first, others bool
}

// NewCeiling returns the ceiling of a cascade at values of its weights, which must not change.
// It is computed at first use, and several goroutines may use it.
func NewCeiling(cascade []*fst.FST[expr.W], values []semiring.ScaledFloat) *Ceiling {
	return &Ceiling{cascade: cascade, values: values}
}

// make computes c.
func (c *Ceiling) make() error {
	c.once.Do(func() {
		c.others = true
		for k, m := range c.cascade {
			var f *fst.FST[semiring.ScaledFloat]
			f, c.err = machines.Scaled.Expand(machines.Evaluated(m, scaled(), func(w expr.W) semiring.ScaledFloat { return c.values[w] }), nil)
			if c.err != nil {
				return
			}
			if k == 0 {
				c.joint, c.first = atMostOne(f, false), atMostOne(f, true)
			} else {
				c.others = c.others && atMostOne(f, true)
			}
			class := classes(f)
			if f, c.err = merged(f, class); c.err != nil {
				return
			}
			c.machines, c.class = append(c.machines, f), append(c.class, class)
		}
	})
	return c.err
}

// mostClasses is the maximum number of classes of a machine's states.
const mostClasses = 16

// classes divides the states of f into at most mostClasses classes by repeated refinement:
// by whether they are final, and then by the classes to which their arcs lead.
func classes[W any](f *fst.FST[W]) []int32 {
	class := make([]int32, f.NumStates())
	known := map[string]int32{}
	var arcs []fst.Arc[W]
	for round := 0; ; round++ {
		before := len(known)
		clear(known)
		next := make([]int32, len(class))
		for s := range class {
			key := []int32{class[s]}
			if round == 0 && !f.Semiring().IsZero(f.Final(int32(s))) {
				key[0] = 1
			}
			if round > 0 {
				arcs = f.AppendArcs(arcs[:0], int32(s))
				for _, a := range arcs {
					key = append(key, class[a.To])
				}
				slices.Sort(key[1:])
				key = append(key[:1], slices.Compact(key[1:])...)
			}
			text := fmt.Sprint(key)
			if _, ok := known[text]; !ok {
				known[text] = int32(len(known))
			}
			next[s] = known[text]
		}
		if len(known) > mostClasses || len(known) == before {
			return class
		}
		class = next
	}
}

// merged returns the machine on the classes of states of f that bounds f.
func merged(f *fst.FST[semiring.ScaledFloat], class []int32) (*fst.FST[semiring.ScaledFloat], error) {
	type move struct{ from, in, out, to int32 }
	greatest, order := map[move]semiring.ScaledFloat{}, []move{}
	here := map[move]semiring.ScaledFloat{}
	if len(class) == 0 {
		return f, nil
	}
	n := 1 + slices.Max(class)
	final := make([]semiring.ScaledFloat, n)
	start := make([]bool, n)
	for _, s := range f.AppendStarts(nil) {
		start[class[s.State]] = true
	}
	var arcs []fst.Arc[semiring.ScaledFloat]
	for s, c := range class {
		clear(here)
		arcs = f.AppendArcs(arcs[:0], int32(s))
		for _, a := range arcs {
			x := move{c, a.In, a.Out, class[a.To]}
			here[x] = here[x].Add(a.Weight)
		}
		for _, a := range arcs {
			x := move{c, a.In, a.Out, class[a.To]}
			known, ok := greatest[x]
			if !ok {
				order = append(order, x)
			}
			if !ok || here[x].Cmp(known) > 0 {
				greatest[x] = here[x]
			}
		}
		if w := f.Final(int32(s)); w.Cmp(final[c]) > 0 {
			final[c] = w
		}
	}
	b := machines.Scaled.NewBuilder(scaled())
	b.AllowZero()
	for c := range n {
		s := b.AddState()
		b.SetFinal(s, final[c])
		if start[c] {
			b.AddStart(s, unit)
		}
	}
	for _, x := range order {
		b.AddArc(x.from, fst.Arc[semiring.ScaledFloat]{In: x.in, Out: x.out, Weight: greatest[x], To: x.to})
	}
	return b.Freeze()
}

// mostMass bounds a sum of probabilities that should be 1, with rounding.
const mostMass = 1 + 1e-13

// atMostOne reports whether f is a probabilistic machine that moves
// from state to state. The arcs of a state and its stop weight must sum to at most 1,
// together or, if conditional, for each input and for its end.
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

// chain is a cascade composed from the left, with acceptors of its known ends. Each of its states
// determines a place.
type chain[W any] struct {
	m           fst.Machine[W]
	steps       []machines.Composition[W]
	left, right bool // whether the first machine, or the last, is the acceptor of an end
}

// newChain composes the machines between the ends. An unknown end is nil.
func newChain[W any](compose func(a, b fst.Machine[W]) machines.Composition[W], left *fst.FST[W], ms []*fst.FST[W], right *fst.FST[W]) (*chain[W], error) {
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
		step := compose(c.m, next)
		c.m, c.steps = step, append(c.steps, step)
	}
	return c, fst.Err(c.m)
}

// place is the position of a state of a chain: the states of its ends, 0 for an unknown end, and
// the classes of the states of its machines, as one number.
type place struct {
	left, right int32
	classes     int64
}

// place returns the place of a state. If class is nil, each state is its own class.
func (c *chain[W]) place(s int32, class [][]int32) place {
	var p place
	first := 0 // the position of the first machine
	if c.left {
		first = 1
	}
	for at := len(c.steps); at >= 0; at-- {
		state := s
		if at > 0 {
			s, state = c.steps[at-1].State(s)
		}
		switch {
		case at < first:
			p.left = state
		case at == len(c.steps) && c.right:
			p.right = state
		default:
			if class != nil {
				state = class[at-first][state]
			}
			p.classes = p.classes*mostClasses + int64(state)
		}
	}
	return p
}

// Ends contains acceptors of the two ends of a cascade, or nil for an unknown end. Strings means
// that the known ends are strings.
type Ends struct {
	Left, Right *fst.FST[expr.W]
	Strings     bool
}

// Lattice returns the lattice of the cascade between ends, to be searched. stages are the machines
// of the cascade over the Space of v. The bounding lattice has at most limit states
// and arcs; if it would be larger, only weak bounds are known.
func (c *Ceiling) Lattice(stages []*fst.FST[expr.W], ends Ends, v *Values, limit int) (*Lattice, error) {
	if err := c.make(); err != nil {
		return nil, err
	}
	fine, err := newChain(machines.Exprs.Compose, ends.Left, stages, ends.Right)
	if err != nil {
		return nil, err
	}
	most := semiring.ScaledFloat{Mant: math.Inf(1)}
	if ends.Strings && c.others && (ends.Left != nil && c.first || ends.Left == nil && c.joint) {
		most = unit
	}
	l := &Lattice{m: fine.m, values: v,
		best: func(int32) semiring.ScaledFloat { return unit },
		rest: func(int32) semiring.ScaledFloat { return most }}
	best, rest, err := c.ahead(ends, v, limit)
	if err != nil || best == nil {
		return l, err
	}
	l.best = func(s int32) semiring.ScaledFloat { return best[fine.place(s, c.class)] }
	l.rest = func(s int32) semiring.ScaledFloat {
		if w := rest[fine.place(s, c.class)]; w.Cmp(most) < 0 {
			return w
		}
		return most
	}
	return l, nil
}

// ahead returns bounds of the best continuation and of the sum of all continuations from
// each place that a derivation may reach, or nil if there are no bounds.
//
// Several states of a composition may have the same place, with different sums. The
// bound of a place is the greatest of them.
func (c *Ceiling) ahead(known Ends, v *Values, limit int) (best, rest map[place]semiring.ScaledFloat, err error) {
	var ends [2]*fst.FST[semiring.ScaledFloat]
	for i, f := range []*fst.FST[expr.W]{known.Left, known.Right} {
		if f == nil {
			continue
		}
		values, err := v.All()
		if err != nil {
			return nil, nil, err
		}
		if ends[i], err = machines.Scaled.Expand(machines.Evaluated(f, scaled(), func(w expr.W) semiring.ScaledFloat { return values[w] }), nil); err != nil {
			return nil, nil, err
		}
	}
	coarse, err := newChain(machines.Scaled.Compose, ends[0], c.machines, ends[1])
	if err != nil {
		return nil, nil, err
	}
	f, err := machines.Scaled.Expand(coarse.m, &fst.Options{Limit: limit})
	if errors.Is(err, semiring.ErrLimit) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	bounds := func(ring semiring.Semiring[semiring.ScaledFloat]) (map[place]semiring.ScaledFloat, error) {
		beta, err := graphs.Backward(f.Graph().WithSemiring(ring))
		if err != nil {
			return nil, err
		}
		all := map[place]semiring.ScaledFloat{}
		for s, w := range beta {
			if at := coarse.place(int32(s), nil); w.Cmp(all[at]) > 0 {
				all[at] = w
			}
		}
		return all, nil
	}
	if best, err = bounds(semiring.Viterbi{}); err == nil {
		rest, err = bounds(semiring.Scaled{})
	}
	if noSum(err) { // no bounds exist
		return nil, nil, nil
	}
	return best, rest, err
}

// noSum reports whether err means that a path sum has no finite value.
func noSum(err error) bool {
	return errors.Is(err, semiring.ErrDiverges) || errors.Is(err, semiring.ErrInaccurate) || errors.Is(err, semiring.ErrNotFinite)
}
