package moments

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
)

// Family is the exponential family of a y with few values: p_θ(y) = exp(φ(y)·θ − A(θ)). It is safe
// for concurrent use.
type Family struct {
	phi    *mat.Dense // a row per y
	params *em.Params
	names  []string
}

// NewFamily returns the family with φ(y) = row y of phi. names are the names of the statistics,
// which are the columns; nil stands for their indices. The error wraps ErrInvalid if there are no
// values or statistics, an entry is not finite, or the number of names differs from the number of
// statistics.
func NewFamily(phi mat.Matrix, names []string) (*Family, error) {
	m, d := phi.Dims()
	if m == 0 || d == 0 || names != nil && len(names) != d {
		return nil, invalid("a family of %d values and %d statistics with %d names", m, d, len(names))
	}
	if i, j, ok := finite(phi); !ok {
		return nil, invalid("statistic %d of value %d is %g", j, i, phi.At(i, j))
	}
	law, err := em.NewLogLinear(d, nil, em.LogLinearOptions{})
	if err != nil {
		return nil, err
	}
	f := &Family{phi: mat.DenseCopyOf(phi), params: em.NewParams(), names: slices.Clone(names)}
	f.params.Group("theta", d, law).SetNames(f.Name)
	return f, nil
}

// finite reports whether all entries are finite, and otherwise returns the position of the first
// that is not.
func finite(m mat.Matrix) (row, column int, ok bool) {
	rows, columns := m.Dims()
	for i := range rows {
		for j := range columns {
			if x := m.At(i, j); x-x != 0 {
				return i, j, false
			}
		}
	}
	return 0, 0, true
}

// Dims returns the numbers of values of y and of statistics.
func (f *Family) Dims() (values, statistics int) { return f.phi.Dims() }

// Name returns the name of statistic j.
func (f *Family) Name(j int) string {
	if f.names == nil {
		return fmt.Sprint(j)
	}
	return f.names[j]
}

// Probabilities returns p_θ(y) for each y; they are NaN if theta is not finite. It panics unless
// theta has an element per statistic.
func (f *Family) Probabilities(theta []float64) []float64 {
	p := f.scores(theta)
	if sum := floats.Sum(p); sum-sum != 0 {
		// Only differences of scores must be in the range of float64.
		const far = 1030 // more than the exponent of any number
		small := slices.Clone(theta)
		floats.Scale(math.Ldexp(1, -far), small)
		p = f.scores(small)
		top := floats.Max(p)
		for y, s := range p {
			p[y] = math.Ldexp(s-top, far)
		}
	}
	a := floats.LogSumExp(p)
	for y := range p {
		p[y] = math.Exp(p[y] - a)
	}
	return p
}

// scores returns φ(y)·θ for each y.
func (f *Family) scores(theta []float64) []float64 {
	m, d := f.phi.Dims()
	if len(theta) != d {
		panic("moments: one weight per statistic is wanted")
	}
	s := mat.NewVecDense(m, nil)
	s.MulVec(f.phi, mat.NewVecDense(d, theta))
	return s.RawVector().Data
}

// Mean returns Σ p(y)·φ(y), where p has an element per y and need not be a
// distribution. It panics if p has another length.
func (f *Family) Mean(p []float64) []float64 {
	m, d := f.phi.Dims()
	if len(p) != m {
		panic("moments: Mean: one number per value is wanted")
	}
	mu := mat.NewVecDense(d, nil)
	mu.MulVec(f.phi.T(), mat.NewVecDense(m, p))
	return mu.RawVector().Data
}

// Information returns the covariance of the statistics under p_θ, which is the Fisher information
// of θ if y is observed. If squares of statistics exceed the range of float64, the result is
// infinite or NaN. It panics like Probabilities.
func (f *Family) Information(theta []float64) *mat.SymDense {
	return covariance(f.phi, f.Probabilities(theta))
}

// covariance returns the covariance of the rows of m, drawn by p.
func covariance(m *mat.Dense, p []float64) *mat.SymDense {
	rows, d := m.Dims()
	mean := make([]float64, d)
	for i := range rows {
		floats.AddScaled(mean, p[i], m.RawRowView(i))
	}
	c, row := mat.NewSymDense(d, nil), make([]float64, d)
	for i := range rows {
		floats.SubTo(row, m.RawRowView(i), mean)
		c.SymRankOne(c, p[i], mat.NewVecDense(d, row))
	}
	return c
}

// LogPartition returns n·A(θ), the log-partition function of n examples, for Fit. It panics if n is
// not a positive finite number.
func (f *Family) LogPartition(n float64) em.Likelihood {
	if !(n > 0) || math.IsInf(n, 1) {
		panic("moments: LogPartition: a positive finite number of examples is wanted")
	}
	m, _ := f.phi.Dims()
	return &mixture{family: f, weight: []float64{n}, log: mat.NewDense(1, m, nil)}
}

// MarginalLikelihood returns Σ weight(o)·ln Σ_y S(o | y)·p_θ(y), the log likelihood of the
// observations o of c. It is not concave; em.Fit finds a local maximum. The error wraps ErrInvalid
// if the numbers of weights and values differ from the numbers of observations and inputs of c. It
// also wraps ErrInvalid if a weight is not a finite number ≥ 0, all are 0, or an observation with a
// positive weight is impossible.
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

// examples returns the number of examples for which the weights stand.
func (l *mixture) examples() int {
	return int(math.Min(math.Ceil(floats.Sum(l.weight)), math.MaxInt32))
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
	e := &em.Expectations{Arcs: int64(m * len(l.weight)), Examples: l.examples()}
	if q.Tangent != nil {
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
		if q.Tangent != nil && q.EStep == em.Marginal {
			c := mat.NewVecDense(d, nil)
			c.MulVec(covariance(l.family.phi, p), mat.NewVecDense(d, q.Tangent))
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
	q.Deliver(e)
	return e, nil
}

// posterior converts log weights to probabilities and returns the ln of the sum of the weights. In
// mode Viterbi, the best has probability 1 and all others 0.
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
