package align

import (
	"cmp"
	"math"
	"slices"
)

// classify divides the words of a text into n classes by the exchange algorithm (Kneser and Ney
// 1993; Martin, Liermann and Ney 1998): one word at a time moves to the class that makes the text
// most probable under a bigram model of classes, until no word moves, in at most passes passes.
// Initially the words, in order of frequency, are assigned to the classes in rotation. Entry w of
// the result is the class of word w.
func classify(t *text, vocabulary, n int) []int32 {
	x := newExchange(t, vocabulary, n)
	for range passes {
		moved := false
		for _, w := range x.order {
			moved = x.move(w) || moved
		}
		if !moved {
			break
		}
	}
	return x.class[:vocabulary]
}

const passes = 8

// rareClass returns the class that contains the most words seen once, the last such class in case
// of ties. Unknown words are assumed to resemble these.
func rareClass(class, seen []int32, classes int) int32 {
	words, best := make([]int32, classes), int32(0)
	for w, n := range seen {
		if n == 1 {
			words[class[w]]++
		}
	}
	for c, n := range words {
		if n >= words[best] && n > 0 {
			best = int32(c)
		}
	}
	return best
}

// classesOf appends to dst the classes of words, given the classes of all words; unknown words have
// the class rare.
func classesOf(dst, all []int32, rare int32, words []int32) []int32 {
	for _, w := range words {
		class := rare
		if w != unknown {
			class = all[w]
		}
		dst = append(dst, class)
	}
	return dst
}

// exchange is the state of the exchange algorithm. The sentence boundary is a class of its own, the
// last.
type exchange struct {
	classes     int // the boundary included
	class       []int32
	order       []int32 // the words by falling frequency
	frequency   []int
	next, prior neighbors
	bigram      []int // [class·classes + next class]
	size        []int // of a class, in tokens
	// klnk of bigram and of size, which gain needs for each word and class. A look-up of k·ln k
	// fetches from a large table.
	bigramTerm, sizeTerm []float64

	left, right []int // of one word, by class
	beside      []int // the classes of its neighbors
	self        int
	log         []float64 // k·ln k for small k
}

// neighbors lists for each word the adjacent words on one side and their counts.
type neighbors struct {
	row, word, count []int32
}

func newExchange(t *text, vocabulary, n int) *exchange {
	x := &exchange{classes: n + 1, class: make([]int32, vocabulary+1), order: make([]int32, vocabulary),
		frequency: make([]int, vocabulary+1), bigram: make([]int, (n+1)*(n+1)), size: make([]int, n+1),
		bigramTerm: make([]float64, (n+1)*(n+1)), sizeTerm: make([]float64, n+1),
		left: make([]int, n+1), right: make([]int, n+1), log: make([]float64, 1<<16)}
	for k := range x.log {
		x.log[k] = float64(k) * math.Log(max(1, float64(k)))
	}
	for _, w := range t.words {
		x.frequency[w]++
	}
	for w := range x.order {
		x.order[w] = int32(w)
	}
	slices.SortStableFunc(x.order, func(v, w int32) int { return cmp.Compare(x.frequency[w], x.frequency[v]) })
	for rank, w := range x.order {
		x.class[w] = int32(rank % n)
	}
	boundary := int32(vocabulary)
	x.class[boundary] = int32(n)
	x.frequency[boundary] = len(t.first) - 1
	line := []int32{boundary}
	line = slices.Grow(line, len(t.words)+len(t.first))
	for s := range len(t.first) - 1 {
		line = append(append(line, t.sentence(s)...), boundary)
	}
	at := occurrences(line, vocabulary+1)
	x.next, x.prior = countNeighbors(line, at, 1), countNeighbors(line, at, -1)
	for w, c := range x.class {
		x.size[c] += x.frequency[w]
	}
	for w, c := range x.class {
		words, counts := x.next.of(int32(w))
		for i, v := range words {
			x.bigram[int(c)*x.classes+int(x.class[v])] += int(counts[i])
		}
	}
	for i, n := range x.bigram {
		x.bigramTerm[i] = x.klnk(n)
	}
	for c, n := range x.size {
		x.sizeTerm[c] = x.klnk(n)
	}
	return x
}

// countNeighbors counts, for each word, the words at a distance from its positions in line, which
// at lists.
func countNeighbors(line []int32, at *index, distance int32) neighbors {
	vocabulary := len(at.first) - 1
	n := neighbors{row: make([]int32, vocabulary+1)}
	place := make([]int32, vocabulary) // index of a word in the row
	each := func(w int32, visit func(v int32)) {
		for _, i := range at.of(w) {
			if i += distance; i >= 0 && int(i) < len(line) {
				visit(line[i])
			}
		}
	}
	// A first pass determines their number, to allocate exactly.
	seen := make([]int32, vocabulary) // the last row and pass that counted the word
	for w := range int32(vocabulary) {
		n.row[w+1] = n.row[w]
		each(w, func(v int32) {
			if seen[v] != w+1 {
				seen[v] = w + 1
				n.row[w+1]++
			}
		})
	}
	n.word, n.count = make([]int32, n.row[vocabulary]), make([]int32, n.row[vocabulary])
	for w := range int32(vocabulary) {
		end := n.row[w]
		each(w, func(v int32) {
			if seen[v] != ^w {
				seen[v], place[v], n.word[end] = ^w, end, v
				end++
			}
			n.count[place[v]]++
		})
	}
	return n
}

func (n *neighbors) of(w int32) (words, counts []int32) {
	lo, hi := n.row[w], n.row[w+1]
	return n.word[lo:hi], n.count[lo:hi]
}

// move moves a word to its best class and reports whether the class changed.
func (x *exchange) move(w int32) bool {
	old := int(x.class[w])
	clear(x.left)
	clear(x.right)
	x.self = 0
	words, counts := x.next.of(w)
	for i, v := range words {
		if v == w {
			x.self = int(counts[i])
			continue
		}
		x.right[x.class[v]] += int(counts[i])
	}
	words, counts = x.prior.of(w)
	for i, v := range words {
		if v != w {
			x.left[x.class[v]] += int(counts[i])
		}
	}
	x.beside = x.beside[:0]
	for c := range x.classes {
		if x.left[c]+x.right[c] > 0 {
			x.beside = append(x.beside, c)
		}
	}
	x.add(w, old, -1)
	best, gain := old, x.gain(w, old)
	for c := range x.classes - 1 {
		if g := x.gain(w, c); g > gain+1e-9*math.Abs(gain) {
			best, gain = c, g
		}
	}
	x.add(w, best, 1)
	x.class[w] = int32(best)
	return best != old
}

// add adds an unassigned word to a class, or removes it for sign −1.
func (x *exchange) add(w int32, class, sign int) {
	for _, c := range x.beside {
		x.addBigram(class*x.classes+c, sign*x.right[c])
		x.addBigram(c*x.classes+class, sign*x.left[c])
	}
	x.addBigram(class*x.classes+class, sign*x.self)
	x.size[class] += sign * x.frequency[w]
	x.sizeTerm[class] = x.klnk(x.size[class])
}

// addBigram adds to the count of a pair of classes.
func (x *exchange) addBigram(pair, n int) {
	if n != 0 {
		x.bigram[pair] += n
		x.bigramTerm[pair] = x.klnk(x.bigram[pair])
	}
}

// gain returns the increase of the log likelihood if an unassigned word is added to a class.
func (x *exchange) gain(w int32, class int) float64 {
	g := -2 * (x.klnk(x.size[class]+x.frequency[w]) - x.sizeTerm[class])
	for _, c := range x.beside {
		if c == class {
			continue
		}
		if k := x.right[c]; k > 0 {
			pair := class*x.classes + c
			g += x.klnk(x.bigram[pair]+k) - x.bigramTerm[pair]
		}
		if k := x.left[c]; k > 0 {
			pair := c*x.classes + class
			g += x.klnk(x.bigram[pair]+k) - x.bigramTerm[pair]
		}
	}
	pair := class*x.classes + class
	return g + x.klnk(x.bigram[pair]+x.left[class]+x.right[class]+x.self) - x.bigramTerm[pair]
}

// klnk returns k·ln k.
func (x *exchange) klnk(k int) float64 {
	if k < len(x.log) {
		return x.log[k]
	}
	return float64(k) * math.Log(float64(k))
}

// backOff is the number of pseudo-links of a pair of words, from their classes: in direction ef,
// for words e and f of classes C and D,
//
//	strength · n(C, D)/n(C) · n(f)/n(D)
//
// links, where n(C, D) is the counted links of all pairs of words of these classes, n(C) their sum
// over D, and n(f)/n(D) the relative frequency of f in its class in the text.
type backOff struct {
	strength float64
	of       [2][]int32   // class per word
	share    [2][]float64 // of a word among the words of its class
	pair     []int32      // per slot, the index of the pair of classes; nil: see number
	rate     [][2]float64 // per pair of classes: strength · n(C, D)/n(C) in both directions
	total    [2][]float64 // n(C)
}

// newBackOff returns the backOff of the words of c.
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

// classesBy returns the classes of words with equal names.
func classesBy(name func(word string) string, words []string) []int32 {
	names, of := newVocabulary(), make([]int32, len(words))
	for w, word := range words {
		of[w] = names.add(name(word))
	}
	return of
}

// tally computes the relative frequencies of the words of one side in their classes.
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

// enumerate numbers the pairs of classes that occur, if most do not, and returns their number.
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

// number returns the index of the pair of classes of a slot in the row of word e.
func (b *backOff) number(l *lexicon, e, slot int32) int {
	if b.pair != nil {
		return int(b.pair[slot])
	}
	return int(b.of[0][e])*len(b.total[1]) + int(b.of[1][l.col[slot]])
}

// expect sets the rates from the counts of the lexicon and of pairs of words.
func (b *backOff) expect(p *prior, l *lexicon, counts []float64) {
	clear(b.rate)
	clear(b.total[0])
	clear(b.total[1])
	b.each(l, func(e, slot int32, rate *[2]float64) {
		for d, word := range [2]int32{e, l.col[slot]} {
			n := counts[2*int(slot)+d]
			if p.pair != nil {
				n += p.pair[slot]
			}
			rate[d] += n
			b.total[d][b.of[d][word]] += n
		}
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
			for d, class := range [2]int{n / len(b.total[1]), n % len(b.total[1])} {
				b.rate[n][d] *= b.total[d][class]
			}
		}
		return
	}
	scaled := make([]bool, len(b.rate))
	b.each(l, func(e, slot int32, rate *[2]float64) {
		if n := b.pair[slot]; !scaled[n] {
			scaled[n] = true
			for d, word := range [2]int32{e, l.col[slot]} {
				rate[d] *= b.total[d][b.of[d][word]]
			}
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
