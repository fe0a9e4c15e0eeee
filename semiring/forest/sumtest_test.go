package forest_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// indexed is a forest whose weights are indices into a table.
type indexed struct {
	*forest.Forest[int32]
	table []semiring.ScaledFloat
}

// over returns the forest with the weights of the table.
func (f *indexed) over(ring semiring.Semiring[semiring.ScaledFloat]) *forest.Forest[semiring.ScaledFloat] {
	return forest.Map(f.Forest, ring, func(k int32) semiring.ScaledFloat { return f.table[k] })
}

// add adds weight times the numbers of the parts to the numbers of their entries.
func (f *indexed) add(count []float64, weight float64, p forest.Parts) {
	for i, root := range f.Roots() {
		count[root.Weight] += weight * p.Root[i]
	}
	for e, k := range f.Weights() {
		count[k] += weight * p.Edge[e]
	}
}

func (f *indexed) sum(*struct{}) (semiring.ScaledFloat, error) {
	return forest.TreeSum(f.over(semiring.Scaled{}))
}

func (f *indexed) counts(weight float64, count []float64, _ *struct{}) (semiring.ScaledFloat, error) {
	p, err := forest.Posteriors(f.over(semiring.Scaled{}))
	if err != nil {
		return semiring.ScaledFloat{}, err
	}
	f.add(count, weight, forest.Parts{Root: p.Root, Edge: p.Edge})
	return p.Total, nil
}

func (f *indexed) along(v []float64, weight float64, count, change []float64, _ *struct{}) (semiring.ScaledFloat, error) {
	var values forest.Parts
	for _, root := range f.Roots() {
		values.Root = append(values.Root, v[root.Weight])
	}
	for _, k := range f.Weights() {
		values.Edge = append(values.Edge, v[k])
	}
	p, product, err := forest.PosteriorsAlong(f.over(semiring.Scaled{}), values)
	switch {
	case errors.Is(err, forest.ErrNoTree):
		return semiring.ScaledFloat{}, nil
	case err != nil:
		return semiring.ScaledFloat{}, err
	}
	f.add(count, weight, forest.Parts{Root: p.Root, Edge: p.Edge})
	f.add(change, weight, product)
	return p.Total, nil
}

func (f *indexed) best(dst []int32, _ *struct{}) ([]int32, semiring.ScaledFloat, error) {
	tree, err := forest.BestTree(f.over(semiring.Viterbi{}))
	if err != nil || tree.Root < 0 || !tree.Weight.IsFinite() {
		return dst, tree.Weight, err
	}
	list := []int32{0}
	for _, root := range f.Roots() {
		if root.Node == tree.Root && (list[0] == 0 || f.table[root.Weight].Cmp(f.table[list[0]]) > 0) {
			list[0] = root.Weight
		}
	}
	for _, e := range tree.Edges {
		list = append(list, f.Weights()[e])
	}
	weight := semiring.NewScaled(1)
	for _, k := range list {
		if weight = weight.Mul(f.table[k]); k != 1 {
			dst = append(dst, k)
		}
	}
	return dst, weight, nil
}

// indexedForests returns how to make a forest; trees of more than most edges do not matter.
func indexedForests(random func(r *rand.Rand, size int) *forest.Forest[int32], most int) func(r *rand.Rand, size int) (*sumtest.Machine[struct{}], bool) {
	return func(r *rand.Rand, size int) (*sumtest.Machine[struct{}], bool) {
		f := &indexed{Forest: random(r, size)}
		ways := func() ([][]int32, bool) { return sumtest.Trees(f.Forest, nil, most, 500) }
		list, ok := ways()
		return &sumtest.Machine[struct{}]{
			Ways:  ways,
			Weigh: func(table []semiring.ScaledFloat) error { f.table = table; return nil },
			Sum:   f.sum, Counts: f.counts, Along: f.along, Best: f.best,
		}, len(list) > 0 || !ok
	}
}

func TestIndexedForests(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[struct{}]{
		New: indexedForests(func(r *rand.Rand, size int) *forest.Forest[int32] {
			shape := foresttest.Shape{Nodes: size, Edges: 3 * size, Tails: 3, Roots: 2, Trees: 100, Zero: .1}
			return foresttest.New(r, sumtest.Handles{}, shape, func(r *rand.Rand) int32 { return 1 + r.Int32N(8) })
		}, 1000),
		Small: 7, Large: 14, Entries: 9, Spread: 1e4, Allocates: true, // beyond, ∞ · 0 may be NaN
	})
}

// With cycles, all entries are so small that large trees do not matter.
func TestCyclicIndexedForests(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[struct{}]{
		New: indexedForests(func(r *rand.Rand, size int) *forest.Forest[int32] {
			f := foresttest.Cyclic(r, foresttest.Shape{Nodes: size, Edges: 3, Tails: 2, Roots: 2}, 1)
			return forest.Map(f, sumtest.Handles{}, func(float64) int32 { return 2 + r.Int32N(7) })
		}, 8),
		Small: 4, Large: 8, Entries: 9, Center: -20, Spread: 1, Least: 1e-11,
		Negative: semiring.ErrNegative, Allocates: true, Diverges: true,
	})
}
