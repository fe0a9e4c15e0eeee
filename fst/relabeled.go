package fst

import (
	"fmt"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Relabeled is a machine with other labels, which are changed as arcs are asked for. It
// keeps nothing. It belongs to one goroutine, and so does the machine unless it is frozen.
type Relabeled[W any] struct {
	machine Machine[W]
	change  func(*Arc[W]) error
	err     error

	inSymbols, outSymbols *Symbols
}

// InvertLazily is Invert of any machine.
func InvertLazily[W any](m Machine[W]) *Relabeled[W] {
	nonnil.Check("fst: InvertLazily", "machine", m)
	in, out := symbolsOf(m)
	return &Relabeled[W]{machine: m, inSymbols: out, outSymbols: in, change: func(a *Arc[W]) error {
		a.In, a.Out = a.Out, a.In
		return nil
	}}
}

// ProjectInLazily is ProjectIn of any machine.
func ProjectInLazily[W any](m Machine[W]) *Relabeled[W] {
	nonnil.Check("fst: ProjectInLazily", "machine", m)
	in, _ := symbolsOf(m)
	return &Relabeled[W]{machine: m, inSymbols: in, outSymbols: in, change: func(a *Arc[W]) error {
		a.Out = a.In
		return nil
	}}
}

// ProjectOutLazily is ProjectOut of any machine.
func ProjectOutLazily[W any](m Machine[W]) *Relabeled[W] {
	nonnil.Check("fst: ProjectOutLazily", "machine", m)
	_, out := symbolsOf(m)
	return &Relabeled[W]{machine: m, inSymbols: out, outSymbols: out, change: func(a *Arc[W]) error {
		a.In = a.Out
		return nil
	}}
}

// RelabelLazily is Relabel of any machine. Where a label would be negative, the state has
// no arcs, and Err says so.
func RelabelLazily[W any](m Machine[W], in, out func(label int32) int32) *Relabeled[W] {
	nonnil.Check("fst: RelabelLazily", "machine", m)
	x := &Relabeled[W]{machine: m}
	x.inSymbols, x.outSymbols = symbolsOf(m)
	if in != nil {
		x.inSymbols = nil
	}
	if out != nil {
		x.outSymbols = nil
	}
	x.change = func(a *Arc[W]) (err error) {
		if a.In, err = relabel(a.In, in); err == nil {
			a.Out, err = relabel(a.Out, out)
		}
		return err
	}
	return x
}

// Err returns the first error of relabeling, wrapping ErrInvalid, or else that of the
// machine that is relabeled; nil if there has been none.
func (x *Relabeled[W]) Err() error {
	if x.err != nil {
		return x.err
	}
	return errOf(x.machine)
}

// Semiring returns the ring of the weights.
func (x *Relabeled[W]) Semiring() semiring.Semiring[W] { return x.machine.Semiring() }

// InSymbols returns the names of the input labels, nil if they have none.
func (x *Relabeled[W]) InSymbols() *Symbols { return x.inSymbols }

// OutSymbols returns the names of the output labels, nil if they have none.
func (x *Relabeled[W]) OutSymbols() *Symbols { return x.outSymbols }

// AppendStarts appends the initial states to dst.
func (x *Relabeled[W]) AppendStarts(dst []Start[W]) []Start[W] { return x.machine.AppendStarts(dst) }

// Final returns the final weight of state s, Zero if s is not final.
func (x *Relabeled[W]) Final(s int32) W { return x.machine.Final(s) }

// AppendArcs appends the arcs that leave state s to dst.
func (x *Relabeled[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	n := len(dst)
	dst = x.machine.AppendArcs(dst, s)
	for i := range dst[n:] {
		if err := x.change(&dst[n+i]); err != nil {
			if x.err == nil {
				x.err = fmt.Errorf("fst: relabel: %w: state %d, arc %d: %w", ErrInvalid, s, i, err)
			}
			return dst[:n]
		}
	}
	return dst
}
