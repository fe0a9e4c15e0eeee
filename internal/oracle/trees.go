package oracle

import (
	"iter"
	"math/big"

	"example.org/pathsum/semiring/forest"
)

// Trees returns all trees of f without weights of Zero. It yields the index of a root entry
// with the trees of its node, in depth-first order of their edges. A tree's weight is
// multiplied in preorder; its edges are valid until the next tree.
func Trees[W any](f *forest.Forest[W]) iter.Seq2[int, forest.Tree[W]] {
	return func(yield func(int, forest.Tree[W]) bool) {
		ring := f.Ring()
		// derive completes t by derivations of the nodes in open, last first.
		var derive func(root int, t forest.Tree[W], open []int32) bool
		derive = func(root int, t forest.Tree[W], open []int32) bool {
			if len(open) == 0 {
				return yield(root, t)
			}
			v, rest := open[len(open)-1], open[:len(open)-1]
			for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
				w := f.Weights()[e]
				if ring.IsZero(w) {
					continue
				}
				next := append([]int32(nil), rest...)
				tails := f.Tails(e)
				for i := range tails {
					next = append(next, tails[len(tails)-1-i])
				}
				more := forest.Tree[W]{Root: t.Root, Edges: append(t.Edges, e), Weight: ring.Times(t.Weight, w)}
				if !derive(root, more, next) {
					return false
				}
			}
			return true
		}
		for i, r := range f.Roots() {
			if !ring.IsZero(r.Weight) && !derive(i, forest.Tree[W]{Root: r.Node, Weight: r.Weight}, []int32{r.Node}) {
				return
			}
		}
	}
}

// TreeSum returns the sum of the weights of Trees.
func TreeSum[W any](f *forest.Forest[W]) W {
	sum := f.Ring().Zero()
	for _, t := range Trees(f) {
		sum = f.Ring().Plus(sum, t.Weight)
	}
	return sum
}

// Inside returns, per node, the sum over its derivations.
func Inside[W any](f *forest.Forest[W]) []W {
	inside := make([]W, f.NumNodes())
	for v := range inside {
		root := []forest.Root[W]{{Node: int32(v), Weight: f.Ring().One()}}
		inside[v] = TreeSum(must(f.WithWeights(f.Weights(), root)))
	}
	return inside
}

// Through returns, per node, edge and root entry, the sum over its uses in trees of
// the tree's weight.
func Through[W any](f *forest.Forest[W]) (nodes, edges, roots []W) {
	zeros := func(n int) []W {
		x := make([]W, n)
		for i := range x {
			x[i] = f.Ring().Zero()
		}
		return x
	}
	nodes, edges, roots = zeros(f.NumNodes()), zeros(f.NumEdges()), zeros(len(f.Roots()))
	head := make([]int32, f.NumEdges())
	for v := range int32(f.NumNodes()) {
		for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
			head[e] = v
		}
	}
	for r, t := range Trees(f) {
		roots[r] = f.Ring().Plus(roots[r], t.Weight)
		for _, e := range t.Edges {
			edges[e] = f.Ring().Plus(edges[e], t.Weight)
			nodes[head[e]] = f.Ring().Plus(nodes[head[e]], t.Weight)
		}
	}
	return nodes, edges, roots
}

// LikelyTrees returns the trees of f that weigh at least least; all weights must be at most 1.
// The forest may have cycles: parts of a tree weigh no less than the tree.
func LikelyTrees(f *forest.Forest[float64], least float64) iter.Seq2[int, forest.Tree[float64]] {
	return func(yield func(int, forest.Tree[float64]) bool) {
		var derive func(root int, t forest.Tree[float64], open []int32) bool
		derive = func(root int, t forest.Tree[float64], open []int32) bool {
			if t.Weight < least || t.Weight == 0 {
				return true
			}
			if len(open) == 0 {
				return yield(root, t)
			}
			v, rest := open[len(open)-1], open[:len(open)-1]
			for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
				next := append([]int32(nil), rest...)
				tails := f.Tails(e)
				for i := range tails {
					next = append(next, tails[len(tails)-1-i])
				}
				if !derive(root, forest.Tree[float64]{Root: t.Root, Edges: append(t.Edges, e), Weight: t.Weight * f.Weights()[e]}, next) {
					return false
				}
			}
			return true
		}
		for i, r := range f.Roots() {
			if !derive(i, forest.Tree[float64]{Root: r.Node, Weight: r.Weight}, []int32{r.Node}) {
				return
			}
		}
	}
}

// Fixpoint returns the inside weights of f, whose weights are not negative, in numbers of prec
// bits: the limit of x = F(x) from 0. It ends when a round changes every number by at most 2⁻ᵇ
// of itself, b being three quarters of prec. It returns false if limit rounds do not suffice,
// or if a number grows beyond 2⁶⁴.
func Fixpoint(f *forest.Forest[float64], prec uint, limit int) ([]*big.Float, bool) {
	x := make([]*big.Float, f.NumNodes())
	for v := range x {
		x[v] = new(big.Float).SetPrec(prec)
	}
	small, large := new(big.Float).SetMantExp(big.NewFloat(1), -int(prec)*3/4), new(big.Float).SetMantExp(big.NewFloat(1), 64)
	for range limit {
		settled := true
		for v := range x {
			sum := new(big.Float).SetPrec(prec)
			for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
				term := new(big.Float).SetPrec(prec).SetFloat64(f.Weights()[e])
				for _, u := range f.Tails(e) {
					term.Mul(term, x[u])
				}
				sum.Add(sum, term)
			}
			change := new(big.Float).Sub(sum, x[v])
			settled = settled && change.Abs(change).Cmp(new(big.Float).Mul(sum, small)) <= 0
			if x[v] = sum; sum.Cmp(large) > 0 {
				return nil, false
			}
		}
		if settled {
			return x, true
		}
	}
	return nil, false
}
