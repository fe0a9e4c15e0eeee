package fst

// AppendArcs appends the arcs that leave state s to dst, made anew by every call. It panics
// if dst, or what is kept of a lazy operand, outgrows 2³¹−1 arcs.
func (c *Composition[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	dst = c.generate(dst, s, Output, anyLabel)
	if c.full {
		panic("fst: a composition outgrew 2³¹−1 arcs")
	}
	return dst
}

// generate appends the arcs of state s to dst, those with a label on a tape where it is not
// anyLabel.
func (c *Composition[W]) generate(dst []Arc[W], s int32, on Tape, label int32) []Arc[W] {
	in, out := label, int32(anyLabel)
	if on == Output {
		in, out = out, in
	}
	p, pair := c.states.pair(s)
	q := int32(pair >> c.shift)
	last := int64(1)<<c.shift - 1 // filter state where there are two
	after := int64(0)             // filter state after b has moved alone
	if c.a.epsilon() {
		if xs := c.a.meeting(p, Epsilon, anyLabel); len(xs) > 0 {
			after = last
			if pair&last == 0 && (out == anyLabel || out == Epsilon) {
				if in != anyLabel {
					xs = c.a.meeting(p, Epsilon, in)
				}
				dst = c.joinB(dst, xs, c.stay(q), in)
			}
		}
	}
	if c.b.epsilon() && (in == anyLabel || in == Epsilon) {
		dst = c.joinA(dst, c.stay(p), c.b.meeting(q, Epsilon, out), after, out)
	}
	if !c.b.thin && (c.a.thin || c.fewerInA(p, q, in, out)) {
		dst = c.match(dst, &c.a, p, in, &c.b, q, out)
	} else {
		dst = c.match(dst, &c.b, q, out, &c.a, p, in)
	}
	if c.a.full() || c.b.full() {
		c.full = true
	}
	return dst
}

// estimate is the greater of the operands' numbers of arcs.
func (c *Composition[W]) estimate(s int32) int {
	p, q := c.State(s)
	return max(c.a.degree(p), c.b.degree(q))
}

// fewerInA reports whether fewer arcs of a at p have to be looked at than arcs of
// b at q, as far as that is known without making arcs.
func (c *Composition[W]) fewerInA(p, q, in, out int32) bool {
	na, nb := c.a.degree(p), c.b.degree(q)
	if in != anyLabel && c.a.frozen != nil {
		na = len(c.a.keeping(p, in))
	}
	if out != anyLabel && c.b.frozen != nil && nb > na {
		nb = len(c.b.keeping(q, out))
	}
	return na <= nb
}

// match appends the moves of both sides, looking in state q of y for partners of the arcs of
// state p of x. xFar and yFar are their far labels, or anyLabel.
func (c *Composition[W]) match(dst []Arc[W], x *side[W], p, xFar int32, y *side[W], q, yFar int32) []Arc[W] {
	xs := x.keeping(p, xFar)
	for i := range xs {
		label := labelOn(&xs[i], x.near)
		if label == Epsilon {
			continue
		}
		switch ys := y.meeting(q, label, yFar); {
		case len(ys) == 0:
		case x.near == Output:
			dst = c.joinA(dst, &xs[i], ys, 0, yFar)
		default:
			dst = c.joinB(dst, ys, &xs[i], yFar)
		}
	}
	return dst
}

// stay returns what a side does in state s while the other moves alone.
func (c *Composition[W]) stay(s int32) *Arc[W] {
	c.still.To = s // of labels ε and weight One
	return &c.still
}

// The loops of joinA and joinB differ in the side whose arc is fixed. As one loop that takes
// the labels and states of either side, a composition takes up to 8 % more time.

// joinA appends the moves along arc x of a and each of the arcs ys of b, into a filter
// state.
func (c *Composition[W]) joinA(dst []Arc[W], x *Arc[W], ys []Arc[W], filter int64, out int32) []Arc[W] {
	if !c.fits(dst, len(ys)) {
		return dst
	}
	unit := c.a.unit || x == &c.still
	for i := range ys {
		y := &ys[i]
		if out != anyLabel && y.Out != out {
			continue
		}
		pair := int64(y.To)<<c.shift | filter
		to := c.states.at(x.To, pair)
		if to < 0 {
			if to = c.enter(x.To, pair); to < 0 {
				continue
			}
		}
		w := y.Weight
		if !unit {
			w = c.times(x.Weight, w)
		}
		dst = append(dst, Arc[W]{In: x.In, Out: y.Out, To: to, Weight: w})
	}
	return dst
}

// joinB appends the moves along each of the arcs xs of a and arc y of b.
func (c *Composition[W]) joinB(dst, xs []Arc[W], y *Arc[W], in int32) []Arc[W] {
	if !c.fits(dst, len(xs)) {
		return dst
	}
	unit := c.b.unit || y == &c.still
	pair := int64(y.To) << c.shift
	for i := range xs {
		x := &xs[i]
		if in != anyLabel && x.In != in {
			continue
		}
		to := c.states.at(x.To, pair)
		if to < 0 {
			if to = c.enter(x.To, pair); to < 0 {
				continue
			}
		}
		w := x.Weight
		if !unit {
			w = c.times(w, y.Weight)
		}
		dst = append(dst, Arc[W]{In: x.In, Out: y.Out, To: to, Weight: w})
	}
	return dst
}

// times returns x ⊗ y, x from a and y from b.
func (c *Composition[W]) times(x, y W) W {
	switch {
	case c.b.unit:
		return x
	case c.a.unit:
		return y
	}
	return c.ring.Times(x, y)
}
