package rx

import "example.org/pathsum/fst"

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
		return b.fold(n.args, b.epsilon(b.ring.Zero()), b.union)
	case symbol:
		label, err := labelOf(b.alphabet, n.name)
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
	case compose, reverse, intersect, subtract, complement, rules:
		f, err := b.machine(Expr{n})
		if err != nil {
			return fragment[W]{}, err
		}
		return b.embed(f)
	}
	return b.relabeled(n)
}

// fold joins the operands, from the left, to x.
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
	weights, err := b.weightsOf(n, n.name, n.labels)
	x := b.epsilon(b.ring.Zero())
	for i, w := range weights {
		y, err := b.build(n.args[i])
		if err != nil {
			return x, err
		}
		x = b.union(x, b.scale(w, y))
	}
	return x, err
}

// repeat: E{2,4} is E E (ε | E (ε | E)), so that every number of repetitions is
// there once, and E{3,} is E E E+.
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

// relabeled adds an operand with other labels.
func (b *builder[W]) relabeled(n *node) (fragment[W], error) {
	first := len(b.states)
	b.whole++
	x, err := b.build(n.args[0])
	b.whole--
	b.relabel(first, len(b.states), func(a *fst.Arc[W]) {
		switch n.op {
		case invert:
			a.In, a.Out = a.Out, a.In
		case projectIn:
			a.Out = a.In
		case projectOut:
			a.In = a.Out
		}
	})
	return x, err
}
