package align

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// The two directions of translation. A direction is named after its states: ef has the words of E
// as states and generates the words of F.
const (
	ef = iota
	fe
)

// sideNames are the names of the sides in errors.
var sideNames = [2]string{"source", "target"}

// lexicon numbers the pairs of words that occur together in some sentence, in compressed rows: the
// pairs of word e are row[e], …, row[e+1]−1 in insertion order, with the words of F in col. The
// index of a pair is its slot. This order improves memory locality: pairs that occur in one
// sentence only, which are many, are adjacent in their rows, and pairs that occur in many sentences
// come first.
type lexicon struct {
	row []int32
	col []int32
}

// of returns the word of E whose row contains a slot.
func (l *lexicon) of(slot int32) int32 {
	e, _ := slices.BinarySearch(l.row, slot+1)
	return int32(e) - 1
}

// longest returns the length of the longest row.
func (l *lexicon) longest() int32 {
	n := int32(0)
	for e := range l.row[1:] {
		n = max(n, l.row[e+1]-l.row[e])
	}
	return n
}

// partners returns the number of pairs of each of the numF words of F.
func (l *lexicon) partners(numF int) []int32 {
	n := make([]int32, numF)
	for _, f := range l.col {
		n[f]++
	}
	return n
}

// cells contains the slots of the cells of a corpus, sentence by sentence, word of E by word of E.
// Instead of a slot it stores the rank of the pair in the row of the word of E. This halves the
// memory, to 16 bits, unless a row is too long.
type cells struct {
	corpus  *Corpus
	lexicon *lexicon
	first   []int    // cell of each sentence
	rank    []uint16 // per cell; all bits are set for a dropped pair
	high    []uint16 // per cell, the upper bits of its rank; nil: all are 0
}

// noRank is the rank of a pair outside the lexicon.
const noRank = math.MaxUint16

// maxRanks is the length of the longest row whose ranks, and noRank, fit in 16 bits.
const maxRanks = noRank

// slots appends to dst the slots of sentence n.
func (c *cells) slots(dst []int32, n int) []int32 {
	lo, hi := c.first[n], c.first[n+1]
	at := len(dst)
	dst = slices.Grow(dst, int(hi-lo))[:at+int(hi-lo)]
	width := c.corpus.text[1].length(n)
	rest, rank := dst[at:], c.rank[lo:hi]
	for _, e := range c.corpus.text[0].sentence(n) {
		first := c.lexicon.row[e]
		own := rest[:width]
		for k, r := range rank[:width] {
			own[k] = first + int32(r)
		}
		rest, rank = rest[width:], rank[width:]
	}
	if c.high != nil {
		for k, r := range c.high[lo:hi] {
			dst[at+k] += int32(r) << 16
		}
	}
	if c.corpus.least > 0 {
		for k, r := range c.rank[lo:hi] {
			if r == noRank && (c.high == nil || c.high[lo+k] == noRank) {
				dst[at+k] = unknown
			}
		}
	}
	return dst
}

// newLexicon returns the lexicon of the pairs of c, without the pairs that Corpus.Prune drops.
func newLexicon(c *Corpus) *lexicon {
	l := &lexicon{row: make([]int32, len(c.words[0].words)+1)}
	where := c.sentencesOf()
	seen := make([]int32, len(c.words[1].words)) // per word of F: its last row, from 1
	together := make([]int32, len(seen))         // the number of co-occurrences
	var of [2][]int32
	if c.least > 0 {
		for side := range of {
			of[side], _ = frequencies(c.text[side].words, len(c.words[side].words))
		}
	}
	var col []int32
	for e := range int32(len(l.row) - 1) {
		for _, n := range where.of(e) {
			for _, f := range c.text[1].sentence(int(n)) {
				if seen[f] != e+1 {
					seen[f], together[f] = e+1, 0
					col = append(col, f)
				}
				together[f]++
			}
		}
		if c.least > 0 {
			row := col[l.row[e]:]
			kept := slices.DeleteFunc(row, func(f int32) bool {
				return float64(together[f]) < c.least*float64(min(of[0][e], of[1][f]))
			})
			col = col[:len(col)-len(row)+len(kept)]
		}
		l.row[e+1] = int32(len(col))
	}
	l.col = slices.Clone(col) // without spare capacity
	return l
}

// emptyCells returns cells of c with room for slots in l.
func emptyCells(c *Corpus, l *lexicon) *cells {
	x := &cells{corpus: c, lexicon: l, first: make([]int, c.Len()+1), rank: make([]uint16, c.cells)}
	for n := range c.Len() {
		x.first[n+1] = x.first[n] + c.text[0].length(n)*c.text[1].length(n)
	}
	if l.longest() > maxRanks {
		x.high = make([]uint16, c.cells)
	}
	return x
}

// set stores the rank of the pair of a cell, or unknown.
func (c *cells) set(at int, rank int32) {
	c.rank[at] = uint16(rank)
	if c.high != nil {
		c.high[at] = uint16(rank >> 16)
	}
}

// newCells returns the slots of the cells of c in its lexicon.
func newCells(c *Corpus, l *lexicon) *cells {
	x := emptyCells(c, l)
	where := c.sentencesOf()
	rank := make([]int32, len(c.words[1].words))
	for f := range rank {
		rank[f] = unknown
	}
	for e := range int32(len(l.row) - 1) {
		row := l.col[l.row[e]:l.row[e+1]]
		for n, f := range row {
			rank[f] = int32(n)
		}
		for _, n := range where.of(e) {
			x.enter(int(n), e, rank)
		}
		for _, f := range row {
			rank[f] = unknown
		}
	}
	return x
}

// enter sets the ranks of the words of F in the row of e for each occurrence of e in sentence n.
func (c *cells) enter(n int, e int32, rank []int32) {
	at, f := c.first[n], c.corpus.text[1].sentence(n)
	for _, w := range c.corpus.text[0].sentence(n) {
		if w == e {
			for j, y := range f {
				c.set(at+j, rank[y])
			}
		}
		at += len(f)
	}
}

// index lists the occurrences of each word: positions in a text, or sentences.
type index struct{ first, at []int32 }

func (x *index) of(word int32) []int32 { return x.at[x.first[word]:x.first[word+1]] }

// newIndex returns an index with room for the words of a text, and the offset of the next entry of
// each word.
func newIndex(words []int32, vocabulary int) (x *index, next []int32) {
	x = &index{first: make([]int32, vocabulary+1), at: make([]int32, len(words))}
	for _, w := range words {
		x.first[w+1]++
	}
	for w := range vocabulary {
		x.first[w+1] += x.first[w]
	}
	return x, slices.Clone(x.first)
}

// occurrences lists the positions of each word, in ascending order.
func occurrences(words []int32, vocabulary int) *index {
	x, next := newIndex(words, vocabulary)
	for at, w := range words {
		x.at[next[w]] = int32(at)
		next[w]++
	}
	return x
}

// sentencesOf lists the sentences of each word of E, in ascending order, with one entry per
// occurrence.
func (c *Corpus) sentencesOf() *index {
	x, next := newIndex(c.text[0].words, len(c.words[0].words))
	for n := range c.Len() {
		for _, w := range c.text[0].sentence(n) {
			x.at[next[w]] = int32(n)
			next[w]++
		}
	}
	return x
}

// resized returns a slice of length n, reusing the storage of s if it is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// search finds slots for inference. Rows with many words of F, mostly rows of frequent words, have
// a bit for each word of F: the rank of a word in the row, sorted by word, is the number of bits
// set before its own. Other rows use binary search.
type search struct {
	lexicon *lexicon
	ordered []int32  // the slots of each row, ordered by the words of F
	dense   []int32  // per word of E: its row of bits, or −1
	words   []uint64 // row by row
	before  []int32  // per element of words: the number of bits set before it in its row
	width   int      // elements of words in a row
}

// denseShare is the least fraction of the words of F in a row for which bits take no more memory
// than its slots.
const denseShare = 1. / 21

func newSearch(l *lexicon, numF int) *search {
	s := &search{lexicon: l, ordered: make([]int32, len(l.col)), dense: make([]int32, len(l.row)-1), width: (numF + 63) / 64}
	for slot := range s.ordered {
		s.ordered[slot] = int32(slot)
	}
	rows := int32(0)
	for e := range s.dense {
		slices.SortFunc(s.ordered[l.row[e]:l.row[e+1]], func(x, y int32) int { return cmp.Compare(l.col[x], l.col[y]) })
		s.dense[e] = -1
		if float64(l.row[e+1]-l.row[e]) > denseShare*float64(numF) {
			s.dense[e] = rows
			rows++
		}
	}
	s.words, s.before = make([]uint64, int(rows)*s.width), make([]int32, int(rows)*s.width)
	for e, number := range s.dense {
		if number < 0 {
			continue
		}
		words := s.words[int(number)*s.width:][:s.width]
		for _, f := range l.col[l.row[e]:l.row[e+1]] {
			words[f>>6] |= 1 << (f & 63)
		}
		n := int32(0)
		for i, w := range words {
			s.before[int(number)*s.width+i] = n
			n += int32(bits.OnesCount64(w))
		}
	}
	return s
}

// find returns the slot of a pair, or unknown.
func (s *search) find(e, f int32) int32 {
	if e < 0 || f < 0 {
		return unknown
	}
	row := s.ordered[s.lexicon.row[e]:s.lexicon.row[e+1]]
	n, ok := slices.BinarySearchFunc(row, f, func(slot, f int32) int { return cmp.Compare(s.lexicon.col[slot], f) })
	if !ok {
		return unknown
	}
	return row[n]
}

// slots appends to dst the slots of all pairs of a sentence, word of E by word of E.
func (s *search) slots(dst, e, f []int32) []int32 {
	for _, x := range e {
		if x < 0 || s.dense[x] < 0 {
			for _, y := range f {
				dst = append(dst, s.find(x, y))
			}
			continue
		}
		ordered, at := s.ordered[s.lexicon.row[x]:], int(s.dense[x])*s.width
		words, before := s.words[at:at+s.width], s.before[at:at+s.width]
		for _, y := range f {
			slot := int32(unknown)
			if y >= 0 {
				w, bit := words[y>>6], uint64(1)<<(y&63)
				if w&bit != 0 {
					slot = ordered[int(before[y>>6])+bits.OnesCount64(w&(bit-1))]
				}
			}
			dst = append(dst, slot)
		}
	}
	return dst
}
