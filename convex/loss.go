package convex

import (
	"math"
	"slices"

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

// choices is the loss Σₖ Nₖ ln Σₐ exp(Fₖₐ + offsetₐ) − Σ counts∘F of choices k among
// alternatives a. Choices are columns, among the rows: of a child among its values. Or they
// are rows, among the columns: of examples to have the value of (Guo and Schuurmans 2007,
// Lemma 3).
type choices struct {
	weight     []float64 // N, per choice
	count      []float64 // per cell
	offset     []float64 // per alternative; nil: 0
	next, step int       // from a choice's cell to that of the next choice, and alternative
	p          []float64 // per cell: the softmax of its choice
}

// amongRows returns the loss of choices of which each is a column.
func amongRows(weight, count []float64) *choices {
	return &choices{weight: weight, count: count, next: 1, step: len(weight), p: make([]float64, len(count))}
}

// amongColumns returns the loss of choices of which each is a row, with offsets of 0.
func amongColumns(weight, count []float64) *choices {
	cols := len(count) / len(weight)
	return &choices{weight: weight, count: count, offset: make([]float64, cols), next: cols, step: 1, p: make([]float64, len(count))}
}

func (c *choices) fresh() loss {
	d := *c
	d.offset, d.p = slices.Clone(c.offset), make([]float64, len(c.p))
	return &d
}

// cells returns the first cell of choice k, and an end after its last.
func (c *choices) cells(k int) (lo, hi int) {
	return k * c.next, k*c.next + len(c.count)/len(c.weight)*c.step
}

func (c *choices) at(r, f []float64) (value, dual float64) {
	p := c.p
	copy(p, f)
	for k, n := range c.weight {
		lo, hi := c.cells(k)
		if c.offset != nil {
			floats.Add(p[lo:hi], c.offset)
		}
		top := math.Inf(-1)
		for i := lo; i < hi; i += c.step {
			top = max(top, p[i])
		}
		sum := 0.0
		for i := lo; i < hi; i += c.step {
			p[i] = math.Exp(p[i] - top)
			sum += p[i]
		}
		norm := top + math.Log(sum)
		value += n * norm
		dual += n * norm
		for i := lo; i < hi; i += c.step {
			p[i] /= sum
			r[i] = c.count[i] - n*p[i]
			value -= c.count[i] * f[i]
			dual -= n * p[i] * f[i]
		}
	}
	return value, dual
}

func (c *choices) curve(x []float64) {
	for k, n := range c.weight {
		lo, hi := c.cells(k)
		mean := 0.0
		for i := lo; i < hi; i += c.step {
			mean += c.p[i] * x[i]
		}
		for i := lo; i < hi; i += c.step {
			x[i] = n * c.p[i] * (x[i] - mean)
		}
	}
}

func (c *choices) diagonal(d []float64) {
	for k, n := range c.weight {
		lo, hi := c.cells(k)
		for i := lo; i < hi; i += c.step {
			d[i] = n * c.p[i] * (1 - c.p[i])
		}
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
