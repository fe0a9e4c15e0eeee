package rx

import (
	"fmt"
	"slices"
	"strconv"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// Weights returns a function for Compiler.Groups that calls of for each group. If of returns nil,
// there is no such group.
func Weights[W any](of func(group string, alternatives []string) []W) func([]string, [][]string) ([][]W, error) {
	return func(groups []string, alternatives [][]string) ([][]W, error) {
		var weights [][]W
		for i, group := range groups {
			weights = append(weights, of(group, alternatives[i]))
		}
		return weights, nil
	}
}

// group is a group of parameters that is in use.
type group[W any] struct {
	alternatives []string
	number       map[string]int // of each alternative
	weights      []W
	first        *node // the first use, in a definition
	definition   string
}

// at returns the index of an alternative, −1 if it does not exist.
func (g *group[W]) at(alternative string) int {
	if n, ok := g.number[alternative]; ok {
		return n
	}
	return -1
}

// add adds alternatives.
func (g *group[W]) add(alternatives ...string) {
	if g.number == nil {
		g.number = map[string]int{}
	}
	for _, a := range alternatives {
		g.number[a] = len(g.alternatives)
		g.alternatives = append(g.alternatives, a)
	}
}

// declaration collects the groups in expressions that are not in use yet.
type declaration[W any] struct {
	*Compiler[W]
	seen      map[*node]bool
	names     []string // of new groups, in order of occurrence
	groups    map[string]*group[W]
	mentioned []mention // alternatives used as weights
}

// mention is a weight that is an alternative of a group.
type mention struct {
	n          *node
	definition string
}

// Declare gets the weights of all new groups in several expressions and their definitions by a
// single call of Groups, as Compile does for one expression. Use it if several machines share
// parameters.
func (c *Compiler[W]) Declare(es ...Expr) error {
	for _, e := range es {
		if err := e.check(); err != nil {
			return err
		}
	}
	return c.declare(es...)
}

func (c *Compiler[W]) declare(es ...Expr) error {
	c.copied = 0
	d := &declaration[W]{Compiler: c, seen: map[*node]bool{}, groups: map[string]*group[W]{}}
	for _, e := range es {
		if err := d.visit(e.node(), ""); err != nil {
			return err
		}
	}
	if err := d.mentions(); err != nil {
		return err
	}
	return d.ask()
}

// visit declares the groups of n, which occurs in a definition.
func (d *declaration[W]) visit(n *node, definition string) error {
	if n.op == symbol || d.seen[n] {
		return nil
	}
	d.seen[n] = true
	err := d.uses(n, definition)
	if err != nil {
		return within(definition, n.fault(err))
	}
	for _, a := range n.args {
		if err := d.visit(a.node(), definition); err != nil {
			return err
		}
	}
	if n.op != ref {
		return nil
	}
	if _, ok := d.machines[n.name]; ok && len(n.args) > 0 {
		return within(definition, n.fault(Definition{Name: n.name}.mismatch(len(n.args))))
	}
	if other, ok := d.definitions[n.name]; ok {
		e, err := d.body(n, other)
		if err != nil {
			return within(definition, err)
		}
		return d.visit(e.node(), n.name)
	}
	return nil
}

// uses declares the group of n itself.
func (d *declaration[W]) uses(n *node, definition string) error {
	switch {
	case n.op == choice:
		return d.use(n, definition, n.name, n.alternatives())
	case !n.hasProb() || n.prob.group == "":
		return nil
	case n.prob.tosses():
		return d.use(n, definition, n.prob.group, []string{heads, tails})
	}
	d.mentioned = append(d.mentioned, mention{n, definition})
	return nil
}

// known returns the group with this name, or nil.
func (d *declaration[W]) known(name string) *group[W] {
	if g := d.Compiler.groups[name]; g != nil {
		return g
	}
	return d.groups[name]
}

func (d *declaration[W]) add(g *group[W], name string) {
	d.groups[name] = g
	d.names = append(d.names, name)
}

func (d *declaration[W]) use(n *node, definition, name string, alternatives []string) error {
	g := d.known(name)
	if g == nil {
		g = &group[W]{first: n, definition: definition}
		g.add(alternatives...)
		d.add(g, name)
		return nil
	}
	same := len(alternatives) == len(g.alternatives)
	for _, a := range alternatives {
		same = same && g.at(a) >= 0
	}
	if !same {
		return invalid(ErrGroup, "%s has %s, but %s %s", name, listed(alternatives), listed(g.alternatives), g.first.pos)
	}
	return nil
}

// mentions finds the groups of weights. A group that occurs in no coin or choice gets the
// alternatives that are mentioned.
func (d *declaration[W]) mentions() error {
	open := map[string]*group[W]{}
	for _, m := range d.mentioned {
		name, alternative := m.n.prob.group, m.n.prob.alternative
		g := d.known(name)
		switch {
		case g == nil:
			g = &group[W]{first: m.n, definition: m.definition}
			d.add(g, name)
			open[name] = g
			fallthrough
		case open[name] == g && g.at(alternative) < 0:
			g.add(alternative)
		case g.at(alternative) < 0:
			err := invalid(ErrGroup, "%s has no alternative %s, but %s %s", name, alternative, listed(g.alternatives), g.first.pos)
			return within(m.definition, m.n.fault(err))
		}
	}
	return nil
}

// ask calls Groups for the new groups and puts them in use.
func (d *declaration[W]) ask() error {
	if len(d.names) == 0 {
		return nil
	}
	first := d.groups[d.names[0]]
	fail := func(g *group[W], err error) error { return within(g.definition, g.first.fault(err)) }
	if d.Groups == nil {
		return fail(first, invalid(ErrGroup, "%s has no weights: Compiler.Groups is nil, want em.Alternatives(params, nil), for parameters to be trained, or rx.Weights", d.names[0]))
	}
	var alternatives [][]string
	for _, name := range d.names {
		alternatives = append(alternatives, slices.Clone(d.groups[name].alternatives))
	}
	weights, err := d.Groups(slices.Clone(d.names), alternatives)
	if err == nil && len(weights) != len(d.names) {
		err = fmt.Errorf("weights for %d groups, want %d", len(weights), len(d.names))
	}
	if err != nil {
		return fail(first, nested.Errorf("%w: %w", ErrGroup, err))
	}
	for i, name := range d.names {
		g := d.groups[name]
		switch {
		case weights[i] == nil:
			return fail(g, invalid(ErrGroup, "there is no %s", name))
		case len(weights[i]) != len(g.alternatives):
			return fail(g, invalid(ErrGroup, "%s has %s, but %d weights", name, listed(g.alternatives), len(weights[i])))
		}
		g.weights = slices.Clone(weights[i])
	}
	for name, g := range d.groups {
		d.Compiler.groups[name] = g
	}
	return nil
}

// alternatives returns the names of the alternatives of n, a choice. Unnamed alternatives are
// numbered from 0.
func (n *node) alternatives() []string {
	if n.named() {
		return n.labels
	}
	numbers := make([]string, len(n.args))
	for i := range numbers {
		numbers[i] = strconv.Itoa(i)
	}
	return numbers
}

// listed describes alternatives for an error message.
func listed(alternatives []string) string {
	s := strconv.Itoa(len(alternatives)) + " alternatives"
	for i, a := range alternatives {
		switch {
		case isDigit(rune(a[0])):
		case i == 0:
			s += " " + a
		default:
			s += ", " + a
		}
	}
	return s
}

// weightOf returns the weight of an alternative of a group, which has been declared.
func (c *Compiler[W]) weightOf(name, alternative string) W {
	g := c.groups[name]
	return g.weights[g.at(alternative)]
}

// probability returns the weights of n's probability p and of 1−p. If p is only a weight, no is
// zero.
func (c *Compiler[W]) probability(n *node) (yes, no W, err error) {
	p := n.prob
	switch {
	case p.cost:
		yes, err = c.price(p.number)
		return yes, no, err
	case p.group == "":
		if yes, err = c.constant(p.number); err == nil && n.op != weight {
			no, err = c.constant(1 - p.number)
		}
		return yes, no, err
	}
	yes = c.weightOf(p.group, p.alternative)
	if p.tosses() {
		no = c.weightOf(p.group, p.Not().alternative)
	}
	return yes, no, nil
}

// price returns the weight for a cost.
func (c *Compiler[W]) price(cost float64) (W, error) {
	var w W
	prober, logs := semiring.As[semiring.Probabilistic[W]](c.ring)
	switch {
	case cost == 0:
		return c.ring.One(), nil
	case logs: // exact in rings of costs
		w = prober.FromLog(-cost)
	case c.number == nil:
		return c.ring.Zero(), c.numberless(cost)
	default:
		w = c.number(semiring.ScaledFromLog(-cost))
	}
	ranged, ok := semiring.As[semiring.Ranged[W]](c.ring)
	if c.ring.IsZero(w) || ok && !ranged.InRange(w, c.ring.One(), c.ring.One()) {
		return w, invalid(semiring.ErrLimit, "a cost of %v is out of the range of %s", cost, typename.Of(c.ring))
	}
	return w, nil
}

// numberless returns the error for x in a ring without numbers.
func (c *Compiler[W]) numberless(x float64) error {
	return invalid(semiring.ErrCapability, "%s has no weight that stands for the number %v", typename.Of(c.ring), x)
}

// constant returns the weight for the number x.
func (c *Compiler[W]) constant(x float64) (W, error) {
	switch {
	case x == 0:
		return c.ring.Zero(), nil
	case x == 1:
		return c.ring.One(), nil
	case c.number == nil:
		return c.ring.Zero(), c.numberless(x)
	}
	return c.number(semiring.NewScaled(x)), nil
}
