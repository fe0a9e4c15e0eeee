package part

import (
	"context"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Options select a part: the derivations within a fraction Beam of the best one's
// weight, in at most States states if that is not 0, or the K best if K is not 0.
type Options struct {
	Beam      float64
	States, K int
}

// searches reports whether choosing a part requires a search, even in a whole lattice.
func (o Options) searches() bool { return o.K > 0 || o.States > 0 }

// Part is a part of a lattice. A node of it is a state; if K derivations were chosen, a node is a
// state with the path that led to it.
type Part struct {
	state   []int32 // per node
	row     []int32 // node n has the arcs row[n], …, row[n+1]−1
	arc, to []int32 // the index of an arc among the arcs of the state, and its target node
	final   []bool  // per node: whether derivations may end there
	starts  map[int32]int32
}

// view is a lattice with numbers as weights, for a search. The input label of an arc is its index
// among the arcs of its state, from 1. If the continuations are known exactly, weights are relative
// to the best, so that the search needs no heuristic, and are at most 1.
type view struct {
	*Lattice
	arcs []fst.Arc[expr.W]
	err  error
}

func (v *view) Semiring() semiring.Semiring[semiring.ScaledFloat] { return semiring.Viterbi{} }

// Err returns the first error of the lattice.
func (v *view) Err() error {
	if v.err == nil {
		v.err = fst.Err(v.m)
	}
	return v.err
}

func (v *view) number(w expr.W) semiring.ScaledFloat {
	x, err := v.values.of(w)
	if err != nil && v.err == nil {
		v.err = err
	}
	return x
}

// relative returns w·ahead/before, where before and ahead are the weights of the best continuations
// before and after an arc or a stop of weight w.
func (v *view) relative(w, ahead, before semiring.ScaledFloat) semiring.ScaledFloat {
	if !v.Exact() || w.IsZero() {
		return w
	}
	if w = w.Mul(ahead).Div(before); w.Cmp(unit) > 0 {
		return unit // by rounding
	}
	return w
}

func (v *view) AppendStarts(dst []graph.Start[semiring.ScaledFloat]) []graph.Start[semiring.ScaledFloat] {
	for _, s := range v.starts() {
		w := v.number(s.Weight)
		if v.Exact() {
			w = w.Mul(v.best(s.State))
		}
		dst = append(dst, graph.Start[semiring.ScaledFloat]{State: s.State, Weight: w})
	}
	return dst
}

func (v *view) Final(s int32) semiring.ScaledFloat {
	return v.relative(v.number(v.m.Final(s)), unit, v.best(s))
}

func (v *view) AppendArcs(dst []graph.Arc[semiring.ScaledFloat], s int32) []graph.Arc[semiring.ScaledFloat] {
	v.arcs = v.m.AppendArcs(v.arcs[:0], s)
	for i, a := range v.arcs {
		dst = append(dst, graph.Arc[semiring.ScaledFloat]{In: int32(i + 1), To: a.To,
			Weight: v.relative(v.number(a.Weight), v.best(a.To), v.best(s))})
	}
	return dst
}

// Choose searches for the part to keep.
func (l *Lattice) Choose(ctx context.Context, by Options) (*Part, error) {
	v := &view{Lattice: l}
	o := graph.SearchOptions[semiring.ScaledFloat]{KeepStates: by.States}
	if !l.Exact() {
		o.Heuristic = l.best
	}
	part := &Part{starts: map[int32]int32{}}
	if l.Exact() && !by.searches() {
		return part, part.prune(l.graph, semiring.NewScaled(by.Beam))
	}
	if by.K > 0 {
		return part, part.grow(ctx, v, &o, by.K)
	}
	p, err := graphs.ExpandWithin(ctx, v, semiring.NewScaled(by.Beam), &o)
	if err != nil {
		return nil, err
	}
	for i := range p.In {
		p.In[i]--
	}
	part.take(p.Graph, p.State, p.In)
	return part, nil
}

// take sets c to a part of a lattice whose nodes are distinct states.
func (c *Part) take(g *graph.Graph[semiring.ScaledFloat], state, arc []int32) {
	c.state, c.row, c.arc, c.to = state, g.Row(), arc, g.To()
	for n, s := range state {
		c.final = append(c.final, true)
		c.starts[s] = int32(n)
	}
}

// prune sets c to the part of a lattice within a beam.
func (c *Part) prune(of *graph.Graph[semiring.ScaledFloat], beam semiring.ScaledFloat) error {
	p, err := graphs.PruneBeam(of, beam)
	if err != nil {
		return err
	}
	for n, s := range p.State {
		for e := p.Graph.Row()[n]; e < p.Graph.Row()[n+1]; e++ {
			p.Arc[e] -= of.Row()[s]
		}
	}
	c.take(p.Graph, p.State, p.Arc)
	return nil
}

// grow sets c to the tree of the k best derivations.
func (c *Part) grow(ctx context.Context, v *view, o *graph.SearchOptions[semiring.ScaledFloat], k int) error {
	type branch struct{ node, arc int32 }
	child := map[branch]int32{}
	var below [][]branch // per node: its arcs and their target nodes
	node := func(state int32) int32 {
		c.state, c.final, below = append(c.state, state), append(c.final, false), append(below, nil)
		return int32(len(c.state) - 1)
	}
	for p, err := range graphs.Search(ctx, v, o) {
		if err != nil {
			return err
		}
		n, ok := c.starts[p.Start]
		if !ok {
			n = node(p.Start)
			c.starts[p.Start] = n
		}
		for _, a := range p.Arcs {
			next, ok := child[branch{n, a.In}]
			if !ok {
				next = node(a.To)
				child[branch{n, a.In}] = next
				below[n] = append(below[n], branch{next, a.In - 1})
			}
			n = next
		}
		c.final[n] = true
		if k--; k == 0 {
			break
		}
	}
	c.row = append(c.row, 0)
	for _, all := range below {
		for _, x := range all {
			c.arc, c.to = append(c.arc, x.arc), append(c.to, x.node)
		}
		c.row = append(c.row, int32(len(c.arc)))
	}
	return nil
}
