package align

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// shape contains the numbers of words of a sentence, by role in one direction.
type shape struct{ hidden, seen int }

// shapes contains the distinct shapes of the sentences of a corpus in one direction, in insertion
// order.
type shapes struct {
	list []shape
	// cell and row are the offsets of the cells of each shape, grouped by observed word, and of its
	// observed words, after the shapes before it.
	cell, row   map[shape]int
	cells, rows int
}

func newShapes() *shapes { return &shapes{cell: map[shape]int{}, row: map[shape]int{}} }

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
	s := newShapes()
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

// row is uniform for a shape that is not in the training text.
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

func (l freeLaw) size() int { return l.cells }

func (l freeLaw) at(p []float64, null nullRate) positions {
	return &independent{null, &free{l.shapes, p}, l.size()}
}

func (l freeLaw) onto(other *shapes, p []float64) []float64 {
	q, of := make([]float64, 0, other.cells), free{l.shapes, p}
	for _, x := range other.list {
		for j := range x.seen {
			q = q[:len(q)+x.hidden]
			of.row(q[len(q)-x.hidden:], j, x.seen)
		}
	}
	return q
}

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

// Check returns an error unless the parameters are distributions.
func (l freeLaw) Check(theta []float64) error {
	return l.each(func(lo, hi int) error { return em.Multinomial{}.Check(theta[lo:hi]) })
}

// LogPrior is 0.
func (freeLaw) LogPrior([]float64) float64 { return 0 }

// Maximize sets the relative frequencies.
func (l freeLaw) Maximize(theta, counts []float64) error {
	return l.each(func(lo, hi int) error { return em.Multinomial{}.Maximize(theta[lo:hi], counts[lo:hi]) })
}
