package main

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/models/ngram"
)

// solver finds the key of a cipher text in two stages: cheap bigrams of letters from many
// random starts, then trigrams from the results of the best of these, and swaps of letters of
// the keys.
type solver struct {
	english                               [4]*ngram.Model // by order: 2 and 3
	iterations, restarts, refine, workers int

	solution
}

// solution is the result for a cipher text.
type solution struct {
	bigram, trigram *fitted
	key             *key    // from cipher to plain letters
	logProb         float64 // of the deciphered text, by trigrams
}

func newSolver(english [][]int32) (*solver, error) {
	s := new(solver)
	for order := 2; order <= 3; order++ {
		var err error
		if s.english[order], err = ngram.Fit(order, space, once(english), nil); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// candidates is the number of plain letters that the trigrams consider for each cipher letter:
// the letters with the largest expected counts by bigrams. All cubes of 26 letters would take
// 30 times as long.
const candidates = 8

// more is added to the probability of each of these substitutions, because bigrams may have
// ruled one out.
const more = .01

// tolerance ends training. Letters are determined long before probabilities converge.
const tolerance = 1e-5

// firstRound is the number of iterations after which half of the starts are dropped.
const firstRound = 5

// solve finds the key of a cipher text: among the keys that result from the best starts, the
// one whose text is most probable by trigrams. The likelihoods of EM cannot choose: they belong
// to channels that need not be keys, and a wrong channel may fit a short text better. After
// each iteration observe gets the beginning of the text as currently deciphered.
func (s *solver) solve(ctx context.Context, cipher [][]int32, source rand.Source, observe func(v em.Event, read string)) error {
	var all table
	for e := range all[1:] {
		for f := range all[1:] {
			all[1+e][1+f] = 1
		}
	}
	m, err := newSubstitution(s.english[2], &all)
	if err != nil {
		return err
	}
	ended, thetas := make([]float64, 1+s.restarts), make([][]float64, 1+s.restarts) // of each start
	opts := em.Options{
		Start: m.Params.Random(rand.New(source)), Restarts: s.restarts, Prune: em.Prune{After: firstRound}, Rand: source,
		Iterations: s.iterations, Tolerance: tolerance, Workers: s.workers,
		Observer: func(v em.Event) {
			ended[v.Start], thetas[v.Start] = v.Objective, slices.Clone(v.Theta)
			observe(v, m.read(cipher, v.Theta))
		},
	}
	bigram, err := m.fit(ctx, cipher, &opts)
	if err != nil {
		return err
	}
	tried := map[key]bool{}
	starts := make([]int, len(ended))
	floats.Argsort(ended, starts)
	slices.Reverse(starts) // the best first
	for _, start := range starts {
		theta := thetas[start]
		if theta == nil {
			continue // all paths had probability 0
		}
		counts, err := m.expected(ctx, bigram.likelihood, theta, s.workers)
		if err != nil {
			return err
		}
		k := *keyOf(counts)
		if tried[k] {
			continue
		}
		if tried[k] = true; len(tried) > s.refine {
			break
		}
		trigram, err := s.refined(ctx, cipher, m.table(theta), counts, observe)
		if err != nil {
			return err
		}
		found := solution{bigram: bigram, trigram: trigram, key: keyOf(trigram.counts)}
		found.logProb = mend(s.english[3], cipher, found.key)
		if s.key == nil || found.logProb > s.logProb {
			s.solution = found
		}
	}
	return nil
}

// refined trains the trigrams from the result of the bigrams.
func (s *solver) refined(ctx context.Context, cipher [][]int32, learnt, counts *table, observe func(em.Event, string)) (*fitted, error) {
	m, err := newSubstitution(s.english[3], likely(learnt, counts))
	if err != nil {
		return nil, err
	}
	return m.fit(ctx, cipher, &em.Options{
		Iterations: s.iterations, Tolerance: tolerance, Workers: s.workers,
		Observer: func(v em.Event) { observe(v, m.read(cipher, v.Theta)) },
	})
}

// likely returns the probabilities of the substitutions that the trigrams consider.
func likely(learnt, counts *table) *table {
	var t table
	for f := 1; f <= letters; f++ {
		plain := make([]int, letters)
		for i := range plain {
			plain[i] = 1 + i
		}
		slices.SortStableFunc(plain, func(a, b int) int { return cmp.Compare(counts[b][f], counts[a][f]) })
		for _, e := range plain[:candidates] {
			t[e][f] = learnt[e][f] + more
		}
	}
	return &t
}
