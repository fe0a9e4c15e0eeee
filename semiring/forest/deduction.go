package forest

import (
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Deduction builds forests from rules over items. An item corresponds to a chart cell, a state or
// a table entry: a small comparable value, such as a struct {X, I, J} for “nonterminal X derives
// the words I … J−1”. Rules (Rule, Join) derive items from other items, with weights. Run starts
// from the axioms, applies the rules until no new items follow, and freezes the part that the
// goals depend on: an item becomes a node, an application of a rule an edge. So parsers and other
// dynamic programs are written declaratively, without loops over charts (Shieber, Schabes &
// Pereira 1995; Goodman 1999; Eisner & Blatz 2007).
//
// A derivation is one call of Derive. A call outside of rules and without tails adds an axiom; a
// call by a rule usually passes the rule's antecedents as tails:
//
//	A → B C  p     b = {B, i, k}   c = {C, k, j}
//	--------------------------------------------     d.Derive({A, i, j}, p, b, c)
//	                {A, i, j}
//
// Every combination of antecedents is tried once, so every derivation is built once. Every call
// of Derive is a separate derivation: two calls with the same head and tails count twice.
//
// An antecedent that is not among the tails is a side condition: the rule waits for it, but it is
// not part of the tree. The derivation also waits for a tail that is not an antecedent, without
// an index. These two suffice to work from the goals down: some items are requests, and rules
// respond to each request once. Earley's prediction and memoized recursion are written this way
// (deduction_earley_test.go has an example).
//
// Items should be cheap to hash; each derivation costs one look-up of the head, and one look-up
// of each tail that is not an antecedent of the rule. Weights are only tested for Zero, never
// multiplied, so any ring works, including expr.Space. A Deduction is not safe for concurrent
// use; its charts are.
type Deduction[Item comparable, W any] struct {
	// MaxItems and MaxEdges limit the items and edges of a run, including items and edges that no
	// goal depends on, and so the memory. An item takes about four times the size of Item plus 44
	// bytes, and 16 more per Join. An edge takes three times the size of W plus 32 bytes, and 12
	// more per tail, or 20 if it waited for the tail. The chart keeps about a third. NewDeduction
	// sets them to 2²² and 2²⁵.
	MaxItems, MaxEdges int

	ring  semiring.Semiring[W]
	rules []rule[Item]

	number  map[Item]int32 // of every item seen so far
	items   []Item
	state   []itemState // by item
	agenda  []int32     // items in the order of their first derivation
	edges   pages[edge[W]]
	tails   pages[int32]
	waiting []waiter
	byHead  byHead[W] // the edges sorted by head, for freeze

	applying    int     // the number of the rule being applied, from 1; 0 outside of rules
	antecedents []int32 // of the current application
	err         error   // the first error
}

// itemState is the state of an item.
type itemState struct {
	derived      bool
	waiting      int32 // first of the edges that wait for it, by index+1 into waiting
	edges, tails int32 // number of derivations, and of all their tails
}

// edge is a derivation.
type edge[W any] struct {
	inference[W]
	head     int32
	complete bool // all tails are derived
}

// inference is a derivation without its head. Its tails begin at index tail and end where the
// tails of the next inference begin.
type inference[W any] struct {
	tail, rule int32
	weight     W
}

// waiter is an entry of the list of edges that wait for an item.
type waiter struct{ edge, next int32 }

// rule is a named rule: apply applies it to a new item, and forget resets it for another run.
type rule[Item comparable] struct {
	name   string
	apply  func(v int32, item Item)
	forget func()
}

// NewDeduction returns a deduction without rules or axioms.
func NewDeduction[Item comparable, W any](ring semiring.Semiring[W]) *Deduction[Item, W] {
	return &Deduction[Item, W]{
		MaxItems: 1 << 22,
		MaxEdges: 1 << 25,
		ring:     ring,
		number:   make(map[Item]int32),
	}
}

// Derive adds a derivation of head that weighs w ⊗ the tails, in this order. The derivation
// counts if all of its tails are derived, before or after the call. A call with weight Zero has
// no effect. Without tails, head is an axiom. If a rule calls Derive, the derivation belongs to
// the rule.
func (d *Deduction[Item, W]) Derive(head Item, w W, tails ...Item) {
	if d.err != nil || d.ring.IsZero(w) {
		return
	}
	first := d.tails.len
	for _, tail := range tails {
		d.tails.push(d.antecedent(tail))
	}
	v := d.intern(head)
	if d.edges.len >= min(d.MaxEdges, math.MaxInt32) || d.tails.len > math.MaxInt32 {
		d.fail("%d edges with %d tails", d.edges.len, d.tails.len)
	}
	if d.err != nil {
		return
	}
	d.edges.push(edge[W]{inference: inference[W]{int32(first), int32(d.applying), w}, head: v})
	d.complete(d.edges.len - 1)
}

// complete counts edge e if all of its tails are derived; otherwise it makes the edge wait for a
// tail.
func (d *Deduction[Item, W]) complete(e int) {
	first, end := d.tailsOf(e)
	for i := first; i < end; i++ {
		if s := &d.state[*d.tails.at(i)]; !s.derived {
			d.waiting = append(d.waiting, waiter{int32(e), s.waiting})
			s.waiting = int32(len(d.waiting))
			return
		}
	}
	edge := d.edges.at(e)
	edge.complete = true
	s := &d.state[edge.head]
	s.edges++
	s.tails += int32(end - first)
	if !s.derived {
		s.derived = true
		d.agenda = append(d.agenda, edge.head)
	}
}

// tailsOf returns the bounds of the tails of edge e.
func (d *Deduction[Item, W]) tailsOf(e int) (first, end int) {
	end = d.tails.len
	if e+1 < d.edges.len {
		end = int(d.edges.at(e + 1).tail)
	}
	return int(d.edges.at(e).tail), end
}

// antecedent returns the number of an item that is probably an antecedent of the current
// application: comparing is cheaper than hashing.
func (d *Deduction[Item, W]) antecedent(item Item) int32 {
	for _, v := range d.antecedents {
		if d.items[v] == item {
			return v
		}
	}
	return d.intern(item)
}

// intern returns the number of an item, a new number if it is new.
func (d *Deduction[Item, W]) intern(item Item) int32 {
	v, ok := d.number[item]
	if !ok {
		if !equal(item, item) {
			d.failWith(semiring.ErrNotFinite, "item %+v does not equal itself, so that no derivation finds it again", item)
			return 0
		}
		if len(d.items) >= min(d.MaxItems, math.MaxInt32) {
			d.fail("%d items, and now %+v", len(d.items), item)
			return 0
		}
		v = int32(len(d.items))
		d.number[item] = v
		d.items = append(d.items, item)
		d.state = append(d.state, itemState{})
	}
	return v
}

func equal[Item comparable](a, b Item) bool { return a == b }

// fail records that a limit was reached, unless there was an earlier error.
func (d *Deduction[Item, W]) fail(format string, args ...any) {
	d.failWith(semiring.ErrLimit, format, args...)
}

// failWith records an error that wraps kind, unless there was an earlier error.
func (d *Deduction[Item, W]) failWith(kind error, format string, args ...any) {
	if d.err == nil {
		d.err = nested.Errorf("forest: %w: %s%s", kind, fmt.Sprintf(format, args...), d.by(d.applying))
	}
}

// by names a rule for an error message.
func (d *Deduction[Item, W]) by(rule int) string {
	if rule == 0 {
		return ""
	}
	return fmt.Sprintf(" by rule %q", d.rules[rule-1].name)
}

// Rule adds a rule with one antecedent: apply is called once with every item that is derived, and
// calls Derive for the items that follow from it. Chart.Rule and error messages contain the name.
// Add rules before Run; adding a rule within a rule panics.
func (d *Deduction[Item, W]) Rule(name string, apply func(a Item)) {
	d.add(rule[Item]{
		name: name,
		apply: func(v int32, item Item) {
			d.antecedents = append(d.antecedents[:0], v)
			apply(item)
		},
		forget: func() {},
	})
}

// Join adds a rule with two antecedents that agree in a key: apply is called once with every pair
// of derived items a and b for which left(a) and right(b) are the same key, and calls d.Derive
// for the items that follow from them. left or right returns false if an item cannot be the left
// or right antecedent. An item may be both antecedents, even of the same pair. Pairs are found in
// an index: the rule costs one look-up per item and a call of apply per pair, so the key should
// be as specific as possible. A rule with more antecedents is written as several rules with
// intermediate items, or, if the first antecedents determine the others, passes the others as
// tails.
//
// Join is a function because a method cannot have a type parameter K.
func Join[Item comparable, W any, K comparable](d *Deduction[Item, W], name string,
	left, right func(Item) (K, bool), apply func(a, b Item)) {
	type bucket struct{ left, right []int32 }
	var (
		number  = make(map[K]int32)
		buckets []bucket
		n       int // buckets in use
	)
	find := func(key K) int32 {
		i, ok := number[key]
		if !ok {
			i = int32(n)
			number[key] = i
			if n++; n > len(buckets) {
				buckets = append(buckets, bucket{})
			}
		}
		return i
	}
	d.add(rule[Item]{
		name: name,
		apply: func(v int32, item Item) {
			leftKey, isLeft := left(item)
			rightKey, isRight := right(item)
			if isLeft {
				b := &buckets[find(leftKey)]
				for _, u := range b.right {
					if d.err != nil {
						return
					}
					d.antecedents = append(d.antecedents[:0], v, u)
					apply(item, d.items[u])
				}
				b.left = append(b.left, v)
			}
			if isRight {
				b := &buckets[find(rightKey)]
				for _, u := range b.left { // may include v itself
					if d.err != nil {
						return
					}
					d.antecedents = append(d.antecedents[:0], u, v)
					apply(d.items[u], item)
				}
				b.right = append(b.right, v)
			}
		},
		forget: func() {
			if outgrown(n, len(buckets)) {
				number, buckets = make(map[K]int32), nil
			} else {
				clear(number)
				for i := range buckets[:n] {
					b := &buckets[i]
					b.left, b.right = b.left[:0], b.right[:0]
				}
			}
			n = 0
		},
	})
}

func (d *Deduction[Item, W]) add(r rule[Item]) {
	if d.applying != 0 {
		panic("forest: a rule is added within a rule")
	}
	d.rules = append(d.rules, r)
}
