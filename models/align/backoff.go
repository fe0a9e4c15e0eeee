package align

// backOff says what is counted of a pair of words as their classes have it: in direction
// ef, for words e and f of classes C and D,
//
//	strength · n(C, D)/n(C) · n(f)/n(D)
//
// links, where n(C, D) is the links counted of all pairs of such words, n(C) their sum over
// D, and n(f)/n(D) the share of f of the words of its class in the text.
type backOff struct {
	strength float64
	of       [2][]int32   // class per word
	share    [2][]float64 // of a word among the words of its class
	pair     []int32      // per slot, the number of the pair of classes; nil: see number
	rate     [][2]float64 // per pair of classes: strength · n(C, D)/n(C) in both directions
	total    [2][]float64 // n(C)
}

// newBackOff returns what classes say of the words of c.
func newBackOff(strength float64, classes [2][]int32, l *lexicon, c *Corpus) *backOff {
	b := &backOff{strength: strength, of: classes}
	for side := range b.of {
		b.tally(side, c)
	}
	pairs := len(b.total[0]) * len(b.total[1])
	if pairs > len(l.col) {
		pairs = b.enumerate(l)
	}
	b.rate = make([][2]float64, pairs)
	return b
}

// classesBy returns the classes of words by their names.
func classesBy(name func(word string) string, words []string) []int32 {
	names, of := newVocabulary(), make([]int32, len(words))
	for w, word := range words {
		of[w] = names.add(name(word))
	}
	return of
}

// tally finds the shares of the words of one side.
func (b *backOff) tally(side int, c *Corpus) {
	classes := int32(0)
	for _, class := range b.of[side] {
		classes = max(classes, class+1)
	}
	b.share[side], b.total[side] = make([]float64, len(b.of[side])), make([]float64, classes)
	for _, w := range c.text[side].words {
		b.share[side][w]++
		b.total[side][b.of[side][w]]++
	}
	for w, class := range b.of[side] {
		if n := b.total[side][class]; n > 0 {
			b.share[side][w] /= n
		}
	}
}

// enumerate numbers the pairs of classes that occur, where most do not, and returns how
// many there are.
func (b *backOff) enumerate(l *lexicon) int {
	b.pair = make([]int32, len(l.col))
	members := occurrences(b.of[0], len(b.total[0]))
	seen, number := make([]int32, len(b.total[1])), make([]int32, len(b.total[1]))
	pairs := int32(0)
	for class := range int32(len(b.total[0])) {
		for _, e := range members.of(class) {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				other := b.of[1][l.col[slot]]
				if seen[other] != class+1 {
					seen[other], number[other] = class+1, pairs
					pairs++
				}
				b.pair[slot] = number[other]
			}
		}
	}
	return int(pairs)
}

// number returns the number of the pair of classes of a slot in the row of word e.
func (b *backOff) number(l *lexicon, e, slot int32) int {
	if b.pair != nil {
		return int(b.pair[slot])
	}
	return int(b.of[0][e])*len(b.total[1]) + int(b.of[1][l.col[slot]])
}

// expect sets the rates by the counts of the lexicon and of pairs of words.
func (b *backOff) expect(p *prior, l *lexicon, counts []float64) {
	clear(b.rate)
	clear(b.total[0])
	clear(b.total[1])
	b.each(l, func(e, slot int32, rate *[2]float64) {
		x, y := counts[2*slot+ef], counts[2*slot+fe]
		if p.pair != nil {
			x, y = x+p.pair[slot], y+p.pair[slot]
		}
		rate[ef] += x
		rate[fe] += y
		b.total[0][b.of[0][e]] += x
		b.total[1][b.of[1][l.col[slot]]] += y
	})
	for side, total := range b.total {
		for class, n := range total {
			if n > 0 {
				b.total[side][class] = b.strength / n
			}
		}
	}
	if b.pair == nil {
		for n := range b.rate {
			b.rate[n][ef] *= b.total[0][n/len(b.total[1])]
			b.rate[n][fe] *= b.total[1][n%len(b.total[1])]
		}
		return
	}
	scaled := make([]bool, len(b.rate))
	b.each(l, func(e, slot int32, rate *[2]float64) {
		if n := b.pair[slot]; !scaled[n] {
			scaled[n] = true
			rate[ef] *= b.total[0][b.of[0][e]]
			rate[fe] *= b.total[1][b.of[1][l.col[slot]]]
		}
	})
}

// each visits the slots in order, with the rates of their classes.
func (b *backOff) each(l *lexicon, visit func(e, slot int32, rate *[2]float64)) {
	for e := range int32(len(l.row) - 1) {
		for slot := l.row[e]; slot < l.row[e+1]; slot++ {
			visit(e, slot, &b.rate[b.number(l, e, slot)])
		}
	}
}
