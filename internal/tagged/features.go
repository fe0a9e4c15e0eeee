package tagged

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/pathsum/models/crf"
)

// affix is the length of the longest prefix and suffix that are features.
const affix = 4

// Features returns the features of the words of a sentence: their spelling, with and without
// capitals, their first and last letters, their shape, and their neighbours.
func Features(words []string) crf.Features {
	return func(t int, a *crf.Attributes) {
		lower := strings.ToLower(words[t])
		a.Add("bias")
		a.Add("word=", words[t])
		a.Add("lower=", lower)
		a.Add("shape=", Shape(words[t]))
		for n, i, j := 1, 0, len(lower); n <= affix && i < len(lower); n++ {
			_, size := utf8.DecodeRuneInString(lower[i:])
			i += size
			a.Add("prefix=", lower[:i])
			_, size = utf8.DecodeLastRuneInString(lower[:j])
			j -= size
			a.Add("suffix=", lower[j:])
		}
		before, after := "<s>", "</s>"
		if t > 0 {
			before = words[t-1]
		}
		if t < len(words)-1 {
			after = words[t+1]
		}
		a.Add("before=", before)
		a.Add("after=", after)
	}
}

// Shape returns a word with its capitals as A, other letters as a, digits as 0 and
// the rest unchanged. It keeps at most two of a kind in a row.
func Shape(word string) string {
	var kinds []rune
	for _, r := range word {
		switch {
		case unicode.IsUpper(r):
			r = 'A'
		case unicode.IsLetter(r):
			r = 'a'
		case unicode.IsDigit(r):
			r = '0'
		}
		if n := len(kinds); n < 2 || kinds[n-1] != r || kinds[n-2] != r {
			kinds = append(kinds, r)
		}
	}
	return string(kinds)
}
