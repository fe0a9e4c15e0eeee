package forest

import (
	"fmt"

	"example.org/pathsum/internal/columns"
	"example.org/pathsum/semiring"
)

// Parts holds a number for every part of a forest that a tree is made of. A nil slice
// stands for zeros.
type Parts struct {
	Root []float64 // per root entry
	Edge []float64 // per edge
}

// newParts returns zeros for the parts of a forest, and the same as one slice: roots,
// edges.
func newParts[W any](f *Forest[W]) (Parts, []float64) {
	roots := len(f.roots)
	all := make([]float64, roots+f.NumEdges())
	return Parts{all[:roots:roots], all[roots:]}, all
}

// fillParts returns v with zeros for its nil slices. The error wraps
// semiring.ErrShape if a slice does not fit f.
func fillParts[W any](f *Forest[W], v Parts) (Parts, error) {
	for _, x := range []struct {
		v    *[]float64
		n    int
		what string
	}{{&v.Root, len(f.roots), "roots"}, {&v.Edge, f.NumEdges(), "edges"}} {
		if *x.v == nil {
			*x.v = make([]float64, x.n)
		}
		if len(*x.v) != x.n {
			return v, fmt.Errorf("forest: %w: numbers for %d %s, want %d", semiring.ErrShape, len(*x.v), x.what, x.n)
		}
	}
	return v, nil
}

// Values gives every part of a forest a vector of Dim numbers. The value of a tree is
// the sum over its parts: its root entry, and its edges as often as it uses them.
type Values struct {
	Dim        int
	Root, Edge semiring.Rows
}

// table returns the vectors of roots and edges after checking them.
func table[W any](f *Forest[W], v Values) ([]semiring.Rows, error) {
	if v.Dim < 1 {
		return nil, fmt.Errorf("forest: %w: values of %d components, want one at least", semiring.ErrShape, v.Dim)
	}
	roots, err := columns.Check(v.Root, len(f.roots), v.Dim, semiring.ErrShape)
	if err != nil {
		return nil, fmt.Errorf("forest: values of roots: %w", err)
	}
	edges, err := columns.Check(v.Edge, f.NumEdges(), v.Dim, semiring.ErrShape)
	if err != nil {
		return nil, fmt.Errorf("forest: values of edges: %w", err)
	}
	return []semiring.Rows{roots, edges}, nil
}
