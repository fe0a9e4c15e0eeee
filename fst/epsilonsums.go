package fst

import (
	"fmt"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// epsilonSums are path sums over arcs ε:ε: one or several graph.Pairs.
type epsilonSums[W any] interface {
	// From returns the states reached from s by ε-arcs, including s, and for each the sum over
	// the paths to it. Both slices are valid until the next call.
	From(s int32) (states []int32, sums []W, err error)
}

// sumEpsilons returns the path sums of f, nil if it has no ε-arcs.
func sumEpsilons[W any](f *FST[W]) (epsilonSums[W], error) {
	epsilons := 0
	for e := range f.arcs.to {
		if isEpsilon(f.arcs.in[e], f.arcs.out[e]) {
			epsilons++
		}
	}
	if epsilons == 0 {
		return nil, nil
	}
	var d draft[W]
	resizeArcs(&d.arcs, epsilons)
	resizeArcs(&d.arcs, 0)
	d.row, d.final = make([]int32, 0, f.NumStates()+1), make([]W, 0, f.NumStates())
	for s := range int32(f.NumStates()) {
		d.state(f.ring.Zero())
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			if isEpsilon(f.arcs.in[e], f.arcs.out[e]) {
				addArc(&d.arcs, Epsilon, Epsilon, f.arcs.to[e], f.arcs.w[e])
			}
		}
	}
	return pairsOf(&d, f.ring)
}

// pairsOf returns the path sums of a draft.
func pairsOf[W any](d *draft[W], ring semiring.Semiring[W]) (*graph.Pairs[W], error) {
	f, err := d.freeze(ring)
	if err != nil {
		return nil, err
	}
	return graph.NewPairs(f.Graph())
}

// epsilonParts are the path sums of a machine that is read on demand. A state that has not been
// visited gets a part of its own, with all states that ε-arcs lead to from it.
type epsilonParts[W any] struct {
	stateReader[W]
	ring    semiring.Semiring[W]
	room    int // remaining number of states and arcs in further parts
	most    int // maximum number of states and arcs of a part within an expansion
	met     keytable.Table[int32]
	home    []epsilonHome[W] // per visited state
	reached []int32
}

// epsilonHome is the first part that contains a state, and the state's number in it.
type epsilonHome[W any] struct {
	part *epsilonPart[W]
	at   int32
}

// epsilonPart contains some states, numbered from 0, and all ε-arcs that leave them.
type epsilonPart[W any] struct {
	states []int32 // the numbers of the states in the machine
	pairs  *graph.Pairs[W]
}

// From extends the explored part of the machine if s has not been visited.
func (x *epsilonParts[W]) From(s int32) (states []int32, sums []W, err error) {
	n := x.met.Find(s)
	if n < 0 {
		if err := x.explore(s); err != nil {
			return nil, nil, err
		}
		n = x.met.Find(s)
	}
	home := x.home[n]
	reached, sums, err := home.part.pairs.From(home.at)
	if err != nil {
		return nil, nil, among(home.part.states[0], err)
	}
	x.reached = x.reached[:0]
	for _, q := range reached {
		x.reached = append(x.reached, home.part.states[q])
	}
	return x.reached, sums, nil
}

// explore creates the part of state s.
func (x *epsilonParts[W]) explore(s int32) error {
	var d draft[W]
	var found keytable.Table[int32]
	found.Number(s)
	for n := 0; n < len(found.Keys()); n++ {
		d.state(x.ring.Zero())
		a, at := x.arcsOf(found.Keys()[n])
		for e := at.lo; e < at.hi; e++ {
			if isEpsilon(a.in[e], a.out[e]) && !x.ring.IsZero(a.w[e]) {
				to, _ := found.Number(a.to[e])
				addArc(&d.arcs, Epsilon, Epsilon, to, a.w[e])
			}
		}
		if size := len(found.Keys()) + len(d.arcs.to); size > x.room {
			return fmt.Errorf("%w: ε-arcs from state %d lead to %d states and arcs, want at most %d", semiring.ErrLimit, s, size, x.room)
		} else if size > x.most {
			return passing{fmt.Errorf("%w: ε-arcs from state %d lead to more than %d states and arcs", semiring.ErrLimit, s, x.most)}
		}
	}
	x.room -= len(found.Keys()) + len(d.arcs.to)
	pairs, err := pairsOf(&d, x.ring)
	if err != nil {
		return among(s, err)
	}
	part := &epsilonPart[W]{states: found.Keys(), pairs: pairs}
	for at, q := range part.states {
		if _, isNew := x.met.Number(q); isNew {
			x.home = append(x.home, epsilonHome[W]{part, int32(at)})
		}
	}
	return nil
}

// among returns err, which numbers states by the part of state s, with an explanation of the
// numbers.
func among(s int32, err error) error {
	return nested.Errorf("where ε-arcs lead from state %d, states numbered as they are met, that one 0: %w", s, err)
}
