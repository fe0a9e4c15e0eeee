package align

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Choice chooses links of one Sentence by a tunable threshold, a number greater than 0: Posterior,
// Competitive, Symmetric.
type Choice interface {
	// Words returns the numbers of words of the Sentence.
	Words() (source, target int)

	// Align returns the links chosen at the threshold. At a threshold greater than every posterior
	// the alignment is empty.
	Align(threshold float64) Alignment

	// Steps yields the changes of Align as the threshold falls from +Inf to least, which is not
	// negative. It takes memory only for the links of these posteriors.
	Steps(least float64) iter.Seq[Step]
}

// Step is a change of the chosen links.
type Step struct {
	Threshold      float64   // the greatest threshold after the change; decreasing
	Added, Removed Alignment // not both empty
}

// Align returns the links whose posterior is at least the threshold, which is greater than 0, in
// O(E·F).
func (p *Posterior) Align(threshold float64) Alignment {
	var out Alignment
	for i, x := range p.P {
		if x >= threshold {
			out = append(out, p.link(i))
		}
	}
	return out
}

// Steps yields the links of a posterior of least or more from the greatest posterior to the least;
// links of posterior 0 are never chosen. For n such links it takes O(E·F + n·log n).
func (p *Posterior) Steps(least float64) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		var order []int
		for i, x := range p.P {
			if x > 0 && x >= least {
				order = append(order, i)
			}
		}
		slices.SortStableFunc(order, func(i, j int) int { return descending(p.P[i], p.P[j]) })
		for len(order) > 0 {
			step := Step{Threshold: p.P[order[0]]}
			for len(order) > 0 && p.P[order[0]] == step.Threshold {
				step.Added = append(step.Added, p.link(order[0]))
				order = order[1:]
			}
			if !yield(step) {
				return
			}
		}
	}
}

func (p *Posterior) link(i int) Link { return Link{i / p.Target, i % p.Target} }

// Symmetric is a symmetrization, such as GrowDiagFinalAnd, of the links that two posteriors,
// usually of the two directions, choose at the same threshold. (Min and Max give the same
// links as Intersection and Union, and are faster.)
type Symmetric struct {
	Forward, Backward *Posterior
	Combine           func(forward, backward Alignment) Alignment
}

// Words returns the numbers of words of the Sentence.
func (s Symmetric) Words() (source, target int) { return s.Forward.Words() }

// Align returns the symmetrization at the threshold.
func (s Symmetric) Align(threshold float64) Alignment {
	return s.Combine(s.Forward.Align(threshold), s.Backward.Align(threshold))
}

// Steps yields the changes. It calls Align for each different posterior of least or more.
func (s Symmetric) Steps(least float64) iter.Seq[Step] {
	return steps(s.Align, least, s.Forward.P, s.Backward.P)
}

// steps yields the changes of align, which can change only at the given thresholds, down to least.
func steps(align func(threshold float64) Alignment, least float64, thresholds ...[]float64) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		var values []float64
		for _, of := range thresholds {
			for _, x := range of {
				if x > 0 && x >= least {
					values = append(values, x)
				}
			}
		}
		slices.SortFunc(values, descending)
		var before Alignment
		for _, t := range slices.Compact(values) {
			now := align(t)
			step := Step{Threshold: t}
			merge(now, before, func(l Link, is, was bool) {
				switch {
				case !was:
					step.Added = append(step.Added, l)
				case !is:
					step.Removed = append(step.Removed, l)
				}
			})
			before = now
			if len(step.Added)+len(step.Removed) > 0 && !yield(step) {
				return
			}
		}
	}
}

func descending(x, y float64) int { return cmp.Compare(y, x) }

// Competitive chooses links by competitive thresholding (DeNero and Klein 2007, §3): among the
// links of a source word whose posterior is at least the threshold, it keeps the best one and the
// contiguous run around it. It then does the same for each target word with the remaining links. A
// word is therefore never aligned with words far from each other.
type Competitive struct{ *Posterior }

// Align returns the links chosen at the threshold, which is greater than 0, in
// O(E·F).
func (c Competitive) Align(threshold float64) Alignment {
	p := c.Posterior
	rows := make([]bool, len(p.P))
	for e := range p.Source {
		compete(p.P, rows, e*p.Target, (e+1)*p.Target, 1, func(i int) bool { return p.P[i] >= threshold })
	}
	kept := make([]bool, len(p.P))
	for f := range p.Target {
		compete(p.P, kept, f, len(p.P), p.Target, func(i int) bool { return rows[i] })
	}
	var out Alignment
	for i, in := range kept {
		if in {
			out = append(out, p.link(i))
		}
	}
	return out
}

// Steps yields the changes. It calls Align for each different posterior of least or more.
func (c Competitive) Steps(least float64) iter.Seq[Step] { return steps(c.Align, least, c.P) }

// compete keeps, among the allowed entries from, from+stride, … before to, the first best one and
// the contiguous run of allowed entries around it.
func compete(p []float64, kept []bool, from, to, stride int, may func(int) bool) {
	best := -1
	for i := from; i < to; i += stride {
		if may(i) && (best < 0 || p[i] > p[best]) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	for i := best; i >= from && may(i); i -= stride {
		kept[i] = true
	}
	for i := best; i < to && may(i); i += stride {
		kept[i] = true
	}
}

// Posterior holds the probability, given one Sentence, of every link of its words. In a model that
// generates the target, each target word comes from one source word or from NULL: each column sums
// to at most 1, and the rest is the posterior of NULL. For the other direction the same applies to
// the rows.
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

// Row returns the posteriors of the links of source word e, one for each target word. The slice
// aliases P.
func (p *Posterior) Row(e int) []float64 { return p.P[e*p.Target : (e+1)*p.Target : (e+1)*p.Target] }

// Words returns the numbers of words of the Sentence.
func (p *Posterior) Words() (source, target int) { return p.Source, p.Target }

// Combinations of the posteriors of two models, usually of the two directions, of one Sentence.
// They panic if the numbers of words differ.

// Average returns the mean of two posteriors, link by link. A confident model outweighs an
// uncertain one. The thresholds that suit each posterior also suit the average.
func Average(p, q *Posterior) *Posterior {
	return combine(p, q, func(x, y float64) float64 { return (x + y) / 2 })
}

// Product returns the product of two posteriors, link by link, for links that both models support.
// A product that underflows is 0. At suitable thresholds it chooses the links that the geometric
// mean, its square root, chooses.
func Product(p, q *Posterior) *Posterior {
	return combine(p, q, func(x, y float64) float64 { return x * y })
}

// Min returns the lesser of two posteriors, link by link. Its links at a threshold are the
// Intersection of the links of both at that threshold.
func Min(p, q *Posterior) *Posterior { return combine(p, q, math.Min) }

// Max returns the greater of two posteriors, link by link. Its links at a threshold are the
// Union of the links of both at that threshold.
func Max(p, q *Posterior) *Posterior { return combine(p, q, math.Max) }

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
