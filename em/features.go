package em

import (
	"fmt"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Feature is something that an arc has, by name: arcs that have it share its
// strength.
type Feature struct {
	Name string
	// Value is how many times it fires, any finite number; the zero value of the
	// field means once. What fires 0 times, Times(0), is as if it were not there.
	Value Multiplicity
}

// Features says which features an arc of a machine has that leaves state. A nil arc
// means the stop weight of state.
type Features[W any] func(state int32, arc *fst.Arc[W]) []Feature

// JointLogLinear is Joint with a LogLinear law: at each state the probabilities of
// the arcs and of stopping are proportional to the product of the strengths of
// their features. All of them are in one group called name, whose strengths are
// numbered in the order in which their features first fire, states in order, and
// called by the features' names. Training starts at strengths of 1; the weights of
// f do not matter. More than one start, or a weighted one, is a Multinomial group.
func JointLogLinear[W any](p *Params, name string, f *fst.FST[W], features Features[W], options LogLinearOptions) (*fst.FST[expr.W], error) {
	nonnil.Check("em: JointLogLinear", "parameters", p, "machine", f, "features", features)
	return logLinear(p, name, f, features, options, (*parameterizer[W]).joint)
}

// ConditionalLogLinear is Conditional with a LogLinear law, in the way of
// JointLogLinear. The coins of states with insertions are Multinomial groups.
func ConditionalLogLinear[W any](p *Params, name string, f *fst.FST[W], features Features[W], options LogLinearOptions) (*fst.FST[expr.W], error) {
	nonnil.Check("em: ConditionalLogLinear", "parameters", p, "machine", f, "features", features)
	return logLinear(p, name, f, features, options, (*parameterizer[W]).conditional)
}

func logLinear[W any](p *Params, name string, f *fst.FST[W], features Features[W], options LogLinearOptions, state func(*parameterizer[W], int32)) (*fst.FST[expr.W], error) {
	z := newParameterizer(p, name, f, Multinomial{})
	x := newExtractor(f, features)
	var sets [][][]Term
	var factors []expr.W
	var outcomes [][]member
	z.set = func(_ string, factor expr.W, members []member) {
		terms := make([][]Term, len(members))
		for i, m := range members {
			terms[i] = x.terms(m.state, m.arc)
		}
		sets, factors, outcomes = append(sets, terms), append(factors, factor), append(outcomes, members)
	}
	for s := range int32(f.NumStates()) {
		state(z, s)
	}
	law, err := NewLogLinear(len(x.names), sets, options)
	if err != nil {
		return nil, err
	}
	g := z.newGroup(name, law.Len(), law)
	labels := x.names
	for s, members := range outcomes {
		for o, m := range members {
			*m.to = p.space.Times(factors[s], g.Weight(law.Outcome(s, o)))
			labels = append(labels, fmt.Sprintf("%d/%s", m.state, z.names.arc(m.arc)))
		}
	}
	g.SetNames(func(i int) string { return labels[i] })
	return z.machine()
}

// GlobalLogLinear returns f with the product of the strengths of their features in
// place of all arc and stop weights; starts have the weight 1. The strengths are a
// group called name in the way of JointLogLinear, with a LogLinear law that has no
// outcomes. Nothing is normalized yet: divide by the path sum of this machine, or
// of one made from it, by Normalize, or train with a Difference of likelihoods. So
// does a product of experts, the composition of several such machines. Features may fire
// any number of times.
func GlobalLogLinear[W any](p *Params, name string, f *fst.FST[W], features Features[W], options LogLinearOptions) (*fst.FST[expr.W], error) {
	nonnil.Check("em: GlobalLogLinear", "parameters", p, "machine", f, "features", features)
	x := newExtractor(f, features)
	row := f.Graph().Row()
	arcs, final := make([][]Term, f.NumArcs()), make([][]Term, f.NumStates())
	for s := range int32(f.NumStates()) {
		for e := row[s]; e < row[s+1]; e++ {
			arcs[e] = x.terms(s, e)
		}
		if !f.Semiring().IsZero(f.Final(s)) {
			final[s] = x.terms(s, -1)
		}
	}
	law, err := NewLogLinear(len(x.names), nil, options)
	if err != nil {
		return nil, err
	}
	z := newParameterizer(p, name, f, Multinomial{})
	g := z.newGroup(name, law.Len(), law)
	g.SetNames(func(i int) string { return x.names[i] })
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
		one[i] = p.space.One()
	}
	return z.freeze(one)
}

// product returns ∏ strength^times.
func (z *parameterizer[W]) product(g *Group, terms []Term) expr.W {
	space, w := z.p.space, z.p.space.One()
	for _, t := range terms {
		power, ok := space.RealPower(g.Weight(int(t.Strength)), t.Times)
		if !ok {
			z.fail(fmt.Errorf("em: %w: %s fires %g times, want a finite number", ErrParameter, g.Name(int(t.Strength)), t.Times))
			return w
		}
		w = space.Times(w, power)
	}
	return w
}

// LogLinearAlternatives is Alternatives with a LogLinear law for all groups of one call:
// the probabilities of the alternatives of a group are proportional to the product of the
// strengths of their features. All of them are in one group of p called name, in the way of
// JointLogLinear: strengths are called by the names of their features, outcomes
// group/alternative. Alternatives of different groups that have a feature share its strength.
func LogLinearAlternatives(p *Params, name string, features func(group, alternative string) []Feature, options LogLinearOptions) func([]string, [][]string) ([][]expr.W, error) {
	nonnil.Check("em: LogLinearAlternatives", "parameters", p, "features", features)
	return func(groups []string, alternatives [][]string) ([][]expr.W, error) {
		var x numbering
		var sets [][][]Term
		var outcomes []string
		for i, group := range groups {
			var set [][]Term
			for _, alternative := range alternatives[i] {
				set = append(set, x.terms(features(group, alternative)))
				outcomes = append(outcomes, group+"/"+alternative)
			}
			sets = append(sets, set)
		}
		law, err := NewLogLinear(len(x.names), sets, options)
		if err != nil {
			return nil, err
		}
		g := p.Group(name, law.Len(), law)
		g.SetNames(func(i int) string {
			if i < len(x.names) {
				return x.names[i]
			}
			return outcomes[i-len(x.names)]
		})
		weights := make([][]expr.W, len(groups))
		for s := range weights {
			for o := range alternatives[s] {
				weights[s] = append(weights[s], g.Weight(law.Outcome(s, o)))
			}
		}
		return weights, nil
	}
}

// numbering numbers features in the order in which they first fire.
type numbering struct {
	names  []string
	number map[string]int32
}

// terms returns the terms of something that has these features.
func (x *numbering) terms(features []Feature) []Term {
	if x.number == nil {
		x.number = map[string]int32{}
	}
	var terms []Term
	for _, feature := range features {
		times := feature.Value.Float64()
		if times == 0 {
			continue
		}
		k, ok := x.number[feature.Name]
		if !ok {
			k = int32(len(x.names))
			x.number[feature.Name] = k
			x.names = append(x.names, feature.Name)
		}
		terms = append(terms, Term{k, times})
	}
	return terms
}

// extractor numbers the features of the arcs of a machine.
type extractor[W any] struct {
	numbering
	f        *fst.FST[W]
	features Features[W]
}

func newExtractor[W any](f *fst.FST[W], features Features[W]) *extractor[W] {
	return &extractor[W]{f: f, features: features}
}

// terms returns the terms of arc e of state s, or of the stop weight for −1.
func (x *extractor[W]) terms(s, e int32) []Term {
	var arc *fst.Arc[W]
	if e >= 0 {
		g := x.f.Graph()
		arc = &fst.Arc[W]{In: x.f.In()[e], Out: x.f.Out()[e], Weight: g.Weights()[e], To: g.To()[e]}
	}
	return x.numbering.terms(x.features(s, arc))
}
