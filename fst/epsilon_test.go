package fst_test

import (
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// noEpsilon fails the test if f has an arc ε:ε, or two arcs of one state that should be merged.
func noEpsilon[W any](t *testing.T, seed uint64, f *fst.FST[W]) {
	t.Helper()
	for s := range int32(f.NumStates()) {
		seen := map[[3]int32]bool{}
		for _, a := range f.AppendArcs(nil, s) {
			if a.In == fst.Epsilon && a.Out == fst.Epsilon {
				t.Fatalf("seed %d: an arc ε:ε leaves state %d", seed, s)
			}
			if k := [3]int32{a.In, a.Out, a.To}; seen[k] {
				t.Fatalf("seed %d: two arcs %v leave state %d", seed, k, s)
			} else {
				seen[k] = true
			}
		}
	}
}

// The relation is kept, in rings that sum cycles in different ways, including negative weights.
func TestRemoveEpsilon(t *testing.T) {
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		real := acceptor(r, reals, shape, func() float64 { return .3*r.Float64() - .1 })
		got := must(fst.Expand(fst.RemoveEpsilon(real), nil))(t)
		noEpsilon(t, seed, got)
		sameWeights(t, seed, "real", got, real)
		shape.Labels = 2
		cost := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.Float64()) })
		got2 := must(fst.Expand(fst.RemoveEpsilon(cost), nil))(t)
		noEpsilon(t, seed, got2)
		sameWeights(t, seed, "tropical", got2, cost)
	}
}

// Weights keep their order in products.
func TestRemoveEpsilonTraces(t *testing.T) {
	ring := semiring.Semiring[series](keyed{fsttest.Traces{Max: 5}})
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, ring, shapes(r), &letters)
		got := must(fst.Expand(fst.RemoveEpsilon(f), nil))(t)
		noEpsilon(t, seed, got)
		check(t, seed, "ε-removal", got, fsttest.RelationOf(f))
	}
}

func TestRemoveEpsilonErrors(t *testing.T) {
	loop := func(ring semiring.Semiring[float64], w float64) *fst.FST[float64] {
		b := fst.NewBuilder(ring)
		b.AddStates(3)
		b.AddStart(0, 1)
		b.AddArc(0, fst.Arc[float64]{To: 1, Weight: 1})
		b.AddArc(1, fst.Arc[float64]{To: 0, Weight: w})
		b.AddArc(1, fst.Arc[float64]{In: 1, Out: 1, To: 2, Weight: 1})
		b.AddArc(0, fst.Arc[float64]{In: 2, Out: 1, To: 2, Weight: 1})
		b.SetFinal(2, 1)
		return must(b.Freeze())(t)
	}
	if _, err := fst.Expand(fst.RemoveEpsilon(loop(reals, 1)), nil); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("a cycle of mass 1: %v", err)
	}
	nan := fsttest.Frozen(fst.Map(loop(reals, 2), reals, func(w float64) float64 {
		if w == 2 {
			return math.NaN()
		}
		return w
	}))
	if _, err := fst.Expand(fst.RemoveEpsilon(nan), nil); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("a cycle of weight NaN: %v", err)
	}
	b := fst.NewBuilder(reals) // with total weight 1
	b.AddStates(4)
	b.AddStart(0, 1)
	b.AddArc(0, fst.Arc[float64]{To: 1, Weight: 1e200})
	b.AddArc(1, fst.Arc[float64]{In: 1, Out: 1, To: 2, Weight: 1e200})
	b.AddArc(2, fst.Arc[float64]{In: 1, Out: 1, To: 3, Weight: 1e-200})
	b.SetFinal(3, 1e-200)
	great := must(b.Freeze())(t)
	if _, err := fst.PathSum(fst.RemoveEpsilon(great), nil); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("weights of 1e400: %v", err)
	}
	if _, err := fst.PathSum(fst.RemoveEpsilon(opaque(great)), nil); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("weights of 1e400, on demand: %v", err)
	}
	if _, err := fst.Expand(fst.RemoveEpsilon(loop(plainReals{}, .5)), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring that sums no cycles: %v", err)
	}
	if _, err := fst.Expand(fst.RemoveEpsilon(loop(reals, .5)), &fst.Options{Limit: 3}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("4 states and arcs of at most 3: %v", err)
	}
	if f := must(fst.Expand(fst.RemoveEpsilon(loop(reals, .5)), &fst.Options{Limit: 4}))(t); f.NumStates() != 2 || f.NumArcs() != 2 {
		t.Errorf("%d states and %d arcs, want 2 and 2", f.NumStates(), f.NumArcs())
	}
	empty := must(fst.NewBuilder(reals).Freeze())(t)
	if f := must(fst.Expand(fst.RemoveEpsilon(empty), nil))(t); f.NumStates() != 0 {
		t.Errorf("the empty machine has %d states", f.NumStates())
	}
}

// plainReals is Real without capabilities.
type plainReals struct{ semiring.Semiring[float64] }

func (plainReals) Zero() float64             { return 0 }
func (plainReals) One() float64              { return 1 }
func (plainReals) IsZero(w float64) bool     { return w == 0 }
func (plainReals) Plus(a, b float64) float64 { return a + b }
func (plainReals) Times(a, b float64) float64 {
	return a * b
}

// Arcs between the same states are distinguished by their labels, however many there are.
func TestRemoveEpsilonCrowded(t *testing.T) {
	reals := semiring.Real{}
	for _, acceptor := range []bool{true, false} {
		r := fsttest.Rand(1)
		b := fst.NewBuilder(reals)
		b.AddStates(3)
		b.AddStart(0, 1)
		b.AddArc(0, fst.Arc[float64]{To: 1, Weight: .5})
		b.SetFinal(2, 1)
		want := map[[3]int32]float64{}
		for range 5000 {
			from, in, out, to := r.Int32N(2), 1+r.Int32N(90), r.Int32N(20), 1+r.Int32N(2)
			if acceptor {
				out = in
			}
			b.AddArc(from, fst.Arc[float64]{In: in, Out: out, To: to, Weight: 1})
			want[[3]int32{in, out, to}] += 1 / float64(1+from)
		}
		f, err := fst.Expand(fst.RemoveEpsilon(must(b.Freeze())(t)), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[[3]int32]float64{}
		for _, a := range f.AppendArcs(nil, f.AppendStarts(nil)[0].State) {
			got[[3]int32{a.In, a.Out, a.To}] += a.Weight
		}
		if !maps.Equal(got, want) || len(got) < 150 {
			t.Errorf("%d arcs, want %d", len(got), len(want))
		}
	}
}

// Many arcs between the same states, with different labels.
func BenchmarkRemoveEpsilonCrowded(b *testing.B) {
	const n = 20_000
	build := fst.NewBuilder(semiring.Real{})
	build.AddStates(2)
	build.AddStart(0, 1)
	for label := range int32(n) {
		build.AddArc(0, fst.Arc[float64]{In: 1 + label, Out: 1 + label, To: 1, Weight: 1})
	}
	build.SetFinal(1, 1)
	f, err := build.Freeze()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := fst.Expand(fst.RemoveEpsilon(f), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/arc")
}

// normalized fails the test if an arc with ε on a tape precedes an arc with a label, or if
// there is an arc ε:ε.
func normalized[W any](t *testing.T, seed uint64, f *fst.FST[W], tape fst.Tape) {
	t.Helper()
	if tape == fst.Output {
		f = fsttest.Frozen(fst.Invert(f))
	}
	for s := range int32(f.NumStates()) {
		for _, a := range f.AppendArcs(nil, s) {
			if a.In != fst.Epsilon {
				continue
			}
			if a.Out == fst.Epsilon {
				t.Fatalf("seed %d: an arc ε:ε leaves state %d\n%s", seed, s, f)
			}
			for _, b := range f.AppendArcs(nil, a.To) {
				if b.In != fst.Epsilon {
					t.Fatalf("seed %d: %v and then %v\n%s", seed, a, b, f)
				}
			}
		}
	}
}

// The relation is kept, path by path, with weights in order.
func TestNormalizeEpsilon(t *testing.T) {
	ring := semiring.Semiring[series](keyed{fsttest.Traces{Max: 5}})
	made, failed := 0, 0
	for seed := range trials.Seeds(150) {
		r := fsttest.Rand(seed)
		letters := 0
		shape := shapes(r)
		f := fsttest.New(r, ring, shape, &letters)
		tape := fst.Tape(r.IntN(2))
		g, err := fst.NormalizeEpsilon(f, tape, small)
		if !shape.Acyclic && (errors.Is(err, semiring.ErrLimit) || errors.Is(err, semiring.ErrDiverges)) {
			failed++
			continue
		}
		made++
		g = must(g, err)(t)
		normalized(t, seed, g, tape)
		check(t, seed, "normalized", g, fsttest.RelationOf(f))
		again := must(fst.NormalizeEpsilon(g, tape, nil))(t)
		if again.NumStates() != g.NumStates() || again.NumArcs() != g.NumArcs() {
			t.Fatalf("seed %d: normalized again, it has %d states and %d arcs\n%s\nnot\n%s", seed, again.NumStates(), again.NumArcs(), again, g)
		}
	}
	if failed < 5 || made < 2*failed {
		t.Errorf("%d machines were normalized, %d have no such form", made, failed)
	}
}

// Cycles of arcs ε:ε are summed, in rings that have sums of cycles.
func TestNormalizeEpsilonSums(t *testing.T) {
	compared := 0
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		shape.Labels = 2
		f := weighted(r, reals, shape, func() float64 { return .3*r.Float64() - .1 })
		if g, err := fst.NormalizeEpsilon(f, fst.Input, small); err == nil {
			compared++
			normalized(t, seed, g, fst.Input)
			sameWeights(t, seed, "normalized", g, f)
		}
		f = fsttest.Frozen(fst.ProjectIn(f))
		g := must(fst.NormalizeEpsilon(f, fst.Output, small))(t)
		if want := must(fst.Expand(fst.RemoveEpsilon(f), nil))(t); g.NumStates() != want.NumStates() || g.NumArcs() != want.NumArcs() {
			t.Fatalf("seed %d: an acceptor has %d states and %d arcs, want %d and %d", seed, g.NumStates(), g.NumArcs(), want.NumStates(), want.NumArcs())
		}
	}
	if compared < 50 {
		t.Errorf("%d machines were compared", compared)
	}
}

func TestNormalizeEpsilonErrors(t *testing.T) {
	letter := fst.FromString(reals, []int32{1})
	writes := must(fst.Expand(fst.Star(fst.FromPair(reals, nil, []int32{2})), nil))(t)
	before := must(fst.Expand(fst.Concat(letter, writes, letter), nil))(t)
	if _, err := fst.NormalizeEpsilon(before, fst.Input, nil); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("a cycle that writes before an arc that reads: %v", err)
	}
	if _, err := fst.NormalizeEpsilon(fsttest.Frozen(fst.Invert(before)), fst.Output, nil); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("the same on the other tape: %v", err)
	}
	after := must(fst.NormalizeEpsilon(fst.Concat(letter, writes), fst.Input, nil))(t)
	normalized(t, 0, after, fst.Input)
	if _, ok := after.Graph().TopologicalOrder(); ok || !slices.Contains(after.Out(), 2) {
		t.Errorf("a cycle that writes at the end became\n%s", after)
	}
	twice := must(fst.Expand(fst.Star(fst.FromPair(reals, []int32{1}, []int32{1, 2})), nil))(t)
	if _, err := fst.NormalizeEpsilon(twice, fst.Input, small); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a cycle that writes more than it reads: %v", err)
	}
	silent := must(fst.Expand(fst.Star(fst.FromString(reals, []int32{0})), nil))(t)
	if _, err := fst.NormalizeEpsilon(silent, fst.Input, nil); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("a divergent cycle: %v", err)
	}
	late := must(fst.NormalizeEpsilon(fst.FromPair(reals, []int32{0, 1}, []int32{2, 3}), fst.Input, nil))(t)
	if !must(fst.Equal(late, fst.FromPair(reals, []int32{1}, []int32{2, 3}), nil))(t) {
		t.Errorf("(ε 1, 2 3) became\n%s", late)
	}
	if _, err := fst.NormalizeEpsilon(silent.WithSemiring(plainReals{}), fst.Input, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring that sums no cycles: %v", err)
	}
	empty := must(fst.NewBuilder(reals).Freeze())(t)
	if f := must(fst.NormalizeEpsilon(empty, fst.Input, nil))(t); f.NumStates() != 0 {
		t.Errorf("the empty machine has %d states", f.NumStates())
	}
}

func TestOpenFstNormalizesEpsilon(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(10) {
		f := single(2*seed, false) // acyclic
		if f.NumStates() == 0 {
			continue
		}
		x.write(t, "f", f)
		agree(t, seed, "ε-normalization", must(fst.NormalizeEpsilon(f, fst.Input, nil))(t), x.result(t, "fstepsnormalize", "f"), false)
		agree(t, seed, "that of the output", must(fst.NormalizeEpsilon(f, fst.Output, nil))(t), x.result(t, "fstepsnormalize", "--eps_norm_output", "f"), false)
	}
}

// The relation is kept, and paths are in step while they both read and write.
func TestSynchronize(t *testing.T) {
	ended := 0
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, traces, shapes(r), &letters)
		g, err := fst.Expand(fst.Synchronize(f, small), nil)
		if errors.Is(err, semiring.ErrLimit) {
			if _, ok := f.Graph().TopologicalOrder(); ok {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		ended++
		g = must(g, err)(t)
		check(t, seed, "synchronized", g, fsttest.RelationOf(f))
		for s := range int32(g.NumStates()) {
			for _, a := range g.AppendArcs(nil, s) {
				if (a.In == fst.Epsilon) == (a.Out == fst.Epsilon) {
					continue
				}
				for _, b := range g.AppendArcs(nil, a.To) {
					if (a.In == fst.Epsilon) != (b.In == fst.Epsilon) || (a.Out == fst.Epsilon) != (b.Out == fst.Epsilon) {
						t.Fatalf("seed %d: %v and then %v", seed, a, b)
					}
				}
			}
		}
	}
	if ended < 50 {
		t.Errorf("%d machines were synchronized", ended)
	}
}

// The labels that states are ahead count towards the limit. If their number grows from state to
// state, they would otherwise take memory quadratic in the limit.
func TestSynchronizeBoundsDelays(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AddStates(1)
	b.AddStart(0, 1)
	b.AddArc(0, fst.Arc[float64]{In: 1, To: 0, Weight: .5})
	b.SetFinal(0, .5)
	f := must(b.Freeze())(t)
	memory := memtest.Allocated(func() {
		if _, err := fst.Expand(fst.Synchronize(f, &fst.Options{Limit: 30_000}), nil); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("a delay without bound: %v", err)
		}
	})
	if memory > 10<<20 {
		t.Errorf("%d bytes were allocated within a limit of 30000", memory)
	}
}
