package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	plain "example.org/pathsum/internal/text"
	"example.org/pathsum/models/ngram"
)

// key gives the replacement of each letter; a space remains a space.
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

// keyOf returns the key from cipher to plain letters for the expected counts of substitutions
// of plain letters (rows) by cipher letters (columns). It takes the largest counts first, and
// each letter once.
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

// accuracy returns the fraction of equal letters; it is NaN if want is empty.
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
	return float64(right) / float64(n)
}

// logProb returns the log probability of a cipher text deciphered with a key.
func logProb(english *ngram.Model, cipher [][]int32, k *key) float64 {
	sum := 0.0
	for _, paragraph := range k.apply(cipher) {
		sum += english.LogProb(paragraph)
	}
	return sum
}

// mend swaps letters of the key as long as that makes the text more probable, the best swap
// first, and returns the final log probability.
func mend(english *ngram.Model, cipher [][]int32, k *key) float64 {
	best := logProb(english, cipher, k)
	for {
		var a, b int
		top := math.Inf(-1)
		for x := 1; x <= letters; x++ {
			for y := x + 1; y <= letters; y++ {
				k[x], k[y] = k[y], k[x]
				if p := logProb(english, cipher, k); p > top {
					a, b, top = x, y, p
				}
				k[x], k[y] = k[y], k[x]
			}
		}
		if !(top > best) {
			return best
		}
		k[a], k[b], best = k[b], k[a], top
	}
}

// savedFormat is the format of a saved key.
const savedFormat = "pathsum decipher 1"

// saved is a key as a JSON object. Plain[i] replaces Cipher[i].
type saved struct{ Format, Cipher, Plain string }

// save writes the key in the format that load reads.
func (s *solver) save(w io.Writer) error {
	x := saved{Format: savedFormat}
	for c := int32(1); c <= letters; c++ {
		x.Cipher += text([]int32{c})
		x.Plain += text([]int32{s.key[c]})
	}
	return json.NewEncoder(w).Encode(x)
}

// load returns a solver with a key written by save.
func load(r io.Reader) (*solver, error) {
	k, err := loadKey(r)
	return &solver{solution: solution{key: k}}, err
}

// loadKey reads a key. Each side must contain each letter exactly once.
func loadKey(r io.Reader) (*key, error) {
	var s saved
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, fmt.Errorf("no saved key: %w", err)
	}
	if s.Format != savedFormat {
		return nil, fmt.Errorf("format %s, want %q", plain.Quote(s.Format), savedFormat)
	}
	cipher, plain := dropSpaces.paragraph(s.Cipher), dropSpaces.paragraph(s.Plain)
	if len(cipher) != letters || len(plain) != letters {
		return nil, fmt.Errorf("a key of %d and %d letters, want %d", len(cipher), len(plain), letters)
	}
	k := &key{space: space}
	var taken key
	for i, c := range cipher {
		if k[c] != 0 || taken[plain[i]] != 0 {
			return nil, fmt.Errorf("the key has %s or %s twice", text([]int32{c}), text([]int32{plain[i]}))
		}
		k[c], taken[plain[i]] = plain[i], c
	}
	return k, nil
}

// line deciphers a line. Capitals remain capitals, and characters other than the letters a to z
// are unchanged.
func (k *key) line(s string) string {
	return strings.Map(func(c rune) rune {
		small := unicode.ToLower(c)
		if small < 'a' || small > 'z' {
			return c
		}
		return 'a' + k[1+small-'a'] - 1 + c - small
	}, s)
}
