package align

import (
	"fmt"
	"math"
)

// Combinations of the posteriors of two models, usually of the two directions, of
// one Sentence. They panic if the posteriors are not of equally many words.

// Average returns the mean of two posteriors, link by link: an average of two
// opinions, where one that is sure outweighs one that is not. Its thresholds
// correspond to those of each.
func Average(p, q *Posterior) *Posterior {
	return combine(p, q, func(x, y float64) float64 { return (x + y) / 2 })
}

// Product returns the product of two posteriors, link by link: what both models
// want. A product that underflows is 0. At suitable thresholds it chooses the links
// that the geometric mean, its square root, chooses.
func Product(p, q *Posterior) *Posterior {
	return combine(p, q, func(x, y float64) float64 { return x * y })
}

// Least returns the lesser of two posteriors, link by link. What it chooses at a
// threshold is the Intersection of what the two choose at that threshold.
func Least(p, q *Posterior) *Posterior { return combine(p, q, math.Min) }

// Greatest returns the greater of two posteriors, link by link. What it chooses at
// a threshold is the Union of what the two choose at that threshold.
func Greatest(p, q *Posterior) *Posterior { return combine(p, q, math.Max) }

func combine(p, q *Posterior, of func(x, y float64) float64) *Posterior {
	if p.Source != q.Source || p.Target != q.Target {
		panic(fmt.Sprintf("align: posteriors of %d×%d and %d×%d words", p.Source, p.Target, q.Source, q.Target))
	}
	r := NewPosterior(p.Source, p.Target)
	for i, x := range p.P {
		r.P[i] = of(x, q.P[i])
	}
	return r
}
