package fst_test

import (
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// drawn is a weight of a ring with a value: mass p, and p·v.
type drawn[W any] struct {
	ring semiring.Semiring[W]
	of   func(p, v float64) W
}

type valued = semiring.Expected[float64, float64]

var (
	expectations = drawn[valued]{
		semiring.Expectation(reals, semiring.Scalar(reals)),
		func(p, v float64) valued { return valued{P: p, V: p * v} },
	}
	vectors = drawn[semiring.Expected[float64, semiring.SparseVector[float64]]]{
		semiring.Expectation(reals, semiring.Sparse(reals)),
		func(p, v float64) semiring.Expected[float64, semiring.SparseVector[float64]] {
			return semiring.Expected[float64, semiring.SparseVector[float64]]{P: p, V: semiring.SparseVector[float64]{Index: []int32{3}, Value: []float64{p * v}}}
		},
	}
	powers = drawn[semiring.Polynomial[float64]]{
		semiring.Series(reals, 4),
		func(p, v float64) semiring.Polynomial[float64] { return semiring.Polynomial[float64]{p, p * v} },
	}
	masses = drawn[float64]{reals, func(p, _ float64) float64 { return p }}
)

// What cancels in the weights of derived rings leaves residues of rounding: 1e-17 is 0 beside
// a mass of 1, wherever weights are compared. Machines have the sizes that they have over
// Real.
func TestResiduesOfDerivedRings(t *testing.T) {
	t.Run("real", func(t *testing.T) { checkResidues(t, masses) })
	t.Run("expectation", func(t *testing.T) { checkResidues(t, expectations) })
	t.Run("sparse", func(t *testing.T) { checkResidues(t, vectors) })
	t.Run("series", func(t *testing.T) { checkResidues(t, powers) })
}

func checkResidues[W any](t *testing.T, d drawn[W]) {
	unequal, unlimited, wide, large := 0, 0, 0, 0
	for seed := range trials.Seeds(3000) {
		r := fsttest.Rand(seed)
		draw := func() W { // half of the arcs have no value, so that what cancels is all there is
			return d.of(.05+.4*r.Float64(), float64(r.IntN(2))*(3*r.Float64()-1))
		}
		// One state: pushed, its weights are divided by what cancels.
		b := fst.NewBuilder(d.ring)
		s := b.AddState()
		b.AddStart(s, d.ring.One())
		b.SetFinal(s, draw())
		b.AddArc(s, fst.Arc[W]{In: 1, Out: 1, Weight: draw(), To: s})
		one := must(b.Freeze())(t)
		pushed := must(fst.PushWeights(one, fst.TowardInitial, nil))(t)
		if !must(fst.Equivalent(one, pushed, nil))(t) {
			unequal++
		}
		twins := twinsOf(t, d.ring, draw)
		switch small, err := fst.Expand(fst.Determinize(twins, &fst.Options{Limit: 10000}), nil); {
		case err != nil:
			unlimited++
		case small.NumStates() != 2:
			wide++
		}
		if copied := copies(t, d.ring, draw); must(fst.Minimize(copied, nil))(t).NumStates() != 2 {
			large++
		}
	}
	if unequal+unlimited+wide+large > 0 {
		t.Errorf("of 3000: %d not equivalent to what was pushed, %d determinized without end, %d to more than 2 states, %d minimized to more than 2",
			unequal, unlimited, wide, large)
	}
}

// twinsOf returns a machine of twins: two states after a first arc, whose loops weigh the
// same. Determinized, they are one.
func twinsOf[W any](t *testing.T, ring semiring.Semiring[W], draw func() W) *fst.FST[W] {
	b := fst.NewBuilder(ring)
	start, left, right := b.AddState(), b.AddState(), b.AddState()
	b.AddStart(start, ring.One())
	loop, another := draw(), draw()
	for _, s := range []int32{left, right} {
		b.AddArc(start, fst.Arc[W]{In: 1, Out: 1, Weight: draw(), To: s})
		b.AddArc(s, fst.Arc[W]{In: 2, Out: 2, Weight: loop, To: s})
		b.AddArc(s, fst.Arc[W]{In: 3, Out: 3, Weight: another, To: s})
		b.SetFinal(s, draw())
	}
	return must(b.Freeze())(t)
}

// copies returns a deterministic machine of three states of which the last two are the same
// after pushing: weights of one are divided by a factor, which arcs to it have instead.
func copies[W any](t *testing.T, ring semiring.Semiring[W], draw func() W) *fst.FST[W] {
	b := fst.NewBuilder(ring)
	start, left, right := b.AddState(), b.AddState(), b.AddState()
	b.AddStart(start, ring.One())
	factor, loop, final := draw(), draw(), draw()
	b.AddArc(start, fst.Arc[W]{In: 1, Out: 1, Weight: draw(), To: left})
	b.AddArc(start, fst.Arc[W]{In: 2, Out: 2, Weight: draw(), To: right})
	b.AddArc(left, fst.Arc[W]{In: 1, Out: 1, Weight: loop, To: left})
	b.AddArc(right, fst.Arc[W]{In: 1, Out: 1, Weight: loop, To: right})
	b.SetFinal(left, final)
	b.SetFinal(right, ring.Times(factor, final))
	return must(b.Freeze())(t)
}
