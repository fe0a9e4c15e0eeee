package semiring_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/semiringtest"
)

// schedule is the ring (max, +): the days of consecutive tasks add up, and where ways meet the
// longest one counts.
type schedule struct{}

func (schedule) Zero() float64              { return math.Inf(-1) }
func (schedule) One() float64               { return 0 }
func (schedule) Plus(a, b float64) float64  { return max(a, b) }
func (schedule) Times(a, b float64) float64 { return a + b }
func (schedule) IsZero(a float64) bool      { return math.IsInf(a, -1) }

// With Compare and Laws cycles can be solved, and best paths found.
func (schedule) Compare(a, b float64) int { return cmp.Compare(b, a) }
func (schedule) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Selective | semiring.Cancellative
}

// Dot makes it a Kernel, together with Dot2, Marginals and Marginals2, and as fast as a ring of
// the package: one call per state. A nil index slice stands for 0, 1, 2, …; if it is rare, a fold
// suffices.
func (schedule) Dot(dst *float64, w []float64, k []int32, x []float64, i []int32) {
	if i == nil {
		fold.Dot(dst, w, k, x, i)
		return
	}
	longest := math.Inf(-1)
	for n, in := range i {
		if k != nil {
			n = int(k[n])
		}
		longest = max(longest, w[n]+x[in])
	}
	*dst = longest
}

func (schedule) Dot2(dst *float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
	fold.Dot2(dst, w, k, x, i, y, j)
}

func (schedule) Marginals(p []float64, a float64, w []float64, k []int32, x []float64, i []int32) {
	fold.Marginals(p, a, w, k, x, i)
}

func (schedule) Marginals2(p []float64, a float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
	fold.Marginals2(p, a, w, k, x, i, y, j)
}

// fold is the kernel of the ring without its own one.
var fold = semiring.KernelOf(struct{ semiring.Semiring[float64] }{schedule{}})

// Your own ring with a Kernel is as fast as the rings of the package.
func Example_newKernel() {
	days := func(r *rand.Rand) float64 { return float64(r.IntN(30)) }
	if err := semiringtest.Check(schedule{}, days, nil); err != nil {
		fmt.Println(err)
	}

	// Tasks are arcs: design (0→1, 5 days), build (1→2, 10), order parts (0→2, 12),
	// write the manual (1→3, 4), test (2→3, 3).
	project, err := graph.New(schedule{},
		[]int32{0, 2, 4, 5, 5},
		[]int32{1, 2, 2, 3, 3},
		[]float64{5, 12, 10, 4, 3},
		[]graph.Start[float64]{{State: 0, Weight: 0}},
		[]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1), 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	total, _ := graph.PathSum(project)
	earliest, _ := graph.Forward(project)
	rest, _ := graph.Backward(project)
	fmt.Println("days", total)
	fmt.Println("earliest", earliest)
	fmt.Println("days left", rest)

	// The slack of a task is its maximum delay.
	row, to, weight := project.Row(), project.To(), project.Weights()
	for s := range project.NumStates() {
		for e := row[s]; e < row[s+1]; e++ {
			fmt.Printf("task %d→%d slack %v\n", s, to[e], total-(earliest[s]+weight[e]+rest[to[e]]))
		}
	}
	// Output:
	// days 18
	// earliest [0 5 15 18]
	// days left [18 13 3 0]
	// task 0→1 slack 0
	// task 0→2 slack 3
	// task 1→2 slack 0
	// task 1→3 slack 9
	// task 2→3 slack 0
}

// widest is a user's ring: ⊕ is the maximum, ⊗ the minimum, so a path is as wide as its narrowest
// arc.
type widest struct{}

func (widest) Zero() float64              { return 0 }
func (widest) One() float64               { return math.Inf(1) }
func (widest) Plus(a, b float64) float64  { return max(a, b) }
func (widest) Times(a, b float64) float64 { return min(a, b) }
func (widest) IsZero(a float64) bool      { return a == 0 }
func (widest) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Selective | semiring.Bounded
}

// rowsOf returns order, or all rows if order is nil.
func rowsOf(order, row []int32) []int32 {
	if order != nil {
		return order
	}
	for s := range int32(len(row) - 1) {
		order = append(order, s)
	}
	return order
}

// Sweep and Spread make widest a Sweeper: each is a loop over rows and a loop over the terms of a
// row.
func (widest) Sweep(x []float64, order, row []int32, w []float64, i []int32) {
	for _, s := range rowsOf(order, row) {
		for n := row[s]; n < row[s+1]; n++ {
			x[s] = max(x[s], min(w[n], x[i[n]]))
		}
	}
}

func (widest) Spread(x []float64, order, row []int32, w []float64, i []int32) {
	for _, s := range rowsOf(order, row) {
		for n := row[s]; n < row[s+1]; n++ {
			x[i[n]] = max(x[i[n]], min(w[n], x[s]))
		}
	}
}

// With these methods, one call of the ring sums an acyclic graph.
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
