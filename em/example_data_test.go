package em_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring/expr"
)

// unigram returns the model of a text in which each letter is drawn independently.
func unigram(alphabet string, law em.Law) cascade.Model {
	params := em.NewParams()
	frequency := params.Group("letter", len(alphabet), law)
	frequency.SetNames(func(i int) string { return alphabet[i : i+1] })
	var arcs []fst.Arc[expr.W]
	for i, c := range alphabet {
		arcs = append(arcs, fst.Arc[expr.W]{In: c, Out: c, Weight: frequency.Weight(i)})
	}
	machine := fst.OneState(params.Space(), expr.One, arcs...)
	return cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
}

// Examples that the model cannot explain are left out and reported.
func ExamplePolicy() {
	model := unigram("ab", em.Multinomial{})
	result, err := model.Fit(context.Background(), cascade.Data{Underivable: em.Skip, Examples: []cascade.Example{
		{X: cascade.Labels('a', 'b'), Name: "ab"}, {X: cascade.Labels('a', 'x'), Name: "ax"},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, skipped := range result.Skipped {
		fmt.Println("skipped:", skipped.Name)
	}
	fmt.Printf("a %.2f\n", model.Theta[0])
	// Output:
	// skipped: ax
	// a 0.50
}

// How long until heads? Throws were recorded only if someone had to wait, so that all sequences
// begin with T. The objective subtracts the evidence that holds for all: the ln of P(it begins with
// T).
func ExampleDifference() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	throws := fst.FromArcs(params.Space(), map[int32]expr.W{1: expr.One}, []fst.Arc[expr.W]{
		{In: 'H', Out: 'H', Weight: coin.Weight(0), To: 1}, {In: 'T', Out: 'T', Weight: coin.Weight(1), To: 0},
	})
	tails := cascade.Pattern(params, []int32{'H', 'T'}, 'T', cascade.AnyString)
	seen := cascade.Inputs("TH", "TH", "TH", "TTH")
	var known cascade.Data
	for range seen.Examples {
		known.Examples = append(known.Examples, cascade.Example{X: tails})
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{throws}}
	of := func(data cascade.Data) em.Likelihood {
		l, err := problem.Likelihood(data)
		if err != nil {
			log.Fatal(err)
		}
		return l
	}
	for _, l := range []em.Likelihood{of(seen), &em.Difference{Plus: of(seen), Minus: of(known)}} {
		result, err := em.Fit(context.Background(), l, &em.Options{Tolerance: 1e-10})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("heads %.2f\n", result.Theta[0])
	}
	// Output:
	// heads 0.44
	// heads 0.80
}

// Ten thousand examples cut into shards; one example is as much work as all others together.
func ExampleNewCutByCost() {
	even := em.NewCut(10000)
	uneven := em.NewCutByCost(10000, func(i int) int {
		if i == 5000 {
			return 10000
		}
		return 1
	})
	for i := range uneven.Shards() {
		if lo, hi := uneven.Shard(i); lo <= 5000 && 5000 < hi {
			fmt.Println("the costly one is in a shard of", hi-lo)
		}
	}
	lo, hi := even.Shard(0)
	fmt.Println("more than one shard:", even.Shards() > 1, "each of at most", hi-lo)
	// Output:
	// the costly one is in a shard of 1
	// more than one shard: true each of at most 157
}

// A sum over shards that does not depend on the number of goroutines: Σ 1/i for i up to 4000, in
// shards of 1000 numbers.
func ExampleNewReducer() {
	reducer := em.NewReducer[struct{}, float64](func() *struct{} { return new(struct{}) })
	total := 0.
	err := reducer.Sum(context.Background(), 3, 0, 4, func(_ *struct{}, shard int, sum *float64) error {
		*sum = 0
		for i := range 1000 {
			*sum += 1 / float64(1000*shard+i+1)
		}
		return nil
	}, func(_ int, sum *float64) { total += *sum })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", total)
	// Output: 8.8714
}

// The variance of an estimate, in the coordinate of a coin: the ln of its odds. For n tosses
// with heads p it is 1/(n·p·(1−p)), 0.476 for seven heads in ten.
func ExampleInformation_Covariance() {
	information, err := em.FisherInformation(context.Background(), oneCoin(em.Multinomial{}, 7, 3), em.Query{Theta: []float64{.7, .3}})
	if err != nil {
		log.Fatal(err)
	}
	covariance, err := information.Covariance()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", covariance.At(0, 0))
	// Output: 0.476
}

// Two coins in a regular expression whose sides share features: heads of both have the same
// strength, the odds of heads. There were three heads and one tail in total.
func ExampleLogLinearAlternatives() {
	params := em.NewParams()
	compiler := rx.NewCompiler(params.Space(), fst.NewSymbols("a", "b", "c", "d"))
	compiler.Groups = em.LogLinearAlternatives(params, "coins", func(_, side string) []em.Feature {
		if side == "heads" {
			return []em.Feature{{Name: "heads"}}
		}
		return nil
	}, em.LogLinearOptions{})
	pattern, err := rx.Parse("(a +_λ b) (c +_μ d)")
	if err != nil {
		log.Fatal(err)
	}
	machine, err := compiler.Compile(pattern)
	if err != nil {
		log.Fatal(err)
	}
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
	if _, err := model.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 3)}, {X: cascade.Labels(1, 4)}}}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: odds %.2f\n", params.Name(0), math.Exp(model.Theta[0]))
	// Output: coins[heads]: odds 3.00
}
