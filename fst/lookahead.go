package fst

import (
	"cmp"
	"math"
	"slices"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// LookAhead returns m with tables of the labels that may come next on a tape after every state.
// Use Output for the first operand of compositions, Input for the second. As the other operand,
// the result behaves like m. If m is not frozen, it is expanded first, within DefaultLimit.
//
// As an operand of Compose, the result excludes composed states from which the other operand
// cannot match any of these labels. Take a lexicon that spells words and writes each word at
// its end, composed with a grammar. Each state of the grammar is then composed only with the
// spellings of words that the grammar accepts there. The result is safe for concurrent use, and
// serves any number of compositions.
//
// A table entry is a set of labels, stored as intervals of ranks, which labels get in
// depth-first order: one interval per state for a tree, and at worst half as many intervals as
// labels. Time and memory are O(states + arcs + intervals), times a small factor if there are
// ε-cycles.
//
// At a state of the composition it tests whether the two operands have a possible next label
// (or the end) in common. There is no test if the other operand may move alone (ε), or is a
// Finder or the result of Match. If the other operand is lazy, all arcs of the tested states
// are created. The test takes a binary search per interval.
//
// The tables are from Allauzen, Riley and Schalkwyk, "A generalized composition algorithm for
// weighted finite-state transducers" (2009). To push labels and weights as they do, apply
// PushLabels and PushWeights to the operands.
func LookAhead[W any](m Machine[W], tape Tape) Machine[W] {
	nonnil.Check("fst: LookAhead", "machine", m)
	return lazilyOf("LookAhead", m, nil, m.Semiring(), func(f *FST[W]) (Machine[W], error) { return newLookAhead(f, tape) })
}

func newLookAhead[W any](f *FST[W], tape Tape) (Machine[W], error) {
	x := &lookAhead[W]{frozen: f, tape: tape}
	label := f.labels.on(tape)
	x.horizon.number(f.labels.row, f.arcs.to, label)
	row, to, now := make([]int32, 1, f.NumStates()+1), []int32{}, make([]rankSet, f.NumStates())
	for s := range now {
		if !f.ring.IsZero(f.final[s]) {
			now[s] = append(now[s], span{end, end + 1})
		}
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			if label[e] == Epsilon {
				to = append(to, f.arcs.to[e])
			} else {
				r := x.horizon.rank(label[e])
				now[s] = append(now[s], span{r, r + 1})
			}
		}
		now[s] = now[s].normal()
		row = append(row, int32(len(to)))
	}
	g, err := graph.New(rankSets{}, row, to, slices.Repeat([]rankSet{rankSets{}.One()}, len(to)), nil, now)
	if err == nil {
		x.horizon.next, err = graph.Backward(g)
	}
	if err != nil {
		return nil, err
	}
	x.horizon.hulls = hulls(x.horizon.next)
	return x, nil
}

// lookAhead is the result of LookAhead. It does not embed the frozen machine, because every
// package that composes would compile all methods of the machine again.
type lookAhead[W any] struct {
	frozen  *FST[W]
	tape    Tape
	horizon horizon
}

// looker is a machine that looks ahead.
type looker[W any] interface {
	Machine[W]
	// looking returns the frozen machine, the tape on which it looks ahead, and its table.
	looking() (*FST[W], Tape, *horizon)
}

func (x *lookAhead[W]) looking() (*FST[W], Tape, *horizon) { return x.frozen, x.tape, &x.horizon }

// Semiring returns the ring of the weights.
func (x *lookAhead[W]) Semiring() semiring.Semiring[W] { return x.frozen.ring }

// AppendStarts appends the initial states to dst.
func (x *lookAhead[W]) AppendStarts(dst []Start[W]) []Start[W] { return x.frozen.AppendStarts(dst) }

// Final returns the final weight of state s, Zero if s is not final.
func (x *lookAhead[W]) Final(s int32) W { return x.frozen.Final(s) }

// AppendArcs appends the arcs that leave state s to dst.
func (x *lookAhead[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] { return x.frozen.AppendArcs(dst, s) }

// InSymbols returns the names of the input labels, nil if they have none.
func (x *lookAhead[W]) InSymbols() *Symbols { return x.frozen.inSymbols }

// OutSymbols returns the names of the output labels, nil if they have none.
func (x *lookAhead[W]) OutSymbols() *Symbols { return x.frozen.outSymbols }

func (x *lookAhead[W]) operation() string { return "LookAhead" }

// horizon holds the labels that may come next.
type horizon struct {
	labels keytable.Table[int32] // in the order of their ranks, from 1 on
	next   []rankSet             // per state
	hulls  []span                // per state, the interval from the least rank to the greatest
}

// hulls returns the smallest intervals that contain the sets.
func hulls(sets []rankSet) []span {
	h := make([]span, len(sets))
	for i, a := range sets {
		if len(a) > 0 {
			h[i] = span{a[0].lo, a[len(a)-1].hi}
		}
	}
	return h
}

// end is the rank of the end of a path.
const end = 0

// rank returns the rank of a label, 0 if it has none.
func (h *horizon) rank(label int32) int32 { return h.labels.Find(label) + 1 }

// number assigns ranks to labels in the order in which a depth-first walk along ε-arcs meets
// them.
func (h *horizon) number(row, to, label []int32) {
	next := slices.Clone(row[:len(row)-1]) // per state, the next arc to visit
	entered := make([]bool, len(next))
	var open []int32
	for s := range next {
		if !entered[s] {
			entered[s] = true
			open = append(open, int32(s))
		}
		for len(open) > 0 {
			s := open[len(open)-1]
			e := next[s]
			if e == row[s+1] {
				open = open[:len(open)-1]
				continue
			}
			next[s]++
			if l := label[e]; l != Epsilon {
				h.labels.Number(l)
			} else if q := to[e]; !entered[q] {
				entered[q] = true
				open = append(open, q)
			}
		}
	}
}

// outlook tests the states of a composition against the horizon of one operand.
type outlook[W any] struct {
	horizon *horizon
	other   *side[W]
	states  keytable.Table[int32]
	offers  []offer // per visited state of the other operand
	ranks   []int32
	last    int32 // the state of the other operand whose offer is current, −1 at first
	current offer
}

// newOutlook returns the tests for m if it looks ahead on its tape that faces the other side,
// otherwise nil.
func newOutlook[W any](m Machine[W], other *side[W]) *outlook[W] {
	x, ok := m.(looker[W])
	if !ok {
		return nil
	}
	_, ahead, horizon := x.looking()
	if ahead == other.near {
		return nil
	}
	switch other.machine.(type) {
	case interface{ matching() }, Finder[W]: // have many arcs
		return nil
	}
	return &outlook[W]{horizon: horizon, other: other, last: -1}
}

// offer holds the ranks that a state of the other operand can match, as an ascending part of
// outlook.ranks, or all if the operand may move alone.
type offer struct {
	ranks span
	all   bool
}

// mayMeet reports whether the hull of the ranks after state s of the machine that looks ahead
// contains a rank that state q of the other can match. If not, the composition cannot continue
// from these states. The test is faster than meets.
func (x *outlook[W]) mayMeet(s, q int32) bool {
	if q != x.last {
		n, fresh := x.states.Number(q)
		if fresh {
			x.offers = append(x.offers, x.offer(q))
		}
		x.last, x.current = q, x.offers[n]
	}
	hull := x.horizon.hulls[s]
	if x.current.all {
		return hull.lo < hull.hi
	}
	return hull.meets(x.ranks[x.current.ranks.lo:x.current.ranks.hi])
}

// meets reports whether the composition may continue from state s of the machine that looks
// ahead and state q of the other, if mayMeet returned true for them.
func (x *outlook[W]) meets(s, q int32) bool {
	next := x.horizon.next[s]
	if len(next) == 1 { // the hull
		return true
	}
	o := x.offers[x.states.Find(q)]
	return o.all || next.meets(x.ranks[o.ranks.lo:o.ranks.hi])
}

// offer returns the ranks that state q of the other operand can match.
func (x *outlook[W]) offer(q int32) offer {
	lo := len(x.ranks)
	if !x.other.machine.Semiring().IsZero(x.other.final(q)) {
		x.ranks = append(x.ranks, end)
	}
	for l := range x.other.labels(q) {
		if l == Epsilon {
			x.ranks = x.ranks[:lo]
			return offer{all: true}
		}
		if r := x.horizon.rank(l); r > 0 {
			x.ranks = append(x.ranks, r)
		}
	}
	slices.Sort(x.ranks[lo:])
	return offer{ranks: span{int32(lo), int32(len(x.ranks))}}
}

// rankSet is a set of numbers: disjoint, non-adjacent intervals in ascending order.
type rankSet []span

// rankSets is the ring of such sets with union and intersection.
type rankSets struct{}

func (rankSets) Zero() rankSet         { return nil }
func (rankSets) One() rankSet          { return rankSet{{0, math.MaxInt32}} }
func (rankSets) IsZero(a rankSet) bool { return len(a) == 0 }
func (rankSets) Laws() semiring.Laws   { return semiring.Commutative | semiring.Bounded }
func (rankSets) Plus(a, b rankSet) rankSet {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return slices.Concat(a, b).normal()
}

func (rankSets) Times(a, b rankSet) rankSet {
	var both rankSet
	for len(a) > 0 && len(b) > 0 {
		if x := (span{max(a[0].lo, b[0].lo), min(a[0].hi, b[0].hi)}); x.lo < x.hi {
			both = append(both, x)
		}
		if a[0].hi < b[0].hi {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// Star returns the set of all ranks.
func (r rankSets) Star(rankSet) (rankSet, bool) { return r.One(), true }

func (rankSets) AppendKey(dst []byte, a rankSet, _ float64) []byte {
	for _, x := range a {
		dst = appendNumber(appendNumber(dst, x.lo), x.hi)
	}
	return dst
}

// normal returns the union of the given intervals, which it overwrites.
func (a rankSet) normal() rankSet {
	slices.SortFunc(a, func(x, y span) int { return cmp.Compare(x.lo, y.lo) })
	n := 0
	for _, x := range a {
		if n > 0 && x.lo <= a[n-1].hi {
			a[n-1].hi = max(a[n-1].hi, x.hi)
			continue
		}
		a[n] = x
		n++
	}
	return slices.Clip(a[:n])
}

// meets reports whether a contains one of the given numbers, which are in ascending order.
func (a rankSet) meets(numbers []int32) bool {
	if len(a) <= len(numbers) {
		for _, x := range a {
			if x.meets(numbers) {
				return true
			}
		}
		return false
	}
	for _, k := range numbers {
		if i, _ := slices.BinarySearchFunc(a, k+1, func(x span, k int32) int { return cmp.Compare(x.hi, k) }); i < len(a) && a[i].lo <= k {
			return true
		}
	}
	return false
}

// meets reports whether x contains one of the given numbers, which are in ascending order. The
// loop has no branch that is hard to predict.
func (x span) meets(numbers []int32) bool {
	if len(numbers) == 0 {
		return false
	}
	at, lo := 0, x.lo // numbers before at are less than lo, if at > 0
	for n := len(numbers); n > 1; {
		half := n / 2
		next := at + half
		if numbers[next-1] < lo {
			at = next
		}
		n -= half
	}
	if numbers[at] < lo {
		at++
	}
	return at < len(numbers) && numbers[at] < x.hi
}
