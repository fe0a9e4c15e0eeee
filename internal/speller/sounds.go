package speller

import (
	"context"
	"math"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// Sounds models how words are pronounced, and how people spell these sounds: writers who do not
// know the spelling of a word write its sound. So the misspelt word is compared with the sounds
// of a word as well as with its letters (Toutanova and Moore 2002, "Pronunciation modeling for
// improved spelling correction"). After Prepare it is safe for concurrent use.
type Sounds struct {
	Spoken *pairgram.Model // words with their sounds, by the dictionary
	Heard  *pairgram.Model // misspelt words with the sounds of the intended words
	Phones *ngram.Model    // the sounds of intended words

	dictionary []Pronunciation // of words that the letters can write
	letters    *fst.Symbols
	number     int32                // of distinct sounds
	known      map[string][][]int32 // pronunciations of the dictionary, by the labels of a word
	guess      *pairgram.Predictor
	guessed    sync.Map // pronunciations of other words by Spoken, likewise
}

// NewSounds returns the part of a dictionary that letters can write, with labels for its
// sounds, and without models.
func NewSounds(dictionary []Pronunciation, letters *fst.Symbols) *Sounds {
	s := &Sounds{letters: letters, known: map[string][][]int32{}}
	names := fst.NewSymbols()
	for _, d := range dictionary {
		x, err := letters.EncodeRunes(d.Word)
		if err != nil {
			continue
		}
		var y []int32
		for _, sound := range d.Sounds {
			y = append(y, names.Add(sound))
		}
		s.dictionary = append(s.dictionary, d)
		s.known[key(x)] = append(s.known[key(x)], y)
	}
	s.number = int32(names.Len() - 1)
	return s
}

// Number returns the number of distinct sounds, whose labels are 1, 2, ….
func (s *Sounds) Number() int32 { return s.number }

// Pairs returns the words of the dictionary with their sounds, to train Spoken on.
func (s *Sounds) Pairs() []pairgram.Pair {
	var pairs []pairgram.Pair
	seen := map[string]int{}
	for _, d := range s.dictionary {
		x, _ := s.letters.EncodeRunes(d.Word)
		pairs = append(pairs, pairgram.Pair{Source: x, Target: s.known[key(x)][seen[d.Word]]})
		seen[d.Word]++
	}
	return pairs
}

// quick makes predictions of pronunciations faster and less accurate.
var quick = pairgram.PredictorOptions{Width: 15, Margin: 6}

// Prepare enables predictions by Of, once Spoken is set.
func (s *Sounds) Prepare() (err error) {
	s.guess, err = s.Spoken.Predictor(&quick)
	return err
}

// Of returns the pronunciations of a word: those in the dictionary, or the most probable one,
// which it caches. A character that does not occur in the dictionary is silent.
func (s *Sounds) Of(ctx context.Context, word []int32) ([][]int32, error) {
	if all := s.known[key(word)]; all != nil {
		return all, nil
	}
	if all, ok := s.guessed.Load(key(word)); ok {
		return all.([][]int32), nil
	}
	var audible []int32
	for _, c := range word {
		if s.Spoken.Knows(c) {
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

// mean returns the mean probability of the pronunciations of a word, where logProb returns the
// log probability of one.
func (s *Sounds) mean(word []int32, logProb func(sounds []int32) (float64, error)) (float64, error) {
	all, err := s.Of(context.Background(), word)
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

// Factors returns the factors of the product of s that use sounds:
//
//   - the spelling of the sounds of a word, by the n-gram model of chunks of misspelt words with
//     sounds. A typing error does not sound like the word: so this model is mixed with the channel
//     of slips, like the channel in context;
//   - whether the misspelt word is pronounced like the word, by the words of the dictionary with
//     their sounds;
//   - whether the dictionary has the word: words that it lacks are rare, whatever their count.
func (s *Sounds) Factors(of *Speller) ([]nbest.Predictor, error) {
	regular, err := s.Spoken.Predictor(nil)
	if err != nil {
		return nil, err
	}
	written, err := s.Heard.Predictor(nil)
	if err != nil {
		return nil, err
	}
	slips, err := of.Slips.Predictor()
	if err != nil {
		return nil, err
	}
	share := of.Mixed.Theta[1] // of slips
	heard := func(x, y []int32) (float64, error) {
		p, err := s.mean(y, func(sounds []int32) (float64, error) {
			logp, err := written.LogProb(x, sounds)
			return logp - s.Phones.LogProb(sounds), err
		})
		if err != nil {
			return 0, err
		}
		slip, err := slips.LogProb(y, x)
		return max(math.Log((1-share)*p+share*math.Exp(slip)), least), err
	}
	legible := func(x, y []int32) (float64, error) {
		p, err := s.mean(y, func(sounds []int32) (float64, error) { return regular.LogProb(x, sounds) })
		return max(math.Log(p), least), err
	}
	listed := func(_, y []int32) (float64, error) {
		if s.known[key(y)] == nil {
			return -1, nil
		}
		return 0, nil
	}
	return []nbest.Predictor{ranks(heard), ranks(legible), ranks(listed)}, nil
}
