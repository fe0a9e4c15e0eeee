package hmm_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/hmm"
)

// view is a model with its observations and the data for an oracle.
type view struct {
	*hmm.Model[int32]
	emission *hmm.Discrete
	top      hmm.Topology
	of       []int
	data     []hmm.Sequence[int32]
}

func newView(t *testing.T, rng *rand.Rand, p *em.Params, states int) *view {
	const symbols = 3
	v := &view{top: hmm.Topology{States: states}}
	if rng.IntN(2) == 0 {
		for i := range states {
			v.top.Next = append(v.top.Next, rng.Perm(states)[:1+rng.IntN(states)])
			v.top.Ends = append(v.top.Ends, i)
		}
	}
	for range states {
		v.of = append(v.of, rng.IntN(states))
	}
	v.of = dense(v.of)
	var err error
	if v.emission, err = hmm.NewDiscrete(p, fmt.Sprint("emission", p.Len()), symbols, v.of, em.Multinomial{}); err != nil {
		t.Fatal(err)
	}
	if v.Model, err = hmm.New(p, v.top, em.Multinomial{}, v.emission); err != nil {
		t.Fatal(err)
	}
	return v
}

// emitted returns the parameter that state i emits the symbol at position pos with, −1 if
// nothing was observed there.
func (v *view) emitted(s hmm.Sequence[int32], pos, i int) int {
	if s.Observations[pos] == hmm.Missing {
		return -1
	}
	return v.emission.Groups()[v.of[i]].First() + int(s.Observations[pos])
}

// moves lists the parameters of the transitions of a path, and of its end.
func (v *view) moves(path []int32) (params []int) {
	for pos, i := range path {
		next := hmm.Each(v.top.States)
		if v.top.Next != nil {
			next = v.top.Next[i]
		}
		row := v.Row(int(i)).First()
		if pos+1 < len(path) {
			params = append(params, row+slices.Index(next, int(path[pos+1])))
		} else if v.top.Ends != nil {
			params = append(params, row+len(next))
		}
	}
	return params
}

// TestSubmodels compares averaged EM, products of posteriors and independent EM of models
// that see one chain with sums over all sequences of states.
func TestSubmodels(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 31))
		params := em.NewParams()
		states, views := 1+rng.IntN(3), []*view{}
		var submodels []agree.Submodel
		for range 2 + rng.IntN(2) {
			views = append(views, newView(t, rng, params, states))
		}
		for range 1 + rng.IntN(3) {
			length, weight := 1+rng.IntN(4), em.Times(.5+rng.Float64())
			for _, v := range views {
				s := randomSequence(rng, length, states, 3)
				s.Weight = weight
				v.data = append(v.data, s)
			}
		}
		theta := params.Random(rng)
		var terms []em.Likelihood
		for _, v := range views {
			v.Theta = theta
			s, err := v.Submodel(v.data)
			if err != nil {
				t.Fatal(err)
			}
			l, err := agree.Likelihood(em.Skip, s)
			if err != nil {
				t.Fatal(err)
			}
			submodels, terms = append(submodels, s), append(terms, l)
		}
		independent, err := agree.Independent(terms...)
		if err != nil {
			t.Fatal(err)
		}
		average, err := agree.Averaged(em.Skip, submodels...)
		if err != nil {
			t.Fatal(err)
		}
		product, err := agree.ProductOfPosteriors(em.Skip, submodels...)
		if err != nil {
			t.Fatal(err)
		}
		for rule, l := range map[string]em.Likelihood{"independent": independent, "average": average, "product": product} {
			got, err := l.Expect(context.Background(), em.Query{Theta: theta})
			if err != nil {
				t.Fatal(err)
			}
			objective, counts, skipped := agreement(views, rule)
			near := func(what string, got, want float64) {
				if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
					t.Errorf("seed %d, %s: %s %.15g, want %.15g", seed, rule, what, got, want)
				}
			}
			near("objective", got.LogLikelihood, objective)
			for p, want := range counts {
				near(params.Name(int32(p)), got.Counts[p], want)
			}
			if len(got.Skipped) != skipped {
				t.Errorf("seed %d, %s: %d skipped, want %d", seed, rule, len(got.Skipped), skipped)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// agreement returns what an E step of the views under a rule returns, by listing all
// sequences of states.
func agreement(views []*view, rule string) (objective float64, counts []float64, skipped int) {
	counts = make([]float64, len(views[0].Theta))
	n, m, beta := views[0].top.States, float64(len(views)), 1.0
	if rule == "average" {
		beta = m
	}
	for x := range views[0].data {
		weight := views[0].data[x].Weight.Float64()
		length := len(views[0].data[x].Observations)
		logs, ok := 0.0, true
		var mu [][]float64
		var private []func()
		for _, v := range views {
			total, node, moves := 0.0, make([]float64, n*length), make([]float64, len(counts))
			discreteTable(v.Model, v.emission, v.top, v.of).enumerate(v.data[x], func(path []int32, p float64) {
				p = math.Pow(p, beta)
				total += p
				for pos, i := range path {
					node[pos*n+int(i)] += p
				}
				for _, k := range v.moves(path) {
					if k >= 0 && p > 0 {
						moves[k] += p
					}
				}
			})
			ok = ok && total > 0
			for k := range node {
				node[k] /= total
			}
			logs += math.Log(total)
			mu = append(mu, node)
			private = append(private, func() {
				for k, p := range moves {
					counts[k] += weight * p / total
				}
			})
		}
		if !ok {
			skipped++
			continue
		}
		objective += weight * logs / beta
		for v := range views {
			private[v]()
			for k := range mu[v] {
				combined := mu[v][k]
				switch rule {
				case "average":
					combined = 0
					for _, other := range mu {
						combined += other[k] / m
					}
				case "product":
					combined = 1
					for _, other := range mu {
						combined *= other[k]
					}
				}
				if p := views[v].emitted(views[v].data[x], k/n, k%n); p >= 0 {
					counts[p] += weight * combined
				}
				if k < n {
					counts[views[v].Initial().First()+k] += weight * combined
				}
			}
		}
	}
	return objective, counts, skipped
}
