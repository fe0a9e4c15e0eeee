// Command tour is the tour of the README as one program, with steps 8 to 10 of README.md in this
// folder.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/moments"
	"example.org/pathsum/semiring"
)

// The README leaves out the checks of errors.
func main() {
	ctx := context.Background()

	// 1. A ring defines the sum over paths. It is a value, with methods for ⊕ and ⊗.
	sum, cheapest := semiring.Real{}, semiring.Tropical{}
	fmt.Println(sum.Plus(.25, .5), cheapest.Plus(3, 5))   // all paths, or the better one
	fmt.Println(sum.Times(.25, .5), cheapest.Times(3, 5)) // one arc after the other

	// 2. A machine reads a string, writes another, and gives the pair a weight.
	var keys []fst.Arc[float64]
	for _, r := range "acst" { // this typist misses one key in five
		keys = append(keys, fst.Arc[float64]{In: r, Out: r, Weight: .8}, fst.Arc[float64]{In: r, Out: fst.Epsilon, Weight: .2})
	}
	typist := fst.OneState(sum, 1, keys...)
	var lexicon []fst.Path[float64]
	for text, p := range map[string]float64{"cat": .4, "cast": .3, "act": .2, "at": .1} {
		lexicon = append(lexicon, fst.Path[float64]{In: []rune(text), Out: []rune(text), Weight: p})
	}
	words := fst.StringMap(sum, lexicon)
	p, err := fst.Weight(typist, []rune("cast"), []rune("cat"), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("cast becomes cat with probability %.3f\n", p)

	// 3. Operations take machines and return machines, made as they are asked for.
	typed := fst.Compose(words, typist)

	// 4. Inference is a sum over paths: how probable is it that "at" is typed?
	p, err = fst.PathSum(fst.Compose(typed, fst.FromString(sum, []rune("at"))), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(at) = %.3f\n", p)

	// 5. Which words were meant, best first? Each weight is a sum over all ways to miss keys.
	for meant, err := range fst.ApplyText(fst.Invert(typed), "at", nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.3f\n", meant.Text, meant.Weight)
	}

	// 6. To train, put parameters in place of weights. Data are pairs of input and output.
	params := em.NewParams()
	channel := cascade.Conditional(params, "typist", typist, em.Multinomial{})
	pairs := cascade.Pairs([][2]string{{"cat", "ct"}, {"at", "at"}, {"act", "ac"}, {"cast", "ct"}})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{channel}}
	result, err := problem.Fit(ctx, pairs, nil)
	if err != nil {
		log.Fatal(err)
	}
	trained, err := cascade.Instantiate(params, channel, result.Theta, sum)
	if err != nil {
		log.Fatal(err)
	}
	p, err = fst.Weight(trained, []rune("a"), nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a is missed with probability %.2f\n", p)

	// 7. In a cascade, tapes in between are hidden: words are learnt from the typed strings alone.
	language := cascade.Joint(params, "words", words, em.Multinomial{})
	seen := cascade.Outputs("cat", "ct", "cat", "act", "at", "ca", "cast", "cst", "cat", "ac")
	problem = cascade.Problem{Params: params, Stages: []cascade.Stage{language, channel}}
	result, err = problem.Fit(ctx, seen, nil)
	if err != nil {
		log.Fatal(err)
	}
	learnt, err := cascade.Instantiate(params, language, result.Theta, sum)
	if err != nil {
		log.Fatal(err)
	}
	for path := range learnt.Paths() {
		fmt.Printf("%s %.2f\n", string(path.In), path.Weight)
	}

	// 8. Two people typed the same unseen words. Their models are trained to agree on these.
	var models []cascade.Problem
	var typings []cascade.Data
	for _, texts := range [][]string{{"ct", "cat", "at", "ac", "cas"}, {"ca", "ct", "at", "at", "cst"}} {
		keys := cascade.Conditional(params, texts[0], typist, em.Multinomial{})
		models = append(models, cascade.Problem{Params: params, Stages: []cascade.Stage{fst.Invert(keys)}})
		typings = append(typings, cascade.Inputs(texts...))
	}
	models[0].Stages = append(models[0].Stages, language) // the product has it once
	both, err := agree.Exact(typings, models...)
	if err != nil {
		log.Fatal(err)
	}
	result, err = em.Fit(ctx, both, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("agreement: %.2f nats\n", result.LogLikelihood)

	// 9. A die answered for one person in two. Moments see through it, without EM.
	family, err := moments.NewFamily(mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 0}), []string{"yes", "no"})
	if err != nil {
		log.Fatal(err)
	}
	survey, err := moments.RandomizedResponse(.5, []float64{1. / 3, 1. / 3, 1. / 3})
	if err != nil {
		log.Fatal(err)
	}
	inverse, err := survey.Invert(family)
	if err != nil {
		log.Fatal(err)
	}
	answers := slices.Repeat([]int{0, 0, 0, 0, 1, 1, 1, 2, 2}, 100) // 0 is yes, 1 is no, 2 is neither
	total, n, err := moments.Table[int](inverse).Total(2, slices.All(answers))
	if err != nil {
		log.Fatal(err)
	}
	truth, err := moments.Fit(ctx, family.LogPartition(float64(n)), total, &moments.Options{Ridge: -1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("yes, no, neither: %.2f\n", family.Probabilities(truth.Theta))

	// 10. No start, no local optimum: a convex relaxation of EM, and a bound for every labelling.
	variables := []convex.Variable{{Name: "kind", States: 2}} // hidden, the parent of three answers
	for _, answers := range [][]int{{1, 1, 1, 1, 0, 0, 0, 0}, {1, 1, 1, 0, 0, 0, 1, 0}, {1, 1, 0, 1, 0, 0, 0, 0}} {
		variables = append(variables, convex.Variable{Parents: []int{0}, States: 2, Values: answers})
	}
	relaxed, err := convex.NewProblem(variables, nil, .5)
	if err != nil {
		log.Fatal(err)
	}
	found, err := relaxed.Fit(ctx, convex.Fitting{
		Solver:   convex.Splitting{Gap: 1e-4},
		Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("kinds %v: a loss of %.2f, where none is below %.2f\n",
		found.Rounded.Labels[0], found.Rounded.Objective, found.Relaxed.Lower)
}
