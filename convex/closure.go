package convex

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/semiring/graph"
)

// Threshold returns the relation of the pairs whose entry is at least the given number.
func Threshold(m mat.Symmetric, least float64) [][]bool {
	n := m.SymmetricDim()
	r := make([][]bool, n)
	for i := range r {
		r[i] = make([]bool, n)
		for j := range r[i] {
			r[i][j] = m.At(i, j) >= least
		}
	}
	return r
}

// Closure returns the least equivalence relation that contains r: its reflexive,
// symmetric and transitive closure. That is the sum over paths in the Boolean semiring
// from each element to each other, graph.AllPairs. The error wraps ErrInvalid if r is not
// square, or is that of AllPairs.
func Closure(r [][]bool) ([][]bool, error) {
	var arcs [][2]int
	for i, row := range r {
		if len(row) != len(r) {
			return nil, invalid("row %d of a relation of %d elements has %d", i, len(r), len(row))
		}
		for j, related := range row {
			if related {
				arcs = append(arcs, [2]int{i, j}, [2]int{j, i})
			}
		}
	}
	closed, err := graph.AllPairs(newGraph(len(r), arcs))
	if err != nil {
		return nil, fmt.Errorf("convex: closure: %w", err)
	}
	return closed, nil
}

// IsEquivalence reports whether r is reflexive, symmetric and transitive: its own
// Closure. Errors are those of Closure.
func IsEquivalence(r [][]bool) (bool, error) {
	closed, err := Closure(r)
	return err == nil && slices.EqualFunc(r, closed, slices.Equal[[]bool]), err
}

// Labels returns the class of each element of an equivalence relation, numbered in the
// order of their least elements. The error wraps ErrInvalid if r is none; Closure repairs
// it.
func Labels(r [][]bool) ([]int, error) {
	if ok, err := IsEquivalence(r); err != nil {
		return nil, err
	} else if !ok {
		return nil, invalid("the relation is not an equivalence relation")
	}
	labels := make([]int, len(r))
	n := 0
	for i, row := range r {
		if first := slices.Index(row, true); first < i {
			labels[i] = labels[first]
		} else {
			labels[i] = n
			n++
		}
	}
	return labels, nil
}
