package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/tagged"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/semiring/trellis"
)

// hidden is a tagger by a hidden Markov model. Tags are states and words are symbols, but words
// seen at most once are classes of words.
type hidden struct {
	tags      []string
	symbols   tagged.Vocabulary
	model     *hmm.Model[int32]
	predictor *hmm.Predictor[int32]
}

// Pseudocounts of the priors, added for each symbol and for each transition between tags.
const (
	moreOfSymbol = .003
	moreOfTag    = .1
)

// train counts, which is the result of expectation maximization if nothing is hidden: the
// second iteration has no further gain.
func (h *hidden) train(ctx context.Context, sentences []sentence, o options) (*program.Training, error) {
	h.symbols = tagged.NewVocabulary(sentences)
	number := map[string]int32{}
	var data []hmm.Sequence[int32]
	for _, s := range sentences {
		x := hmm.Sequence[int32]{Observations: h.observe(s.Words)}
		for _, tag := range s.Tags {
			if _, ok := number[tag]; !ok {
				number[tag] = int32(len(h.tags))
				h.tags = append(h.tags, tag)
			}
			x.States = append(x.States, number[tag])
		}
		data = append(data, x)
	}
	p := em.NewParams()
	emission, err := hmm.NewDiscrete(p, "words", len(h.symbols), hmm.Each(len(h.tags)), em.Dirichlet{Alpha: 1 + moreOfSymbol})
	if err != nil {
		return nil, err
	}
	if h.model, err = hmm.New(p, hmm.Topology{States: len(h.tags)}, em.Dirichlet{Alpha: 1 + moreOfTag}, emission); err != nil {
		return nil, err
	}
	fit, fault := h.model.Fit(ctx, data, &em.Options{
		Iterations: o.iterations, Workers: o.workers, Checkpoint: o.checkpoint,
		Observer: o.observe,
	})
	if fit == nil {
		return nil, fault
	}
	if h.predictor, err = h.model.Predictor(); err != nil {
		return nil, err
	}
	t := program.TrainingOf(fit)
	return &t, fault
}

func (h *hidden) features() int { return h.model.Params.Len() }

func (h *hidden) tag(words []string) ([]string, error) {
	states, _, err := h.predictor.Best(hmm.Sequence[int32]{Observations: h.observe(words)})
	tags := make([]string, len(states))
	for t, i := range states {
		tags[t] = h.tags[i]
	}
	return tags, err
}

func (h *hidden) trellis(words []string) (*trellis.Trellis, []string, error) {
	t, err := h.predictor.Trellis(hmm.Sequence[int32]{Observations: h.observe(words)})
	return t, h.tags, err
}

// observe returns the symbols of words.
func (h *hidden) observe(words []string) []int32 {
	seen := make([]int32, len(words))
	for t, w := range words {
		seen[t] = h.symbols.Symbol(w)
	}
	return seen
}

// hiddenFormat is the format of the tags and symbols, before the parameters.
const hiddenFormat saved.Format = "pathsum tagging hidden 2"

type savedHidden struct {
	Tags    []string
	Symbols []string // by their numbers
}

func (h *hidden) save(w io.Writer) error {
	s := savedHidden{Tags: h.tags, Symbols: make([]string, len(h.symbols))}
	for name, i := range h.symbols {
		s.Symbols[i] = name
	}
	if err := hiddenFormat.Write(w, s); err != nil {
		return err
	}
	return h.model.Save(w)
}

func (h *hidden) load(r io.Reader) error {
	var s savedHidden
	if err := hiddenFormat.Read(r, &s); err != nil {
		return err
	}
	m, e, err := hmm.LoadDiscrete(r)
	if err != nil {
		return err
	}
	h.tags, h.symbols, h.model = s.Tags, tagged.Vocabulary{}, m
	for i, name := range s.Symbols {
		h.symbols[name] = int32(i)
	}
	switch {
	case len(h.symbols) != len(s.Symbols):
		return errors.New("a symbol occurs twice")
	case e.States() != len(h.tags) || e.Groups()[0].Len() != len(h.symbols):
		return fmt.Errorf("%d tags and %d symbols for a model with others", len(h.tags), len(h.symbols))
	}
	h.predictor, err = m.Predictor()
	return err
}
