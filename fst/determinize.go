package fst

import (
	"errors"

	"example.org/pathsum/semiring"
)

var (
	// ErrNotFunctional is wrapped by the error for a transducer that writes
	// different strings for one that it reads.
	ErrNotFunctional = errors.New("transducer is not functional")
	// ErrTwins is wrapped by the error for a machine whose determinization or disambiguation
	// does not end. Two states that the same strings lead to have cycles of the same labels
	// and different weights.
	ErrTwins = errors.New("states are no twins")
)

// Determinize returns a machine with the relation of m, one initial state, and no
// state with two arcs that read the same label; ε is a label like any other, so a
// machine without ε on its input tape is wanted as a rule: see RemoveEpsilon. The
// states of an acceptor's result are sets of states of m with what is left to pay in
// each: initial, arc and final weights are the sums of what they stand for, divided
// out as early as possible. The arcs of a state are in order of labels.
//
// An acceptor is determinized as states are asked for. Little may be asked of one that has
// no deterministic form, or no end at all. A frozen one is trimmed before (Connect). Any
// other is taken as it is: states that lead to no end are members of sets like others. They
// may make more sets, even infinitely many, and other weights of arcs; strings have the
// same weights.
//
// A transducer must be frozen, and is determinized at once. It must be functional: for each
// string that it reads it writes one only. What the paths of a string have in common they
// write at once. Where the result writes several labels for one, arcs that read ε follow, so
// that it is deterministic apart from them. See DeterminizeBest and DeterminizeAll for other
// transducers.
//
// The ring must be a semiring.Divider, where a sum divides its summands, and a Keyer,
// and ⊗ must distribute from both sides; it need not be commutative. Determinization ends
// for acyclic machines. Two states that the same string leads to are twins if they have the
// same weight on cycles of the same labels. If all are, determinization ends where a ⊕ a = a,
// or the number of paths for a string is bounded. The result may have exponentially many
// states.
//
// These are the errors that Err wraps. Those for a transducer and a capability are there at
// once, the others when states are asked for:
//
//   - semiring.ErrCapability if the ring lacks one;
//   - ErrNotFunctional, with two paths;
//   - ErrInvalid for an arc of a machine that is not frozen and does not write what it reads;
//   - semiring.ErrLimit if the states and arcs of the result and the members of its sets are
//     more than o.Limit, where a member with n labels left to write counts for about n/4;
//   - semiring.ErrLimit if a weight, or what is left of it, leaves the range of a ring that
//     is semiring.Ranged;
//   - ErrTwins, besides ErrLimit, if two states on the way are no twins. It names them. What
//     their cycles write must differ in length to be noticed. If all states are wanted, as by
//     Expand, and it is certain that there is no end, the error comes long before the limit.
//
// Time and memory are proportional to the numbers that o.Limit bounds, and a factor of log
// for sorting the arcs of a set.
//
// Mohri, "Finite-state transducers in language and speech processing" (1997).
func Determinize[W any](m Machine[W], o *Options) Machine[W] {
	return lazily("Determinize", func() (Machine[W], error) { return determinizeAny(m, o.resolved()) }, m)
}

func determinizeAny[W any](m Machine[W], o Options) (Machine[W], error) {
	ring := m.Semiring()
	if err := semiring.RequireSide(ring, semiring.BothSides); err != nil {
		return nil, err
	}
	if f, ok := m.(*FST[W]); ok {
		f = connect(f)
		if !f.labels.acceptor() {
			return withWords(f, func(g *FST[gallic], n numbers) (*FST[gallic], error) {
				return determined(g, newWordResiduals(n), o)
			})
		}
		m = f
	}
	r, err := newRingResiduals(ring)
	if err != nil {
		return nil, err
	}
	return newSubsets("Determinize", m, r, o)
}

// DeterminizeBest is Determinize for transducers that write several strings for one
// that they read: the result writes the one with the best path only, with that path's
// weight; of equally good ones, one that depends on m alone. The ring must be
// semiring.Ordered besides.
func DeterminizeBest[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("DeterminizeBest", m, o, determinizeBest[W])
}

func determinizeBest[W any](f *FST[W], o Options) (*FST[W], error) {
	if _, err := semiring.Require[semiring.Ordered[W]](f.ring); err != nil {
		return nil, err
	}
	return withWords(connect(f), func(g *FST[gallic], n numbers) (*FST[gallic], error) {
		return determined(g, bestWords{newWordResiduals(n)}, o)
	})
}

// determinize returns the deterministic form of an acceptor that is trimmed.
func determinize[W any](f *FST[W], r residuals[W], o Options) (*FST[W], error) {
	return whole(newSubsets("", f, r, o))
}

// newSubsets returns the deterministic form of an acceptor, made on demand. Its errors begin
// with op and the operand, unless op is "".
func newSubsets[W any](op string, m Machine[W], r residuals[W], o Options) (Machine[W], error) {
	z := newDeterminizer(m, r, o)
	if err := z.start(); err != nil {
		return nil, err
	}
	x := newOnDemand(op, m, z.draft, z.keys.len, z.expand)
	x.same = true
	x.begin = func() error {
		z.whole = true
		return nil
	}
	return x, nil
}
