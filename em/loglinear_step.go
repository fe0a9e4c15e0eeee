package em

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/lbfgs"
)

// Exact finds the maximum by L-BFGS, orthant-wise with a Laplace prior.
type Exact struct {
	// Tolerance ends it when no derivative exceeds Tolerance times the
	// magnitude of the maximum or 1, whichever is greater (default 1e-9). It also ends after
	// 10⁴ steps.
	Tolerance float64
}

func (e Exact) check(*LogLinear) error {
	if !(e.Tolerance >= 0) {
		return fmt.Errorf("tolerance %g, want a number ≥ 0", e.Tolerance)
	}
	return nil
}

func (e Exact) maximize(l *LogLinear, theta, counts []float64) error {
	e.Tolerance = cmp.Or(e.Tolerance, 1e-9)
	return l.descend(theta, counts, lbfgs.Stop{Gradient: e.Tolerance, Steps: 10000})
}

// Partial makes Steps steps of L-BFGS towards the maximum. Each of them climbs, so EM
// becomes generalized EM.
type Partial struct{ Steps int }

func (p Partial) check(*LogLinear) error {
	if p.Steps < 1 {
		return fmt.Errorf("%d steps, want at least 1", p.Steps)
	}
	return nil
}

func (p Partial) maximize(l *LogLinear, theta, counts []float64) error {
	return l.descend(theta, counts, lbfgs.Stop{Steps: p.Steps})
}

// descend minimizes −Σ counts·ln p − log prior.
func (l *LogLinear) descend(theta, counts []float64, stop lbfgs.Stop) error {
	at, logp := make([]float64, len(theta)), make([]float64, l.outcomes())
	var weights []float64
	if l.options.Scale > 0 {
		weights = make([]float64, l.d)
		l.L1(weights, theta)
	}
	end, err := lbfgs.Minimize(theta[:l.d], weights, stop, func(gradient, w []float64) (float64, error) {
		l.logs(logp, w)
		value := -l.strengths().LogPrior(w)
		copy(at, w)
		for o, x := range logp {
			at[l.d+o] = math.Exp(x)
			if c := counts[l.d+o]; c != 0 {
				value -= c * x
			}
		}
		l.Gradient(gradient, at, counts)
		l.AddPrior(gradient, w) // coordinates are strengths
		floats.Scale(-1, gradient)
		return value, nil
	})
	if err != nil {
		return err
	}
	copy(theta, end.At)
	return nil
}

// Scaling makes one step of improved iterative scaling (Della Pietra, Della Pietra
// and Lafferty 1997). It moves each strength separately to the maximum of a lower bound of
// the objective; EM becomes generalized EM. Features must fire a number
// of times ≥ 0.
type Scaling struct{}

func (Scaling) check(l *LogLinear) error {
	for _, t := range l.terms {
		if t.Times < 0 {
			return errors.New("improved iterative scaling of a feature that fires less than 0 times")
		}
	}
	return nil
}

func (Scaling) maximize(l *LogLinear, theta, counts []float64) error {
	c, p := counts[l.d:], theta[l.d:]
	equations := make([]scaling, l.d)
	for s, lo := range l.set[:len(l.set)-1] {
		total := vector.Sum(c[lo:l.set[s+1]])
		for o := lo; o < l.set[s+1]; o++ {
			terms := l.terms[l.row[o]:l.row[o+1]]
			all := 0.0
			for _, t := range terms {
				all += t.Times
				equations[t.Strength].observed += c[o] * t.Times
			}
			for _, t := range terms {
				if total*p[o] > 0 && t.Times > 0 {
					e := &equations[t.Strength]
					e.predicted = append(e.predicted, firing{total * p[o] * t.Times, all})
				}
			}
		}
	}
	for k := range equations {
		e := &equations[k]
		theta[k] += e.step(theta[k], l.strengths().precision(), inverse(l.options.Scale))
	}
	return nil
}

// scaling is the equation for the step δ of one strength: the derivative of a
// concave bound, observed − Σ mass·exp(δ·all) − prior, is 0.
type scaling struct {
	observed  float64
	predicted []firing
}

// firing is the predicted mass of a feature in an outcome, and the total firings of all features
// in this outcome.
type firing struct{ mass, all float64 }

// step returns the root δ from the weight w.
func (e *scaling) step(w, precision, l1 float64) float64 {
	// A Laplace prior has a derivative of either sign; if w + δ = 0, its subderivatives are
	// all values in between.
	kink, _ := e.mass(-w)
	kink -= e.observed
	if l1 > 0 && math.Abs(kink) <= l1 {
		return -w
	}
	target := e.observed - precision*w + math.Copysign(l1, kink)
	if len(e.predicted) == 0 {
		return target * inverse(precision)
	}
	now, _ := e.mass(0)
	delta := 0.0
	if now < target {
		delta = math.Inf(1) // up to here no single summand exceeds the target
		for _, f := range e.predicted {
			delta = math.Min(delta, (math.Log(target)-math.Log(f.mass))/f.all)
		}
	}
	// The left side is convex: Newton's method approaches from the right. If there is no root,
	// because the feature never occurs, the iteration ends as the mass vanishes.
	for range 200 {
		mass, slope := e.mass(delta)
		excess := mass + precision*delta - target
		if !(excess > 1e-14*(now+math.Abs(target))) {
			break
		}
		delta -= excess / (slope + precision)
	}
	return delta
}

// mass returns Σ mass·exp(δ·all) and its derivative.
func (e *scaling) mass(delta float64) (value, slope float64) {
	for _, f := range e.predicted {
		m := f.mass * math.Exp(delta*f.all)
		value += m
		slope += m * f.all
	}
	return value, slope
}

// stepKinds are the M steps of log-linear models.
var stepKinds = newKinds(map[string]any{"exact": Exact{}, "partial": Partial{}, "scaling": Scaling{}})

// logLinearText is the text of a LogLinear law.
type logLinearText struct {
	Strengths int        `json:"strengths"`
	Sets      [][][]Term `json:"sets"`
	Sigma     float64    `json:"sigma,omitempty"`
	Scale     float64    `json:"scale,omitempty"`
	Step      tagged     `json:"step"`
}

// MarshalJSON writes the law as an object.
func (l *LogLinear) MarshalJSON() ([]byte, error) {
	t := logLinearText{Strengths: l.d, Sigma: l.options.Sigma, Scale: l.options.Scale}
	for s, lo := range l.set[:len(l.set)-1] {
		set := make([][]Term, 0, l.set[s+1]-lo)
		for o := lo; o < l.set[s+1]; o++ {
			set = append(set, l.terms[l.row[o]:l.row[o+1]])
		}
		t.Sets = append(t.Sets, set)
	}
	var err error
	if t.Step, err = stepKinds.save(l.options.Step); err != nil {
		return nil, err
	}
	return json.Marshal(t)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (l *LogLinear) UnmarshalJSON(text []byte) error {
	var t logLinearText
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	step, err := stepKinds.load(t.Step)
	if err != nil {
		return err
	}
	law, err := NewLogLinear(t.Strengths, t.Sets, LogLinearOptions{Sigma: t.Sigma, Scale: t.Scale, Step: step.(LogLinearStep)})
	if err != nil {
		return err
	}
	*l = *law
	return nil
}
