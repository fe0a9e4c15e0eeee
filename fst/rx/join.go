package rx

import (
	"cmp"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// union returns x ⊕ y.
func (b *builder[W]) union(x, y fragment[W]) fragment[W] {
	x, y = b.unloop(x), b.unloop(y)
	s, t := &b.states[x.start], &b.states[y.start]
	s.arcs, t.arcs = appended(s.arcs, t.arcs), nil
	x.null = b.ring.Plus(x.null, y.null)
	x.finals = appended(x.finals, y.finals)
	switch {
	case x.sink < 0:
		x.sink = y.sink
	case y.sink >= 0:
		b.join(y.sink, x.sink)
	}
	return x
}

// appended returns the elements of x and y, and may reuse the memory of either.
func appended[T any](x, y []T) []T {
	if len(x) == 0 {
		return y
	}
	return append(x, y...)
}

// concat returns x ⊗ y.
func (b *builder[W]) concat(x, y fragment[W]) fragment[W] {
	switch {
	case b.plain(x):
		return b.scale(x.null, y)
	case b.plain(y) && (b.commutative || b.one(y.null)):
		return b.scale(y.null, x)
	}
	finals, used := b.follow(x, y.start, y.null)
	if used || y.loops {
		b.end(&y, y.start, y.null)
	}
	b.copy(x.start, x.null, b.states[y.start].arcs)
	x.null = b.ring.Times(x.null, y.null)
	x.sink, x.finals = y.sink, appended(y.finals, finals)
	return x
}

// star returns (again ⊗ x)* ⊗ stop.
func (b *builder[W]) star(x fragment[W], again, stop W) (fragment[W], error) {
	x = b.unloop(x)
	more, err := b.starOf(b.ring.Times(again, x.null))
	if err != nil {
		return x, err
	}
	x.null = b.ring.Zero() // more replaces it
	x = b.scale(b.ring.Times(more, again), x)
	x.null = b.ring.Times(more, stop)
	finals, used := b.follow(x, x.start, x.null)
	x.loops, x.sink, x.finals = used, -1, finals
	return x, nil
}

// plus returns x once or more.
func (b *builder[W]) plus(x fragment[W]) (fragment[W], error) {
	x = b.unloop(x)
	more, err := b.starOf(x.null)
	if err != nil {
		return x, err
	}
	x = b.scale(more, x)
	again := b.state()
	b.copy(again, b.ring.One(), b.states[x.start].arcs)
	finals, used := b.follow(x, again, more)
	x.sink, x.finals = -1, finals
	if used {
		b.end(&x, again, more)
	}
	return x, nil
}

// starOf returns w*.
func (b *builder[W]) starOf(w W) (W, error) {
	if b.ring.IsZero(w) {
		return b.ring.One(), nil
	}
	closed, err := semiring.RequireClosed(b.ring)
	if err != nil {
		return w, err
	}
	star, ok := closed.Star(w)
	if !ok {
		return w, invalid(semiring.ErrDiverges, "repetition of the pair of empty strings, which has weight %v each time", w)
	}
	return star, nil
}

// follow makes the final states of x, except its start, continue like state t, whose final weight
// is stop. It returns the states that are still final and reports whether t itself is reachable.
func (b *builder[W]) follow(x fragment[W], t int32, stop W) (finals []fst.Start[W], used bool) {
	if x.sink >= 0 {
		b.join(x.sink, t)
		used = true
	}
	arcs := b.states[t].arcs
	if len(x.finals) <= few || len(arcs) <= few && b.ring.IsZero(stop) {
		var y fragment[W]
		for _, f := range x.finals {
			b.copy(f.State, f.Weight, arcs)
			b.end(&y, f.State, b.ring.Times(f.Weight, stop))
		}
		return y.finals, used
	}
	for _, f := range x.finals {
		b.arc(f.State, fst.Arc[W]{In: fst.Epsilon, Out: fst.Epsilon, To: t, Weight: f.Weight})
	}
	return nil, true
}

// cross adds E:F.
func (b *builder[W]) cross(n *node) (fragment[W], error) {
	text, ok := n.args[0].text()
	if other, too := n.args[1].text(); ok && too {
		return b.texts(text, other)
	}
	first := len(b.states)
	x, err := b.acceptor(n.args[0])
	if err != nil {
		return x, err
	}
	second := len(b.states)
	y, err := b.acceptor(n.args[1])
	if err != nil {
		return x, err
	}
	b.relabel(first, second, func(a *fst.Arc[W]) { a.Out = fst.Epsilon })
	b.relabel(second, len(b.states), func(a *fst.Arc[W]) { a.In = fst.Epsilon; err = cmp.Or(err, b.inventing(*a)) })
	if err != nil {
		return x, n.args[1].node().fault(err)
	}
	switch {
	case b.short(x, y):
		return b.zip(y, x, func(y, x fst.Arc[W]) fst.Arc[W] {
			return fst.Arc[W]{In: x.In, Out: y.Out, To: y.To, Weight: b.ring.Times(x.Weight, y.Weight)}
		}), nil
	case b.commutative && b.short(y, x):
		return b.zip(x, y, func(x, y fst.Arc[W]) fst.Arc[W] {
			return fst.Arc[W]{In: x.In, Out: y.Out, To: x.To, Weight: b.ring.Times(x.Weight, y.Weight)}
		}), nil
	}
	return b.concat(x, y), nil
}

// texts adds the pair of the texts x and y, symbol by symbol, and pads the shorter one with ε.
func (b *builder[W]) texts(x, y []Expr) (fragment[W], error) {
	z := b.epsilon(b.ring.One())
	for i := range max(len(x), len(y)) {
		var labels [2]int32
		for tape, text := range [][]Expr{x, y} {
			if i >= len(text) {
				continue
			}
			n := text[i].node()
			var err error
			labels[tape], err = b.label(n)
			if err == nil && tape == 1 && b.isOther(labels[tape]) {
				err = errInvents
			}
			if err != nil {
				return z, n.fault(err)
			}
		}
		z = b.concat(z, b.pair(labels[0], labels[1]))
	}
	return z, nil
}

// text returns the symbols whose concatenation is e. It returns false if e has other parts.
func (e Expr) text() ([]Expr, bool) {
	n := e.node()
	switch n.op {
	case symbol:
		return []Expr{e}, true
	case concat:
		return n.args, !slices.ContainsFunc(n.args, func(a Expr) bool { return a.node().op != symbol })
	}
	return nil, false
}

// acceptor adds e, which must be an acceptor.
func (b *builder[W]) acceptor(e Expr) (fragment[W], error) {
	first := len(b.states)
	b.whole++
	x, err := b.build(e)
	b.whole--
	if err != nil {
		return x, err
	}
	pairs := false
	b.relabel(first, len(b.states), func(a *fst.Arc[W]) { pairs = pairs || a.In != a.Out })
	if pairs {
		err = e.node().fault(invalid(ErrInvalid, "an operand of : that is not an acceptor"))
	}
	return x, err
}

// short reports whether x is a set of symbols that is small enough to pair each with every first
// arc of y.
func (b *builder[W]) short(x, y fragment[W]) bool {
	arcs := b.states[x.start].arcs
	if x.loops || x.sink < 0 || len(x.finals) > 0 || !b.ring.IsZero(x.null) {
		return false
	}
	for _, a := range arcs {
		if b.find(a.To) != x.sink {
			return false
		}
	}
	n, m := len(arcs), len(b.states[y.start].arcs)
	return n*m <= few*(n+m)
}

// zip returns y with each of its first arcs paired with each arc of x; short must hold for x.
func (b *builder[W]) zip(y, x fragment[W], pair func(y, x fst.Arc[W]) fst.Arc[W]) fragment[W] {
	y = b.unloop(y)
	first := b.states[y.start].arcs
	if !b.ring.IsZero(y.null) {
		if y.sink < 0 {
			y.sink = b.state()
		}
		first = append(first, fst.Arc[W]{In: fst.Epsilon, Out: fst.Epsilon, To: y.sink, Weight: y.null})
		y.null = b.ring.Zero()
	}
	b.states[y.start].arcs = nil
	for _, f := range first {
		for _, a := range b.states[x.start].arcs {
			b.arc(y.start, pair(f, a))
		}
	}
	return y
}
