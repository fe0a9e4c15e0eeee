package main

import (
	"context"
	"fmt"
	"math"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// Who does not know how a word is written writes what is heard. So the misspelt word is held
// against the sounds of a word as well as against its letters (Toutanova and Moore 2002,
// "Pronunciation modeling for improved spelling correction").

// sounds is how words are pronounced, and what people write for that. It may be used by many
// goroutines.
type sounds struct {
	dictionary []spoken        // of words that the channels can write
	spoken     *pairgram.Model // words with their sounds, by the dictionary
	heard      *pairgram.Model // misspelt words with the sounds of the words that were meant
	phones     *ngram.Model    // the sounds of words that were meant

	letters *fst.Symbols
	number  int32                // of different sounds
	known   map[string][][]int32 // what the dictionary says, by the labels of a word
	guess   *pairgram.Predictor
	guessed sync.Map // what spoken says of other words, likewise
}

// newSounds returns the part of a dictionary that letters can write, its sounds in labels, and
// no models yet.
func newSounds(dictionary []spoken, letters *fst.Symbols) *sounds {
	s := &sounds{letters: letters, known: map[string][][]int32{}}
	names := fst.NewSymbols()
	for _, d := range dictionary {
		x, err := letters.EncodeRunes(d.word)
		if err != nil {
			continue
		}
		var y []int32
		for _, sound := range d.sounds {
			y = append(y, names.Add(sound))
		}
		s.dictionary = append(s.dictionary, d)
		s.known[key(x)] = append(s.known[key(x)], y)
	}
	s.number = int32(names.Len() - 1)
	return s
}

// pairs returns the words of the dictionary with their sounds.
func (s *sounds) pairs() []pairgram.Pair {
	var pairs []pairgram.Pair
	seen := map[string]int{}
	for _, d := range s.dictionary {
		x, _ := s.letters.EncodeRunes(d.word)
		pairs = append(pairs, pairgram.Pair{Source: x, Target: s.known[key(x)][seen[d.word]]})
		seen[d.word]++
	}
	return pairs
}

// quick makes guesses of how words are pronounced fast, and worse than they could be.
var quick = pairgram.PredictorOptions{Width: 15, Margin: 6}

// prepare makes s guess, when spoken is there.
func (s *sounds) prepare() (err error) {
	s.guess, err = s.spoken.Predictor(&quick)
	return err
}

// of returns the ways to pronounce a word: those of the dictionary, or the most probable one,
// which it remembers. A character that no word of the dictionary has is silent.
func (s *sounds) of(ctx context.Context, word []int32) ([][]int32, error) {
	if all := s.known[key(word)]; all != nil {
		return all, nil
	}
	if all, ok := s.guessed.Load(key(word)); ok {
		return all.([][]int32), nil
	}
	var audible []int32
	for _, c := range word {
		if s.spoken.Knows(c) {
			audible = append(audible, c)
		}
	}
	all := [][]int32{nil}
	if len(audible) > 0 {
		best, err := s.guess.Best(ctx, audible, 1)
		if err != nil {
			return nil, err
		}
		if len(best) > 0 {
			all[0] = best[0].Labels
		}
	}
	s.guessed.Store(key(word), all)
	return all, nil
}

// mean returns the mean probability of the ways to pronounce a word, where logProb is ln of
// that of one.
func (s *sounds) mean(word []int32, logProb func(sounds []int32) (float64, error)) (float64, error) {
	all, err := s.of(context.Background(), word)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, a := range all {
		logp, err := logProb(a)
		if err != nil {
			return 0, err
		}
		sum += math.Exp(logp) / float64(len(all))
	}
	return sum, nil
}

// sounds learns how words are pronounced, and then what people write for it.
func (t *trainer) sounds(ctx context.Context, m *models) (err error) {
	if len(t.dictionary) == 0 {
		return nil
	}
	s := newSounds(t.dictionary, t.letters)
	if len(s.dictionary) == 0 {
		return fmt.Errorf("%s: no word is of the characters of the data", *t.e.sounds)
	}
	if s.spoken, err = t.chunks(ctx, s.pairs(), ngram.Options{}); err != nil {
		return err
	}
	if err := s.prepare(); err != nil {
		return err
	}
	var pairs []pairgram.Pair
	for _, p := range t.pairs {
		all, err := s.of(ctx, p.Source)
		if err != nil {
			return err
		}
		for _, a := range all {
			pairs = append(pairs, pairgram.Pair{Source: p.Target, Target: a, Weight: em.Times(p.Weight.Float64() / float64(len(all)))})
		}
	}
	if s.heard, err = t.chunks(ctx, pairs, fewer); err != nil {
		return err
	}
	s.phones, err = targets(s.number, pairs)
	m.sounds = s
	return err
}

// factors returns those that know sounds.
func (s *sounds) factors(m *models) ([]nbest.Predictor, error) {
	regular, err := s.spoken.Predictor(nil)
	if err != nil {
		return nil, err
	}
	written, err := s.heard.Predictor(nil)
	if err != nil {
		return nil, err
	}
	slips, err := m.slips.Predictor()
	return []nbest.Predictor{heard{s: s, p: written, slips: slips, share: m.mixed.Theta[1]}, legible{s: s, p: regular}, listed{s: s}}, err
}

// heard is what people write for the sounds of a word, by the n-gram model of chunks of
// misspelt words with these. Who slips writes what nobody hears: it is mixed with the channel of
// slips, as the channel in context is.
type heard struct {
	silent
	s     *sounds
	p     *pairgram.Predictor
	slips *edit.Predictor
	share float64 // of slips
}

// LogProb returns ln of p(x | sounds of y) in the mixture with p(x | y) of a slip.
func (f heard) LogProb(x, y []int32) (float64, error) {
	p, err := f.s.mean(y, func(sounds []int32) (float64, error) {
		logp, err := f.p.LogProb(x, sounds)
		return logp - f.s.phones.LogProb(sounds), err
	})
	if err != nil {
		return 0, err
	}
	slip, err := f.slips.LogProb(y, x)
	return max(math.Log((1-f.share)*p+f.share*math.Exp(slip)), least), err
}

// legible is whether the misspelt word reads as the word sounds, by the words of the dictionary
// with their sounds.
type legible struct {
	silent
	s *sounds
	p *pairgram.Predictor
}

// LogProb returns ln p(x, sounds of y).
func (f legible) LogProb(x, y []int32) (float64, error) {
	p, err := f.s.mean(y, func(sounds []int32) (float64, error) { return f.p.LogProb(x, sounds) })
	return max(math.Log(p), least), err
}

// listed is whether the dictionary has a word: one that it has not is rare, whatever its count.
type listed struct {
	silent
	s *sounds
}

// LogProb returns 0, or −1 if the dictionary has no y.
func (f listed) LogProb(_, y []int32) (float64, error) {
	if f.s.known[key(y)] == nil {
		return -1, nil
	}
	return 0, nil
}
