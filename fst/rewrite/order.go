package rewrite

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// order tells which states of contexts imply others: whatever s accepts, a t that s implies
// accepts. A set need not have both: of the counters of a{0,63}, say, the one that has counted least
// does for all. The order is that of simulation, which is found pair by pair, where a set has both.
type order struct {
	*contexts
	anyRule bool // what accepts for one part accepts for all
	moves   [][]move
	labels  []uint64 // per state: a set that has the kinds of its moves, modulo 64
	first   []int32  // per state: the first one that is the same but for its number
	known   map[pair]bool
	leasts  map[string][]int32 // by set, as long as they are few
	key     []byte
}

// move is the way from a state by the labels of a kind.
type move struct {
	kind int32
	to   []int32
}

type pair struct{ s, t int32 }

// Beyond these numbers of pairs, no state is known to imply another: in all, and for one question.
const (
	mostKnown = 1 << 22
	mostAsked = 1 << 16
)

// mostLeasts is how many sets are kept with what is least of them.
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

// merge finds the states that are the same but for their numbers: classes of states are cut, by what
// is said of them and by the classes that their labels lead to, until no class is cut any more.
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

// describe appends what a state is and the classes that its labels lead to.
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

// least returns a set, or a smaller one that accepts the same.
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

// strictest returns sets, or those that accept no more than each of them.
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

// may reports whether s could imply t, by what each is by itself.
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

// question is a pair that holds as long as each of its needs does: a state that s leads to, which
// one of those that t leads to has to be implied by.
type question struct {
	pair
	needs [][]int32 // numbers of questions
	no    bool
}

// ask finds whether a pair holds, and all pairs that it needs.
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

// need returns the questions of which one has to hold for s to imply a state of to, none and true if
// one is known to do.
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

// refute finds the questions that do not hold. Those that are needed stand behind, mostly.
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
