package fst

import "example.org/pathsum/semiring"

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
