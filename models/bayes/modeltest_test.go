package bayes_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/semiring"
)

// net is a network, and the model that it has the numbers of.
type net struct {
	*bayes.Network
	model *bayes.Model
}

// weighted is a row and its weight.
type weighted struct {
	bayes.Row
	weight float64
}

// numbers returns a number for the state of each discrete variable of a row.
func (n *net) numbers(r bayes.Row) (list []int) {
	first := 0
	for v := range r {
		if n.Discrete(v) {
			list = append(list, first+int(r[v]))
			first += len(n.Variables()[v].States)
		}
	}
	return list
}

// posteriors returns the probabilities of all states. It is an error if they are others by name.
func (n *net) posteriors(r bayes.Row) (list []float64, err error) {
	p, err := n.Posteriors(r)
	if err != nil {
		return nil, err
	}
	for v, of := range n.Variables() {
		if !n.Discrete(v) {
			continue
		}
		for x, q := range p.States(v) {
			if got := p.P(of.Name, of.States[x]); got != q {
				err = fmt.Errorf("P(%s = %s) is %v by name, %v by number", of.Name, of.States[x], got, q)
			}
			list = append(list, q)
		}
	}
	return list, err
}

// best returns the most probable states. It is an error if a known cell is another one.
func (n *net) best(r bayes.Row) ([]int, float64, error) {
	full, log, err := n.Best(r)
	if err != nil {
		return nil, 0, err
	}
	for v, x := range r {
		if x == x && full[v] != x || full[v] != full[v] {
			return nil, 0, fmt.Errorf("%v is explained by %v", r, full)
		}
	}
	return n.numbers(full), log, nil
}

// dataOf returns rows as data. Forests are kept for some numbers of workers, for others not.
func dataOf(data []weighted, cache int64) bayes.Data {
	d := bayes.Data{CacheBytes: cache}
	for _, x := range data {
		d.Rows, d.Weights = append(d.Rows, x.Row), append(d.Weights, x.weight)
	}
	return d
}

// promises are those of networks without or with continuous variables. The last variable has a
// state of probability 0.
func promises(continuous bool) modeltest.Model[*net, weighted] {
	m := modeltest.Model[*net, weighted]{
		New: func(rng *rand.Rand) *net {
			n := random(rng, continuous)
			variables, families := slices.Clone(n.Variables()), n.Families()
			variables = append(variables, bayes.Variable{Name: "certain", States: []string{"always", "never"}})
			families = append(families, bayes.Family{Children: []int{n.Len()}, Table: []float64{1, 0}})
			n = must(bayes.New(variables, families))
			laws := []em.Law{bayes.Ridge{Beta: .5}, em.Dirichlet{Alpha: 1.5}, em.Multinomial{}, em.Fixed{}}
			model := must(bayes.NewModel(n, func(v, c int) em.Law {
				if !n.Discrete(v) {
					return priors(n)(v, c)
				}
				if v == n.Len()-1 {
					return em.Multinomial{}
				}
				return laws[(v+c)%len(laws)]
			}))
			model.Theta = model.Params.Random(rng)
			copy(model.Group(n.Len()-1, 0).In(model.Theta), []float64{1, 0})
			return &net{must(model.Network()), model}
		},
		Data: func(rng *rand.Rand, n *net) weighted { return weighted{hide(rng, n.Network, n.Network.Sample(rng)), 1} },
		Impossible: func(rng *rand.Rand, n *net) weighted {
			r := hide(rng, n.Network, n.Network.Sample(rng))
			r[len(r)-1] = 1
			return weighted{r, 1}
		},
		Enumerate: func(n *net, x weighted) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) {
				for full, p := range completions(n.Network, x.Row) {
					if !yield(n.numbers(full), p) {
						return
					}
				}
			}
		},
		LogProb:    func(n *net, x weighted) (float64, error) { return n.LogProb(x.Row) },
		Posteriors: func(n *net, x weighted) ([]float64, error) { return n.posteriors(x.Row) },
		Best:       func(n *net, x weighted) ([]int, float64, error) { return n.best(x.Row) },
		Sample: func(n *net, x weighted, src rand.Source) ([]int, error) {
			r, err := n.Complete(x.Row, src)
			if err != nil {
				return nil, err
			}
			return n.numbers(r), nil
		},
		Likelihood: func(n *net, data []weighted, policy em.Policy) (em.Likelihood, error) {
			d := dataOf(data, 0)
			d.Underivable = policy
			return n.model.Likelihood(d)
		},
		Fit: func(ctx context.Context, n *net, data []weighted, opts *em.Options) (*em.Result, error) {
			return n.model.Fit(ctx, dataOf(data, int64(opts.Workers)-2), opts)
		},
		Theta: func(n *net) []float64 { return n.model.Theta },
		Weigh: func(x weighted, weight float64) weighted { return weighted{x.Row, weight} },
		Save:  func(n *net, w io.Writer) error { return n.Save(w) },
		Load: func(r io.Reader) (*net, error) {
			n, err := bayes.Load(r)
			return &net{Network: n}, err
		},
		Unbounded: continuous,
		Merged:    true,
	}
	m.Example = func(rng *rand.Rand, n *net) weighted {
		x := m.Data(rng, n)
		if rng.IntN(4) == 0 {
			x = m.Impossible(rng, n)
		}
		return x
	}
	return m
}

func TestPromises(t *testing.T) { modeltest.Check(t, promises(false)) }

// TestPromisesOfContinuous is TestPromises for networks with normal distributions.
func TestPromisesOfContinuous(t *testing.T) {
	m := promises(true)
	m.Refuses = []error{semiring.ErrNotFinite} // slopes of a file may be too large to multiply
	m.Lacks = map[string]string{"Curvature": "regressions have no second derivatives"}
	modeltest.Check(t, m)
}
