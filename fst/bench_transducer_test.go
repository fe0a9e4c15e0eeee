package fst_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/semiring"
)

// reversals is a dictionary of random words, from one start each, that writes them
// backwards: nothing of the output is certain before the last letter.
func reversals[W any](b *testing.B, ring semiring.Semiring[W], weight func(*rand.Rand) W) *fst.FST[W] {
	rng := rand.New(rand.NewPCG(1, 1))
	x := fst.NewBuilder(ring)
	end := x.AddState()
	x.SetFinal(end, ring.One())
	for range 5000 {
		word := make([]int32, 3+rng.IntN(8))
		for i := range word {
			word[i] = 1 + rng.Int32N(8)
		}
		s := x.AddState()
		x.AddStart(s, ring.One())
		back := slices.Clone(word)
		slices.Reverse(back)
		for i, label := range word {
			to := end
			if i < len(word)-1 {
				to = x.AddState()
			}
			x.AddArc(s, fst.Arc[W]{In: label, Out: back[i], Weight: weight(rng), To: to})
			s = to
		}
	}
	return must(x.Freeze())(b)
}

// BenchmarkTransducer brings a dictionary of 5,000 words with outputs into its least form.
func BenchmarkTransducer(b *testing.B) {
	b.Run("tropical", func(b *testing.B) {
		benchTransducer(b, reversals(b, costs, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(5)) }))
	})
	b.Run("scaled", func(b *testing.B) {
		benchTransducer(b, reversals(b, semiring.Scaled{}, func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(r.Float64()) }))
	})
}

func benchTransducer[W any](b *testing.B, f *fst.FST[W]) {
	d := must(fst.DeterminizeAll(f, nil))(b)
	b.Run("determinize", func(b *testing.B) {
		defer benchtime.Per(b, f.NumArcs(), "arc")()
		for b.Loop() {
			must(fst.Expand(fst.Determinize(f, nil), nil))(b)
		}
	})
	b.Run("determinizeAll", func(b *testing.B) {
		defer benchtime.Per(b, f.NumArcs(), "arc")()
		for b.Loop() {
			must(fst.DeterminizeAll(f, nil))(b)
		}
	})
	b.Run("pushLabels", func(b *testing.B) {
		defer benchtime.Per(b, d.NumArcs(), "arc")()
		for b.Loop() {
			must(fst.PushLabels(d, fst.TowardInitial, nil))(b)
		}
	})
}
