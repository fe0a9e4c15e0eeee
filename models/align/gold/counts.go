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
	for _, l := range a {
		c.put(r.kind(l), 1)
	}
	return c
}

// The kinds of a link of an alignment, by the reference.
const (
	miss = iota
	possible
	sure
	kinds
)

// kind returns the kind of a link.
func (r Reference) kind(l align.Link) int {
	switch {
	case r.Sure.Has(l):
		return sure
	case r.Possible.Has(l):
		return possible
	}
	return miss
}

// put counts n links of a kind.
func (c *Counts) put(kind, n int) {
	c.Links += n
	if kind != miss {
		c.PossibleHits += n
	}
	if kind == sure {
		c.SureHits += n
	}
}

// Plus returns the sum.
func (c Counts) Plus(d Counts) Counts {
	return Counts{
		Links: c.Links + d.Links, Sure: c.Sure + d.Sure,
		SureHits: c.SureHits + d.SureHits, PossibleHits: c.PossibleHits + d.PossibleHits,
	}
}

// The scores are fractions (Och and Ney 2003, §6.1). A score whose denominator is 0 is NaN.

// Precision returns |A∩P| / |A|.
func (c Counts) Precision() float64 { return ratio(c.PossibleHits, c.Links) }

// Recall returns |A∩S| / |S|.
func (c Counts) Recall() float64 { return ratio(c.SureHits, c.Sure) }

// AER returns the alignment error rate, 1 - (|A∩S| + |A∩P|) / (|A| + |S|).
func (c Counts) AER() float64 { return 1 - ratio(c.SureHits+c.PossibleHits, c.Links+c.Sure) }

func ratio(a, b int) float64 { return float64(a) / float64(b) }
