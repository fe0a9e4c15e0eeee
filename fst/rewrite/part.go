package rewrite

import "example.org/pathsum/fst"

// part is either the insertions of a rule, whose φ are empty, or its other changes.
type part[W any] struct {
	change  *fst.FST[W]
	inserts bool
}

// split returns the parts of a change: insertions, and changes that read a label. A change of one
// kind is its only part.
func split[W any](change *fst.FST[W]) ([]part[W], error) {
	inserts, err := reading(change, false)
	if err != nil {
		return nil, err
	}
	if inserts.NumStates() == 0 {
		return []part[W]{{change, false}}, nil
	}
	reads, err := reading(change, true)
	if err != nil {
		return nil, err
	}
	if reads.NumStates() == 0 {
		return []part[W]{{change, true}}, nil
	}
	return []part[W]{{inserts, true}, {reads, false}}, nil
}

// reading returns the paths of f that read a label, or, if reads is false, the paths that read only
// ε. Each state of f becomes two states, before and after the first label.
func reading[W any](f *fst.FST[W], reads bool) (*fst.FST[W], error) {
	ring, n := f.Semiring(), int32(f.NumStates())
	b := fst.NewBuilder(ring)
	b.SetSymbols(f.InSymbols(), f.OutSymbols())
	b.AddStates(2 * int(n))
	for _, start := range f.AppendStarts(nil) {
		if !ring.IsZero(start.Weight) {
			b.AddStart(start.State, start.Weight)
		}
	}
	for s := range n {
		final := s
		if reads {
			final += n
		}
		if w := f.Final(s); !ring.IsZero(w) {
			b.SetFinal(final, w)
		}
		for _, a := range f.AppendArcs(nil, s) {
			if ring.IsZero(a.Weight) {
				continue
			}
			before, behind := a, a
			if behind.To += n; a.In != fst.Epsilon {
				before.To += n
			}
			b.AddArc(s, before)
			b.AddArc(s+n, behind)
		}
	}
	f, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	return fst.Connect(f, nil)
}
