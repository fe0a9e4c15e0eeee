package rx

import (
	"example.org/pathsum/fst"
)

// build adds the states and arcs of e.
func (b *builder[W]) build(e Expr) (fragment[W], error) {
	n := e.node()
	x, err := b.operator(n)
	if err == nil {
		err = b.spend(n, 0)
	}
	return x, n.fault(err)
}

// operator adds the states and arcs of n.
func (b *builder[W]) operator(n *node) (fragment[W], error) {
	switch n.op {
	case concat:
		return b.fold(n.args, b.epsilon(b.ring.One()), b.concat)
	case union:
		return b.alternatives(n)
	case symbol:
		label, err := b.label(n)
		return b.pair(label, label), err
	case edge:
		if b.edge == fst.Epsilon {
			return fragment[W]{}, invalid(ErrInvalid, "$ outside the contexts of a rule")
		}
		return b.pair(b.edge, b.edge), nil
	case oneOf, noneOf:
		labels, err := n.members(b.alphabet)
		x := b.epsilon(b.ring.Zero())
		for _, l := range labels {
			x = b.union(x, b.pair(l, l))
		}
		return x, err
	case ref:
		return b.reference(n)
	case each:
		e, err := b.writtenOut(n)
		if err != nil {
			return fragment[W]{}, err
		}
		return b.build(e)
	case weight:
		w, _, err := b.probability(n)
		return b.epsilon(w), err
	case probUnion, probStar:
		return b.probabilistic(n)
	case choice:
		return b.choice(n)
	case repeat:
		return b.repeat(n)
	case cross:
		return b.cross(n)
	case compose, reverse, intersect, subtract, complement, minimal, otherwise, rules, tokens:
		f, err := b.machine(Expr{n})
		if err != nil {
			return fragment[W]{}, err
		}
		return b.embed(f)
	}
	return b.relabeled(n)
}

// fold joins the operands to x, from left to right.
func (b *builder[W]) fold(es []Expr, x fragment[W], join func(x, y fragment[W]) fragment[W]) (fragment[W], error) {
	for _, e := range es {
		y, err := b.build(e)
		if err != nil {
			return x, err
		}
		x = join(x, y)
	}
	return x, nil
}

func (b *builder[W]) reference(n *node) (x fragment[W], err error) {
	if f, ok := b.machines[n.name]; ok {
		return b.embed(f)
	}
	if label, ok := b.called(n); ok {
		return b.pair(label, label), nil
	}
	err = b.inside(n, func(e Expr) (err error) {
		x, err = b.build(e)
		return err
	})
	return x, err
}

func (b *builder[W]) probabilistic(n *node) (x fragment[W], err error) {
	yes, no, err := b.probability(n)
	if err != nil {
		return x, err
	}
	if x, err = b.build(n.args[0]); err != nil {
		return x, err
	}
	if n.op == probStar {
		return b.star(x, yes, no)
	}
	y, err := b.build(n.args[1])
	if err != nil {
		return x, err
	}
	return b.union(b.scale(yes, x), b.scale(no, y)), nil
}

func (b *builder[W]) choice(n *node) (fragment[W], error) {
	x := b.epsilon(b.ring.Zero())
	for i, alternative := range n.alternatives() {
		y, err := b.build(n.args[i])
		if err != nil {
			return x, err
		}
		x = b.union(x, b.scale(b.weightOf(n.name, alternative), y))
	}
	return x, nil
}

// repeat: E{2,4} is E E (ε | E (ε | E)), in which every number of repetitions has one path, and
// E{3,} is E E E+.
func (b *builder[W]) repeat(n *node) (fragment[W], error) {
	one := b.ring.One()
	e, x := n.args[0], b.epsilon(one)
	copies := n.lo // in front of x
	if n.hi == Unlimited {
		y, err := b.build(e)
		if err != nil {
			return x, err
		}
		join := b.plus
		if n.lo == 0 {
			join = func(y fragment[W]) (fragment[W], error) { return b.star(y, one, one) }
		}
		if x, err = join(y); err != nil {
			return x, err
		}
		copies = max(0, n.lo-1)
	}
	for i := max(n.hi, copies); i > 0; i-- {
		y, err := b.build(e)
		if err != nil {
			return x, err
		}
		x = b.concat(y, x)
		if i > copies {
			x = b.union(b.epsilon(one), x)
		}
	}
	return x, nil
}

// relabeled adds the operand of n and changes its labels.
func (b *builder[W]) relabeled(n *node) (fragment[W], error) {
	first := len(b.states)
	b.whole++
	b.inverse = b.inverse != (n.op == invert)
	x, err := b.build(n.args[0])
	b.inverse = b.inverse != (n.op == invert)
	b.whole--
	b.relabel(first, len(b.states), func(a *fst.Arc[W]) {
		switch n.op {
		case invert:
			exchange(a)
		case projectIn:
			a.Out = a.In
		case projectOut:
			a.In = a.Out
		}
	})
	return x, err
}

// exchange exchanges the tapes of an arc.
func exchange[W any](a *fst.Arc[W]) { a.In, a.Out = a.Out, a.In }

// builder makes one machine out of fragments, with few ε:ε arcs.
//
// It is the construction of Glushkov, "The abstract theory of automata" (1961), with three
// differences. First, states with the same future are merged from the beginning: the ends of the
// parts of a union, the end and the start of a closure, the end of an expression and the start of
// the next. So a closure of n pairs of symbols is one state with n arcs. Second, weights are placed
// early: the weights of a choice are on the first arcs of its parts. Third, if many states would
// need copies of many arcs each, an ε:ε arc leads from each of them to one state that has these
// arcs.
type builder[W any] struct {
	*compilation[W]
	states  []state[W]
	inverse bool // tapes will be exchanged
}

type state[W any] struct {
	arcs []fst.Arc[W]
	same int32 // the state with which this one was merged, −1 for none
}

// fragment is a machine within a builder. It must not be used after it is joined to another
// fragment. ε:ε arcs leave its start only if they come from an embedded machine.
type fragment[W any] struct {
	start int32
	loops bool // arcs lead to start
	null  W    // final weight of start, the weight of the pair of empty strings
	// sink is the final state of weight One without arcs, or −1
	sink   int32
	finals []fst.Start[W] // the other final states, with their weights
}

// few is the maximum number of states that get copies of any number of arcs, and the maximum number
// of arcs that are copied to any number of states.
const few = 4

func (b *builder[W]) state() int32 {
	b.left--
	b.states = append(b.states, state[W]{same: -1})
	return int32(len(b.states) - 1)
}

func (b *builder[W]) arc(s int32, a fst.Arc[W]) {
	if !b.ring.IsZero(a.Weight) {
		b.left--
		b.states[s].arcs = append(b.states[s].arcs, a)
	}
}

// copy adds the arcs to s, with weights multiplied by w from the left.
func (b *builder[W]) copy(s int32, w W, arcs []fst.Arc[W]) {
	for _, a := range arcs {
		a.Weight = b.ring.Times(w, a.Weight)
		b.arc(s, a)
	}
}

// join merges s, which has no arcs, into t.
func (b *builder[W]) join(s, t int32) { b.states[s].same = t }

// find returns the state into which s was merged, or s.
func (b *builder[W]) find(s int32) int32 {
	root := s
	for b.states[root].same >= 0 {
		root = b.states[root].same
	}
	for s != root {
		b.states[s].same, s = root, b.states[s].same
	}
	return root
}

// relabel calls change for the arcs of the states from first to last−1.
func (b *builder[W]) relabel(first, last int, change func(a *fst.Arc[W])) {
	for s := first; s < last; s++ {
		arcs := b.states[s].arcs
		for i := range arcs {
			change(&arcs[i])
		}
	}
}

func (b *builder[W]) epsilon(w W) fragment[W] {
	return fragment[W]{start: b.state(), null: w, sink: -1}
}

// pair returns the fragment of one arc.
func (b *builder[W]) pair(in, out int32) fragment[W] {
	x := b.epsilon(b.ring.Zero())
	x.sink = b.state()
	b.arc(x.start, fst.Arc[W]{In: in, Out: out, To: x.sink, Weight: b.ring.One()})
	return x
}

// plain reports whether x is the pair of empty strings with a weight.
func (b *builder[W]) plain(x fragment[W]) bool {
	return !x.loops && x.sink < 0 && len(x.finals) == 0 && len(b.states[x.start].arcs) == 0
}

// end adds the final state s to x.
func (b *builder[W]) end(x *fragment[W], s int32, w W) {
	if !b.ring.IsZero(w) {
		x.finals = append(x.finals, fst.Start[W]{State: s, Weight: w})
	}
}

// unloop returns x with a start that has no incoming arcs.
func (b *builder[W]) unloop(x fragment[W]) fragment[W] {
	if x.loops {
		old := x.start
		b.end(&x, old, x.null)
		x.start, x.loops = b.state(), false
		b.copy(x.start, b.ring.One(), b.states[old].arcs)
	}
	return x
}

// scale returns w ⊗ x.
func (b *builder[W]) scale(w W, x fragment[W]) fragment[W] {
	switch {
	case b.one(w):
		return x
	case b.ring.IsZero(w):
		return b.epsilon(w)
	}
	x = b.unloop(x)
	arcs := b.states[x.start].arcs
	for i := range arcs {
		arcs[i].Weight = b.ring.Times(w, arcs[i].Weight)
	}
	x.null = b.ring.Times(w, x.null)
	return x
}

// embed returns a fragment with the states and arcs of f.
func (b *builder[W]) embed(f *fst.FST[W]) (fragment[W], error) {
	x := b.epsilon(b.ring.Zero())
	if b.left < f.NumStates()+f.NumArcs() {
		return x, b.tooLarge()
	}
	first := int32(len(b.states))
	for range f.NumStates() {
		b.state()
	}
	for s := range int32(f.NumStates()) {
		for _, a := range f.AppendArcs(nil, s) {
			a.To += first
			b.arc(first+s, a)
		}
		w := f.Final(s)
		if len(b.states[first+s].arcs) > 0 || !b.one(w) {
			b.end(&x, first+s, w)
			continue
		}
		if x.sink < 0 {
			x.sink = first + s
		} else {
			b.join(first+s, x.sink)
		}
	}
	for _, s := range f.AppendStarts(nil) {
		b.copy(x.start, s.Weight, b.states[first+s.State].arcs)
		x.null = b.ring.Plus(x.null, b.ring.Times(s.Weight, f.Final(s.State)))
	}
	return x, nil
}

// freeze returns the machine of x, with states in breadth-first order.
func (b *builder[W]) freeze(x fragment[W]) (*fst.FST[W], error) {
	m := fst.NewBuilder(b.ring)
	m.AllowZero()
	m.SetSymbols(b.alphabet, b.alphabet)
	final := make([]W, len(b.states))
	for s := range final {
		final[s] = b.ring.Zero()
	}
	final[x.start] = x.null
	if x.sink >= 0 {
		final[x.sink] = b.ring.One()
	}
	for _, f := range x.finals {
		final[f.State] = f.Weight
	}
	found := make([]int32, len(b.states)) // 1 + number in m
	var queue []int32
	visit := func(s int32) int32 {
		if found[s] == 0 {
			found[s] = m.AddState() + 1
			m.SetFinal(found[s]-1, final[s])
			queue = append(queue, s)
		}
		return found[s] - 1
	}
	m.AddStart(visit(x.start), b.ring.One())
	for i := 0; i < len(queue); i++ {
		from := int32(i)
		for _, a := range b.states[queue[i]].arcs {
			if b.invents(a) {
				return nil, errInvents
			}
			a.To = visit(b.find(a.To))
			m.AddArc(from, a)
		}
	}
	return m.Freeze()
}
