package batch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

const tableSize = 9

// handleGraph is a random graph of handles below tableSize.
func handleGraph(r *rand.Rand, shape graphtest.Shape) *graph.Graph[int32] {
	return graphtest.New(r, handles{}, shape, func(r *rand.Rand) int32 { return 1 + r.Int32N(tableSize-1) })
}

// handleForest is a random forest of handles below tableSize, edges of arity 0 to 4,
// nodes in any order, parts underivable or not reached.
func handleForest(r *rand.Rand, nodes int) *forest.Forest[int32] {
	handle := func() int32 {
		if r.IntN(10) == 0 {
			return 0
		}
		return 1 + r.Int32N(tableSize-1)
	}
	n := r.IntN(nodes + 1)
	name := make([]int32, n)
	rank := make([]int32, n)
	for i, v := range r.Perm(n) {
		name[i], rank[v] = int32(v), int32(i)
	}
	if r.IntN(2) == 0 {
		for i := range name {
			name[i], rank[i] = int32(i), int32(i)
		}
	}
	edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []int32{}
	for v := range n {
		for range r.IntN(4) {
			if below := rank[v]; below > 0 {
				for range []int{0, 1, 1, 2, 2, 2, 3, 4}[r.IntN(8)] {
					tails = append(tails, name[r.Int32N(below)])
				}
			}
			tail, weight = append(tail, int32(len(tails))), append(weight, handle())
		}
		edge = append(edge, int32(len(weight)))
	}
	var roots []forest.Root[int32]
	if n > 0 {
		for range r.IntN(3) {
			roots = append(roots, forest.Root[int32]{Node: int32(r.IntN(n)), Weight: handle()})
		}
		if r.IntN(2) == 0 {
			roots = []forest.Root[int32]{{Node: name[n-1], Weight: 1}}
		}
	}
	f, err := forest.New(handles{}, edge, tail, tails, weight, roots)
	if err != nil {
		panic(err)
	}
	return f
}

// randomTable has entries of all magnitudes up to 2^(±spread), and 0 and 1 where
// they belong.
func randomTable(r *rand.Rand, spread float64) []semiring.ScaledFloat {
	table := make([]semiring.ScaledFloat, tableSize)
	for k := range table {
		table[k] = semiring.ScaledFromLog(spread * math.Ln2 * (2*r.Float64() - 1))
		if r.IntN(12) == 0 {
			table[k] = semiring.ScaledFloat{}
		}
	}
	table[0], table[1] = semiring.ScaledFloat{}, semiring.NewScaled(1)
	return table
}

// ones returns a table of ones.
func ones() []semiring.ScaledFloat {
	table := make([]semiring.ScaledFloat, tableSize)
	for k := 1; k < len(table); k++ {
		table[k] = semiring.NewScaled(1)
	}
	return table
}

// perArc is to be deferred before the loop of a benchmark.
func perArc(b *testing.B, arcs int) func() { return benchtime.Per(b, arcs, "arc") }

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// randomRows returns the rows of an acyclic graph with ten arcs out of each state,
// the first to the next state and the others at most span ahead.
func randomRows(r *rand.Rand, arcs, span int) (row, to []int32) {
	const degree = 10
	states := arcs/degree + 1
	row, to = make([]int32, 1, states+1), make([]int32, 0, arcs)
	for s := range states - 1 {
		to = append(to, int32(s+1))
		for range degree - 1 {
			to = append(to, int32(s+1+r.IntN(min(span, states-1-s))))
		}
		row = append(row, int32(len(to)))
	}
	return append(row, int32(len(to))), to
}
