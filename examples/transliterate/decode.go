package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/channel"
)

// prune is the probability below which an arc is not followed in decoding.
const prune = 1e-3

// decoding is the candidates of all test pairs in one direction, as strings, best
// first, and how good they are.
type decoding struct {
	candidates [][]string
	accuracy   Accuracy
}

// direction is one of the two ways to use the cascade.
type direction struct {
	name  string
	model *channel.Model
	query func(d *channel.Decoder, p pair) ([]channel.Candidate, error)
	names *fst.Symbols // of the labels of candidates
	// reference is what a candidate should be.
	reference func(p pair) string
}

func (c *cascade) directions() [2]direction {
	return [2]direction{{
		name: "forward", model: c.channel, names: c.table.kana,
		query: func(d *channel.Decoder, p pair) ([]channel.Candidate, error) {
			if p.x == nil {
				return nil, nil
			}
			return d.Outputs(p.x, beam)
		},
		reference: func(p pair) string { return p.kana },
	}, {
		name: "backward", model: c.backward, names: c.letters,
		query:     func(d *channel.Decoder, p pair) ([]channel.Candidate, error) { return c.sources(d, p.y) },
		reference: func(p pair) string { return p.latin },
	}}
}

// searched is the number of letter strings that are ranked to find the best ones.
const searched = 200

// sources returns the letters that y most probably came from: the best under the
// model of the search, by their probability under the model for ranking.
func (c *cascade) sources(d *channel.Decoder, y []int32) ([]channel.Candidate, error) {
	found, err := d.Sources(y, searched)
	if err != nil {
		return nil, err
	}
	for i := range found {
		s := &found[i]
		s.LogProb += c.rank.LogProb(s.Labels) - c.search.LogProb(s.Labels)
	}
	slices.SortStableFunc(found, func(a, b channel.Candidate) int { return cmp.Compare(b.LogProb, a.LogProb) })
	return found[:min(len(found), beam)], nil
}

// decode answers the queries of all pairs with the parameters theta.
func (dir direction) decode(ctx context.Context, theta []float64, pairs []pair, workers int, progress *program.Progress) (*decoding, error) {
	model := *dir.model
	model.Theta = theta
	decoder, err := model.Decoder(&channel.DecoderOptions{Prune: prune})
	if err != nil {
		return nil, err
	}
	out := &decoding{candidates: make([][]string, len(pairs))}
	references := make([]string, len(pairs))
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(pairs) && errs[w] == nil; i += workers {
				references[i] = dir.reference(pairs[i])
				out.candidates[i], errs[w] = dir.answer(ctx, decoder, pairs[i])
				progress.Step("")
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	out.accuracy, err = score(references, out.candidates)
	return out, err
}

// answer returns the candidates for one pair.
func (dir direction) answer(ctx context.Context, decoder *channel.Decoder, p pair) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, err := dir.query(decoder, p)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(found))
	for i, c := range found {
		names, err := dir.names.Decode(c.Labels)
		if err != nil {
			return nil, err
		}
		texts[i] = strings.Join(names, "")
	}
	return texts, nil
}
