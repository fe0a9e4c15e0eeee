package rx

import (
	"errors"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// machine returns the machine of e.
func (k *compilation[W]) machine(e Expr) (*fst.FST[W], error) {
	n := e.node()
	switch n.op {
	case compose, intersect, subtract, complement, reverse, rules, minimal, otherwise, tokens:
		return k.once(n)
	case each:
		e, err := k.writtenOut(n)
		if err != nil {
			return nil, err
		}
		return k.machine(e)
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
	if err := k.fits(e); err != nil {
		return nil, err
	}
	b := &builder[W]{compilation: k}
	x, err := b.build(e)
	if err != nil {
		return nil, err
	}
	f, err := b.freeze(x)
	return f, n.fault(err)
}

// piece identifies the result of an operation on whole machines: the operation and the label of $
// in it.
type piece struct {
	of   *node
	edge int32
}

// once returns the machine of n, an operation on whole machines. In a definition the machine is
// cached, so it is made once for any number of references.
func (k *compilation[W]) once(n *node) (*fst.FST[W], error) {
	p := piece{n, k.edge}
	if f, ok := k.pieces[p]; ok {
		return f, nil
	}
	k.whole++
	f, err := k.operation(n)
	k.whole--
	if err == nil && len(k.open) > 0 {
		k.pieces[p] = f
	}
	return f, err
}

func (k *compilation[W]) operation(n *node) (*fst.FST[W], error) {
	switch n.op {
	case compose:
		return k.join(n, func(f, g *fst.FST[W]) fst.Machine[W] { return fst.Compose(f, g) })
	case intersect:
		return k.join(n, func(f, g *fst.FST[W]) fst.Machine[W] { return fst.Intersect(f, g) })
	case subtract:
		return k.join(n, func(f, g *fst.FST[W]) fst.Machine[W] { return fst.Difference(f, g, k.options()) })
	case complement:
		return k.complement(n)
	case rules:
		return k.rewriting(n)
	case otherwise:
		return k.otherwise(n)
	case tokens:
		return k.tokens(n)
	}
	f, err := k.machine(n.args[0])
	if err != nil {
		return nil, err
	}
	if n.op == minimal {
		return k.minimal(n, f)
	}
	f, err = fst.Reverse(f, nil)
	return f, n.fault(err)
}

// join folds pair over the machines of the operands of n.
func (k *compilation[W]) join(n *node, pair func(f, g *fst.FST[W]) fst.Machine[W]) (*fst.FST[W], error) {
	f, err := k.machine(n.args[0])
	if err != nil {
		return nil, err
	}
	for _, a := range n.args[1:] {
		g, err := k.machine(a)
		if err != nil {
			return nil, err
		}
		f, err = fst.Expand(pair(f, g), &fst.Options{Limit: max(1, k.left)})
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
	f, err = fst.Connect(fst.Complement(f, k.letters(), k.options()), nil)
	return k.made(n, f, err)
}

// otherwise returns the union of E and of F restricted to inputs that E does not read.
func (k *compilation[W]) otherwise(n *node) (*fst.FST[W], error) {
	f, err := k.machine(n.args[0])
	if err != nil {
		return nil, err
	}
	g, err := k.machine(n.args[1])
	if err != nil {
		return nil, err
	}
	rest := fst.Complement(fst.ProjectIn(f), k.letters(), k.options())
	h, err := fst.Expand(fst.Compose(rest, g), &fst.Options{Limit: max(1, k.left)})
	if h, err = k.made(n, h, err); err != nil {
		return nil, err
	}
	b := &builder[W]{compilation: k}
	x, err := b.embed(f)
	if err != nil {
		return nil, err
	}
	y, err := b.embed(h)
	if err != nil {
		return nil, err
	}
	f, err = b.freeze(b.union(x, y))
	return f, n.fault(err)
}

// minimal returns f, or a smaller machine of the same relation. It determinizes with labels and
// weight of an arc encoded as its label, so weights are neither moved nor divided.
func (k *compilation[W]) minimal(n *node, f *fst.FST[W]) (*fst.FST[W], error) {
	f, err := fst.Connect(f, nil)
	if err != nil {
		return nil, n.fault(err)
	}
	for _, step := range []func(*fst.FST[W], int) (*fst.FST[W], error){withoutEpsilon[W], deterministic[W]} {
		g, err := step(f, 4*(f.NumStates()+f.NumArcs()))
		switch {
		case errors.Is(err, semiring.ErrLimit) || errors.Is(err, semiring.ErrDiverges) || errors.Is(err, semiring.ErrCapability):
		case err != nil:
			return nil, n.fault(err)
		case size(g) <= size(f):
			f = g
		}
	}
	return k.made(n, f, nil)
}

// size returns the number of states and arcs.
func size[W any](f *fst.FST[W]) int { return f.NumStates() + f.NumArcs() }

func withoutEpsilon[W any](f *fst.FST[W], limit int) (*fst.FST[W], error) {
	return fst.Expand(fst.RemoveEpsilon(f), &fst.Options{Limit: limit})
}

func deterministic[W any](f *fst.FST[W], limit int) (*fst.FST[W], error) {
	codec, err := fst.NewCodec(f.Semiring(), fst.Labels|fst.Weights)
	if err != nil {
		return nil, err
	}
	g, err := codec.Encode(f, nil)
	if err != nil {
		return nil, err
	}
	o := &fst.Options{Limit: limit}
	if g, err = fst.Expand(fst.Determinize(g, o), o); err != nil {
		return nil, err
	}
	if g, err = fst.MergeBisimilar(g, nil); err != nil {
		return nil, err
	}
	if g, err = codec.Decode(g, nil); err != nil {
		return nil, err
	}
	return g.WithSymbols(f.InSymbols(), f.OutSymbols()), nil
}
