package graph

import "example.org/pathsum/semiring/internal/rows"

// PathSum returns ⊕ over all paths of their weight, Zero if there is none.
func (t *Trellis[W]) PathSum(s *TrellisScratch[W]) W {
	s.grow(t)
	x, y := s.layer[0], s.layer[1]
	x = x[:len(t.initial)]
	t.begin(x, s)
	for layer := range t.steps {
		y = y[:t.block(layer).cols]
		t.forward(y, nil, x, layer, s)
		x, y = y, x
	}
	return t.total(x)
}

// Forward returns α per node: ⊕ over all paths from the first layer to it, its own
// weight included. They are kept in dst, if that is large enough.
func (t *Trellis[W]) Forward(dst []W, s *TrellisScratch[W]) []W {
	s.grow(t)
	dst = rows.Resized(dst, t.numNodes)
	t.alphas(dst, nil, s)
	return dst
}

// alphas sets dst to α of all nodes, and arrival, unless it is nil, to what α is
// without the paths that stay.
func (t *Trellis[W]) alphas(dst, arrival []W, s *TrellisScratch[W]) {
	lo, hi := 0, len(t.initial)
	t.begin(dst[:hi], s)
	if arrival != nil {
		copy(arrival, dst[:hi])
	}
	for layer := range t.steps {
		end := hi + t.block(layer).cols
		var arrived []W
		if arrival != nil {
			arrived = arrival[hi:end]
		}
		t.forward(dst[hi:end], arrived, dst[lo:hi], layer, s)
		lo, hi = hi, end
	}
}

// Backward returns β per node: ⊕ over all paths from it to the last layer, its own
// weight not included. They are kept in dst, if that is large enough.
func (t *Trellis[W]) Backward(dst []W, s *TrellisScratch[W]) []W {
	s.grow(t)
	dst = rows.Resized(dst, t.numNodes)
	hi := t.numNodes
	lo := hi - t.lastSize()
	z, next := s.layer[0], s.layer[1]
	t.end(dst[lo:hi])
	t.weighted(next, dst[lo:hi], len(t.steps), 0, int32(hi-lo))
	for layer := len(t.steps) - 1; layer >= 0; layer-- {
		z, next = next, z
		after := dst[lo:hi]
		lo, hi = lo-t.block(layer).rows, lo
		t.backward(dst[lo:hi], next, after, z, layer, s)
	}
	return dst
}

// lastSize returns the number of nodes of the last layer.
func (t *Trellis[W]) lastSize() int {
	if n := len(t.steps); n > 0 {
		return t.block(n - 1).cols
	}
	return len(t.initial)
}

// begin sets x to α of the first layer.
func (t *Trellis[W]) begin(x []W, s *TrellisScratch[W]) {
	v := t.nodeWeights(0)
	if t.float != nil && v != nil {
		if exp, ok := t.float.ToBlock(s.x, t.initial); ok {
			t.float.FromBlock(x, s.x[:len(x)], exp, v)
			return
		}
	}
	copy(x, t.initial)
	if v != nil {
		for i := range x {
			x[i] = t.ring.Times(x[i], v[i])
		}
	}
}

// end sets x to β of the last layer.
func (t *Trellis[W]) end(x []W) {
	if t.final != nil {
		copy(x, t.final)
		return
	}
	one := t.ring.One()
	for i := range x {
		x[i] = one
	}
}

// total returns the path sum from α of the last layer.
func (t *Trellis[W]) total(x []W) W {
	sum := t.ring.Zero()
	for i, w := range x {
		if t.final != nil {
			w = t.ring.Times(w, t.final[i])
		}
		sum = t.ring.Plus(sum, w)
	}
	return sum
}

// weighted sets z to node weights ⊗ β for the nodes first, …, end−1 of a layer; beta
// is that of the layer.
func (t *Trellis[W]) weighted(z, beta []W, layer int, first, end int32) {
	copy(z, beta[first:end])
	if v := t.nodeWeights(layer); v != nil {
		for i, w := range v[first:end] {
			z[i] = t.ring.Times(w, z[i])
		}
	}
}

// forward sets y to α of layer+1, and arrived, unless it is nil, to what that is without
// the paths that stay; x is α of layer.
func (t *Trellis[W]) forward(y, arrived, x []W, layer int, s *TrellisScratch[W]) {
	t.arrive(y, x, layer, s)
	if arrived != nil {
		copy(arrived, y)
	}
	if t.stays(layer) {
		t.addStay(y, x, layer)
	}
}

// arrive sets y to α of layer+1 without the paths that stay; x is that of layer.
func (t *Trellis[W]) arrive(y, x []W, layer int, s *TrellisScratch[W]) {
	b, v := t.block(layer), t.nodeWeights(layer+1)
	if b.real {
		if exp, ok := t.float.ToBlock(s.x, x); ok {
			b.rowTimes(s.y[:len(y)], s.x[:len(x)])
			t.float.FromBlock(y, s.y[:len(y)], exp+b.exp, v)
			return
		}
	}
	clear(y) // what it held may share storage with weights
	for j := range y {
		lo, hi, first, end := b.in.line(j)
		t.kernel.Dot(&y[j], x[first:end], nil, b.in.weight[lo:hi], nil)
	}
	for j, w := range v {
		y[j] = t.ring.Times(y[j], w)
	}
}

// backward sets y to β of layer, and next to node weights ⊗ β; after is β of layer+1 and
// z what next was for it. If it did so by a product of real numbers, z is
// s.x·2^(512·exp).
func (t *Trellis[W]) backward(y, next, after, z []W, layer int, s *TrellisScratch[W]) (exp int64, real bool) {
	b := t.block(layer)
	z, next = z[:b.cols], next[:b.rows]
	if b.real {
		if exp, ok := t.float.ToBlock(s.x, z); ok {
			m, e := s.y[:len(y)], exp+b.exp
			b.timesColumn(m, s.x[:len(z)])
			t.float.FromBlock(y, m, e, nil)
			if t.stays(layer) {
				t.addStayBack(y, after, layer)
				e, ok = t.float.ToBlock(m, y)
			}
			if v := t.nodeWeights(layer); v != nil && ok {
				t.float.FromBlock(next, m, e, v)
			} else {
				t.weighted(next, y, layer, 0, int32(len(y)))
			}
			return exp, true
		}
	}
	clear(y)
	for i := range y {
		lo, hi, first, end := b.out.line(i)
		t.kernel.Dot(&y[i], b.out.weight[lo:hi], nil, z[first:end], nil)
	}
	if t.stays(layer) {
		t.addStayBack(y, after, layer)
	}
	t.weighted(next, y, layer, 0, int32(len(y)))
	return 0, false
}
