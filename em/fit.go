package em

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// ErrDecreased is returned if the objective fell by more than rounding explains although its method
// never lowers it. The cause is a law whose Maximize does not maximize, or a fault in this library.
var ErrDecreased = errors.New("objective decreased")

// Trainer is a call of Fit, in the view of a method.
type Trainer struct {
	likelihood Likelihood
	params     *Params
	opts       Options
	given      bool // the caller set Options.Start
	began      time.Time
	seeds      [][2]uint64 // of the restarts
	identity   string      // of the run, if there is a checkpoint
	counts     []float64   // of the current iteration
	remarks    []string    // of the last E step
	alike      []groupHash // of a start, until it was checked for symmetry; then nil
	follows    bool        // the method follows a gradient in coordinates
}

// Fit trains the parameters of likelihood by the method of Options.Method, expectation
// maximization by default. Each iteration of EM (Dempster, Laird and Rubin
// 1977; for transducers Eisner 2002) computes the expected number of times that each
// parameter is used in a derivation of each example, under the current θ. The laws of
// the groups then re-estimate their parameters from the totals. The objective never
// falls.
//
// One iteration costs about one call of Likelihood.Expect. The result is the same to the
// last bit for any number of workers. Fit holds two vectors of the length of θ, θ itself and
// the counts, and the vectors that its method documents. Each additional start that is still
// running holds its own θ. Options.Start is not modified, unless InPlace is set.
//
// If path sums diverge at a start, it is scaled down, provided that it was drawn and its law is
// Scalable. A start that fails because of the objective ends with the Status Infeasible,
// and the others go on. Result.Remarks contains the reason.
//
// Fit returns an error for invalid options or an invalid start; if the method does not apply to
// the likelihood or its laws (ErrMethod, ErrCoordinates); and if a checkpoint cannot be read or
// written, or belongs to another run. If all starts fail, it returns the error of the first, such
// as one that wraps ErrUnderivable or ErrDecreased. It returns any other error of
// Likelihood.Expect. If ctx is done, Fit returns at the next shard. It then returns the current
// Result, with Status Canceled, and an error that wraps the context's.
func Fit(ctx context.Context, likelihood Likelihood, opts *Options) (*Result, error) {
	nonnil.Check("em: Fit", "context", ctx, "likelihood", likelihood)
	o, err := opts.complete(likelihood)
	if err != nil {
		return nil, err
	}
	t := &Trainer{likelihood: likelihood, params: likelihood.Params(), opts: o, given: opts != nil && opts.Start != nil, began: time.Now()}
	t.drawSeeds()
	t.counts = t.params.spare.take()
	defer func() { t.params.spare.keep(t.counts) }()
	r, err := t.load()
	if err != nil {
		return nil, err
	}
	err = t.train(ctx, r)
	// An M step that failed has left θ half-updated.
	if err != nil && (!canceled(ctx, err) || r.feasible() < 0) {
		return nil, err
	}
	out := r.result()
	out.remarkFailures()
	out.remarkLaws(t.params)
	if err != nil {
		out.Status = Canceled
	}
	return out, err
}

// remarkFailures adds a remark for each start that has failed.
func (r *Result) remarkFailures() {
	r.Remarks = slices.Clip(r.Remarks)
	for i, s := range r.Starts {
		if s.Reason != "" {
			r.Remarks = append(r.Remarks, fmt.Sprintf("start %d has failed: %s", i, s.Reason))
		}
	}
}

// remarkLaws adds the remarks of laws on Theta.
func (r *Result) remarkLaws(p *Params) {
	for _, g := range p.groups {
		law, ok := g.law.(Remarker)
		if !ok {
			continue
		}
		for _, remark := range law.Remarks(g.In(r.Theta)) {
			r.Remarks = append(r.Remarks, fmt.Sprintf("group %s: %s", g.name, remark))
		}
	}
}

// canceled reports whether err is due to the end of ctx.
func canceled(ctx context.Context, err error) bool {
	return ctx.Err() != nil && isAny(err, []error{ctx.Err(), context.Cause(ctx)})
}

// drawSeeds draws the seeds of all restarts at once, so that a resumed run draws
// as many numbers from the caller's source as a new one.
func (t *Trainer) drawSeeds() {
	t.seeds = make([][2]uint64, t.opts.Restarts)
	for i := range t.seeds {
		t.seeds[i] = [2]uint64{t.opts.Rand.Uint64(), t.opts.Rand.Uint64()}
	}
}

// train continues r until all starts have ended.
func (t *Trainer) train(ctx context.Context, r *run) error {
	var failure error // of the first infeasible start
	for {
		limit, going := t.limit(r), false
		for i, s := range r.Starts {
			if s.Ended {
				continue
			}
			status := Canceled
			over, err := t.climb(ctx, r, i, limit)
			ended := over || limit == t.opts.Iterations
			if err == nil && ended {
				status, err = t.conclude(ctx, s, over)
			}
			switch {
			case err != nil && !infeasible(err):
				return err
			case err != nil:
				if failure == nil {
					failure = err
				}
				s.Reason = err.Error()
				r.settle(s, Infeasible)
			case ended:
				r.settle(s, status)
			default:
				going = true
			}
		}
		switch {
		case r.feasible() < 0:
			return failure
		case !going:
			return nil
		}
		r.prune(t.opts.Prune.Keep)
	}
}

// verdict returns the status of a start that is over.
func (t *Trainer) verdict(s *start) Status {
	if a, ok := s.ascent.(StatusReporter); ok {
		return a.Status(t, &s.Start)
	}
	return Converged
}

// begin sets start i to its first θ.
func (t *Trainer) begin(s *start, i int) (err error) {
	switch {
	case i > len(t.opts.Starts):
		seed := t.seeds[i-1-len(t.opts.Starts)]
		s.Theta = t.params.Random(rand.NewPCG(seed[0], seed[1]))
	case i > 0:
		s.Theta = slices.Clone(t.opts.Starts[i-1])
	case t.given && !t.opts.InPlace:
		s.Theta = slices.Clone(t.opts.Start)
	default:
		s.Theta, t.opts.Start = t.opts.Start, nil // no longer needed
	}
	s.ascent, err = t.opts.Method.Begin(t, &s.Start)
	return err
}

// climb iterates start i until it is over or has made limit iterations.
func (t *Trainer) climb(ctx context.Context, r *run, i, limit int) (over bool, err error) {
	s := r.Starts[i]
	if s.ascent == nil {
		if err := t.begin(s, i); err != nil {
			return false, err
		}
	}
	pass := t.opts.Method.Pass(t.likelihood.Shards())
	if s.Gap != 0 {
		s.Base = len(s.Objective) // parts of lattices may differ from those before the interruption
	}
	t.alike = nil
	if len(s.Objective) == 0 {
		t.alike = t.startsAlike(s.Theta)
	}
	for first := true; len(s.Objective) < limit; first = false {
		over, err := t.iterate(ctx, s, i, first || t.chooses(s, pass))
		r.Remarks = t.remarks
		if over || err != nil {
			return over, err
		}
		if t.alike != nil && len(s.Objective) < limit { // so that the last E step is one of training
			r.Symmetric, t.alike = t.symmetric(ctx, t.alike, s.Next()), nil
		}
		if (len(s.Objective)-1)%pass > 0 {
			continue
		}
		if err := t.save(r); err != nil {
			return false, err
		}
	}
	return false, nil
}

// chooses reports whether the next iteration chooses parts of lattices again, for a method
// that moves to the θ of its E steps. pass is the result of Method.Pass.
func (t *Trainer) chooses(s *start, pass int) bool {
	switch t.opts.Method.(type) {
	case EM, Anneal, Incremental, Stepwise:
		n := len(s.Objective) + pass - 1 // the first iteration visits all blocks
		return t.opts.ChooseEvery > 0 && n/pass%t.opts.ChooseEvery == 0
	}
	return false
}

// iterate makes an iteration of start i, which chooses parts of lattices if choose is true.
func (t *Trainer) iterate(ctx context.Context, s *start, i int, choose bool) (over bool, err error) {
	queries := t.choosing(s.ascent.Ask(t, &s.Start), choose)
	found, err := t.expect(ctx, s, queries)
	for outOfRange(err) {
		again, fault := t.retreat(s, i, queries)
		switch {
		case fault != nil:
			return false, fault
		case !again:
			return false, err
		}
		queries = t.choosing(s.ascent.Ask(t, &s.Start), choose)
		found, err = t.expect(ctx, s, queries)
	}
	if err != nil {
		return false, err
	}
	p, err := s.ascent.Tell(t, &s.Start, found)
	if err != nil {
		return false, err
	}
	t.depart(s, queries[0].Theta, p)
	if err := t.record(s, i, p, found); err != nil {
		return false, err
	}
	s.Gap = 0
	for _, e := range found {
		if e != nil {
			s.Gap += e.Gap
		}
	}
	t.observe(s, i, p, queries[0], found)
	gain, known := s.gain(p.Period)
	if !p.Rises {
		gain = math.Abs(gain)
	}
	passed := known && (len(s.Objective)-1)%p.Period == 0
	settled := passed && t.opts.Tolerance >= 0 && gain <= t.opts.Tolerance*math.Abs(s.Last())
	return s.ascent.Step(ctx, t, &s.Start, settled)
}

// choosing sets Choose of all queries.
func (t *Trainer) choosing(queries []Query, choose bool) []Query {
	for k := range queries {
		queries[k].Choose = choose
	}
	return queries
}

// expect makes the E steps of an iteration. It returns nil and no error if they fail at a trial.
func (t *Trainer) expect(ctx context.Context, s *start, queries []Query) ([]*Expectations, error) {
	found := make([]*Expectations, len(queries))
	for k, q := range queries {
		e, err := t.likelihood.Expect(ctx, q)
		switch {
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			return nil, t.canceled(ctx, s)
		case s.Trial != nil && (outOfRange(err) || errors.Is(err, ErrUnderivable)):
			return nil, nil
		case err != nil:
			return nil, s.blamePrior(t.params, q.Theta, err)
		}
		found[k] = e
		t.remarks = e.Remarks
		t.alike = t.counted(t.alike, e.Counts)
	}
	return found, nil
}

// canceled returns the error for a start that was interrupted.
func (t *Trainer) canceled(ctx context.Context, s *start) error {
	return nested.Errorf("em: canceled after %d iterations: %w", len(s.Objective), context.Cause(ctx))
}

// record appends p to the trace of start i. found are the results of its E steps.
func (t *Trainer) record(s *start, i int, p Point, found []*Expectations) error {
	if p.Step == RejectedStep {
		s.Objective, s.Face = append(s.Objective, s.Last()), append(s.Face, s.lastFace())
		return nil
	}
	n, previous := len(s.Objective), s.Last()
	if math.IsNaN(p.Objective) || math.IsInf(p.Objective, 1) {
		return nested.Errorf("em: %w: %w: the objective is %g at iteration %d of start %d", ErrInvalid, semiring.ErrNotFinite, p.Objective, n, i)
	}
	if len(p.Skipped) != len(s.Skipped) {
		s.Base = n // of other examples
	}
	s.Objective, s.Face = append(s.Objective, p.Objective), append(s.Face, p.face)
	s.LogLikelihood, s.Skipped = p.LogLikelihood, p.Skipped
	if fell, known := s.gain(1); p.Rises && known && -fell > decreaseRounding*(1+math.Abs(previous)) && -fell > jitter(found) {
		return nested.Errorf("em: %v: %w: from %.17g to %.17g at iteration %d of start %d",
			t.opts.Method, ErrDecreased, previous, p.Objective, n, i)
	}
	return nil
}

// observe reports the iteration of start i that led to p.
func (t *Trainer) observe(s *start, i int, p Point, q Query, found []*Expectations) {
	if t.opts.Observer == nil {
		return
	}
	e := Event{Method: t.opts.Method.String(), Start: i, Starts: t.opts.starts(),
		Iteration: len(s.Objective) - 1, Iterations: t.opts.Iterations, Step: p.Step,
		Objective: p.Objective, LogLikelihood: p.LogLikelihood, LogPrior: t.params.LogPrior(q.Theta), Temperature: q.Temperature,
		Theta: q.Theta, Gap: s.Gap, GradientNorm: s.GradientNorm, Skipped: len(p.Skipped), Elapsed: time.Since(t.began)}
	e.Gain, _ = s.gain(1)
	switch {
	case p.Step == InfeasibleStep:
		e.Iteration++ // the next one, which has failed
		e.Gain = math.NaN()
	case p.Step == RejectedStep:
		e.Gain = s.Rise(p)
	case e.Iteration == 0:
		e.Step = FirstStep
	}
	if i == 0 && e.Iteration == 0 {
		e.Remarks = t.remarks
	}
	for _, x := range found {
		e.Examples += x.Examples
		e.Arcs += x.Arcs
		e.WithoutLattice += x.WithoutLattice
	}
	t.opts.Observer(e)
}

// firstShrinkage is the first decrease of ln of strengths. Each further decrease is twice
// the previous one.
const (
	firstShrinkage = .5
	shrinkages     = 12
)

// shrink replaces the θ of start i, whose first E step has no value, by one with smaller
// strengths. It returns false for the caller's start, and when all shrinkages have been tried.
func (t *Trainer) shrink(s *start, i int) (bool, error) {
	if i == 0 && t.given || s.shrunk == shrinkages {
		return false, nil
	}
	if s.drawn == nil {
		s.drawn = s.Theta
	}
	theta, ok := t.params.scale(s.drawn, -firstShrinkage*math.Exp2(float64(s.shrunk)))
	if !ok {
		return false, nil
	}
	s.shrunk++
	s.Theta = theta
	var err error
	s.ascent, err = t.opts.Method.Begin(t, &s.Start)
	return err == nil, err
}

// retreat handles an iteration whose E steps have no value at a θ that is no trial. It returns
// true if the iteration should be tried again.
func (t *Trainer) retreat(s *start, i int, queries []Query) (bool, error) {
	t.observe(s, i, Point{Objective: math.Inf(-1), LogLikelihood: math.Inf(-1), Step: InfeasibleStep}, queries[0], nil)
	if a, ok := s.ascent.(Relaxer); ok && a.Relax(t, &s.Start) {
		return true, nil
	}
	if len(s.Objective) > 0 {
		return false, nil
	}
	return t.shrink(s, i)
}

// infeasible reports whether err ends only the current start: the objective has no value,
// derivative or maximum there, or does not rise as it should.
func infeasible(err error) bool { return outOfRange(err) || isAny(err, ending) }

var ending = []error{ErrNoMode, ErrUnderivable, ErrDecreased, lbfgs.ErrNotFinite}

// FitFrom calls Fit with *theta as the start, unless opts has a Start, and stores the result in
// *theta. Models that hold the values of their parameters are trained this way. A canceled run
// keeps its current result. If Fit returns no result, *theta is unchanged.
func FitFrom(ctx context.Context, l Likelihood, theta *[]float64, opts *Options) (*Result, error) {
	nonnil.Check("em: FitFrom", "context", ctx, "likelihood", l)
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Start == nil {
		o.Start = *theta
	}
	r, err := Fit(ctx, l, &o)
	if r != nil {
		*theta = r.Theta
	}
	return r, err
}
