package rx

// measure computes lower bounds on the states and arcs of expressions before they are compiled.
type measure[W any] struct {
	*compilation[W]
	sizes map[*node]int
}

// fits returns an error, at the innermost operator that is too large, if e certainly exceeds the
// remaining states and arcs.
func (k *compilation[W]) fits(e Expr) error {
	m := measure[W]{k, map[*node]int{}}
	if m.of(e) <= k.left {
		return nil
	}
	return m.blame(e)
}

// blame returns the error for e, which is too large.
func (m *measure[W]) blame(e Expr) error {
	n := e.node()
	for _, a := range m.parts(n) {
		if m.of(a) > m.left {
			return n.fault(m.blame(a))
		}
	}
	if n.op == ref {
		if d, ok := m.definitions[n.name]; ok && m.of(d.Expr) > m.left && len(n.args) == 0 {
			return within(n.name, n.fault(m.blame(d.Expr)))
		}
	}
	return n.fault(m.tooLarge())
}

// parts returns the operands of n that are built into the same machine.
func (m *measure[W]) parts(n *node) []Expr {
	switch n.op {
	case concat, union, probUnion, choice, repeat, probStar, invert, projectIn, projectOut:
		return n.args
	}
	return nil
}

// of returns a lower bound on the states and arcs of e, at most maxSize.
func (m *measure[W]) of(e Expr) int {
	n := e.node()
	if size, ok := m.sizes[n]; ok {
		return size
	}
	m.sizes[n] = 0 // for recursive definitions
	size := 1
	switch n.op {
	case symbol:
		return m.set(n, 3) // two states and an arc
	case oneOf, noneOf:
		if labels, err := n.members(m.alphabet); err == nil {
			size = 3 * len(labels)
		}
	case ref:
		_, machine := m.machines[n.name]
		if d, ok := m.definitions[n.name]; ok && !machine && len(n.args) == 0 && len(d.Params) == 0 && m.calls == nil {
			size = m.of(d.Expr)
		}
	case union: // a tree shares prefixes and suffixes, and has fewer states for a string
		for _, a := range n.args {
			size = max(size, m.of(a)/3)
		}
	default:
		size = 0
		for _, a := range m.parts(n) {
			size += m.of(a)
		}
		if n.op == repeat {
			copies := n.hi
			if copies == Unlimited {
				copies = max(1, n.lo)
			}
			size = min(size, maxSize/max(1, copies)) * copies
		}
	}
	return m.set(n, max(1, size))
}

// set keeps the size of n.
func (m *measure[W]) set(n *node, size int) int {
	m.sizes[n] = min(size, maxSize)
	return m.sizes[n]
}
