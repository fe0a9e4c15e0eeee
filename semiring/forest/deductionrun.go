package forest

import (
	"slices"

	"example.org/pathsum/semiring/internal/rows"
)

// Chart is a forest with the items and rules of the deduction that built it. It is safe for
// concurrent use.
type Chart[Item comparable, W any] struct {
	Forest *Forest[W]
	Items  []Item // the item of each node

	rule  []int32  // by edge: the number of its rule, from 1; 0 if no rule derived it
	names []string // of the rules
}

// Rule returns the name of the rule that derived by edge e, "" if Derive was called outside of
// rules, as for an axiom.
func (c *Chart[Item, W]) Rule(e int32) string { return c.names[c.rule[e]] }

// Head returns the item that edge e derives. It takes time logarithmic in the number of nodes.
func (c *Chart[Item, W]) Head(e int32) Item {
	v, _ := slices.BinarySearch(c.Forest.Edges(), e+1) // the first v with edge[v] > e
	return c.Items[v-1]
}

// Run applies the rules to all items that follow from the axioms, and freezes the part that the
// goals depend on. Each goal that is derived is a root of weight One; if no goal is derived, the
// forest is empty and its tree sum is Zero. Afterwards d has its rules but no axioms and is ready
// for the next sentence. It keeps its memory, except for maps that have become far larger than
// this run needed.
//
// Nodes are numbered so that every tail comes before its head, unless both are on a common cycle,
// and the edges of a node are in the order of the calls of Derive. The same calls in the same
// order produce the same chart. Run takes time proportional to the number of applications of
// rules and of edges.
//
// The error wraps semiring.ErrLimit if there are more than MaxItems items or MaxEdges edges, for
// example because rules derive new items without end. It wraps semiring.ErrNotFinite if an item
// does not equal itself, such as NaN. Run panics if it is called within a rule.
func (d *Deduction[Item, W]) Run(goals ...Item) (*Chart[Item, W], error) {
	if d.applying != 0 {
		panic("forest: Run within a rule")
	}
	defer d.forget()
	for n := 0; n < len(d.agenda) && d.err == nil; n++ {
		v := d.agenda[n]
		d.wake(v)
		item := d.items[v]
		for r := range d.rules {
			d.applying = r + 1
			d.rules[r].apply(v, item)
		}
		d.applying, d.antecedents = 0, d.antecedents[:0]
	}
	if d.err != nil {
		return nil, d.err
	}
	return d.freeze(goals)
}

// wake completes the edges that waited for item v, or makes them wait for another tail.
func (d *Deduction[Item, W]) wake(v int32) {
	for next := d.state[v].waiting; next != 0; {
		w := d.waiting[next-1]
		d.complete(int(w.edge))
		next = w.next
	}
}

// forget removes everything except the rules.
func (d *Deduction[Item, W]) forget() {
	for _, r := range d.rules {
		r.forget()
	}
	clear(d.items) // an item or a weight may refer to something large
	if outgrown(len(d.items), cap(d.items)) {
		d.number, d.items = make(map[Item]int32), nil
	} else {
		clear(d.number)
	}
	d.items, d.state, d.agenda = d.items[:0], d.state[:0], d.agenda[:0]
	d.edges.empty()
	d.tails.empty()
	d.waiting = d.waiting[:0]
	d.applying, d.antecedents, d.err = 0, d.antecedents[:0], nil
}

// outgrown reports whether a map should be replaced because it now has few keys compared with its
// fullest state: clearing takes time proportional to the latter.
func outgrown(keys, fullest int) bool { return keys < fullest/64 }

// byHead holds derivations sorted by head. Item v has the derivations
// inferences[row[v]:row[v+1]], with the tails tails[tail[v]:tail[v+1]].
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
		order = d.cyclicOrder(targets)
	}
	return d.pick(order, targets)
}

// cyclicOrder returns the items that the targets depend on, tails first, if some items are
// derived from themselves.
func (d *Deduction[Item, W]) cyclicOrder(targets []int32) []int32 {
	needed, open := make([]bool, len(d.items)), slices.Clone(targets)
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		if !needed[v] {
			needed[v] = true
			open = append(open, d.byHead.tails[d.byHead.tail[v]:d.byHead.tail[v+1]]...)
		}
	}
	dependencies := rows.Topology{Row: d.byHead.tail, To: d.byHead.tails}
	c, order := dependencies.Components(), []int32(nil) // heads first
	for p := c.N - 1; p >= 0; p-- {
		if v := c.State(p); needed[v] {
			order = append(order, v)
		}
	}
	return order
}

// roots makes the nodes of the targets roots of weight One.
func (d *Deduction[Item, W]) roots(targets, node []int32) []Root[W] {
	roots := make([]Root[W], len(targets))
	for i, v := range targets {
		roots[i] = Root[W]{node[v], d.ring.One()}
	}
	return roots
}

// sortByHead fills d.byHead with the complete edges. It overwrites the counts in d.state.
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

// pick returns the chart of the items order[0], order[1], …, which must include all items that
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

// pages is a list that grows without copying. It keeps its storage when it is emptied.
type pages[E any] struct {
	page [][]E // all of the same length
	len  int
}

const (
	pageBits = 10
	pageSize = 1 << pageBits
)

func (p *pages[E]) at(i int) *E { return &p.page[i>>pageBits][i&(pageSize-1)] }

func (p *pages[E]) push(x E) {
	if p.len>>pageBits == len(p.page) {
		p.page = append(p.page, make([]E, pageSize))
	}
	*p.at(p.len) = x
	p.len++
}

// empty removes the elements and clears references in them.
func (p *pages[E]) empty() {
	for _, page := range p.page[:(p.len+pageSize-1)>>pageBits] {
		clear(page)
	}
	p.len = 0
}
