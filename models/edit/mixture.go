package edit

import (
	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// NewMixture returns the mixture of models as they are now: each target comes from one of them as a
// whole,
//
//	p(y | x) = Σₖ λₖ pₖ(y | x).
//
// For example, a model of spelling mistakes may be mixed with a model of typing errors. The
// parameters of the mixture are λ, equal before training; the models in it are fixed. Train λ on
// other pairs than the models.
//
// The mixture reads the labels of its contextual models, which must be equal; a memoryless model in
// it reads the symbols of these labels. The error wraps ErrInvalid for an empty list of models, or
// for contexts that differ.
func NewMixture(models ...*Model) (*Model, error) {
	if len(models) == 0 {
		return nil, nested.Errorf("edit: %w: a mixture of no models", ErrInvalid)
	}
	var c *contexts
	for i, m := range models {
		switch {
		case m.contexts == nil:
		case c == nil:
			c = m.contexts
		case !c.names.Equal(m.contexts.names):
			return nil, nested.Errorf("edit: %w: model %d of a mixture reads other contexts than one before", ErrInvalid, i)
		}
	}
	p := em.NewParams()
	ring := semiring.Semiring[expr.W](p.Space())
	weights := p.Group("mixture", len(models), em.Multinomial{})
	b := machines.Exprs.NewBuilder(ring)
	b.AllowZero()
	if c != nil {
		first, err := models[0].machine()
		if err != nil {
			return nil, err
		}
		b.SetSymbols(c.names, first.OutSymbols())
	}
	for i, m := range models {
		f, err := m.instance()
		if err != nil {
			return nil, err
		}
		if err := mix(b, p.Space(), f, weights.Weight(i), labelsBySymbol(m, c)); err != nil {
			return nil, err
		}
	}
	f, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	return &Model{cascade.NewModel(cascade.Problem{Params: p, Stages: []cascade.Stage{f}}), c}, nil
}

// labelsBySymbol returns, for each symbol that m reads, the labels of its contexts in c. It is nil
// if m and the mixture read the same labels.
func labelsBySymbol(m *Model, c *contexts) map[int32][]int32 {
	if c == nil || m.contexts != nil {
		return nil
	}
	labels := map[int32][]int32{}
	for label := range c.names.All() {
		if label != fst.Epsilon {
			labels[c.symbol[label]] = append(labels[c.symbol[label]], label)
		}
	}
	return labels
}

// mix adds the machine f to b, with a weight on its starts.
func mix(b machines.Builder[expr.W], space *expr.Space, f *machine, weight expr.W, labels map[int32][]int32) error {
	g := f.Graph()
	first := b.AddStates(f.NumStates())
	for _, s := range g.Starts() {
		from := first + s.State
		if labels != nil { // a model that reads symbols ignores the mark of the beginning
			from = b.AddState()
			for _, mark := range labels[boundary] {
				b.AddArc(from, fst.Arc[expr.W]{In: mark, To: first + s.State, Weight: expr.One})
			}
		}
		b.AddStart(from, space.Times(weight, space.Const(s.Weight)))
	}
	for s := range int32(f.NumStates()) {
		if w := f.Final(s); w.Mant != 0 {
			b.SetFinal(first+s, space.Const(w))
		}
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			arc := fst.Arc[expr.W]{In: f.In()[e], Out: f.Out()[e], To: first + g.To()[e], Weight: space.Const(g.Weights()[e])}
			if labels == nil || arc.In == fst.Epsilon {
				b.AddArc(first+s, arc)
				continue
			}
			for _, arc.In = range labels[arc.In] {
				b.AddArc(first+s, arc)
			}
		}
	}
	return nil
}
