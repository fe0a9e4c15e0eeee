package fst

import (
	"cmp"
	"slices"

	"example.org/pathsum/semiring"
)

// determinizer is the subset construction: it makes the states of the result in the
// order of their discovery, breadth first.
type determinizer[W any] struct {
	stateReader[W]
	ring      semiring.Semiring[W]
	residuals residuals[W]
	options   Options
	draft     *draft[W] // without output labels, which are the input labels

	whole    bool                  // all states are made, and not those that are asked for
	next     int                   // the size at which subsets are looked at next (see look)
	sameHead func(m, n int32) bool // not nil: what subsets with the same members must have in common

	// Subset n, which state n stands for, has the members row[n] … row[n+1]−1: a
	// state, and the weight that is left. Members are in order of states.
	row    []int32
	state  []int32
	rests  []W
	keys   *byteTable // of the subsets
	parent []int32    // per subset: from which one it was discovered, −1 for the first
	label  []int32    // and by which label

	// Scratch: the moves out of a subset, and the members that a label leads to.
	moves  []move
	weight []W // of the moves
	to     []int32
	sum    []W
	key    []byte
}

// move is an arc out of a subset: label and target in one number, and where its weight
// is.
type move struct {
	key uint64
	at  int32
}

func newDeterminizer[W any](m Machine[W], r residuals[W], o Options) *determinizer[W] {
	return &determinizer[W]{
		stateReader: newStateReader(m), ring: m.Semiring(), residuals: r, options: o,
		draft: new(draft[W]), row: []int32{0}, keys: newByteTable(),
	}
}

// start makes the initial state.
func (z *determinizer[W]) start() error {
	for _, s := range z.m.AppendStarts(nil) {
		z.move(0, s.State, s.Weight)
	}
	if len(z.moves) == 0 {
		return nil
	}
	return z.target(-1, 0, z.sorted(), z.draft.start)
}

// move adds a move.
func (z *determinizer[W]) move(label, to int32, w W) {
	if !z.ring.IsZero(w) {
		z.moves = append(z.moves, move{uint64(label)<<32 | uint64(to), int32(len(z.weight))})
		z.weight = append(z.weight, w)
	}
}

// sorted returns the moves in order of labels and targets, equal ones in the order in
// which they were added.
func (z *determinizer[W]) sorted() []move {
	order := func(a, b move) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) }
	if !slices.IsSortedFunc(z.moves, order) {
		slices.SortFunc(z.moves, order)
	}
	return z.moves
}

// expand makes the arcs and the final weight of state n.
func (z *determinizer[W]) expand(n int32) error {
	ring := z.ring
	z.moves, z.weight = z.moves[:0], z.weight[:0]
	moved := 0
	final := ring.Zero()
	for i := z.row[n]; i < z.row[n+1]; i++ {
		s, v := z.state[i], z.rests[i]
		if w := z.finalOf(s); !ring.IsZero(w) {
			w, err := z.times(n, s, v, w)
			if err != nil {
				return err
			}
			if ring.IsZero(final) {
				final = w
			} else if sum, ok := z.residuals.merge(final, w); ok {
				final = sum
			} else {
				return z.ambiguousEnd(n, s)
			}
		}
		a, at := z.arcsOf(s)
		for e := at.lo; e < at.hi; e++ {
			if a.in[e] != a.out[e] {
				return noAcceptor(z.m, s, int(e-at.lo), a.in[e], a.out[e])
			}
			w, err := z.times(n, s, v, a.w[e])
			if err != nil {
				return err
			}
			z.move(a.in[e], a.to[e], w)
			if moved += z.residuals.size(w); moved > z.options.Limit {
				return z.outgrown()
			}
		}
	}
	if !z.residuals.inRange(final) {
		return z.outOfRange(n, z.state[z.row[n]], "the final weight", final)
	}
	z.draft.state(final)
	a := &z.draft.arcs
	for moves := z.sorted(); len(moves) > 0; {
		label := moves[0].key >> 32
		k := 1
		for k < len(moves) && moves[k].key>>32 == label {
			k++
		}
		err := z.target(n, int32(label), moves[:k], func(to int32, w W) {
			a.in, a.to, a.w = append(a.in, int32(label)), append(a.to, to), append(a.w, w)
		})
		if err != nil {
			return err
		}
		moves = moves[k:]
	}
	if z.size() > z.options.Limit {
		return z.outgrown()
	}
	return z.look()
}

// times returns v ⊗ w, where v is what is left at member s of subset n.
func (z *determinizer[W]) times(n, s int32, v, w W) (W, error) {
	x, ok := z.residuals.times(v, w)
	if !ok {
		return x, z.outOfRange(n, s, "a weight onwards", x)
	}
	return x, nil
}

// rest returns what is left of w at state s, by label out of subset n, without the
// weight that all have in common.
func (z *determinizer[W]) rest(n, label, s int32, common, w W) (W, error) {
	x, err := z.residuals.rest(common, w)
	switch err {
	case nil:
		return x, nil
	case errDivision:
		return x, z.indivisible(n, label, common, w)
	}
	return x, z.outOfRange(n, s, "what is left", x)
}

// target calls add with the subset that the moves by one label out of subset n lead
// to, and the weight that they have in common.
func (z *determinizer[W]) target(n, label int32, moves []move, add func(to int32, w W)) error {
	ring := z.ring
	z.to, z.sum = z.to[:0], z.sum[:0]
	for i, m := range moves {
		w := z.weight[m.at]
		if i == 0 || m.key != moves[i-1].key {
			z.to, z.sum = append(z.to, int32(uint32(m.key))), append(z.sum, w)
			continue
		}
		last := len(z.sum) - 1
		sum, ok := z.residuals.merge(z.sum[last], w)
		if !ok {
			return z.ambiguous(n, label, z.to[last])
		}
		z.sum[last] = sum
	}
	common, members := z.residuals.divisor(z.sum[0]), 0
	for i, w := range z.sum {
		if i > 0 {
			common = z.residuals.common(common, w)
		}
		if !ring.IsZero(w) { // summands may cancel each other
			z.to[members], z.sum[members] = z.to[i], w
			members++
		}
	}
	if members == 0 {
		return nil
	}
	if ring.IsZero(common) {
		common = z.sum[0]
	}
	z.key = z.key[:0]
	for i, w := range z.sum[:members] {
		rest, err := z.rest(n, label, z.to[i], common, w)
		if err != nil {
			return err
		}
		z.sum[i] = rest
		z.appendMember(z.to[i], rest)
	}
	to, isNew := z.keys.number(z.key)
	if isNew {
		z.state = append(z.state, z.to[:members]...)
		z.rests = append(z.rests, z.sum[:members]...)
		z.row = append(z.row, int32(len(z.state)))
		z.parent, z.label = append(z.parent, n), append(z.label, label)
		if z.size() > z.options.Limit {
			return z.outgrown()
		}
	}
	add(to, common)
	return nil
}

// appendMember appends a number and a residual to the key of a subset.
func (z *determinizer[W]) appendMember(n int32, rest W) {
	key := appendNumber(z.key, n)
	begin := len(key)
	key = z.residuals.AppendKey(key, rest, z.options.Delta)
	z.key = appendNumber(key, int32(len(key)-begin))
}

// size returns what Options.Limit bounds: states, arcs and members of subsets, or
// what the members' keys take. A member has 16 bytes of them and as many more as what it
// has still to write takes, which grows with the way to it where there is no end.
func (z *determinizer[W]) size() int {
	return z.keys.len() + len(z.draft.arcs.to) + max(len(z.state), len(z.keys.bytes)/16)
}
