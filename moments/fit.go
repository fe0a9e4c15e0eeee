package moments

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Options contains the settings of Fit. A nil *Options and the zero value of each field mean the
// default.
type Options struct {
	// Ridge is the factor of −|θ|²/2 in the objective, which is a sum over the examples: the
	// default 1 corresponds to 1/n for a mean over n examples. It shrinks θ towards 0; with a few
	// hundred examples this changes the third digit of probabilities. A negative Ridge means 0.
	Ridge float64
	// Shrink is the fraction κ in [0, 1) by which the statistics are moved towards their
	// expectation at θ = 0. It compensates for noise of size κ: about 1/√n (default 0).
	Shrink float64
	// Training are the options of em.Fit, with LBFGS as the default method and θ = 0 as the default
	// start. With that method the defaults are 1000 iterations and a tolerance of 1e-12, because
	// iterations are cheap without hidden variables, and the last steps gain little. SGD visits a
	// few shards of logPartition at a time, for data of many sequences. Each shard has an equal
	// share of the statistics, so the gradients at the maximum are noisy: use a Rate well below 1
	// and many Iterations.
	Training *em.Options
}

// Result is the result of Fit: the result of em.Fit and the fitted statistics.
type Result struct {
	*em.Result
	// Total are the statistics that were fitted, after shrinking.
	Total []float64

	objective *objective
	workers   int
}

// Fit returns the θ that maximizes
//
//	total·θ − logPartition(θ) − ridge/2·|θ|²,
//
// which matches the expected statistics to total, the estimated sum of the statistics over the
// examples. logPartition is Σ A(θ; x), its counts are the expected statistics, and its parameters
// are strengths of em.LogLinear laws without outcomes; parameters of em.Fixed laws have no
// statistics. Priors of the laws are added to the ridge.
//
// The objective is concave. An iteration takes an E step of logPartition, and at the end Fit takes
// up to two more, for the best and the worst y. With a ridge there is a maximum for any total. The
// result has a remark if total exceeds the statistics of the best y, in the direction of θ, by more
// than half of the distance between the worst and the best y. This happens, for example, if
// logPartition is for one example and total is a sum over many.
//
// Errors are
//
//	ErrInvalid       arguments that make no sense
//	ErrOutside       without a ridge, with the result so far: statistics are proven to lie
//	                 outside the marginal polytope, or cannot be told from those of the best y
//	                 although its score φ·θ is more than 1000 nats from that of the worst
//	as of em.Fit     with the result so far if ctx is done
func Fit(ctx context.Context, logPartition em.Likelihood, total []float64, opts *Options) (*Result, error) {
	nonnil.Check("moments: Fit", "context", ctx, "likelihood", logPartition)
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Ridge == 0 {
		o.Ridge = 1
	}
	l := &objective{Likelihood: logPartition, total: slices.Clone(total), ridge: math.Max(0, o.Ridge)}
	if err := l.check(o); err != nil {
		return nil, err
	}
	var training em.Options
	if o.Training != nil {
		training = *o.Training
	}
	if training.Method == nil {
		training.Method = em.LBFGS{}
		training.Iterations = cmp.Or(training.Iterations, 1000)
		training.Tolerance = cmp.Or(training.Tolerance, 1e-12)
	}
	if o.Shrink > 0 {
		zero := logPartition.Params().Start() // which is not 0 for constants
		for _, s := range l.strengths {
			clear(zero[s.lo:s.hi])
		}
		e, err := logPartition.Expect(ctx, em.Query{Theta: zero, Workers: training.Workers})
		if err != nil {
			return nil, nested.Errorf("moments: statistics at θ = 0: %w", err)
		}
		for i, x := range e.Counts {
			l.total[i] += o.Shrink * (x - l.total[i])
		}
	}
	fit, err := em.Fit(ctx, l, &training)
	if fit == nil {
		return nil, err
	}
	r := &Result{Result: fit, Total: l.total, objective: l, workers: training.Workers}
	if err != nil {
		return r, err
	}
	return r, r.locate(ctx)
}

// largestOf returns the index of the strength with the largest magnitude.
func (l *objective) largestOf(theta []float64) int {
	best := -1
	for _, s := range l.strengths {
		for i := s.lo; i < s.hi; i++ {
			if best < 0 || math.Abs(theta[i]) > math.Abs(theta[best]) {
				best = i
			}
		}
	}
	return best
}

// objective is total·θ − Σ A(θ; x) − ridge/2·|θ|² as a likelihood; the Likelihood in it
// is Σ A(θ; x).
type objective struct {
	em.Likelihood
	total     []float64
	ridge     float64
	strengths []span
}

// span is a range of parameters.
type span struct{ lo, hi int }

// check finds the strengths and returns an error wrapping ErrInvalid for invalid arguments.
func (l *objective) check(o Options) error {
	p := l.Params()
	if len(l.total) != p.Len() {
		return invalid("%d statistics for %d parameters", len(l.total), p.Len())
	}
	if l.Shards() == 0 {
		return invalid("a likelihood of no examples")
	}
	if o.Ridge-o.Ridge != 0 || !(o.Shrink >= 0 && o.Shrink < 1) {
		return invalid("ridge %g and shrinkage %g, want a finite number and one in [0, 1)", o.Ridge, o.Shrink)
	}
	for _, g := range p.Groups() {
		switch law := g.Law().(type) {
		case em.Fixed:
		case *em.LogLinear:
			if law.Dim(nil) != g.Len() {
				return invalid("group of %s has outcomes that are normalized by themselves", g.Name(0))
			}
			l.strengths = append(l.strengths, span{g.First(), g.First() + g.Len()})
		default:
			return invalid("%s is estimated by %T, want log-linear strengths", g.Name(0), law)
		}
	}
	for _, s := range l.strengths {
		for i := s.lo; i < s.hi; i++ {
			if x := l.total[i]; x-x != 0 {
				return invalid("the statistic of %s is %g", p.Name(int32(i)), x)
			}
		}
	}
	return nil
}

func (l *objective) Fingerprint(w io.Writer) {
	binary.Write(w, binary.LittleEndian, l.total)
	binary.Write(w, binary.LittleEndian, l.ridge)
	l.Likelihood.Fingerprint(w)
}

// Expect makes an E step. Terms that do not depend on the data are spread evenly over the shards.
// There are no hidden variables, so the temperature is a factor of the objective.
func (l *objective) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(l)
	if err != nil {
		return nil, err
	}
	partition := q.Detached()
	partition.Temperature = 1
	e, err := l.Likelihood.Expect(ctx, partition)
	if err != nil {
		return nil, err
	}
	share := float64(q.Hi-q.Lo) / float64(l.Shards())
	e.LogLikelihood = -e.LogLikelihood
	end := 0
	for _, s := range l.strengths {
		clear(e.Counts[end:s.lo]) // no statistics
		theta, total, counts := q.Theta[s.lo:s.hi], l.total[s.lo:s.hi], e.Counts[s.lo:s.hi]
		e.LogLikelihood += share * (floats.Dot(total, theta) - l.ridge/2*floats.Dot(theta, theta))
		for i, expected := range counts {
			counts[i] = share*(total[i]-l.ridge*theta[i]) - expected
		}
		if q.Tangent != nil {
			clear(e.Curvature[end:s.lo])
			for i, c := range e.Curvature[s.lo:s.hi] {
				e.Curvature[s.lo+i] = -c - share*l.ridge*q.Tangent[s.lo+i]
			}
		}
		end = s.hi
	}
	e.LogLikelihood *= q.Temperature
	clear(e.Counts[end:])
	if q.Tangent != nil {
		clear(e.Curvature[end:])
	}
	q.Deliver(e)
	return e, nil
}

// ErrInvalid is returned, wrapped, for invalid arguments.
var ErrInvalid = nested.ErrInvalid

// ErrUnidentifiable is returned, wrapped, for a statistic that the observations do not determine,
// or that is a combination of others. The error contains its name.
var ErrUnidentifiable = errors.New("statistic is not identifiable")

// ErrOutside is returned, wrapped, for statistics that are not the expectation under any
// distribution of the model: they lie outside the marginal polytope, or so near to its boundary
// that the maximum of the likelihood cannot be reached.
var ErrOutside = errors.New("statistics outside the marginal polytope")

func invalid(format string, args ...any) error {
	return nested.Errorf("moments: %w: "+format, append([]any{ErrInvalid}, args...)...)
}
