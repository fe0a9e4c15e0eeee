package align

import "example.org/pathsum/em"

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

func newPrior(p Prior, l *lexicon, c *Corpus) *prior {
	out := &prior{law: p.Law, strength: p.Strength}
	if out.law == nil {
		out.law = em.Multinomial{}
	}
	if p.Pair != nil {
		out.pair = make([]float64, len(l.col))
		for e, word := range c.words[0].words {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				out.pair[slot] = p.Pair(word, c.words[1].words[l.col[slot]])
			}
		}
	}
	if p.Stem != nil && p.Strength > 0 {
		out.stems = newStems(p.Stem, l, c)
	}
	return out
}

// stems are the classes of words on both sides.
type stems struct {
	of    [2][]int32   // class per word
	share [2][]float64 // of a word among the tokens of its class
	pair  []int32      // per slot, the number of the pair of classes
	pairs int
	sum   []pair // expected links per pair of classes
	total [2][]float64
}

func newStems(stem func(string) string, l *lexicon, c *Corpus) *stems {
	s := &stems{pair: make([]int32, len(l.col))}
	for side := range s.of {
		s.classify(side, stem, c)
	}
	members := occurrences(s.of[0], len(s.total[0]))
	seen, number := make([]int32, len(s.total[1])), make([]int32, len(s.total[1]))
	for class := range int32(len(s.total[0])) {
		for _, e := range members.of(class) {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				other := s.of[1][l.col[slot]]
				if seen[other] != class+1 {
					seen[other], number[other] = class+1, int32(s.pairs)
					s.pairs++
				}
				s.pair[slot] = number[other]
			}
		}
	}
	s.sum = make([]pair, s.pairs)
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

// expect sums expected links by pairs of classes.
func (s *stems) expect(l *lexicon, links []pair) {
	clear(s.sum)
	clear(s.total[0])
	clear(s.total[1])
	for e, class := range s.of[0] {
		for slot := l.row[e]; slot < l.row[e+1]; slot++ {
			sum, x := &s.sum[s.pair[slot]], links[slot]
			sum[ef] += x[ef]
			sum[fe] += x[fe]
			s.total[0][class] += x[ef]
			s.total[1][s.of[1][l.col[slot]]] += x[fe]
		}
	}
}

// back returns the probabilities of a pair by the classes of its words: the probability of
// the other class, times the word's share of it.
func (s *stems) back(e, f, slot int32) (p pair) {
	sum := s.sum[s.pair[slot]]
	if t := s.total[0][s.of[0][e]]; t > 0 {
		p[ef] = sum[ef] / t * s.share[1][f]
	}
	if t := s.total[1][s.of[1][f]]; t > 0 {
		p[fe] = sum[fe] / t * s.share[0][e]
	}
	return p
}

// add adds to expected links those that the prior says.
func (p *prior) add(l *lexicon, links []pair) {
	for slot, x := range p.pair {
		links[slot][ef] += x
		links[slot][fe] += x
	}
	if p.stems == nil {
		return
	}
	p.stems.expect(l, links)
	for e := range int32(len(l.row) - 1) {
		for slot := l.row[e]; slot < l.row[e+1]; slot++ {
			back := p.stems.back(e, l.col[slot], slot)
			links[slot][ef] += p.strength * back[ef]
			links[slot][fe] += p.strength * back[fe]
		}
	}
}
