package semiring_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/semiringtest"
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
	_, err := semiring.Require[semiring.Probabilistic[pair]](ring)
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

// routes returns the path sum over two routes: one through a and b, in this order, and one
// through c.
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

// How wide a load can pass, on the better of two routes?
func ExampleBottleneck() {
	fmt.Println(routes[semiring.Width](semiring.Bottleneck{}, 3.5, 2.5, 2))
	// Output: 2.5
}

// Which output is certain before the route is known?
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

// Two answers in one pass: the least cost, and whether there is a route.
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

// Outputs with costs: the certain output, and the least cost.
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

// How long is each of the two best routes?
func ExampleKBest_values() {
	type expected = semiring.Expected[float64, float64]
	type weight = semiring.Pair[semiring.ScaledFloat, expected]
	base := semiring.Real{}
	ring, err := semiring.KBest(semiring.ViterbiExpectation(base, semiring.Scalar(base)), 2)
	if err != nil {
		panic(err)
	}
	road := func(p, length float64) semiring.Ranked[weight] {
		return semiring.Ranked[weight]{{First: semiring.NewScaled(p), Second: expected{P: p, V: p * length}}}
	}
	fork := ring.Plus(road(.25, 5), road(.75, 10)) // two roads between the same places
	for _, best := range routes(ring, fork, road(.8, 20), road(.5, 5)) {
		fmt.Printf("probability %.1f, length %.0f\n", best.First.Float64(), best.Second.V/best.Second.P)
	}
	// Output:
	// probability 0.6, length 30
	// probability 0.5, length 5
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

// The means of two counts along a random route, toll roads and roads by the sea, and the means of
// their products: a matrix row by row. Subtract the products of the means to get covariances.
func ExampleDenseProduct() {
	base := semiring.Real{}
	ring, err := semiring.Expectation2(base, semiring.DenseProduct(base, 2, 2))
	if err != nil {
		panic(err)
	}
	road := func(p, toll, sea float64) semiring.Expected2[float64, []float64, []float64, []float64] {
		counts := []float64{p * toll, p * sea}
		return semiring.Expected2[float64, []float64, []float64, []float64]{
			P: p, R: counts, S: counts, T: []float64{p * toll * toll, p * toll * sea, p * sea * toll, p * sea * sea},
		}
	}
	z := routes(ring, road(.5, 1, 0), road(1, 1, 1), road(.5, 0, 1))
	fmt.Println("means", z.R, "of products", z.T)
	// Output: means [1 1] of products [2 1 1 1]
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

// The laws that a ring claims decide which algorithms are used.
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

// charge is a user's ring: the remaining charge of a battery, in percent. A road of weight 90
// takes 10, roads add up, an empty battery (0̄) goes nowhere, and of two ways the better one
// counts.
type charge struct{}

func (charge) Zero() int          { return 0 }
func (charge) One() int           { return 100 }
func (charge) Plus(a, b int) int  { return max(a, b) }
func (charge) Times(a, b int) int { return max(0, a+b-100) }
func (charge) IsZero(a int) bool  { return a == 0 }

// With Compare and Laws cycles can be solved, and best paths and trees found.
func (charge) Compare(a, b int) int { return cmp.Compare(b, a) }
func (charge) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Selective | semiring.Bounded
}

// streets is an endless grid, an implicit graph: a street east takes 3, one north 5.
// Corner (x, y) is state 1000·y + x, and the way leads from (0, 0) to (1, 1).
type streets struct{}

func (streets) Semiring() semiring.Semiring[int] { return charge{} }
func (streets) AppendStarts(dst []graph.Start[int]) []graph.Start[int] {
	return append(dst, graph.Start[int]{State: 0, Weight: 100})
}

func (streets) Final(s int32) int {
	if s == 1001 {
		return 100
	}
	return 0
}

func (streets) AppendArcs(dst []graph.Arc[int], s int32) []graph.Arc[int] {
	return append(dst, graph.Arc[int]{To: s + 1, Weight: 97}, graph.Arc[int]{To: s + 1000, Weight: 95})
}

// A user's semiring is a few lines. semiringtest tests the axioms and the claimed laws, and every
// algorithm runs on it.
func Example_newSemiring() {
	err := semiringtest.Check(charge{}, func(r *rand.Rand) int { return r.IntN(101) }, nil)
	fmt.Println("axioms:", err)

	// Roads: 0→1, 0→2, 1→0, 1→2, 1→3, 2→3. The way leads from 0 to 3, with cycles.
	roads, err := graph.New(charge{},
		[]int32{0, 2, 5, 6, 6}, []int32{1, 2, 0, 2, 3, 3}, []int{90, 70, 90, 95, 60, 80},
		[]graph.Start[int]{{State: 0, Weight: 100}}, []int{0, 0, 0, 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	total, _ := graph.PathSum(roads)
	from, _ := graph.Forward(roads)
	to, _ := graph.Backward(roads)
	pairs, _ := graph.AllPairs(roads)
	fmt.Println("path sum:", total, "forward:", from, "backward:", to)
	fmt.Println("all pairs:", pairs)

	path, _ := graph.BestPath(roads)
	fmt.Println("best path:", path.Arcs, path.Weight)
	paths, _ := graph.BestPaths(roads)
	for p := range paths {
		if p.Weight < 45 {
			break
		}
		fmt.Println("best paths:", p.Arcs, p.Weight)
	}
	toll := []int32{0, 7, 0, 7, 0, 0} // the sequences of tolls on the way
	tolls, _ := graph.UniqueBestPaths(roads, toll)
	for labels, p := range tolls {
		if p.Weight < 45 {
			break
		}
		fmt.Println("tolls:", labels, p.Weight)
	}
	pruned, _ := graph.PruneBeam(roads, 95) // 5 worse than the best at most
	fmt.Println("beam of 5 keeps arcs", pruned.Arc)
	for p, err := range graph.Search(context.Background(), streets{}, nil) {
		fmt.Println("search:", len(p.Arcs), "streets", p.Weight, err)
		break
	}

	// A forest: node 2 is derived from 0 and 1 at 90, or from 0 twice at 85.
	errands, err := forest.New(charge{}, []int32{0, 1, 2, 4}, []int32{0, 0, 0, 2, 4}, []int32{0, 1, 0, 0},
		[]int{95, 80, 90, 85}, []forest.Root[int]{{Node: 2, Weight: 100}})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, _ := forest.TreeSum(errands)
	inside, outside, _ := forest.Outside(errands)
	fmt.Println("tree sum:", sum, "inside:", inside, "outside:", outside)
	trees, _ := forest.BestTrees(errands)
	for t := range trees {
		fmt.Println("best trees:", t.Edges, t.Weight)
	}

	// Derived rings take it as a part: the three best ways, in one path sum.
	three, _ := semiring.KBest(charge{}, 3)
	ranked, _ := graph.PathSum(graph.Map(roads, three, func(w int) semiring.Ranked[int] {
		if w == 0 {
			return nil
		}
		return semiring.Ranked[int]{w}
	}))
	fmt.Println("three best:", ranked)
	// Output:
	// axioms: <nil>
	// path sum: 65 forward: [100 90 85 65] backward: [65 75 80 100]
	// all pairs: [[100 90 85 65] [90 100 95 75] [0 0 100 80] [0 0 0 100]]
	// best path: [0 3 5] 65
	// best paths: [0 3 5] 65
	// best paths: [1 5] 50
	// best paths: [0 4] 50
	// best paths: [0 2 0 3 5] 45
	// tolls: [7] 65
	// tolls: [] 50
	// beam of 5 keeps arcs [0 3 5]
	// search: 2 streets 92 <nil>
	// tree sum: 75 inside: [95 80 75] outside: [80 85 100]
	// best trees: [3 0 0] 75
	// best trees: [2 0 1] 65
	// three best: [65 50 50]
}

// roomy is a ring of your own: the width of the widest path. A path is as wide as its narrowest
// arc, and the wider of two paths counts.
type roomy struct{}

func (roomy) Zero() float64              { return 0 }
func (roomy) One() float64               { return math.Inf(1) }
func (roomy) Plus(a, b float64) float64  { return max(a, b) }
func (roomy) Times(a, b float64) float64 { return min(a, b) }
func (roomy) IsZero(a float64) bool      { return a == 0 }

// Star and Laws are promises: cycles gain nothing, and the order of factors does not matter.
func (r roomy) Star(float64) (float64, bool) { return r.One(), true }
func (roomy) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Idempotent | semiring.Bounded
}

// A user's ring in its shortest form: five methods, and two for cycles and composition.
func Example_roomyRing() {
	fmt.Println(semiringtest.Check(roomy{}, func(r *rand.Rand) float64 { return float64(r.IntN(9)) }, nil))
	// From 0 to 2: by 1, where 3 fits through, with a cycle 1 → 0; or at once, where 2 fits.
	pipes, err := graph.New(roomy{}, []int32{0, 2, 4, 4}, []int32{1, 2, 0, 2}, []float64{3, 2, 5, 4},
		[]graph.Start[float64]{{State: 0, Weight: math.Inf(1)}}, []float64{0, 0, math.Inf(1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(graph.PathSum(pipes))
	// Output:
	// <nil>
	// 3 <nil>
}
