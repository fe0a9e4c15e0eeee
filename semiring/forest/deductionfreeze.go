package forest

import (
	"fmt"
	"slices"
)

// rows are derivations by head: a forest's arrays, with the rule of every edge.
type rows[W any] struct {
	edge, tail, tails []int32
	weight            []W
	rule              []int32
}

// resize makes room for so many nodes, edges and tails, keeping storage.
func (r *rows[W]) resize(nodes, edges, tails int) {
	r.edge = slices.Grow(r.edge[:0], nodes+1)[:nodes+1]
	r.tail = slices.Grow(r.tail[:0], edges+1)[:edges+1]
	r.tails = slices.Grow(r.tails[:0], tails)[:tails]
	r.weight = slices.Grow(r.weight[:0], edges)[:edges]
	r.rule = slices.Grow(r.rule[:0], edges)[:edges]
}

// freeze makes the chart of the items that the goals depend on.
func (d *Deduction[Item, W]) freeze(goals []Item) (*Chart[Item, W], error) {
	d.sortByHead()
	targets := make([]int32, 0, len(goals))
	for _, goal := range goals {
		if v, ok := d.number[goal]; ok && d.state[v].derived {
			targets = append(targets, v)
		}
	}
	r := &d.byHead
	defer clear(r.weight)
	order, cyclic := (&topology{edge: r.edge, tail: r.tail, tails: r.tails}).postorder(targets)
	if cyclic >= 0 {
		return nil, fmt.Errorf("forest: %w: item %+v is derived from itself", ErrCycle, d.items[cyclic])
	}
	trimmed, node := r.pick(order)
	f, err := New(d.ring, trimmed.edge, trimmed.tail, trimmed.tails, trimmed.weight, d.roots(targets, node))
	if err != nil {
		return nil, err
	}
	c := &Chart[Item, W]{Forest: f, Items: make([]Item, len(order)), rule: trimmed.rule, names: []string{""}}
	for n, v := range order {
		c.Items[n] = d.items[v]
	}
	for _, r := range d.rules {
		c.names = append(c.names, r.name)
	}
	return c, nil
}

// roots makes the nodes of the targets roots of weight One.
func (d *Deduction[Item, W]) roots(targets, node []int32) []Root[W] {
	roots := make([]Root[W], len(targets))
	for i, v := range targets {
		roots[i] = Root[W]{node[v], d.ring.One()}
	}
	return roots
}

// sortByHead fills d.byHead with the complete edges. The counts in d.state are used up.
func (d *Deduction[Item, W]) sortByHead() {
	r := &d.byHead
	edges, tails := int32(0), int32(0)
	for _, s := range d.state {
		edges += s.edges
		tails += s.tails
	}
	r.resize(len(d.items), int(edges), int(tails))
	edges, tails = 0, 0
	for v := range d.state {
		s := &d.state[v]
		r.edge[v] = edges
		s.edges, edges = edges, edges+s.edges
		s.tails, tails = tails, tails+s.tails
	}
	r.edge[len(d.items)], r.tail[edges] = edges, tails
	for e := range d.edges.len {
		from := d.edges.at(e)
		if !from.complete {
			continue
		}
		s := &d.state[from.head]
		r.tail[s.edges], r.weight[s.edges], r.rule[s.edges] = s.tails, from.weight, from.rule
		s.edges++
		for i, end := d.tailsOf(e); i < end; i++ {
			r.tails[s.tails] = *d.tails.at(i)
			s.tails++
		}
	}
}

// pick returns the rows of the nodes order[0], order[1], …, numbered 0, 1, …, and the
// new number of every old node. All of their tails must be among them.
func (r *rows[W]) pick(order []int32) (picked *rows[W], node []int32) {
	node = make([]int32, len(r.edge)-1)
	edges, tails := 0, 0
	for n, v := range order {
		node[v] = int32(n)
		lo, hi := r.edge[v], r.edge[v+1]
		edges += int(hi - lo)
		tails += int(r.tail[hi] - r.tail[lo])
	}
	picked = &rows[W]{
		edge:   make([]int32, len(order)+1),
		tail:   make([]int32, edges+1),
		tails:  make([]int32, tails),
		weight: make([]W, edges),
		rule:   make([]int32, edges),
	}
	edges, tails = 0, 0
	for n, v := range order {
		lo, hi := r.edge[v], r.edge[v+1]
		picked.edge[n] = int32(edges)
		copy(picked.weight[edges:], r.weight[lo:hi])
		copy(picked.rule[edges:], r.rule[lo:hi])
		shift := int32(tails) - r.tail[lo]
		for e := lo; e < hi; e++ {
			picked.tail[edges] = r.tail[e] + shift
			edges++
		}
		for _, u := range r.tails[r.tail[lo]:r.tail[hi]] {
			picked.tails[tails] = node[u]
			tails++
		}
	}
	picked.edge[len(order)], picked.tail[edges] = int32(edges), int32(tails)
	return picked, node
}
