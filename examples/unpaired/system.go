package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// system transliterates in both directions. It ranks candidates by the mean of ln p of the pair
// by the tree and by trigrams of the pairs. The probability of the candidate as a string, and
// its length, are factors with exponents.
type system struct {
	columns  [len(directions)]*transliteration.Column // of the source strings
	tree     *channel.Model                           // letters -> romaji
	trigrams [len(directions)]*pairgram.Model
	symbols  [len(directions)]*ngram.Model // of candidates
	exponent float64                       // of symbols

	ways []*transliteration.Transliterator
}

// The directions and their names.
const (
	forward  = transliteration.Forward // from letters to romaji
	backward = transliteration.Backward
)

var directions = transliteration.Directions

// lessons returns pairs as training pairs for a direction.
func lessons(dir int, pairs []pair) []pairgram.Pair {
	all := make([]pairgram.Pair, len(pairs))
	for i, p := range pairs {
		all[i] = pairgram.Pair{Source: p.letters, Target: p.romaji}
		if dir == backward {
			all[i].Source, all[i].Target = p.romaji, p.letters
		}
	}
	return all
}

// trigrams makes a model of pairs alone: trigrams of chunks of one symbol with zero or one.
var trigrams = pairgram.Recipe{Count: pairgram.CountOptions{Order: 3}}

// ranking has the settings that rank strings: the order of n-grams of the names in Latin
// letters and in katakana, and an exponent.
type ranking struct {
	order       int
	exponent    float64
	latin, kana []pair
}

// newSystem returns the tree with the parameters theta, and trigrams of the pairs.
func (t *tree) newSystem(ctx context.Context, theta []float64, d *data, rank ranking) (*system, error) {
	s := &system{
		columns: [...]*transliteration.Column{d.letters, d.katakana}, exponent: rank.exponent,
		tree: channel.New(t.params, fst.Invert(t.letters), t.source, t.romaji),
	}
	s.tree.Theta = theta
	for dir, names := range [...][]pair{forward: rank.kana, backward: rank.latin} {
		texts := func(yield func([]int32, float64) bool) {
			for _, p := range lessons(dir, names) {
				if !yield(p.Target, 1) {
					return
				}
			}
		}
		var err error
		if s.symbols[dir], err = ngram.Fit(rank.order, int32(s.columns[1-dir].Symbols.Len()-1), texts, nil); err != nil {
			return nil, err
		}
		if s.trigrams[dir], err = trigrams.Fit(ctx, lessons(dir, d.pairs), nil); err != nil {
			return nil, err
		}
	}
	return s, s.predict()
}

// proposed is the number of candidates of the tree that are ranked.
const proposed = 50

// farthest limits how far, in nats, ln p of the trigrams may be below ln p of the tree. The
// trigrams know fewer units, and give some pairs the probability 0.
const farthest = 20

// lengthExponent is the exponent of e for each symbol of a candidate.
const lengthExponent = .4

// predict makes the transliterators of the models of s.
func (s *system) predict() error {
	tree, err := s.tree.Predictor(nil)
	if err != nil {
		return err
	}
	for dir, first := range [...]nbest.Predictor{tree.Forward(), tree.Backward()} {
		second, err := s.trigrams[dir].Predictor(nil)
		if err != nil {
			return err
		}
		from, to := s.columns[dir], s.columns[1-dir]
		score := func(x, y []int32, logp float64) (float64, error) {
			if _, ok := to.Text(y); !ok {
				return math.Inf(-1), nil // these romaji do not spell katakana
			}
			p, err := second.LogProb(x, y)
			if err != nil {
				return 0, err
			}
			return (logp+max(p, logp-farthest))/2 + s.exponent*s.symbols[dir].LogProb(y) + lengthExponent*float64(len(y)), nil
		}
		s.ways = append(s.ways, &transliteration.Transliterator{
			Name: directions[dir], From: from, To: to,
			Predictor: &nbest.Reranker{First: first, Depth: proposed, Score: score},
		})
	}
	return nil
}

// fileFormat is the format of a trained system: a head, followed by the models in the formats
// of their packages: for each direction the trigrams and the n-grams of symbols, and then the
// tree.
const fileFormat saved.Format = "pathsum unpaired 3"

// head is the beginning of the file of a system.
type head struct {
	Name             string
	Columns          [len(directions)]transliteration.SavedColumn
	Exponent, Length float64
}

// save writes the system of all data in the format that load reads.
func (m *model) save(w io.Writer) error {
	s := m.all
	h := head{Name: "unpaired", Exponent: s.exponent, Length: lengthExponent}
	var models []saved.Saver
	for d, c := range s.columns {
		h.Columns[d] = c.Saved()
		models = append(models, s.trigrams[d], s.symbols[d])
	}
	return fileFormat.WriteSeries(w, h, append(models, s.tree)...)
}

// load reads a system, which answers like the saved one.
func load(r io.Reader) (*model, error) {
	r = saved.Series(r)
	var h head
	if err := fileFormat.Read(r, &h); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	s := &system{exponent: h.Exponent}
	var err error
	for d := range directions {
		s.columns[d] = h.Columns[d].Column()
		if s.trigrams[d], err = pairgram.Load(r); err != nil {
			return nil, err
		}
		if s.symbols[d], err = ngram.Load(r); err != nil {
			return nil, err
		}
	}
	if s.tree, err = channel.Load(r); err != nil {
		return nil, err
	}
	return &model{all: s}, s.predict()
}
