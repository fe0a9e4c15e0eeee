package moments

import (
	"context"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
)

// LogPartition returns n·A(θ), the log-partition function of n examples, as Fit wants
// it. It panics if n is not a positive finite number.
func (f *Family) LogPartition(n float64) em.Likelihood {
	if !(n > 0) || math.IsInf(n, 1) {
		panic("moments: LogPartition: a positive finite number of examples is wanted")
	}
	m, _ := f.phi.Dims()
	return &mixture{family: f, weight: []float64{n}, log: mat.NewDense(1, m, nil)}
}

// MarginalLikelihood returns Σ weight(o)·ln Σ_y S(o | y)·p_θ(y), the log likelihood of
// observations o that come out of c. It is not concave; em.Fit climbs it. The error
// wraps ErrInvalid if there are not as many weights as observations and values as
// inputs, a weight is not a finite number ≥ 0 or all are 0, or an observation that has
// one is impossible.
func (f *Family) MarginalLikelihood(c *Channel, weight []float64) (em.Likelihood, error) {
	if err := f.fits(c); err != nil {
		return nil, err
	}
	outputs, inputs := c.s.Dims()
	if len(weight) != outputs {
		return nil, invalid("%d weights of %d observations", len(weight), outputs)
	}
	log := mat.NewDense(outputs, inputs, nil)
	log.Apply(func(_, _ int, x float64) float64 { return math.Log(x) }, c.s)
	n := 0.0
	for o, w := range weight {
		switch {
		case !(w >= 0) || math.IsInf(w, 1):
			return nil, invalid("observation %d has the weight %g, want a finite number ≥ 0", o, w)
		case w > 0 && math.IsInf(floats.Max(log.RawRowView(o)), -1):
			return nil, invalid("observation %d was seen, but no value gives rise to it", o)
		}
		n += w
	}
	if !(n > 0) {
		return nil, invalid("no observations")
	}
	return &em.Difference{Plus: &mixture{family: f, weight: weight, log: log}, Minus: f.LogPartition(n)}, nil
}

// mixture is Σᵢ weightᵢ·ln Σ_y exp(logᵢ(y) + φ(y)·θ), in one shard.
type mixture struct {
	family *Family
	weight []float64
	log    *mat.Dense // row i: the ln of a measure on y
}

func (l *mixture) Params() *em.Params { return l.family.params }

func (l *mixture) Shards() int { return 1 }

func (l *mixture) Fingerprint(w io.Writer) {
	fmt.Fprintln(w, l.weight, l.log.RawMatrix(), l.family.phi.RawMatrix())
}

func (l *mixture) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(l)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m, d := l.family.phi.Dims()
	score := l.family.scores(q.Theta)
	p, uses := make([]float64, m), make([]float64, m)
	e := &em.Expectations{Arcs: int64(m * len(l.weight)), Examples: len(l.weight)}
	if q.Direction != nil {
		e.Curvature = make([]float64, d)
	}
	for i, w := range l.weight {
		if w == 0 {
			continue
		}
		floats.AddTo(p, score, l.log.RawRowView(i))
		floats.Scale(q.Temperature, p)
		e.LogLikelihood += w * posterior(p, q.EStep)
		floats.AddScaled(uses, w, p)
		if q.Direction != nil && q.EStep == em.Marginal {
			c := mat.NewVecDense(d, nil)
			c.MulVec(covariance(l.family.phi, p), mat.NewVecDense(d, q.Direction))
			floats.AddScaled(e.Curvature, w*q.Temperature, c.RawVector().Data)
		}
	}
	if x := e.LogLikelihood; x-x != 0 {
		return nil, invalid("the log-partition function is %g", x)
	}
	e.Counts = l.family.Mean(uses)
	for j, x := range e.Counts {
		if e.Curvature != nil {
			x += e.Curvature[j]
		}
		if x-x != 0 {
			return nil, invalid("the expectation of statistic %s or its change is %g", l.family.Name(j), x)
		}
	}
	return e, nil
}

// posterior turns log weights into probabilities, those of the best alone in the mode
// Viterbi, and returns the ln of their sum.
func posterior(p []float64, of em.EStep) float64 {
	if of == em.Viterbi {
		best := floats.MaxIdx(p)
		top := p[best]
		clear(p)
		p[best] = 1
		return top
	}
	a := floats.LogSumExp(p)
	for y := range p {
		p[y] = math.Exp(p[y] - a)
	}
	return a
}
