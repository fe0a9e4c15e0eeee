package main

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/models/ngram"
)

// solver finds keys of cipher texts in two stages: cheap bigrams of letters from many
// random starts, then trigrams from where the best of these ended.
type solver struct {
	bigram, trigram               *ngram.Model
	iterations, restarts, workers int
}

func newSolver(english [][]int32) (*solver, error) {
	bigram, err := ngram.Fit(2, space, once(english), nil)
	if err != nil {
		return nil, err
	}
	trigram, err := ngram.Fit(3, space, once(english), nil)
	if err != nil {
		return nil, err
	}
	return &solver{bigram: bigram, trigram: trigram}, nil
}

// solution is what became of a cipher text.
type solution struct {
	bigram, trigram *fitted
	key             *key // from cipher to plain letters
}

// candidates is how many plain letters the trigrams may choose from for each cipher letter:
// those that the bigrams expect most often. All cubes of 26 letters would take 30 times as
// long.
const candidates = 8

// more is added to the probability of each of these substitutions, for those that the
// bigrams have ruled out.
const more = .01

// firstRound is the number of iterations after which half of the starts are dropped.
const firstRound = 5

func (s *solver) solve(ctx context.Context, cipher [][]int32, source rand.Source, observe func(em.Event)) (*solution, error) {
	var all table
	for e := range all[1:] {
		for f := range all[1:] {
			all[1+e][1+f] = 1
		}
	}
	m, err := newSubstitution(s.bigram, &all)
	if err != nil {
		return nil, err
	}
	opts := em.Options{
		Start: m.Params.Random(rand.New(source)), Restarts: s.restarts, Prune: em.Prune{After: firstRound}, Rand: source,
		Iterations: s.iterations, Workers: s.workers, Observer: observe,
	}
	found := new(solution)
	if found.bigram, err = m.fit(ctx, cipher, &opts); err != nil {
		return nil, err
	}
	if m, err = newSubstitution(s.trigram, likely(found.bigram)); err != nil {
		return nil, err
	}
	opts = em.Options{Iterations: s.iterations, Workers: s.workers, Observer: observe}
	if found.trigram, err = m.fit(ctx, cipher, &opts); err != nil {
		return nil, err
	}
	found.key = keyOf(found.trigram.counts)
	return found, nil
}

// likely returns the probabilities of the substitutions that go on to the trigrams.
func likely(bigram *fitted) *table {
	var t table
	for f := 1; f <= letters; f++ {
		plain := make([]int, letters)
		for i := range plain {
			plain[i] = 1 + i
		}
		slices.SortStableFunc(plain, func(a, b int) int { return cmp.Compare(bigram.counts[b][f], bigram.counts[a][f]) })
		for _, e := range plain[:candidates] {
			t[e][f] = bigram.learnt[e][f] + more
		}
	}
	return &t
}
