package main

import (
	"context"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
)

// What a name without its partner, and one with its sounds, count in training. A pair is 1.
const (
	nameWeight       = .1
	pronouncedWeight = .3
)

// parts makes the parts of sums; err is the first error.
type parts struct {
	*tree
	reading cascade.Stage // the inverse of letters
	err     error
}

func (t *tree) newParts() *parts {
	return &parts{tree: t, reading: fst.Invert(t.letters)}
}

// part returns the likelihood of some pairs, as far as example looks at them.
func (p *parts) part(name string, weight float64, problem cascade.Problem, of []pair, example func(x *pair) cascade.Example) em.Part {
	if len(of) == 0 {
		return em.Part{} // which a sum leaves out
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
	return p.part("pairs", 1, p.chain(p.reading, p.source, p.romaji), of, func(x *pair) cascade.Example {
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

// names returns the likelihood of the pairs and of the names of both sides, without sounds.
func (p *parts) names(d *data) (em.Likelihood, error) {
	return p.sum(p.pairs(d.pairs), p.latin(d.latin), p.katakana(d.kana))
}

// all returns the likelihood of the same, with sounds where they are known.
func (p *parts) all(d *data) (em.Likelihood, error) {
	heard, pairs := pronounced(d.pairs)
	spoken, latin := pronounced(d.latin)
	return p.sum(p.pairs(pairs), p.latin(latin), p.katakana(d.kana), p.heardPairs(heard), p.heardLatin(spoken))
}

// sum returns the sum of the parts of which there are data.
func (p *parts) sum(all ...em.Part) (em.Likelihood, error) {
	if p.err != nil {
		return nil, p.err
	}
	return em.Sum(slices.DeleteFunc(all, func(p em.Part) bool { return p.Likelihood == nil })...)
}

// fit trains the tree.
func (e *experiment) fit(ctx context.Context, r *program.Run, name string, l em.Likelihood) (*em.Result, error) {
	progress := r.Progress("training ("+name+")", *e.iterations)
	defer progress.Done()
	fit, err := em.Fit(ctx, l, &em.Options{
		Iterations: *e.iterations, Tolerance: -1, Workers: *e.workers,
		Observer: progress.Observe,
	})
	if fit == nil {
		return nil, err
	}
	r.Trained(program.TrainingOf(fit)) // what no sequence of units makes is skipped
	return fit, err
}
