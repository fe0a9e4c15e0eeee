// Package machines has the operations on machines, and the queries of graphs, that packages of
// models and of training share, compiled once for each type of weights that they use. A generic
// function is compiled in every package that calls it, with all that it needs itself; a function
// that stands in a variable is compiled here, and costs its callers nothing.
package machines

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Operations are the operations of package fst of the same names, over one type of weights.
type Operations[W any] struct {
	Compose       func(a, b fst.Machine[W]) fst.Machine[W]
	Concat        func(m fst.Machine[W], more ...fst.Machine[W]) fst.Machine[W]
	ProjectIn     func(m fst.Machine[W]) fst.Machine[W]
	ProjectOut    func(m fst.Machine[W]) fst.Machine[W]
	RemoveEpsilon func(m fst.Machine[W]) fst.Machine[W]
	Expand        func(m fst.Machine[W], o *fst.Options) (*fst.FST[W], error)
	Connect       func(m fst.Machine[W], o *fst.Options) (*fst.FST[W], error)
	FromString    func(ring semiring.Semiring[W], labels []int32) *fst.FST[W]
	NewBuilder    func(ring semiring.Semiring[W]) Builder[W]
	NewArena      func(ring semiring.Semiring[W]) Arena[W]
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
	Compose(a, b fst.Machine[W]) fst.Machine[W]
	Expand(m fst.Machine[W], o *fst.Options) (*fst.FST[W], error)
}

// Exprs are the operations over expressions of parameters, Scaled over probabilities.
var (
	Exprs  = operations[expr.W]()
	Scaled = operations[semiring.ScaledFloat]()
)

func operations[W any]() Operations[W] {
	return Operations[W]{
		Compose:       func(a, b fst.Machine[W]) fst.Machine[W] { return fst.Compose(a, b) },
		Concat:        fst.Concat[W],
		ProjectIn:     fst.ProjectIn[W],
		ProjectOut:    fst.ProjectOut[W],
		RemoveEpsilon: fst.RemoveEpsilon[W],
		Expand:        fst.Expand[W],
		Connect:       fst.Connect[W],
		FromString:    fst.FromString[W],
		NewBuilder:    func(ring semiring.Semiring[W]) Builder[W] { return fst.NewBuilder(ring) },
		NewArena:      func(ring semiring.Semiring[W]) Arena[W] { return arena[W]{fst.NewArena(ring)} },
	}
}

// arena is an fst.Arena whose compositions are any Machine.
type arena[W any] struct{ *fst.Arena[W] }

func (a arena[W]) Compose(left, right fst.Machine[W]) fst.Machine[W] {
	return a.Arena.Compose(left, right)
}
