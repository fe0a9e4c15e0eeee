package align

import (
	"fmt"
	"math"
)

// Posterior holds the probability, given one Sentence, of every link of its words.
// A model that generates the target lets each of its words come from one source word or
// from none: each column then sums to at most 1, and what is missing is the posterior of
// NULL. For the other direction the same holds of the rows.
type Posterior struct {
	Source, Target int       // numbers of words: E and F in formulas
	P              []float64 // E×F, row by row: link (e, f) is entry e·F + f
}

// NewPosterior returns a Posterior of zeros. It panics if a length is negative.
func NewPosterior(source, target int) *Posterior {
	if source < 0 || target < 0 {
		panic(fmt.Sprintf("align: a posterior of %d×%d words", source, target))
	}
	return &Posterior{Source: source, Target: target, P: make([]float64, source*target)}
}

// At returns the posterior of the link of a source word and a target word.
func (p *Posterior) At(source, target int) float64 { return p.P[source*p.Target+target] }

// Row returns the posteriors of the links of source word e, one for each target word.
// It shares their memory.
func (p *Posterior) Row(e int) []float64 { return p.P[e*p.Target : (e+1)*p.Target : (e+1)*p.Target] }

// Words returns the numbers of words of the Sentence.
func (p *Posterior) Words() (source, target int) { return p.Source, p.Target }

// Combinations of the posteriors of two models, usually of the two directions, of
// one Sentence. They panic if the posteriors are not of equally many words.

// Average returns the mean of two posteriors, link by link: an average of two
// opinions, where one that is sure outweighs one that is not. The same thresholds suit it
// as suit each.
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
