package pairgram_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

// covers calls visit with each sequence of up to most chunks whose sides are, one behind the
// other, s.
func covers(chunks []pairgram.Chunk, side func(pairgram.Chunk) []int32, s []int32, most int, numbers []int32, visit func([]int32)) {
	if len(s) == 0 {
		visit(numbers)
	}
	if most == 0 {
		return
	}
	for i, c := range chunks {
		if own := side(c); len(own) <= len(s) && slices.Equal(own, s[:len(own)]) {
			covers(chunks, side, s[len(own):], most-1, append(slices.Clip(numbers), int32(i+1)), visit)
		}
	}
}

// TestSides: the transducer of a side writes all sequences of chunks that spell a string on that
// side, each once with weight 1, and nothing else.
func TestSides(t *testing.T) {
	const most = 4 // chunks in a sequence
	found := 0
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 21))
		sizes := []pairgram.Size{{Source: 1, Target: 1}, {Source: 2, Target: 1}, {Source: 1, Target: 3}, {Source: 1, Target: 0}, {Source: 0, Target: 1}, {Source: 2, Target: 2}}
		rng.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
		word := func(n int) []int32 {
			s := make([]int32, n)
			for i := range s {
				s[i] = 1 + rng.Int32N(2)
			}
			return s
		}
		pairs := []pairgram.Pair{{Source: word(2), Target: word(3)}, {Source: word(3), Target: word(2)}}
		a, err := pairgram.NewAligner(pairs, &pairgram.AlignerOptions{Sizes: sizes[:1+rng.IntN(len(sizes))]})
		if err != nil {
			continue // none of the sizes fits
		}
		chunks := a.Chunks()
		for name, side := range map[string]struct {
			machine *fst.FST[float64]
			of      func(pairgram.Chunk) []int32
		}{
			"sources": {chunks.Sources(), func(c pairgram.Chunk) []int32 { return c.Source }},
			"targets": {chunks.Targets(), func(c pairgram.Chunk) []int32 { return c.Target }},
		} {
			for n := range 4 {
				s := word(n)
				want := map[string]float64{}
				covers(chunks.All(), side.of, s, most, nil, func(numbers []int32) { want[fmt.Sprint(numbers)]++ })
				// All sequences of up to most numbers, to compare: those that the string has.
				any := fst.NewBuilder(semiring.Real{})
				any.AddStates(most + 1)
				any.AddStart(0, 1)
				for i := range int32(most + 1) {
					any.SetFinal(i, 1)
					for number := range int32(chunks.Len()) {
						if i < most {
							any.AddArc(i, fst.Arc[float64]{In: number + 1, Out: number + 1, To: i + 1, Weight: 1})
						}
					}
				}
				bounded, err := any.Freeze()
				if err != nil {
					t.Fatal(err)
				}
				f, err := fst.Connect(fst.Compose(fst.Compose(fst.FromString(semiring.Real{}, s), side.machine), bounded), nil)
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]float64{}
				for path := range f.Paths() {
					got[fmt.Sprint(path.Out)] += path.Weight
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("seed %d: %s: of %v %v, want %v", seed, name, s, got, want)
				}
				found += len(want)
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d sequences: too few", found)
	}
}
