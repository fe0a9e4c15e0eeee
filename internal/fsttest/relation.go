package fsttest

import (
	"fmt"
	"maps"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// Pair is a pair of strings of labels, without ε.
type Pair struct{ In, Out string }

// Relation is a weighted relation: pairs with weights that are not Zero.
type Relation map[Pair]Series

// String returns a string of labels as it is in a Pair.
func String(labels ...int32) string {
	var s []byte
	for _, l := range labels {
		if l != fst.Epsilon {
			s = append(s, byte('a'+l-1))
		}
	}
	return string(s)
}

// RelationOf returns the relation of m by following every path until its weight is Zero, that
// is, its trace is too long. Every cycle of m must have a letter.
func RelationOf(m fst.Machine[Series]) Relation {
	ring := m.Semiring()
	r := Relation{}
	var arcs []fst.Arc[Series] // of the states on the current path
	var follow func(s int32, p Pair, w Series)
	follow = func(s int32, p Pair, w Series) {
		if ring.IsZero(w) {
			return
		}
		r.Add(p, ring.Times(w, m.Final(s)))
		lo := len(arcs)
		arcs = m.AppendArcs(arcs, s)
		for i := lo; i < len(arcs); i++ {
			a := arcs[i]
			follow(a.To, Pair{p.In + String(a.In), p.Out + String(a.Out)}, ring.Times(w, a.Weight))
		}
		arcs = arcs[:lo]
	}
	for _, s := range m.AppendStarts(nil) {
		follow(s.State, Pair{}, s.Weight)
	}
	return r
}

// Add adds w to the weight of p, which r must own.
func (r Relation) Add(p Pair, w Series) {
	if len(w) > 0 && r[p] == nil {
		r[p] = Series{}
	}
	for trace, n := range w {
		r[p][trace] += n
	}
}

// Join returns the relation a ∘ b.
func Join(ring semiring.Semiring[Series], a, b Relation) Relation {
	r := Relation{}
	for x, u := range a {
		for y, v := range b {
			if x.Out == y.In {
				r.Add(Pair{x.In, y.Out}, ring.Times(u, v))
			}
		}
	}
	return r
}

// Sum returns the relation a ⊕ b.
func Sum(a, b Relation) Relation {
	r := Relation{}
	for _, part := range []Relation{a, b} {
		for p, w := range part {
			r.Add(p, w)
		}
	}
	return r
}

// Product returns the concatenation of a and b.
func Product(ring semiring.Semiring[Series], a, b Relation) Relation {
	r := Relation{}
	for x, u := range a {
		for y, v := range b {
			r.Add(Pair{x.In + y.In, x.Out + y.Out}, ring.Times(u, v))
		}
	}
	return r
}

// Unit returns the relation of the pair of empty strings, with weight One.
func Unit(ring semiring.Semiring[Series]) Relation { return Relation{{}: ring.One()} }

// Reversed returns the relation of the reversed strings and traces; over Bags,
// traces stay.
func Reversed(ring semiring.Semiring[Series], a Relation) Relation {
	turn, ok := semiring.ReverseOf(ring)
	if !ok {
		panic("fsttest: ring cannot be reversed")
	}
	r := Relation{}
	for p, w := range a {
		r.Add(Pair{reversed(p.In), reversed(p.Out)}, turn(w))
	}
	return r
}

// Diff returns a difference between two relations, or "" if they are equal.
func Diff(got, want Relation) string {
	for _, r := range []Relation{got, want} {
		for p := range r {
			if !maps.Equal(got[p], want[p]) {
				return fmt.Sprintf("(%s, %s) has %s, want %s", p.In, p.Out, got[p].text(), want[p].text())
			}
		}
	}
	return ""
}

func (s Series) text() string {
	out := "0"
	for _, trace := range slices.Sorted(maps.Keys(s)) {
		out += fmt.Sprintf(" + %d %q", s[trace], trace)
	}
	return out
}
