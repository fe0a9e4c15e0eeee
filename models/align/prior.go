package align

import (
	"math"

	"example.org/pathsum/em"
)

// Prior is what is known beforehand. The zero value is nothing: maximum likelihood.
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
	// its class would have them, see Backing off in the package comment.
	Stem     func(word string) string
	Strength float64
	// Classes is the same number for the word classes that the HMM's jumps depend on,
	// Options.Classes of each side.
	Classes float64
	// Jumps is the number of jumps of each pair of word classes that are counted as all jumps
	// from a word of the first class are distributed, see Jumps in the package comment. +Inf
	// gives the second class no part.
	Jumps float64
}

// prior is a Prior for the words of a lexicon.
type prior struct {
	law   em.Law
	pair  []float64  // per slot; nil: none
	backs []*backOff // to stems, to word classes
	jumps float64    // as in Prior
}

// newPrior returns what p says of the words of c, which have word classes, nil for one
// class. The error wraps ErrInvalid.
func newPrior(p Prior, l *lexicon, c *Corpus, classes [2][]int32) (*prior, error) {
	out := &prior{law: p.Law, jumps: p.Jumps}
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
		var stems [2][]int32
		for side := range stems {
			stems[side] = classesBy(p.Stem, c.words[side].words)
		}
		out.backs = append(out.backs, newBackOff(p.Strength, stems, l, c))
	}
	if p.Classes > 0 {
		for side := range classes {
			if classes[side] == nil {
				classes[side] = make([]int32, len(c.words[side].words))
			}
		}
		out.backs = append(out.backs, newBackOff(p.Classes, classes, l, c))
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

// empty reports whether no link is counted without having been seen.
func (p *prior) empty() bool { return p.pair == nil && len(p.backs) == 0 }

// climbs reports whether M steps with the prior raise log likelihood and log prior. What
// classes say depends on the counts; a Valuer's parameters are not known; and a Dirichlet
// density with α < 1 has no value where it makes probabilities 0.
func (p *prior) climbs() bool {
	if _, ok := p.law.(em.Valuer); ok || len(p.backs) > 0 {
		return false
	}
	d, ok := p.law.(em.Dirichlet)
	return !ok || d.Alphas == nil && d.Alpha >= 1
}

// expect finds what classes say, given the counts of the lexicon.
func (p *prior) expect(l *lexicon, counts []float64) {
	for _, b := range p.backs {
		b.expect(p, l, counts)
	}
}

// unseen returns the links of word e and the other word of a slot that are counted in
// directions ef and fe without having been seen.
func (p *prior) unseen(l *lexicon, e, slot int32) (x, y float64) {
	if p.pair != nil {
		x, y = p.pair[slot], p.pair[slot]
	}
	for _, b := range p.backs {
		rate := &b.rate[b.number(l, e, slot)]
		x += rate[ef] * b.share[1][l.col[slot]]
		y += rate[fe] * b.share[0][e]
	}
	return x, y
}
