package align

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// diagonal is the distribution p ∝ exp(−tension·|i/I − j/J|) of Dyer, Chahuneau and Smith 2013,
// with i and j at the middle of their words.
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

// distance returns the distance of a cell from the diagonal.
func distance(i, hidden, j, seen int) float64 {
	return math.Abs((float64(i)+.5)/float64(hidden) - (float64(j)+.5)/float64(seen))
}

// count adds the statistics for the tension: the distance of the links from the diagonal, followed
// by the number of links of each position of each shape.
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

// tensionLaw is the law of the tension. The other parameters of its group are 0 and exist for their
// counts only; see diagonal.count.
type tensionLaw struct{ *shapes }

func (l tensionLaw) size() int { return 1 + l.rows }

func (l tensionLaw) at(p []float64, null nullRate) positions {
	return &independent{null, &diagonal{l.shapes, p[0]}, l.size()}
}

func (tensionLaw) onto(other *shapes, p []float64) []float64 {
	q := make([]float64, tensionLaw{other}.size())
	q[0] = p[0]
	return q
}

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

// Check returns an error unless the tension is within its bounds.
func (tensionLaw) Check(theta []float64) error {
	if t := theta[0]; !(t >= leastTension && t <= greatestTension) {
		return fmt.Errorf("the tension is %g, want it from %d to %d", t, leastTension, greatestTension)
	}
	return nil
}

// LogPrior is 0.
func (tensionLaw) LogPrior([]float64) float64 { return 0 }

// Maximize sets the tension under which counts are most probable. Their log likelihood is concave:
// Maximize finds the zero of its derivative, the expected minus the counted distance, by bisection.
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

// each visits the positions that have counts, with the number of links there, their expected
// distance, and the normalizer.
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
