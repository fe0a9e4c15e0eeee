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

// Two hidden Markov models of one hidden chain observe different halves of the data: each moment
// has a left and a right feature, both noisy. Each model is a transducer from features to states.
// So the product of both is their composition, left features ∘ states ∘ right features. Trained
// separately, the two may number their states differently; trained as a product they find states
// that explain both halves.
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

// seenHalves returns the observations of 50 chains of two states for 20 moments each. Each state
// is observed by two features, numbered from 1, which indicate it with noise.
func seenHalves(rng *rand.Rand, features int) (halves [][2][]int32) {
	for range 50 {
		var half [2][]int32
		for state, t := rng.IntN(2), 0; t < 20; t++ {
			for h := range half {
				f := int32(2*state + 1) // 1 or 3, before noise
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

// chainModel returns the transducer from features, from 1, to the states 1 and 2 of a hidden
// Markov model. Training starts from persistent states with random emissions.
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

// twoViews returns two models of one hidden bit z that is written as 1 or 2. Each model has its
// own observation, here 1. The first has P(1, z) = 0.4 and 0.1, the second 0.2 and 0.3. The data
// are one example: both observed a 1.
func twoViews() (problems []cascade.Problem, data []cascade.Data) {
	params := em.NewParams()
	for i, theta := range [][]float64{{.4, .1, .25, .25}, {.2, .3, .25, .25}} {
		pairs := params.Group([]string{"first", "second"}[i], 4, em.Multinomial{}) // 1 observed with each z, then 2 with each z
		pairs.SetStart(theta)
		var arcs []fst.Arc[expr.W]
		for i := range 4 {
			arcs = append(arcs, fst.Arc[expr.W]{In: int32(1 + i/2), Out: int32(1 + i%2), Weight: pairs.Weight(i)})
		}
		view := fst.OneState(params.Space(), expr.One, arcs...)
		problems = append(problems, cascade.Problem{Params: params, Stages: []cascade.Stage{view}})
		data = append(data, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1)}}})
	}
	return problems, data
}

// at prints the objective of l at its start.
func at(l em.Likelihood) {
	e := must(l.Expect(context.Background(), em.Query{Theta: l.Params().Start()}))
	fmt.Printf("%.3f nats\n", e.LogLikelihood)
}

// The probability that both models generate their observations with the same z: the logarithm of
// 0.4·0.2 + 0.1·0.3 = 0.11. After training both give probability 1 to their observation and to
// one z.
func ExampleExact() {
	ctx := context.Background()
	problems, data := twoViews()
	product, err := agree.Exact(data, problems...)
	if err != nil {
		log.Fatal(err)
	}
	at(product)
	result, err := em.Fit(ctx, product, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("first %.2f, second %.2f\n", result.Theta[:2], result.Theta[4:6])
	// Output:
	// -2.207 nats
	// first [1.00 0.00], second [1.00 0.00]
}

// Each model by itself, with any z: the logarithm of (0.4 + 0.1)·(0.2 + 0.3) = 0.25.
func ExampleIndependent() {
	problems, data := twoViews()
	at(must(agree.Independent(must(problems[0].Likelihood(data[0])), must(problems[1].Likelihood(data[1])))))
	// Output: -1.386 nats
}

// Each model squared, since there are two of them: half the logarithm of
// (0.4² + 0.1²)·(0.2² + 0.3²). It is at least the exact objective, and needs no product.
func ExampleParameterApproximate() {
	problems, data := twoViews()
	at(must(agree.ParameterApproximate(must(problems[0].Likelihood(data[0])), must(problems[1].Likelihood(data[1])))))
	// Output: -1.906 nats
}

// views returns the two models as submodels, whose features are the values of z. All their
// parameters are shared: both count by the combined posterior of z.
func views() []agree.Submodel {
	problems, _ := twoViews()
	params := problems[0].Params
	pairs := params.Groups() // before the marks
	marks := params.Group("z", 2, em.Fixed{})
	z := cascade.Set(fst.OneState(params.Space(), expr.One,
		fst.Arc[expr.W]{In: 1, Out: 1, Weight: marks.Weight(0)}, fst.Arc[expr.W]{In: 2, Out: 2, Weight: marks.Weight(1)}))
	var submodels []agree.Submodel
	for m, problem := range problems {
		corpus := must(problem.Corpus(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1), Y: z}}}))
		submodels = append(submodels, must(agree.Marked(corpus, agree.Features{
			Marks: marks, Shared: pairs[m : m+1], Potential: func(_, k int) expr.W { return pairs[m].Weight(k) },
		})))
	}
	return submodels
}

// counts prints the expected counts of each model's observation of 1 with either z.
func counts(l em.Likelihood) {
	e := must(l.Expect(context.Background(), em.Query{Theta: l.Params().Start()}))
	fmt.Printf("%.2f %.2f\n", e.Counts[0:2], e.Counts[4:6])
}

// By itself the first model gives the z posteriors of 0.8 and 0.2.
func ExampleLikelihood() {
	counts(must(agree.Likelihood(em.Fail, views()[0])))
	// Output: [0.80 0.20] [0.00 0.00]
}

// Squared weights give posteriors of 16/17 and 1/17, and of 4/13 and 9/13. Both models count by
// the average.
func ExampleAveraged() {
	counts(must(agree.Averaged(em.Fail, views()...)))
	// Output: [0.62 0.38] [0.62 0.38]
}

// Posteriors of 0.8 and 0.2, and of 0.4 and 0.6, are multiplied. Both models count by the
// product.
func ExampleProductOfPosteriors() {
	counts(must(agree.ProductOfPosteriors(em.Fail, views()...)))
	// Output: [0.32 0.12] [0.32 0.12]
}

// Three witnesses each remember two of three evenings: the probabilities that it rained on
// neither, on the second, on the first, on both. The witnesses form a ring, so belief propagation
// between them is an approximation. Without the third witness it would be exact.
func ExampleLoopyBelief() {
	params := em.NewParams()
	space, rain := params.Space(), params.Group("rain", 3, em.Fixed{})
	evenings := [][2]int{{0, 1}, {1, 2}, {2, 0}}
	memory := [][]float64{{.3, .1, .2, .4}, {.2, .2, .1, .5}, {.4, .3, .2, .1}}
	var witnesses []agree.Submodel
	var groups []*em.Group
	for m, of := range evenings {
		g := params.Group(fmt.Sprint("witness ", m), 4, em.Multinomial{})
		g.SetStart(memory[m])
		groups = append(groups, g)
		to, weights := []int32{}, []expr.W{}
		for z := range 4 { // an arc for each structure
			w := g.Weight(z)
			if z&2 > 0 {
				w = space.Times(w, rain.Weight(of[0]))
			}
			if z&1 > 0 {
				w = space.Times(w, rain.Weight(of[1]))
			}
			to, weights = append(to, 1), append(weights, w)
		}
		all := must(graph.New(space, []int32{0, 4, 4}, to, weights,
			[]graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One}))
		corpus := must(cascade.Derivations{Examples: 1, Graph: func(int) (*graph.Graph[expr.W], error) { return all, nil }}.Corpus(params))
		witnesses = append(witnesses, must(agree.Marked(corpus, agree.Features{Marks: rain})))
	}
	options := &agree.LoopyOptions{Concerns: func(m, _, evening int) bool { return evenings[m][0] == evening || evenings[m][1] == evening }}
	belief := must(agree.LoopyBelief(em.Fail, options, witnesses...))
	e := must(belief.Expect(context.Background(), em.Query{Theta: params.Start()}))

	exact, first := 0.0, 0.0
	for z := range 8 { // bit n: rain on evening n
		p := 1.0
		for m, of := range evenings {
			p *= memory[m][(z>>of[0]&1)<<1|z>>of[1]&1]
		}
		exact += p
		first += float64(z&1) * p
	}
	told := groups[0].In(e.Counts)
	fmt.Printf("they agree with probability %.4f, exactly %.4f\n", semiring.ScaledFromLog(e.LogLikelihood).Float64(), exact)
	fmt.Printf("rain on the first evening %.3f, exactly %.3f; %d not settled\n", told[2]+told[3], first/exact, belief.Unconverged())
	// Output:
	// they agree with probability 0.0996, exactly 0.0980
	// rain on the first evening 0.490, exactly 0.490; 0 not settled
}
