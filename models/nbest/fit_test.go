package nbest_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/nbest"
)

// tables is a model with another table for each source.
type tables map[int32]table

func (m tables) Best(ctx context.Context, x []int32, n int) ([]nbest.Candidate, error) {
	of, ok := m[x[0]]
	if !ok {
		return nil, nbest.ErrUnknown
	}
	return of.Best(ctx, []int32{1}, n)
}

func (m tables) LogProb(x, y []int32) (float64, error) {
	of, ok := m[x[0]]
	if !ok {
		return 0, nbest.ErrUnknown
	}
	return of.LogProb(nil, y)
}

func randomTables(rng *rand.Rand, sources, targets int32) tables {
	m := tables{}
	for x := range sources {
		m[x] = table{}
		for y := range targets {
			m[x][y] = math.Exp(2 * rng.NormFloat64())
		}
	}
	return m
}

func absolute(a, b []int32) (float64, error) { return math.Abs(float64(a[0]-b[0])) / 3, nil }

// TestFit: at the trained weights the objective, worked out by hand, has no slope, and no
// weights nearby are better; likelihood finds the weights that made the data.
func TestFit(t *testing.T) {
	for seed := range trials.Seeds(3) {
		rng := rand.New(rand.NewPCG(seed, 9))
		const sources, targets = 200, 5
		a, b := randomTables(rng, sources, targets), randomTables(rng, sources, targets)
		delete(b, 0) // one factor has no say
		truth := []float64{.4 + rng.Float64(), .4 + rng.Float64()}
		probabilities := func(x int32, w []float64) (p [targets]float64) {
			sum := 0.0
			for y := range p {
				p[y] = math.Pow(a[x][int32(y)], w[0])
				if of, ok := b[x]; ok {
					p[y] *= math.Pow(of[int32(y)], w[1])
				}
				sum += p[y]
			}
			for y := range p {
				p[y] /= sum
			}
			return p
		}
		var data []nbest.Example
		for x := range int32(sources) {
			y, u := int32(0), rng.Float64()
			for p := probabilities(x, truth); y < targets-1 && u > p[y]; y++ {
				u -= p[y]
			}
			d := nbest.Example{Source: []int32{x}, Targets: [][]int32{{y}}}
			if rng.IntN(5) == 0 {
				d.Targets = append(d.Targets, []int32{(y + 1) % targets})
			}
			data = append(data, d)
		}
		// unknown to both
		data = append(data, nbest.Example{Source: []int32{sources}, Targets: [][]int32{{0}}})
		for name, o := range map[string]nbest.FitOptions{"likelihood": {}, "risk": {Loss: absolute}, "prior": {Sigma: .1}} {
			objective := func(w []float64) float64 {
				sum := 0.0
				for _, d := range data[:sources] {
					p, right := probabilities(d.Source[0], w), 0.0
					for y, q := range p {
						least, is := math.Inf(1), false
						for _, z := range d.Targets {
							loss, _ := absolute([]int32{int32(y)}, z)
							least, is = min(least, loss), is || z[0] == int32(y)
						}
						if o.Loss != nil {
							sum -= q * least
						} else if is {
							right += q
						}
					}
					if o.Loss == nil {
						sum += math.Log(right)
					}
				}
				for _, x := range w {
					if o.Sigma > 0 {
						sum -= (x - 1) * (x - 1) / (2 * o.Sigma * o.Sigma)
					}
				}
				return sum
			}
			p, err := nbest.NewProduct(nbest.Factor{a, 1}, nbest.Factor{b, 1})
			if err != nil {
				t.Fatal(err)
			}
			o.Training = &em.Options{Tolerance: 1e-12, Iterations: 500}
			r, err := p.Fit(t.Context(), data, &o)
			if err != nil {
				t.Fatal(err)
			}
			w := p.Weights()
			value := objective(w)
			if got := r.Objective; o.Sigma == 0 && math.Abs(r.LogLikelihood-value) > 1e-9*math.Abs(value) || math.IsNaN(got[len(got)-1]) {
				t.Errorf("seed %d, %s: %.12g, want %.12g", seed, name, r.LogLikelihood, value)
			}
			for range 30 {
				near := []float64{w[0] + .02*rng.NormFloat64(), w[1] + .02*rng.NormFloat64()}
				if better := objective(near); better > value+1e-7 {
					t.Errorf("seed %d, %s: %g at %v, but %g at %v", seed, name, value, w, better, near)
				}
			}
			if name == "likelihood" && (math.Abs(w[0]-truth[0]) > .5 || math.Abs(w[1]-truth[1]) > .5) {
				t.Errorf("seed %d: weights %v, the data are from %v", seed, w, truth)
			}
		}
	}
}

// TestNegativeWeight: probability 0 to a negative power is not a score.
func TestNegativeWeight(t *testing.T) {
	p, err := nbest.NewProduct(nbest.Factor{table{1: .5, 2: .3, 3: .2}, 1}, nbest.Factor{table{1: 1}, -1})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.LogProb([]int32{1}, []int32{2}); err != nil || !math.IsInf(got, -1) {
		t.Errorf("it scores %g (%v)", got, err)
	}
}

// Two models that both know something: how much each should count is learnt from sources
// whose targets are known, by likelihood and then, from there, by risk.
func ExampleProduct_Fit() {
	sound := tables{1: {1: .6, 2: .4}, 2: {1: .4, 2: .6}, 3: {1: .5, 2: .5}, 4: {1: .7, 2: .3}}
	habit := tables{1: {1: .5, 2: .5}, 2: {1: .9, 2: .1}, 3: {1: .9, 2: .1}, 4: {1: .1, 2: .9}}
	product, err := nbest.NewProduct(nbest.Factor{sound, 1}, nbest.Factor{habit, 1})
	if err != nil {
		log.Fatal(err)
	}
	var data []nbest.Example
	for x, y := range []int32{1, 2, 1, 2} { // habit is wrong about the second
		data = append(data, nbest.Example{Source: []int32{int32(x + 1)}, Targets: [][]int32{{y}}})
	}
	for _, o := range []nbest.FitOptions{{Sigma: 1}, {Sigma: 1, Loss: absolute}} {
		if _, err := product.Fit(context.Background(), data, &o); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f\n", product.Weights())
	}
	// Output:
	// [1.13 0.66]
	// [1.12 0.78]
}
