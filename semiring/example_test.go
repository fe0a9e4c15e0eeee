package semiring_test

import (
	"errors"
	"fmt"
	"math/big"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Two ways from here to there, of two arcs each.
func total[W any](ring semiring.Semiring[W], a, b, c, d W) W {
	return ring.Plus(ring.Times(a, b), ring.Times(c, d))
}

// The same two ways in several rings.
func Example() {
	fmt.Println(total(semiring.Real{}, 0.5, 0.1, 0.2, 0.4)) // the sum of both
	fmt.Println(total(semiring.Tropical{}, 5, 1, 2, 3))     // the cheaper one
	fmt.Println(total(semiring.Boolean{}, true, false, true, true))
	fmt.Println(total(semiring.Counting{}, big.NewInt(2), big.NewInt(3), big.NewInt(4), big.NewInt(5)))
	// Output:
	// 0.13
	// 5
	// true
	// 26
}

// A probability that underflows float64 has the same precision as any other.
func ExampleScaled() {
	var ring semiring.Scaled
	p := ring.One()
	for range 10000 {
		p = ring.Times(p, semiring.NewScaled(0.25))
	}
	fmt.Println(p)
	fmt.Println(p.Log())
	fmt.Println(ring.Plus(p, p).Div(p).Float64())
	// Output:
	// 2.5123880576987446e-6021
	// -13862.943611198907
	// 2
}

// How many tosses until a coin of bias 0.2 shows heads?
func ExampleExpectation() {
	base := semiring.Real{}
	ring := semiring.Expectation(base, semiring.Scalar(base))
	toss := func(p float64) semiring.Expected[float64, float64] {
		return semiring.Expected[float64, float64]{P: p, V: p * 1} // counts 1
	}
	closed, err := semiring.Require[semiring.Closed[semiring.Expected[float64, float64]]](ring)
	if err != nil {
		fmt.Println(err)
		return
	}
	tails, _ := closed.Star(toss(0.8))
	total := ring.Times(tails, toss(0.2))
	fmt.Printf("probability %.3f, expected tosses %.3f\n", total.P, total.V/total.P)
	// Output:
	// probability 1.000, expected tosses 5.000
}

// A derived ring has a capability if its parts have it.
func ExampleAs() {
	type pair = semiring.Pair[float64, *big.Int]
	ring := semiring.Product(semiring.Real{}, semiring.Counting{})
	_, ok := semiring.As[semiring.Divider[pair]](ring)
	fmt.Println("Divider:", ok)
	_, ok = semiring.As[semiring.Negater[pair]](ring)
	fmt.Println("Negater:", ok)
	_, err := semiring.Require[semiring.Prober[pair]](ring)
	fmt.Println(errors.Is(err, semiring.ErrCapability))
	// Output:
	// Divider: true
	// Negater: false
	// true
}

// One kernel call sums the weights of all arcs into a state.
func ExampleKernelOf() {
	kernel := semiring.KernelOf(semiring.Tropical{})
	arcs := []semiring.Cost{4, 1, 7}     // weights
	distance := []semiring.Cost{0, 2, 1} // of the states so far
	from := []int32{0, 1, 2}
	var shortest semiring.Cost
	kernel.Dot(&shortest, arcs, nil, distance, from)
	fmt.Println(shortest)
	// Output:
	// 3
}

// The best path of a machine with probabilities, by the ring of costs.
func ExampleConvert() {
	toCost, err := semiring.Convert(semiring.Log{}, semiring.Tropical{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(toCost(-2.5))
	// Output:
	// 2.5
}

// routes returns the path sum over two routes: one by way of a and b, in this order, and
// one by way of c.
func routes[W any](ring semiring.Semiring[W], a, b, c W) W {
	g, err := graph.New(ring, []int32{0, 2, 3, 3}, []int32{1, 2, 2}, []W{a, c, b},
		[]graph.Start[W]{{State: 0, Weight: ring.One()}}, []W{ring.Zero(), ring.Zero(), ring.One()})
	if err != nil {
		panic(err)
	}
	sum, err := graph.PathSum(g)
	if err != nil {
		panic(err)
	}
	return sum
}

// How wide a load passes, on the better of two routes?
func ExampleBottleneck() {
	fmt.Println(routes[semiring.Width](semiring.Bottleneck{}, 3.5, 2.5, 2))
	// Output: 2.5
}

// What can be written before it is known which route is taken?
func ExampleLeftString() {
	word := func(s string) semiring.Word { return semiring.NewWord([]rune(s)...) }
	certain := routes(semiring.LeftString{}, word("ra"), word("nge"), word("rank"))
	fmt.Println(string(certain.Labels()))
	// Output: ran
}

// The costs of the two best routes of four.
func ExampleKBest() {
	ring, err := semiring.KBest(semiring.Tropical{}, 2)
	if err != nil {
		panic(err)
	}
	cost := func(c ...semiring.Cost) semiring.Ranked[semiring.Cost] { return c }
	fmt.Println(routes(ring, cost(1, 5), cost(2), cost(4, 9))) // 1 + 2, 5 + 2, 4 and 9
	// Output: [3 4]
}

// How probable is it that a toll is paid once, twice, …? X counts the tolls.
func ExampleSeries() {
	ring := semiring.Series(semiring.Real{}, 3)
	free := semiring.Polynomial[float64]{.25}   // .25
	toll := semiring.Polynomial[float64]{0, .5} // .5·X
	fmt.Println(routes(ring, toll, toll, free))
	// Output: [0.25 0 0.25]
}

// Two answers in one pass: the least cost, and whether there is a way at all.
func ExampleProduct() {
	ring := semiring.Product(semiring.Tropical{}, semiring.Boolean{})
	road := func(c semiring.Cost, open bool) semiring.Pair[semiring.Cost, bool] {
		return semiring.Pair[semiring.Cost, bool]{First: c, Second: open}
	}
	fmt.Println(routes(ring, road(1, true), road(1, false), road(3, true)))
	// Output: {2 true}
}

// How many routes are equally good? Costs decide, and ties are counted.
func ExampleLex() {
	ring, err := semiring.Lex(semiring.Tropical{}, semiring.Counting{})
	if err != nil {
		panic(err)
	}
	road := func(c semiring.Cost) semiring.Pair[semiring.Cost, *big.Int] {
		return semiring.Pair[semiring.Cost, *big.Int]{First: c, Second: big.NewInt(1)}
	}
	fmt.Println(routes(ring, road(1), road(2), road(3)))
	fmt.Println(routes(ring, road(1), road(2), road(4)))
	// Output:
	// {3 2}
	// {3 1}
}

// Outputs with costs: what is certain of the output, and the least cost.
func ExampleGallic() {
	ring := semiring.Gallic(semiring.Tropical{})
	road := func(s string, c semiring.Cost) semiring.Pair[semiring.Word, semiring.Cost] {
		return semiring.Pair[semiring.Word, semiring.Cost]{First: semiring.NewWord([]rune(s)...), Second: c}
	}
	sum := routes(ring, road("ra", 1), road("nge", 1), road("rank", 3))
	fmt.Println(string(sum.First.Labels()), sum.Second)
	// Output: ran 2
}

// How long is the best route? The value along it, not the mean over all.
func ExampleViterbiExpectation() {
	type expected = semiring.Expected[float64, float64]
	base := semiring.Real{}
	ring := semiring.ViterbiExpectation(base, semiring.Scalar(base))
	road := func(p, length float64) semiring.Pair[semiring.ScaledFloat, expected] {
		return semiring.Pair[semiring.ScaledFloat, expected]{First: semiring.NewScaled(p), Second: expected{P: p, V: p * length}}
	}
	best := routes(ring, road(.75, 10), road(.8, 20), road(.5, 5))
	fmt.Printf("probability %.1f, length %.0f\n", best.First.Float64(), best.Second.V/best.Second.P)
	// Output: probability 0.6, length 30
}

// Mean and variance of the length of a random route: 2 or 1 roads.
func ExampleExpectation2() {
	base := semiring.Real{}
	ring, err := semiring.Expectation2(base, semiring.ScalarProduct(base))
	if err != nil {
		panic(err)
	}
	road := func(p float64) semiring.Expected2[float64, float64, float64, float64] {
		return semiring.Expected2[float64, float64, float64, float64]{P: p, R: p, S: p, T: p} // length 1
	}
	z := routes(ring, road(.5), road(1), road(.5))
	mean := z.R / z.P
	fmt.Println("mean", mean, "variance", z.T/z.P-mean*mean)
	// Output: mean 1.5 variance 0.25
}

// The gradient of a path sum a·b + c, carried along as a vector.
func ExampleDense() {
	base := semiring.Real{}
	ring := semiring.Expectation(base, semiring.Dense(base, 3))
	road := func(w float64, i int) semiring.Expected[float64, []float64] {
		v := make([]float64, 3)
		v[i] = 1 // dw/dw
		return semiring.Expected[float64, []float64]{P: w, V: v}
	}
	z := routes(ring, road(2, 0), road(3, 1), road(4, 2))
	fmt.Println(z.P, z.V)
	// Output: 10 [3 2 1]
}

// A probability in other rings.
func ExampleFromScaled() {
	toLog, err := semiring.FromScaled(semiring.Log{})
	if err != nil {
		panic(err)
	}
	toCost, err := semiring.FromScaled(semiring.Tropical{})
	if err != nil {
		panic(err)
	}
	p := semiring.NewScaled(.25)
	fmt.Printf("%.4f %.4f\n", toLog(p), toCost(p))
	// Output: -1.3863 1.3863
}

// What a ring claims decides which algorithms are used.
func ExampleLawsOf() {
	fmt.Println(semiring.LawsOf(semiring.Tropical{}).Has(semiring.Selective | semiring.Commutative))
	fmt.Println(semiring.LawsOf(semiring.Real{}).Has(semiring.Selective))
	fmt.Println(semiring.Distributes(semiring.LeftString{}))
	// Output:
	// true
	// false
	// the left
}

// A number too small for float64, and its square root.
func ExampleScaledFloat() {
	p, err := semiring.ParseScaled("1e-400")
	fmt.Println(p, p.Float64(), err)
	fmt.Println(p.Pow(.5), p.Div(p))
	fmt.Printf("ln p = %.4f\n", p.Log())
	// Output:
	// 1e-400 0 <nil>
	// 1e-200 1
	// ln p = -921.0340
}
