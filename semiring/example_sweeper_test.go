package semiring_test

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// widest is a user's ring: ⊕ is the maximum, ⊗ the minimum, and so a path is as wide
// as its narrowest arc.
type widest struct{}

func (widest) Zero() float64              { return 0 }
func (widest) One() float64               { return math.Inf(1) }
func (widest) Plus(a, b float64) float64  { return max(a, b) }
func (widest) Times(a, b float64) float64 { return min(a, b) }
func (widest) IsZero(a float64) bool      { return a == 0 }
func (widest) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Selective | semiring.Bounded
}

// Sweep and Spread make widest a Sweeper: each is a loop over rows and a loop over the
// terms of one.
func (widest) Sweep(x []float64, order, row []int32, w []float64, i []int32) {
	for p := range len(row) - 1 {
		s := p
		if order != nil {
			s = int(order[p])
		}
		for n := row[s]; n < row[s+1]; n++ {
			x[s] = max(x[s], min(w[n], x[i[n]]))
		}
	}
}

func (widest) Spread(x []float64, order, row []int32, w []float64, i []int32) {
	for p := range len(row) - 1 {
		s := p
		if order != nil {
			s = int(order[p])
		}
		for n := row[s]; n < row[s+1]; n++ {
			x[i[n]] = max(x[i[n]], min(w[n], x[s]))
		}
	}
}

// A ring with these methods has acyclic graphs summed in one call.
func ExampleSweeper() {
	sweeper, ok := semiring.As[semiring.Sweeper[float64]](widest{})
	if !ok {
		return
	}
	// Arcs into state 1 from 0; into 2 from 0 and 1.
	row, from, width := []int32{0, 0, 1, 3}, []int32{0, 0, 1}, []float64{5, 2, 4}
	x := []float64{math.Inf(1), 0, 0} // state 0 is the start
	sweeper.Sweep(x, nil, row, width, from)
	fmt.Println(x)

	// The same arcs, out of state 0 to 1 and 2; out of 1 to 2.
	row, to, width := []int32{0, 2, 3, 3}, []int32{1, 2, 2}, []float64{5, 2, 4}
	x = []float64{math.Inf(1), 0, 0}
	sweeper.Spread(x, nil, row, width, to)
	fmt.Println(x)
	// Output:
	// [+Inf 5 4]
	// [+Inf 5 4]
}
