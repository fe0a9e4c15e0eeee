package main

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
)

// system is a model that transliterates both ways. Its candidates are ranked by ln p of the
// pair, if there is a second model the mean of both, and, with exponents, ln p of the candidate
// as a string and its length.
type system struct {
	name          string
	romaji        *fst.Symbols
	pairs, second [len(directions)]nbest.Predictor // second: nil for none
	rank          ranking
}

// ranking is n-gram models of the candidates of both directions, and exponents.
type ranking struct {
	symbols          [len(directions)]*ngram.Model
	exponent, length float64
}

// direction is one of the two ways to transliterate.
type direction int

const (
	forward  direction = iota // from letters to romaji
	backward                  // and back
)

// directions are their names.
var directions = [...]string{forward: "forward", backward: "backward"}

// sides returns what is to be transliterated and what should come out.
func (d direction) sides(p *pair) (x, y []int32) {
	if d == forward {
		return p.letters, p.romaji
	}
	return p.romaji, p.letters
}

// newSystem returns the tree with the parameters theta, beside the second model.
func (t *tree) newSystem(name string, theta []float64, second *system, rank ranking) (*system, error) {
	reading, err := inverted(t.letters)
	if err != nil {
		return nil, err
	}
	m := channel.New(t.params, reading, t.source, t.romaji)
	m.Theta = theta
	p, err := m.Predictor(nil)
	if err != nil {
		return nil, err
	}
	return &system{name, second.romaji, [...]nbest.Predictor{p.Forward(), p.Backward()}, second.pairs, rank}, nil
}

// newTrigrams returns models of pairs alone, one for each direction: trigrams of chunks of
// one symbol with one or none.
func newTrigrams(ctx context.Context, d *data, rank ranking) (*system, error) {
	s := &system{name: "trigrams", romaji: d.romaji, rank: rank}
	for dir := range s.pairs {
		m, err := newPairgram(ctx, direction(dir), d.pairs, 3, 0, 10, 1, 11)
		if err != nil {
			return nil, err
		}
		if s.pairs[dir], err = m.Predictor(nil); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newRanking returns n-gram models of the names that there are on either side.
func newRanking(order int, d *data, latin, kana []pair, exponent, length float64) (r ranking, err error) {
	texts := func(dir direction, all []pair) iter.Seq2[[]int32, float64] {
		return func(yield func([]int32, float64) bool) {
			for i := range all {
				if _, y := dir.sides(&all[i]); !yield(y, 1) {
					return
				}
			}
		}
	}
	r.exponent, r.length = exponent, length
	if r.symbols[forward], err = ngram.Fit(order, int32(d.romaji.Len()-1), texts(forward, kana), nil); err != nil {
		return r, err
	}
	r.symbols[backward], err = ngram.Fit(order, int32(d.letters.Len()-1), texts(backward, latin), nil)
	return r, err
}

// proposed is how many candidates are ranked, and listed how many are kept.
const proposed, listed = 50, 10

// farthest is how far, in nats, the second model's opinion may be below the first one's. It
// knows fewer units, and gives some pairs the probability 0.
const farthest = 20

// best returns the best candidates for x; romaji that spell no katakana are none.
func (s *system) best(ctx context.Context, d direction, x []int32) ([]nbest.Candidate, error) {
	found, err := s.pairs[d].Best(ctx, x, proposed)
	if errors.Is(err, nbest.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if d == forward {
		found = slices.DeleteFunc(found, func(c nbest.Candidate) bool {
			_, ok := read(names(s.romaji, c.Target))
			return !ok
		})
	}
	for i, c := range found {
		if m := s.second[d]; m != nil {
			p, err := m.LogProb(x, c.Target)
			if err != nil {
				return nil, err
			}
			found[i].LogProb = (c.LogProb + max(p, c.LogProb-farthest)) / 2
		}
		found[i].LogProb += s.rank.exponent*s.rank.symbols[d].LogProb(c.Target) + s.rank.length*float64(len(c.Target))
	}
	slices.SortStableFunc(found, func(a, b nbest.Candidate) int { return cmp.Compare(b.LogProb, a.LogProb) })
	return found[:min(len(found), listed)], nil
}

// decode yields the candidates for each of the pairs, best first.
func (s *system) decode(ctx context.Context, d direction, pairs []pair, workers int) iter.Seq2[[]nbest.Candidate, error] {
	all := func(yield func(*pair, error) bool) {
		for i := range pairs {
			if !yield(&pairs[i], nil) {
				return
			}
		}
	}
	return inorder.Map(ctx, all, workers, func(p *pair) ([]nbest.Candidate, error) {
		x, _ := d.sides(p)
		return s.best(ctx, d, x)
	})
}

// text returns what is on a side as letters or katakana.
func (d *data) text(dir direction, y []int32) string {
	if dir == backward {
		return strings.Join(names(d.letters, y), "")
	}
	kana, _ := read(names(d.romaji, y))
	return kana
}

// names returns the names of labels, all of which have one.
func names(s *fst.Symbols, labels []int32) []string {
	all, err := s.Decode(labels)
	if err != nil {
		panic(err)
	}
	return all
}
