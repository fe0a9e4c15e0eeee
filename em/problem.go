package em

import (
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// ErrProblem is wrapped by errors about a problem or its data that make no
// sense, whatever θ is.
var ErrProblem = errors.New("bad problem")

// Problem is a model f_θ = T₁ ∘ T₂ ∘ … ∘ Tₙ: a cascade of machines whose weights
// are expressions over the same parameters. Each machine may be trained, or
// constant, or both in parts.
//
// A lattice x ∘ T₁ ∘ … ∘ Tₙ ∘ y is built for each example, beginning at the ends
// that were observed. Two machines that are small when composed are best
// composed beforehand, once; machines that are large together are best left to
// the cascade.
type Problem struct {
	Params  *Params
	Cascade []*fst.FST[expr.W]
}

func (p Problem) check() error {
	if p.Params == nil || len(p.Cascade) == 0 {
		return fmt.Errorf("em: %w: no parameters or no machine", ErrProblem)
	}
	for i, m := range p.Cascade {
		if m == nil {
			return fmt.Errorf("em: %w: machine %d of the cascade is nil", ErrProblem, i)
		}
		if m.Semiring() != semiring.Semiring[expr.W](p.Params.space) {
			return fmt.Errorf("em: %w: the weights of machine %d of the cascade are not of the problem's Space", ErrProblem, i)
		}
	}
	return nil
}

func (p Problem) checkData(data []Example) error {
	if len(data) == 0 {
		return fmt.Errorf("em: %w: no examples", ErrProblem)
	}
	for i, x := range data {
		if !(x.Weight >= 0) || math.IsInf(x.Weight, 1) {
			return fmt.Errorf("em: %w: %v has weight %g, want a finite number > 0", ErrProblem, Skipped{Index: i, Name: x.Name}, x.Weight)
		}
		for _, side := range []Side{x.X, x.Y} {
			if err := p.checkSide(side); err != nil {
				return fmt.Errorf("em: %w: %v: %v", ErrProblem, Skipped{Index: i, Name: x.Name}, err)
			}
		}
	}
	return nil
}

func (p Problem) checkSide(s Side) error {
	if s.set != nil && s.set.Semiring() != semiring.Semiring[expr.W](p.Params.space) {
		return errors.New("the weights of its acceptor are not of the problem's Space")
	}
	for _, l := range s.labels {
		if l <= fst.Epsilon {
			return fmt.Errorf("label %d in a string, want labels > 0", l)
		}
	}
	return nil
}
