package batch

import (
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
)

// inside computes the values of all nodes except leaves.
func (l *Lanes) inside(table []semiring.ScaledFloat, s *LanesScratch) {
	b := &l.batch
	for v := int32(1); int(v) < len(s.nodes); v++ {
		if b.row[v] == b.row[v+1] {
			continue // a leaf
		}
		if exp, shape, ok := l.align(v, table, s); ok {
			l.sumAligned(v, exp, shape, table, s)
		} else {
			l.sumUnlike(v, table, s)
		}
	}
}

// term returns edge e with its weight; false if the edge's term is 0.
func (l *Lanes) term(e int32, table []semiring.ScaledFloat, s *LanesScratch) (w semiring.ScaledFloat, left, right int32, ok bool) {
	b := &l.batch
	w, left, right = table[b.k[e]], b.left[e], b.right[e]
	return w, left, right, w.Mant != 0 && s.nodes[left].high != 0 && s.nodes[right].high != 0
}

// align returns the exponent and the shape that all terms of node v share, and false if terms
// differ.
func (l *Lanes) align(v int32, table []semiring.ScaledFloat, s *LanesScratch) (exp int64, shape int32, ok bool) {
	some := false
	for e := l.batch.row[v]; e < l.batch.row[v+1]; e++ {
		w, left, right, ok := l.term(e, table, s)
		if !ok {
			continue
		}
		x, y := &s.nodes[left], &s.nodes[right]
		q, sum := w.Exp+x.exp+y.exp, s.sumOf(x.shape, y.shape)
		if some && (q != exp || sum != shape) {
			return 0, 0, false
		}
		exp, shape, some = q, sum, true
	}
	return exp, shape, true
}

// sumAligned computes the values of node v, whose terms have the given exponent and shape. It
// checks the values only if the bounds derived from the tails leave the range.
func (l *Lanes) sumAligned(v int32, exp int64, shape int32, table []semiring.ScaledFloat, s *LanesScratch) {
	z := s.value(v)
	clear(z)
	low, high := greatest, 0.0
	var unary fourEdges
	for e := l.batch.row[v]; e < l.batch.row[v+1]; e++ {
		w, left, right, ok := l.term(e, table, s)
		if !ok {
			continue
		}
		x, y := &s.nodes[left], &s.nodes[right]
		low = min(low, w.Mant*x.low*y.low)
		high += w.Mant * x.high * y.high
		switch {
		case right != 0:
			unary.addValues(z, s)
			addProduct(z, w.Mant, s.value(left), s.value(right))
		case unary.add(w.Mant, left, e):
			unary.addValues(z, s)
		}
	}
	unary.addValues(z, s)
	if high > 0 && !(low >= smallest && high <= greatest) {
		low, high = bounds(z)
	}
	s.settle(v, exp, shape, low, high)
}

// fourEdges collects edges with one tail: four edges at once take less time than one by one.
type fourEdges struct {
	n    int
	w    [4]float64
	left [4]int32
	edge [4]int32
}

// add adds an edge, and reports whether there are now four.
func (f *fourEdges) add(w float64, left, edge int32) bool {
	f.w[f.n], f.left[f.n], f.edge[f.n] = w, left, edge
	f.n++
	return f.n == 4
}

// addValues adds the terms of the edges to z, and removes them. In each lane they are added in
// the order of the edges, as in all loops, so that the bits of a sum do not depend on the other
// lanes.
func (f *fourEdges) addValues(z []float64, s *LanesScratch) {
	if f.n < 4 {
		for i, w := range f.w[:f.n] {
			floats.AddScaled(z, w, s.value(f.left[i]))
		}
		f.n = 0
		return
	}
	w0, w1, w2, w3 := f.w[0], f.w[1], f.w[2], f.w[3]
	x0, x1 := s.value(f.left[0])[:len(z)], s.value(f.left[1])[:len(z)]
	x2, x3 := s.value(f.left[2])[:len(z)], s.value(f.left[3])[:len(z)]
	for i, a := range z {
		a += float64(w0 * x0[i]) // not fused, because other loops round here, too
		a += float64(w1 * x1[i])
		a += float64(w2 * x2[i])
		a += float64(w3 * x3[i])
		z[i] = a
	}
	f.n = 0
}

// addProduct adds w·x·y to z, lane by lane.
func addProduct(z []float64, w float64, x, y []float64) {
	x, y = x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] += float64(w * x[i] * y[i])
	}
}

// sumUnlike computes the values of node v, whose terms differ in exponent or shape.
func (l *Lanes) sumUnlike(v int32, table []semiring.ScaledFloat, s *LanesScratch) {
	z, exp := s.value(v), s.buffer[:s.lanes]
	clear(z)
	clear(exp)
	for e := l.batch.row[v]; e < l.batch.row[v+1]; e++ {
		w, left, right, ok := l.term(e, table, s)
		if !ok {
			continue
		}
		x, y := s.value(left), s.value(right)
		ex, ey := s.offset(s.nodes[left].shape), s.offset(s.nodes[right].shape)
		q0 := w.Exp + s.nodes[left].exp + s.nodes[right].exp
		for i := range z {
			t, q := float64(w.Mant*x[i]*y[i]), q0+ex[i]+ey[i]
			if q == exp[i] {
				z[i] += t
			} else {
				z[i], exp[i] = addShifted(z[i], exp[i], t, q)
			}
		}
	}
	s.settleLanes(v, exp)
}

// addShifted returns z·2^(512·e) + t·2^(512·q) as a number and an exponent. A zero does not raise
// the exponent. Terms are within [2^-1000, 2^1000].
func addShifted(z float64, e int64, t float64, q int64) (float64, int64) {
	switch {
	case t == 0:
		return z, e
	case z == 0:
		return t, q
	case e < q:
		return t + shifted(z, e-q), q
	}
	return z + shifted(t, q-e), e
}
