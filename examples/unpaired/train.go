package main

import (
	"context"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/pairgram"
)

// The weights in training of a name without its partner, and of one with its sounds. A pair has
// weight 1.
const (
	nameWeight       = .1
	pronouncedWeight = .3
)

// parts makes the parts of sums; err is the first error.
type parts struct {
	*tree
	err error
}

// part returns the likelihood of some pairs; example selects the observed tapes.
func (p *parts) part(name string, weight float64, problem cascade.Problem, of []pair, example func(x *pair) cascade.Example) em.Part {
	if len(of) == 0 {
		return em.Part{} // a sum ignores it
	}
	examples := make([]cascade.Example, len(of))
	for i := range of {
		examples[i] = example(&of[i])
		examples[i].Name = of[i].latin + " " + of[i].kana
	}
	l, err := problem.Likelihood(cascade.Data{Examples: examples, Underivable: em.Skip})
	if p.err == nil {
		p.err = err
	}
	return em.Part{Name: name, Likelihood: l, Weight: em.Times(weight)}
}

func (p *parts) pairs(of []pair) em.Part {
	return p.part("pairs", 1, p.chain(fst.Invert(p.letters), p.source, p.romaji), of, func(x *pair) cascade.Example {
		return cascade.Example{X: cascade.Labels(x.letters...), Y: cascade.Labels(x.romaji...)}
	})
}

func (p *parts) latin(of []pair) em.Part {
	return p.part("names in Latin letters", nameWeight, p.chain(p.source, p.letters), of, func(x *pair) cascade.Example {
		return cascade.Example{Y: cascade.Labels(x.letters...)}
	})
}

func (p *parts) katakana(of []pair) em.Part {
	return p.part("names in katakana", nameWeight, p.chain(p.source, p.romaji), of, func(x *pair) cascade.Example {
		return cascade.Example{Y: cascade.Labels(x.romaji...)}
	})
}

func (p *parts) heardPairs(of []pair) em.Part {
	return p.part("pairs with sounds", 1, p.star(p.letters, p.romaji, p.sounds), of, func(x *pair) cascade.Example {
		return cascade.Example{Tapes: []cascade.Side{seen: cascade.Labels(x.letters...), cascade.Labels(x.romaji...), cascade.Labels(x.sounds...)}}
	})
}

func (p *parts) heardLatin(of []pair) em.Part {
	return p.part("names with sounds", pronouncedWeight, p.star(p.letters, p.tree.sounds), of, func(x *pair) cascade.Example {
		return cascade.Example{Tapes: []cascade.Side{seen: cascade.Labels(x.letters...), cascade.Labels(x.sounds...)}}
	})
}

// likelihood returns the likelihood of the pairs and of the names of both sides, with sounds
// where known: the sum of the parts that have data.
func (t *tree) likelihood(d *data) (em.Likelihood, error) {
	p := &parts{tree: t}
	heard, pairs := pronounced(d.pairs)
	spoken, latin := pronounced(d.latin)
	all := []em.Part{p.pairs(pairs), p.latin(latin), p.katakana(d.kana), p.heardPairs(heard), p.heardLatin(spoken)}
	if p.err != nil {
		return nil, p.err
	}
	return em.Sum(slices.DeleteFunc(all, func(p em.Part) bool { return p.Likelihood == nil })...)
}

// units makes the units of the tree, and their bigrams in the pairs. A unit is a chunk of a
// letter of a name with zero, one or two of its romaji.
var units = pairgram.Recipe{
	Aligner: pairgram.AlignerOptions{Sizes: oneToTwo, LengthPrior: 1},
	Count:   pairgram.CountOptions{Order: 2},
}

// oneToTwo are the sizes of chunks of one symbol with at most two.
var oneToTwo = []pairgram.Size{{Source: 1}, {Source: 1, Target: 1}, {Source: 1, Target: 2}}

// outcome is a possible sound of a letter.
type outcome struct {
	sounds []int32
	prob   float64
}

// leastSounding is the least probability of an outcome; rarer ones are left out.
const leastSounding = .005

// findSounds aligns names with their sounds, and returns the outcomes of each letter.
func findSounds(ctx context.Context, names []pair) (map[int32][]outcome, error) {
	var data []pairgram.Pair
	for _, p := range names {
		data = append(data, pairgram.Pair{Source: p.letters, Target: p.sounds})
	}
	a, err := pairgram.NewAligner(data, &pairgram.AlignerOptions{Sizes: oneToTwo})
	if err != nil {
		return nil, err
	}
	if _, err := a.Fit(ctx, data, nil); err != nil {
		return nil, err
	}
	chunks, sums := a.Chunks().All(), map[int32]float64{}
	for i, c := range chunks {
		sums[c.Source[0]] += a.Theta[i]
	}
	all, kept := map[int32][]outcome{}, map[int32]float64{}
	for i, c := range chunks {
		if l, p := c.Source[0], a.Theta[i]; p >= leastSounding*sums[l] {
			all[l] = append(all[l], outcome{c.Target, p})
			kept[l] += p
		}
	}
	for l, outcomes := range all {
		for i := range outcomes {
			outcomes[i].prob /= kept[l]
		}
	}
	return all, nil
}
