package rx

import (
	"cmp"
	"encoding/binary"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// pair is an input string, an output string and their weight.
type pair[W any] struct {
	in, out []int32
	weight  W
}

// alternatives adds the union of the operands of n. Operands that are pairs of strings become a
// tree, if there are more than few of them.
func (b *builder[W]) alternatives(n *node) (fragment[W], error) {
	var pairs []pair[W]
	var others []Expr
	for _, e := range n.args {
		p := pair[W]{weight: b.ring.One()}
		switch ok, err := b.pairOf(e.node(), &p); {
		case err != nil:
			return fragment[W]{}, err
		case ok:
			pairs = append(pairs, p)
		default:
			others = append(others, e)
		}
	}
	if len(pairs) <= few {
		return b.fold(n.args, b.epsilon(b.ring.Zero()), b.union)
	}
	return b.fold(others, b.strings(pairs), b.union)
}

// pairOf appends n to p if n is a pair of strings, and otherwise returns false.
func (b *builder[W]) pairOf(n *node, p *pair[W]) (bool, error) {
	switch n.op {
	case symbol:
		label, err := b.label(n)
		p.in, p.out = append(p.in, label), append(p.out, label)
		return !b.isOther(label), n.fault(err)
	case weight:
		w, _, err := b.probability(n)
		p.weight = b.ring.Times(p.weight, w)
		return true, n.fault(err)
	case concat:
		for _, a := range n.args {
			if ok, err := b.pairOf(a.node(), p); !ok || err != nil {
				return ok, err
			}
		}
		return true, nil
	case cross:
		for i, tape := range []*[]int32{&p.in, &p.out} {
			text, ok := n.args[i].text()
			if !ok {
				return false, nil
			}
			for _, e := range text {
				label, err := b.label(e.node())
				if err != nil {
					return true, e.node().fault(err)
				}
				if b.isOther(label) {
					return false, nil
				}
				*tape = append(*tape, label)
			}
		}
		return true, nil
	}
	return false, nil
}

// strings adds pairs of strings as a tree with common suffixes merged. It is deterministic on its
// input, except for an input with several outputs: outputs that differ are delayed until the inputs
// differ. Under ^inv the tapes are exchanged.
func (b *builder[W]) strings(pairs []pair[W]) fragment[W] {
	first := len(b.states)
	if b.inverse {
		for i, p := range pairs {
			pairs[i].in, pairs[i].out = p.out, p.in
		}
	}
	slices.SortStableFunc(pairs, func(p, q pair[W]) int {
		return cmp.Or(slices.Compare(p.in, q.in), slices.Compare(p.out, q.out))
	})
	distinct := pairs[:0]
	for _, p := range pairs {
		last := len(distinct) - 1
		if last >= 0 && slices.Equal(p.in, distinct[last].in) && slices.Equal(p.out, distinct[last].out) {
			distinct[last].weight = b.ring.Plus(distinct[last].weight, p.weight)
		} else {
			distinct = append(distinct, p)
		}
	}
	t := stringTree[W]{builder: b, places: map[string]int32{}, x: b.epsilon(b.ring.Zero())}
	t.keyer, _ = semiring.As[semiring.Keyer[W]](b.ring)
	t.x.sink = b.state()
	root := t.branch(distinct, 0, 0)
	for _, a := range root.arcs {
		b.arc(t.x.start, a)
	}
	t.x.null = root.final
	if b.inverse {
		b.relabel(first, len(b.states), exchange[W])
	}
	return t.x
}

// stringTree makes a fragment of pairs of strings.
type stringTree[W any] struct {
	*builder[W]
	keyer  semiring.Keyer[W] // nil: weights cannot be compared
	places map[string]int32  // states by the encoding of their branch
	x      fragment[W]

	key, weight []byte
}

// branch contains the arcs and the final weight of a state.
type branch[W any] struct {
	arcs  []fst.Arc[W]
	final W
}

// branch returns the continuation of pairs after their first read input labels, which all pairs
// share, and their first written output labels.
func (t *stringTree[W]) branch(pairs []pair[W], read, written int) branch[W] {
	x := branch[W]{final: t.ring.Zero()}
	for len(pairs) > 0 {
		p := pairs[0]
		if len(p.in) == read {
			pairs = pairs[1:]
			if left := p.out[written:]; len(left) == 0 {
				x.final = p.weight
			} else {
				x.arcs = append(x.arcs, t.rest(fst.Epsilon, left, p.weight))
			}
			continue
		}
		n := 1
		for n < len(pairs) && pairs[n].in[read] == p.in[read] {
			n++
		}
		x.arcs = append(x.arcs, t.step(pairs[:n], read, written))
		pairs = pairs[n:]
	}
	return x
}

// step returns the arc for the next input label of pairs, which is the same for all.
func (t *stringTree[W]) step(pairs []pair[W], read, written int) fst.Arc[W] {
	p := pairs[0]
	a := fst.Arc[W]{In: p.in[read], Weight: t.ring.One()}
	differs := func(q pair[W]) bool { return len(q.out) <= written || q.out[written] != p.out[written] }
	if len(p.out) > written && !slices.ContainsFunc(pairs, differs) {
		a.Out = p.out[written]
		written++
	}
	if read++; len(pairs) == 1 && len(p.in) == read && len(p.out) == written {
		a.To, a.Weight = t.x.sink, p.weight
		return a
	}
	a.To = t.place(t.branch(pairs, read, written))
	return a
}

// rest returns the first arc of a path that writes left and, after its first label, reads ε.
func (t *stringTree[W]) rest(in int32, left []int32, w W) fst.Arc[W] {
	a := fst.Arc[W]{In: in, Out: left[0], To: t.x.sink, Weight: w}
	if len(left) > 1 {
		a.Weight = t.ring.One()
		a.To = t.place(branch[W]{arcs: []fst.Arc[W]{t.rest(fst.Epsilon, left[1:], w)}, final: t.ring.Zero()})
	}
	return a
}

// place returns a state with the branch x, the same state for equal branches.
func (t *stringTree[W]) place(x branch[W]) int32 {
	key := t.key[:0]
	known := t.weightKey(&key, x.final)
	for _, a := range x.arcs {
		for _, n := range []int32{a.In, a.Out, a.To} {
			key = binary.AppendUvarint(key, uint64(n))
		}
		known = t.weightKey(&key, a.Weight) && known
	}
	t.key = key
	if s, ok := t.places[string(key)]; ok && known {
		return s
	}
	s := t.state()
	for _, a := range x.arcs {
		t.arc(s, a)
	}
	t.end(&t.x, s, x.final)
	if known {
		t.places[string(key)] = s
	}
	return s
}

// weightKey appends an encoding of w to key. It returns false if the ring does not implement
// semiring.Keyer.
func (t *stringTree[W]) weightKey(key *[]byte, w W) bool {
	if t.keyer == nil {
		return false
	}
	t.weight = t.keyer.AppendKey(t.weight[:0], w, 0)
	*key = append(binary.AppendUvarint(*key, uint64(len(t.weight))), t.weight...)
	return true
}
