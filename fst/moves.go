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
				dst = c.move(dst, &c.b, c.stay(q), &c.a, xs, in, 0)
			}
		}
	}
	if c.b.epsilon() && (in == anyLabel || in == Epsilon) {
		dst = c.move(dst, &c.a, c.stay(p), &c.b, c.b.meeting(q, Epsilon, out), out, after)
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
		if ys := y.meeting(q, label, yFar); len(ys) > 0 {
			dst = c.move(dst, x, &xs[i], y, ys, yFar, 0)
		}
	}
	return dst
}

// stay returns what a side does in state s while the other moves alone.
func (c *Composition[W]) stay(s int32) *Arc[W] {
	c.still.To = s // of labels ε and weight One
	return &c.still
}

// move appends the moves along arc one of x and each of the arcs ys of y that has the far label,
// if it is not anyLabel, into a filter state.
func (c *Composition[W]) move(dst []Arc[W], x *side[W], one *Arc[W], y *side[W], ys []Arc[W], far int32, filter int64) []Arc[W] {
	if !c.fits(dst, len(ys)) {
		return dst
	}
	unit := x.unit || one == &c.still
	for i := range ys {
		a, b := one, &ys[i]
		if far != anyLabel && labelOn(b, 1-y.near) != far {
			continue
		}
		w := b.Weight
		if x == &c.b {
			a, b = b, a
		}
		pair := int64(b.To)<<c.shift | filter
		to := c.states.at(a.To, pair)
		if to < 0 {
			if to = c.enter(a.To, pair); to < 0 {
				continue
			}
		}
		if !unit {
			w = c.times(a.Weight, b.Weight)
		}
		dst = append(dst, Arc[W]{In: a.In, Out: b.Out, To: to, Weight: w})
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
