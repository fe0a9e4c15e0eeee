package batch

import (
	"errors"
	"math"

	"example.org/pathsum/internal/forests"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// cyclicForest is a forest whose weights are indices into a table.
type cyclicForest struct{ *forest.Forest[int32] }

// appendCyclic is AppendForest for a cyclic forest. The rows of the item only list the weights
// that its trees use.
func appendCyclic[H ~int32](b *Batch, f *forest.Forest[H]) (trees bool, err error) {
	if edges := len(b.k) + f.NumEdges() + len(f.Roots()); edges > math.MaxInt32 {
		return false, nested.Errorf("batch: %w: a batch of %d edges takes no forest of %d more", semiring.ErrLimit, len(b.k), f.NumEdges())
	}
	if b.forests == nil {
		b.forests = new(forestAssembler)
	}
	a := b.forests
	a.order = f.Order()
	a.number = make([]int32, f.NumNodes())
	findDerivable(a, f, nil)
	if !findUseful(a, f) {
		return false, nil
	}
	b.begin()
	b.addRight(len(b.k) - len(b.right))
	b.endNode() // node 0
	for v := range int32(f.NumNodes()) {
		for e := f.Edges()[v]; e < f.Edges()[v+1] && a.number[v] == useful; e++ {
			if derives(a, f, e) {
				b.addEdge(int32(f.Weights()[e]), 0, 0)
			}
		}
	}
	for _, r := range f.Roots() {
		if r.Weight != 0 && a.number[r.Node] == useful {
			b.addEdge(int32(r.Weight), 0, 0)
		}
	}
	b.endNode()
	b.end()
	b.setCyclic(cyclicForest{forest.Map(f, nil, func(w H) int32 { return int32(w) })})
	return true, nil
}

// weighted returns the forest over ring, with weights looked up in table.
func (f cyclicForest) weighted(table []semiring.ScaledFloat, ring semiring.Semiring[semiring.ScaledFloat]) *forest.Forest[semiring.ScaledFloat] {
	return forests.Map(f.Forest, ring, func(k int32) semiring.ScaledFloat { return table[k] })
}

func (f cyclicForest) sum(_ item, table []semiring.ScaledFloat) (semiring.ScaledFloat, error) {
	total, err := forests.TreeSum(f.weighted(table, semiring.Scaled{}))
	return total, failed(err)
}

func (f cyclicForest) counts(_ item, table []semiring.ScaledFloat, weight float64, count []float64) (semiring.ScaledFloat, error) {
	p, err := forests.Posteriors(f.weighted(table, semiring.Scaled{}))
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	f.addParts(forest.Parts{Root: p.Root, Edge: p.Edge}, weight, count)
	return p.Total, nil
}

// addParts adds weight times the number of uses of each part to the count of the part's weight.
func (f cyclicForest) addParts(parts forest.Parts, weight float64, count []float64) {
	for i, r := range f.Roots() {
		count[r.Weight] += weight * parts.Root[i]
	}
	for e, k := range f.Weights() {
		count[k] += weight * parts.Edge[e]
	}
}

func (f cyclicForest) hessianVector(_ item, table []semiring.ScaledFloat, v []float64, weight float64, count, change []float64) (semiring.ScaledFloat, error) {
	values := forest.Parts{Root: make([]float64, len(f.Roots())), Edge: make([]float64, f.NumEdges())}
	for i, r := range f.Roots() {
		values.Root[i] = v[r.Weight]
	}
	for e, k := range f.Weights() {
		values.Edge[e] = v[k]
	}
	p, product, err := forests.PosteriorsAlong(f.weighted(table, semiring.Scaled{}), values)
	if errors.Is(err, forest.ErrNoTree) {
		return semiring.ScaledFloat{}, nil
	}
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	f.addParts(forest.Parts{Root: p.Root, Edge: p.Edge}, weight, count)
	f.addParts(product, weight, change)
	return p.Total, nil
}

func (f cyclicForest) best(_ item, table []semiring.ScaledFloat, dst []int32) ([]int32, semiring.ScaledFloat, error) {
	best, err := forests.BestTree(f.weighted(table, semiring.Viterbi{}))
	switch {
	case err != nil:
		return dst, semiring.ScaledFloat{}, failed(err)
	case best.Root < 0:
		return dst, semiring.ScaledFloat{}, nil
	case !best.Weight.IsFinite():
		return dst, best.Weight, notFinite(best.Weight)
	}
	greatest := int32(-1)
	for _, r := range f.Roots() {
		if r.Node == best.Root && (greatest < 0 || table[r.Weight].Cmp(table[greatest]) > 0) {
			greatest = r.Weight
		}
	}
	if greatest != 1 {
		dst = append(dst, greatest)
	}
	for _, e := range best.Edges {
		if k := f.Weights()[e]; k != 1 {
			dst = append(dst, k)
		}
	}
	return dst, best.Weight, nil
}

// bytes returns 0: the size of a forest depends on its caches.
func (f cyclicForest) bytes(item) int { return 0 }

// clone returns f, which does not depend on the rows.
func (f cyclicForest) clone() cyclicItem { return f }
