package em

import (
	"fmt"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Normalize returns f with its stop weights divided by its path sum, so that ⟦f⟧
// sums to 1 over all pairs: the global joint normalization. Over the expressions of
// a Params the path sum is one too, the normalizer Z as a function of θ, so the
// result trains like any machine: each use of a parameter in Z counts negatively,
// and only methods that follow a gradient apply. At a temperature β a path has the
// weight (w/Z)^β, for the Z at β = 1.
//
// The ring must be able to divide. Errors: one without (semiring.ErrCapability), a
// path sum that diverges (semiring.ErrDiverges) or has no inverse (ErrParameter);
// for expressions this shows when they are evaluated.
//
// To normalize at each state instead, take the machine of Joint at its start.
func Normalize[W any](f *fst.FST[W]) (*fst.FST[W], error) {
	nonnil.Check("em: Normalize", "machine", f)
	ring := f.Semiring()
	divider, err := semiring.Require[semiring.Divider[W]](ring)
	if err != nil {
		return nil, fmt.Errorf("em: Normalize: %w", err)
	}
	m, whole := untempered(f)
	sums, err := fst.Expand(m, 0)
	if err != nil {
		return nil, fmt.Errorf("em: Normalize: %w", err)
	}
	z, err := graph.PathSum(sums.Graph())
	if err != nil {
		return nil, fmt.Errorf("em: Normalize: %w", err)
	}
	z = whole(z)
	final := make([]W, f.NumStates())
	for s := range final {
		w := f.Final(int32(s))
		if !ring.IsZero(w) {
			var ok bool
			if w, ok = divider.RDiv(w, z); !ok {
				return nil, fmt.Errorf("em: Normalize: %w: the path sum %v is no divisor", ErrParameter, z)
			}
		}
		final[s] = w
	}
	return f.WithWeights(f.Graph().Weights(), f.Graph().Starts(), final)
}

// untempered returns f as normalizers are made of it, and the function that makes a sum
// of its weights one factor: no temperature changes what is summed up, and the sum is
// raised to the power β. Rings without temperatures need neither.
func untempered[W any](f *fst.FST[W]) (fst.Machine[W], func(W) W) {
	type tempering interface {
		Plain(W) W
		Whole(W) W
	}
	ring, ok := semiring.As[tempering](f.Semiring())
	if !ok {
		return f, func(w W) W { return w }
	}
	return fst.Map(f, f.Semiring(), ring.Plain), ring.Whole
}
