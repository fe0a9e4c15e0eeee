package align

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/trials"
)

// TestTinyJumps: the jumps from a position sum to 1, and are the quotients of the probabilities of
// their buckets, however small all of them are that a sentence has room for.
func TestTinyJumps(t *testing.T) {
	values := []float64{0, 1, .25, 1e-12, 1e-300, 3e-308, 1e-310, 4e-320}
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		j := jumps{reach: 1 + rng.IntN(3), hidden: 1, seen: 1}
		p := make([]float64, j.probabilities())
		for i := range p {
			p[i] = values[rng.IntN(len(values))]
		}
		at := j.at(p)
		n := 1 + rng.IntN(6)
		for from := -1; from < n; from++ {
			k := at.distribution(from, nil, 0)
			row := make([]float64, n)
			at.row(row, k, from, 1)
			// By definition, in numbers of any size.
			bucket, share := at.choices(p, k), make([]int, 2*j.reach+1)
			for i := range n {
				share[at.bucket(i-from)]++
			}
			z := new(big.Float)
			for b, positions := range share {
				if positions > 0 {
					z.Add(z, big.NewFloat(bucket[b]))
				}
			}
			sum := 0.0
			for i, got := range row {
				want := 1 / float64(n)
				if z.Sign() > 0 {
					q, _ := new(big.Float).Quo(big.NewFloat(bucket[at.bucket(i-from)]), z).Float64()
					want = q / float64(share[at.bucket(i-from)])
				}
				if sum += got; !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("seed %d: from %d to %d of %d: %g, want %g; buckets %v", seed, from, i, n, got, want, bucket)
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("seed %d: jumps from %d of %d sum to %g", seed, from, n, sum)
			}
		}
	}
}

// TestLongTraining: the buckets of jumps that hardly any sentence makes lose their probability over
// many iterations; sentences of one word, which have but one bucket, stay possible.
func TestLongTraining(t *testing.T) {
	for seed := range trials.Seeds(12) {
		rng := rand.New(rand.NewPCG(seed, 6))
		c := NewCorpus()
		for range 3 + rng.IntN(20) {
			var s Sentence
			for range 1 + rng.IntN(5) {
				k := rng.IntN(4)
				s.Source, s.Target = append(s.Source, string(rune('a'+k))), append(s.Target, string(rune('w'+k)))
			}
			if err := c.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		m, err := New(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, strength := range []float64{0, 1} {
			o := &FitOptions{Prior: Prior{Jumps: strength}, Stages: []Stage{{Positions: Model1, Iterations: 30}, {Positions: HMM, Iterations: 40}}}
			if _, err := m.Fit(t.Context(), c, o); err != nil {
				t.Fatalf("seed %d, %v: %v", seed, strength, err)
			}
			for _, x := range m.theta {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("seed %d, %v: a parameter is %g", seed, strength, x)
				}
			}
		}
	}
}
