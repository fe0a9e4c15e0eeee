package hmm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/hmm"
)

// chain is a model with all that an oracle wants to know of it.
type chain[O any] struct {
	*hmm.Model[O]
	*hmm.Predictor[O]
	table table[O]
}

// seen is a sequence. A blank one is of the model's symbols, which are hidden, too.
type seen[O any] struct {
	hmm.Sequence[O]
	blank []O
}

// promises are the promises of models with observations of type O.
func promises[O any]() modeltest.Model[*chain[O], seen[O]] {
	return modeltest.Model[*chain[O], seen[O]]{
		Enumerate: func(c *chain[O], x seen[O]) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) { c.table.list(x, yield) }
		},
		LogProb: func(c *chain[O], x seen[O]) (float64, error) { return c.LogProb(x.Sequence) },
		Posteriors: func(c *chain[O], x seen[O]) ([]float64, error) {
			rows, err := c.Posteriors(x.Sequence)
			return slices.Concat(rows...), err
		},
		Best: func(c *chain[O], x seen[O]) ([]int, float64, error) {
			path, log, err := c.Best(x.Sequence)
			return c.table.numbers(path), log, err
		},
		Likelihood: func(c *chain[O], data []seen[O], policy em.Policy) (em.Likelihood, error) {
			return c.Likelihood(sequences(data), policy)
		},
		Fit: func(ctx context.Context, c *chain[O], data []seen[O], opts *em.Options) (*em.Result, error) {
			return c.Fit(ctx, sequences(data), opts)
		},
		Theta: func(c *chain[O]) []float64 { return c.Theta },
		Weigh: func(x seen[O], weight float64) seen[O] {
			x.Weight = em.Times(weight)
			return x
		},
		Save:   func(c *chain[O], w io.Writer) error { return c.Save(w) },
		Others: others[O],
		Lacks:  map[string]string{"Curvature": "E steps over sequences have no second derivatives"},
	}
}

// others checks filtered probabilities, a sample and the stationary distribution.
func others[O any](c *chain[O], x seen[O]) error {
	rows, err := c.Filter(x.Sequence)
	if err != nil && !errors.Is(err, em.ErrUnderivable) && !errors.Is(err, em.ErrInvalid) {
		return err
	}
	if _, err := c.Sample(9, rand.NewPCG(1, 1)); err != nil && !errors.Is(err, hmm.ErrInvalid) {
		return err
	}
	shares, err := c.Stationary()
	if err != nil && !errors.Is(err, hmm.ErrReducible) && !errors.Is(err, hmm.ErrInvalid) {
		return err
	}
	if shares != nil {
		rows = append(rows, shares)
	}
	for _, row := range rows {
		if sum := floats.Sum(row); math.Abs(sum-1) > 1e-9 || slices.Min(row) < 0 {
			return fmt.Errorf("probabilities %v that sum to %.17g", row, sum)
		}
	}
	return nil
}

func sequences[O any](data []seen[O]) []hmm.Sequence[O] {
	all := make([]hmm.Sequence[O], len(data))
	for i, x := range data {
		all[i] = x.Sequence
	}
	return all
}

// numbers returns the numbers of the states of a path: t·states + i for state i at t.
func (w table[O]) numbers(path []int32) []int {
	list := make([]int, len(path))
	for t, i := range path {
		list[t] = t*w.top.States + int(i)
	}
	return list
}

// list yields the states of x, and for a blank one the numbers of the symbols after them.
func (w table[O]) list(x seen[O], yield func([]int, float64) bool) {
	if x.blank == nil {
		w.enumerate(x.Sequence, func(path []int32, p float64) { yield(w.numbers(path), p) })
		return
	}
	symbols := make([]int, len(x.Observations))
	for {
		x.Observations = make([]O, len(symbols))
		for t, k := range symbols {
			x.Observations[t] = x.blank[k]
		}
		w.enumerate(x.Sequence, func(path []int32, p float64) { yield(append(w.numbers(path), symbols...), p) })
		t := 0
		for ; t < len(symbols); t++ {
			if symbols[t]++; symbols[t] < len(x.blank) {
				break
			}
			symbols[t] = 0
		}
		if t == len(symbols) {
			return
		}
	}
}

// possible draws until a sequence has a probability.
func possible[O any](c *chain[O], draw func() seen[O]) seen[O] {
	for {
		x, sum := draw(), 0.0
		c.table.list(x, func(_ []int, p float64) bool { sum += p; return true })
		if sum > 0 {
			return x
		}
	}
}

// never is a symbol of probability 0 in every state.
const never = 3

func TestPromises(t *testing.T) {
	m := promises[int32]()
	m.Seeds = 200
	m.New = func(rng *rand.Rand) *chain[int32] { return randomChain(t, rng, 1+rng.IntN(3), never) }
	m.Example = func(rng *rand.Rand, c *chain[int32]) seen[int32] {
		return seen[int32]{Sequence: randomSequence(rng, 1+rng.IntN(4), c.table.top.States, never)}
	}
	m.Data = func(rng *rand.Rand, c *chain[int32]) seen[int32] {
		return possible(c, func() seen[int32] { return m.Example(rng, c) })
	}
	m.Impossible = func(rng *rand.Rand, c *chain[int32]) seen[int32] {
		x := m.Example(rng, c)
		x.Observations[rng.IntN(len(x.Observations))] = never
		return x
	}
	m.Blank = func(rng *rand.Rand, c *chain[int32]) seen[int32] {
		return possible(c, func() seen[int32] {
			n := 1 + rng.IntN(3)
			return seen[int32]{Sequence: hmm.Sequence[int32]{Observations: make([]int32, n)}, blank: []int32{0, 1, 2, never}}
		})
	}
	// A model that ends by itself is sampled until the length equals the length of x.
	m.Sample = func(c *chain[int32], x seen[int32], src rand.Source) ([]int, error) {
		for {
			s, err := c.Sample(len(x.Observations), src)
			if err != nil && c.table.top.Ends == nil {
				return nil, err
			}
			if err != nil || len(s.Observations) != len(x.Observations) {
				continue
			}
			list := c.table.numbers(s.States)
			for _, o := range s.Observations {
				list = append(list, int(o))
			}
			return list, nil
		}
	}
	m.Load = loader(hmm.Discretes())
	modeltest.Check(t, m)
}

// TestPromisesOfGaussian is TestPromises for vectors.
func TestPromisesOfGaussian(t *testing.T) {
	law := em.NewGaussian(2)
	law.Prior = em.GaussianPrior{Weight: .1, Degrees: 5, Scale: []float64{1, 2}}
	of := []int{0, 1, 0}
	checkVectors(t, hmm.Gaussians(), func(p *em.Params) (*hmm.Gaussian, func([]float64, int, []float64) float64) {
		e := must(hmm.NewGaussian(p, "g", of, law))
		return e, func(theta []float64, i int, x []float64) float64 {
			return bivariate(must(e.Density(theta, of[i])), x)
		}
	})
}

// TestPromisesOfTiedGaussian is TestPromisesOfGaussian for states that share a covariance, with a
// floor.
func TestPromisesOfTiedGaussian(t *testing.T) {
	law := em.NewGaussian(2)
	law.Prior = em.GaussianPrior{Weight: .1, Degrees: 5, Scale: []float64{1, 2}}
	law.Floor, law.Center, law.Scale = []float64{.3, .2}, []float64{1, 0}, []float64{1, 2}
	of := []int{1, 2, 0}
	checkVectors(t, hmm.Gaussians(), func(p *em.Params) (*hmm.Gaussian, func([]float64, int, []float64) float64) {
		e := must(hmm.NewTiedGaussian(p, "g", of, []int{0, 1, 0}, law))
		return e, func(theta []float64, i int, x []float64) float64 {
			return bivariate(must(e.Density(theta, of[i])), x)
		}
	})
}

// bivariate returns the density of a normal distribution of pairs of numbers at x, one of which may
// be missing.
func bivariate(d *em.Density, x []float64) float64 {
	c, density := d.Covariance(), 1.0
	bell := func(x, mean, variance float64) float64 {
		return math.Exp(-(x-mean)*(x-mean)/2/variance) / math.Sqrt(2*math.Pi*variance)
	}
	mean, variance := d.Mean()[1], c.At(1, 1)
	if !math.IsNaN(x[0]) { // the second given the first
		density = bell(x[0], d.Mean()[0], c.At(0, 0))
		mean += c.At(0, 1) / c.At(0, 0) * (x[0] - d.Mean()[0])
		variance -= c.At(0, 1) * c.At(0, 1) / c.At(0, 0)
	}
	if !math.IsNaN(x[1]) {
		density *= bell(x[1], mean, variance)
	}
	return density
}

// checkVectors checks the promises of models with an emission of pairs of numbers by three states.
// Some numbers are missing. make makes it, and returns what its densities should be.
func checkVectors[E hmm.Emission[[]float64]](t *testing.T, kind hmm.Kind[[]float64, E], make func(*em.Params) (E, func(theta []float64, i int, x []float64) float64)) {
	t.Helper()
	m := promises[[]float64]()
	m.Unbounded = true
	m.Lacks["Impossible"] = "a normal density is positive everywhere"
	m.Lacks["Sample"] = "vectors cannot be enumerated; TestGaussianRecovery has samples"
	m.New = func(rng *rand.Rand) *chain[[]float64] {
		p := em.NewParams()
		e, density := make(p)
		top := hmm.Topology{States: 3}
		model := must(hmm.New(p, top, em.Dirichlet{Alpha: 1.5}, e))
		model.Theta = p.Random(rng)
		c := must(loaded(model, top.States))
		c.table = tableOf(c.Model, top, func(i int, x []float64) float64 {
			if x == nil {
				return 1
			}
			return density(c.Theta, i, x)
		})
		return c
	}
	m.Example = func(rng *rand.Rand, _ *chain[[]float64]) seen[[]float64] {
		var x seen[[]float64]
		for _, o := range randomSequence(rng, 1+rng.IntN(4), 3, 3).Observations {
			x.Observations = append(x.Observations, nil)
			if o != hmm.Missing {
				x.Observations[len(x.Observations)-1] = []float64{2 * rng.NormFloat64(), rng.NormFloat64()}
				if k := rng.IntN(6); k < 2 {
					x.Observations[len(x.Observations)-1][k] = math.NaN()
				}
			}
		}
		return x
	}
	m.Load = loader(kind)
	modeltest.Check(t, m)
}

// loaded returns a model with the given number of states and its predictor, without data for an
// oracle.
func loaded[O any](m *hmm.Model[O], states int) (*chain[O], error) {
	p, err := m.Predictor()
	return &chain[O]{Model: m, Predictor: p, table: table[O]{top: hmm.Topology{States: states}}}, err
}

// loader returns a function that reads a model with emissions of a kind.
func loader[O any, E hmm.Emission[O]](kind hmm.Kind[O, E]) func(io.Reader) (*chain[O], error) {
	return func(r io.Reader) (*chain[O], error) {
		model, e, err := hmm.Load(r, kind)
		if err != nil {
			return nil, err
		}
		return loaded(model, e.States())
	}
}
