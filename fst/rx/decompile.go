package rx

import (
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Decompile returns an expression for the relation of m, the inverse of Compile: m must be over the
// compiler's ring and alphabet, and the expression has the names of its groups. It eliminates the
// states of m, as Kleene (1956) and Schützenberger (1961) do.
//
// Every part of the expression is kept as a constant times an expression, and the constants end up
// in the operators. If m is a probability distribution in a ring that adds probabilities, the
// expression contains only the operators +_p and *_p (Eisner 2002, the theorem and its footnote 4):
// such an m is a Markovian machine that halts with probability 1, or equivalent to one. If the
// weights of m have another finite sum, the expression begins with that sum. If the sum is not
// finite, or in other rings, the expression contains the operators | and * with weights in angle
// brackets.
//
// Over an expr.Space the parameters of groups keep their names. If the weights of several
// continuations differ only in a factor, and the factors are all alternatives of a coin or a
// choice, they become that coin or choice. Otherwise parameters become weights.
//
// Numbers are rounded to 15 digits, and a sum within 1e-12 of 1 counts as 1. The expression shares
// its parts. Written out, it may be exponentially larger than m, which is unavoidable for some
// machines. The error wraps semiring.ErrLimit if the written-out expression has more symbols and
// operators than the limit of the Compiler. Other errors are an *Error that wraps one of these:
//
//   - fst.ErrMismatch for another ring or other symbols, fst.ErrSymbol for a label that is
//     not in the alphabet;
//   - ErrInvalid for a weight that is negative or not finite, or divides by a sum, and for
//     operators nested more than MaxDepth deep;
//   - ErrGroup for a parameter of no group that the compiler knows;
//   - semiring.ErrCapability for weights other than Zero and One in a ring that has no
//     numbers, as for Compile, or no logarithms of them.
func (c *Compiler[W]) Decompile(m fst.Machine[W]) (Expr, error) {
	nonnil.Check("rx: Decompile", "machine", m)
	fail := func(err error) (Expr, error) { return Expr{}, &Error{Err: err} }
	f, err := fst.Connect(m, nil)
	if err == nil {
		err = fst.Err(fst.Union(c.empty, f))
	}
	if err != nil {
		return fail(err)
	}
	mass, adds := c.mass(f)
	d := decompiler[W]{Compiler: c, ring: &scaledExprs{adds: adds, tosses: adds, alternatives: c.alternativesOf}}
	if err := d.weights(); err != nil {
		return fail(err)
	}
	g, err := d.graph(f)
	if err != nil {
		return fail(err)
	}
	sum, err := graph.PathSum(g)
	if err != nil {
		return fail(err)
	}
	if len(sum) == 0 {
		return Weight(Number(0)), nil
	}
	whole := d.ring.one(sum)
	if adds && !whole.loose { // the expression has the sum 1
		whole.number = mass
	}
	limit := c.limit()
	switch {
	case whole.fault != nil:
		return fail(whole.fault)
	case whole.size > limit:
		return fail(invalid(semiring.ErrLimit, "an expression of more than %d symbols and operators", limit))
	}
	e, err := whole.weighted()
	if err != nil {
		return fail(err)
	}
	return e, e.check()
}

// certain is the maximum deviation of a sum that counts as 1: the weights of a distribution are
// rounded.
const certain = 1e-12

// mass returns the sum of the weights of f. It returns false if the ring does not add probabilities
// or there is no finite positive sum.
func (c *Compiler[W]) mass(f *fst.FST[W]) (semiring.ScaledFloat, bool) {
	number, err := semiring.Convert(c.ring, semiring.Scaled{})
	if err != nil || c.number == nil {
		return one, false
	}
	third := c.number(semiring.NewScaled(1.0 / 3))
	if two := number(c.ring.Plus(third, third)).Float64() * 3; !(two > 1.9 && two < 2.1) {
		return one, false
	}
	sum, err := graph.PathSum(f.Graph())
	if err != nil {
		return one, false
	}
	x := number(sum)
	if math.Abs(x.Float64()-1) < certain {
		x = one
	}
	return x, x.IsFinite() && x.Mant > 0
}

// alternativesOf returns the alternatives of a group that is in use.
func (c *Compiler[W]) alternativesOf(group string) []string { return c.groups[group].alternatives }

// decompiler reads a machine.
type decompiler[W any] struct {
	*Compiler[W]
	ring   *scaledExprs
	weight func(w W) (scaledSum, error)
}

// weights sets d.weight to a conversion of the ring's weights.
func (d *decompiler[W]) weights() error {
	if space, ok := semiring.As[*expr.Space](d.Compiler.ring); ok {
		return d.parameters(space)
	}
	ring := d.Compiler.ring
	number, err := semiring.Convert(ring, semiring.Scaled{})
	d.weight = func(w W) (scaledSum, error) {
		switch {
		case ring.IsZero(w):
			return nil, nil
		case d.one(w):
			return d.ring.One(), nil
		case err != nil:
			return nil, err
		case d.number == nil:
			return nil, invalid(semiring.ErrCapability, "%s has no numbers", typename.Of(ring))
		}
		return d.ring.constant(number(w)), nil
	}
	return nil
}

// parameters reads the weights of a space.
func (d *decompiler[W]) parameters(space *expr.Space) error {
	d.ring.tosses = true
	names := map[expr.W]Prob{}
	for name, g := range d.groups {
		for i, w := range g.weights {
			if w, ok := any(w).(expr.W); ok {
				names[w] = Param(name, g.alternatives[i])
			}
		}
	}
	param := func(p int32) scaledSum {
		name, ok := names[space.Param(p)]
		if !ok {
			return d.ring.bad(invalid(ErrGroup, "parameter %d, %s, is of no group that the compiler knows", p, space.String(space.Param(p))))
		}
		return scaledSum{{number: one, powers: []power{{name, 1}}}}
	}
	images, err := expr.Map(space, constantExprs{d.ring}, param, d.ring.constant)
	d.weight = func(w W) (scaledSum, error) { return images[any(w).(expr.W)], nil }
	return err
}

// graph returns the graph of f whose weights are expressions. Parallel arcs are merged.
func (d *decompiler[W]) graph(f *fst.FST[W]) (*graph.Graph[scaledSum], error) {
	var row, to []int32
	var weights, final []scaledSum
	var starts []graph.Start[scaledSum]
	at := make([]int, f.NumStates()) // 1 + the arc to a state
	for s := range int32(f.NumStates()) {
		first := len(to)
		row = append(row, int32(first))
		for _, a := range f.AppendArcs(nil, s) {
			w, err := d.weight(a.Weight)
			if err != nil {
				return nil, err
			}
			pair, err := d.pair(a.In, a.Out)
			if err != nil {
				return nil, err
			}
			if at[a.To] <= first {
				to = append(to, a.To)
				weights = append(weights, nil)
				at[a.To] = len(to)
			}
			e := at[a.To] - 1
			weights[e] = append(weights[e], d.ring.Times(w, scaledSum{{number: one, expr: pair, size: 1}})...)
		}
		w, err := d.weight(f.Final(s))
		if err != nil {
			return nil, err
		}
		final = append(final, w)
	}
	row = append(row, int32(len(to)))
	for _, s := range f.AppendStarts(nil) {
		w, err := d.weight(s.Weight)
		if err != nil {
			return nil, err
		}
		starts = append(starts, graph.Start[scaledSum]{State: s.State, Weight: w})
	}
	return graph.New(d.ring, row, to, weights, starts, final)
}

// pair returns the expression for the labels of an arc.
func (d *decompiler[W]) pair(in, out int32) (Expr, error) {
	var es [2]Expr
	for i, label := range []int32{in, out} {
		name, ok := d.alphabet.Name(label)
		switch {
		case label == fst.Epsilon:
		case !ok:
			return Expr{}, fmt.Errorf("%w: label %d is not in the alphabet", fst.ErrSymbol, label)
		default:
			es[i] = Symbol(name)
		}
	}
	if in == out {
		return es[0], nil
	}
	return Cross(es[0], es[1]), nil
}
