package main

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
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

// addContexts makes the model of kinds depend on words around tokens, and no longer on those of a
// call before. New parameters come behind those that there are.
func (g *grammar) addContexts(words []string) (err error) {
	probabilities, kinds := g.kinds()
	g.contexts, g.trainable = nil, g.model
	if len(kinds) == 0 || len(words) == 0 {
		return nil
	}
	g.contexts = newContexts(g.params, words, kinds, contextSigma)
	g.trainable, err = marked(g.params.Space(), g.model, probabilities, fst.Input)
	return err
}

// likelihood returns the logarithm of the probability of what is expected given the inputs, over
// all parses: of the share of the expected reading in all readings of the line. Lines that have no
// such reading are skipped.
func (g *grammar) likelihood(examples []example) (em.Likelihood, error) {
	data := cascade.Data{Underivable: em.Skip}
	for _, x := range examples {
		if x.direction != g.direction {
			continue
		}
		input, err := g.side(x.input)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.where, err)
		}
		data.Examples = append(data.Examples, cascade.Example{
			X: input, Y: cascade.Labels(g.encode(x.expected)...), Name: x.where,
		})
	}
	return cascade.Problem{Params: g.params, Stages: []cascade.Stage{g.trainable}}.ConditionalLikelihood(data)
}

// train maximizes the likelihood of examples and the prior, by EM, and uses what it has found.
func (g *grammar) train(ctx context.Context, examples []example, o em.Options) (*em.Result, error) {
	l, err := g.likelihood(examples)
	if err != nil {
		return nil, err
	}
	result, err := em.Fit(ctx, l, &o)
	if err != nil {
		return result, fmt.Errorf("%s: %w", g.direction, err)
	}
	return result, g.use(result.Theta)
}

// side returns what is known of an input: the line, or all ways to put marks into it.
func (g *grammar) side(line string) (cascade.Side, error) {
	labels := g.encode(line)
	if g.contexts == nil {
		return cascade.Labels(labels...), nil
	}
	f, err := marks(g.contexts, g.contexts.expressions(g.params), labels)
	if err != nil {
		return cascade.Side{}, err
	}
	return cascade.Set(f), nil
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

// lessons returns the lines that are learnt from.
func (e *experiment) lessons() ([]example, error) {
	examples, err := readExamples(*e.data)
	if err != nil {
		return nil, err
	}
	more, err := ambiguous()
	return append(examples, more...), err
}

// learn trains grammars on all lines, and saves the parameters where that was asked for.
func (e *experiment) learn(ctx context.Context, r *program.Run, all []*grammar) error {
	examples, err := e.lessons()
	if err != nil {
		return err
	}
	progress := r.Progress("training", *e.iterations*len(all))
	defer progress.Done()
	var report program.Training
	var curves []figure.Line
	for _, g := range all {
		if _, err := interruptible(ctx, func() (any, error) {
			return nil, g.addContexts(contextWords(examples, g.direction, *e.words))
		}); err != nil {
			return err
		}
		o := em.Options{
			Iterations: *e.iterations, Workers: *e.workers,
			Checkpoint: r.Checkpoint(g.direction),
			Observer:   progress.Observe,
		}
		result, err := g.train(ctx, examples, o)
		if result != nil {
			report.Iterations += result.Iterations()
			report.Objective = append(report.Objective, result.Objective...)
			report.Status = result.Status.String()
			report.Skipped += len(result.Skipped)
			r.Fitted(result)
			r.Trained(report)
		}
		if err != nil {
			return err
		}
		curves = append(curves, figure.Line{Name: g.direction.String(), First: 1, Values: result.Objective})
	}
	if e.curve.Given() {
		if err := e.curve.Draw(figure.Lines("Training", "log likelihood, nats", curves...)); err != nil {
			return err
		}
	}
	return e.model.Save(func(w io.Writer) error { return saveParameters(w, all) })
}
