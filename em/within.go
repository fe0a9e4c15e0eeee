package em

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Within says which part of a lattice an E step sums over, where the whole is too large or
// takes too long. The sum is then a lower bound, and training raises that. An upper bound
// comes with it whenever a part is chosen (Expectations.Gap): what was left out is bounded
// by what it would have to go through.
//
// The part of an example is chosen at the θ of its first E step, and anew in each E step that
// may do so (Query.Choose), which Fit allows every so many iterations (Options.ChooseEvery).
// The part that was there before stays if it has the higher sum at the new θ. So no choice
// lowers the objective, nor do EM, Incremental and Anneal (at one temperature) on the parts
// as they are. Methods that follow a gradient or extrapolate keep the parts of the first E
// step of each start. The objective may fall for Stepwise as ever, and it does not compare
// before and after a start gives way to another one (Options.Prune) or is resumed from a
// checkpoint. A resumed run chooses anew, and need not have the bits of one without a break. Nor
// does a second Fit of the same Likelihood, which has parts from the first. Where each E step is
// made by a Likelihood of its own, as on a cluster, no part stays, and the objective may fall.
type Within struct {
	// Beam keeps the derivations of at least this fraction of the best one's weight, and
	// others made of the same arcs: a number in (0, 1), smaller for more.
	Beam float64
	// States ends the beam where this many states have been kept, those of the best
	// derivations (0: no limit). The best derivation is kept in any case.
	States int
	// K, in place of a Beam, keeps the K best derivations and nothing else: a K-best E
	// step. With K = 1 training is Viterbi training, chosen as often as parts are.
	K int
	// Whole is the number of states and arcs up to which a lattice is made as a whole to
	// choose from, which is then forgotten: the upper bound is the sum (default 1<<20;
	// negative: none). A larger one is searched, best first, and only a cascade without
	// Branches may be larger. Its weights must not exceed 1. What lies ahead of a state is
	// then bounded by smaller machines, whose states stand for several and have the
	// greatest weights that these have. It is at most 1, besides, where weights are
	// probabilities of pairs, or of outputs given the input.
	Whole int
}

// wholeByDefault is the default of Within.Whole.
const wholeByDefault = 1 << 20

// check returns what is wrong with w, nil for nothing.
func (w *Within) check(data Data) error {
	switch {
	case w == nil:
		return nil
	case (w.Beam == 0) == (w.K == 0):
		return fmt.Errorf("em: %w: Within a beam or K derivations, one of them", ErrInvalid)
	case w.K < 0 || w.States < 0:
		return fmt.Errorf("em: %w: Within %d derivations or %d states", ErrInvalid, w.K, w.States)
	case w.K == 0 && !(w.Beam > 0 && w.Beam < 1):
		return fmt.Errorf("em: %w: Within a beam of %g, want a number in (0, 1)", ErrInvalid, w.Beam)
	case w.K > 0 && w.States > 0:
		return fmt.Errorf("em: %w: Within %d states, but not in a beam", ErrInvalid, w.States)
	case data.streamed():
		return fmt.Errorf("em: %w: Within parts of lattices, which are kept, of a Stream or a Text", ErrInvalid)
	}
	return nil
}

// choice is an E step that chooses parts of lattices.
type choice struct {
	Within
	pass
	ceiling *ceiling
}

// chosen is a part of a lattice. A node of it is a state; if K derivations were chosen, a
// state as reached in one way.
type chosen struct {
	state   []int32 // per node
	row     []int32 // node n has the arcs row[n], …, row[n+1]−1
	arc, to []int32 // the number of an arc among those of the state, and the node it leads to
	final   []bool  // per node: whether derivations may end there
	starts  map[int32]int32
}

// lattice is a lattice to choose from, and what is known of the ways on from its states.
type lattice struct {
	m fst.Machine[expr.W]
	// best and rest bound the weight of the best way on and the sum of all.
	best, rest func(s int32) semiring.ScaledFloat
	// Of a lattice that is there as a whole, of which they are no bounds but what is ahead:
	// its graph in numbers, over semiring.Viterbi.
	graph *graph.Graph[semiring.ScaledFloat]
}

func (l *lattice) exact() bool { return l.graph != nil }

// unit is the number 1.
var unit = semiring.ScaledFloat{Mant: 1}

// keep adds to s the part of the lattice of example i that is chosen.
func (b *composer) keep(ctx context.Context, s *shard, i int, x *Example) error {
	n := len(s.items)
	before := s.before.itemAt(n)
	l, err := b.lattice(x, before.large)
	if err != nil {
		return err
	}
	part, err := b.choose(ctx, &l)
	if err != nil {
		return err
	}
	g, upper, whole, err := b.freeze(&l, part)
	if err != nil {
		return err
	}
	some, err := batch.AppendGraph(s.batch, g)
	if err != nil {
		return err
	}
	var of *shape
	log := math.Inf(-1)
	if some {
		of = &shape{batch: s.batch, g: s.batch.Len() - 1}
		if log, err = b.logTotal(of); err != nil {
			return err
		}
	}
	if before.shape != nil {
		old, err := b.logTotal(before.shape)
		if err != nil {
			return err
		}
		if old > log {
			s.batch.AppendItem(before.shape.batch, before.shape.g)
			of, log, whole = &shape{batch: s.batch, g: s.batch.Len() - 1}, old, before.whole
		}
	}
	if b.choice.eStep == Viterbi || whole {
		upper = log // the best derivation is among those kept
	}
	s.add(i, of)
	last := &s.items[n]
	last.whole, last.large, last.upper = whole, !l.exact(), max(upper, log)
	last.hidden = of == nil && len(l.starts()) > 0
	return nil
}

// beginWithin begins a shard of parts, with the expressions of those chosen before.
func (b *composer) beginWithin(s *shard, of *choice) {
	b.choice, s.chosen = of, of.own
	if s.before != nil {
		b.space = s.before.space
		b.arena.SetSemiring(b.space)
		b.elimination.begin(b.of.problem.tree(), b.space)
	}
	b.values = append(b.values[:0], of.values...)
}

// itemAt returns item n of s, which may be nil.
func (s *shard) itemAt(n int) item {
	if s == nil {
		return item{}
	}
	return s.items[n]
}

// value returns the value of an expression of the shard's Space, whose values it extends to
// all that there are.
func (b *composer) value(w expr.W) (semiring.ScaledFloat, error) {
	if n := b.space.Len(); len(b.values) < n {
		var err error
		if b.values, err = b.space.EvaluateTempered(b.values, nil, b.choice.temperature); err != nil {
			return semiring.ScaledFloat{}, err
		}
	}
	return b.values[w], nil
}

// lattice returns the lattice of x: as a whole unless it is too large.
func (b *composer) lattice(x *Example, large bool) (lattice, error) {
	b.arena.Reset()
	limit := cmp.Or(b.choice.Whole, wholeByDefault)
	if limit > 0 && !large {
		b.limit = min(limit, b.of.data.LatticeLimit)
		m, err := b.derivations(x)
		var f *fst.FST[expr.W]
		if err == nil {
			f, err = b.arena.Expand(m, b.limit)
		}
		b.limit = b.of.data.LatticeLimit
		if err == nil {
			return b.whole(fst.Connect(f))
		}
		if !isAny(err, []error{semiring.ErrLimit}) {
			return lattice{}, err
		}
	}
	return b.partly(x)
}

// whole returns f as a lattice.
func (b *composer) whole(f *fst.FST[expr.W]) (lattice, error) {
	if _, err := b.value(expr.One); err != nil {
		return lattice{}, err
	}
	number := func(w expr.W) semiring.ScaledFloat { return b.values[w] }
	g := graph.Map(f.Graph(), semiring.Semiring[semiring.ScaledFloat](semiring.Viterbi{}), number)
	var best []semiring.ScaledFloat
	if b.choice.searches() {
		var err error
		if best, err = graph.Backward(g); err != nil {
			return lattice{}, err
		}
	}
	rest, err := graph.Backward(graph.Map(f.Graph(), semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{}), number))
	if err != nil {
		return lattice{}, err
	}
	return lattice{m: f, graph: g,
		best: func(s int32) semiring.ScaledFloat { return best[s] },
		rest: func(s int32) semiring.ScaledFloat { return rest[s] }}, nil
}

// starts returns the starts of the lattice.
func (l *lattice) starts() []fst.Start[expr.W] { return l.m.AppendStarts(nil) }

// view is a lattice in numbers, for a search. The input label of an arc is its number among
// those of its state, from 1. Where the ways on are known exactly, weights are relative to
// the best, so that the search need not know of them, and none exceeds 1.
type view struct {
	*lattice
	composer *composer
	arcs     []fst.Arc[expr.W]
	err      error
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
	x, err := v.composer.value(w)
	if err != nil && v.err == nil {
		v.err = err
	}
	return x
}

// relative returns w times what lies ahead, divided by what lay ahead before.
func (v *view) relative(w, ahead, before semiring.ScaledFloat) semiring.ScaledFloat {
	if !v.exact() || w.IsZero() {
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
		if v.exact() {
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

// choose searches the part that is to be kept.
func (b *composer) choose(ctx context.Context, l *lattice) (*chosen, error) {
	v := &view{lattice: l, composer: b}
	o := graph.SearchOptions[semiring.ScaledFloat]{KeepStates: b.choice.States}
	if !l.exact() {
		o.Heuristic = l.best
	}
	part := &chosen{starts: map[int32]int32{}}
	if l.exact() && !b.choice.searches() {
		return part, part.prune(l.graph, semiring.NewScaled(b.choice.Beam))
	}
	if b.choice.K > 0 {
		return part, part.grow(ctx, v, &o, b.choice.K)
	}
	p, err := graph.Within(ctx, v, semiring.NewScaled(b.choice.Beam), &o)
	if err != nil {
		return nil, err
	}
	for i := range p.In {
		p.In[i]--
	}
	part.take(p.Graph, p.State, p.In)
	return part, nil
}

// searches reports whether it takes a search to choose a part, even of a whole lattice.
func (c *choice) searches() bool { return c.K > 0 || c.States > 0 }

// take makes of c a part of a lattice in which each node is another state.
func (c *chosen) take(g *graph.Graph[semiring.ScaledFloat], state, arc []int32) {
	c.state, c.row, c.arc, c.to = state, g.Row(), arc, g.To()
	for n, s := range state {
		c.final = append(c.final, true)
		c.starts[s] = int32(n)
	}
}

// prune makes of c what a beam leaves of a lattice.
func (c *chosen) prune(of *graph.Graph[semiring.ScaledFloat], beam semiring.ScaledFloat) error {
	p, err := graph.PruneBeam(of, beam)
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

// grow makes of c the tree of the k best derivations.
func (c *chosen) grow(ctx context.Context, v *view, o *graph.SearchOptions[semiring.ScaledFloat], k int) error {
	type branch struct{ node, arc int32 }
	child := map[branch]int32{}
	var below [][]branch // per node: its arcs and the nodes that they lead to
	node := func(state int32) int32 {
		c.state, c.final, below = append(c.state, state), append(c.final, false), append(below, nil)
		return int32(len(c.state) - 1)
	}
	for p, err := range graph.Search(ctx, v, o) {
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
