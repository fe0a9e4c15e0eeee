package sumtest

import (
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Handles is the ring of indices into a table, as far as storages need it: 0 is Zero and 1 is
// One.
type Handles struct{}

// Zero returns 0.
func (Handles) Zero() int32 { return 0 }

// One returns 1.
func (Handles) One() int32 { return 1 }

// Plus panics: indices are not added.
func (Handles) Plus(a, b int32) int32 { panic("sumtest: indices are not added") }

// Times panics: indices are not multiplied.
func (Handles) Times(a, b int32) int32 { panic("sumtest: indices are not multiplied") }

// IsZero reports whether a is 0.
func (Handles) IsZero(a int32) bool { return a == 0 }

// lister lists derivations until there are too many, or listing them takes too long.
type lister struct {
	ways        [][]int32
	limit, left int // the maximum number of derivations, and the remaining steps
}

// step reports whether another step may be taken.
func (l *lister) step() bool {
	l.left--
	return l.left >= 0
}

// add lists a derivation, and reports whether there may be more.
func (l *lister) add(way []int32) bool {
	l.ways = append(l.ways, way)
	return len(l.ways) <= l.limit
}

func listerOf(limit int) *lister { return &lister{limit: limit, left: 50 * limit} }

// Paths returns the entries of every path of g with at most most arcs, from the start weight to
// the final weight. It returns false if there are more than limit paths, or many dead ends.
func Paths(g *graph.Graph[int32], most, limit int) (ways [][]int32, ok bool) {
	l := listerOf(limit)
	var follow func(way []int32, s int32) bool
	follow = func(way []int32, s int32) bool {
		if f := g.Finals()[s]; f != 0 && !l.add(append(slices.Clone(way), f)) {
			return false
		}
		for e := g.Row()[s]; e < g.Row()[s+1] && len(way) <= most; e++ {
			if w := g.Weights()[e]; w != 0 && !(l.step() && follow(append(slices.Clone(way), w), g.To()[e])) {
				return false
			}
		}
		return true
	}
	for _, start := range g.Starts() {
		if start.Weight != 0 && !follow([]int32{start.Weight}, start.State) {
			return nil, false
		}
	}
	return l.ways, true
}

// Trees returns the entries of every tree of f with at most most edges, from the root weight on
// in preorder. It returns false if there are more than limit trees, or many dead ends. leaf
// returns the entry of a leaf at a node, or 0 if a tree cannot end there; nil means that trees
// end at no node.
func Trees(f *forest.Forest[int32], leaf func(v int32) int32, most, limit int) (ways [][]int32, ok bool) {
	l := listerOf(limit)
	// derive completes way by derivations of the nodes in open, last first.
	var derive func(way []int32, edges int, open []int32) bool
	derive = func(way []int32, edges int, open []int32) bool {
		if len(open) == 0 {
			return l.add(way)
		}
		v, rest := open[len(open)-1], open[:len(open)-1]
		if leaf != nil && leaf(v) != 0 && !derive(append(slices.Clone(way), leaf(v)), edges, rest) {
			return false
		}
		for e := f.Edges()[v]; e < f.Edges()[v+1] && edges < most; e++ {
			if f.Weights()[e] == 0 {
				continue
			}
			tails := slices.Clone(f.Tails(e))
			slices.Reverse(tails)
			if !l.step() || !derive(append(slices.Clone(way), f.Weights()[e]), edges+1, slices.Concat(rest, tails)) {
				return false
			}
		}
		return true
	}
	for _, r := range f.Roots() {
		if r.Weight != 0 && !derive([]int32{r.Weight}, 0, []int32{r.Node}) {
			return nil, false
		}
	}
	return l.ways, true
}

// answers has the reference answers for a table.
type answers struct {
	total, best semiring.ScaledFloat
	count       []float64 // per entry: expected uses
	change      []float64 // per entry: their derivative along v
	size        []float64 // per entry: the magnitude of the terms whose difference is change
}

// enumerate sums over ways.
func enumerate(ways [][]int32, table []semiring.ScaledFloat, v []float64) *answers {
	n := len(table)
	a := &answers{count: make([]float64, n), change: make([]float64, n), size: make([]float64, n)}
	weight, value := make([]semiring.ScaledFloat, len(ways)), make([]float64, len(ways))
	for i, way := range ways {
		weight[i] = product(way, table)
		a.total, a.best = a.total.Add(weight[i]), semiring.Viterbi{}.Plus(a.best, weight[i])
		for _, k := range way {
			value[i] += v[k]
		}
	}
	if a.total.IsZero() || !a.total.IsFinite() {
		return a
	}
	mean := 0.0
	for i := range ways {
		mean += weight[i].Div(a.total).Float64() * value[i]
	}
	for i, way := range ways {
		p := weight[i].Div(a.total).Float64()
		for _, k := range way {
			a.count[k] += p
			a.change[k] += p * (value[i] - mean)
			a.size[k] += p * (abs(value[i]) + abs(mean))
		}
	}
	return a
}

// used returns the entries of ways other than 1, in order.
func used(ways [][]int32) []int32 {
	all := slices.Concat(ways...)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(k int32) bool { return k == 1 })
}

func product(way []int32, table []semiring.ScaledFloat) semiring.ScaledFloat {
	w := semiring.NewScaled(1)
	for _, k := range way {
		w = w.Mul(table[k])
	}
	return w
}

func abs(x float64) float64 { return max(x, -x) }
