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

// DeterminizeAll is Determinize for transducers that write several strings for one that
// they read. The result, a p-subsequential transducer, writes all of them, each with the
// sum of its paths. What they have in common is written as soon as it is certain; the rests
// follow at the end of the string, each on an arc that reads ε. It ends if weights are as
// Determinize wants them and the rests to be remembered are bounded in number and length.
// Errors are as for Determinize, ErrNotFunctional apart. The limit counts each word that is
// left to a member like a member. A state whose cycles read the same and write several strings
// is no twin of itself.
//
// Mohri, "Finite-state transducers in language and speech processing" (1997), §3.6.
func DeterminizeAll[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("DeterminizeAll", m, o, determinizeAll[W])
}

func determinizeAll[W any](f *FST[W], o Options) (*FST[W], error) {
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, err
	}
	return withWords(connect(f), func(g *FST[gallic], n numbers) (*FST[gallic], error) { return determinedAll(g, n, o) })
}

// determinedAll returns the deterministic form of f, with ε-arcs where several words end.
func determinedAll(f *FST[gallic], n numbers, o Options) (*FST[gallic], error) {
	sets := setResiduals{newWordResiduals(n)}
	each := func(w gallic) []gallic {
		if n.IsZero(w.Second) {
			return nil
		}
		return []gallic{w}
	}
	g, err := determinize(mapFrozen(f, sets, each), sets, o)
	if err != nil {
		return nil, err
	}
	return spread(g, f.ring)
}

// spread returns f over ring, with arcs ε in place of final weights that are several.
func spread(f *FST[[]gallic], ring semiring.Semiring[gallic]) (*FST[gallic], error) {
	d, end := new(draft[gallic]), int32(f.NumStates())
	for s, rests := range f.final {
		final := ring.Zero()
		several := rests
		if len(rests) == 1 || len(rests) > 0 && rests[0].First.Len() == 0 {
			final, several = rests[0], rests[1:]
		}
		d.state(final)
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			addArc(&d.arcs, f.arcs.in[e], f.arcs.in[e], f.arcs.to[e], f.arcs.w[e][0])
		}
		for _, w := range several {
			addArc(&d.arcs, Epsilon, Epsilon, end, w)
		}
	}
	d.state(ring.One())
	for _, s := range f.starts {
		d.start(s.State, s.Weight[0])
	}
	g, err := d.freeze(ring)
	if err != nil {
		return nil, err
	}
	return connect(g), nil
}
