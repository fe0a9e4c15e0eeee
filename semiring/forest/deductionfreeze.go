package forest

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring/internal/rows"
)

// byHead are derivations sorted by head: those of item v are
// inferences[row[v]:row[v+1]], and their tails tails[tail[v]:tail[v+1]].
type byHead[W any] struct {
	row, tail  []int32
	inferences []inference[W]
	tails      []int32
}

// resize returns a slice of length n, in the storage of s if it is large enough.
func resize[E any](s []E, n int) []E { return slices.Grow(s[:0], n)[:n] }

// freeze makes the chart of the items that the goals depend on.
func (d *Deduction[Item, W]) freeze(goals []Item) (*Chart[Item, W], error) {
	d.sortByHead()
	targets := make([]int32, 0, len(goals))
	for _, goal := range goals {
		if v, ok := d.number[goal]; ok && d.state[v].derived {
			targets = append(targets, v)
		}
	}
	defer clear(d.byHead.inferences)
	order, cyclic := rows.Postorder(d.byHead.tail, d.byHead.tails, targets)
	if cyclic >= 0 {
		return nil, fmt.Errorf("forest: %w: item %+v is derived from itself", ErrCycle, d.items[cyclic])
	}
	return d.pick(order, targets)
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
	r, n := &d.byHead, len(d.items)
	r.row, r.tail = resize(r.row, n+1), resize(r.tail, n+1)
	edges, tails := int32(0), int32(0)
	for v := range d.state {
		s := &d.state[v]
		r.row[v], r.tail[v] = edges, tails
		s.edges, edges = edges, edges+s.edges
		s.tails, tails = tails, tails+s.tails
	}
	r.row[n], r.tail[n] = edges, tails
	r.inferences, r.tails = resize(r.inferences, int(edges)), resize(r.tails, int(tails))
	for e := range d.edges.len {
		from := d.edges.at(e)
		if !from.complete {
			continue
		}
		s := &d.state[from.head]
		r.inferences[s.edges] = inference[W]{s.tails, from.rule, from.weight}
		s.edges++
		for i, end := d.tailsOf(e); i < end; i++ {
			r.tails[s.tails] = *d.tails.at(i)
			s.tails++
		}
	}
}

// pick returns the chart of the items order[0], order[1], …, among which are all that
// they are derived from.
func (d *Deduction[Item, W]) pick(order, targets []int32) (*Chart[Item, W], error) {
	r, node := &d.byHead, make([]int32, len(d.items))
	edges, tails := 0, 0
	for n, v := range order {
		node[v] = int32(n)
		edges += int(r.row[v+1] - r.row[v])
		tails += int(r.tail[v+1] - r.tail[v])
	}
	c := &Chart[Item, W]{Items: make([]Item, len(order)), rule: make([]int32, edges), names: []string{""}}
	weight := make([]W, edges)
	edge, tail, flat := make([]int32, len(order)+1), make([]int32, edges+1), make([]int32, tails)
	edges, tails = 0, 0
	for n, v := range order {
		c.Items[n] = d.items[v]
		edge[n] = int32(edges)
		shift := int32(tails) - r.tail[v]
		own := r.inferences[r.row[v]:r.row[v+1]]
		w, rule, t := weight[edges:][:len(own)], c.rule[edges:][:len(own)], tail[edges:][:len(own)]
		for e := range own {
			from := &own[e]
			w[e], rule[e], t[e] = from.weight, from.rule, from.tail+shift
		}
		edges += len(own)
		for _, u := range r.tails[r.tail[v]:r.tail[v+1]] {
			flat[tails] = node[u]
			tails++
		}
	}
	edge[len(order)], tail[edges] = int32(edges), int32(tails)
	for _, r := range d.rules {
		c.names = append(c.names, r.name)
	}
	var err error
	c.Forest, err = New(d.ring, edge, tail, flat, weight, d.roots(targets, node))
	if err != nil {
		return nil, err
	}
	return c, nil
}
