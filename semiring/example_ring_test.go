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
func Example_ownRing() {
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
