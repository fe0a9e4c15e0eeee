package main

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// system is a model that transliterates both ways. Its candidates are ranked by ln p of the
// pair, if there is a second model the mean of both, and, with exponents, ln p of the candidate
// as a string and its length.
type system struct {
	name          string
	columns       [len(directions)]*transliteration.Column // of what is to be transliterated
	tree          *channel.Model                           // letters -> romaji; nil for none
	trigrams      [len(directions)]*pairgram.Model
	rank          ranking
	first, second [len(directions)]nbest.Predictor // second: nil for none
}

// ranking is n-gram models of the candidates of both directions, and exponents.
type ranking struct {
	symbols          [len(directions)]*ngram.Model
	exponent, length float64
}

// direction is one of the two ways to transliterate.
type direction int

const (
	forward  direction = transliteration.Forward // from letters to romaji
	backward direction = transliteration.Backward
)

// directions are their names.
var directions = transliteration.Directions

// sides returns what is to be transliterated and what should come out.
func (d direction) sides(p *pair) (x, y []int32) {
	if d == forward {
		return p.letters, p.romaji
	}
	return p.romaji, p.letters
}

// newSystem returns the tree with the parameters theta, beside trigrams.
func (t *tree) newSystem(name string, theta []float64, trigrams *system, rank ranking) (*system, error) {
	m := channel.New(t.params, fst.Invert(t.letters), t.source, t.romaji)
	m.Theta = theta
	s := &system{name: name, columns: trigrams.columns, tree: m, trigrams: trigrams.trigrams, rank: rank}
	return s, s.predict()
}

// newTrigrams returns models of pairs alone, one for each direction: trigrams of chunks of
// one symbol with one or none.
func newTrigrams(ctx context.Context, d *data, rank ranking) (*system, error) {
	s := &system{name: "trigrams", columns: [...]*transliteration.Column{d.letters, d.katakana}, rank: rank}
	for dir := range s.trigrams {
		m, err := newPairgram(ctx, direction(dir), d.pairs, 3, 0, 10, 1, 11)
		if err != nil {
			return nil, err
		}
		s.trigrams[dir] = m
	}
	return s, s.predict()
}

// predict makes the predictors of the models of s.
func (s *system) predict() error {
	for dir, m := range s.trigrams {
		p, err := m.Predictor(nil)
		if err != nil {
			return err
		}
		s.first[dir] = p
	}
	if s.tree == nil {
		return nil
	}
	p, err := s.tree.Predictor(nil)
	if err != nil {
		return err
	}
	s.first, s.second = [...]nbest.Predictor{p.Forward(), p.Backward()}, s.first
	return nil
}

// transliterators returns s in both directions, to be asked with texts.
func (s *system) transliterators() (all []*transliteration.Transliterator) {
	for d, name := range directions {
		all = append(all, &transliteration.Transliterator{Name: name, From: s.columns[d], To: s.columns[1-d], Predictor: oneWay{s, direction(d)}})
	}
	return all
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
	if r.symbols[forward], err = ngram.Fit(order, int32(d.katakana.Symbols.Len()-1), texts(forward, kana), nil); err != nil {
		return r, err
	}
	r.symbols[backward], err = ngram.Fit(order, int32(d.letters.Symbols.Len()-1), texts(backward, latin), nil)
	return r, err
}

// proposed is how many candidates are ranked, and listed how many are tested.
const proposed, listed = 50, 10

// farthest is how far, in nats, the second model's opinion may be below the first one's. It
// knows fewer units, and gives some pairs the probability 0.
const farthest = 20

// oneWay is a system in a direction, an nbest.Predictor.
type oneWay struct {
	*system
	direction
}

// Best returns the best candidates for x, of proposed ones or more that the first model finds;
// romaji that spell no katakana are none.
func (s oneWay) Best(ctx context.Context, x []int32, n int) ([]nbest.Candidate, error) {
	found, err := s.first[s.direction].Best(ctx, x, max(n, proposed))
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(c nbest.Candidate) bool {
		_, ok := s.columns[1-s.direction].Text(c.Labels)
		return !ok
	})
	for i, c := range found {
		if found[i].LogProb, err = s.score(x, c.Labels, c.LogProb); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(found, func(a, b nbest.Candidate) int { return cmp.Compare(b.LogProb, a.LogProb) })
	return found[:min(len(found), n)], nil
}

// LogProb returns the score of a pair.
func (s oneWay) LogProb(x, y []int32) (float64, error) {
	p, err := s.first[s.direction].LogProb(x, y)
	if err != nil {
		return 0, err
	}
	return s.score(x, y, p)
}

// score returns the score of a pair whose ln p by the first model is logp.
func (s oneWay) score(x, y []int32, logp float64) (float64, error) {
	if m := s.second[s.direction]; m != nil {
		p, err := m.LogProb(x, y)
		if err != nil {
			return 0, err
		}
		logp = (logp + max(p, logp-farthest)) / 2
	}
	return logp + s.rank.exponent*s.rank.symbols[s.direction].LogProb(y) + s.rank.length*float64(len(y)), nil
}
