package linegrammar

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
)

// contextSigma is the standard deviation of the prior of the strength of a word for a kind.
const contextSigma = 1

// Example is a line with its expected reading.
type Example struct {
	Where           string // file and line
	Input, Expected string
}

// AddContexts makes the model of kinds depend on words around tokens, and replaces the words of
// an earlier call. New parameters are appended to the existing ones.
func (g *Grammar) AddContexts(words []string) (err error) {
	probabilities, kinds := g.kinds()
	g.contexts, g.trainable = nil, g.Model
	if len(kinds) == 0 || len(words) == 0 {
		return nil
	}
	g.contexts = newContexts(g.Params, words, kinds, contextSigma)
	g.trainable, err = marked(g.Params.Space(), g.Model, probabilities, fst.Input)
	return err
}

// likelihood returns the log probability of the expected readings given the inputs, over all
// parses. This is the share of the expected reading in all readings of the line. Lines without
// the expected reading are skipped.
func (g *Grammar) likelihood(examples []Example) (em.Likelihood, error) {
	data := cascade.Data{Underivable: em.Skip}
	for _, x := range examples {
		input, err := g.side(x.Input)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.Where, err)
		}
		data.Examples = append(data.Examples, cascade.Example{
			X: input, Y: cascade.Labels(g.Encode(x.Expected)...), Name: x.Where,
		})
	}
	return cascade.Problem{Params: g.Params, Stages: []cascade.Stage{g.trainable}}.ConditionalLikelihood(data)
}

// Train maximizes the likelihood of examples and the prior, by EM, and uses the resulting
// parameters.
func (g *Grammar) Train(ctx context.Context, examples []Example, o em.Options) (*em.Result, error) {
	l, err := g.likelihood(examples)
	if err != nil {
		return nil, err
	}
	result, err := em.Fit(ctx, l, &o)
	if err != nil {
		return result, fmt.Errorf("%s: %w", g.Name, err)
	}
	return result, g.Use(result.Theta)
}

// side returns the observed side of an input: the line, or all ways to insert marks into it.
func (g *Grammar) side(line string) (cascade.Side, error) {
	labels := g.Encode(line)
	if g.contexts == nil {
		return cascade.Labels(labels...), nil
	}
	f, err := marks(g.contexts, g.contexts.expressions(g.Params), labels)
	if err != nil {
		return cascade.Side{}, err
	}
	return cascade.Set(f), nil
}

// Uniform returns parameters that make all alternatives of a choice equally probable.
func (g *Grammar) Uniform() []float64 {
	theta := g.Params.Start()
	for _, group := range g.Params.Groups() {
		if _, ok := group.Law().(em.Dirichlet); ok {
			p := group.In(theta)
			for i := range p {
				p[i] = 1 / float64(len(p))
			}
		}
	}
	return theta
}

// ContextWords returns up to n words that are copied in at least two examples, the most
// frequent first. These occur around tokens that are not copied.
func ContextWords(examples []Example, n int) []string {
	count := map[string]int{}
	for _, x := range examples {
		written := map[string]bool{}
		for _, w := range strings.Fields(x.Expected) {
			written[w] = true
		}
		for _, w := range strings.Fields(x.Input) {
			if written[w] && isWord(w) {
				count[w]++
				delete(written, w)
			}
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	words = slices.DeleteFunc(words, func(w string) bool { return count[w] < 2 })
	return words[:min(n, len(words))]
}

// isWord reports whether w has only ASCII letters.
func isWord(w string) bool {
	return strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyz") == ""
}
