package cascade

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/numbering"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Features returns the features of an arc of a machine that leaves state. A nil arc stands for
// the stop weight of state.
type Features[W any] func(state int32, arc *fst.Arc[W]) []em.Feature

// JointLogLinear is Joint with an em.LogLinear law. At each state the probabilities of the arcs
// and of stopping are proportional to the product of the strengths of their features. All
// strengths are in one group called name. They are numbered in the order in which their features
// first fire, states in order, and have the features' names. Training starts at strengths of 1;
// the weights of m are ignored. Several starts, or a weighted one, are a Multinomial group.
func JointLogLinear[W any](p *em.Params, name string, m fst.Machine[W], features Features[W], options em.LogLinearOptions) Stage {
	nonnil.Check("cascade: JointLogLinear", "parameters", p, "machine", m, "features", features)
	return made("JointLogLinear", ringOf(p), m, fst.Expand[W], func(f *fst.FST[W]) (*fst.FST[expr.W], error) {
		return logLinear(p, name, f, features, options, (*parameterizer[W]).joint)
	})
}

// ConditionalLogLinear is Conditional with an em.LogLinear law, like JointLogLinear. The coins of
// states with insertions are Multinomial groups.
func ConditionalLogLinear[W any](p *em.Params, name string, m fst.Machine[W], features Features[W], options em.LogLinearOptions) Stage {
	nonnil.Check("cascade: ConditionalLogLinear", "parameters", p, "machine", m, "features", features)
	return made("ConditionalLogLinear", ringOf(p), m, fst.Expand[W], func(f *fst.FST[W]) (*fst.FST[expr.W], error) {
		return logLinear(p, name, f, features, options, (*parameterizer[W]).conditional)
	})
}

func logLinear[W any](p *em.Params, name string, f *fst.FST[W], features Features[W], options em.LogLinearOptions, state func(*parameterizer[W], int32)) (*fst.FST[expr.W], error) {
	z := newParameterizer(p, name, f, em.Multinomial{})
	x := newExtractor(f, features)
	var sets [][][]em.Term
	var factors []expr.W
	var outcomes [][]member
	z.set = func(_ string, factor expr.W, members []member) {
		terms := make([][]em.Term, len(members))
		for i, m := range members {
			terms[i] = x.terms(m.state, m.arc)
		}
		sets, factors, outcomes = append(sets, terms), append(factors, factor), append(outcomes, members)
	}
	for s := range int32(f.NumStates()) {
		state(z, s)
	}
	law, err := em.NewLogLinear(len(x.Names), sets, options)
	if err != nil {
		return nil, err
	}
	g := z.newGroup(name, law.Len(), law)
	labels := x.Names
	for s, members := range outcomes {
		for o, m := range members {
			*m.to = p.Space().Times(factors[s], g.Weight(law.Outcome(s, o)))
			labels = append(labels, fmt.Sprintf("%d/%s", m.state, z.names.arc(m.arc)))
		}
	}
	g.SetNames(func(i int) string { return labels[i] })
	return z.machine()
}

// GlobalLogLinear returns m with all arc and stop weights replaced by the product of the
// strengths of their features; starts have the weight 1. The strengths are a group called name,
// as in JointLogLinear, with an em.LogLinear law without outcomes. The result is not normalized.
// Divide by the path sum of this machine, or of a machine made from it, by Normalize, or train
// with a Difference of likelihoods. The same holds for a product of experts, the composition of
// several such machines. Features may fire any number of times.
func GlobalLogLinear[W any](p *em.Params, name string, m fst.Machine[W], features Features[W], options em.LogLinearOptions) Stage {
	nonnil.Check("cascade: GlobalLogLinear", "parameters", p, "machine", m, "features", features)
	return made("GlobalLogLinear", ringOf(p), m, fst.Expand[W], func(f *fst.FST[W]) (*fst.FST[expr.W], error) {
		return globalLogLinear(p, name, f, features, options)
	})
}

func globalLogLinear[W any](p *em.Params, name string, f *fst.FST[W], features Features[W], options em.LogLinearOptions) (*fst.FST[expr.W], error) {
	x := newExtractor(f, features)
	row := f.Graph().Row()
	arcs, final := make([][]em.Term, f.NumArcs()), make([][]em.Term, f.NumStates())
	for s := range int32(f.NumStates()) {
		for e := row[s]; e < row[s+1]; e++ {
			arcs[e] = x.terms(s, e)
		}
		if !f.Semiring().IsZero(f.Final(s)) {
			final[s] = x.terms(s, -1)
		}
	}
	law, err := em.NewLogLinear(len(x.Names), nil, options)
	if err != nil {
		return nil, err
	}
	z := newParameterizer(p, name, f, em.Multinomial{})
	g := z.newGroup(name, law.Len(), law)
	g.SetNames(func(i int) string { return x.Names[i] })
	for e, terms := range arcs {
		z.arcs[e] = z.product(g, terms)
	}
	for s, terms := range final {
		if !f.Semiring().IsZero(f.Final(int32(s))) {
			z.final[s] = z.product(g, terms)
		}
	}
	starts := f.Graph().Starts()
	one := make([]expr.W, len(starts))
	for i := range one {
		one[i] = p.Space().One()
	}
	return z.freeze(one)
}

// product returns ∏ strength^times.
func (z *parameterizer[W]) product(g *em.Group, terms []em.Term) expr.W {
	space, w := z.p.Space(), z.p.Space().One()
	for _, t := range terms {
		power, ok := space.RealPower(g.Weight(int(t.Strength)), t.Times)
		if !ok {
			z.fail(nested.Errorf("cascade: %w: %s fires %g times, want a finite number", em.ErrParameter, g.Name(int(t.Strength)), t.Times))
			return w
		}
		w = space.Times(w, power)
	}
	return w
}

// extractor numbers the features of the arcs of a machine.
type extractor[W any] struct {
	numbering.Numbering
	f        *fst.FST[W]
	features Features[W]
}

func newExtractor[W any](f *fst.FST[W], features Features[W]) *extractor[W] {
	return &extractor[W]{f: f, features: features}
}

// terms returns the terms of arc e of state s, or of the stop weight for −1.
func (x *extractor[W]) terms(s, e int32) []em.Term {
	var arc *fst.Arc[W]
	if e >= 0 {
		g := x.f.Graph()
		arc = &fst.Arc[W]{In: x.f.In()[e], Out: x.f.Out()[e], Weight: g.Weights()[e], To: g.To()[e]}
	}
	var terms []em.Term
	for _, feature := range x.features(s, arc) {
		if times := feature.Value.Float64(); times != 0 {
			terms = append(terms, em.Term{Strength: x.Of(feature.Name), Times: times})
		}
	}
	return terms
}
