// Package machines has the operations on machines that packages of models and of training share,
// compiled once for each type of weights that they use. A generic function is compiled in every
// package that calls it, with all its dependencies; a function in a variable is compiled here, at
// no cost to its callers. Packages graphs and forests have queries in the same way.
package machines

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Operations are the operations of package fst of the same names, over one type of weights.
type Operations[W any] struct {
	Compose       func(a, b fst.Machine[W]) Composition[W]
	Intersect     func(a, b fst.Machine[W]) Composition[W]
	Concat        func(m fst.Machine[W], more ...fst.Machine[W]) fst.Machine[W]
	ProjectIn     func(m fst.Machine[W]) fst.Machine[W]
	ProjectOut    func(m fst.Machine[W]) fst.Machine[W]
	RemoveEpsilon func(m fst.Machine[W]) fst.Machine[W]
	Expand        func(m fst.Machine[W], o *fst.Options) (*fst.FST[W], error)
	Connect       func(m fst.Machine[W], o *fst.Options) (*fst.FST[W], error)
	PruneArcs     func(m fst.Machine[W], keep func(w W) bool, o *fst.Options) (*fst.FST[W], error)
	StringMap     func(ring semiring.Semiring[W], paths []fst.Path[W]) fst.Machine[W]
	FromString    func(ring semiring.Semiring[W], labels []int32) *fst.FST[W]
	OneState      func(ring semiring.Semiring[W], final W, arcs ...fst.Arc[W]) fst.Machine[W]
	NewBuilder    func(ring semiring.Semiring[W]) Builder[W]
	NewArena      func(ring semiring.Semiring[W]) Arena[W]
}

// Composition is an fst.Composition.
type Composition[W any] interface {
	fst.Machine[W]
	State(s int32) (a, b int32)
}

// Builder is an fst.Builder.
type Builder[W any] interface {
	AddState() int32
	AddStates(n int) int32
	AddArc(from int32, a fst.Arc[W])
	AddStart(s int32, w W)
	SetFinal(s int32, w W)
	SetSymbols(in, out *fst.Symbols)
	AllowZero()
	Freeze() (*fst.FST[W], error)
}

// Arena is an fst.Arena.
type Arena[W any] interface {
	SetSemiring(ring semiring.Semiring[W])
	Reset()
	String(labels []int32) *fst.FST[W]
	Compose(a, b fst.Machine[W]) Composition[W]
	Expand(m fst.Machine[W], o *fst.Options) (*fst.FST[W], error)
}

// Exprs are the operations over expressions of parameters, Scaled over probabilities.
var (
	Exprs  = Of[expr.W]()
	Scaled = Of[semiring.ScaledFloat]()
)

// Of returns the operations over any type of weights, compiled by the caller.
func Of[W any]() Operations[W] {
	return Operations[W]{
		Compose:       func(a, b fst.Machine[W]) Composition[W] { return fst.Compose(a, b) },
		Intersect:     func(a, b fst.Machine[W]) Composition[W] { return fst.Intersect(a, b) },
		Concat:        fst.Concat[W],
		ProjectIn:     fst.ProjectIn[W],
		ProjectOut:    fst.ProjectOut[W],
		RemoveEpsilon: fst.RemoveEpsilon[W],
		Expand:        fst.Expand[W],
		Connect:       fst.Connect[W],
		PruneArcs:     fst.PruneArcs[W],
		StringMap:     fst.StringMap[W],
		FromString:    fst.FromString[W],
		OneState:      fst.OneState[W],
		NewBuilder:    func(ring semiring.Semiring[W]) Builder[W] { return fst.NewBuilder(ring) },
		NewArena:      func(ring semiring.Semiring[W]) Arena[W] { return arena[W]{fst.NewArena(ring)} },
	}
}

// arena is an fst.Arena.
type arena[W any] struct{ *fst.Arena[W] }

func (a arena[W]) Compose(left, right fst.Machine[W]) Composition[W] {
	return a.Arena.Compose(left, right)
}
