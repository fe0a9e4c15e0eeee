package em

import (
	"fmt"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Marginal returns what x and the model at theta say of the string of a tape: an acceptor in
// which each string has the weight of all derivations of x with that string there, which is
// P(x, string), and no state or arc without a path. Divided by its path sum, the weights are
// the posterior distribution of the string. Package models/nbest finds the best ones, by
// their Graph and labels.
//
// The tapes of a Problem without Edges are X, 0, Y, 1, and the branches from 2 on. What x
// says of the tape counts as well; its Weight does not.
//
// The errors: a tape or an example that makes no sense (ErrInvalid), an illegal theta
// (ErrParameter), a lattice of more than 1<<26 states and arcs (semiring.ErrLimit), another
// part of the example without a sum (semiring.ErrDiverges). Time is in proportion to the
// parameters and to the lattices.
func (p Problem) Marginal(x Example, tape int, theta []float64) (*fst.FST[semiring.ScaledFloat], error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.checkExample(0, x); err != nil {
		return nil, err
	}
	if tapes := len(p.tree()) + 1; tape < 0 || tape >= tapes {
		return nil, fmt.Errorf("em: %w: tape %d of %d", ErrInvalid, tape, tapes)
	}
	if err := p.Params.Check(theta); err != nil {
		return nil, err
	}
	values, err := newPass(nil, p.Params, Query{Theta: theta, Temperature: 1}, nil)
	if err != nil {
		return nil, err
	}
	c := &cascade{problem: p, data: Data{}.complete()}
	f, others, err := c.maker().(*composer).marginal(&x, tape, values)
	if err != nil {
		return nil, fmt.Errorf("em: marginal of %s: %w", p.tape(tape), err)
	}
	all := semiring.ScaledFloat{Mant: 1}
	for _, part := range others {
		sum, err := graph.PathSum(part.Graph())
		if err != nil {
			return nil, fmt.Errorf("em: marginal of %s: %w", p.tape(tape), err)
		}
		all = all.Mul(sum)
	}
	starts := slices.Clone(f.Graph().Starts())
	for i := range starts {
		starts[i].Weight = starts[i].Weight.Mul(all)
	}
	if f, err = f.WithWeights(f.Graph().Weights(), starts, f.Graph().Finals()); err != nil {
		return nil, err
	}
	return fst.Connect(f), nil
}

// marginal returns, in numbers by the values of p, what the part of x that a tape is in says
// of the string there, and the other parts.
func (b *composer) marginal(x *Example, tape int, p pass) (own *fst.FST[semiring.ScaledFloat], others []*fst.FST[semiring.ScaledFloat], err error) {
	b.begin()
	given, err := b.given(x, tape)
	for i := 0; i < len(b.parts) && err == nil; i++ {
		b.parts[i], err = b.arena.Expand(b.parts[i], b.limit)
	}
	if err != nil {
		return nil, nil, b.tooLarge(x, err)
	}
	values := slices.Clone(p.values[:b.of.problem.Params.space.Len()])
	if values, err = b.space.EvaluateTempered(values, nil, p.temperature); err != nil {
		return nil, nil, err
	}
	ring := semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{})
	for _, m := range append([]fst.Machine[expr.W]{given}, b.parts...) {
		f, err := fst.Expand(fst.Map(m, ring, func(w expr.W) semiring.ScaledFloat { return values[w] }), 0)
		if err != nil {
			return nil, nil, err
		}
		others = append(others, fst.Connect(f))
	}
	return others[0], others[1:], nil
}
