package keyboard

import (
	"math/rand/v2"
	"slices"
)

// Typed reports whether all characters of a word have keys.
func Typed(word string) bool {
	return !slices.ContainsFunc([]rune(word), func(c rune) bool { _, _, ok := place(c); return !ok })
}

// Slip returns a word with one slip, the i-th of many: a letter is replaced by one on another
// key, left out, or gets a new neighbour, or two letters are transposed. In slips of even
// numbers a wrong key is a neighbour of the right one, in the others it is any key. The word
// must be Typed and have at least two letters. The result may be the word itself, if two equal
// letters are transposed.
func Slip(rng *rand.Rand, word string, i int) string {
	b := []byte(word)
	k := rng.IntN(len(b))
	wrong := func() byte {
		for {
			c := byte('a' + rng.IntN(26))
			if c != b[k] && (i%2 == 1 || Distance(rune(c), rune(b[k])) < Neighbours) {
				return c
			}
		}
	}
	switch rng.IntN(4) {
	case 0:
		b[k] = wrong()
	case 1:
		b = slices.Delete(b, k, k+1)
	case 2:
		b = slices.Insert(b, k+rng.IntN(2), wrong())
	default:
		k = rng.IntN(len(b) - 1)
		b[k], b[k+1] = b[k+1], b[k]
	}
	return string(b)
}
