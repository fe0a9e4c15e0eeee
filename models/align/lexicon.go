package align

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/em"
)

// The two directions of translation. A direction is named after the side whose words
// are the states: EF generates the words of F from the words of E.
const (
	ef = iota
	fe
)

// sideNames name the sides in errors.
var sideNames = [2]string{"source", "target"}

// pair is one number for each direction.
type pair [2]float64

// lexicon holds the translation probabilities of the pairs of words that occur
// together in some sentence, in both directions, in compressed rows: the pairs of word
// e are row[e], …, row[e+1]−1, in ascending order of the words of F in col. The number
// of a pair is its slot.
type lexicon struct {
	row []int32
	col []int32
	// column lists the slots of each word of F.
	column *index
	// t[slot] is t(f|e) and t(e|f), or the floor of Options if that is more.
	t []pair
	// null[ef][f] is t(f|NULL), null[fe][e] is t(e|NULL).
	null [2][]float64
}

// find returns the slot of a pair, unknown if it has none.
func (l *lexicon) find(e, f int32) int32 {
	if e < 0 || f < 0 {
		return unknown
	}
	lo, hi := l.row[e], l.row[e+1]
	n, ok := slices.BinarySearch(l.col[lo:hi], f)
	if !ok {
		return unknown
	}
	return lo + int32(n)
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

// newLexicon returns the lexicon of the pairs of c, without probabilities, and the slot
// of every cell of c: sentence by sentence, word of E by word of E.
func newLexicon(c *Corpus) (*lexicon, []int32) {
	numE, numF := len(c.words[0].words), len(c.words[1].words)
	where := occurrences(c.text[0].words, numE)
	sentence, cell := places(c)
	l := &lexicon{row: make([]int32, numE+1)}
	slots := make([]int32, c.cells)
	seen := make([]int32, numF) // per word of F the last mark
	slot := make([]int32, numF)
	partners := func(e, mark int32, visit func(f int32)) {
		for _, at := range where.of(e) {
			for _, f := range c.text[1].sentence(int(sentence[at])) {
				if seen[f] != mark {
					seen[f] = mark
					visit(f)
				}
			}
		}
	}
	pairs := 0
	for e := range int32(numE) {
		partners(e, e+1, func(int32) { pairs++ })
	}
	l.col = make([]int32, 0, pairs)
	for e := range int32(numE) {
		lo := len(l.col)
		partners(e, ^e, func(f int32) { l.col = append(l.col, f) })
		row := l.col[lo:]
		slices.Sort(row)
		for n, f := range row {
			slot[f] = int32(lo + n)
		}
		for _, at := range where.of(e) {
			here := slots[cell[at]:]
			for j, f := range c.text[1].sentence(int(sentence[at])) {
				here[j] = slot[f]
			}
		}
		l.row[e+1] = int32(len(l.col))
	}
	l.column = occurrences(l.col, numF)
	return l, slots
}

// places returns for each word of E in c its sentence and the first cell of its row.
func places(c *Corpus) (sentence, cell []int32) {
	n := len(c.text[0].words)
	sentence, cell = make([]int32, 0, n), make([]int32, 0, n)
	next := 0
	for s := range c.Len() {
		f := len(c.text[1].sentence(s))
		for range c.text[0].sentence(s) {
			sentence, cell = append(sentence, int32(s)), append(cell, int32(next))
			next += f
		}
	}
	return sentence, cell
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

// uniform returns the lexicon of the same pairs in which all words that occur with a word
// are equally probable given it, and all words given NULL.
func (l *lexicon) uniform() *lexicon {
	numE, numF := len(l.row)-1, len(l.column.first)-1
	l = &lexicon{row: l.row, col: l.col, column: l.column, t: make([]pair, len(l.col)),
		null: [2][]float64{make([]float64, numF), make([]float64, numE)}}
	for e := range numE {
		lo, hi := l.row[e], l.row[e+1]
		for slot := lo; slot < hi; slot++ {
			l.t[slot] = pair{1 / float64(hi-lo), 1 / float64(len(l.column.of(l.col[slot])))}
		}
	}
	for d := range l.null {
		for w := range l.null[d] {
			l.null[d][w] = 1 / float64(len(l.null[d]))
		}
	}
	return l
}

// gather sets the emissions of links, and of NULL, of a sentence seen from both sides;
// words and pairs that are not in the lexicon have the emission floor.
func (l *lexicon) gather(views *[2]view, floor float64, step EStep, slots, e, f []int32) {
	x, y := &views[ef], &views[fe]
	for i := range e {
		row := y.links(y.emit, i)
		at := x.first + i
		for j, slot := range slots[i*len(f) : (i+1)*len(f)] {
			p := pair{floor, floor}
			if slot >= 0 {
				p = l.t[slot]
			}
			switch step {
			case Own:
			case Joint:
				p[ef] *= p[fe]
				p[fe] = p[ef]
			default:
				p = step.of(p)
			}
			x.emit[at], row[j] = p[ef], p[fe]
			at += x.stride
		}
	}
	fill(x.null, l.null[ef], f, floor)
	fill(y.null, l.null[fe], e, floor)
}

// of returns the probabilities that the directions are run with.
func (e EStep) of(p pair) pair {
	power := e.Power
	if power == 0 {
		power = 1
	}
	return pair{math.Pow(p[ef]*math.Pow(p[fe], e.Partner), power), math.Pow(p[fe]*math.Pow(p[ef], e.Partner), power)}
}

// fill sets dst to the probabilities of words given NULL.
func fill(dst, null []float64, words []int32, floor float64) {
	for j, w := range words {
		dst[j] = floor
		if w >= 0 {
			dst[j] = null[w]
		}
	}
}

// resized returns a slice of length n, in the storage of s if that is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// estimate is the M step of the lexicon. Probabilities less than floor become floor.
func (l *lexicon) estimate(c *counts, p *prior, floor float64) error {
	p.add(l, c.link)
	m := mstep{law: p.law, floor: floor, l: l, links: c.link}
	for e := range int32(len(l.row) - 1) {
		m.slots = m.slots[:0]
		for slot := l.row[e]; slot < l.row[e+1]; slot++ {
			m.slots = append(m.slots, slot)
		}
		if err := m.row(ef, m.slots); err != nil {
			return fmt.Errorf("align: translations of source word %d: %w", e, err)
		}
	}
	for f := range int32(len(l.null[ef])) {
		if err := m.row(fe, l.column.of(f)); err != nil {
			return fmt.Errorf("align: translations of target word %d: %w", f, err)
		}
	}
	for d, p := range l.null {
		ratio(p, c.null[d])
		for w := range p {
			p[w] = max(p[w], floor)
		}
	}
	return nil
}

// mstep is the M step of one word after the other.
type mstep struct {
	law           em.Law
	floor         float64
	l             *lexicon
	links         []pair
	slots         []int32
	theta, counts []float64
	values        []weight
}

// row estimates the translations of a word in direction d, those in the given slots.
func (m *mstep) row(d int, slots []int32) error {
	m.theta, m.counts = resized(m.theta, len(slots)), resized(m.counts, len(slots))
	for n, slot := range slots {
		m.theta[n], m.counts[n] = m.l.t[slot][d], m.links[slot][d]
	}
	if err := m.law.Maximize(m.theta, m.counts); err != nil {
		return err
	}
	v, ok := m.law.(em.Valuer)
	if !ok {
		for n, slot := range slots {
			m.l.t[slot][d] = max(m.theta[n], m.floor)
		}
		return nil
	}
	m.values = resized(m.values, len(slots))
	v.Values(m.values, m.theta)
	for n, slot := range slots {
		m.l.t[slot][d] = max(m.values[n].Float64(), m.floor)
	}
	return nil
}
