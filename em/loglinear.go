package em

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// LogLinear is a law for probabilities that are computed from features. Its group
// consists of d strengths, followed by the outcomes of one or more sets, each of
// which sums to 1:
//
//	p(o) = ∏ₖ exp(wₖ)^(times k fires in o) / the sum of that over o's set.
//
// In θ, a strength is represented by its log weight w, of any sign, and an outcome by p, so
// p in θ is a function of w. The value of a strength is exp(w). It may be a
// factor of weights by itself, for models that are normalized as a whole (Eisner
// 2002, §3; see cascade.GlobalLogLinear); it then has no M step. All outcomes in which a feature
// fires share its strength, in one set or in several.
//
// Without a prior an outcome that never occurs may have no finite best strengths:
// they grow until the derivatives are below the tolerance.
type LogLinear struct {
	options LogLinearOptions
	d       int
	set     []int32 // the first outcome of each set, then the number of all outcomes
	row     []int32 // the first term of each outcome, then the number of all terms
	terms   []Term
}

// LogLinearOptions configures the estimation of a log-linear model.
type LogLinearOptions struct {
	// Sigma is the standard deviation of a Gaussian prior of each w around 0
	// (0: none).
	Sigma float64
	// Scale is the scale of a Laplace prior: the density falls as exp(−|w|/Scale)
	// (0: none). It makes strengths that do not help enough exactly 1.
	Scale float64
	// Step is the M step (default Exact{}).
	Step LogLinearStep
}

// Term is an occurrence of a feature: the strength with this index is a factor
// Times times.
type Term struct {
	Strength int32
	Times    float64
}

// NewLogLinear returns the law with the given number of strengths and sets of
// outcomes; sets[s][o] contains the terms of outcome o of set s. It fits groups of
// Len parameters. The error wraps ErrParameter. It reports a term whose strength does not exist
// or whose Times is not finite, or invalid options.
func NewLogLinear(strengths int, sets [][][]Term, options LogLinearOptions) (*LogLinear, error) {
	bad := func(format string, args ...any) (*LogLinear, error) {
		return nil, nested.Errorf("em: %w: "+format, append([]any{ErrParameter}, args...)...)
	}
	if !(options.Sigma >= 0) || !(options.Scale >= 0) {
		return bad("prior with sigma %g and scale %g, want numbers ≥ 0", options.Sigma, options.Scale)
	}
	if options.Step == nil {
		options.Step = Exact{}
	}
	l := &LogLinear{options: options, d: strengths, set: []int32{0}, row: []int32{0}}
	for s, outcomes := range sets {
		for o, terms := range outcomes {
			for _, t := range terms {
				if t.Strength < 0 || int(t.Strength) >= strengths || t.Times-t.Times != 0 {
					return bad("outcome %d of set %d has strength %d of %d fire %g times", o, s, t.Strength, strengths, t.Times)
				}
			}
			l.terms = append(l.terms, terms...)
			l.row = append(l.row, int32(len(l.terms)))
		}
		l.set = append(l.set, int32(len(l.row)-1))
	}
	if err := options.Step.check(l); err != nil {
		return bad("%v", err)
	}
	return l, nil
}

// Len returns the number of parameters: strengths and outcomes.
func (l *LogLinear) Len() int { return l.d + l.outcomes() }

func (l *LogLinear) outcomes() int { return len(l.row) - 1 }

// Outcome returns the index, in the group, of outcome o of set s.
func (l *LogLinear) Outcome(s, o int) int { return l.d + int(l.set[s]) + o }

// logs fills logp with the ln of the probabilities of the outcomes at the log
// weights w.
func (l *LogLinear) logs(logp, w []float64) {
	for o := range logp {
		logp[o] = l.along(o, w)
	}
	for s, lo := range l.set[:len(l.set)-1] {
		set := logp[lo:l.set[s+1]]
		top, total := math.Inf(-1), 0.0
		for _, x := range set {
			top = math.Max(top, x)
		}
		for _, x := range set {
			total += math.Exp(x - top)
		}
		norm := top + math.Log(total)
		for i := range set {
			set[i] -= norm
		}
	}
}

// along returns Σ times·v over the terms of outcome o.
func (l *LogLinear) along(o int, v []float64) float64 {
	sum := 0.0
	for _, t := range l.terms[l.row[o]:l.row[o+1]] {
		sum += t.Times * v[t.Strength]
	}
	return sum
}

// Derive computes the outcomes of theta from its strengths.
func (l *LogLinear) Derive(theta []float64) {
	p := theta[l.d:]
	l.logs(p, theta[:l.d])
	for i, x := range p {
		p[i] = math.Exp(x)
	}
}

// Start sets every w to 0: the outcomes of a set are uniform.
func (l *LogLinear) Start(theta []float64) {
	clear(theta[:l.d])
	l.Derive(theta)
}

// Random draws every w from the standard normal distribution.
func (l *LogLinear) Random(theta []float64, src rand.Source) {
	rng := rand.New(src)
	for k := range theta[:l.d] {
		theta[k] = rng.NormFloat64()
	}
	l.Derive(theta)
}

// Check requires outcomes that equal the probabilities computed from the strengths within 1e-6.
func (l *LogLinear) Check(theta []float64) error {
	if len(theta) != l.Len() {
		return fmt.Errorf("%d parameters, want %d strengths and %d outcomes", len(theta), l.d, l.outcomes())
	}
	want := make([]float64, l.Len())
	copy(want, theta[:l.d])
	l.Derive(want)
	for i, p := range want {
		if !(math.Abs(p-theta[i]) <= 1e-6) {
			return fmt.Errorf("outcome %d has probability %g, its strengths say %g", i-l.d, theta[i], p)
		}
	}
	return nil
}

// Values sets exp(w) for strengths and p for outcomes. Probabilities do not
// underflow.
func (l *LogLinear) Values(values []semiring.ScaledFloat, theta []float64) {
	logs := make([]float64, len(theta))
	copy(logs, theta[:l.d])
	l.logs(logs[l.d:], theta[:l.d])
	for i, x := range logs {
		values[i] = semiring.ScaledFromLog(x)
	}
}

// LogPrior is −Σ w²/2σ² − Σ |w|/scale.
func (l *LogLinear) LogPrior(theta []float64) float64 {
	return l.strengths().LogPrior(theta[:l.d]) - floats.Norm(theta[:l.d], 1)*inverse(l.options.Scale)
}

// strengths returns the law of the strengths as plain exponents.
func (l *LogLinear) strengths() Exponents {
	return Exponents{Mean: Times(0), Sigma: l.options.Sigma}
}

// AddPrior adds −w/σ² to the counts of strengths.
func (l *LogLinear) AddPrior(counts, theta []float64) {
	l.strengths().AddPrior(counts, theta[:l.d])
}

// AddPriorTangent adds −dw/σ².
func (l *LogLinear) AddPriorTangent(dcounts, theta, dx []float64) {
	l.strengths().AddPriorTangent(dcounts[:l.d], theta, dx)
}

// Maximize performs the M step of the options' Step. Its error wraps ErrMethod if a
// strength has a count of its own.
func (l *LogLinear) Maximize(theta, counts []float64) error {
	for k, c := range counts[:l.d] {
		if c != 0 {
			return fmt.Errorf("%w: strength %d is a weight by itself; train by LBFGS or SGD, or by the Difference of two likelihoods", ErrMethod, k)
		}
	}
	if err := checkCounts(counts); err != nil {
		return err
	}
	if err := l.options.Step.maximize(l, theta, counts); err != nil {
		return err
	}
	l.Derive(theta)
	return nil
}

// Scale adds ln to every log weight of a law without outcomes. It returns false if there are
// outcomes, as these are normalized.
func (l *LogLinear) Scale(theta []float64, ln float64) bool {
	if l.outcomes() > 0 {
		return false
	}
	for k := range theta {
		theta[k] += ln
	}
	return true
}

// Dim returns the number of strengths.
func (l *LogLinear) Dim([]float64) int { return l.d }

// Coordinates sets x = w.
func (l *LogLinear) Coordinates(x, theta []float64) { copy(x, theta[:l.d]) }

// Theta sets w = x and computes the outcomes.
func (l *LogLinear) Theta(theta, x []float64) {
	copy(theta, x)
	l.Derive(theta)
}

// Gradient sets observed minus predicted firings of each feature, Σₒ (countₒ −
// N·p(o))·times, plus the strength's own count. N is the sum of the counts of o's set.
func (l *LogLinear) Gradient(dx, theta, counts []float64) {
	copy(dx, counts[:l.d])
	c, p := counts[l.d:], theta[l.d:]
	for s, lo := range l.set[:len(l.set)-1] {
		hi := l.set[s+1]
		total := vector.Sum(c[lo:hi])
		for o := lo; o < hi; o++ {
			l.fire(dx, o, c[o]-total*p[o])
		}
	}
}

// fire adds n occurrences of outcome o to the derivatives dx of its strengths.
func (l *LogLinear) fire(dx []float64, o int32, n float64) {
	for _, t := range l.terms[l.row[o]:l.row[o+1]] {
		dx[t.Strength] += n * t.Times
	}
}

// Tangent sets dx for strengths. For an outcome it sets the sum over its terms minus the
// mean of this sum over the set.
func (l *LogLinear) Tangent(direction, theta, dx []float64) {
	copy(direction, dx)
	d, p := direction[l.d:], theta[l.d:]
	for o := range d {
		d[o] = l.along(o, dx)
	}
	for s, lo := range l.set[:len(l.set)-1] {
		set := d[lo:l.set[s+1]]
		mean := 0.0
		for i, x := range set {
			mean += p[int(lo)+i] * x
		}
		for i := range set {
			set[i] -= mean
		}
	}
}

// GradientTangent sets the change of Gradient.
func (l *LogLinear) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	direction := make([]float64, len(theta))
	l.Tangent(direction, theta, dx)
	copy(ddx, dcounts[:l.d])
	c, dc, p, dlogp := counts[l.d:], dcounts[l.d:], theta[l.d:], direction[l.d:]
	for s, lo := range l.set[:len(l.set)-1] {
		hi := l.set[s+1]
		total, dtotal := vector.Sum(c[lo:hi]), vector.Sum(dc[lo:hi])
		for o := lo; o < hi; o++ {
			l.fire(ddx, o, dc[o]-p[o]*(dtotal+total*dlogp[o]))
		}
	}
}

// L1 sets 1/scale, or 0 without a Laplace prior.
func (l *LogLinear) L1(weights, _ []float64) {
	for k := range weights {
		weights[k] = inverse(l.options.Scale)
	}
}

// LogLinearStep is an M step of a log-linear model: Exact, Partial or Scaling.
// Each of them leaves Σ counts·ln p + log prior at least as high as before.
type LogLinearStep interface {
	// check returns an error if the step does not apply to l.
	check(l *LogLinear) error
	// maximize moves the strengths of theta. On entry the outcomes of theta belong to its
	// strengths.
	maximize(l *LogLinear, theta, counts []float64) error
}
