package fst

// AppendArcs appends the arcs that leave state s to dst, made anew by every call. It panics
// if dst, or what is kept of a lazy operand, outgrows 2³¹−1 arcs.
func (c *Composition[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	dst = c.generate(dst, s, anyLabel, anyLabel)
	if c.full {
		panic("fst: a composition outgrew 2³¹−1 arcs")
	}
	return dst
}

// generate appends the arcs of state s to dst, those with the labels in and out
// where they are not anyLabel.
func (c *Composition[W]) generate(dst []Arc[W], s, in, out int32) []Arc[W] {
	p, pair := c.states.pair(s)
	q := int32(pair >> c.shift)
	last := int64(1)<<c.shift - 1 // filter state where there are two
	after := int64(0)             // filter state after b has moved alone
	if c.a.epsOut {
		if xs := c.a.byOut(p, anyLabel, Epsilon); len(xs) > 0 {
			after = last
			if pair&last == 0 && (out == anyLabel || out == Epsilon) {
				if in != anyLabel {
					xs = c.a.byOut(p, in, Epsilon)
				}
				dst = c.joinB(dst, xs, c.stay(q), in)
			}
		}
	}
	if c.b.epsIn && (in == anyLabel || in == Epsilon) {
		dst = c.joinA(dst, c.stay(p), c.b.byIn(q, Epsilon, out), after, out)
	}
	if !c.b.thin && (c.a.thin || c.fewerInA(p, q, in, out)) {
		dst = c.matchFromA(dst, p, q, in, out)
	} else {
		dst = c.matchFromB(dst, p, q, in, out)
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
		na = len(c.a.byIn(p, in, anyLabel))
	}
	if out != anyLabel && c.b.frozen != nil && nb > na {
		nb = len(c.b.byOut(q, anyLabel, out))
	}
	return na <= nb
}

// matchFromA appends the moves of both, looking for partners of a's arcs.
func (c *Composition[W]) matchFromA(dst []Arc[W], p, q, in, out int32) []Arc[W] {
	var xs []Arc[W]
	if in == anyLabel {
		xs = c.a.all(p)
	} else {
		xs = c.a.byIn(p, in, anyLabel)
	}
	for i := range xs {
		x := &xs[i]
		if x.Out == Epsilon {
			continue
		}
		if ys := c.b.byIn(q, x.Out, out); len(ys) > 0 {
			dst = c.joinA(dst, x, ys, 0, out)
		}
	}
	return dst
}

// matchFromB appends the moves of both, looking for partners of b's arcs.
func (c *Composition[W]) matchFromB(dst []Arc[W], p, q, in, out int32) []Arc[W] {
	var ys []Arc[W]
	if out == anyLabel {
		ys = c.b.all(q)
	} else {
		ys = c.b.byOut(q, anyLabel, out)
	}
	for i := range ys {
		y := &ys[i]
		if y.In == Epsilon {
			continue
		}
		if xs := c.a.byOut(p, in, y.In); len(xs) > 0 {
			dst = c.joinB(dst, xs, y, in)
		}
	}
	return dst
}

// stay returns what an operand does in state s while the other moves alone.
func (c *Composition[W]) stay(s int32) *Arc[W] {
	c.still.To = s // of labels ε and weight One
	return &c.still
}

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
