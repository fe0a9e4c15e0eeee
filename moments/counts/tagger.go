package counts

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/moments"
	"example.org/pathsum/semiring/expr"
)

// Tagger is the model in which the label of a position depends only on its symbol. Its parameters
// are w(a, b), ordered by symbol and then by label, with a group for each symbol.
type Tagger struct {
	Params *em.Params
	data   *Data
}

// Tagger returns the model whose groups are estimated by law: em.Multinomial, or
// em.Dirichlet.
func (d *Data) Tagger(law em.Law) *Tagger {
	nonnil.Check("counts: Tagger", "law", law)
	t := &Tagger{Params: em.NewParams(), data: d}
	for a := range d.symbols {
		t.Params.Distribution(fmt.Sprint("symbol ", a), d.labels, law)
	}
	return t
}

// Distributions returns theta with a row per symbol and a column per label; it shares the
// storage. It panics if theta has another length than Params.
func (t *Tagger) Distributions(theta []float64) *mat.Dense {
	return mat.NewDense(t.data.symbols, t.data.labels, theta)
}

// Theta returns a start θ for EM from an estimate w, such as the result of Constrained. It mixes
// the rows of w with the given share of the uniform distribution, because EM never leaves a 0. The
// error wraps moments.ErrInvalid if w has a wrong shape or share is not in [0, 1], and
// em.ErrParameter if the rows of w are not distributions.
func (t *Tagger) Theta(w mat.Matrix, share float64) ([]float64, error) {
	if a, b := w.Dims(); a != t.data.symbols || b != t.data.labels || !(share >= 0 && share <= 1) {
		return nil, nested.Errorf("counts: %w: a start of %d × %d with the share %g, want %d × %d and one in [0, 1]",
			moments.ErrInvalid, a, b, share, t.data.symbols, t.data.labels)
	}
	theta := make([]float64, t.Params.Len())
	m := t.Distributions(theta)
	m.Apply(func(a, b int, _ float64) float64 {
		return (1-share)*w.At(a, b) + share/float64(t.data.labels)
	}, m)
	return theta, t.Params.Check(theta)
}

// Exact returns the log likelihood of the counts, Σ ln P(counts of a region | its
// symbols), as a cascade: the symbols, the model, and an automaton that accepts the
// strings of labels with these counts. It has ∏ (count + 1) states, over the labels
// that occur: a few thousand for regions of ten positions, too many for thirty. The
// error wraps semiring.ErrLimit, with the number of the annotation, if an automaton
// has more states and arcs than o.Limit (nil or 0: fst.DefaultLimit).
func (t *Tagger) Exact(o *fst.Options) (em.Likelihood, error) {
	space := t.Params.Space()
	var arcs []fst.Arc[expr.W]
	for a, g := range t.Params.Groups() {
		for label := range g.Len() {
			arcs = append(arcs, fst.Arc[expr.W]{In: int32(1 + a), Out: int32(1 + label), Weight: g.Weight(label)})
		}
	}
	model := machines.Exprs.OneState(space, expr.One, arcs...)
	var data cascade.Data
	for i := range t.data.annotations {
		a := &t.data.annotations[i]
		labels, err := machines.Exprs.Expand(newAutomaton(space, t.data.labels, a), o)
		if err != nil {
			return nil, nested.Errorf("counts: annotation %d: %w", i, err)
		}
		var symbols []int32
		for _, x := range t.data.region(a) {
			symbols = append(symbols, int32(1+x))
		}
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(symbols...), Y: cascade.Set(labels)})
	}
	return cascade.Problem{Params: t.Params, Stages: []cascade.Stage{model}}.Likelihood(data)
}
