package fst

// stateReader reads the states of a machine, a frozen one's where they are.
type stateReader[W any] struct {
	m      Machine[W]
	f      *FST[W] // m if it is frozen, else nil
	buf    []Arc[W]
	copied arcs[W]
}

func newStateReader[W any](m Machine[W]) stateReader[W] {
	f, _ := m.(*FST[W])
	return stateReader[W]{m: m, f: f}
}

// finalOf returns the final weight of state s.
func (r *stateReader[W]) finalOf(s int32) W {
	if f := r.f; f != nil {
		return f.final[s]
	}
	return r.m.Final(s)
}

// arcsOf returns arrays, and where in them the arcs of state s are, until the next call.
func (r *stateReader[W]) arcsOf(s int32) (*arcs[W], span) {
	if f := r.f; f != nil {
		return &f.arcs, span{f.labels.row[s], f.labels.row[s+1]}
	}
	r.buf = r.m.AppendArcs(r.buf[:0], s)
	r.copied.resize(0)
	r.copied.extend(r.buf)
	return &r.copied, span{0, int32(r.copied.len())}
}
