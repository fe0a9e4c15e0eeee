package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// prune is the probability below which an arc is not followed in decoding.
const prune = 1e-3

// work bounds the search for the candidates of a query. Before training, when the channel
// does not know one letter from another, no search would end.
const work = 10_000

// beam is how many candidates a query asks for.
const beam = 10

// searched is the number of letter strings that are ranked to find the best ones.
const searched = 100

// direction is one of the two ways to use the cascade.
type direction struct {
	name     string
	model    *channel.Model
	from, to *fst.Symbols // of queries and candidates
	ask      func(ctx context.Context, d *channel.Predictor, x []int32) ([]nbest.Candidate, error)
	// word is what is to be transliterated, and reference what a candidate should be.
	word, reference func(p pair) string
}

func (c *cascade) directions() [2]direction {
	latin := func(p pair) string { return p.latin }
	kana := func(p pair) string { return p.kana }
	return [2]direction{{
		name: "forward", model: c.channel, from: c.letters, to: c.table.kana, word: latin, reference: kana,
		ask: func(ctx context.Context, d *channel.Predictor, x []int32) ([]nbest.Candidate, error) {
			return d.Forward().Best(ctx, x, beam)
		},
	}, {
		name: "backward", model: c.backward, from: c.table.kana, to: c.letters, word: kana, reference: latin,
		ask: c.sources,
	}}
}

// sources returns the letters that y most probably came from: the best under the
// model of the search, by their probability under the model for ranking.
func (c *cascade) sources(ctx context.Context, d *channel.Predictor, y []int32) ([]nbest.Candidate, error) {
	found, err := d.Backward().Best(ctx, y, searched)
	if err != nil {
		return nil, err
	}
	for i := range found {
		s := &found[i]
		s.LogProb += c.rank.LogProb(s.Target) - c.search.LogProb(s.Target)
	}
	slices.SortStableFunc(found, func(a, b nbest.Candidate) int { return cmp.Compare(b.LogProb, a.LogProb) })
	return found[:min(len(found), beam)], nil
}

// predictor returns the predictor of a direction with the parameters theta.
func (dir direction) predictor(theta []float64) (*channel.Predictor, error) {
	model := *dir.model
	model.Theta = theta
	return model.Predictor(&channel.PredictorOptions{Prune: prune, Work: work})
}

// errNoCandidates is the problem of a word that the model knows and cannot transliterate.
var errNoCandidates = errors.New("no candidates")

// isProblem reports whether an error is about a word and not about the program.
func isProblem(err error) bool {
	return errors.Is(err, errNoCandidates) || errors.Is(err, fst.ErrSymbol) ||
		errors.Is(err, nbest.ErrUnknown) || errors.Is(err, semiring.ErrLimit)
}

// answer returns the candidates for a word, one at least. The error may be a problem.
func (dir direction) answer(ctx context.Context, d *channel.Predictor, word string) ([]string, error) {
	labels, err := dir.from.EncodeRunes(word)
	if err != nil {
		return nil, err
	}
	found, err := dir.ask(ctx, d, labels)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errNoCandidates
	}
	texts := make([]string, len(found))
	for i, c := range found {
		names, err := dir.to.Decode(c.Target)
		if err != nil {
			return nil, err
		}
		texts[i] = strings.Join(names, "")
	}
	return texts, nil
}
