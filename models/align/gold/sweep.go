package gold

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/align"
)

// ErrNoLinks reports a sweep whose choices have no links at any threshold.
var ErrNoLinks = errors.New("no links at any threshold")

// Sweep scores the choices for the sentences of a text at every threshold. It takes the time of
// their Steps and of sorting them. The error wraps align.ErrInvalid if the numbers of references
// and choices differ, ErrRange for a reference with a link beyond its posterior, or ErrNoLinks. A
// Sweeper does the same sentence by sentence.
func Sweep(choices []align.Choice, references []Reference) (*Curve, error) {
	if len(choices) != len(references) {
		return nil, fmt.Errorf("%w: %d alignments and %d references", align.ErrInvalid, len(choices), len(references))
	}
	s := NewSweeper(0)
	for i, c := range choices {
		if err := s.Add(c, references[i]); err != nil {
			return nil, err
		}
	}
	return s.Curve()
}

// Sweeper makes a Curve of sentences that are added one by one. It keeps eight bytes for each
// change of a link over all thresholds, and does not keep the posteriors.
type Sweeper struct {
	curve     Curve
	sentences int
}

// NewSweeper returns a Sweeper for thresholds of least or more, which is not negative. Nearly all
// pairs of words of a sentence have a positive posterior, usually below any useful threshold. With
// a least of 1e-6, memory is therefore proportional to the number of words, not of pairs.
func NewSweeper(least float64) *Sweeper { return &Sweeper{curve: Curve{least: least}} }

// Add adds the choice for a sentence and its reference. The error wraps ErrRange if the reference
// has a link beyond the sentence.
func (s *Sweeper) Add(choice align.Choice, r Reference) error {
	s.sentences++
	if err := r.Check(choice.Words()); err != nil {
		return nested.Errorf("reference %d: %w", s.sentences, err)
	}
	c := &s.curve
	c.sure += len(r.Sure)
	for step := range choice.Steps(c.least) {
		for n, links := range []align.Alignment{step.Added, step.Removed} {
			for _, l := range links {
				k := n*kinds + r.kind(l)
				c.changes[k] = append(c.changes[k], step.Threshold)
			}
		}
	}
	return nil
}

// Curve returns the scores of the sentences added; s must not be used afterwards. The error is
// ErrNoLinks.
func (s *Sweeper) Curve() (*Curve, error) {
	n := 0
	for k, of := range s.curve.changes {
		slices.SortFunc(of, descending)
		s.curve.changes[k] = slices.Clip(of)
		n += len(of)
	}
	if n == 0 {
		return nil, ErrNoLinks
	}
	return &s.curve, nil
}

func descending(x, y float64) int { return cmp.Compare(y, x) }

// Curve contains the scores of a text at all thresholds. Links change in steps as the threshold
// falls; between two steps the scores are constant.
type Curve struct {
	sure  int     // links of the references
	least float64 // of the thresholds
	// changes contains the decreasing thresholds at which links of each kind are added, followed by
	// the thresholds at which they are removed.
	changes [2 * kinds][]float64
}

// Point contains the scores at a threshold.
type Point struct {
	Threshold float64
	Counts
}

// At returns the scores at a threshold greater than 0. It panics if the threshold is less than the
// least of the Sweeper.
func (c *Curve) At(threshold float64) Point {
	if threshold < c.least {
		panic(fmt.Sprintf("gold: threshold %g of a sweep that ends at %g", threshold, c.least))
	}
	var n [2 * kinds]int
	for k, of := range c.changes {
		n[k] = sort.Search(len(of), func(i int) bool { return of[i] < threshold })
	}
	return c.point(threshold, &n)
}

// point returns the scores after the first n changes of each kind.
func (c *Curve) point(threshold float64, n *[2 * kinds]int) Point {
	p := Point{threshold, Counts{Sure: c.sure}}
	for kind := range kinds {
		p.put(kind, n[kind]-n[kinds+kind])
	}
	return p
}

// points yields the scores at each threshold at which they change, in decreasing order.
func (c *Curve) points(yield func(Point) bool) {
	var n [2 * kinds]int
	for {
		threshold := 0.0
		for k, of := range c.changes {
			if n[k] < len(of) {
				threshold = max(threshold, of[n[k]])
			}
		}
		if threshold == 0 {
			return
		}
		for k, of := range c.changes {
			for n[k] < len(of) && of[n[k]] == threshold {
				n[k]++
			}
		}
		if !yield(c.point(threshold, &n)) {
			return
		}
	}
}

// Best returns the scores at the highest threshold with the least error rate. If possible, the
// threshold is in the middle between two different posteriors of the text, so that it does not
// depend on the rounding of their last bits.
func (c *Curve) Best() Point {
	var best Point
	below, first, last := 0.0, true, false
	for p := range c.points {
		switch {
		case first || p.AER() < best.AER():
			best, below, last = p, c.least, true
		case last:
			below, last = p.Threshold, false
		}
		first = false
	}
	if middle := below + (best.Threshold-below)/2; middle > below {
		best.Threshold = middle
	}
	return best
}
