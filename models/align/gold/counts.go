package gold

import "example.org/pathsum/models/align"

// Counts compares alignments with their references. Counts of sentences add up to
// counts of a text; a score of the text is a score of the sum, not a mean of scores.
type Counts struct {
	Links        int // |A|: links of the alignments
	Sure         int // |S|: sure links of the references
	SureHits     int // |A∩S|
	PossibleHits int // |A∩P|, where P is all links of the references
}

// Compare counts the links of an alignment and its reference.
func Compare(a align.Alignment, r Reference) Counts {
	c := Counts{Sure: len(r.Sure)}
	c.add(a, r, 1)
	return c
}

// add counts the links of a, sign times.
func (c *Counts) add(a align.Alignment, r Reference, sign int) {
	c.Links += sign * len(a)
	for _, l := range a {
		switch {
		case r.Sure.Has(l):
			c.SureHits += sign
			c.PossibleHits += sign
		case r.Possible.Has(l):
			c.PossibleHits += sign
		}
	}
}

// Plus returns the sum.
func (c Counts) Plus(d Counts) Counts {
	return Counts{
		Links: c.Links + d.Links, Sure: c.Sure + d.Sure,
		SureHits: c.SureHits + d.SureHits, PossibleHits: c.PossibleHits + d.PossibleHits,
	}
}

// The scores are fractions (Och and Ney 2003, §6.1); one whose denominator is 0 is
// NaN.

// Precision returns |A∩P| / |A|.
func (c Counts) Precision() float64 { return ratio(c.PossibleHits, c.Links) }

// Recall returns |A∩S| / |S|.
func (c Counts) Recall() float64 { return ratio(c.SureHits, c.Sure) }

// AER returns the alignment error rate, 1 - (|A∩S| + |A∩P|) / (|A| + |S|).
func (c Counts) AER() float64 { return 1 - ratio(c.SureHits+c.PossibleHits, c.Links+c.Sure) }

func ratio(a, b int) float64 { return float64(a) / float64(b) }
