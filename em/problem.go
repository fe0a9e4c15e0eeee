package em

import (
	"errors"
	"fmt"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// ErrInvalid is wrapped by errors about options, a problem or data that make no sense,
// whatever θ is.
var ErrInvalid = errors.New("invalid")

// Problem is a model f_θ = T₁ ∘ T₂ ∘ … ∘ Tₙ: a cascade of machines whose weights
// are expressions over the same parameters. Each machine may be trained, or
// constant, or both in parts.
//
// A lattice x ∘ T₁ ∘ … ∘ Tₙ ∘ y is built for each example, beginning at the ends
// that were observed. Two machines that are small when composed are best
// composed beforehand, once; machines that are large together are best left to
// the cascade.
//
// Where there are Branches, the string that the cascade writes, often hidden, goes
// through further channels independently of each other, each of them a cascade whose
// first machine reads it, and Example.Branches holds what came out of each: one
// string that several people pronounced, or translated. The likelihood is then
//
//	Σ ⟦T₁ ∘ … ∘ Tₙ⟧(x, y) · Π_b Σ_z ⟦branch b⟧(y, z)    over x in X, y in Y, z in Branches[b],
//
// a sum over the paths of the intersection of what the branches say of y.
type Problem struct {
	Params   *Params
	Cascade  []*fst.FST[expr.W]
	Branches [][]*fst.FST[expr.W]
}

func (p Problem) check() error {
	if p.Params == nil || len(p.Cascade) == 0 {
		return fmt.Errorf("em: %w: no parameters or no machine", ErrInvalid)
	}
	if err := p.checkCascade("the cascade", p.Cascade); err != nil {
		return err
	}
	for b, ms := range p.Branches {
		name := fmt.Sprintf("branch %d", b)
		if len(ms) == 0 {
			return fmt.Errorf("em: %w: %s has no machine", ErrInvalid, name)
		}
		if err := p.checkCascade(name, ms); err != nil {
			return err
		}
	}
	return nil
}

func (p Problem) checkCascade(name string, ms []*fst.FST[expr.W]) error {
	for i, m := range ms {
		if m == nil {
			return fmt.Errorf("em: %w: machine %d of %s is nil", ErrInvalid, i, name)
		}
		if m.Semiring() != semiring.Semiring[expr.W](p.Params.space) {
			return fmt.Errorf("em: %w: the weights of machine %d of %s are not of the problem's Space", ErrInvalid, i, name)
		}
	}
	return nil
}
