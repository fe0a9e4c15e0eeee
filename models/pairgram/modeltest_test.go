package pairgram

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
)

// cutProbability is the probability of a way to cut a pair into chunks.
func (a *Aligner) cutProbability(chunks []int32) float64 {
	p := 1.0
	for _, n := range chunks {
		p *= a.Theta[n-1] * a.chunks.chunk(n).Prior(a.lambda())
	}
	return p
}

// lambda is the length prior of a random aligner, by its first chunk with one.
func (a *Aligner) lambda() float64 {
	for n, c := range a.chunks.All() {
		if cells := max(1, len(c.Source))*max(1, len(c.Target)) - 1; cells > 0 {
			return -math.Log(a.prior[n]) / float64(cells)
		}
	}
	return 0
}

// cells returns the numbers of the cells that chunks cover: 16·row + column.
func (a *Aligner) cells(chunks []int32) (list []int) {
	row, column := 0, 0
	for _, n := range chunks {
		c := a.chunks.chunk(n)
		for k := range c.Source {
			for l := range c.Target {
				list = append(list, 16*(row+k)+column+l)
			}
		}
		row, column = row+len(c.Source), column+len(c.Target)
	}
	return list
}

// best returns the cells of the best chunks. It is an error if these are no way to cut the pair, or
// have another probability.
func (a *Aligner) best(p Pair) ([]int, float64, error) {
	chunks, log, err := a.Best(p)
	if err != nil {
		return nil, 0, err
	}
	var x, y, numbers []int32
	for _, c := range chunks {
		numbers = append(numbers, a.chunks.number.get(a.chunks.source.addString(c.Source), a.chunks.target.addString(c.Target)))
		x, y = append(x, c.Source...), append(y, c.Target...)
	}
	if string(x) != string(p.Source) || string(y) != string(p.Target) || math.Abs(math.Log(a.cutProbability(numbers))-log) > 1e-9*(1+math.Abs(log)) {
		return nil, 0, fmt.Errorf("chunks %v of %v have ln probability %g, not %g", chunks, p, math.Log(a.cutProbability(numbers)), log)
	}
	return a.cells(numbers), log, nil
}

func (a *Aligner) posteriors(p Pair) ([]float64, error) {
	grid, err := a.Posteriors(p)
	if err != nil {
		return nil, err
	}
	list := make([]float64, 16*16)
	if len(p.Source) > 0 && len(p.Target) > 0 {
		for i := range p.Source {
			for j := range p.Target {
				list[16*i+j] = grid.At(i, j)
			}
		}
	}
	return list, nil
}

// weighted returns p with another weight.
func weighted(p Pair, weight float64) Pair {
	p.Weight = em.Times(weight)
	return p
}

// alone returns ln P of a pair, by an E step over it alone.
func alone(likelihood func([]Pair) (em.Excluder, error), theta []float64, p Pair) (float64, error) {
	l, err := likelihood([]Pair{weighted(p, 1)})
	if err != nil {
		return 0, err
	}
	e, err := l.Expect(context.Background(), em.Query{Theta: theta})
	if err != nil || len(e.Skipped) > 0 {
		return math.Inf(-1), err
	}
	return e.LogLikelihood, nil
}

// impossible returns a pair with a symbol that is in no chunk.
func impossible(rng *rand.Rand) Pair {
	p := randomPairs(rng, 1, 3)[0]
	p.Name, p.Source = "", append(p.Source, 9)
	return p
}

func TestPromisesOfAligner(t *testing.T) {
	m := modeltest.Model[*Aligner, Pair]{
		New: func(rng *rand.Rand) *Aligner {
			o := &AlignerOptions{Sizes: inventories[rng.IntN(4)], LengthPrior: float64(rng.IntN(3)) / 2}
			a := newTestAligner(t, randomPairs(rng, 5, 4), o)
			a.Theta = a.Params.Random(rng)
			return a
		},
		Example:    func(rng *rand.Rand, _ *Aligner) Pair { return randomPairs(rng, 2, 4)[0] },
		Impossible: func(rng *rand.Rand, _ *Aligner) Pair { return impossible(rng) },
		Enumerate: func(a *Aligner, p Pair) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) {
				cuts(a.chunks, p.Source, p.Target, func(chunks []int32) { yield(a.cells(chunks), a.cutProbability(chunks)) })
			}
		},
		LogProb:    func(a *Aligner, p Pair) (float64, error) { return alone(a.Likelihood, a.Theta, p) },
		Posteriors: (*Aligner).posteriors,
		Best:       (*Aligner).best,
		Likelihood: func(a *Aligner, pairs []Pair, _ em.Policy) (em.Likelihood, error) { return a.Likelihood(pairs) },
		Fit: func(ctx context.Context, a *Aligner, pairs []Pair, opts *em.Options) (*em.Result, error) {
			return a.Fit(ctx, pairs, opts)
		},
		Theta: func(a *Aligner) []float64 { return a.Theta },
		Weigh: weighted,
		Lacks: map[string]string{
			"Sample":      "an aligner cuts pairs and draws none",
			"Save":        "a Model is saved, which learns from an aligner",
			"Load":        "a Model is loaded, which learns from an aligner",
			"Underivable": "pairs that cannot be cut are always skipped",
		},
	}
	m.Data = func(rng *rand.Rand, a *Aligner) Pair {
		for {
			p := m.Example(rng, a)
			if _, _, err := a.Best(p); err == nil {
				p.Name = ""
				return p
			}
		}
	}
	modeltest.Check(t, m)
}

func TestPromisesOfClasses(t *testing.T) {
	const trained = "classes tell pairs apart, each of which a model of its own learns from"
	m := modeltest.Model[*Classes, Pair]{
		New: func(rng *rand.Rand) *Classes {
			o := &AlignerOptions{Sizes: inventories[rng.IntN(4)], LengthPrior: float64(rng.IntN(2))}
			c, err := newTestAligner(t, randomPairs(rng, 5, 3), o).Classes(1+rng.IntN(3), rng)
			if err != nil {
				t.Fatal(err)
			}
			c.Theta = c.Params.Random(rng)
			return c
		},
		Impossible: func(rng *rand.Rand, _ *Classes) Pair { return impossible(rng) },
		Enumerate: func(c *Classes, p Pair) iter.Seq2[[]int, float64] {
			a := c.aligner
			return func(yield func([]int, float64) bool) {
				for k := range c.Len() {
					chunk := c.Theta[c.Len()+k*a.chunks.Len():]
					cuts(a.chunks, p.Source, p.Target, func(chunks []int32) {
						w := c.Theta[k]
						for _, n := range chunks {
							w *= chunk[n-1] * a.prior[n-1]
						}
						yield([]int{k}, w)
					})
				}
			}
		},
		LogProb:    func(c *Classes, p Pair) (float64, error) { return alone(c.Likelihood, c.Theta, p) },
		Posteriors: func(c *Classes, p Pair) ([]float64, error) { return c.Posteriors(&p) },
		Likelihood: func(c *Classes, pairs []Pair, _ em.Policy) (em.Likelihood, error) { return c.Likelihood(pairs) },
		Fit: func(ctx context.Context, c *Classes, pairs []Pair, opts *em.Options) (*em.Result, error) {
			return c.Fit(ctx, pairs, opts)
		},
		Theta: func(c *Classes) []float64 { return c.Theta },
		Weigh: weighted,
		Lacks: map[string]string{
			"Best": trained, "Sample": trained, "Save": trained, "Load": trained,
			"Zero":        "a pair that cannot be cut has the probabilities of the classes alone",
			"Underivable": "pairs that cannot be cut are always skipped",
		},
	}
	m.Example = func(rng *rand.Rand, c *Classes) Pair {
		for {
			p := randomPairs(rng, 2, 3)[0]
			if log, err := alone(c.Likelihood, c.Theta, p); err == nil && !math.IsInf(log, -1) {
				p.Name = ""
				return p
			}
		}
	}
	modeltest.Check(t, m)
}

const (
	counted  = "a model is made of the counts of an aligner in one step"
	searched = "a search finds the best: TestPredictorFindsTheBest"
)

func TestPromises(t *testing.T) {
	modeltest.Check(t, modeltest.Model[*Predictor, Pair]{
		New: func(rng *rand.Rand) *Predictor {
			return newTestPredictor(t, randomModel(t, rng, inventories[rng.IntN(4)], rng.IntN(2) == 1), nil)
		},
		Example:    func(rng *rand.Rand, _ *Predictor) Pair { return randomPairs(rng, 2, 4)[0] },
		Impossible: func(rng *rand.Rand, _ *Predictor) Pair { return impossible(rng) },
		Enumerate: func(d *Predictor, p Pair) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) { yield(nil, probability(d.model, p.Source, p.Target)) }
		},
		LogProb: func(d *Predictor, p Pair) (float64, error) { return d.LogProb(p.Source, p.Target) },
		Save:    func(d *Predictor, w io.Writer) error { return d.model.Save(w) },
		Load: func(r io.Reader) (*Predictor, error) {
			m, err := Load(r)
			if err != nil {
				return nil, err
			}
			return m.Predictor(nil)
		},
		Others: func(d *Predictor, p Pair) error {
			if _, err := d.Best(context.Background(), p.Source, 3); err != nil {
				return err
			}
			return nil
		},
		Unbounded: true, // the numbers of a file need not be probabilities
		Lacks: map[string]string{
			"Posteriors": "the chunks of a pair are the aligner's", "Best": searched, "Sample": searched,
			"Likelihood": counted, "Fit": counted, "Theta": counted, "Weigh": counted,
		},
	})
}

func TestPromisesOfConditional(t *testing.T) {
	modeltest.Check(t, modeltest.Model[*Conditional, Pair]{
		New: func(rng *rand.Rand) *Conditional {
			c := randomConditional(t, rng, rng.Uint64())
			for range 5 {
				c.strengthen(t, rng, randomPairs(rng, 2, 4)[0].Source)
			}
			return c
		},
		Example:    func(rng *rand.Rand, _ *Conditional) Pair { return randomPairs(rng, 2, 3)[0] },
		Impossible: func(rng *rand.Rand, _ *Conditional) Pair { return Pair{Source: []int32{1}, Target: []int32{9}} },
		LogProb:    func(c *Conditional, p Pair) (float64, error) { return c.LogProb(p.Source, p.Target) },
		Save:       func(c *Conditional, w io.Writer) error { return c.Save(w) },
		Load:       LoadConditional,
		Others: func(c *Conditional, p Pair) error {
			_, err := c.Best(context.Background(), p.Source, 3)
			return err
		},
		Seeds: 20,
		Lacks: map[string]string{
			"Enumerate":  "the lattice of a search is not a set of strings: TestConditionalByEnumeration",
			"Posteriors": searched, "Best": searched, "Sample": searched,
			"Likelihood": "FitConditional makes its own lattices: TestConditionalGradient", "Theta": "as Likelihood", "Weigh": "as Likelihood",
			"Fit": "the data make the features: TestFitConditional",
		},
	})
}

// TestClassesOfNothing: a pair that cannot be cut has the probabilities of the classes.
func TestClassesOfNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 30))
	c, err := newTestAligner(t, randomPairs(rng, 5, 3), nil).Classes(3, rng)
	if err != nil {
		t.Fatal(err)
	}
	p := impossible(rng)
	if got, err := c.Posteriors(&p); err != nil || !slices.Equal(got, c.Probs()) {
		t.Errorf("%v (%v), want %v", got, err, c.Probs())
	}
}
