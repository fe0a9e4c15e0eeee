package forest

import "slices"

// Chart is a forest with the deduction that it was built by. It is safe for concurrent
// use.
type Chart[Item comparable, W any] struct {
	Forest *Forest[W]
	Items  []Item // by node: what it stands for, each item once

	rule  []int32  // by edge: the number of its rule, from 1; 0 for none
	names []string // of the rules
}

// Rule returns the name of the rule that derived by edge e, "" if it was no rule, as
// for an axiom that was given outside of rules.
func (c *Chart[Item, W]) Rule(e int32) string { return c.names[c.rule[e]] }

// Head returns the item that edge e derives. It takes time logarithmic in the nodes.
func (c *Chart[Item, W]) Head(e int32) Item {
	v, _ := slices.BinarySearch(c.Forest.Edges(), e+1) // the first v with edge[v] > e
	return c.Items[v-1]
}

// Run applies the rules to everything that follows from the axioms, and freezes what
// the goals depend on. Each goal that is derived is a root of weight One; if none is,
// the forest is empty and its tree sum is Zero. Afterwards d has its rules, and no
// axioms: it is ready for the next sentence, and keeps its memory for it (but for maps that
// an earlier run left far larger than this one needed).
//
// Nodes are numbered so that every tail comes before its head, and the edges of a node
// are in the order of the calls of Derive. The same calls in the same order make the
// same chart. Run takes time in proportion to the applications of rules and the edges.
//
// The error wraps semiring.ErrLimit if there are more than MaxItems or MaxEdges, as
// for rules that always find something new, and ErrCycle, naming an item, if that
// item is derived from itself and a goal depends on it. Run panics within a rule.
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

// wake completes the edges that waited for item v, or makes them wait for another.
func (d *Deduction[Item, W]) wake(v int32) {
	for next := d.state[v].waiting; next != 0; {
		w := d.waiting[next-1]
		d.complete(int(w.edge))
		next = w.next
	}
}

// forget forgets everything but the rules.
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

// outgrown reports whether a map that has few keys for what it had at its fullest is
// better made anew: to clear it would take as long as then.
func outgrown(keys, fullest int) bool { return keys < fullest/64 }
