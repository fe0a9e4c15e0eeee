package rx

import (
	"errors"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// compilation is one call of Compile.
type compilation[W any] struct {
	*Compiler[W]
	limit int              // how many states and arcs may be made
	left  int              // how many more
	open  []string         // definitions that are being compiled
	calls map[string]int32 // the labels of definitions that are called, not put in
	whole int              // how many operators around this need all of their operands
	edge  int32            // the label of $ in the context that is being compiled, 0 outside
}

// machine returns the machine of e.
func (k *compilation[W]) machine(e Expr) (*fst.FST[W], error) {
	n := e.node()
	switch n.op {
	case compose, intersect, subtract, complement, reverse, rules:
		k.whole++
		defer func() { k.whole-- }()
	}
	switch n.op {
	case compose:
		return k.join(n, func(f, g *fst.FST[W]) (fst.Machine[W], error) { return fst.Compose(f, g) })
	case intersect:
		return k.join(n, func(f, g *fst.FST[W]) (fst.Machine[W], error) { return fst.Intersect(f, g) })
	case subtract:
		return k.join(n, func(f, g *fst.FST[W]) (fst.Machine[W], error) { return fst.Difference(f, g, k.options()) })
	case complement:
		return k.complement(n)
	case rules:
		return k.rewriting(n)
	case reverse:
		f, err := k.machine(n.args[0])
		if err != nil {
			return nil, err
		}
		f, err = fst.Reverse(f)
		return f, n.fault(err)
	case ref:
		if f, ok := k.machines[n.name]; ok {
			return f, nil
		}
		if _, ok := k.called(n); ok {
			break
		}
		var f *fst.FST[W]
		err := k.inside(n, func(e Expr) (err error) {
			f, err = k.machine(e)
			return err
		})
		return f, err
	}
	b := &builder[W]{compilation: k}
	x, err := b.build(e)
	if err != nil {
		return nil, err
	}
	return b.freeze(x)
}

// inside calls do with the expression that n refers to.
func (k *compilation[W]) inside(n *node, do func(e Expr) error) error {
	e, ok := k.expressions[n.name]
	if !ok {
		return n.fault(invalid(ErrName, "%s is not defined", n.name))
	}
	if i := slices.Index(k.open, n.name); i >= 0 {
		cycle := strings.Join(append(k.open[i:], n.name), " → @")
		return n.fault(invalid(ErrName, "a definition that needs itself: @%s", cycle))
	}
	k.open = append(k.open, n.name)
	defer func() { k.open = k.open[:len(k.open)-1] }()
	if err := e.node().fault(do(e)); err != nil {
		return within(n.name, err)
	}
	return nil
}

// join returns what pairs of machines make, folded over the operands of n.
func (k *compilation[W]) join(n *node, pair func(f, g *fst.FST[W]) (fst.Machine[W], error)) (*fst.FST[W], error) {
	f, err := k.machine(n.args[0])
	if err != nil {
		return nil, err
	}
	for _, a := range n.args[1:] {
		g, err := k.machine(a)
		if err != nil {
			return nil, err
		}
		c, err := pair(f, g)
		if err == nil {
			f, err = fst.Expand(c, max(1, k.left))
		}
		if f, err = k.made(n, f, err); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (k *compilation[W]) complement(n *node) (*fst.FST[W], error) {
	f, err := k.machine(n.args[0])
	if err != nil {
		return nil, err
	}
	m, err := fst.Complement(f, k.letters(), k.options())
	if err == nil {
		f, err = fst.Expand(m, 0)
	}
	if err == nil {
		f = fst.Connect(f)
	}
	return k.made(n, f, err)
}

// letters returns the labels of the alphabet.
func (k *compilation[W]) letters() []int32 {
	var letters []int32
	for label := range k.alphabet.All() {
		if label != fst.Epsilon {
			letters = append(letters, label)
		}
	}
	return letters
}

// options bounds the work of an operation.
func (k *compilation[W]) options() *fst.Options { return &fst.Options{Limit: max(1, k.left)} }

// made takes account of a machine that an operation has made.
func (k *compilation[W]) made(n *node, f *fst.FST[W], err error) (*fst.FST[W], error) {
	if errors.Is(err, semiring.ErrLimit) {
		err = k.tooLarge()
	}
	if err != nil {
		return nil, n.fault(err)
	}
	if err := k.spend(n, 1+f.NumStates()+f.NumArcs()); err != nil {
		return nil, err
	}
	return fst.Connect(f), nil
}

// spend takes size states and arcs off the limit.
func (k *compilation[W]) spend(n *node, size int) error {
	if k.left -= size; k.left < 0 {
		return n.fault(k.tooLarge())
	}
	return nil
}

func (k *compilation[W]) tooLarge() error {
	return invalid(semiring.ErrLimit, "more than %d states and arcs", k.limit)
}
