package agree_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Two hidden Markov models of one hidden chain see different halves of what there is
// to see: each moment shows a left feature and a right one, both noisy. Each model is a
// transducer from features to states, so the product of both is their
// composition, left features ∘ states ∘ right features. Trained one by one, the two
// need not even number their states alike; trained as a product they find states that
// explain both halves.
func Example() {
	const features = 3
	rng := rand.New(rand.NewPCG(1, 2))
	halves := seenHalves(rng, features)
	params := em.NewParams()
	var models []*fst.FST[expr.W]
	var problems []cascade.Problem
	var data []cascade.Data
	var terms []em.Likelihood
	for h, name := range []string{"left", "right"} {
		model := chainModel(params, name, features, rng)
		models = append(models, model)
		problems = append(problems, cascade.Problem{Params: params, Stages: []cascade.Stage{model}})
		var seen cascade.Data
		for _, half := range halves {
			seen.Examples = append(seen.Examples, cascade.Example{X: cascade.Labels(half[h]...)})
		}
		data = append(data, seen)
		terms = append(terms, must(problems[h].Likelihood(seen)))
	}
	independent, err := agree.Independent(terms...)
	if err != nil {
		log.Fatal(err)
	}
	product, err := agree.Exact(data, problems...)
	if err != nil {
		log.Fatal(err)
	}

	for _, training := range []struct {
		name string
		em.Likelihood
	}{{"independent", independent}, {"product", product}} {
		result, err := em.Fit(context.Background(), training, nil)
		if err != nil {
			log.Fatal(err)
		}
		same, all := 0, 0
		for _, half := range halves {
			l, r := bestStates(params, models[0], result.Theta, half[0]), bestStates(params, models[1], result.Theta, half[1])
			for t := range l {
				all++
				if l[t] == r[t] {
					same++
				}
			}
		}
		agreement := must(product.Expect(context.Background(), em.Query{Theta: result.Theta}))
		fmt.Printf("%-12s ln P(agree) = %.0f, best states agree at %d of %d positions\n",
			training.name, agreement.LogLikelihood, same, all)
	}
	// Output:
	// independent  ln P(agree) = -2972, best states agree at 50 of 1000 positions
	// product      ln P(agree) = -1450, best states agree at 954 of 1000 positions
}

// seenHalves returns what is seen of 50 chains of two states for 20 moments each: twice a
// feature, from 1, that says in which state the chain is but for noise.
func seenHalves(rng *rand.Rand, features int) (halves [][2][]int32) {
	for range 50 {
		var half [2][]int32
		for state, t := rng.IntN(2), 0; t < 20; t++ {
			for h := range half {
				f := int32(2*state + 1) // 1 or 3, but for noise
				if rng.IntN(5) == 0 {
					f = int32(1 + rng.IntN(features))
				}
				half[h] = append(half[h], f)
			}
			if rng.IntN(15) == 0 {
				state = 1 - state
			}
		}
		halves = append(halves, half)
	}
	return halves
}

// chainModel returns the transducer from features, from 1, to the states 1 and 2 of a
// hidden Markov model. Training starts where states last and emit what they happen to.
func chainModel(params *em.Params, name string, features int, rng *rand.Rand) *fst.FST[expr.W] {
	b := fst.NewBuilder(params.Space())
	start := [][]float64{{.5, .5}, {.9, .1}, {.1, .9}}
	var emission []*em.Group
	for s := range 2 {
		g, p := params.Group(fmt.Sprintf("%s emission %d", name, s), features, em.Multinomial{}), make([]float64, features)
		g.Law().Random(p, rng)
		g.SetStart(p)
		emission = append(emission, g)
	}
	for range start {
		b.AddState()
	}
	b.AddStart(0, expr.One)
	for from, p := range start {
		next := params.Group(fmt.Sprintf("%s transition %d", name, from), len(p), em.Multinomial{})
		next.SetStart(p)
		for to := range p {
			for f := range features {
				b.AddArc(int32(from), fst.Arc[expr.W]{In: int32(f + 1), Out: int32(to + 1), To: int32(to + 1),
					Weight: params.Space().Times(next.Weight(to), emission[to].Weight(f))})
			}
		}
		b.SetFinal(int32(from), expr.One)
	}
	return must(b.Freeze())
}

// bestStates returns the most probable states of a model, given its features.
func bestStates(params *em.Params, model cascade.Stage, theta []float64, features []int32) (states []int32) {
	ring := semiring.Viterbi{}
	machine := must(cascade.Instantiate(params, model, theta, ring))
	lattice := must(fst.Expand(fst.Compose(fst.FromString(ring, features), machine), nil))
	for _, arc := range must(graph.BestPath(lattice.Graph())).Arcs {
		states = append(states, lattice.Out()[arc])
	}
	return states
}
