package align

import (
	"math"

	"example.org/pathsum/em"
)

// Prior is what is known of the lexicon beforehand. The zero value is nothing: maximum
// likelihood.
type Prior struct {
	// Law estimates the translation probabilities of each word from its counts
	// (default em.Multinomial): em.Dirichlet and em.Variational are others.
	Law em.Law
	// Pair, if not nil, returns the number of links of two words, ≥ 0 and finite, that
	// are counted without having been seen: more than 0 for cognates, say, or the
	// entries of a dictionary. It is asked about words that occur together.
	Pair func(source, target string) float64
	// Stem, if not nil, names the class of a word: its stem, for instance. Strength is
	// the number of links of each word that are counted as the links of all words of
	// its class would have them.
	Stem     func(word string) string
	Strength float64
}

// prior is a Prior for the words of a lexicon.
type prior struct {
	law      em.Law
	pair     []float64 // per slot; nil: none
	stems    *stems    // nil: none
	strength float64
}

// newPrior returns what p says of the words of c. The error wraps ErrInvalid.
func newPrior(p Prior, l *lexicon, c *Corpus) (*prior, error) {
	out := &prior{law: p.Law, strength: p.Strength}
	if out.law == nil {
		out.law = em.Multinomial{}
	}
	if p.Pair != nil {
		out.pair = make([]float64, len(l.col))
		for e, word := range c.words[0].words {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				other := c.words[1].words[l.col[slot]]
				n, err := linksBefore(p.Pair, word, other)
				if err != nil {
					return nil, err
				}
				out.pair[slot] = n
			}
		}
	}
	if p.Stem != nil && p.Strength > 0 {
		out.stems = newStems(p.Stem, l, c)
	}
	return out, nil
}

// linksBefore returns the links of two words that are counted beforehand. The error wraps
// ErrInvalid.
func linksBefore(pair func(source, target string) float64, e, f string) (float64, error) {
	n := pair(e, f)
	if !(n >= 0) || math.IsInf(n, 1) {
		return 0, invalid("%g links of %q and %q beforehand, want a finite number ≥ 0", n, e, f)
	}
	return n, nil
}

// empty reports whether nothing is counted without having been seen.
func (p *prior) empty() bool { return p.pair == nil && p.stems == nil }

// climbs reports whether M steps with the prior raise log likelihood and log prior. What
// stems say depends on the counts; a Valuer's parameters are not known; and a Dirichlet
// density with α < 1 has no value where it makes probabilities 0.
func (p *prior) climbs() bool {
	if _, ok := p.law.(em.Valuer); ok || p.stems != nil {
		return false
	}
	d, ok := p.law.(em.Dirichlet)
	return !ok || d.Alphas == nil && d.Alpha >= 1
}

// stems are the classes of words on both sides.
type stems struct {
	of    [2][]int32   // class per word
	share [2][]float64 // of a word among the tokens of its class
	pair  []int32      // per slot, the number of the pair of classes
	sum   [][2]float64 // expected links per pair of classes
	total [2][]float64
}

func newStems(stem func(string) string, l *lexicon, c *Corpus) *stems {
	s := &stems{pair: make([]int32, len(l.col))}
	for side := range s.of {
		s.classify(side, stem, c)
	}
	members := occurrences(s.of[0], len(s.total[0]))
	seen, number := make([]int32, len(s.total[1])), make([]int32, len(s.total[1]))
	pairs := int32(0)
	for class := range int32(len(s.total[0])) {
		for _, e := range members.of(class) {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				other := s.of[1][l.col[slot]]
				if seen[other] != class+1 {
					seen[other], number[other] = class+1, pairs
					pairs++
				}
				s.pair[slot] = number[other]
			}
		}
	}
	s.sum = make([][2]float64, pairs)
	return s
}

// classify finds the classes of one side.
func (s *stems) classify(side int, stem func(string) string, c *Corpus) {
	names, words := newVocabulary(), c.words[side].words
	s.of[side], s.share[side] = make([]int32, len(words)), make([]float64, len(words))
	for w, word := range words {
		s.of[side][w] = names.add(stem(word))
	}
	s.total[side] = make([]float64, len(names.words))
	for _, w := range c.text[side].words {
		s.share[side][w]++
		s.total[side][s.of[side][w]]++
	}
	for w, class := range s.of[side] {
		s.share[side][w] /= s.total[side][class]
	}
}

// expect sums the links expected of pairs of classes, given the counts of the lexicon.
func (p *prior) expect(l *lexicon, counts []float64) {
	s := p.stems
	if s == nil {
		return
	}
	clear(s.sum)
	clear(s.total[0])
	clear(s.total[1])
	for e, class := range s.of[0] {
		for slot := l.row[e]; slot < l.row[e+1]; slot++ {
			unseen := 0.0
			if p.pair != nil {
				unseen = p.pair[slot]
			}
			x, y := counts[2*slot+ef]+unseen, counts[2*slot+fe]+unseen
			sum := &s.sum[s.pair[slot]]
			sum[ef] += x
			sum[fe] += y
			s.total[0][class] += x
			s.total[1][s.of[1][l.col[slot]]] += y
		}
	}
}

// add adds to the counts of a word those that the prior says.
func (p *prior) add(l *lexicon, r *rowOf) {
	for i, slot := range r.slots {
		if p.pair != nil {
			r.counts[i] += p.pair[slot]
		}
		if p.stems != nil {
			given, other := r.word, l.col[slot]
			if r.direction == fe {
				other = l.of(slot)
			}
			r.counts[i] += p.strength * p.stems.back(r.direction, given, other, slot)
		}
	}
}

// back returns the probability of a pair by the classes of its words: the probability of
// the other class, times the word's share of it.
func (s *stems) back(d int, given, other, slot int32) float64 {
	total := s.total[d][s.of[d][given]]
	if !(total > 0) {
		return 0
	}
	return s.sum[s.pair[slot]][d] / total * s.share[1-d][other]
}
