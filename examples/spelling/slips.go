package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Words that slip: short ones that are used, in letters of keys.
const (
	shortest, longest = 3, 4
	used              = 20 // count, if words have any
)

// slips returns n test pairs: short words of the lexicon, each of them equally probable,
// with one slip. Half of the slips hit a neighbouring key where they hit a wrong one, the
// others any key. What is a word again is no test.
func slips(lexicon []word, n int, seed uint64) ([]pair, error) {
	known := map[string]bool{}
	counted := false
	for _, w := range lexicon {
		known[w.text] = true
		counted = counted || w.count > 0
	}
	var short []string
	for _, w := range lexicon {
		if k := len(w.text); typed(w.text) && k >= shortest && k <= longest && (w.count >= used || !counted) {
			short = append(short, w.text)
		}
	}
	if len(short) == 0 {
		return nil, fmt.Errorf("-slips: no word of %d or %d letters in the lexicon", shortest, longest)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	pairs := make([]pair, 0, n)
	for tries := 0; len(pairs) < n; tries++ {
		if tries > 100*n+1000 {
			return nil, fmt.Errorf("-slips %d: only %d slips of %d short words are no words", n, len(pairs), len(short))
		}
		w := short[rng.IntN(len(short))]
		if m := slip(rng, w, reach(len(pairs))); !known[m] {
			pairs = append(pairs, pair{w, m, 1})
		}
	}
	return pairs, nil
}

// slipped returns the words of pairs that have two letters or more, all of keys, with one
// slip each, as slips does. They stand beside pairs to learn from.
func slipped(pairs []pair) []pair {
	rng := rand.New(rand.NewPCG(0, 1))
	var more []pair
	for _, p := range pairs {
		if typed(p.word) && len(p.word) >= 2 {
			if m := slip(rng, p.word, reach(len(more))); m != p.word {
				more = append(more, pair{p.word, m, p.count})
			}
		}
	}
	return more
}

// typed reports whether all characters have keys.
func typed(word string) bool {
	return !slices.ContainsFunc([]rune(word), func(c rune) bool { _, _, ok := place(c); return !ok })
}

// reach returns how far wrong keys may lie in the i-th slip: every other hits any key.
func reach(i int) float64 {
	if i%2 == 1 {
		return 100
	}
	return neighbours
}

// slip returns a word of at least two letters with one slip: a letter becomes one whose key
// is within reach, is left out, or gets one within reach as a new neighbour, or two
// letters change places.
func slip(rng *rand.Rand, word string, reach float64) string {
	b := []byte(word)
	i := rng.IntN(len(b))
	wrong := func() byte {
		for {
			if c := byte('a' + rng.IntN(26)); c != b[i] && apart(rune(c), rune(b[i])) < reach {
				return c
			}
		}
	}
	switch rng.IntN(4) {
	case 0:
		b[i] = wrong()
	case 1:
		b = slices.Delete(b, i, i+1)
	case 2:
		b = slices.Insert(b, i+rng.IntN(2), wrong())
	default:
		i = rng.IntN(len(b) - 1)
		b[i], b[i+1] = b[i+1], b[i]
	}
	return string(b)
}
