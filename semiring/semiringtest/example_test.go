package semiringtest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// capacity is the ring of pipe widths: the wider of two pipes, the narrower of
// two in a row. Its author claims too much.
type capacity struct{}

func (capacity) Zero() int          { return 0 }
func (capacity) One() int           { return 100 }
func (capacity) Plus(a, b int) int  { return max(a, b) }
func (capacity) Times(a, b int) int { return min(a, b) }
func (capacity) IsZero(a int) bool  { return a == 0 }
func (capacity) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Selective | semiring.Bounded
}

func Example() {
	err := semiringtest.Check(capacity{}, func(r *rand.Rand) int { return 1 + r.IntN(100) }, nil)
	var violation *semiringtest.Violation
	if errors.As(err, &violation) {
		fmt.Println(violation.Law)
	}
	// Output:
	// Selective: the ring is Ordered
}

// minutes is the ring of the shortest delay, in whole minutes; -1 is no way.
type minutes struct{}

func (minutes) Zero() int { return -1 }
func (minutes) One() int  { return 0 }
func (minutes) Plus(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}
func (minutes) Times(a, b int) int {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}
func (minutes) IsZero(a int) bool { return a < 0 }

// The test that every ring should come with.
func TestMinutes(t *testing.T) {
	draw := func(r *rand.Rand) int { return r.IntN(50) - 1 } // with 0̄ and 1̄ among them
	semiringtest.Test(t, minutes{}, draw, nil)
}

// A ring that keeps the axioms. Weights are drawn with 0̄ and 1̄ among them.
func ExampleCheck() {
	draw := func(r *rand.Rand) int { return r.IntN(50) - 1 }
	fmt.Println(semiringtest.Check(minutes{}, draw, &semiringtest.Options[int]{Trials: 1000}))
	// Output: <nil>
}
