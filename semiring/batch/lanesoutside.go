package batch

import (
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
)

// push computes the expected uses of all edges and adds them, summed over the lanes, to count.
// Initially the units of the root are its expected uses.
//
// The unit of a node times its value is its expected uses: the unit is the outside weight divided
// by the total, with an exponent opposite to the value's. The unit of a value 0 is arbitrary. It
// is cleared only if it might overflow.
//
// A node's units are in use from the first edge that leads to the node until the node itself is
// done; then another node takes their slot. Leaves have no units: numbers written to their slot,
// that of node 0, are ignored.
func (l *Lanes) push(table []semiring.ScaledFloat, count []float64, s *LanesScratch) {
	root := int32(len(s.nodes) - 1)
	u, most := s.unit(root), 0.0 // most: expected uses of a node
	for i, x := range s.value(root) {
		most = max(most, u[i])
		if x != 0 {
			u[i] /= x
		} else {
			u[i] = 0
		}
	}
	for v := range s.nodes {
		s.nodes[v].reach, s.nodes[v].pushed = 0, false
	}
	s.nodes[root].reach, s.nodes[root].pushed = most/s.nodes[root].low, true
	for v := root; v > 0; v-- {
		n := &s.nodes[v]
		if !n.pushed || s.slot[v] == 0 {
			continue
		}
		s.limit(v, most)
		shift := n.termExp - n.exp
		if n.termShape == n.shape && -1 <= shift && shift <= 1 {
			l.pushAligned(v, shift, table, count, s)
		} else {
			l.pushUnlike(v, most, table, count, s)
		}
	}
}

// assignSlots assigns a slot to the units of every node.
func (l *Lanes) assignSlots() {
	b := &l.batch
	l.slot, l.slots = make([]int32, b.NumNodes()), 1
	var free []int32
	place := func(v int32) {
		if b.row[v] == b.row[v+1] || l.slot[v] != 0 {
			return
		}
		if n := len(free); n > 0 {
			l.slot[v], free = free[n-1], free[:n-1]
		} else {
			l.slot[v] = int32(l.slots)
			l.slots++
		}
	}
	for v := int32(len(l.slot) - 1); v > 0; v-- {
		place(v)
		for e := b.row[v]; e < b.row[v+1]; e++ {
			place(b.left[e])
			place(b.right[e])
		}
		if s := l.slot[v]; s != 0 {
			free = append(free, s)
		}
	}
}

// open clears the units of node v before the first addition.
func (s *LanesScratch) open(v int32) {
	if n := &s.nodes[v]; !n.pushed {
		n.pushed = true
		clear(s.unit(v))
	}
}

// limit sets the units of node v to 0 where its values are 0, if units might otherwise get too
// large; most is the greatest number of expected uses.
func (s *LanesScratch) limit(v int32, most float64) {
	const limit = 0x1p600 // finite even if multiplied by two values
	n := &s.nodes[v]
	if n.reach <= limit {
		return
	}
	u := s.unit(v)
	for i, x := range s.value(v) {
		if x == 0 {
			u[i] = 0
		}
	}
	n.reach = most / n.low
}

// pushAligned pushes along the edges of node v, all of whose terms have exponents greater than
// the node's exponent by shift.
func (l *Lanes) pushAligned(v int32, shift int64, table []semiring.ScaledFloat, count []float64, s *LanesScratch) {
	k, u, reach := l.batch.k, s.unit(v), s.nodes[v].reach
	var unary fourEdges
	for e := l.batch.row[v]; e < l.batch.row[v+1]; e++ {
		w, left, right, ok := l.term(e, table, s)
		if !ok {
			continue
		}
		m := shifted(w.Mant, shift)
		if s.byLane != nil {
			s.addByLane(k[e], m, u, s.value(left), s.value(right))
		}
		if right == 0 && s.slot[left] == 0 {
			count[k[e]] += m * floats.Dot(u, s.value(left))
			continue
		}
		s.open(left)
		s.open(right)
		x, y := &s.nodes[left], &s.nodes[right]
		x.reach += m * reach * y.high
		if right != 0 {
			y.reach += m * reach * x.high
			count[k[e]] += m * s.pushProduct(u, m, left, right)
		} else if unary.add(m, left, e) {
			sum := unary.push(u, s)
			for i, e := range unary.edge {
				count[k[e]] += unary.w[i] * sum[i]
			}
		}
	}
	for i, w := range unary.w[:unary.n] {
		floats.AddScaled(s.unit(unary.left[i]), w, u)
		count[k[unary.edge[i]]] += w * floats.Dot(u, s.value(unary.left[i]))
	}
}

// push adds the units u of a node, times the weights of its four edges, to the units of
// their tails, returns the sums of units times values, and removes the edges.
func (f *fourEdges) push(u []float64, s *LanesScratch) [4]float64 {
	w, n := f.w, len(u)
	x0, x1 := s.value(f.left[0])[:n], s.value(f.left[1])[:n]
	x2, x3 := s.value(f.left[2])[:n], s.value(f.left[3])[:n]
	u0, u1 := s.unit(f.left[0])[:n], s.unit(f.left[1])[:n]
	u2, u3 := s.unit(f.left[2])[:n], s.unit(f.left[3])[:n]
	var z0, z1, z2, z3 float64
	for i, a := range u {
		z0, z1 = z0+a*x0[i], z1+a*x1[i]
		z2, z3 = z2+a*x2[i], z3+a*x3[i]
		u0[i] += w[0] * a
		u1[i] += w[1] * a
		u2[i] += w[2] * a
		u3[i] += w[3] * a
	}
	f.n = 0
	return [4]float64{z0, z1, z2, z3}
}

// pushProduct adds the contribution of an edge of weight w, from a node with units u, to the
// units of left and right. It returns the sum of units times values.
func (s *LanesScratch) pushProduct(u []float64, w float64, left, right int32) float64 {
	n := len(u)
	x, y := s.value(left)[:n], s.value(right)[:n]
	ux, uy := s.unit(left)[:n], s.unit(right)[:n]
	sum := 0.0
	for i, a := range u {
		b := a * y[i]
		sum += b * x[i]
		ux[i] += w * b
		uy[i] += w * (a * x[i])
	}
	return sum
}

// pushUnlike is pushAligned for a node whose terms differ in exponents from each other, or from
// the node by different amounts in different lanes.
func (l *Lanes) pushUnlike(v int32, most float64, table []semiring.ScaledFloat, count []float64, s *LanesScratch) {
	u, z, node := s.unit(v), s.value(v), &s.nodes[v]
	ev := s.offset(node.shape)
	for e := l.batch.row[v]; e < l.batch.row[v+1]; e++ {
		w, left, right, ok := l.term(e, table, s)
		if !ok {
			continue
		}
		s.open(left)
		s.open(right)
		xn, yn := &s.nodes[left], &s.nodes[right]
		xn.reach += most / xn.low
		yn.reach += most / yn.low
		x, y, ux, uy := s.value(left), s.value(right), s.unit(left), s.unit(right)
		ex, ey, q := s.offset(xn.shape), s.offset(yn.shape), w.Exp+xn.exp+yn.exp-node.exp
		sum, by := 0.0, s.ofLanes(l.batch.k[e])
		for i, a := range z {
			t := w.Mant * x[i] * y[i]
			if a == 0 || t == 0 {
				continue
			}
			t = u[i] * shifted(t, q+ex[i]+ey[i]-ev[i])
			sum += t
			if by != nil {
				by[i] += t
			}
			ux[i] += t / x[i]
			if right != 0 {
				uy[i] += t / y[i]
			}
		}
		count[l.batch.k[e]] += sum
	}
}
