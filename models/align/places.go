package align

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// places is the distribution, of Model 2 in one direction, over the positions that a word
// does not come from NULL, given its own position and the lengths of both sides.
type places interface {
	// row sets p to the distribution for position j of seen ones.
	row(p []float64, j, seen int)
	// count adds weight times the posteriors of a sentence to the counts.
	count(counts []float64, v *view, weight float64)
}

// shape is the numbers of words of a sentence, as one direction sees it.
type shape struct{ hidden, seen int }

// shapes are those of the sentences of a corpus, as one direction sees them, in the order in
// which they came.
type shapes struct {
	list []shape
	// cell and row number the cells of each shape, word seen by word seen, and its words
	// seen, after those of the shapes before it.
	cell, row   map[shape]int
	cells, rows int
}

func newShapes(list []shape) *shapes {
	s := &shapes{cell: map[shape]int{}, row: map[shape]int{}}
	for _, x := range list {
		s.add(x)
	}
	return s
}

func (s *shapes) add(x shape) {
	if _, ok := s.cell[x]; ok {
		return
	}
	s.list = append(s.list, x)
	s.cell[x], s.row[x] = s.cells, s.rows
	s.cells += x.hidden * x.seen
	s.rows += x.seen
}

// shapesOf returns the shapes of c in direction d.
func shapesOf(c *Corpus, d int) *shapes {
	s := newShapes(nil)
	for n := range c.Len() {
		s.add(shape{c.text[d].length(n), c.text[1-d].length(n)})
	}
	return s
}

// free is the distribution of IBM Model 2: parameters for each shape and position.
type free struct {
	*shapes
	p []float64 // per cell
}

// row is uniform for a shape that training has not seen.
func (f *free) row(p []float64, j, seen int) {
	n := len(p)
	if first, ok := f.cell[shape{n, seen}]; ok {
		copy(p, f.p[first+j*n:])
		return
	}
	for i := range p {
		p[i] = 1 / float64(n)
	}
}

func (f *free) count(counts []float64, v *view, weight float64) {
	at := f.cell[shape{v.hidden, v.seen}]
	for j := range v.seen {
		floats.AddScaled(counts[at:at+v.hidden], weight, v.links(v.node, j))
		at += v.hidden
	}
}

// freeLaw is the law of the parameters of Model 2.
type freeLaw struct{ *shapes }

// String describes the law.
func (l freeLaw) String() string { return fmt.Sprintf("positions of %v", l.list) }

// each visits the distributions.
func (l freeLaw) each(visit func(lo, hi int) error) error {
	for _, x := range l.list {
		lo := l.cell[x]
		for range x.seen {
			if err := visit(lo, lo+x.hidden); err != nil {
				return err
			}
			lo += x.hidden
		}
	}
	return nil
}

// Start makes all positions equally probable.
func (l freeLaw) Start(theta []float64) {
	l.each(func(lo, hi int) error { em.Multinomial{}.Start(theta[lo:hi]); return nil })
}

// Random draws each distribution from the uniform one on the simplex.
func (l freeLaw) Random(theta []float64, src rand.Source) {
	l.each(func(lo, hi int) error { em.Multinomial{}.Random(theta[lo:hi], src); return nil })
}

// Check asks for distributions.
func (l freeLaw) Check(theta []float64) error {
	return l.each(func(lo, hi int) error { return em.Multinomial{}.Check(theta[lo:hi]) })
}

// LogPrior is 0.
func (freeLaw) LogPrior([]float64) float64 { return 0 }

// Maximize sets the relative frequencies.
func (l freeLaw) Maximize(theta, counts []float64) error {
	return l.each(func(lo, hi int) error { return em.Multinomial{}.Maximize(theta[lo:hi], counts[lo:hi]) })
}

// diagonal is the distribution p ∝ exp(−tension·|i/I − j/J|) of Dyer, Chahuneau and Smith
// 2013, with i and j taken in the middle of their words.
type diagonal struct {
	*shapes
	tension float64
}

func (d *diagonal) row(p []float64, j, seen int) {
	for i := range p {
		p[i] = math.Exp(-d.tension * distance(i, len(p), j, seen))
	}
	floats.Scale(1/floats.Sum(p), p)
}

// distance returns how far a cell is from the diagonal.
func distance(i, hidden, j, seen int) float64 {
	return math.Abs((float64(i)+.5)/float64(hidden) - (float64(j)+.5)/float64(seen))
}

// count adds what the tension is estimated from: the distance of the links from the
// diagonal, and after it the number of links of each position of each shape.
func (d *diagonal) count(counts []float64, v *view, weight float64) {
	rows := counts[1+d.shapes.row[shape{v.hidden, v.seen}]:]
	for j := range v.seen {
		total, far := 0.0, 0.0
		for i, p := range v.links(v.node, j) {
			total += p
			far += p * distance(i, v.hidden, j, v.seen)
		}
		counts[0] += weight * far
		rows[j] += weight * total
	}
}

// tensionLaw is the law of the tension. The other parameters of its group are 0 and only
// have counts, see diagonal.count.
type tensionLaw struct{ *shapes }

// The tension of a diagonal is kept within these bounds.
const (
	leastTension    = 0
	greatestTension = 100
	usualTension    = 4
)

// String describes the law.
func (l tensionLaw) String() string { return fmt.Sprintf("tension of %v", l.list) }

// Start sets a tension of 4.
func (tensionLaw) Start(theta []float64) {
	clear(theta)
	theta[0] = usualTension
}

// Random draws a tension from the exponential distribution with a mean of 4.
func (tensionLaw) Random(theta []float64, src rand.Source) {
	theta[0] = min(usualTension*rand.New(src).ExpFloat64(), greatestTension)
}

// Check asks for a tension within its bounds.
func (tensionLaw) Check(theta []float64) error {
	if t := theta[0]; !(t >= leastTension && t <= greatestTension) {
		return fmt.Errorf("the tension is %g, want it from %d to %d", t, leastTension, greatestTension)
	}
	return nil
}

// LogPrior is 0.
func (tensionLaw) LogPrior([]float64) float64 { return 0 }

// Maximize sets the tension under which counts are most probable. Their log likelihood is
// concave: its derivative, the expected distance less the counted one, is brought to 0 by
// bisection.
func (l tensionLaw) Maximize(theta, counts []float64) error {
	if floats.Sum(counts[1:]) == 0 {
		return nil
	}
	lo, hi := float64(leastTension), float64(greatestTension)
	for range 40 {
		theta[0] = (lo + hi) / 2
		expected := 0.0
		l.each(theta[0], counts, func(total, far, _ float64) { expected += total * far })
		if expected > counts[0] {
			lo = theta[0]
		} else {
			hi = theta[0]
		}
	}
	return nil
}

// Score is −tension·distance less ln of the normalizers.
func (l tensionLaw) Score(theta, counts []float64) float64 {
	score := -theta[0] * counts[0]
	l.each(theta[0], counts, func(total, _, z float64) { score -= total * math.Log(z) })
	return score
}

// each visits the positions that have counts: how often a link is there, the distance that
// is expected of it, and the normalizer.
func (l tensionLaw) each(tension float64, counts []float64, visit func(total, far, z float64)) {
	for _, x := range l.list {
		rows := counts[1+l.row[x]:]
		for j := range x.seen {
			if rows[j] == 0 {
				continue
			}
			far, z := 0.0, 0.0
			for i := range x.hidden {
				d := distance(i, x.hidden, j, x.seen)
				p := math.Exp(-tension * d)
				far += p * d
				z += p
			}
			visit(rows[j], far/z, z)
		}
	}
}
