package merge

import (
	"context"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// usage holds the expected counts of a trained stage in all derivations of the data.
type usage struct {
	counts *fst.FST[float64] // uses of every arc, start and final weight
	ways   [][]way           // per state: the ways through it; nil rows if not unfolded
}

// way is a passage through a state. The ways in are numbered, first the starts and then the arcs;
// a way out is an arc or stop.
type way struct {
	in, out int32
	count   float64
}

// stop is the way out of a path that ends.
const stop = int32(-1)

// real is the ring of the counts.
var real = semiring.Real{}

// count computes the usage of a trained machine.
func (s *search) count(ctx context.Context, t *trained) error {
	var err error
	if t.use, err = s.usage(ctx, t, newUnfolding(t.machine)); err == nil {
		t.Counts = t.use.counts
	}
	return err
}

// usage computes the usage of a trained machine by one E step. Its stage is an unfolding of the
// machine. Every arc and final weight has its own parameter, of value 1, whose expected count is
// the count of the way through the state.
func (s *search) usage(ctx context.Context, t *trained, z *unfolding) (*usage, error) {
	weights, err := t.weights()
	if err != nil {
		return nil, err
	}
	params := em.NewParams()
	group := params.Group("ways", len(z.starts)+len(z.through), em.Fixed{})
	stage, err := z.machine(params.Space(), group, weights.Graph())
	if err != nil {
		return nil, nested.Errorf("merge: %w", err)
	}
	model, data, err := s.model(params, stage, t.others())
	if err != nil {
		return nil, err
	}
	l, err := model.Likelihood(data)
	if err != nil {
		return nil, err
	}
	e, err := l.Expect(ctx, em.Query{Theta: model.Theta, Workers: s.opts.Workers})
	if err != nil {
		return nil, err
	}
	return z.usage(group.In(e.Counts))
}

// unfolding is a machine equivalent to f. A state may also record the way into a state of f.
type unfolding struct {
	f       *fst.FST[float64]
	starts  []int32 // per start of f: its state
	arcs    []int32 // per arc of f: the state it leads to
	origin  []int32 // per state: the state of f
	through []way   // all ways through states; in is the state of the unfolding
}

// newUnfolding returns the machine with one state for every way into a state of f.
func newUnfolding(f *fst.FST[float64]) *unfolding {
	z := &unfolding{f: f}
	state := func(to int32) int32 {
		z.origin = append(z.origin, to)
		return int32(len(z.origin)) - 1
	}
	for _, x := range f.Graph().Starts() {
		z.starts = append(z.starts, state(x.State))
	}
	for _, to := range f.Graph().To() {
		z.arcs = append(z.arcs, state(to))
	}
	z.pass()
	return z
}

// folded returns f itself as an unfolding, which does not distinguish ways into a state.
func folded(f *fst.FST[float64]) *unfolding {
	z := &unfolding{f: f, arcs: f.Graph().To()}
	for _, x := range f.Graph().Starts() {
		z.starts = append(z.starts, x.State)
	}
	for s := range int32(f.NumStates()) {
		z.origin = append(z.origin, s)
	}
	z.pass()
	return z
}

// pass lists the ways through the states.
func (z *unfolding) pass() {
	row := z.f.Graph().Row()
	for in, s := range z.origin {
		for e := row[s]; e < row[s+1]; e++ {
			z.through = append(z.through, way{in: int32(in), out: e})
		}
		if z.f.Final(s) != 0 {
			z.through = append(z.through, way{in: int32(in), out: stop})
		}
	}
}

// machine returns the unfolding as a machine. Its weights are the values times the parameters of
// the group, one for each start and each way through a state.
func (z *unfolding) machine(space *expr.Space, group *em.Group, values *graph.Graph[semiring.ScaledFloat]) (*fst.FST[expr.W], error) {
	starts := values.Starts()
	b := machines.Exprs.NewBuilder(space)
	b.AllowZero()
	b.SetSymbols(z.f.InSymbols(), z.f.OutSymbols())
	b.AddStates(len(z.origin))
	for i, x := range starts {
		b.AddStart(z.starts[i], space.Times(space.Const(x.Weight), group.Weight(i)))
	}
	for i, w := range z.through {
		tag := group.Weight(len(starts) + i)
		if w.out == stop {
			b.SetFinal(w.in, space.Times(space.Const(values.Finals()[z.origin[w.in]]), tag))
			continue
		}
		b.AddArc(w.in, fst.Arc[expr.W]{In: z.f.In()[w.out], Out: z.f.Out()[w.out], To: z.arcs[w.out],
			Weight: space.Times(space.Const(values.Weights()[w.out]), tag)})
	}
	return b.Freeze()
}

// usage converts the counts of the starts and ways to a usage. Unused parts are left out, and so
// is a way into a state whose ways out have counts too small for a float64.
func (z *unfolding) usage(counts []float64) (*usage, error) {
	total := 0.0
	for _, c := range counts {
		total += c
	}
	if math.IsInf(total, 1) {
		return nil, nested.Errorf("merge: %w: the expected counts of the stage add up to %g; make the weights of the examples smaller", semiring.ErrNotFinite, total)
	}
	starts := counts[:len(z.starts)]
	arcs, final := make([]float64, len(z.arcs)), make([]float64, z.f.NumStates())
	state := numbering(z.f.NumStates())
	for i, w := range z.through {
		c := counts[len(starts)+i]
		if !(c > 0) {
			continue
		}
		state.use(z.origin[w.in])
		if w.out == stop {
			final[z.origin[w.in]] += c
		} else {
			arcs[w.out] += c
		}
	}
	state.number()
	b := fst.NewBuilder(real)
	b.SetSymbols(z.f.InSymbols(), z.f.OutSymbols())
	b.AddStates(state.n)
	into := numbering(len(starts) + len(arcs)) // the ways in
	for i, c := range starts {
		if to := state.of[z.f.Graph().Starts()[i].State]; c > 0 && to != unused {
			into.use(int32(i))
			b.AddStart(to, c)
		}
	}
	row := z.f.Graph().Row()
	for s := range int32(z.f.NumStates()) {
		if state.of[s] == unused {
			continue
		}
		b.SetFinal(state.of[s], final[s])
		for e := row[s]; e < row[s+1]; e++ {
			if to := state.of[z.f.Graph().To()[e]]; arcs[e] > 0 && to != unused {
				into.use(int32(len(starts)) + e)
				b.AddArc(state.of[s], fst.Arc[float64]{In: z.f.In()[e], Out: z.f.Out()[e], To: to, Weight: arcs[e]})
			}
		}
	}
	into.number()
	f, err := b.Freeze()
	if err != nil {
		return nil, nested.Errorf("merge: %w", err)
	}
	u := &usage{counts: f, ways: make([][]way, state.n)}
	if len(z.origin) != len(into.of) {
		return u, nil // folded
	}
	first := int32(len(f.Graph().Starts()))
	for i, w := range z.through {
		w.count = counts[len(starts)+i]
		used := w.count > 0 && into.of[w.in] != unused
		if w.out != stop {
			used = used && into.of[int32(len(starts))+w.out] != unused
		}
		if !used {
			continue
		}
		s := state.of[z.origin[w.in]]
		if w.in = into.of[w.in]; w.out != stop {
			w.out = into.of[int32(len(starts))+w.out] - first
		}
		u.ways[s] = append(u.ways[s], w)
	}
	return u, nil
}

// renumbering assigns new indices to used items.
type renumbering struct {
	of []int32
	n  int
}

const unused = int32(-1)

func numbering(n int) *renumbering {
	return &renumbering{of: slices.Repeat([]int32{unused}, n)}
}

func (r *renumbering) use(i int32) { r.of[i] = 0 }

func (r *renumbering) number() {
	for i := range r.of {
		if r.of[i] != unused {
			r.of[i] = int32(r.n)
			r.n++
		}
	}
}
