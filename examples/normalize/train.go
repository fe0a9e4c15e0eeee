package main

import (
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Options of training.
const (
	// priorStrength is how many examples the probabilities of a grammar are worth in each choice.
	priorStrength = 2
	// contextSigma is the standard deviation of the prior of what a word says about a kind.
	contextSigma = 1
)

// prior returns the law of a choice: a Dirichlet prior with the mode at the default probabilities.
func (p probabilities) prior(group string, alternatives []string) em.Law {
	mode := p.of(group, alternatives)
	for i := range mode {
		mode[i] = 1 + priorStrength*mode[i]
	}
	return em.Dirichlet{Alphas: mode}
}

// addContexts makes the model of kinds depend on words around tokens. Its parameters come behind
// those that there are.
func (g *grammar) addContexts(words []string) error {
	probabilities, _ := g.kinds()
	if len(probabilities) == 0 || len(words) == 0 {
		return nil
	}
	contexts, err := g.contextMachines(words, contextSigma)
	if err != nil {
		return err
	}
	marked, err := g.marked(probabilities, fst.Input)
	if err != nil {
		return err
	}
	g.words, g.cascade = words, append(contexts, marked)
	return nil
}

// problem returns the model as em trains it.
func (g *grammar) problem() em.Problem {
	if g.cascade == nil {
		return em.Problem{Params: g.params, Cascade: []*fst.FST[expr.W]{g.model}}
	}
	return em.Problem{Params: g.params, Cascade: g.cascade}
}

// train maximizes the probability of what is expected given the input, over all parses, by EM. The
// probability is the share of the expected reading in all readings of the line. Lines that have
// no such reading are skipped.
func (g *grammar) train(ctx context.Context, examples []example, o em.Options) (*em.Result, error) {
	var data em.Data
	for _, x := range examples {
		if x.direction == g.direction {
			data.Examples = append(data.Examples, em.Example{
				X: em.Labels(g.encode(x.input)...), Y: em.Labels(g.encode(x.expected)...),
				Name: x.where,
			})
		}
	}
	data.Underivable = em.Skip
	l, err := g.problem().ConditionalLikelihood(data)
	if err != nil {
		return nil, err
	}
	result, err := em.Fit(ctx, l, &o)
	if err != nil {
		return result, fmt.Errorf("%s: %w", g.direction, err)
	}
	return result, g.use(result.Theta)
}

// uniform returns parameters with which all alternatives of a choice are alike.
func (g *grammar) uniform() []float64 {
	theta := g.params.Start()
	for _, group := range g.params.Groups() {
		if _, ok := group.Law().(em.Dirichlet); ok {
			p := group.In(theta)
			for i := range p {
				p[i] = 1 / float64(len(p))
			}
		}
	}
	return theta
}
