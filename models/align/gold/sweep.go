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

// ErrNoLinks means that a sweep has nothing to score.
var ErrNoLinks = errors.New("no links at any threshold")

// Curve is the scores of a text at all thresholds: links are chosen in steps as the
// threshold falls, and between two steps nothing changes.
type Curve struct {
	none   Counts // above all steps
	points []Point
}

// Point is the scores at a threshold.
type Point struct {
	Threshold float64
	Counts
}

// Sweep scores the choices for the sentences of a text at every threshold. It takes
// the time of their Steps and of sorting these. The error wraps align.ErrInvalid if
// there are not as many references as choices, ErrRange for a link beyond a posterior in a
// reference, or ErrNoLinks.
func Sweep(choices []align.Choice, references []Reference) (*Curve, error) {
	if len(choices) != len(references) {
		return nil, fmt.Errorf("%w: %d alignments and %d references", align.ErrInvalid, len(choices), len(references))
	}
	c := new(Curve)
	var steps []Point // each with the change that it makes
	for i, choice := range choices {
		r := references[i]
		if err := r.Check(choice.Words()); err != nil {
			return nil, nested.Errorf("reference %d: %w", i+1, err)
		}
		c.none.Sure += len(r.Sure)
		for s := range choice.Steps() {
			p := Point{Threshold: s.Threshold}
			p.add(s.Added, r, 1)
			p.add(s.Removed, r, -1)
			steps = append(steps, p)
		}
	}
	if len(steps) == 0 {
		return nil, ErrNoLinks
	}
	slices.SortFunc(steps, func(a, b Point) int { return cmp.Compare(b.Threshold, a.Threshold) })
	now := c.none
	for i, s := range steps {
		now = now.Plus(s.Counts)
		if i+1 == len(steps) || steps[i+1].Threshold < s.Threshold {
			c.points = append(c.points, Point{s.Threshold, now})
		}
	}
	return c, nil
}

// At returns the scores at a threshold greater than 0.
func (c *Curve) At(threshold float64) Point {
	i := sort.Search(len(c.points), func(i int) bool { return c.points[i].Threshold < threshold })
	if i == 0 {
		return Point{threshold, c.none}
	}
	return Point{threshold, c.points[i-1].Counts}
}

// Best returns the scores at a threshold that makes the error rate least, the
// highest of those. The threshold lies in the middle between two different
// posteriors of the text where it can, so that it does not depend on how the last
// bit of one is rounded.
func (c *Curve) Best() Point {
	best := 0
	for i, p := range c.points {
		if p.AER() < c.points[best].AER() {
			best = i
		}
	}
	p := c.points[best]
	below := 0.0
	if best+1 < len(c.points) {
		below = c.points[best+1].Threshold
	}
	if middle := below + (p.Threshold-below)/2; middle > below {
		p.Threshold = middle
	}
	return p
}
