package cascade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/cells"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Stage is a machine of a cascade. Its weights are expressions over the parameters. If a function
// such as Joint fails, its stage carries the error, and every use of the Problem returns it. If a
// stage is not frozen, each call of a method of the Problem expands it, within fst.DefaultLimit.
type Stage = fst.Machine[expr.W]

// Problem is a model of strings on tapes, observed or hidden, and of machines between them whose
// weights are expressions over the same parameters. It is a cascade of Stages, perhaps with
// Branches at its end, or any tree, described by its Edges.
//
// The stages are a model f_θ = T₁ ∘ T₂ ∘ … ∘ Tₙ. Each machine may be trained, or constant, or
// both in parts. em.Result.Remarks names constant machines whose weights are not probabilities,
// which may be a mistake.
//
// A likelihood evaluates only the expressions in its machines and in the sets of its data. Other
// expressions in the Space of the Params, from machines that were made and dropped, may have no
// value.
//
// A lattice x ∘ T₁ ∘ … ∘ Tₙ ∘ y is built for each example that needs one, starting at the
// observed ends. Compose two machines once, in advance, if their composition is small; leave
// machines with a large composition to the cascade.
//
// With Branches, the output string of the cascade, often hidden, passes through further channels
// independently of each other: for example, one string that several people pronounced, or
// translated. Each branch is a cascade whose first machine reads this string, and
// Example.Branches holds the observed output of each. The likelihood is then
//
//	Σ ⟦T₁ ∘ … ∘ Tₙ⟧(x, y) · Π_b Σ_z ⟦branch b⟧(y, z)    over x in X, y in Y, z in Branches[b],
//
// a sum over the paths of the intersection of the acceptors of y from all branches.
//
// Edges, which replace Stages and Branches, connect the tapes 0, 1, … len(Edges) to a tree: any
// two tapes are connected in exactly one way. Example.Tapes holds the observations on them, and
// the likelihood is
//
//	Σ Π_e ⟦machines of e⟧(s at e.From, s at e.To)    over all s with s_t in Tapes[t].
//
// A machine for the strings of one tape, such as a language model, leads there from a tape of its
// own that is never observed. The first machine of a cascade may do the same.
//
// The lattice of an example is built from the leaves. The side of a leaf, composed with the
// machines of its edge and projected to the other end, becomes a side of the tape there. So a
// lattice is as large as the product of the sides that meet at one tape. An observed string on a
// tape cuts the tree, and the parts are summed up independently. If all tapes beyond a tape are
// unobserved, and the machines there sum to 1 for every string, a Problem without them has the
// same likelihood and smaller lattices.
type Problem struct {
	Params   *em.Params
	Stages   []Stage
	Branches [][]Stage
	Edges    []Edge
	// Names, if not nil, are the names of the tapes in messages: X, Y and the end of each branch,
	// or the tapes of Edges. They have no other effect, and Save does not store them.
	Names []string
}

// treeOf returns the tapes of a problem and the machines between them, frozen. The tapes of a
// cascade are X, tape 0; Y, tape 1; and a tape for each branch. The error is the error of a
// stage, or reports an invalid problem.
func treeOf(p Problem) (t tapes.Tree, err error) {
	if p.Params == nil {
		return t, nested.Errorf("cascade: %w: no Params", em.ErrInvalid)
	}
	if len(p.Stages) == 0 && len(p.Edges) == 0 {
		return t, nested.Errorf("cascade: %w: Stages is empty; if the model begins with branches, use cascade.Constants of a machine that copies every string", em.ErrInvalid)
	}
	if len(p.Edges) > 0 && (p.Stages != nil || p.Branches != nil) {
		return t, nested.Errorf("cascade: %w: both Edges and Stages or Branches", em.ErrInvalid)
	}
	edges := p.edges()
	t = tapes.Tree{Star: len(p.Edges) == 0, Names: p.Names}
	for _, e := range edges {
		t.Edges = append(t.Edges, tapes.Edge{From: e.From, To: e.To})
	}
	for i, e := range edges {
		if len(e.Machines) == 0 {
			return t, nested.Errorf("cascade: %w: %s has no machine", em.ErrInvalid, t.Edge(i))
		}
		if t.Edges[i].Machines, err = freeze(p, t.Edge(i), e.Machines); err != nil {
			return t, err
		}
	}
	if tapes := len(edges) + 1; p.Names != nil && len(p.Names) != tapes {
		return t, nested.Errorf("cascade: %w: %d Names for %d tapes", em.ErrInvalid, len(p.Names), tapes)
	}
	if err := t.Check(); err != nil {
		return t, nested.Errorf("cascade: %w: %w", em.ErrInvalid, err)
	}
	return t, nil
}

// freeze returns the frozen machines of an edge.
func freeze(p Problem, name string, ms []Stage) ([]*fst.FST[expr.W], error) {
	frozen := make([]*fst.FST[expr.W], len(ms))
	for i, m := range ms {
		if nonnil.Is(m) {
			return nil, nested.Errorf("cascade: %w: machine %d of %s is nil", em.ErrInvalid, i, name)
		}
		f, err := machines.Exprs.Expand(m, nil)
		if err != nil {
			return nil, nested.Errorf("cascade: machine %d of %s: %w", i, name, err)
		}
		if f.Semiring() != semiring.Semiring[expr.W](p.Params.Space()) {
			return nil, nested.Errorf("cascade: %w: machine %d of %s has weights of other Params", em.ErrInvalid, i, name)
		}
		frozen[i] = f
	}
	return frozen, nil
}

// Edge is a cascade of machines between two tapes of a tree: the first machine reads the string
// of the tape From, the last one writes the string of the tape To.
type Edge struct {
	From, To int
	Machines []Stage
}

// edges returns all edges of a problem.
func (p Problem) edges() []Edge {
	if len(p.Edges) > 0 {
		return p.Edges
	}
	edges := []Edge{{From: 0, To: 1, Machines: p.Stages}}
	for b, ms := range p.Branches {
		edges = append(edges, Edge{From: 1, To: 2 + b, Machines: ms})
	}
	return edges
}

// sides appends the side of x for each tape of the tree.
func (p Problem) sides(dst []tapes.Side, x *Example) []tapes.Side {
	if len(p.Edges) == 0 {
		dst = append(dst, x.X.known, x.Y.known)
		for _, s := range x.Branches {
			dst = append(dst, s.known)
		}
		return dst
	}
	for _, s := range x.Tapes {
		dst = append(dst, s.known)
	}
	for range len(p.Edges) + 1 - len(x.Tapes) {
		dst = append(dst, tapes.Side{})
	}
	return dst
}

// checkData returns the weights of the examples, or an error if the data are invalid. It passes
// all examples of a weight > 0 to the samples, and adds their sets to used.
func checkData(p Problem, data Data, samples []*cells.Sample[Example], used *expr.Subset, reasons *tapes.Reasons) (*weightSums, error) {
	if err := data.check(); err != nil {
		return nil, err
	}
	weights := &weightSums{size: data.ShardSize}
	x := new(Example) // reused for all examples
	var sides []tapes.Side
	for next, err := range data.all() {
		*x = next
		if err == nil {
			err = p.checkExample(weights.examples, x)
		}
		if err != nil {
			return nil, err
		}
		weight := x.Weight.Float64()
		weights.add(weight)
		if weight > 0 {
			sides = p.sides(sides[:0], x)
			if err := reasons.Foreign(sides); err != nil {
				return nil, wrong(weights.examples-1, x, ": %w", err)
			}
			addSets(used, sides)
			for _, s := range samples {
				if k, ok := kindOf(x); ok && k == s.Kind {
					s.Show(*x)
				}
			}
		}
	}
	return weights, weights.check()
}

// checkExample returns an error if example i is invalid.
func (p Problem) checkExample(i int, x *Example) error {
	weight := x.Weight.Float64()
	bad := func(format string, args ...any) error { return wrong(i, x, format, args...) }
	switch {
	case !(weight >= 0) || math.IsInf(weight, 1):
		return bad(" has weight %g, want a finite number ≥ 0", weight)
	case len(x.Branches) != len(p.Branches):
		return bad(" has %d branches, want %d", len(x.Branches), len(p.Branches))
	case len(p.Edges) == 0 && x.Tapes != nil:
		return bad(" has Tapes, want X, Y and Branches of a cascade")
	case len(p.Edges) > 0 && !(x.X.Unknown() && x.Y.Unknown()):
		return bad(" has X or Y, want the Tapes of a tree")
	case len(p.Edges) > 0 && len(x.Tapes) > len(p.Edges)+1:
		return bad(" has %d tapes, want no more than %d", len(x.Tapes), len(p.Edges)+1)
	}
	err := cmp.Or(p.checkSide(&x.X), p.checkSide(&x.Y))
	for i := range x.Branches {
		err = cmp.Or(err, p.checkSide(&x.Branches[i]))
	}
	for i := range x.Tapes {
		err = cmp.Or(err, p.checkSide(&x.Tapes[i]))
	}
	if err != nil {
		return bad(": %w", err)
	}
	return nil
}

// wrong returns an error that names example i.
func wrong(i int, x *Example, format string, args ...any) error {
	named := em.Skipped{Index: i, Name: x.Name, Weight: x.Weight.Float64()}
	return nested.Errorf("cascade: %w: %v"+format, append([]any{em.ErrInvalid, named}, args...)...)
}

func (p Problem) checkSide(s *Side) error {
	if f := tapes.Acceptor(s.known.Set); f != nil && f.Semiring() != semiring.Semiring[expr.W](p.Params.Space()) {
		return errors.New("the weights of its acceptor are of other Params")
	}
	if s.err != nil {
		return s.err
	}
	for _, l := range s.known.Labels {
		if l <= fst.Epsilon {
			return fmt.Errorf("label %d in a string, want labels > 0", l)
		}
	}
	return nil
}

// Fit trains the parameters on data: em.Fit of Likelihood. A nil o stands for the defaults. The
// error is the error of a failed stage or side, of Likelihood, or of em.Fit.
func (p Problem) Fit(ctx context.Context, data Data, o *em.Options) (*em.Result, error) {
	nonnil.Check("cascade: Problem.Fit", "context", ctx)
	l, err := p.Likelihood(data)
	if err != nil {
		return nil, err
	}
	return em.Fit(ctx, l, o)
}

// Likelihood returns the likelihood of data. The probability of an example is the path sum of the
// lattice of all its derivations, x ∘ T₁ ∘ … ∘ Tₙ ∘ y, computed with or without a lattice
// (Data.Strategy). Likelihood itself builds no lattice. The error is the error of a failed stage or
// side; for an invalid problem or invalid data it wraps em.ErrInvalid.
//
// Lattices are kept from one E step to the next within Data.CacheBytes; the others are rebuilt in
// each E step. An E step takes time in proportion to the arcs of the lattices, plus composition
// for lattices that are not kept; without lattices, in proportion to the cells of blocks. Its
// errors: an invalid θ; an example without a derivation under the policy Fail
// (em.ErrUnderivable); an example whose total diverges or whose lattice exceeds the limit (both
// named); a ctx that is done.
func (p Problem) Likelihood(data Data) (em.Excluder, error) {
	c, err := newCascade(p, data)
	if err != nil {
		return nil, err
	}
	return c.likelihood(), nil
}
