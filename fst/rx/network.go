package rx

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"example.org/pathsum/fst"
)

// Network returns what name is defined as, where definitions may need themselves: a
// context-free grammar as a recursive transition network, which fst.Replace and
// package cfg take. Parts are the machines of name and of every definition on the way
// that needs itself; arcs that read and write the label of a part call it. The labels of
// parts are above the labels of the alphabet, as far as there are any; start is the label of name.
// All other definitions are put in where they are referred to, as by Compile.
//
// A definition must not need itself through an operator other than those of union,
// concatenation, closure and choice: of what is composed, complemented or projected, or
// an operand of :, all is needed at once. Errors are as for Compile.
func (c *Compiler[W]) Network(name string) (start int32, parts map[int32]fst.Machine[W], err error) {
	d, ok := c.definitions[name]
	if !ok {
		return 0, nil, &Error{Err: invalid(ErrName, "%s is not defined", name)}
	}
	if len(d.Params) > 0 {
		return 0, nil, &Error{Err: d.mismatch(0)}
	}
	if err := c.declare(Ref(name)); err != nil {
		return 0, nil, err
	}
	names := c.recursive(name)
	calls := c.numbered(names)
	parts = map[int32]fst.Machine[W]{}
	for _, definition := range names {
		k := c.compilation()
		k.calls = calls
		e := c.definitions[definition].Expr
		f, err := k.machine(e)
		if err == nil {
			f, err = fst.Connect(f, nil)
		}
		if err != nil {
			return 0, nil, within(definition, e.node().fault(err))
		}
		parts[calls[definition]] = f.WithSymbols(c.alphabet, c.alphabet)
	}
	return calls[name], parts, nil
}

// numbered returns labels for names: those above the alphabet, and where these end, the
// least that it does not have.
func (c *Compiler[W]) numbered(names []string) map[string]int32 {
	last := int32(0)
	for label := range c.alphabet.All() {
		last = label
	}
	labels := map[string]int32{}
	for _, name := range names {
		for taken := true; taken; _, taken = c.alphabet.Name(last) {
			if last == math.MaxInt32 {
				last = fst.Epsilon
			}
			last++
		}
		labels[name] = last
	}
	return labels
}

// recursive returns name and all definitions that it needs and that need themselves, in
// the order in which they are referred to.
func (c *Compiler[W]) recursive(name string) []string {
	names, numbers := []string{name}, map[string]int64{name: 0}
	needs := simple.NewDirectedGraph()
	needs.AddNode(simple.Node(0))
	again := map[int64]bool{0: true} // those to be returned
	for i := 0; i < len(names); i++ {
		from := int64(i)
		for _, other := range c.definitions[names[i]].needs() {
			to, ok := numbers[other]
			if _, defined := c.definitions[other]; !defined {
				continue
			}
			if !ok {
				to = int64(len(names))
				numbers[other] = to
				names = append(names, other)
			}
			if from == to {
				again[from] = true
				continue
			}
			needs.SetEdge(simple.Edge{F: simple.Node(from), T: simple.Node(to)})
		}
	}
	for _, cycle := range topo.TarjanSCC(needs) {
		for _, n := range cycle {
			again[n.ID()] = again[n.ID()] || len(cycle) > 1
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !again[numbers[name]] })
}

// needs returns the names that d refers to, apart from its parameters.
func (d Definition) needs() []string {
	var names []string
	for n := range nodes(d.Expr) {
		if n.op == ref && !slices.Contains(d.Params, n.name) {
			names = append(names, n.name)
		}
	}
	return names
}

// called returns the label by which n, a reference, is called, false if what it refers
// to is put in its place.
func (k *compilation[W]) called(n *node) (int32, bool) {
	label, ok := k.calls[n.name]
	return label, ok && k.whole == 0
}
