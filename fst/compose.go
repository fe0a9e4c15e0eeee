package fst

import (
	"cmp"
	"fmt"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Composition is the machine a ∘ b, created on demand: ⟦a ∘ b⟧(x, z) = ⊕_y ⟦a⟧(x, y) ⊗
// ⟦b⟧(y, z). It keeps its states, and also its arcs if it is itself an operand. It belongs to
// one goroutine, and so do its operands unless they are frozen.
//
// Its paths are the pairs of a path of a and a path of b that agree on the middle tape, each
// pair exactly once. Its topology depends only on the topology of the operands: arcs stay even
// if their weight is Zero.
type Composition[W any] struct {
	lazy[W]
	op     string // the operation, "Compose" or another one that composes
	ring   semiring.Semiring[W]
	err    error // if the operands cannot be composed; then there are no states
	a, b   side[W]
	states pairTable // (state of a, state of b << shift | filter)
	shift  uint      // 1 if both may have ε in the middle, else 0
	buf    []Start[W]
	still  Arc[W] // see stay
	survey survey[W]

	inSymbols, outSymbols *Symbols
}

// Compose returns a ∘ b, created on demand. Operands need not be sorted: frozen ones keep an
// index of their arcs by label, and at each pair of states the side with fewer arcs is
// iterated. Either operand may itself be lazy; if that is less work, only those of its arcs are
// created whose label occurs on the other side. So the time for x ∘ T ∘ y does not depend on
// the size of the alphabet or on how the chain is bracketed. See Allauzen and Mohri, "3-way
// composition of weighted finite-state transducers" (2008).
//
// The ring must be commutative, because the weights of the two paths are interleaved; otherwise
// Err wraps semiring.ErrCapability. Err wraps ErrMismatch if the rings differ, or if both a's
// output labels and b's input labels have names that do not fit. They fit if one of the tables
// contains all names of the other, for the same labels, and there are names besides ε. The
// result must not be used after any Symbols have changed.
//
// If a moves alone (ε in the middle) and b moves alone between the same two matches, a moves
// first. This is the sequencing filter of Mohri, Pereira and Riley, "Weighted automata in text
// and speech processing" (1996). It has two states; the second is entered only where a has such
// moves.
func Compose[W any](a, b Machine[W]) *Composition[W] {
	nonnil.Check("fst: Compose", "machine 0", a, "machine 1", b)
	c := new(Composition[W])
	c.set("Compose", a, b, semiring.RequireCommutative(a.Semiring()))
	return c
}

// set makes c the composition of a and b, or a failed one, reusing the memory of c. err, if not
// nil, is a known reason why the operation cannot be applied.
func (c *Composition[W]) set(op string, a, b Machine[W], err error) {
	c.op, c.ring = op, a.Semiring()
	if c.err = cmp.Or(refusal(a), refusal(b)); c.err == nil {
		if err == nil {
			err = c.join(a, b)
		}
		if err != nil {
			c.err = failure(op, err, a, b)
		}
	}
	if c.err != nil {
		c.a, c.b = side[W]{}, side[W]{}
		c.inSymbols, c.outSymbols = nil, nil
		c.states.reset(0, 0)
	}
}

// join is set for operands that have not failed, over a commutative ring.
func (c *Composition[W]) join(a, b Machine[W]) error {
	if err := requireSameRing(c.ring, b.Semiring()); err != nil {
		return err
	}
	in, left := symbolsOf(a)
	right, out := symbolsOf(b)
	if !left.fits(right) {
		return fmt.Errorf("%w: the output symbols of the first are not the input symbols of the second: %s; %s", ErrMismatch, left.difference(right), oneTable)
	}
	c.inSymbols, c.outSymbols = in, out
	c.still.Weight = c.ring.One()
	c.a.set(a, Output)
	c.b.set(b, Input)
	c.shift = 0
	if c.a.epsilon() && c.b.epsilon() {
		c.shift = 1
	}
	c.a.ahead, c.b.ahead = newOutlook(a, &c.b), newOutlook(b, &c.a)
	c.source = c
	c.lazy.reset(c.a.tapes[Input].bound, c.b.tapes[Output].bound)
	c.states.reset(c.a.states, c.b.states<<c.shift)
	return nil
}

// Semiring returns the ring of the weights.
func (c *Composition[W]) Semiring() semiring.Semiring[W] { return c.ring }

// InSymbols returns the names of the first machine's input labels, nil if they
// have none.
func (c *Composition[W]) InSymbols() *Symbols { return c.inSymbols }

// OutSymbols returns the names of the second machine's output labels, nil if
// they have none.
func (c *Composition[W]) OutSymbols() *Symbols { return c.outSymbols }

// NumStates returns the number of states known so far: 0 … NumStates()−1.
func (c *Composition[W]) NumStates() int { return c.states.len() }

// State returns the states of the two operands for state s. Two states may stand for the same
// pair: after the second machine has moved alone, the first may not.
func (c *Composition[W]) State(s int32) (a, b int32) {
	a, q := c.states.pair(s)
	return a, int32(q >> c.shift)
}

// AppendStarts appends the initial states to dst: all pairs of initial states.
func (c *Composition[W]) AppendStarts(dst []Start[W]) []Start[W] {
	if c.err != nil {
		return dst
	}
	c.buf = c.a.machine.AppendStarts(c.buf[:0])
	n := len(c.buf)
	c.buf = c.b.machine.AppendStarts(c.buf)
	for _, x := range c.buf[:n] {
		for _, y := range c.buf[n:] {
			pair := int64(y.State) << c.shift
			s := c.states.at(x.State, pair)
			if s < 0 {
				if s = c.enter(x.State, pair); s < 0 {
					continue
				}
			}
			dst = append(dst, Start[W]{State: s, Weight: c.ring.Times(x.Weight, y.Weight)})
		}
	}
	return dst
}

// enter returns the number of the state for p and pair, which the direct table does not
// contain. It returns −1 if an operand that looks ahead finds no continuation.
func (c *Composition[W]) enter(p int32, pair int64) int32 {
	if !c.tested() {
		return c.states.number(p, pair)
	}
	q := int32(pair >> c.shift)
	if c.a.ahead != nil && !c.a.ahead.mayMeet(p, q) || c.b.ahead != nil && !c.b.ahead.mayMeet(q, p) {
		return -1
	}
	if c.states.hashed() {
		if n := c.states.table.Find(pairKey(p, pair)); n >= 0 {
			return n
		}
	}
	if c.a.ahead != nil && !c.a.ahead.meets(p, q) || c.b.ahead != nil && !c.b.ahead.meets(q, p) {
		return -1
	}
	return c.states.add(p, pair)
}

// Final returns the final weight of state s, Zero if s is not final.
func (c *Composition[W]) Final(s int32) W {
	p, q := c.State(s)
	y := c.b.final(q)
	if c.ring.IsZero(y) {
		return y
	}
	x := c.a.final(p)
	switch {
	case c.a.unit && !c.ring.IsZero(x):
		return y
	case c.b.unit:
		return x
	}
	return c.ring.Times(x, y)
}

// Err returns the error for machines that cannot be composed, or the first error of an operand.
func (c *Composition[W]) Err() error {
	if c.err != nil {
		return c.err
	}
	if err := Err(c.a.machine); err != nil {
		return err
	}
	return Err(c.b.machine)
}

func (c *Composition[W]) refused() error { return c.err }

func (c *Composition[W]) operation() string { return c.op }

func (c *Composition[W]) traits() traits {
	t := traits{unit: c.a.unit && c.b.unit, states: manyStates}
	for i := range t.tapes {
		t.tapes[i] = extent{bound: c.answers[i].bound, epsilon: c.a.tapes[i].epsilon || c.b.tapes[i].epsilon}
	}
	return t
}

// outgrown reports whether arcs are missing because of the limit.
func (c *Composition[W]) outgrown() bool { return c.full }

// setLimit sets the number of arcs that c and its operands may keep.
func (c *Composition[W]) setLimit(n int) {
	c.limit, c.full = n, false
	c.a.setLimit(n)
	c.b.setLimit(n)
}

// Heuristic returns an estimate of the best continuation from each state of c, for
// graph.Search: the product of the best continuations in the two machines alone. a and b hold
// them per state of the first and the second machine, which must be frozen, as graph.Backward
// computes them; nil stands for One, no information. The table of a machine, such as a lexicon
// with a cost per word, is computed once and serves every composition of the machine. The table
// for an expanded machine of a string and its edits takes one pass over it.
//
// The estimate is exact where the machines do not depend on each other. It is always admissible
// and consistent, because a path of c is a path of each machine. So Search finds the same paths
// as without it, from fewer states if the weights differ in size. It has little effect between
// edits of equal cost, and if all weights in one of the machines are One.
func (c *Composition[W]) Heuristic(a, b []W) func(s int32) W {
	return func(s int32) W {
		p, q := c.State(s)
		switch {
		case a == nil && b == nil:
			return c.ring.One()
		case a == nil:
			return b[q]
		case b == nil:
			return a[p]
		}
		return c.ring.Times(a[p], b[q])
	}
}

// AppendArcs appends the arcs that leave state s to dst. Every call recomputes them. It panics
// if dst, or the arcs kept for a lazy operand, outgrow 2³¹−1 arcs.
func (c *Composition[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	dst = c.generate(dst, s, Output, anyLabel)
	if c.full {
		panic("fst: a composition outgrew 2³¹−1 arcs")
	}
	return dst
}

// generate appends the arcs of state s to dst. If label is not anyLabel, it appends only the
// arcs with this label on the tape on.
func (c *Composition[W]) generate(dst []Arc[W], s int32, on Tape, label int32) []Arc[W] {
	in, out := label, int32(anyLabel)
	if on == Output {
		in, out = out, in
	}
	p, pair := c.states.pair(s)
	q := int32(pair >> c.shift)
	last := int64(1)<<c.shift - 1 // filter state if there are two
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
	switch fromA, xs, ok := c.survey.listed(s); {
	case !ok && c.iteratesA(p, q, in, out):
		dst = c.match(dst, &c.a, c.a.keeping(p, in), &c.b, q, out)
	case !ok:
		dst = c.match(dst, &c.b, c.b.keeping(q, out), &c.a, p, in)
	case fromA:
		dst = c.match(dst, &c.a, xs, &c.b, q, out)
	default:
		dst = c.match(dst, &c.b, xs, &c.a, p, in)
	}
	if c.a.full() || c.b.full() {
		c.full = true
	}
	return dst
}

// tested reports whether an operand that looks ahead tests new states.
func (c *Composition[W]) tested() bool { return c.a.ahead != nil || c.b.ahead != nil }

// estimate returns the greater of the operands' numbers of arcs.
func (c *Composition[W]) estimate(s int32) int {
	p, q := c.State(s)
	return max(c.a.degree(p), c.b.degree(q))
}

// iteratesA reports whether the arcs of a at p are iterated, and partners searched among the
// arcs of b at q, instead of the reverse.
func (c *Composition[W]) iteratesA(p, q, in, out int32) bool {
	return !c.b.thin && (c.a.thin || c.fewerInA(p, q, in, out))
}

// fewerInA reports whether a has fewer candidate arcs at p than b at q, as far as known without
// creating arcs.
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

// match appends the moves of both sides. It searches state q of y for partners of the arcs xs
// of x. yFar is the far label of the partners, or anyLabel.
func (c *Composition[W]) match(dst []Arc[W], x *side[W], xs []Arc[W], y *side[W], q, yFar int32) []Arc[W] {
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

// stay returns the arc of a side that stays in state s while the other side moves alone.
func (c *Composition[W]) stay(s int32) *Arc[W] {
	c.still.To = s // with labels ε and weight One
	return &c.still
}

// The loops of joinA and joinB differ in the side whose arc is fixed. A single loop that takes
// the labels and states of either side makes a composition up to 8 % slower.

// joinA appends the moves along arc x of a and each of the arcs ys of b, into the given filter
// state.
func (c *Composition[W]) joinA(dst []Arc[W], x *Arc[W], ys []Arc[W], filter int64, out int32) []Arc[W] {
	if c.survey.pass != making {
		c.take(x, ys, true, filter)
		return dst
	}
	if !c.fits(dst, len(ys)) {
		return dst
	}
	unit := c.a.unit || x == &c.still
	last, to := int32(-1), int32(-1) // arcs to one state often follow each other
	for i := range ys {
		y := &ys[i]
		if out != anyLabel && y.Out != out {
			continue
		}
		if y.To != last {
			last = y.To
			pair := int64(last)<<c.shift | filter
			if to = c.states.at(x.To, pair); to < 0 {
				to = c.enter(x.To, pair)
			}
		}
		if to < 0 {
			continue
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
	if c.survey.pass != making {
		c.take(y, xs, false, 0)
		return dst
	}
	if !c.fits(dst, len(xs)) {
		return dst
	}
	unit := c.b.unit || y == &c.still
	pair := int64(y.To) << c.shift
	last, to := int32(-1), int32(-1)
	for i := range xs {
		x := &xs[i]
		if in != anyLabel && x.In != in {
			continue
		}
		if x.To != last {
			last = x.To
			if to = c.states.at(last, pair); to < 0 {
				to = c.enter(last, pair)
			}
		}
		if to < 0 {
			continue
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
