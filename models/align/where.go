package align

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// where is the distribution of Model 2 over the positions that a word does not come
// from NULL, given its own position and the lengths of both sides: free parameters, or
// a diagonal (Dyer, Chahuneau and Smith 2013), p ∝ exp(−tension·|i/I − j/J|),
// with i and j taken in the middle of their words.
type where struct {
	first    map[[2]int]int // I, J: the first parameter of the sentences of this shape
	p        []float64      // shape by shape J rows of I
	diagonal bool
	tension  float64
}

// newWhere returns the distribution, uniform or with a tension of 4, for the sentences
// of c in direction d.
func newWhere(c *Corpus, d int, diagonal bool) *where {
	w := &where{first: map[[2]int]int{}, diagonal: diagonal, tension: 4}
	for s := range c.Len() {
		hidden, seen := len(c.text[d].sentence(s)), len(c.text[1-d].sentence(s))
		shape := [2]int{hidden, seen}
		if _, ok := w.first[shape]; !ok {
			w.first[shape] = len(w.p)
			for range hidden * seen {
				w.p = append(w.p, 1/float64(hidden))
			}
		}
	}
	w.fill()
	return w
}

// shapes returns the shapes in the order of their parameters.
func (w *where) shapes() [][2]int {
	return slices.SortedFunc(maps.Keys(w.first), func(a, b [2]int) int { return cmp.Compare(w.first[a], w.first[b]) })
}

// row sets p to the distribution for position j of J: uniform if w is nil, or has not
// seen such a sentence in training.
func (w *where) row(p []float64, j, seen int) {
	n := len(p)
	if w != nil && w.diagonal {
		w.slope(p, j, seen)
		return
	}
	if w != nil {
		if first, ok := w.first[[2]int{n, seen}]; ok {
			copy(p, w.p[first+j*n:])
			return
		}
	}
	for i := range p {
		p[i] = 1 / float64(n)
	}
}

// slope sets p to the diagonal's distribution.
func (w *where) slope(p []float64, j, seen int) {
	for i := range p {
		p[i] = math.Exp(-w.tension * distance(i, len(p), j, seen))
	}
	floats.Scale(1/floats.Sum(p), p)
}

// distance returns how far a cell is from the diagonal.
func distance(i, hidden, j, seen int) float64 {
	return math.Abs((float64(i)+.5)/float64(hidden) - (float64(j)+.5)/float64(seen))
}

// count adds the posteriors of a sentence to the counts of its shape.
func (w *where) count(counts []float64, v *view) {
	if w == nil {
		return
	}
	first := w.first[[2]int{v.hidden, v.seen}]
	for j := range v.seen {
		floats.Add(counts[first:first+v.hidden], v.links(v.node, j))
		first += v.hidden
	}
}

// estimate is the M step.
func (w *where) estimate(counts []float64) {
	if w.diagonal {
		w.tension = w.best(counts)
		w.fill()
		return
	}
	for shape, first := range w.first {
		n := shape[0]
		for j := range shape[1] {
			lo := first + j*n
			ratio(w.p[lo:lo+n], counts[lo:lo+n])
		}
	}
}

// fill computes the probabilities of a diagonal.
func (w *where) fill() {
	if !w.diagonal {
		return
	}
	for shape, first := range w.first {
		n := shape[0]
		for j := range shape[1] {
			w.slope(w.p[first+j*n:first+(j+1)*n], j, shape[1])
		}
	}
}

// The tension of a diagonal is kept within these bounds.
const (
	leastTension    = 0
	greatestTension = 100
)

// best returns the tension under which counts are most probable. Their log likelihood
// is concave: its derivative, the expected distance under the model less the counted
// one, is brought to 0 by bisection.
func (w *where) best(counts []float64) float64 {
	shapes := w.shapes()
	lo, hi := float64(leastTension), float64(greatestTension)
	for range 40 {
		w.tension = (lo + hi) / 2
		if w.excess(shapes, counts) > 0 {
			lo = w.tension
		} else {
			hi = w.tension
		}
	}
	return w.tension
}

// excess returns the distance from the diagonal that the model expects less that of
// counts.
func (w *where) excess(shapes [][2]int, counts []float64) float64 {
	var row []float64
	sum := 0.0
	for _, shape := range shapes {
		n := shape[0]
		row = resized(row, n)
		for j := range shape[1] {
			w.slope(row, j, shape[1])
			at := w.first[shape] + j*n
			total := 0.0
			for _, c := range counts[at : at+n] {
				total += c
			}
			for i, c := range counts[at : at+n] {
				sum += (total*row[i] - c) * distance(i, n, j, shape[1])
			}
		}
	}
	return sum
}
