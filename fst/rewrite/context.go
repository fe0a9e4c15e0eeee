package rewrite

import (
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// contexts are regular sets, one or two for each rule, as the states of one
// nondeterministic automaton without ε.
type contexts struct {
	next   []map[int32][]int32 // per state: the states that a label leads to, ascending
	accept []int32             // per state: the rule that it accepts for, or -1
	starts [][]int32           // per rule: ascending
}

// add adds the strings of f, all strings that are empty if it is nil, as those of the
// next rule. Without ε, they must not be more states and arcs than limit.
func add[W any](c *contexts, f *fst.FST[W], limit int) error {
	rule, first := int32(len(c.starts)), int32(len(c.next))
	if f == nil {
		c.next = append(c.next, nil)
		c.accept = append(c.accept, rule)
		c.starts = append(c.starts, []int32{first})
		return nil
	}
	ring := f.Semiring()
	truth := fst.Map(fst.ProjectIn(f), semiring.Boolean{}, func(w W) bool { return !ring.IsZero(w) })
	m, err := fst.RemoveEpsilon(truth, limit)
	if err != nil {
		return err
	}
	plain, err := fst.Expand(m, limit)
	if err != nil {
		return err
	}
	var arcs []fst.Arc[bool]
	for s := range int32(plain.NumStates()) {
		next := map[int32][]int32{}
		arcs = plain.AppendArcs(arcs[:0], s)
		for _, a := range arcs {
			next[a.In] = append(next[a.In], first+a.To)
		}
		for _, to := range next {
			slices.Sort(to)
		}
		accepts := int32(-1)
		if plain.Final(s) {
			accepts = rule
		}
		c.next = append(c.next, next)
		c.accept = append(c.accept, accepts)
	}
	var starts []int32
	for _, s := range plain.AppendStarts(nil) {
		starts = append(starts, first+s.State)
	}
	c.starts = append(c.starts, union(starts))
	return nil
}

// step returns the states that a label leads to from any of those in set.
func (c *contexts) step(set []int32, label int32) []int32 {
	var to []int32
	for _, s := range set {
		to = append(to, c.next[s][label]...)
	}
	return union(to)
}

// accepts reports whether a state of the set accepts.
func (c *contexts) accepts(set []int32) bool {
	return slices.ContainsFunc(set, func(s int32) bool { return c.accept[s] >= 0 })
}

// union returns the elements of sets, ascending.
func union(sets ...[]int32) []int32 {
	all := slices.Concat(sets...)
	slices.Sort(all)
	return slices.Compact(all)
}
