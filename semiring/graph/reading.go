package graph

// reading says from where the sum of a state takes its values: from other[n] by
// arc[n] (or n if arc is nil) for n = row[s], …, row[s+1]−1.
type reading struct{ row, other, arc []int32 }

// out is the reading of β, from the heads of arcs.
func (t *topology) out() reading { return reading{t.row, t.to, nil} }

// in is the reading of α, from the tails of arcs.
func (t *topology) in() reading {
	in := t.incoming()
	return reading{in.row, in.from, in.arc}
}

// backward reports whether values come from the heads of arcs.
func (r reading) backward() bool { return r.arc == nil }

// arcAt returns the n-th arc.
func (r reading) arcAt(n int32) int32 {
	if r.arc == nil {
		return n
	}
	return r.arc[n]
}
