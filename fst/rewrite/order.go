package rewrite

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// order decides which states of contexts imply others: if s implies t, then t accepts whatever s
// accepts, and a set need not contain both. For example, the lowest counter of a{0,63} makes all
// other counters redundant. The order is simulation, computed pair by pair for the pairs that occur
// in sets.
type order struct {
	*contexts
	anyRule bool // states that accept for different parts are equivalent
	moves   [][]move
	labels  []uint64 // per state: the set of the kinds of its moves, modulo 64
	first   []int32  // per state: the first equivalent state
	known   map[pair]bool
	leasts  map[string][]int32 // by set; cleared at mostLeasts
	key     []byte
}

// move contains the next states after a label of a kind.
type move struct {
	kind int32
	to   []int32
}

type pair struct{ s, t int32 }

// Limits on the number of pairs, in total and for one question. Beyond them, no state is known to
// imply another.
const (
	mostKnown = 1 << 22
	mostAsked = 1 << 16
)

// mostLeasts is the maximum number of sets whose least subset is cached.
const mostLeasts = 1 << 18

// newOrder returns the order of the states of c. Labels without a kind are never read.
func newOrder(c *contexts, kinds map[int32]int32, anyRule bool) *order {
	o := &order{contexts: c, anyRule: anyRule, known: map[pair]bool{}, leasts: map[string][]int32{}}
	for _, next := range c.next {
		var moves []move
		var labels uint64
		for label, to := range next {
			if kind, ok := kinds[label]; ok {
				moves = append(moves, move{kind, to})
				labels |= 1 << (kind & 63)
			}
		}
		byKind := func(a, b move) int { return cmp.Compare(a.kind, b.kind) }
		slices.SortFunc(moves, byKind)
		moves = slices.CompactFunc(moves, func(a, b move) bool { return a.kind == b.kind })
		o.moves = append(o.moves, moves)
		o.labels = append(o.labels, labels)
	}
	o.merge()
	return o
}

// merge finds equivalent states: it splits classes of states by their own properties and by the
// classes of their next states, until no class splits any more.
func (o *order) merge() {
	class := make([]int32, len(o.next))
	for count := 0; ; {
		numbers := map[string]int32{}
		var key []byte
		o.first = make([]int32, len(class))
		cut := make([]int32, len(class))
		for s := range class {
			key = o.describe(key[:0], int32(s), class)
			if _, ok := numbers[string(key)]; !ok {
				numbers[string(key)] = int32(s)
			}
			o.first[s] = numbers[string(key)]
			cut[s] = o.first[s]
		}
		if len(numbers) == count {
			return
		}
		count, class = len(numbers), cut
	}
}

// describe appends the properties of a state and the classes of its next states.
func (o *order) describe(key []byte, s int32, class []int32) []byte {
	accept := o.accept[s]
	if o.anyRule {
		accept = min(accept, 0)
	}
	what := []int32{class[s], accept + 1, 0, 0}
	if o.change != nil {
		if what[2] = o.change[s] + 1; o.ends[s] {
			what[3] = 1
		}
	}
	key = appendSet(key, what)
	for _, m := range o.moves[s] {
		to := make([]int32, len(m.to))
		for i, t := range m.to {
			to[i] = class[t]
		}
		key = appendSet(binary.AppendUvarint(key, uint64(m.kind)), union(to))
	}
	return key
}

// least returns the subset of set without states that imply others; it accepts the same strings.
func (o *order) least(set []int32) []int32 {
	if len(set) == 0 {
		return set
	}
	o.key = appendSet(o.key[:0], set)
	left, ok := o.leasts[string(o.key)]
	if ok {
		return left
	}
	firsts := make([]int32, len(set))
	for i, s := range set {
		firsts[i] = o.first[s]
	}
	set = union(firsts)
	for i, s := range set {
		implied := func(t int32) bool { return o.implies(s, t) }
		if !slices.ContainsFunc(left, implied) && !slices.ContainsFunc(set[i+1:], func(t int32) bool { return implied(t) && !o.implies(t, s) }) {
			left = append(left, s)
		}
	}
	if len(o.leasts) >= mostLeasts {
		clear(o.leasts)
	}
	o.leasts[string(o.key)] = left
	return left
}

// strictest returns sets without those that another of the sets implies.
func (o *order) strictest(sets [][]int32) [][]int32 {
	if len(sets) < 2 {
		return sets
	}
	implies := func(p, q []int32) bool {
		return !slices.ContainsFunc(p, func(s int32) bool {
			return !slices.ContainsFunc(q, func(t int32) bool { return o.implies(s, t) })
		})
	}
	var left [][]int32
	for i, q := range sets {
		stricter := func(p []int32) bool { return implies(p, q) }
		if !slices.ContainsFunc(left, stricter) && !slices.ContainsFunc(sets[i+1:], func(p []int32) bool { return stricter(p) && !implies(q, p) }) {
			left = append(left, q)
		}
	}
	return left
}

// may reports whether s could imply t, judging by properties of the two states alone.
func (o *order) may(s, t int32) bool {
	if o.labels[s]&^o.labels[t] != 0 {
		return false
	}
	if a, b := o.accept[s], o.accept[t]; a >= 0 && a != b && (b < 0 || !o.anyRule) {
		return false
	}
	return o.change == nil || o.change[s] < 0 || o.change[s] == o.change[t] && (o.ends[t] || !o.ends[s])
}

// implies reports whether t accepts whatever s accepts, false if that is not known.
func (o *order) implies(s, t int32) bool {
	if s == t {
		return true
	}
	if !o.may(s, t) {
		return false
	}
	known, ok := o.known[pair{s, t}]
	if !ok && len(o.known) < mostKnown {
		known = o.ask(pair{s, t})
	}
	return known
}

// question is a pair that holds as long as each of its needs does. A need is a next state of s,
// which must imply one of the next states of t.
type question struct {
	pair
	needs [][]int32 // numbers of questions
	no    bool
}

// ask decides whether a pair holds, together with all pairs that it depends on.
func (o *order) ask(first pair) bool {
	number := map[pair]int32{first: 0}
	questions := []question{{pair: first}}
	for i := 0; i < len(questions); i++ {
		if len(questions) > mostAsked {
			o.known[first] = false
			return false
		}
		q := questions[i].pair
		for _, m := range o.moves[q.s] {
			at, ok := slices.BinarySearchFunc(o.moves[q.t], m.kind, func(m move, kind int32) int { return cmp.Compare(m.kind, kind) })
			if !ok {
				questions[i].no = true
				break
			}
			for _, s := range m.to {
				need, settled := o.need(s, o.moves[q.t][at].to, func(p pair) int32 {
					n, ok := number[p]
					if !ok {
						n = int32(len(questions))
						number[p] = n
						questions = append(questions, question{pair: p})
					}
					return n
				})
				if !settled {
					questions[i].needs = append(questions[i].needs, need)
				}
			}
		}
	}
	o.refute(questions)
	for _, q := range questions {
		o.known[q.pair] = !q.no
	}
	return !questions[0].no
}

// need returns questions at least one of which must hold for s to imply a state of to. If s is
// already known to imply one, it returns nil and true.
func (o *order) need(s int32, to []int32, number func(pair) int32) (questions []int32, settled bool) {
	if slices.Contains(to, s) {
		return nil, true
	}
	var open []pair
	for _, t := range to {
		if !o.may(s, t) {
			continue
		}
		p := pair{s, t}
		switch known, ok := o.known[p]; {
		case known:
			return nil, true
		case !ok:
			open = append(open, p)
		}
	}
	for _, p := range open {
		questions = append(questions, number(p))
	}
	return questions, false
}

// refute marks the questions that do not hold. It iterates backwards because most questions depend
// on later ones.
func (o *order) refute(questions []question) {
	holds := func(n int32) bool { return !questions[n].no }
	for changed := true; changed; {
		changed = false
		for i := len(questions) - 1; i >= 0; i-- {
			q := &questions[i]
			if !q.no && slices.ContainsFunc(q.needs, func(need []int32) bool { return !slices.ContainsFunc(need, holds) }) {
				q.no, changed = true, true
			}
		}
	}
}
