package fst

import (
	"errors"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Optimize returns a machine with the relation of f that has no arcs ε:ε, and is as
// small and deterministic as the other operations of this package can make it without
// taking risks: ε-removal, determinization and minimization, of a transducer with pairs
// of labels for labels, and of a cyclic machine with the weights in them (see Codec). So
// acyclic acceptors become minimal, and so do cyclic ones without weights; others
// become smaller. What takes more than o.Limit is left out: determinization and
// minimization, where the states and arcs of the result and the members of its sets
// are more.
//
// The ring must have what RemoveEpsilon, Determinize and Minimize need; errors are
// theirs but for that limit, and semiring.ErrLimit if ε-removal exceeds it.
func Optimize[W any](f *FST[W], o *Options) (*FST[W], error) {
	nonnil.Check("fst: Optimize", "machine", f)
	g, err := whole(RemoveEpsilon(f, o.resolved().Limit))
	if err != nil {
		return nil, err
	}
	var parts Parts
	if !g.acceptor() {
		parts |= Labels
	}
	if _, acyclic := g.Graph().TopologicalOrder(); !acyclic {
		parts |= Labels | Weights
	}
	c, err := NewCodec(f.ring, parts)
	if err != nil {
		return nil, err
	}
	h := g
	if parts != 0 {
		if h, err = c.Encode(g); err != nil {
			return nil, err
		}
	}
	h, err = whole(Determinize(h, o))
	if errors.Is(err, semiring.ErrLimit) {
		return g, nil
	}
	switch {
	case err != nil:
	case parts&Weights != 0: // nothing is left to push
		h, err = minimize(h, o.resolved().Delta)
	default:
		h, err = Minimize(h, o)
	}
	if err == nil && parts != 0 {
		h, err = c.Decode(h)
	}
	if err == nil && parts&Weights != 0 {
		h, err = whole(RemoveEpsilon(h, 0)) // arcs that differ in nothing but weight
	}
	if err != nil {
		return nil, err
	}
	return h.WithSymbols(f.inSymbols, f.outSymbols), nil
}
