package pairgram

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
)

// TestAlignment compares the best way to cut a pair, and the posteriors, with all ways.
func TestAlignment(t *testing.T) {
	uncut := 0
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 26))
		pairs := randomPairs(rng, 5, 4)
		a := newTestAligner(t, pairs, &AlignerOptions{Sizes: inventories[seed%4], LengthPrior: float64(seed % 3)})
		a.Theta = a.Params.Random(rng)
		if k := rng.IntN(len(a.Theta)); a.Theta[k] < 1 {
			rest := 1 - a.Theta[k]
			a.Theta[k] = 0
			floats.Scale(1/rest, a.Theta)
		}
		for i := range pairs {
			p := pairs[i]
			best, total := 0.0, 0.0
			grid := make([]float64, len(p.Source)*len(p.Target))
			cuts(a.chunks, p.Source, p.Target, func(chunks []int32) {
				probability := 1.0
				for _, n := range chunks {
					probability *= a.Theta[n-1] * a.prior[n-1]
				}
				best, total = max(best, probability), total+probability
				row, column := 0, 0
				for _, n := range chunks {
					c := a.chunks.chunk(n)
					for k := range c.Source {
						for l := range c.Target {
							grid[(row+k)*len(p.Target)+column+l] += probability
						}
					}
					row, column = row+len(c.Source), column+len(c.Target)
				}
			})
			chunks, logProb, err := a.Best(p)
			posteriors, other := a.Posteriors(p)
			if total == 0 {
				uncut++
				if !errors.Is(err, em.ErrUnderivable) || !errors.Is(other, em.ErrUnderivable) {
					t.Fatalf("seed %d: no way to cut: errors %v and %v", seed, err, other)
				}
				continue
			}
			if err != nil || other != nil {
				t.Fatal(err, other)
			}
			if math.Abs(logProb-math.Log(best)) > 1e-12*math.Abs(logProb) {
				t.Errorf("seed %d: ln probability %g, want %g", seed, logProb, math.Log(best))
			}
			again := 0.0
			var x, y []int32
			for _, c := range chunks {
				n := a.chunks.number.get(a.chunks.source.addString(c.Source), a.chunks.target.addString(c.Target))
				again += math.Log(a.Theta[n-1] * a.prior[n-1])
				x, y = append(x, c.Source...), append(y, c.Target...)
			}
			if string(x) != string(p.Source) || string(y) != string(p.Target) || math.Abs(again-logProb) > 1e-12*math.Abs(logProb) {
				t.Errorf("seed %d: chunks %v of %v and %v", seed, chunks, p.Source, p.Target)
			}
			for k, want := range grid {
				if got := posteriors.At(k/len(p.Target), k%len(p.Target)); math.Abs(got-want/total) > 1e-12 {
					t.Errorf("seed %d: posterior %d is %g, want %g", seed, k, got, want/total)
				}
			}
		}
	}
	if uncut == 0 {
		t.Error("all pairs can be cut")
	}
}

// TestAlignmentErrors: symbols and parameters that make no sense.
func TestAlignmentErrors(t *testing.T) {
	pairs := []Pair{{Source: []int32{1}, Target: []int32{1}}}
	a := newTestAligner(t, pairs, nil)
	if _, _, err := a.Best(Pair{Source: []int32{0}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("symbol 0: error %v", err)
	}
	a.Theta[0] = math.NaN()
	if _, err := a.Posteriors(pairs[0]); !errors.Is(err, em.ErrParameter) {
		t.Errorf("NaN: error %v", err)
	}
	names := fst.NewSymbols("a")
	if text, err := (Chunk{Target: []int32{1}}).Text(names, names); err != nil || text != "_}a" {
		t.Errorf("text %q, error %v", text, err)
	}
	if _, err := (Chunk{Source: []int32{2}}).Text(names, names); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("a symbol without a name: error %v", err)
	}
}
