package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// key says what to put in the place of each letter; a space remains a space.
type key [space + 1]int32

func randomKey(rng *rand.Rand) *key {
	k := &key{space: space}
	for i, j := range rng.Perm(letters) {
		k[1+i] = int32(1 + j)
	}
	return k
}

// apply replaces the letters of all paragraphs.
func (k *key) apply(all [][]int32) [][]int32 {
	out := make([][]int32, len(all))
	for i, s := range all {
		out[i] = make([]int32, len(s))
		for j, c := range s {
			out[i][j] = k[c]
		}
	}
	return out
}

// keyOf returns the key from cipher to plain letters that goes with the expected numbers
// of times that a plain letter (row) became a cipher letter (column). The greatest number
// decides first; each letter is taken once.
func keyOf(counts *table) *key {
	type substitution struct {
		plain, cipher int32
		count         float64
	}
	var all []substitution
	for e := int32(1); e <= letters; e++ {
		for f := int32(1); f <= letters; f++ {
			all = append(all, substitution{e, f, counts[e][f]})
		}
	}
	slices.SortStableFunc(all, func(a, b substitution) int { return cmp.Compare(b.count, a.count) })
	k := &key{space: space}
	var taken [letters + 1]bool
	for _, s := range all {
		if k[s.cipher] == 0 && !taken[s.plain] {
			k[s.cipher], taken[s.plain] = s.plain, true
		}
	}
	return k
}

// accuracy returns the share of letters that are the same; it is NaN without a text to
// compare with.
func accuracy(got, want [][]int32) float64 {
	right, n := 0, 0
	for i, s := range want {
		for j, c := range s {
			if c != space {
				n++
				if got[i][j] == c {
					right++
				}
			}
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return float64(right) / float64(n)
}
