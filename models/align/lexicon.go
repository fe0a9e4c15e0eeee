package align

import (
	"math"
	"slices"
)

// The two directions of translation. A direction is named after the side whose words
// are the states: EF generates the words of F from the words of E.
const (
	ef = iota
	fe
)

// sideNames name the sides in errors.
var sideNames = [2]string{"source", "target"}

// lexicon numbers the pairs of words that occur together in some sentence, in compressed
// rows: the pairs of word e are row[e], …, row[e+1]−1, in ascending order of the words of
// F in col. The number of a pair is its slot.
type lexicon struct {
	row []int32
	col []int32
}

// find returns the slot of a pair, unknown if it has none.
func (l *lexicon) find(e, f int32) int32 {
	if e < 0 || f < 0 {
		return unknown
	}
	n, ok := slices.BinarySearch(l.col[l.row[e]:l.row[e+1]], f)
	if !ok {
		return unknown
	}
	return l.row[e] + int32(n)
}

// of returns the word of E in whose row a slot is.
func (l *lexicon) of(slot int32) int32 {
	e, _ := slices.BinarySearch(l.row, slot+1)
	return int32(e) - 1
}

// slots appends to dst the slots of all pairs of a sentence, word of E by word of E.
func (l *lexicon) slots(dst, e, f []int32) []int32 {
	for _, x := range e {
		for _, y := range f {
			dst = append(dst, l.find(x, y))
		}
	}
	return dst
}

// partners returns how many words each of the numF words of F has pairs with.
func (l *lexicon) partners(numF int) []int32 {
	n := make([]int32, numF)
	for _, f := range l.col {
		n[f]++
	}
	return n
}

// cells says which slots the cells of a corpus have, sentence by sentence, word of E by
// word of E. In place of a slot it holds the rank of the pair in the row of the word of E,
// which takes half the memory.
type cells struct {
	corpus  *Corpus
	lexicon *lexicon
	first   []int32  // cell of each sentence
	rank    []uint16 // per cell; of no meaning in a row that is too long for it
}

// maxRanks is the length of the longest row whose ranks fit.
const maxRanks = math.MaxUint16 + 1

// slots appends to dst the slots of sentence n.
func (c *cells) slots(dst []int32, n int) []int32 {
	f := c.corpus.text[1].sentence(n)
	rank := c.rank[c.first[n]:c.first[n+1]]
	for _, e := range c.corpus.text[0].sentence(n) {
		lo, hi := c.lexicon.row[e], c.lexicon.row[e+1]
		if hi-lo > maxRanks {
			dst = c.lexicon.slots(dst, []int32{e}, f)
		} else {
			at := len(dst)
			dst = slices.Grow(dst, len(f))[:at+len(f)]
			for k, r := range rank[:len(f)] {
				dst[at+k] = lo + int32(r)
			}
		}
		rank = rank[len(f):]
	}
	return dst
}

// newLexicon returns the lexicon of the pairs of c.
func newLexicon(c *Corpus) *lexicon {
	l := &lexicon{row: make([]int32, len(c.words[0].words)+1)}
	where := c.occurrences()
	seen := make([]int32, len(c.words[1].words)) // per word of F the last mark
	partners := func(e, mark int32, visit func(f int32)) {
		where.each(e, func(n, _ int) {
			for _, f := range c.text[1].sentence(n) {
				if seen[f] != mark {
					seen[f] = mark
					visit(f)
				}
			}
		})
	}
	for e := range int32(len(l.row) - 1) {
		l.row[e+1] = l.row[e]
		partners(e, e+1, func(int32) { l.row[e+1]++ })
	}
	l.col = make([]int32, 0, l.row[len(l.row)-1])
	for e := range int32(len(l.row) - 1) {
		lo := len(l.col)
		partners(e, ^e, func(f int32) { l.col = append(l.col, f) })
		slices.Sort(l.col[lo:])
	}
	return l
}

// newCells returns the slots of the cells of c in its lexicon.
func newCells(c *Corpus, l *lexicon) *cells {
	x := &cells{corpus: c, lexicon: l, first: make([]int32, c.Len()+1), rank: make([]uint16, c.cells)}
	for n := range c.Len() {
		x.first[n+1] = x.first[n] + int32(c.text[0].length(n)*c.text[1].length(n))
	}
	where := c.occurrences()
	rank := make([]uint16, len(c.words[1].words))
	for e := range int32(len(l.row) - 1) {
		for n, f := range l.col[l.row[e]:l.row[e+1]] {
			rank[f] = uint16(n)
		}
		where.each(e, func(n, i int) {
			f := c.text[1].sentence(n)
			here := x.rank[int(x.first[n])+i*len(f):]
			for j, y := range f {
				here[j] = rank[y]
			}
		})
	}
	return x
}

// wordsOf lists where in the sentences of a corpus each word of E is.
type wordsOf struct {
	text  *text
	index *index
}

func (c *Corpus) occurrences() wordsOf {
	t := &c.text[0]
	return wordsOf{t, occurrences(t.words, len(c.words[0].words))}
}

// each visits the places of a word in ascending order: a sentence and a position in it.
func (p wordsOf) each(e int32, visit func(n, i int)) {
	first, n := p.text.first, 0
	for _, at := range p.index.of(e) {
		// The sentence is found from the one before, in steps that double.
		step := 1
		for n+step < len(first) && first[n+step] <= at {
			n += step
			step *= 2
		}
		k, _ := slices.BinarySearch(first[n:min(n+step, len(first))], at+1)
		n += k - 1
		visit(n, int(at-first[n]))
	}
}

// index lists where in a text each word occurs.
type index struct{ first, at []int32 }

func (x *index) of(word int32) []int32 { return x.at[x.first[word]:x.first[word+1]] }

func occurrences(words []int32, vocabulary int) *index {
	x := &index{first: make([]int32, vocabulary+1), at: make([]int32, len(words))}
	for _, w := range words {
		x.first[w+1]++
	}
	for w := range vocabulary {
		x.first[w+1] += x.first[w]
	}
	next := slices.Clone(x.first)
	for at, w := range words {
		x.at[next[w]] = int32(at)
		next[w]++
	}
	return x
}

// resized returns a slice of length n, in the storage of s if that is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
