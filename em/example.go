package em

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Side is what is known of one tape of an example: a string (Labels), a regular
// set (Set), or, the zero value, nothing: Σ*.
type Side struct {
	labels []int32
	set    *fst.FST[expr.W]
	string bool
}

// Labels returns the side on which exactly these labels were observed, none of
// them fst.Epsilon; no labels at all is the empty string. The slice is kept.
func Labels(labels ...int32) Side { return Side{labels: labels, string: true} }

// Set returns the side that is known to be one of the strings that acceptor
// accepts; a weight multiplies each string's probability. The weights must be
// of the problem's Space: see Constants.
func Set(acceptor *fst.FST[expr.W]) Side {
	nonnil.Check("em: Set", "acceptor", acceptor)
	return Side{set: acceptor}
}

// Absent reports whether nothing is known of the side.
func (s Side) Absent() bool { return !s.string && s.set == nil }

// Example is one observation (X, Y) of a pair of strings drawn from the model,
// each side of which may be known in part. Its likelihood is the sum of
// ⟦f⟧(x, y) over x in X and y in Y.
//
// A machine that is conditional on its input (Conditional) says nothing of how probable an
// input is. With X unknown the sum goes over all inputs, each with its whole probability:
// it has no maximum where outputs leave open how long the input is, and the objective
// rises until a sum diverges. Give X, or a machine for it in front.
type Example struct {
	X, Y Side
	// Branches holds what was observed at the end of each of Problem.Branches.
	Branches []Side
	// Weight says how often the example was seen, a finite number ≥ 0; the zero
	// value of the field means once. What is seen 0 times, Times(0), has no part in
	// training: it need not even have a derivation.
	Weight Multiplicity
	// Name appears in errors and reports; without one the index does.
	Name string
}

// Constants returns f with its weights as constants of p's Space. The ring of f
// must be a Prober.
func Constants[W any](p *Params, f *fst.FST[W]) (*fst.FST[expr.W], error) {
	nonnil.Check("em: Constants", "parameters", p, "machine", f)
	number, err := semiring.Convert(f.Semiring(), semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{}))
	if err != nil {
		return nil, err
	}
	return fst.Expand(fst.Map(f, semiring.Semiring[expr.W](p.space), func(w W) expr.W { return p.space.Const(number(w)) }), 0)
}

// Instantiate returns f at the parameters theta, a machine over ring, which must
// be a Prober. Its weights are those of Params.Estimate. It is an error if theta is
// not legal or a weight has no value.
func Instantiate[W any](p *Params, f *fst.FST[expr.W], theta []float64, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	nonnil.Check("em: Instantiate", "parameters", p, "machine", f, "ring", ring)
	if err := p.Check(theta); err != nil {
		return nil, err
	}
	number, err := semiring.FromScaled(ring)
	if err != nil {
		return nil, err
	}
	values, err := p.space.Evaluate(nil, p.Estimate(theta))
	if err != nil {
		return nil, err
	}
	return fst.Expand(fst.Map(f, ring, func(h expr.W) W { return number(values[h]) }), 0)
}
