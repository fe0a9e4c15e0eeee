package fst_test

import (
	"errors"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// The relation stays, and paths go in step as long as they read and write.
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

// The labels that states are ahead count towards the limit: where they become more from
// state to state, memory would otherwise be the square of it.
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
