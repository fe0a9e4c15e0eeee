package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// coins is a toy model: one of two hidden coins is drawn, and shows a side. Side 2 has
// probability 0.
type coins struct {
	params *em.Params
	theta  []float64 // of the coins, of the sides of the first, of the sides of the second
}

// side is an example.
type side struct {
	shown  int
	weight float64
}

const sides = 3

func newCoins(theta []float64) *coins {
	c := &coins{params: em.NewParams(), theta: theta}
	c.params.Group("coin", 2, em.Multinomial{})
	c.params.Group("first", sides, em.Multinomial{})
	c.params.Group("second", sides, em.Multinomial{})
	return c
}

// uses returns the parameters of a coin and a side.
func uses(coin, shown int) [2]int { return [2]int{coin, 2 + sides*coin + shown} }

func (c *coins) p(coin, shown int) float64 {
	u := uses(coin, shown)
	return c.theta[u[0]] * c.theta[u[1]]
}

// posterior returns the probability of each coin, 0 for impossible sides, and the log of the
// sum.
func (c *coins) posterior(shown int, beta float64, best bool) (p [2]float64, log float64) {
	for k := range p {
		p[k] = math.Pow(c.p(k, shown), beta)
	}
	if best {
		p[0], p[1] = max(p[0]-p[1], 0)/(p[0]-p[1])*p[0], max(p[1]-p[0], 0)/(p[1]-p[0])*p[1]
	}
	sum := p[0] + p[1]
	if !(sum > 0) {
		return [2]float64{}, math.Inf(-1)
	}
	return [2]float64{p[0] / sum, p[1] / sum}, math.Log(sum)
}

// likelihood is the likelihood of sides, one in each shard.
type likelihood struct {
	c      *coins
	data   []side
	policy em.Policy
}

func (l likelihood) Params() *em.Params { return l.c.params }

func (l likelihood) Shards() int { return len(l.data) }

func (l likelihood) Fingerprint(w io.Writer) { fmt.Fprint(w, l.data) }

func (l likelihood) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(l)
	if err != nil {
		return nil, err
	}
	c := &coins{theta: q.Theta}
	e := &em.Expectations{Counts: make([]float64, len(q.Theta))}
	if q.Tangent != nil {
		e.Curvature = make([]float64, len(q.Theta))
	}
	for i := q.Lo; i < q.Hi; i++ {
		x := l.data[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if x.weight == 0 {
			continue
		}
		e.Examples++
		p, log := c.posterior(x.shown, q.Temperature, q.EStep == em.Viterbi)
		if math.IsInf(log, -1) {
			if l.policy == em.Fail {
				return nil, fmt.Errorf("example %d: %w", i, em.ErrUnderivable)
			}
			e.Skipped = append(e.Skipped, em.Skipped{Index: i, Weight: x.weight})
			continue
		}
		e.LogLikelihood += x.weight * log
		l.count(e, q, p, x)
	}
	q.Deliver(e)
	return e, nil
}

// count adds the counts of x, and their derivative.
func (l likelihood) count(e *em.Expectations, q em.Query, p [2]float64, x side) {
	mean, along := 0.0, [2]float64{}
	for k, pk := range p {
		for _, u := range uses(k, x.shown) {
			e.Counts[u] += x.weight * pk
			if q.Tangent != nil {
				along[k] += q.Tangent[u]
			}
		}
		mean += pk * along[k]
	}
	for k, pk := range p {
		for _, u := range uses(k, x.shown) {
			if q.Tangent != nil {
				e.Curvature[u] += x.weight * q.Temperature * pk * (along[k] - mean)
			}
		}
	}
}

// sound is a model without faults.
func sound() Model[*coins, side] {
	m := Model[*coins, side]{
		New: func(rng *rand.Rand) *coins {
			c := newCoins(nil)
			c.theta = c.params.Random(rng)
			for k := range 2 {
				row := c.theta[2+sides*k:][:sides]
				row[0], row[1], row[2] = row[0]/(1-row[2]), row[1]/(1-row[2]), 0
			}
			return c
		},
		Example:    func(rng *rand.Rand, _ *coins) side { return side{rng.IntN(2), 1} },
		Impossible: func(*rand.Rand, *coins) side { return side{2, 1} },
		Enumerate: func(c *coins, x side) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) {
				_ = yield([]int{0}, c.p(0, x.shown)) && yield([]int{1}, c.p(1, x.shown))
			}
		},
		LogProb: func(c *coins, x side) (float64, error) {
			_, log := c.posterior(x.shown, 1, false)
			return log, nil
		},
		Posteriors: func(c *coins, x side) ([]float64, error) {
			p, log := c.posterior(x.shown, 1, false)
			return p[:], possible(log)
		},
		Best: func(c *coins, x side) ([]int, float64, error) {
			p, log := c.posterior(x.shown, 1, true)
			return []int{slices.Index(p[:], slices.Max(p[:]))}, log, possible(log)
		},
		Sample: func(c *coins, x side, src rand.Source) ([]int, error) {
			p, log := c.posterior(x.shown, 1, false)
			if rand.New(src).Float64() < p[0] {
				return []int{0}, possible(log)
			}
			return []int{1}, possible(log)
		},
		Likelihood: func(c *coins, data []side, policy em.Policy) (em.Likelihood, error) {
			err := em.CheckWeights(len(data), func(i int) em.Skipped { return em.Skipped{Index: i, Weight: data[i].weight} })
			return likelihood{c, data, policy}, err
		},
		Theta: func(c *coins) []float64 { return c.theta },
		Weigh: func(x side, weight float64) side { return side{x.shown, weight} },
		Save: func(c *coins, w io.Writer) error {
			return json.NewEncoder(w).Encode(c.theta)
		},
		Load: func(r io.Reader) (*coins, error) {
			var theta []float64
			text, _ := io.ReadAll(r)
			d := json.NewDecoder(bytes.NewReader(text))
			if err := d.Decode(&theta); err != nil {
				return nil, nested.Errorf("coins: %w: %w", nested.ErrFormat, err)
			}
			c := newCoins(theta)
			if err := c.params.Check(theta); err != nil {
				return nil, nested.Errorf("coins: %w: %w", nested.ErrFormat, err)
			}
			return c, nil
		},
	}
	m.Fields = func(c *coins) (any, func() ([]byte, error)) {
		content := struct{ Theta []float64 }{slices.Clone(c.theta)}
		return &content, func() ([]byte, error) {
			if slices.ContainsFunc(content.Theta, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
				return []byte("[]"), nil // not representable in JSON
			}
			return json.Marshal(content.Theta)
		}
	}
	m.Fit = func(ctx context.Context, c *coins, data []side, opts *em.Options) (*em.Result, error) {
		l, err := m.Likelihood(c, data, em.Fail)
		if err != nil {
			return nil, err
		}
		return em.FitFrom(ctx, l, &c.theta, opts)
	}
	return m
}

func possible(log float64) error {
	if math.IsInf(log, -1) {
		return em.ErrUnderivable
	}
	return nil
}

var errToy = errors.New("a fault")
