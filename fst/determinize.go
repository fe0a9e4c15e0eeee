package fst

import (
	"cmp"
	"errors"
	"slices"

	"example.org/pathsum/semiring"
)

var (
	// ErrNotFunctional is returned for a transducer that writes several different strings for
	// one input string.
	ErrNotFunctional = errors.New("transducer is not functional")
	// ErrTwins is returned for a machine whose determinization or disambiguation does not
	// terminate: two states reached by the same strings have cycles with the same labels and
	// different weights.
	ErrTwins = errors.New("states are not twins")
)

// Determinize returns a machine with the relation of m, one initial state, and no state with
// two arcs that read the same label. ε is a label like any other, so usually the input tape of
// m should have no ε: see RemoveEpsilon. The states of an acceptor's result are sets of states
// of m, each with its residual weight. Initial, arc and final weights are sums over the
// represented paths, divided out as early as possible. The arcs of a state are sorted by label.
//
// An acceptor is determinized on demand. So a machine without a finite deterministic form, or
// with infinitely many states, can be used if only a few states are visited. A frozen acceptor
// is trimmed first (Connect). Any other is used as is: states from which no final state is
// reachable are members of sets like others. They may cause more sets, even infinitely many,
// and other arc weights, but strings have the same weights.
//
// A transducer must be frozen, and is determinized immediately. It must be functional: it
// writes only one string for each string that it reads. The result writes the common prefix of
// the outputs as early as possible. Where it writes several labels for one input label, arcs
// that read ε follow; apart from these arcs it is deterministic. See DeterminizeBest and
// DeterminizeAll for other transducers.
//
// The ring must be a semiring.Divider in which a sum divides its summands, and a Keyer, and ⊗
// must distribute from both sides; it need not be commutative. Determinization terminates for
// acyclic machines. Two states reached by the same string are twins if their cycles with the
// same labels have the same weight. If all such states are twins, determinization terminates if
// a ⊕ a = a, or if the number of paths per string is bounded. The result may have exponentially
// many states.
//
// Err wraps the following errors. Errors about a transducer or a capability are available
// immediately, the others when states are created:
//
//   - semiring.ErrCapability if the ring lacks a capability;
//   - ErrNotFunctional, with two paths;
//   - ErrInvalid for an arc with different labels in a machine that is not frozen;
//   - semiring.ErrLimit if the states and arcs of the result and the members of its sets are
//     more than o.Limit, where a member with n pending output labels counts for about n/4;
//   - semiring.ErrLimit if a weight or a residual leaves the range of a ring that is
//     semiring.Ranged;
//   - ErrTwins, besides ErrLimit, if two states found so far are not twins. It names them.
//     Different outputs of their cycles are only detected if their lengths differ. If all
//     states are needed, as by Expand, and determinization certainly does not terminate, the
//     error comes long before the limit.
//
// Time and memory are proportional to the numbers that o.Limit bounds, with a log factor for
// sorting the arcs of a set.
//
// Mohri, "Finite-state transducers in language and speech processing" (1997).
func Determinize[W any](m Machine[W], o *Options) Machine[W] {
	return lazily("Determinize", func() (Machine[W], error) { return determinizeAny(m, o.resolved()) }, m)
}

func determinizeAny[W any](m Machine[W], o Options) (Machine[W], error) {
	ring := m.Semiring()
	if err := semiring.RequireSide(ring, semiring.BothSides); err != nil {
		return nil, err
	}
	if f, ok := m.(*FST[W]); ok {
		f = connect(f)
		if !f.labels.acceptor() {
			return withWords(f, func(g *FST[gallic], n numbers) (*FST[gallic], error) {
				return determined(g, newWordResiduals(n), o)
			})
		}
		m = f
	}
	r, err := newRingResiduals(ring)
	if err != nil {
		return nil, err
	}
	return newSubsets("Determinize", m, r, o)
}

// DeterminizeBest is Determinize for transducers that write several strings for one input
// string. The result writes only the string with the best path, with the weight of that path; a
// tie is broken in a way that depends only on m. In addition, the ring must be
// semiring.Ordered.
func DeterminizeBest[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("DeterminizeBest", m, o, determinizeBest[W])
}

func determinizeBest[W any](f *FST[W], o Options) (*FST[W], error) {
	if _, err := semiring.Require[semiring.Ordered[W]](f.ring); err != nil {
		return nil, err
	}
	return withWords(connect(f), func(g *FST[gallic], n numbers) (*FST[gallic], error) {
		return determined(g, bestWords{newWordResiduals(n)}, o)
	})
}

// determinize returns the deterministic form of a trimmed acceptor.
func determinize[W any](f *FST[W], r residuals[W], o Options) (*FST[W], error) {
	return whole(newSubsets("", f, r, o))
}

// newSubsets returns the deterministic form of an acceptor, created on demand. Its errors begin
// with op and the operand, unless op is "".
func newSubsets[W any](op string, m Machine[W], r residuals[W], o Options) (Machine[W], error) {
	z := newDeterminizer(m, r, o)
	if err := z.start(); err != nil {
		return nil, err
	}
	x := newOnDemand(op, m, z.draft, z.keys.len, z.expand)
	x.same = true
	x.begin = func() error {
		z.whole = true
		return nil
	}
	return x, nil
}

// DeterminizeAll is Determinize for transducers that write several strings for one input
// string. The result, a p-subsequential transducer, writes all of them, each with the sum of
// its paths. It writes their common prefix as early as possible; the remainders follow at the
// end of the string, each on an arc that reads ε. It terminates if the weights satisfy the
// conditions of Determinize and the pending remainders are bounded in number and length. Errors
// are as for Determinize, except ErrNotFunctional. The limit counts each remainder of a member
// like a member. A state whose cycles read the same string and write several is not its own
// twin.
//
// Mohri, "Finite-state transducers in language and speech processing" (1997), §3.6.
func DeterminizeAll[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("DeterminizeAll", m, o, determinizeAll[W])
}

func determinizeAll[W any](f *FST[W], o Options) (*FST[W], error) {
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, err
	}
	return withWords(connect(f), func(g *FST[gallic], n numbers) (*FST[gallic], error) { return determinedAll(g, n, o) })
}

// determinedAll returns the deterministic form of f, with ε-arcs where several words end.
func determinedAll(f *FST[gallic], n numbers, o Options) (*FST[gallic], error) {
	sets := setResiduals{newWordResiduals(n)}
	each := func(w gallic) []gallic {
		if n.IsZero(w.Second) {
			return nil
		}
		return []gallic{w}
	}
	g, err := determinize(mapFrozen(f, sets, each), sets, o)
	if err != nil {
		return nil, err
	}
	return spread(g, f.ring)
}

// spread returns f over ring, and replaces final weights with several elements by ε-arcs.
func spread(f *FST[[]gallic], ring semiring.Semiring[gallic]) (*FST[gallic], error) {
	d, end := new(draft[gallic]), int32(f.NumStates())
	for s, rests := range f.final {
		final := ring.Zero()
		several := rests
		if len(rests) == 1 || len(rests) > 0 && rests[0].First.Len() == 0 {
			final, several = rests[0], rests[1:]
		}
		d.state(final)
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			addArc(&d.arcs, f.arcs.in[e], f.arcs.in[e], f.arcs.to[e], f.arcs.w[e][0])
		}
		for _, w := range several {
			addArc(&d.arcs, Epsilon, Epsilon, end, w)
		}
	}
	d.state(ring.One())
	for _, s := range f.starts {
		d.start(s.State, s.Weight[0])
	}
	g, err := d.freeze(ring)
	if err != nil {
		return nil, err
	}
	return connect(g), nil
}

// determinizer is the subset construction. It creates the states of the result in breadth-first
// order of discovery.
type determinizer[W any] struct {
	stateReader[W]
	ring      semiring.Semiring[W]
	residuals residuals[W]
	options   Options
	draft     *draft[W] // without output labels, which equal the input labels

	whole    bool                  // all states are created, instead of states on demand
	next     int                   // size at which subsets are examined next (see look)
	sameHead func(m, n int32) bool // nil, or an extra condition on subsets with the same members

	// Subset n, which is state n of the result, has the members row[n] … row[n+1]−1: each a
	// state and its residual. Members are sorted by state.
	row    []int32
	state  []int32
	rests  []W
	keys   *byteTable // of the subsets
	parent []int32    // per subset: the subset from which it was discovered, −1 for the first
	label  []int32    // per subset: the label by which it was discovered

	// Scratch: the moves out of a subset, and the members reached by a label.
	moves  []move
	weight []W // of the moves
	to     []int32
	sum    []W
	key    []byte
}

// move is an arc out of a subset: label and target in one number, and the index of its weight.
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

// sorted returns the moves sorted by label and target, equal ones in insertion order.
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

// times returns v ⊗ w, where v is the residual of member s of subset n.
func (z *determinizer[W]) times(n, s int32, v, w W) (W, error) {
	x, ok := z.residuals.times(v, w)
	if !ok {
		return x, z.outOfRange(n, s, "a weight onwards", x)
	}
	return x, nil
}

// rest returns the residual of w at state s, reached by label from subset n, after division by
// the common weight.
func (z *determinizer[W]) rest(n, label, s int32, common, w W) (W, error) {
	x, err := z.residuals.rest(common, w)
	switch err {
	case nil:
		return x, nil
	case errDivision:
		return x, z.indivisible(n, label, common, w)
	}
	return x, z.outOfRange(n, s, "the residual string", x)
}

// target calls add with the subset reached by the moves with one label out of subset n, and
// with their common weight.
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

// size returns the size that Options.Limit bounds: states, arcs and members of subsets. If the
// members' keys take more than 16 bytes per member, the size of the keys counts instead. A key
// takes 16 bytes plus the pending output of the member. If delays are unbounded, pending output
// grows with path length.
func (z *determinizer[W]) size() int {
	return z.keys.len() + len(z.draft.arcs.to) + max(len(z.state), len(z.keys.bytes)/16)
}
