package modeltest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

func TestSound(t *testing.T) { Check(t, sound()) }

// changed is a likelihood that returns changed expectations.
type changed struct {
	likelihood
	change func(q em.Query, e *em.Expectations)
}

func (l changed) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	e, err := l.likelihood.Expect(ctx, q)
	if err == nil {
		l.change(q, e)
	}
	return e, err
}

// expecting changes the E steps of a model.
func expecting(change func(q em.Query, e *em.Expectations)) func(m *Model[*coins, side]) {
	return func(m *Model[*coins, side]) {
		make := m.Likelihood
		m.Likelihood = func(c *coins, data []side, policy em.Policy) (em.Likelihood, error) {
			l, err := make(c, data, policy)
			return changed{l.(likelihood), change}, err
		}
	}
}

// fitting changes the training of a model.
func fitting(change func(c *coins, opts *em.Options, r *em.Result, err error) (*em.Result, error)) func(m *Model[*coins, side]) {
	return func(m *Model[*coins, side]) {
		fit := m.Fit
		m.Fit = func(ctx context.Context, c *coins, data []side, opts *em.Options) (*em.Result, error) {
			r, err := fit(ctx, c, data, opts)
			return change(c, opts, r, err)
		}
	}
}

// TestBroken: the check named after a fault of a model finds it.
func TestBroken(t *testing.T) {
	var calls atomic.Int64
	found := map[string]bool{}
	for _, f := range []struct {
		name, check string
		spoil       func(m *Model[*coins, side])
	}{
		{"a wrong probability", "Total", func(m *Model[*coins, side]) {
			m.LogProb = func(c *coins, x side) (float64, error) {
				_, log := c.posterior(x.shown, 1+1e-7, false)
				return log, nil
			}
		}},
		{"a wrong posterior", "Posterior", func(m *Model[*coins, side]) {
			m.Posteriors = func(c *coins, x side) ([]float64, error) {
				p, log := c.posterior(x.shown, 1+1e-7, false)
				return p[:], possible(log)
			}
		}},
		{"posteriors that are missing", "Posterior", func(m *Model[*coins, side]) {
			m.Posteriors = func(*coins, side) ([]float64, error) { return nil, nil }
		}},
		{"the best but one", "Maximum", func(m *Model[*coins, side]) {
			best := m.Best
			m.Best = func(c *coins, x side) ([]int, float64, error) {
				list, log, err := best(c, x)
				return []int{1 - list[0]}, log, err
			}
		}},
		{"a wrong probability of the best", "Maximum", func(m *Model[*coins, side]) {
			best := m.Best
			m.Best = func(c *coins, x side) ([]int, float64, error) {
				list, log, err := best(c, x)
				return list, log + 1e-6, err
			}
		}},
		{"samples of the prior", "Frequencies", func(m *Model[*coins, side]) {
			m.Sample = func(c *coins, _ side, src rand.Source) ([]int, error) {
				if rand.New(src).Float64() < c.theta[0] {
					return []int{0}, nil
				}
				return []int{1}, nil
			}
		}},
		{"posteriors of nothing", "Zero", func(m *Model[*coins, side]) {
			m.Posteriors = func(*coins, side) ([]float64, error) { return []float64{.5, .5}, nil }
		}},
		{"the best of nothing", "Zero", func(m *Model[*coins, side]) {
			m.Best = func(*coins, side) ([]int, float64, error) { return []int{0}, 0, nil }
		}},
		{"answers that depend on the calls before", "Goroutines", func(m *Model[*coins, side]) {
			m.LogProb = func(*coins, side) (float64, error) { return -float64(calls.Add(1)), nil }
		}},
		{"another log likelihood", "Objective", expecting(func(_ em.Query, e *em.Expectations) { e.LogLikelihood++ })},
		{"a wrong count", "Differences", expecting(func(_ em.Query, e *em.Expectations) { e.Counts[3] += 1e-4 })},
		{"counts that are off by a constant", "Differences", expecting(func(_ em.Query, e *em.Expectations) {
			e.Counts[0] += 1e-4
			e.Counts[1] += 1e-4
		})},
		{"counts of another temperature", "Temperature", expecting(func(q em.Query, e *em.Expectations) {
			for i := range e.Counts {
				e.Counts[i] *= 1 + .01*(q.Temperature-1)
			}
		})},
		{"a wrong derivative", "Curvature", expecting(func(_ em.Query, e *em.Expectations) {
			if e.Curvature != nil {
				e.Curvature[0] *= 1.001
			}
		})},
		{"other counts with a tangent", "Curvature", expecting(func(q em.Query, e *em.Expectations) {
			if q.Tangent != nil {
				e.Counts[0] *= 1.001
			}
		})},
		{"counts that replace", "Query", expecting(func(_ em.Query, e *em.Expectations) { e.Counts = slices.Clone(e.Counts) })},
		{"best paths of other bits", "Viterbi", expecting(func(q em.Query, e *em.Expectations) {
			if q.EStep == em.Viterbi {
				e.LogLikelihood += float64(calls.Add(1))
			}
		})},
		{"all paths for the best", "BestPaths", expecting(func(q em.Query, e *em.Expectations) { e.LogLikelihood += 1e-3 })},
		{"an example of weight 0", "WeightZero", func(m *Model[*coins, side]) {
			m.Weigh = func(x side, weight float64) side { return side{x.shown, max(weight, 1e-300)} }
		}},
		{"weights that are not checked", "WeightZero", func(m *Model[*coins, side]) {
			m.Likelihood = func(c *coins, data []side, policy em.Policy) (em.Likelihood, error) {
				return likelihood{c, data, policy}, nil
			}
		}},
		{"another number of a skipped example", "Skipped", expecting(func(_ em.Query, e *em.Expectations) {
			for i := range e.Skipped {
				e.Skipped[i].Index++
			}
		})},
		{"an impossible example that is not reported", "Skipped", expecting(func(_ em.Query, e *em.Expectations) { e.Skipped = nil })},
		{"an impossible example that is skipped in silence", "Underivable", func(m *Model[*coins, side]) {
			make := m.Likelihood
			m.Likelihood = func(c *coins, data []side, _ em.Policy) (em.Likelihood, error) { return make(c, data, em.Skip) }
		}},
		{"results that depend on the workers", "Workers", fitting(func(c *coins, opts *em.Options, r *em.Result, err error) (*em.Result, error) {
			r.Objective[0] += float64(opts.Workers)
			return r, err
		})},
		{"a result that is not left", "Workers", fitting(func(c *coins, _ *em.Options, r *em.Result, err error) (*em.Result, error) {
			c.theta = slices.Clone(c.theta)
			c.theta[0]++
			return r, err
		})},
		{"an objective that falls", "Workers", fitting(func(_ *coins, _ *em.Options, r *em.Result, err error) (*em.Result, error) {
			slices.Reverse(r.Objective)
			return r, err
		})},
		{"a checkpoint that is not read", "Resume", func(m *Model[*coins, side]) {
			fit := m.Fit
			m.Fit = func(ctx context.Context, c *coins, data []side, opts *em.Options) (*em.Result, error) {
				o := *opts
				o.Checkpoint = ""
				return fit(ctx, c, data, &o)
			}
		}},
		{"a run that is not canceled", "Canceled", func(m *Model[*coins, side]) {
			fit := m.Fit
			m.Fit = func(_ context.Context, c *coins, data []side, opts *em.Options) (*em.Result, error) {
				return fit(context.Background(), c, data, opts)
			}
		}},
		{"a canceled run without a result", "Canceled", fitting(func(_ *coins, _ *em.Options, r *em.Result, err error) (*em.Result, error) {
			if err != nil {
				return nil, err
			}
			return r, nil
		})},
		{"a nil context that is taken", "NilContext", func(m *Model[*coins, side]) {
			m.Fit = func(context.Context, *coins, []side, *em.Options) (*em.Result, error) { return nil, errToy }
		}},
		{"a file without a digit", "RoundTrip", func(m *Model[*coins, side]) {
			load := m.Load
			m.Load = func(r io.Reader) (*coins, error) {
				c, err := load(r)
				if err == nil {
					c.theta[0] = float64(float32(c.theta[0]))
				}
				return c, err
			}
		}},
		{"a file whose end is not missed", "Truncated", func(m *Model[*coins, side]) {
			m.Load = func(io.Reader) (*coins, error) { return sound().New(rand.New(rand.NewPCG(1, 1))), nil }
		}},
		{"an error without ErrFormat", "Truncated", func(m *Model[*coins, side]) {
			m.Load = func(io.Reader) (*coins, error) { return nil, errToy }
		}},
		{"a bad format that is said twice", "Truncated", func(m *Model[*coins, side]) {
			load := m.Load
			m.Load = func(r io.Reader) (*coins, error) {
				c, err := load(r)
				if err != nil {
					err = errors.Join(err, err)
				}
				return c, err
			}
		}},
		{"a file with other numbers", "Damaged", func(m *Model[*coins, side]) {
			load := m.Load
			m.Load = func(r io.Reader) (*coins, error) {
				text, _ := io.ReadAll(r)
				_, err := load(bytes.NewReader(text))
				if err != nil && !strings.Contains(err.Error(), "bad parameter") {
					return nil, err
				}
				return &coins{theta: slices.Repeat([]float64{2}, 8)}, nil
			}
		}},
		{"fields with other numbers", "ChangedFields", func(m *Model[*coins, side]) {
			load := m.Load
			m.Load = func(r io.Reader) (*coins, error) {
				text, _ := io.ReadAll(r)
				_, err := load(bytes.NewReader(text))
				if err != nil && !strings.Contains(err.Error(), "bad parameter") {
					return nil, err
				}
				return &coins{theta: slices.Repeat([]float64{2}, 8)}, nil
			}
		}},
		{"fields that are all refused", "ChangedFields", func(m *Model[*coins, side]) {
			m.Load = func(io.Reader) (*coins, error) { return nil, nested.ErrFormat }
		}},
	} {
		m := sound()
		f.spoil(&m)
		found[f.check] = true
		failed := false
		for _, c := range checks[*coins, side]() {
			if c.name == f.check {
				failed = c.all(&m, t) != nil
			}
		}
		if !failed {
			t.Errorf("%s is not found by %s", f.name, f.check)
		}
	}
	for _, c := range checks[*coins, side]() {
		if !found[c.name] {
			t.Errorf("no fault is tried for %s", c.name)
		}
	}
}

// TestLacks: a missing part of a model needs a reason, and a reason needs a missing part.
func TestLacks(t *testing.T) {
	m := sound()
	m.Sample, m.Impossible = nil, nil
	m.Lacks = map[string]string{"Impossible": "", "Best": "too hard", "Colour": "none"}
	var all []string
	for _, err := range m.unsaid() {
		all = append(all, err.Error())
	}
	slices.Sort(all)
	want := []string{
		`Best, for which Lacks has "too hard", is unknown or not lacking`,
		`Colour, for which Lacks has "none", is unknown or not lacking`,
		`Impossible, for which Lacks has "", is unknown or not lacking`,
		"Sample is nil, and Lacks has no reason",
	}
	if !slices.Equal(all, want) {
		t.Errorf("%q, want %q", all, want)
	}
}
