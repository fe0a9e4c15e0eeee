package semiring_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/semiringtest"
)

// charge is a ring of one's own: what is left of a battery, in percent. A road of
// weight 90 takes 10, roads add up, an empty battery (0̄) goes nowhere, and of two ways
// the better one counts.
type charge struct{}

func (charge) Zero() int          { return 0 }
func (charge) One() int           { return 100 }
func (charge) Plus(a, b int) int  { return max(a, b) }
func (charge) Times(a, b int) int { return max(0, a+b-100) }
func (charge) IsZero(a int) bool  { return a == 0 }

// Compare and Laws let cycles be solved, and best paths and trees found.
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

// A semiring of one's own is a few lines. semiringtest tries whether it keeps the
// axioms and the laws that it claims, and every algorithm runs on it.
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

// roomy is a ring of one's own: how much fits through. What has to pass a and b is as large as
// the smaller of the two, and of two ways the wider one counts.
type roomy struct{}

func (roomy) Zero() float64              { return 0 }
func (roomy) One() float64               { return math.Inf(1) }
func (roomy) Plus(a, b float64) float64  { return max(a, b) }
func (roomy) Times(a, b float64) float64 { return min(a, b) }
func (roomy) IsZero(a float64) bool      { return a == 0 }

// Star and Laws are two promises: cycles gain nothing, and the order of factors does not matter.
func (r roomy) Star(float64) (float64, bool) { return r.One(), true }
func (roomy) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Idempotent | semiring.Bounded
}

// A ring of one's own in its shortest form: five methods, and two for cycles and composition.
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

// schedule is the ring (max, +): tasks in a row take the sum of their days, and where
// ways meet the longest counts.
type schedule struct{}

func (schedule) Zero() float64              { return math.Inf(-1) }
func (schedule) One() float64               { return 0 }
func (schedule) Plus(a, b float64) float64  { return max(a, b) }
func (schedule) Times(a, b float64) float64 { return a + b }
func (schedule) IsZero(a float64) bool      { return math.IsInf(a, -1) }

// Compare and Laws let cycles be solved, and best paths found.
func (schedule) Compare(a, b float64) int { return cmp.Compare(b, a) }
func (schedule) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Selective | semiring.Cancellative
}

// Dot makes it a Kernel with Dot2, Marginals and Marginals2, and as fast as a ring of the package:
// one call per state. A nil index slice stands for 0, 1, 2, …; where it is rare, a
// fold will do.
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

// fold is the kernel of the ring without that of its own.
var fold = semiring.KernelOf(struct{ semiring.Semiring[float64] }{schedule{}})

// A ring of one's own with a Kernel is as fast as those of the package.
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

	// The slack of a task is what it may be late.
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
