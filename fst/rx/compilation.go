package rx

import (
	"errors"
	"slices"
	"strings"

	"example.org/pathsum/fst"
)

// compilation is one call of Compile.
type compilation[W any] struct {
	*Compiler[W]
	limit int      // how many states and arcs may be made
	left  int      // how many more
	open  []string // definitions that are being compiled
}

// machine returns the machine of e.
func (k *compilation[W]) machine(e Expr) (*fst.FST[W], error) {
	n := e.node()
	switch n.op {
	case compose:
		return k.compose(n)
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

// compose returns the composition of the operands of n.
func (k *compilation[W]) compose(n *node) (*fst.FST[W], error) {
	f, err := k.machine(n.args[0])
	if err != nil {
		return nil, err
	}
	for _, a := range n.args[1:] {
		g, err := k.machine(a)
		if err != nil {
			return nil, err
		}
		c, err := fst.Compose[W](f, g)
		if err != nil {
			return nil, n.fault(err)
		}
		f, err = fst.Expand(c, max(1, k.left))
		if errors.Is(err, fst.ErrLimit) {
			err = k.tooLarge()
		}
		if err != nil {
			return nil, n.fault(err)
		}
		if err := k.spend(n, 1+f.NumStates()+f.NumArcs()); err != nil {
			return nil, err
		}
		f = fst.Connect(f)
	}
	return f, nil
}

// spend takes size states and arcs off the limit.
func (k *compilation[W]) spend(n *node, size int) error {
	if k.left -= size; k.left < 0 {
		return n.fault(k.tooLarge())
	}
	return nil
}

func (k *compilation[W]) tooLarge() error {
	return invalid(fst.ErrLimit, "more than %d states and arcs", k.limit)
}
