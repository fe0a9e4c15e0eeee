package main

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/semiring/trellis"
)

// hidden is a tagger by a hidden Markov model: tags are states, words are symbols,
// but those that were seen once only, or never, are classes of words.
type hidden struct {
	tags      []string
	symbols   map[string]int32
	model     *hmm.Model[int32]
	predictor *hmm.Predictor[int32]
}

// How often a word, and a class of the words that were seen less often, must have been
// seen to be a symbol.
const (
	leastWord  = 2
	leastClass = 8
)

// More than is seen of each symbol and each tag after another, by their priors.
const (
	moreOfSymbol = .003
	moreOfTag    = .1
)

// train counts, which is what expectation maximization does where nothing is hidden:
// its second iteration finds nothing left to do.
func (h *hidden) train(ctx context.Context, sentences []sentence, o options) (*program.Training, error) {
	h.symbols = symbols(sentences)
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
		seen[t] = h.symbol(w)
	}
	return seen
}

// symbol returns the word's own symbol, or else that of its finest class that has one;
// 0 if none has.
func (h *hidden) symbol(word string) int32 {
	if i, ok := h.symbols[word]; ok {
		return i
	}
	for class := range classes(word) {
		if i, ok := h.symbols[class]; ok {
			return i
		}
	}
	return 0
}

// symbols numbers the frequent words, and the frequent classes of the rare ones.
func symbols(sentences []sentence) map[string]int32 {
	words := map[string]int{}
	for _, s := range sentences {
		for _, w := range s.Words {
			words[w]++
		}
	}
	number, rare := map[string]int32{"": 0}, map[string]int{} // no word is empty
	add := func(name string) {
		if _, ok := number[name]; !ok {
			number[name] = int32(len(number))
		}
	}
	for _, s := range sentences {
		for _, w := range s.Words {
			if words[w] >= leastWord {
				add(w)
				continue
			}
			for class := range classes(w) {
				if rare[class]++; rare[class] == leastClass {
					add(class)
				}
			}
		}
	}
	return number
}
