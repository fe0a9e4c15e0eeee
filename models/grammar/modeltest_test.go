package grammar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
)

// parser is a model and its predictor.
type parser struct {
	*Model
	*Predictor
}

func parsing(m *Model, err error) (*parser, error) {
	if err != nil {
		return nil, err
	}
	p, err := m.Predictor(MostProbable)
	return &parser{m, p}, err
}

// numbers returns those of heads, and of spans after them.
func numbers(x tree) (list []int) {
	for i, h := range x.heads {
		list = append(list, 8*i+h+1)
	}
	for _, s := range x.spans {
		list = append(list, 100+10*s.I+s.J)
	}
	return list
}

// tagged returns a sentence of 2 to 4 tags.
func tagged(rng *rand.Rand, _ *parser) []string { return randomSentences(rng, 1, 2, 4)[0] }

// promises are those of a kind of model. In a DMV no sentence has the root Z.
func promises(t *testing.T, k Kind) modeltest.Model[*parser, []string] {
	const none = "parses have expected brackets and heads in them: TestDecodings"
	m := modeltest.Model[*parser, []string]{
		New: func(rng *rand.Rand) *parser {
			m := newTestModel(t, k, append(randomSentences(rng, 6, 2, 4), []string{"A", "B", "C", "Z"}), nil)
			m.Theta = m.Params.Random(rng)
			if k != CCM {
				root := m.dmv.root.In(m.Theta)
				z, _ := m.tags.numbers([]string{"Z"})
				for i := range root {
					root[i] /= 1 - root[z[0]]
				}
				root[z[0]] = 0
			}
			p, err := parsing(m, nil)
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Example:    tagged,
		Impossible: func(*rand.Rand, *parser) []string { return []string{"Z", "Z"} },
		Enumerate: func(p *parser, sentence []string) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) {
				tags, _ := p.tags.numbers(sentence)
				for _, x := range (&oracle{p.Model, p.Theta, tags}).trees() {
					if !yield(numbers(x), x.p) {
						return
					}
				}
			}
		},
		LogProb: func(p *parser, sentence []string) (float64, error) { return p.LogProb(sentence) },
		Best: func(p *parser, sentence []string) ([]int, float64, error) {
			x, err := p.Best(sentence)
			if err != nil {
				return nil, 0, err
			}
			return numbers(tree{heads: x.Heads, spans: x.Spans}), x.LogProb, nil
		},
		Likelihood: func(p *parser, data [][]string, _ em.Policy) (em.Likelihood, error) { return p.Likelihood(data) },
		Fit: func(ctx context.Context, p *parser, data [][]string, opts *em.Options) (*em.Result, error) {
			return p.Fit(ctx, data, opts)
		},
		Theta: func(p *parser) []float64 { return p.Theta },
		Save:  func(p *parser, w io.Writer) error { return p.Save(w) },
		Load:  func(r io.Reader) (*parser, error) { return parsing(Load(r)) },
		Fields: func(p *parser) (any, func() ([]byte, error)) {
			m := p.Model
			s := &savedModel{Kind: m.kind, Smoothing: m.smoothing, Tags: m.tags.names, Open: m.tags.open, Theta: m.Theta}
			if m.kind.hasContext() {
				s.Yields, s.Contexts = inOrder(m.ccm.table.yield), inOrder(m.ccm.table.context)
			}
			return s, func() ([]byte, error) {
				var b bytes.Buffer
				err := saveFormat.Write(&b, *s)
				return b.Bytes(), err
			}
		},
		Others: func(p *parser, sentence []string) error { // no tree is more probable than all together
			all, err := p.LogProb(sentence)
			if err != nil {
				return nil // which the harness has seen
			}
			trees, err := p.BestTrees(sentence, 2)
			if err != nil && !errors.Is(err, ErrInvalid) {
				return err
			}
			for _, x := range trees {
				if !(x.LogProb <= all+1e-9) {
					return fmt.Errorf("a tree has ln P %g, all have %g", x.LogProb, all)
				}
			}
			return nil
		},
		Seeds: 30,
		Lacks: map[string]string{
			"Posteriors": none, "Sample": none, "Weigh": "sentences have no weights",
			"Skipped": "a sentence without a tree is an error",
		},
	}
	if k == CCM {
		m.Impossible = nil
		m.Lacks["Impossible"] = "a CCM that is smoothed gives every span a probability"
		delete(m.Lacks, "Skipped")
	}
	return m
}

func TestPromises(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.String(), func(t *testing.T) { modeltest.Check(t, promises(t, k)) })
	}
}
