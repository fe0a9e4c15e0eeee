package em

import (
	"fmt"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Problem is a model of strings on tapes, seen or hidden, and of machines between them whose
// weights are expressions over the same parameters. It is a chain, the Cascade, perhaps with
// Branches at its end, or any tree, by its Edges.
//
// The Cascade is a model f_θ = T₁ ∘ T₂ ∘ … ∘ Tₙ. Each machine may be trained, or
// constant, or both in parts.
//
// A lattice x ∘ T₁ ∘ … ∘ Tₙ ∘ y is built for each example that needs one, beginning at the
// ends that were observed. Two machines that are small when composed are best
// composed beforehand, once; machines that are large together are best left to
// the cascade.
//
// Where there are Branches, the string that the cascade writes, often hidden, goes
// through further channels independently of each other: one string that several people
// pronounced, or translated. Each branch is a cascade whose first machine reads it, and
// Example.Branches holds what came out of each. The likelihood is then
//
//	Σ ⟦T₁ ∘ … ∘ Tₙ⟧(x, y) · Π_b Σ_z ⟦branch b⟧(y, z)    over x in X, y in Y, z in Branches[b],
//
// a sum over the paths of the intersection of what the branches say of y.
//
// Edges, which stand instead of Cascade and Branches, connect the tapes 0, 1, … len(Edges),
// each two of them in one way. Example.Tapes holds what was observed on them, and the
// likelihood is
//
//	Σ Π_e ⟦machines of e⟧(s at e.From, s at e.To)    over all s with s_t in Tapes[t].
//
// A machine for the strings of one tape, such as a language model, leads there from a tape
// of its own that is never observed, as the first machine of a cascade may.
//
// The lattice of an example is made from the leaves: what is known of a leaf, composed with
// the machines of its edge and projected to the other end, is what is then known there. So
// a lattice is as large as the product of what meets at one tape. The string of a tape that
// was observed as a string cuts the tree, and the parts are summed up independently.
// Where nothing at all is known beyond a tape, and the machines there sum to 1 whatever it
// is, a Problem without them has the same likelihood and smaller lattices.
type Problem struct {
	Params   *Params
	Cascade  []*fst.FST[expr.W]
	Branches [][]*fst.FST[expr.W]
	Edges    []Edge
}

func (p Problem) check() error {
	if p.Params == nil || len(p.Cascade) == 0 && len(p.Edges) == 0 {
		return fmt.Errorf("em: %w: no parameters or no machine", ErrInvalid)
	}
	if len(p.Edges) > 0 && (p.Cascade != nil || p.Branches != nil) {
		return fmt.Errorf("em: %w: both Edges and a Cascade or Branches", ErrInvalid)
	}
	for i, e := range p.tree() {
		if len(e.Machines) == 0 {
			return fmt.Errorf("em: %w: %s has no machine", ErrInvalid, p.edge(i))
		}
		if err := p.checkCascade(p.edge(i), e.Machines); err != nil {
			return err
		}
	}
	return p.checkTree()
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
// be a Prober. Its weights come from Params.Estimate. It is an error if theta is
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
