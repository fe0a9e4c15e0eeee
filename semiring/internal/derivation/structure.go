// Package derivation answers queries about random derivations: paths of a graph, trees of a
// forest.
//
// The idea: a derivation begins with an entry, which names a node. It takes one of the options of
// that node, then one for every tail of the option, and so on, each in proportion to the mass of
// the derivations with this choice. A tree of a forest is such a derivation: its entries are
// roots, its options edges. A path is one as well: its entries are starts, and its options arcs,
// which have one tail each. At the end of a path a node takes its final weight instead of an
// option; it is called an end here.
//
// The package works on plain numbers, whatever the weights of the storage. The storage provides
// the masses, the sums inside, the expected numbers of uses, and a solver for cycles.
package derivation

// Structure holds the nodes, options and tails of derivations.
type Structure struct {
	Row   []int32 // node v has the options Row[v], …, Row[v+1]−1
	Tail  []int32 // option e has the tails Tails[Tail[e]:Tail[e+1]]; nil: one tail each, Tails[e]
	Tails []int32
	Order []int32 // the nodes, tails before heads except within cycles; nil: 0, 1, 2, …
	// Cycles are runs of Order with nodes that are derived from each other, tails first.
	Cycles []Span
}

// Span is the range of positions Lo, …, Hi−1.
type Span struct{ Lo, Hi int }

// numNodes returns the number of nodes.
func (s *Structure) numNodes() int { return len(s.Row) - 1 }

// node returns the node at a position of the order.
func (s *Structure) node(at int) int32 {
	if s.Order == nil {
		return int32(at)
	}
	return s.Order[at]
}

// tails returns the tails of option e.
func (s *Structure) tails(e int32) []int32 {
	if s.Tail == nil {
		return s.Tails[e : e+1]
	}
	return s.Tails[s.Tail[e]:s.Tail[e+1]]
}

// Below returns, per node, whether it is among the tops or derived from one of them by options
// with counts set. O(size of the structure).
func (s *Structure) Below(tops []int32, counts []bool) []bool {
	occurs, open := make([]bool, s.numNodes()), make([]int32, 0, s.numNodes())
	for _, v := range tops {
		if !occurs[v] {
			occurs[v] = true
			open = append(open, v)
		}
	}
	for n := 0; n < len(open); n++ { // in order, so that the processor fetches rows ahead
		for e, end := s.Row[open[n]], s.Row[open[n]+1]; e < end; e++ {
			if !counts[e] {
				continue
			}
			for _, v := range s.tails(e) {
				if !occurs[v] {
					occurs[v] = true
					open = append(open, v)
				}
			}
		}
	}
	return occurs
}

// Complete returns, for each option, whether it is set in options and all its tails have a
// derivation; derived holds, per node, whether it has one.
func (s *Structure) Complete(options, derived []bool) []bool {
	complete := make([]bool, len(options))
	if s.Tail == nil {
		for e, ok := range options {
			complete[e] = ok && derived[s.Tails[e]]
		}
		return complete
	}
	for e, ok := range options {
		if !ok {
			continue
		}
		complete[e] = true
		for _, u := range s.tails(int32(e)) {
			complete[e] = complete[e] && derived[u]
		}
	}
	return complete
}

// Kept marks the entries, options and ends of a structure to be kept. Entry number i names node
// Entries[i].
type Kept struct {
	Entries            []int32
	Entry, Option, End []bool
}

// Part is a part of a structure, numbered in the order of the whole.
type Part struct {
	Structure                   // without an order
	Node, Option, Entry []int32 // per node, option and entry of the part: its number in the whole
	Number              []int32 // per node of the whole in the part: its number in the part
}

// Part returns the nodes, options and entries of the derivations that consist of kept parts.
// derived holds, per node, whether it has a derivation of kept parts.
func (s *Structure) Part(k Kept, derived []bool) *Part {
	p := &Part{Number: make([]int32, s.numNodes())}
	var tops []int32
	for i, v := range k.Entries {
		if k.Entry[i] && derived[v] {
			p.Entry, tops = append(p.Entry, int32(i)), append(tops, v)
		}
	}
	complete := s.Complete(k.Option, derived)
	for v, occurs := range s.Below(tops, complete) {
		if occurs {
			p.Number[v] = int32(len(p.Node))
			p.Node = append(p.Node, int32(v))
		}
	}
	p.Row, p.Tails = []int32{0}, []int32{}
	if s.Tail != nil {
		p.Tail = []int32{0}
	}
	for _, v := range p.Node {
		for e := s.Row[v]; e < s.Row[v+1]; e++ {
			if !complete[e] {
				continue
			}
			p.Option = append(p.Option, e)
			for _, u := range s.tails(e) {
				p.Tails = append(p.Tails, p.Number[u])
			}
			if s.Tail != nil {
				p.Tail = append(p.Tail, int32(len(p.Tails)))
			}
		}
		p.Row = append(p.Row, int32(len(p.Option)))
	}
	return p
}
