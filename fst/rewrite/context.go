package rewrite

import (
	"encoding/binary"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// contexts are regular sets, as the states of one nondeterministic automaton without ε: λ, one
// for each rule, or φ ρ, one for each part.
type contexts struct {
	next   []map[int32][]int32 // per state and label: the next states, ascending
	accept []int32             // per state: the rule or part that it accepts for, or -1
	starts [][]int32           // per rule or part: ascending
	// Only for φ ρ: follow contains the starts of ρ, per part. Per state, change is the part whose
	// φ contains the state, or −1 in a ρ, and ends is whether φ may end there.
	follow [][]int32
	change []int32
	ends   []bool
}

// add adds the strings of f as the context of the next rule; a nil f has only the empty string.
// After ε-removal f must not have more than limit states and arcs.
func add[W any](c *contexts, f *fst.FST[W], limit int) error {
	starts, err := addStates(c, f, int32(len(c.starts)), limit)
	c.starts = append(c.starts, starts)
	return err
}

// addWhole adds the strings φ ρ of the next part, where φ is the input of change and ρ the strings
// of right.
func addWhole[W any](c *contexts, change, right *fst.FST[W], limit int) error {
	part := int32(len(c.starts))
	follow, err := addStates(c, right, part, limit)
	if err != nil {
		return err
	}
	first := len(c.next)
	starts, err := addStates(c, change, part, limit)
	if err != nil {
		return err
	}
	c.follow = append(c.follow, follow)
	c.ends = append(c.ends, make([]bool, len(c.next)-len(c.ends))...)
	for len(c.change) < first {
		c.change = append(c.change, -1)
	}
	for s := first; s < len(c.next); s++ {
		c.change = append(c.change, part)
		c.ends[s], c.accept[s] = c.accept[s] >= 0, -1
	}
	ending := func(s int32) bool { return c.ends[s] }
	for _, next := range c.next[first:] {
		for label, to := range next {
			if slices.ContainsFunc(to, ending) {
				next[label] = union(to, follow)
			}
		}
	}
	if slices.ContainsFunc(starts, ending) {
		starts = union(starts, follow)
	}
	c.starts = append(c.starts, starts)
	return nil
}

// addStates adds the states of f, and returns its starts.
func addStates[W any](c *contexts, f *fst.FST[W], rule int32, limit int) ([]int32, error) {
	first := int32(len(c.next))
	if f == nil {
		c.next = append(c.next, nil)
		c.accept = append(c.accept, rule)
		return []int32{first}, nil
	}
	ring := f.Semiring()
	truth := fst.Map(fst.ProjectIn(f), semiring.Boolean{}, func(w W) bool { return !ring.IsZero(w) })
	plain, err := fst.Expand(fst.RemoveEpsilon(truth), &fst.Options{Limit: limit})
	if err != nil {
		return nil, err
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
	return union(starts), nil
}

// trace appends, for every label, its transitions from each state to traces[label]. States are
// encoded as 2s+parity, which distinguishes them from the states of the other contexts.
func (c *contexts) trace(traces map[int32][]byte, parity int) {
	for s, next := range c.next {
		for label, to := range next {
			traces[label] = appendSet(binary.AppendUvarint(traces[label], uint64(2*s+parity)), to)
		}
	}
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

// changes returns the states of set that belong to a φ.
func (c *contexts) changes(set []int32) []int32 {
	var in []int32
	for _, s := range set {
		if c.change[s] >= 0 {
			in = append(in, s)
		}
	}
	return in
}

// following returns the starts of ρ of all parts with an index below before whose φ may end in set.
func (c *contexts) following(set []int32, before int32) []int32 {
	var follow []int32
	for _, s := range set {
		if c.ends[s] && c.change[s] < before {
			follow = append(follow, c.follow[c.change[s]]...)
		}
	}
	return union(follow)
}

// union returns the elements of sets, ascending.
func union(sets ...[]int32) []int32 {
	all := slices.Concat(sets...)
	slices.Sort(all)
	return slices.Compact(all)
}
