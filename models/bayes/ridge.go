package bayes

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// Ridge is the law of probabilities pᵢ ∝ exp(wᵢ) with the log prior −½β·Σ wᵢ², where
// Σ wᵢ = 0: multinomial logistic regression with a Gaussian prior, as package convex has
// it. Its parameters are the probabilities. None becomes 0, and without counts they
// become uniform. Start, Random and coordinates are em.Multinomial's.
type Ridge struct {
	simplex
	// Beta is the ridge, > 0 and finite.
	Beta float64 `json:"beta"`
}

type simplex = em.Multinomial

func init() { em.RegisterLaw("ridge", Ridge{}) }

// Check asks for a sum of 1 within 1e-6 and for β > 0. A probability of 0 is legal but
// has the log prior −Inf.
func (r Ridge) Check(theta []float64) error {
	if !(r.Beta > 0) || math.IsInf(r.Beta, 1) {
		return fmt.Errorf("ridge %g, want a finite number > 0", r.Beta)
	}
	return r.simplex.Check(theta)
}

// strengths returns w at theta.
func (r Ridge) strengths(theta []float64) []float64 {
	w := make([]float64, len(theta))
	for i, p := range theta {
		w[i] = math.Log(p)
	}
	if len(w) > 0 {
		floats.AddConst(-floats.Sum(w)/float64(len(w)), w)
	}
	return w
}

// LogPrior is −½β·Σ w².
func (r Ridge) LogPrior(theta []float64) float64 {
	for _, p := range theta {
		if p == 0 {
			return math.Inf(-1)
		}
	}
	w := r.strengths(theta)
	return -r.Beta / 2 * floats.Dot(w, w)
}

// Maximize sets the mode, to rounding, by Newton's method on the strictly convex
// N·ln Σ exp w − counts·w + ½β·w²; a step takes time in proportion to the parameters.
func (r Ridge) Maximize(theta, counts []float64) error {
	total := 0.
	for i, c := range counts {
		if !(c >= 0) || math.IsInf(c, 1) {
			return fmt.Errorf("%w: count %d is %g", em.ErrParameter, i, c)
		}
		total += c
	}
	n := len(theta)
	w, next, step := make([]float64, n), make([]float64, n), make([]float64, n)
	value := r.loss(w, counts, total)
	for range 100 {
		norm := floats.LogSumExp(w)
		// (β + N·diag p − N·ppᵀ)·step = −gradient, by Sherman and Morrison.
		slope, along, across := 0., 0., 1.
		for i := range w {
			p := math.Exp(w[i] - norm)
			theta[i] = total*p - counts[i] + r.Beta*w[i]
			d := r.Beta + total*p
			step[i] = -theta[i] / d
			along += total * p * step[i]
			across -= total * p * p / d
		}
		for i := range w {
			p := math.Exp(w[i] - norm)
			step[i] += p / (r.Beta + total*p) * along / across
			slope += theta[i] * step[i]
		}
		if !(slope < -1e-13*max(1, math.Abs(value))) { // so near that a full step is all
			floats.Add(w, step)
			break
		}
		size := 1.
		for floats.AddTo(next, w, step); ; floats.AddScaledTo(next, w, size, step) {
			v := r.loss(next, counts, total)
			if v <= value+1e-4*size*slope || size < 1e-10 {
				value = v
				break
			}
			size /= 2
		}
		w, next = next, w
	}
	norm := floats.LogSumExp(w)
	for i := range theta {
		theta[i] = math.Exp(w[i] - norm)
	}
	return nil
}

// loss is minus the objective of Maximize.
func (r Ridge) loss(w, counts []float64, total float64) float64 {
	return total*floats.LogSumExp(w) - floats.Dot(counts, w) + r.Beta/2*floats.Dot(w, w)
}

// AddPrior adds −β·w.
func (r Ridge) AddPrior(counts, theta []float64) {
	floats.AddScaled(counts, -r.Beta, r.strengths(theta))
}

// AddPriorTangent adds −β·dw: wᵢ changes by 1 − 1/n with coordinate i, the others by −1/n.
func (r Ridge) AddPriorTangent(dcounts, theta, dx []float64) {
	floats.AddScaled(dcounts[:len(dx)], -r.Beta, dx)
	floats.AddConst(r.Beta*floats.Sum(dx)/float64(len(theta)), dcounts)
}
