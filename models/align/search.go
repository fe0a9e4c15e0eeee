package align

import "math/bits"

// search finds slots for inference. Rows with many words of F, which those of frequent words
// are, have a bit for each word of F: the rank of one is the number of bits before its own.
// The others are searched as lexicon.find does.
type search struct {
	lexicon *lexicon
	dense   []int32  // per word of E: the number of its row of bits, −1 for none
	words   []uint64 // row by row
	before  []int32  // per entry of words: the number of bits before it in its row
	width   int      // entries of words in a row
}

// denseShare is the share of the words of F that a row has to have for bits to take no more
// memory than its entries.
const denseShare = 1. / 21

func newSearch(l *lexicon, numF int) *search {
	s := &search{lexicon: l, dense: make([]int32, len(l.row)-1), width: (numF + 63) / 64}
	rows := int32(0)
	for e := range s.dense {
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

// slots appends to dst what lexicon.slots does.
func (s *search) slots(dst, e, f []int32) []int32 {
	for _, x := range e {
		if x < 0 || s.dense[x] < 0 {
			for _, y := range f {
				dst = append(dst, s.lexicon.find(x, y))
			}
			continue
		}
		first, at := s.lexicon.row[x], int(s.dense[x])*s.width
		words, before := s.words[at:at+s.width], s.before[at:at+s.width]
		for _, y := range f {
			slot := int32(unknown)
			if y >= 0 {
				w, bit := words[y>>6], uint64(1)<<(y&63)
				if w&bit != 0 {
					slot = first + before[y>>6] + int32(bits.OnesCount64(w&(bit-1)))
				}
			}
			dst = append(dst, slot)
		}
	}
	return dst
}
