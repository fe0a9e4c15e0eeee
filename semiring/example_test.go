package semiring_test

import (
	"errors"
	"fmt"
	"math/big"

	"example.org/pathsum/semiring"
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
