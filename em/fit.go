package em

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// ErrDecreased is wrapped by the error for an objective that fell by more than
// rounding explains, which no EM iteration can do: a parameterization whose
// Maximize does not maximize, or a fault in this library.
var ErrDecreased = errors.New("objective decreased")

// Fit trains the problem's parameters on data by expectation maximization
// (Dempster, Laird and Rubin 1977; for transducers Eisner 2002). Each iteration
// takes the expected number of times that each parameter is used in a
// derivation of each example, under the current θ, and lets the parameters'
// groups re-estimate themselves from the totals. The objective never falls.
//
// One iteration costs time proportional to the arcs of all lattices. The data
// are cut into shards that do not depend on the number of workers, and shards
// are added up in their order, so that the result is the same to the last bit
// for any number of them.
//
// Errors: illegal options, problem, data or start; an example without a
// derivation under the policy Fail; an example whose total diverges or whose
// lattice exceeds the limit (both named); a checkpoint that cannot be read or
// written or belongs to another run. If ctx is done, Fit returns at the next
// shard the Result so far, with Status Canceled, and an error wrapping the
// context's.
func Fit(ctx context.Context, problem Problem, data []Example, opts *Options) (*Result, error) {
	t, err := newTrainer(problem, data, opts)
	if err != nil {
		return nil, err
	}
	seeds := t.drawSeeds()
	run, err := t.load(seeds)
	if err != nil {
		return nil, err
	}
	for {
		status, err := t.climb(ctx, run)
		if err != nil && status != Canceled {
			return nil, err
		}
		run.finish(status)
		if status == Canceled || run.Start == t.opts.Restarts {
			r := run.Best
			r.Starts = run.Starts
			if status == Canceled {
				r.Status = Canceled
			}
			return r, err
		}
		run.next(t.problem.Params.Random(rand.New(rand.NewPCG(seeds[run.Start][0], seeds[run.Start][1]))))
	}
}

// drawSeeds draws what each restart needs at once, so that a resumed run needs
// no more of the caller's source than a fresh one.
func (t *trainer) drawSeeds() [][2]uint64 {
	seeds := make([][2]uint64, t.opts.Restarts)
	for i := range seeds {
		seeds[i] = [2]uint64{t.opts.Rand.Uint64(), t.opts.Rand.Uint64()}
	}
	return seeds
}

// progress is the state of a run between two iterations.
type progress struct {
	Start         int
	Theta         []float64
	Objective     []float64
	LogLikelihood float64
	Skipped       []Skipped
	// Fresh means that the next objective cannot be compared with the last.
	Fresh  bool
	Best   *Result
	Starts []float64
}

// finish records the end of a start.
func (p *progress) finish(status Status) {
	if n := len(p.Objective); n > 0 {
		p.Starts = append(p.Starts, p.Objective[n-1])
	} else {
		p.Starts = append(p.Starts, math.Inf(-1)) // canceled before its first E step
	}
	last := p.Starts[len(p.Starts)-1]
	if p.Best == nil || last > p.Starts[p.Best.Start] {
		p.Best = &Result{Status: status, Theta: p.Theta, Objective: p.Objective,
			LogLikelihood: p.LogLikelihood, Start: p.Start, Skipped: p.Skipped}
	}
}

// next begins another start.
func (p *progress) next(theta []float64) {
	p.Start++
	p.Theta, p.Objective, p.Fresh = theta, nil, true
}

// climb iterates from p until the start's end, updating p.
func (t *trainer) climb(ctx context.Context, p *progress) (Status, error) {
	for len(p.Objective) < t.opts.Iterations {
		e, err := t.expect(ctx, p.Theta)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return Canceled, fmt.Errorf("em: canceled after %d iterations: %w", len(p.Objective), context.Cause(ctx))
		}
		if err != nil {
			return 0, err
		}
		objective := e.LogLikelihood/t.opts.Temperature + t.problem.Params.LogPrior(p.Theta)
		comparable := !p.Fresh && len(e.Skipped) == len(p.Skipped)
		previous := math.Inf(-1)
		if len(p.Objective) > 0 {
			previous = p.Objective[len(p.Objective)-1]
		}
		if comparable && objective < previous-decreaseRounding*(1+math.Abs(previous)) {
			return 0, fmt.Errorf("em: %w: from %.17g to %.17g at iteration %d of start %d",
				ErrDecreased, previous, objective, len(p.Objective), p.Start)
		}
		p.Objective = append(p.Objective, objective)
		p.LogLikelihood, p.Skipped = e.LogLikelihood, e.Skipped
		t.observe(p, e)
		if comparable && objective-previous <= t.opts.Tolerance*math.Abs(objective) {
			return Converged, nil
		}
		if err := t.step(p, e.Counts); err != nil {
			return 0, err
		}
		if err := t.save(p); err != nil {
			return 0, err
		}
	}
	return IterationLimit, nil
}

// decreaseRounding is how far, relative to its size, rounding may make the
// objective fall.
const decreaseRounding = 1e-10

// step makes the M step.
func (t *trainer) step(p *progress, counts []float64) error {
	theta := append([]float64(nil), p.Theta...)
	if err := t.problem.Params.maximize(theta, counts); err != nil {
		return err
	}
	p.Fresh = t.problem.Params.changesFace(p.Theta, theta)
	p.Theta = theta
	return nil
}

// changesFace reports whether a parameter with a sparse prior has become zero:
// the log prior is then that of a smaller simplex and does not compare.
func (p *Params) changesFace(before, after []float64) bool {
	for _, g := range p.groups {
		d, ok := g.law.(Dirichlet)
		if !ok {
			continue
		}
		b, a := g.In(before), g.In(after)
		for i := range a {
			if a[i] == 0 && b[i] > 0 && d.alpha(i) < 1 {
				return true
			}
		}
	}
	return false
}

func (t *trainer) observe(p *progress, e *Expectations) {
	if t.opts.Observer == nil {
		return
	}
	n := len(p.Objective)
	t.opts.Observer(Event{Start: p.Start, Iteration: n - 1, Objective: p.Objective[n-1],
		LogLikelihood: p.LogLikelihood, Theta: p.Theta, Examples: len(t.data), Skipped: len(p.Skipped),
		Arcs: e.Arcs, Elapsed: time.Since(t.began)})
}
