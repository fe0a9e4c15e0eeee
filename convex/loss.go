package convex

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// loss is a convex function of scores F, a matrix of rows that are stored one after the
// other. Weights and targets are its own.
type loss interface {
	// at returns the loss at f, stores the residual −∂loss/∂f in r, and the loss's convex
	// conjugate at −r, negated: the part of the dual value that depends on r alone.
	at(r, f []float64) (value, dual float64)
	// curve replaces x by the Hessian, at the f of the latest at, times x.
	curve(x []float64)
	// diagonal stores the diagonal of that Hessian.
	diagonal(d []float64)
	// fresh returns the same loss with memory of its own.
	fresh() loss
}

// choices is the loss Σⱼ Nⱼ ln Σₐ exp Fₐⱼ − Σ counts∘F of choices, one per column j,
// among the rows a.
type choices struct {
	weight []float64 // N, per column
	count  []float64 // per cell
	p      []float64 // per cell: the softmax of its column
}

func newChoices(weight, count []float64) *choices {
	return &choices{weight: weight, count: count, p: make([]float64, len(count))}
}

func (c *choices) fresh() loss { return newChoices(c.weight, c.count) }

func (c *choices) at(r, f []float64) (value, dual float64) {
	cols := len(c.weight)
	rows := len(f) / cols
	for j, n := range c.weight {
		top := math.Inf(-1)
		for i := j; i < len(f); i += cols {
			top = max(top, f[i])
		}
		sum := 0.0
		for i := j; i < len(f); i += cols {
			c.p[i] = math.Exp(f[i] - top)
			sum += c.p[i]
		}
		norm := top + math.Log(sum)
		value += n * norm
		dual += n * norm
		for a := range rows {
			i := a*cols + j
			c.p[i] /= sum
			r[i] = c.count[i] - n*c.p[i]
			value -= c.count[i] * f[i]
			dual -= n * c.p[i] * f[i]
		}
	}
	return value, dual
}

func (c *choices) curve(x []float64) {
	cols := len(c.weight)
	for j, n := range c.weight {
		mean := 0.0
		for i := j; i < len(x); i += cols {
			mean += c.p[i] * x[i]
		}
		for i := j; i < len(x); i += cols {
			x[i] = n * c.p[i] * (x[i] - mean)
		}
	}
}

func (c *choices) diagonal(d []float64) {
	cols := len(c.weight)
	for i, p := range c.p {
		d[i] = c.weight[i%cols] * p * (1 - p)
	}
}

// examples is the loss Σₐ Nₐ ln Σⱼ exp(Fₐⱼ + offsetⱼ) − Σ counts∘F of choices, one per
// row a, among the columns j: of examples to have the value of (Guo and Schuurmans 2007,
// Lemma 3).
type examples struct {
	weight []float64 // N, per row
	count  []float64 // per cell
	offset []float64 // per column
	p      []float64 // per cell: the softmax of its row
}

func newExamples(weight, count []float64, cols int) *examples {
	return &examples{weight: weight, count: count, offset: make([]float64, cols), p: make([]float64, len(count))}
}

func (e *examples) fresh() loss { return newExamples(e.weight, e.count, len(e.offset)) }

func (e *examples) at(r, f []float64) (value, dual float64) {
	cols := len(e.offset)
	for a, n := range e.weight {
		lo, hi := a*cols, (a+1)*cols
		p, f, count, r := e.p[lo:hi], f[lo:hi], e.count[lo:hi], r[lo:hi]
		floats.AddTo(p, f, e.offset)
		top := floats.Max(p)
		sum := 0.0
		for j, x := range p {
			p[j] = math.Exp(x - top)
			sum += p[j]
		}
		floats.Scale(1/sum, p)
		norm := n * (top + math.Log(sum))
		value += norm - floats.Dot(count, f)
		dual += norm - n*floats.Dot(p, f)
		floats.AddScaledTo(r, count, -n, p)
	}
	return value, dual
}

func (e *examples) curve(x []float64) {
	cols := len(e.offset)
	for a, n := range e.weight {
		p, x := e.p[a*cols:(a+1)*cols], x[a*cols:(a+1)*cols]
		mean := floats.Dot(p, x)
		for j, q := range p {
			x[j] = n * q * (x[j] - mean)
		}
	}
}

func (e *examples) diagonal(d []float64) {
	cols := len(e.offset)
	for i, p := range e.p {
		d[i] = e.weight[i/cols] * p * (1 - p)
	}
}

// squares is the loss Σⱼ Nⱼ/2·|xⱼ − Fⱼ|² over the columns j.
type squares struct {
	weight []float64 // N, per column
	x      []float64 // per cell
}

func (s *squares) fresh() loss { return s }

func (s *squares) at(r, f []float64) (value, dual float64) {
	cols := len(s.weight)
	for i, x := range s.x {
		n, e := s.weight[i%cols], x-f[i]
		r[i] = n * e
		value += n * e * e / 2
		dual += n * e * (x - e/2)
	}
	return value, dual
}

func (s *squares) curve(x []float64) {
	s.each(func(i int, n float64) { x[i] *= n })
}

func (s *squares) diagonal(d []float64) {
	s.each(func(i int, n float64) { d[i] = n })
}

func (s *squares) each(do func(i int, n float64)) {
	for i := range s.x {
		do(i, s.weight[i%len(s.weight)])
	}
}

// logSoftmax stores the ln of the softmax of w.
func logSoftmax(dst, w []float64) {
	norm := floats.LogSumExp(w)
	for i, x := range w {
		dst[i] = x - norm
	}
}
