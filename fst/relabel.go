package fst

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Invert returns m with its tapes exchanged: ⟦Invert(m)⟧(x, y) = ⟦m⟧(y, x). Any ring is
// allowed. States keep their numbers. The result for a frozen machine is frozen and takes
// constant time: see FST.Inverse.
func Invert[W any](m Machine[W]) Machine[W] {
	return ofTapes("Invert", m, Output, Input)
}

// Inverse returns f with its tapes exchanged, like Invert, in constant time. The result is an
// *FST, for callers that read its arcs.
func (f *FST[W]) Inverse() *FST[W] {
	return withTapes(f, f.arcs.out, f.arcs.in, f.outSymbols, f.inSymbols)
}

// ProjectIn returns the acceptor of m's input strings, ⟦ProjectIn(m)⟧(x, x) = ⊕_y ⟦m⟧(x, y):
// both labels of an arc become its input label. Any ring is allowed. States keep their numbers.
// The result for a frozen machine is frozen and takes constant time.
func ProjectIn[W any](m Machine[W]) Machine[W] {
	return ofTapes("ProjectIn", m, Input, Input)
}

// ProjectOut returns the acceptor of m's output strings: ProjectIn with the tapes exchanged.
func ProjectOut[W any](m Machine[W]) Machine[W] {
	return ofTapes("ProjectOut", m, Output, Output)
}

// ofTapes returns the machine whose tapes are the tapes in and out of m.
func ofTapes[W any](op string, m Machine[W], in, out Tape) Machine[W] {
	nonnil.Check("fst: "+op, "machine", m)
	if refusal(m) != nil {
		return m
	}
	var symbols [2]*Symbols
	symbols[Input], symbols[Output] = symbolsOf(m)
	if f, ok := m.(*FST[W]); ok {
		labels := [2][]int32{f.arcs.in, f.arcs.out}
		return withTapes(f, labels[in], labels[out], symbols[in], symbols[out])
	}
	return &relabeled[W]{Machine: m, names: names{op, symbols[in], symbols[out]}, change: func(a *Arc[W]) error {
		labels := [2]int32{a.In, a.Out}
		a.In, a.Out = labels[in], labels[out]
		return nil
	}}
}

// Relabel returns m with other labels: in and out map the labels of their tapes, including ε;
// nil leaves a tape unchanged. A tape with other labels loses its names: see FST.WithSymbols.
// Any ring is allowed. States keep their numbers. If a label of a state would become negative,
// the state has no arcs, and Err wraps ErrInvalid. The result for a frozen machine is frozen
// and takes O(arcs).
func Relabel[W any](m Machine[W], in, out func(label int32) int32) Machine[W] {
	nonnil.Check("fst: Relabel", "machine", m)
	if refusal(m) != nil {
		return m
	}
	x := &relabeled[W]{Machine: m, names: names{op: "Relabel"}, change: func(a *Arc[W]) (err error) {
		if a.In, err = relabel(a.In, in); err == nil {
			a.Out, err = relabel(a.Out, out)
		}
		return err
	}}
	x.inSymbols, x.outSymbols = symbolsOf(m)
	if in != nil {
		x.inSymbols = nil
	}
	if out != nil {
		x.outSymbols = nil
	}
	if f, ok := m.(*FST[W]); ok {
		if g := x.frozen(f, in, out); g != nil {
			return g
		}
	}
	return x
}

// relabel returns the changed label, or label itself if change is nil.
func relabel(label int32, change func(int32) int32) (int32, error) {
	if change == nil {
		return label, nil
	}
	changed := change(label)
	if changed < 0 {
		return 0, fmt.Errorf("label %d becomes %d", label, changed)
	}
	return changed, nil
}

// relabeled is a machine with other labels, which are changed on demand. It caches nothing.
type relabeled[W any] struct {
	Machine[W]
	names
	change func(*Arc[W]) error
	err    error
}

// frozen returns f with other labels, nil if one is negative.
func (x *relabeled[W]) frozen(f *FST[W], in, out func(int32) int32) *FST[W] {
	tapes := [2][]int32{f.arcs.in, f.arcs.out}
	for tape, change := range [2]func(int32) int32{in, out} {
		if change == nil {
			continue
		}
		labels := make([]int32, len(tapes[tape]))
		for e, label := range tapes[tape] {
			var err error
			if labels[e], err = relabel(label, change); err != nil {
				return nil
			}
		}
		tapes[tape] = labels
	}
	return withTapes(f, tapes[Input], tapes[Output], x.inSymbols, x.outSymbols)
}

// Err returns the first error of relabeling, or of the underlying machine.
func (x *relabeled[W]) Err() error {
	if x.err != nil {
		return x.err
	}
	return Err(x.Machine)
}

// AppendArcs appends the arcs that leave state s to dst.
func (x *relabeled[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	n := len(dst)
	dst = x.Machine.AppendArcs(dst, s)
	for i := range dst[n:] {
		if err := x.change(&dst[n+i]); err != nil {
			if x.err == nil {
				x.err = failure("Relabel", nested.Errorf("%w: state %d, arc %d: %w", ErrInvalid, s, i, err), x.Machine)
			}
			return dst[:n]
		}
	}
	return dst
}

// Map returns the image of m under h, a machine over ring with the states, arcs and labels of
// m. If h is a homomorphism of rings, it also maps path sums. The result for a frozen machine
// is frozen, takes O(states + arcs), and shares the label indexes of m.
func Map[A, B any](m Machine[A], ring semiring.Semiring[B], h func(A) B) Machine[B] {
	nonnil.Check("fst: Map", "machine", m, "ring", ring, "function", h)
	if f, ok := m.(*FST[A]); ok {
		return mapFrozen(f, ring, h)
	}
	if err := refusal(m); err != nil {
		return Failed(ring, err)
	}
	x := &mapped[A, B]{names: names{op: "Map"}, machine: m, ring: ring, h: h}
	x.inSymbols, x.outSymbols = symbolsOf(m)
	return x
}

// mapped is a machine with other weights, which are computed on demand. It caches nothing.
type mapped[A, B any] struct {
	names
	machine Machine[A]
	ring    semiring.Semiring[B]
	h       func(A) B
	starts  []Start[A]
	arcs    []Arc[A]
}

// Err returns the error of the underlying machine.
func (x *mapped[A, B]) Err() error { return Err(x.machine) }

// Semiring returns the ring of the weights.
func (x *mapped[A, B]) Semiring() semiring.Semiring[B] { return x.ring }

// AppendStarts appends the initial states to dst.
func (x *mapped[A, B]) AppendStarts(dst []Start[B]) []Start[B] {
	x.starts = x.machine.AppendStarts(x.starts[:0])
	for _, s := range x.starts {
		dst = append(dst, Start[B]{State: s.State, Weight: x.h(s.Weight)})
	}
	return dst
}

// Final returns the final weight of state s, Zero if s is not final.
func (x *mapped[A, B]) Final(s int32) B { return x.h(x.machine.Final(s)) }

// AppendArcs appends the arcs that leave state s to dst.
func (x *mapped[A, B]) AppendArcs(dst []Arc[B], s int32) []Arc[B] {
	x.arcs = x.machine.AppendArcs(x.arcs[:0], s)
	for _, a := range x.arcs {
		dst = append(dst, Arc[B]{In: a.In, Out: a.Out, To: a.To, Weight: x.h(a.Weight)})
	}
	return dst
}
