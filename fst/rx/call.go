package rx

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/semiring"
)

// arguments reads the arguments of a reference, if a "(" directly follows the name. In a
// concatenation there is a blank before it.
//
// arguments = [ "(" argument { "," argument } ")" ]; argument = union { ">>" union }
func (p *parser) arguments() (es []Expr) {
	if !p.accept("(") {
		return nil
	}
	p.enter()
	defer p.leave()
	for {
		es = append(es, p.composition(p.union))
		if p.blanks(); !p.accept(",") {
			break
		}
	}
	p.expect(")", "an operator, a comma or )")
	return es
}

// arguments writes the arguments of a reference.
func (p *printer) arguments(es []Expr) {
	p.put("(")
	for i, e := range es {
		if i > 0 {
			p.put(", ")
		}
		if n := e.node(); n.op == compose {
			p.list(n.args, " >> ", unions)
		} else {
			p.expr(e, unions)
		}
	}
	p.put(")")
}

// parameters reads the optional parameter list after the name of a definition.
func (p *parser) parameters() (names []string) {
	if !p.accept("(") {
		return nil
	}
	for {
		p.blanks()
		names = append(names, p.name("a parameter"))
		if p.blanks(); !p.accept(",") {
			break
		}
	}
	p.expect(")", "a comma or )")
	return names
}

// check returns an error if d is invalid regardless of other definitions.
func (d Definition) check() error {
	for i, name := range d.Params {
		if err := checkName(name); err != nil {
			return d.fault(invalid(ErrInvalid, "a parameter: %w", err))
		}
		if slices.Contains(d.Params[:i], name) {
			return d.fault(invalid(ErrInvalid, "two parameters %s", name))
		}
	}
	if err := d.Expr.check(); err != nil {
		return within(d.Name, err)
	}
	if len(d.Params) == 0 {
		return nil
	}
	for n := range nodes(d.Expr) {
		if n.op == ref && len(n.args) > 0 && slices.Contains(d.Params, n.name) {
			return within(d.Name, n.fault(invalid(ErrInvalid, "@%s is a parameter, which takes no arguments", n.name)))
		}
	}
	return nil
}

// fault returns err with the position of d.
func (d Definition) fault(err error) error { return within(d.Name, d.at.fault("", err)) }

// body returns the expansion of n, a reference to d: the expression of d with the arguments of n in
// place of its parameters.
func (c *Compiler[W]) body(n *node, d Definition) (Expr, error) {
	if len(n.args) != len(d.Params) {
		return Expr{}, n.fault(d.mismatch(len(n.args)))
	}
	if len(n.args) == 0 {
		return d.Expr, nil
	}
	if e, ok := c.bodies[n]; ok {
		return e, nil
	}
	if !c.straight[d.Name] {
		if cycle := c.cycle(d.Name); cycle != nil {
			return Expr{}, n.fault(selfish(cycle))
		}
		c.straight[d.Name] = true
	}
	s := substitution{of: ref, args: map[string]Expr{}, done: map[*node]Expr{}, left: c.limit() - c.copied}
	for i, name := range d.Params {
		s.args[name] = n.args[i]
	}
	e := s.put(d.Expr)
	c.copied = c.limit() - s.left
	if s.left < 0 {
		return Expr{}, n.fault(invalid(semiring.ErrLimit, "definitions with their arguments are larger than %d", c.limit()))
	}
	if err := e.check(); err != nil {
		return Expr{}, err
	}
	c.bodies[n] = e
	return e, nil
}

// mismatch returns the error for a wrong number of arguments.
func (d Definition) mismatch(args int) error {
	want := "no arguments"
	switch len(d.Params) {
	case 0:
	case 1:
		want = "1 argument"
	default:
		want = strconv.Itoa(len(d.Params)) + " arguments"
	}
	return invalid(ErrInvalid, "@%s has %d arguments, want %s", d.Name, args, want)
}

// substitution replaces parameters or variables by arguments.
type substitution struct {
	of   op // ref or variable
	args map[string]Expr
	done map[*node]Expr
	left int // the remaining limit; a node counts as nodeSize
}

// nodeSize is the size of a node in units of states and arcs.
const nodeSize = 4

// put returns e with arguments inserted. Parts without parameters are shared with e.
func (s *substitution) put(e Expr) Expr {
	n := e.node()
	if n.op == s.of && len(n.args) == 0 {
		if arg, ok := s.args[n.name]; ok {
			return arg
		}
	}
	if len(n.args) == 0 || s.left < 0 {
		return e
	}
	if made, ok := s.done[n]; ok {
		return made
	}
	var args []Expr
	for i, a := range n.args {
		if s.hidden(n, i) {
			continue
		}
		b := s.put(a)
		if b.node() != a.node() && args == nil {
			args = slices.Clone(n.args)
		}
		if args != nil {
			args[i] = b
		}
	}
	made := e
	if args != nil {
		m := *n
		m.args, m.depth, m.bad = args, 0, nil
		made = newExpr(m)
		s.left -= nodeSize + len(args)
	}
	s.done[n] = made
	return made
}

// hidden reports whether operand i of n is in the scope of another variable of the same name.
func (s *substitution) hidden(n *node, i int) bool {
	if n.op != each || i == 0 || s.of != variable {
		return false
	}
	_, ok := s.args[n.name]
	return ok
}

// cycle returns a cycle of definitions through name, nil if it is not recursive. References in
// arguments do not count as references of the definition.
func (c *Compiler[W]) cycle(name string) []string {
	seen := map[string]bool{}
	var path []string
	var visit func(at string) bool
	visit = func(at string) bool {
		path = append(path, at)
		for _, next := range c.definitions[at].needs() {
			if next == name {
				path = append(path, next)
				return true
			}
			if !seen[next] {
				seen[next] = true
				if visit(next) {
					return true
				}
			}
		}
		path = path[:len(path)-1]
		return false
	}
	if visit(name) {
		return path
	}
	return nil
}

// selfish returns the error for definitions that form a cycle.
func selfish(cycle []string) error {
	return invalid(ErrName, "a definition that needs itself: @%s", strings.Join(cycle, " → @"))
}

// nodes returns an iterator over the operators of e, each once and before its operands, and over
// its symbols.
func nodes(e Expr) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		seen := map[*node]bool{}
		var visit func(n *node) bool
		visit = func(n *node) bool {
			if n.op == symbol {
				return yield(n)
			}
			if seen[n] {
				return true
			}
			seen[n] = true
			if !yield(n) {
				return false
			}
			for _, a := range n.args {
				if !visit(a.node()) {
					return false
				}
			}
			return true
		}
		visit(e.node())
	}
}
