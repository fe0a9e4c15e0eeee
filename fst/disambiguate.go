package fst

import (
	"fmt"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Disambiguate returns a machine with the relation of f and one path at most for every
// string that it reads; ε is a label like any other: see RemoveEpsilon. Of the paths of
// f for a string the first remains, in the order of starts and arcs, and weighs the sum
// of all of them. Other than Determinize it leaves an unambiguous machine as it is (but
// for what Connect leaves out), and ends for machines that have no deterministic form.
// The result may have several starts.
//
// A transducer must be functional, as for Determinize: what its paths for a string
// have written differently so far waits until it is certain, if need be on arcs that
// read ε. See DisambiguateBest for other transducers.
//
// A state of the result is a state of f, with those that the same string leads to and
// from which, by another string in common, f may end in both: what is left to pay in
// each, and which of them have an earlier path. The ring must be what Determinize
// wants. Disambiguation ends for acyclic machines, and for those where any two such
// states have the same weight on cycles of the same labels (weak twins). The result
// may have exponentially many states. The error wraps semiring.ErrCapability;
// ErrNotFunctional and names two paths; or semiring.ErrLimit if the states and arcs
// of the result and the members of its sets, of which one with n labels left to write
// counts for about n/4, are more than o.Limit, together with ErrTwins if there are
// two states on the way that are no twins, which it names, or if the states and arcs
// of all pairs of states that the same strings lead to are more than that.
//
// Mohri and Riley, "On the disambiguation of weighted automata" (2015), have the sets
// and the condition, but another choice among the paths.
func Disambiguate[W any](f *FST[W], o *Options) (*FST[W], error) {
	nonnil.Check("fst: Disambiguate", "machine", f)
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, fmt.Errorf("fst: disambiguation: %w", err)
	}
	if f.acceptor() {
		return disambiguate(Connect(f), sums(f.ring), o.resolved())
	}
	g, err := disambiguate(toGallic(Connect(f)), functional(f.ring), o.resolved())
	if err != nil {
		return nil, err
	}
	return fromGallic(g, f)
}

// DisambiguateBest is Disambiguate for transducers that write several strings for one
// that they read: what DeterminizeBest is for Determinize.
func DisambiguateBest[W any](f *FST[W], o *Options) (*FST[W], error) {
	nonnil.Check("fst: DisambiguateBest", "machine", f)
	order, err := semiring.Require[semiring.Ordered[W]](f.ring)
	if err != nil {
		return nil, fmt.Errorf("fst: disambiguation: %w", err)
	}
	g, err := disambiguate(toGallic(Connect(f)), best(f.ring, order), o.resolved())
	if err != nil {
		return nil, err
	}
	return fromGallic(g, f)
}

// disambiguate returns the unambiguous form of an acceptor that is trimmed.
func disambiguate[W any](f *FST[W], arithmetic residuals[W], o Options) (*FST[W], error) {
	z, err := newDisambiguator(f, arithmetic, o)
	if err == nil {
		err = z.run()
	}
	if err != nil {
		return nil, fmt.Errorf("fst: disambiguation: %w", err)
	}
	z.draft.arcs.out = z.draft.arcs.in
	g, err := z.draft.freezeLike(f)
	if err != nil {
		return nil, err
	}
	return Connect(g), nil
}

// siblings are the pairs of states of an acceptor that the same string leads to and
// from which another one leads to ends.
type siblings struct{ pairs keytable.Table[uint64] }

// siblingsOf finds them among the paths of f ∘ f.
func siblingsOf[W any](f *FST[W], limit int) (*siblings, error) {
	var d draft[bool]
	var labels keytable.Table[int32]
	for s, w := range f.final {
		d.state(!f.ring.IsZero(w))
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			n, _ := labels.Number(f.arcs.in[e])
			label := n + 1 // ε is a label like any other
			d.arcs.add(label, label, f.arcs.to[e], true)
		}
	}
	for _, s := range f.starts {
		d.start(s.State, true)
	}
	plain, err := d.freeze(semiring.Boolean{})
	if err != nil {
		return nil, err
	}
	c, err := Compose[bool](plain, plain)
	if err != nil {
		return nil, err
	}
	both, err := Expand(c, limit)
	if err != nil {
		return nil, fmt.Errorf("pairs of states: %w", err)
	}
	x := new(siblings)
	for s, ok := range both.Graph().Coaccessible() {
		if p, q := c.State(int32(s)); ok {
			x.pairs.Number(keytable.Pair(p, q))
		}
	}
	return x, nil
}

func (x *siblings) are(p, q int32) bool { return x.pairs.Find(keytable.Pair(p, q)) >= 0 }
