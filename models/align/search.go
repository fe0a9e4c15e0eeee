package align

import (
	"cmp"
	"math/bits"
	"slices"
)

// search finds slots for inference. Of rows with many words of F, which those of frequent
// words are, there is a bit for each word of F: the place of one in the row, in the order of
// the words, is the number of bits before its own. The others are searched.
type search struct {
	lexicon *lexicon
	ordered []int32  // the slots of each row, ordered by the words of F
	dense   []int32  // per word of E: the number of its row of bits, −1 for none
	words   []uint64 // row by row
	before  []int32  // per entry of words: the number of bits before it in its row
	width   int      // entries of words in a row
}

// denseShare is the share of the words of F that a row has to have for bits to take no more
// memory than its entries.
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

// find returns the slot of a pair, unknown if it has none.
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
