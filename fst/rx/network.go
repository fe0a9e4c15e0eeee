package rx

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"example.org/pathsum/fst"
)

// Network returns the definition of name, in which definitions may be recursive: a context-free
// grammar as a recursive transition network, for fst.Replace and package cfg. parts contains the
// machines of name and of every recursive definition that it needs; arcs that read and write the
// label of a part call it. The labels of parts are above the labels of the alphabet, or unused
// labels below them if these run out; start is the label of name. All other definitions are
// inserted where they are referred to, as by Compile.
//
// A definition may refer to itself only through union, concatenation, closure and choice. Other
// operators, such as composition, complement, projection and :, require complete operands. Errors
// are as for Compile.
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

// numbered returns labels for names: labels above the alphabet, and, if these run out, the least
// unused ones.
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

// recursive returns name and all recursive definitions that it needs, in order of reference.
func (c *Compiler[W]) recursive(name string) []string {
	names, numbers := []string{name}, map[string]int64{name: 0}
	needs := simple.NewDirectedGraph()
	needs.AddNode(simple.Node(0))
	again := map[int64]bool{0: true} // definitions to be returned
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

// called returns the label by which n, a reference, is called. It returns false if the definition
// is inserted instead.
func (k *compilation[W]) called(n *node) (int32, bool) {
	label, ok := k.calls[n.name]
	return label, ok && k.whole == 0
}
