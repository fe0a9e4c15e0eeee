package rx

import (
	"math"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// Each returns the union, over the symbols of set, of e with the symbol in place of every
// Ref(name). In a text it is written {@name in set: e}.
//
//	{@x in [a-z]: @x @x}    aa | bb | … | zz
//
// So every occurrence of the name is the same symbol, whereas [a-z] [a-z] is any two. The set is a
// class, a symbol, a reference to one of these, or a union, difference or intersection of sets;
// each of its symbols is used once. A variable hides definitions, parameters and outer variables
// with its name, except where an argument names them, and takes no arguments itself. e is written
// out once for each symbol, which counts against the Compiler's Limit.
func Each(name string, set, e Expr) Expr {
	s := substitution{of: ref, args: map[string]Expr{name: newExpr(node{op: variable, name: name})}, done: map[*node]Expr{}, left: math.MaxInt}
	bound := s.put(e)
	for n := range nodes(e) {
		if n.op == ref && n.name == name && len(n.args) > 0 {
			bound = newExpr(node{op: variable, name: name, args: n.args, pos: n.pos}) // not valid
			break
		}
	}
	return newExpr(node{op: each, name: name, args: []Expr{set, bound}})
}

// each reads the rest of {@name in set: E}.
func (p *parser) each() Expr {
	p.enter()
	defer p.leave()
	name := p.name("a variable")
	p.expect("in", "in after the name of a variable")
	p.blanks()
	set := p.atom()
	p.expect(":", "a colon after the symbols of a variable")
	if p.bound == nil {
		p.bound = map[string]int{}
	}
	p.bound[name]++
	e := p.expr()
	p.bound[name]--
	p.expect("}", "an operator or }")
	return newExpr(node{op: each, name: name, args: []Expr{set, e}})
}

// writtenOut returns the union for which n, an each, stands.
func (k *compilation[W]) writtenOut(n *node) (Expr, error) {
	if e, ok := k.bodies[n]; ok {
		return e, nil
	}
	labels, err := k.set(n.args[0])
	if err != nil {
		return Expr{}, err
	}
	if slices.ContainsFunc(labels, k.isOther) {
		return Expr{}, n.args[0].node().fault(invalid(ErrInvalid, "a variable for '%s', which stands for many symbols: want a set without it", fst.OtherName))
	}
	left := k.limit() - k.copied
	es := make([]Expr, 0, len(labels))
	for _, label := range labels {
		name, _ := k.alphabet.Name(label)
		s := substitution{of: variable, args: map[string]Expr{n.name: Symbol(name)}, done: map[*node]Expr{}, left: left - nodeSize}
		es = append(es, s.put(n.args[1]))
		if left = s.left; left < 0 {
			k.copied = k.limit()
			return Expr{}, n.fault(invalid(semiring.ErrLimit, "for %d symbols in place of @%s, expressions are larger than %d", len(labels), n.name, k.limit()))
		}
	}
	k.copied = k.limit() - left
	e := Union(es[0], es[1:]...)
	if err := e.check(); err != nil {
		return Expr{}, err
	}
	k.bodies[n] = e
	return e, nil
}

// set returns the labels of e, a set of symbols, ascending.
func (k *compilation[W]) set(e Expr) (labels []int32, err error) {
	n := e.node()
	if err := k.spend(n, 1); err != nil { // a part may be shared any number of times
		return nil, err
	}
	switch n.op {
	case symbol:
		label, err := k.label(n)
		return []int32{label}, n.fault(err)
	case oneOf, noneOf:
		labels, err = n.members(k.alphabet)
		return labels, n.fault(err)
	case ref:
		if _, ok := k.machines[n.name]; ok {
			break
		}
		err = k.inside(n, func(e Expr) (err error) {
			labels, err = k.set(e)
			return err
		})
		return labels, err
	case union, subtract, intersect:
		return k.sets(n)
	}
	return nil, n.fault(invalid(ErrInvalid, "no set of symbols for a variable: want a class, a symbol, or sets of them with |, - or & between"))
}

// sets returns the labels of n, an operator on sets of symbols.
func (k *compilation[W]) sets(n *node) ([]int32, error) {
	labels, err := k.set(n.args[0])
	if err != nil {
		return nil, err
	}
	for _, a := range n.args[1:] {
		others, err := k.set(a)
		if err != nil {
			return nil, err
		}
		in := func(l int32) bool {
			_, ok := slices.BinarySearch(others, l)
			return ok
		}
		switch n.op {
		case union:
			labels = append(labels, others...)
			slices.Sort(labels)
			labels = slices.Compact(labels)
		case intersect:
			labels = slices.DeleteFunc(labels, func(l int32) bool { return !in(l) })
		default:
			labels = slices.DeleteFunc(labels, in)
		}
	}
	if len(labels) == 0 {
		return nil, n.fault(invalid(ErrInvalid, "no symbol for a variable is left"))
	}
	return labels, nil
}
