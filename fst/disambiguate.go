package fst

import (
	"slices"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Disambiguate returns a machine with the relation of m and at most one path for every input
// string; ε is a label like any other: see RemoveEpsilon. If m has several paths for a string,
// the first one remains, in the order of starts and arcs, with the sum of all their weights.
// Unlike Determinize, it leaves an unambiguous machine unchanged, except for states that
// Connect removes, and also terminates for machines without a deterministic form. The result
// may have several starts.
//
// A transducer must be functional, as for Determinize. Output in which the paths for a string
// still differ is delayed until it is certain, if necessary to arcs that read ε. See
// DisambiguateBest for other transducers.
//
// A state of the result is a state p of m, together with all states q such that one string
// leads to both p and q, and one string leads from both to final states. It also contains the
// residual of each q, and whether an earlier path leads to q. The ring must satisfy the
// conditions of Determinize. Disambiguation terminates whenever determinization does. It also
// terminates for machines of finite ambiguity in which any two such states have the same weight
// on cycles with the same labels (weak twins); if a ⊕ a = a, the ambiguity does not matter. The
// result may have exponentially many states.
//
// The error wraps semiring.ErrCapability, or ErrNotFunctional, with two paths. It wraps
// semiring.ErrLimit if the states and arcs of the result and the members of its sets are more
// than o.Limit, where a member with n pending output labels counts for about n/4. In this case
// it also wraps ErrTwins if two states found so far are not twins, and names them. It also
// wraps ErrLimit if the pairs of states reached by the same strings have more than o.Limit
// states and arcs.
//
// The sets and the condition are from Mohri and Riley, "On the disambiguation of weighted
// automata" (2015), who choose another one of the paths.
func Disambiguate[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("Disambiguate", m, o, disambiguateAny[W])
}

func disambiguateAny[W any](f *FST[W], o Options) (*FST[W], error) {
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, err
	}
	if f.labels.acceptor() {
		r, err := newRingResiduals(f.ring)
		if err != nil {
			return nil, err
		}
		return disambiguate(connect(f), r, o)
	}
	return withWords(connect(f), func(g *FST[gallic], n numbers) (*FST[gallic], error) {
		return disambiguated(g, newWordResiduals(n), o)
	})
}

// DisambiguateBest is Disambiguate for transducers that write several strings for one input
// string, as DeterminizeBest is Determinize for them.
func DisambiguateBest[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("DisambiguateBest", m, o, disambiguateBest[W])
}

func disambiguateBest[W any](f *FST[W], o Options) (*FST[W], error) {
	if _, err := semiring.Require[semiring.Ordered[W]](f.ring); err != nil {
		return nil, err
	}
	return withWords(connect(f), func(g *FST[gallic], n numbers) (*FST[gallic], error) {
		return disambiguated(g, bestWords{newWordResiduals(n)}, o)
	})
}

// Unambiguous reports whether m has at most one path for every input string. The weight of a
// string is then the weight of a single path, and has an inverse if ⊗ has inverses: 1/⟦m⟧ is a
// machine with the inverse weights. ε is a label like any other; see RemoveEpsilon. States that
// are on no path from an initial to a final state are ignored.
//
// It visits the pairs of states that are reached by the same strings, at most the square of the
// number of states of m. The error wraps semiring.ErrLimit if the pairs have more than o.Limit
// states and arcs.
func Unambiguous[W any](m Machine[W], o *Options) (bool, error) {
	f, err := opened("Unambiguous", m, o)
	if err != nil {
		return false, err
	}
	f = connect(f)
	var seen keytable.Table[uint64]
	for _, s := range f.starts {
		if _, fresh := seen.Number(uint64(s.State)); !fresh {
			return false, nil
		}
	}
	for s := range f.final {
		seen.Reset()
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			if _, fresh := seen.Number(keytable.Pair(f.arcs.in[e], f.arcs.to[e])); !fresh {
				return false, nil
			}
		}
	}
	x, err := siblingsOf(f, o.resolved().Limit)
	if err != nil {
		return false, failure("Unambiguous", err, m)
	}
	return len(x.pairs.Keys()) == f.NumStates(), nil // each with itself
}

// disambiguate returns the unambiguous form of a trimmed acceptor.
func disambiguate[W any](f *FST[W], r residuals[W], o Options) (*FST[W], error) {
	z, err := newDisambiguator(f, r, o)
	if err == nil {
		err = z.run()
	}
	if err != nil {
		return nil, err
	}
	z.draft.arcs.out = z.draft.arcs.in
	g, err := z.draft.freezeLike(f)
	if err != nil {
		return nil, err
	}
	return connect(g), nil
}

// siblings are the pairs of states of an acceptor that one string leads to, and from both of
// which another string leads to final states.
type siblings struct{ pairs keytable.Table[uint64] }

// siblingsOf finds them among the paths of f ∘ f.
func siblingsOf[W any](f *FST[W], limit int) (*siblings, error) {
	final, starts := make([]bool, len(f.final)), make([]int32, len(f.starts))
	for s, w := range f.final {
		final[s] = !f.ring.IsZero(w)
	}
	for i, s := range f.starts {
		starts[i] = s.State
	}
	return siblingsOfShape(starts, final, f.labels.row, f.arcs.in, f.arcs.to, limit)
}

// siblingsOfShape is siblingsOf without weights. Machines of bool are compiled here alone, and
// not in each package that disambiguates.
func siblingsOfShape(starts []int32, final []bool, row, in, to []int32, limit int) (*siblings, error) {
	var d draft[bool]
	var labels keytable.Table[int32]
	for s, stops := range final {
		d.state(stops)
		for e := row[s]; e < row[s+1]; e++ {
			n, _ := labels.Number(in[e])
			label := n + 1 // ε is a label like any other
			addArc(&d.arcs, label, label, to[e], true)
		}
	}
	for _, s := range starts {
		d.start(s, true)
	}
	plain, err := d.freeze(semiring.Boolean{})
	if err != nil {
		return nil, err
	}
	c := Compose[bool](plain, plain)
	both, err := expandWithin[bool](c, limit)
	if err != nil {
		return nil, nested.Errorf("pairs of states: %w", err)
	}
	x := new(siblings)
	for s, ok := range both.Graph().Coaccessible() {
		if p, q := c.State(int32(s)); ok {
			x.pairs.Number(keytable.Pair(p, q))
		}
	}
	return x, nil
}

func (x *siblings) are(p, q int32) bool { return x.pairs.Find(keytable.Pair(p, q)) >= 0 }

// disambiguator creates the states of the result in the order of their discovery. Its subsets
// are the subsets of a determinizer, whose fields and errors it uses.
type disambiguator[W any] struct {
	determinizer[W]
	siblings *siblings
	head     []int32 // per state of the result, its state of f
	earlier  []bool  // per member of a subset: whether a path to it precedes the path to the head

	// Scratch: the states reached by the moves with one label.
	group        []int32
	groupSum     []W
	groupEarlier []bool
}

func newDisambiguator[W any](f *FST[W], r residuals[W], o Options) (*disambiguator[W], error) {
	x, err := siblingsOf(f, o.Limit)
	if err != nil {
		return nil, err
	}
	d := &disambiguator[W]{determinizer: *newDeterminizer(f, r, o), siblings: x}
	d.whole = true
	d.sameHead = func(m, n int32) bool {
		return d.head[m] == d.head[n] && slices.Equal(d.earlier[d.row[m]:d.row[m+1]], d.earlier[d.row[n]:d.row[n+1]])
	}
	return d, nil
}

func (z *disambiguator[W]) run() error {
	for _, s := range z.f.starts {
		z.move(0, s.State, s.Weight)
	}
	if err := z.collect(-1, 0, z.sorted()); err != nil {
		return err
	}
	for _, s := range z.f.starts {
		if err := z.follow(-1, 0, s.State, z.draft.start); err != nil {
			return err
		}
	}
	for n := int32(0); int(n) < z.keys.len(); n++ {
		if err := z.expand(n); err != nil {
			return err
		}
	}
	return nil
}

// expand makes the arcs and the final weight of state n.
func (z *disambiguator[W]) expand(n int32) error {
	final, err := z.end(n)
	if err != nil {
		return err
	}
	z.draft.state(final)
	f, a := z.f, &z.draft.arcs
	z.moves, z.weight = z.moves[:0], z.weight[:0]
	moved := 0
	for i := z.row[n]; i < z.row[n+1]; i++ {
		s := z.state[i]
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			z.moves = append(z.moves, move{uint64(f.arcs.in[e])<<32 | uint64(f.arcs.to[e]), int32(len(z.weight))})
			w, err := z.times(n, s, z.rests[i], f.arcs.w[e])
			if err != nil {
				return err
			}
			z.weight = append(z.weight, w)
			if moved += z.residuals.size(w); moved > z.options.Limit {
				return z.outgrown()
			}
		}
	}
	for moves := z.sorted(); len(moves) > 0; {
		label := int32(moves[0].key >> 32)
		k := 1
		for k < len(moves) && int32(moves[k].key>>32) == label {
			k++
		}
		if err := z.collect(n, label, moves[:k]); err != nil {
			return err
		}
		moves = moves[k:]
		s := z.head[n]
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			if f.arcs.in[e] != label {
				continue
			}
			err := z.follow(n, label, f.arcs.to[e], func(to int32, w W) {
				a.in, a.to, a.w = append(a.in, label), append(a.to, to), append(a.w, w)
			})
			if err != nil {
				return err
			}
		}
	}
	if z.size() > z.options.Limit {
		return z.outgrown()
	}
	return z.look()
}

// end returns the final weight of state n: the sum over all final members, if the head is final
// and no final member is reached by an earlier path.
func (z *disambiguator[W]) end(n int32) (W, error) {
	f, ring := z.f, z.f.ring
	sum, ends, first := ring.Zero(), false, true
	none := ring.Zero()
	if ring.IsZero(f.final[z.head[n]]) {
		return none, nil
	}
	for i := z.row[n]; i < z.row[n+1]; i++ {
		s := z.state[i]
		if ring.IsZero(f.final[s]) {
			continue
		}
		first = first && !z.earlier[i]
		w, err := z.times(n, s, z.rests[i], f.final[s])
		if err != nil {
			return none, err
		}
		if !ends {
			sum, ends = w, true
		} else if both, ok := z.residuals.merge(sum, w); ok {
			sum = both
		} else {
			return none, z.ambiguousEnd(n, s)
		}
	}
	if !first {
		return none, nil
	}
	if !z.residuals.inRange(sum) {
		return none, z.outOfRange(n, z.head[n], "the final weight", sum)
	}
	return sum, nil
}

// collect sets the group to the targets of the moves with one label out of state n.
func (z *disambiguator[W]) collect(n, label int32, moves []move) error {
	z.group, z.groupSum, z.groupEarlier = z.group[:0], z.groupSum[:0], z.groupEarlier[:0]
	for i, m := range moves {
		w := z.weight[m.at]
		if i == 0 || m.key != moves[i-1].key {
			z.group, z.groupSum = append(z.group, int32(uint32(m.key))), append(z.groupSum, w)
			z.groupEarlier = append(z.groupEarlier, false)
			continue
		}
		last := len(z.group) - 1
		sum, ok := z.residuals.merge(z.groupSum[last], w)
		if !ok {
			return z.ambiguous(n, label, z.group[last])
		}
		z.groupSum[last] = sum
	}
	if n < 0 {
		return nil
	}
	for i := z.row[n]; i < z.row[n+1]; i++ {
		if !z.earlier[i] {
			continue
		}
		s := z.state[i]
		for e := z.f.labels.row[s]; e < z.f.labels.row[s+1]; e++ {
			if z.f.arcs.in[e] == label {
				z.groupEarlier[z.inGroup(z.f.arcs.to[e])] = true
			}
		}
	}
	return nil
}

// inGroup returns the index of state s in the group.
func (z *disambiguator[W]) inGroup(s int32) int {
	i, _ := slices.BinarySearch(z.group, s)
	return i
}

// follow moves from the head of state n by label to its successor s, unless an earlier path
// leads to s. It calls add with the resulting state and the common weight of all members. It
// then marks s as reached by an earlier path.
func (z *disambiguator[W]) follow(n, label, s int32, add func(to int32, w W)) error {
	at := z.inGroup(s)
	if z.groupEarlier[at] {
		return nil
	}
	defer func() { z.groupEarlier[at] = true }()
	ring := z.f.ring
	z.to, z.sum = z.to[:0], z.sum[:0]
	marked := len(z.earlier)
	common := ring.Zero()
	for i, q := range z.group {
		if !z.siblings.are(s, q) {
			continue
		}
		w := z.groupSum[i]
		z.to, z.sum = append(z.to, q), append(z.sum, w)
		z.earlier = append(z.earlier, z.groupEarlier[i])
		if ring.IsZero(common) {
			common = w
		} else if c := z.residuals.common(common, w); !ring.IsZero(c) {
			common = c
		}
	}
	if ring.IsZero(common) { // summands may cancel each other
		z.earlier = z.earlier[:marked]
		return nil
	}
	z.key = appendNumber(z.key[:0], s)
	for i, w := range z.sum {
		if !ring.IsZero(w) {
			rest, err := z.rest(n, label, z.to[i], common, w)
			if err != nil {
				return err
			}
			z.sum[i] = rest
		}
		q := z.to[i] << 1
		if z.earlier[marked+i] {
			q |= 1
		}
		z.appendMember(q, z.sum[i])
	}
	to, isNew := z.keys.number(z.key)
	if isNew {
		z.head = append(z.head, s)
		z.state = append(z.state, z.to...)
		z.rests = append(z.rests, z.sum...)
		z.row = append(z.row, int32(len(z.state)))
		z.parent, z.label = append(z.parent, n), append(z.label, label)
		if z.size() > z.options.Limit {
			return z.outgrown()
		}
	} else {
		z.earlier = z.earlier[:marked]
	}
	add(to, common)
	return nil
}
