package rx

import (
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

// appended returns the elements of x and y in the memory of one of them.
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

// star returns x repeated, each time with again in front, and then stop.
func (b *builder[W]) star(x fragment[W], again, stop W) (fragment[W], error) {
	x = b.unloop(x)
	more, err := b.starOf(b.ring.Times(again, x.null))
	if err != nil {
		return x, err
	}
	x.null = b.ring.Zero() // more does for it
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
	closed, err := semiring.Require[semiring.Closed[W]](b.ring)
	if err != nil {
		return w, err
	}
	star, ok := closed.Star(w)
	if !ok {
		return w, invalid(semiring.ErrDiverges, "repetition of the pair of empty strings, which has weight %v each time", w)
	}
	return star, nil
}

// follow lets x go on, where it would end behind its start, as state t does,
// which has the final weight stop. It returns the states that are still final and
// reports whether t itself is reached.
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
