package rx

import "example.org/pathsum/fst"

// builder makes one machine out of fragments, without more ε:ε arcs than it
// takes to keep the machine small.
//
// It is the construction of Glushkov, "The abstract theory of automata" (1961),
// with three differences. States with the same future are one from the beginning:
// the ends of the parts of a union, the end and the start of a closure, the end of
// an expression and the start of the next; which gives, for a closure of many
// pairs of symbols, one state with as many arcs. Weights are put in front: those
// of a choice on the first arcs of its parts. And where many states would have to
// get many arcs each, an arc ε:ε leads from each of them to one state that has
// them.
type builder[W any] struct {
	*compilation[W]
	states []state[W]
}

type state[W any] struct {
	arcs []fst.Arc[W]
	same int32 // the state that this one has become, −1 for itself
}

// fragment is a machine within a builder. It is used up by what it is joined to.
// No arc ε:ε leaves its start, unless an embedded machine had it.
type fragment[W any] struct {
	start int32
	loops bool // arcs lead to start
	null  W    // final weight of start, the weight of the pair of empty strings
	// sink is the final state, of weight One, that no arc leaves; −1 for none
	sink   int32
	finals []fst.Start[W] // the other final states, with their weights
}

// few is how many states get copies of any number of arcs, and how many arcs any
// number of states gets copies of.
const few = 4

func (b *builder[W]) state() int32 {
	b.left--
	b.states = append(b.states, state[W]{same: -1})
	return int32(len(b.states) - 1)
}

func (b *builder[W]) arc(s int32, a fst.Arc[W]) {
	if !b.ring.IsZero(a.Weight) {
		b.left--
		b.states[s].arcs = append(b.states[s].arcs, a)
	}
}

// copy gives s the arcs with w in front.
func (b *builder[W]) copy(s int32, w W, arcs []fst.Arc[W]) {
	for _, a := range arcs {
		a.Weight = b.ring.Times(w, a.Weight)
		b.arc(s, a)
	}
}

// join makes s, which no arc leaves, the same state as t.
func (b *builder[W]) join(s, t int32) { b.states[s].same = t }

// find returns the state that s has become.
func (b *builder[W]) find(s int32) int32 {
	root := s
	for b.states[root].same >= 0 {
		root = b.states[root].same
	}
	for s != root {
		b.states[s].same, s = root, b.states[s].same
	}
	return root
}

// relabel calls change for the arcs of the states from first to last−1.
func (b *builder[W]) relabel(first, last int, change func(a *fst.Arc[W])) {
	for s := first; s < last; s++ {
		arcs := b.states[s].arcs
		for i := range arcs {
			change(&arcs[i])
		}
	}
}

func (b *builder[W]) epsilon(w W) fragment[W] {
	return fragment[W]{start: b.state(), null: w, sink: -1}
}

// pair returns the fragment of one arc.
func (b *builder[W]) pair(in, out int32) fragment[W] {
	x := b.epsilon(b.ring.Zero())
	x.sink = b.state()
	b.arc(x.start, fst.Arc[W]{In: in, Out: out, To: x.sink, Weight: b.ring.One()})
	return x
}

// plain reports whether x is the pair of empty strings with a weight.
func (b *builder[W]) plain(x fragment[W]) bool {
	return !x.loops && x.sink < 0 && len(x.finals) == 0 && len(b.states[x.start].arcs) == 0
}

// end adds the final state s to x.
func (b *builder[W]) end(x *fragment[W], s int32, w W) {
	if !b.ring.IsZero(w) {
		x.finals = append(x.finals, fst.Start[W]{State: s, Weight: w})
	}
}

// unloop returns x with a start that no arc leads to.
func (b *builder[W]) unloop(x fragment[W]) fragment[W] {
	if x.loops {
		old := x.start
		b.end(&x, old, x.null)
		x.start, x.loops = b.state(), false
		b.copy(x.start, b.ring.One(), b.states[old].arcs)
	}
	return x
}

// scale returns x with w in front.
func (b *builder[W]) scale(w W, x fragment[W]) fragment[W] {
	switch {
	case b.one(w):
		return x
	case b.ring.IsZero(w):
		return b.epsilon(w)
	}
	x = b.unloop(x)
	arcs := b.states[x.start].arcs
	for i := range arcs {
		arcs[i].Weight = b.ring.Times(w, arcs[i].Weight)
	}
	x.null = b.ring.Times(w, x.null)
	return x
}
