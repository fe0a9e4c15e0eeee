package fst_test

import (
	"errors"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// normalized fails the test if an arc with ε on a tape comes before one with a label, or
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

// The relation stays, path by path with the weights in order.
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

// Cycles of arcs ε:ε are summed, in rings that can.
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
