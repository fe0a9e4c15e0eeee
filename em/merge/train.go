package merge

import (
	"context"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// trained is a machine whose parameters have been estimated. Machines of the beam also have
// expected counts.
type trained struct {
	Result
	posterior float64
	machine   *fst.FST[float64] // its topology and the initial weights of training
	data      cascade.Data
	own       int   // number of the stage's parameters, which are the first of the table
	skipped   []int // examples without a derivation
	// slack extrapolates the gain of further training: the iterations of a candidate times the
	// gain of the last iteration. It is 0 if training has converged.
	slack    float64
	use      *usage
	expanded bool // its changes have been tried
}

// follow sets the posteriors of t: before, from the machine that was changed, and then its own.
func (t *trained) follow(before []float64) {
	t.Posterior = append(slices.Clone(before), t.posterior)
}

// rounding is the relative rise of a log posterior that counts as an improvement.
const rounding = 1e-9

// above reports whether t is better than other by more than rounding error.
func (t *trained) above(other *trained) bool {
	return t.posterior-other.posterior > rounding*math.Abs(other.posterior)
}

// whole returns the problem whose stage is the machine, with its weights as counts. If others is
// not nil, it holds the values of the remaining parameters.
func (s *search) whole(machine *fst.FST[float64], others []float64) (*trained, error) {
	params := em.NewParams()
	parameterize := cascade.Joint[float64]
	if s.opts.Normalization == Conditional {
		parameterize = cascade.Conditional[float64]
	}
	stage, err := machines.Exprs.Expand(parameterize(params, "state", machine, s.opts.Law), nil)
	if err != nil {
		return nil, err
	}
	t := &trained{machine: machine, own: params.Len()}
	t.Stage = stage
	t.Model, t.data, err = s.model(params, stage, others)
	return t, err
}

// model returns the problem of a stage with its initial parameters, and the data.
func (s *search) model(params *em.Params, stage *fst.FST[expr.W], others []float64) (cascade.Model, cascade.Data, error) {
	own := params.Len()
	problem, data, err := s.setting(params, stage)
	switch {
	case err != nil:
		return cascade.Model{}, data, nested.Errorf("merge: the setting: %w", err)
	case problem.Params != params:
		return cascade.Model{}, data, nested.Errorf("merge: %w: the problem of the setting has other parameters than its stage", em.ErrInvalid)
	case others != nil && params.Len()-own != len(others):
		return cascade.Model{}, data, nested.Errorf("merge: %w: the setting adds %d parameters, and %d before", em.ErrInvalid, params.Len()-own, len(others))
	}
	m := cascade.NewModel(problem)
	if others != nil {
		copy(m.Theta[own:], others)
	}
	if !stands(stage, own, m) {
		return cascade.Model{}, data, nested.Errorf("merge: %w: the problem of the setting lacks the stage: put the machine that the setting is given into its Stages, Branches or Edges", em.ErrInvalid)
	}
	return m, data, nil
}

// stands reports whether a problem contains a stage, itself or as a part of another machine that
// uses some of the stage's parameters. These are the first own parameters of the table.
func stands(stage *fst.FST[expr.W], own int, m cascade.Model) bool {
	ms := slices.Concat(slices.Concat(m.Branches...), m.Stages)
	for _, e := range m.Edges {
		ms = append(ms, e.Machines...)
	}
	itself := func(m cascade.Stage) bool { f, ok := m.(*fst.FST[expr.W]); return ok && f == stage }
	if own == 0 || slices.ContainsFunc(ms, itself) {
		return true
	}
	space := m.Params.Space()
	used := space.NewSubset()
	for _, m := range ms {
		if nonnil.Is(m) || m.Semiring() != semiring.Semiring[expr.W](space) {
			return true // a fault that cascade reports
		}
		f, err := machines.Exprs.Expand(m, nil)
		if err != nil {
			return true
		}
		used.Add(weightsOf(f)...)
	}
	for i := range own {
		if used.Contains(space.Param(int32(i))) {
			return true
		}
	}
	return false
}

// weightsOf returns the arc, final and start weights of f.
func weightsOf(f *fst.FST[expr.W]) []expr.W {
	all := slices.Concat(f.Graph().Weights(), f.Graph().Finals())
	for _, x := range f.Graph().Starts() {
		all = append(all, x.Weight)
	}
	return all
}

// others returns the values of the parameters outside the stage.
func (t *trained) others() []float64 { return t.Theta[t.own:] }

// train estimates all parameters of the problem whose stage is the machine. The stage's
// parameters start from the counts and the remaining parameters from others.
func (s *search) train(ctx context.Context, machine *fst.FST[float64], others []float64) (*trained, error) {
	t, err := s.whole(machine, others)
	if err != nil {
		return nil, err
	}
	return s.climb(ctx, t, s.opts.Iterations)
}

// further is the factor by which settle multiplies the iterations of a candidate.
const further = 5

// settle trains a machine of the beam for longer, and updates its expected counts. If training
// lowers the posterior, as some methods may, the machine stays unchanged.
func (s *search) settle(ctx context.Context, m *trained) error {
	next, err := s.climb(ctx, m, further*s.opts.Iterations)
	switch {
	case err != nil:
		return err
	case m.above(next):
		m.slack = 0
		return nil
	}
	if err := s.count(ctx, next); err != nil {
		return err
	}
	next.follow(m.Posterior[:len(m.Posterior)-1])
	*m = *next
	return nil
}

// sweep drops all parts with an expected count below their cost in nats, and repeats this as long
// as the posterior rises. The expected count approximates the loss in nats if no example depends
// much on the part.
func (s *search) sweep(ctx context.Context, t *trained) (*trained, error) {
	for s.opts.Moves&Drop != 0 {
		u, err := s.usage(ctx, t, folded(t.machine))
		if err != nil {
			return nil, err
		}
		rare := slices.DeleteFunc(parts(u.counts), func(x part) bool { return x.count >= s.opts.Prior.Parameter })
		if len(rare) == 0 {
			break
		}
		machine, err := without(u.counts, rare)
		if err != nil {
			return nil, err
		}
		next, err := s.candidate(ctx, machine, t)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		t = next
	}
	return t, nil
}

// climb trains a machine from its current parameters, removes parts of probability 0, and
// computes the posterior.
func (s *search) climb(ctx context.Context, from *trained, iterations int) (*trained, error) {
	l, err := from.Likelihood(from.data)
	if err != nil {
		return nil, err
	}
	o := s.opts.Options
	o.Start, o.Iterations, o.Checkpoint = from.Theta, iterations, ""
	fit, err := em.Fit(ctx, l, &o)
	if err != nil {
		return nil, err
	}
	copied := *from
	t := &copied
	t.Theta, t.slack = fit.Theta, 0
	if n := len(fit.Objective); fit.Status == em.IterationLimit && n > 1 {
		t.slack = float64(s.opts.Iterations) * (fit.Objective[n-1] - fit.Objective[n-2])
	}
	smaller, err := t.connected()
	if err != nil {
		return nil, err
	}
	if smaller != t.machine {
		slack := t.slack
		if t, err = s.whole(smaller, t.others()); err != nil {
			return nil, err
		}
		t.slack = slack
		if l, err = t.Likelihood(t.data); err != nil {
			return nil, err
		}
	}
	return t, s.scoreBy(ctx, t, l)
}

// score computes the posterior of t.
func (s *search) score(ctx context.Context, t *trained) error {
	l, err := t.Likelihood(t.data)
	if err != nil {
		return err
	}
	return s.scoreBy(ctx, t, l)
}

func (s *search) scoreBy(ctx context.Context, t *trained, l em.Likelihood) error {
	e, err := l.Expect(ctx, em.Query{Theta: t.Theta, Workers: s.opts.Workers})
	if err != nil {
		return err
	}
	t.skipped = nil
	for _, x := range e.Skipped {
		t.skipped = append(t.skipped, x.Index)
	}
	t.LogLikelihood = e.LogLikelihood
	t.posterior = e.LogLikelihood + t.Params.LogPrior(t.Theta) + s.opts.Prior.log(t.machine.NumStates(), parameters(t.machine))
	return t.checkPrior()
}

// checkPrior returns an error for a prior that rewards parameters.
func (t *trained) checkPrior() error {
	prior := 0.0
	for _, g := range t.Params.Groups() {
		if g.First() < t.own {
			prior += g.Law().LogPrior(g.In(t.Theta))
		}
	}
	if prior > 0 {
		return nested.Errorf("merge: %w: the log prior of the stage's parameters is %g, want at most 0", em.ErrInvalid, prior)
	}
	return nil
}

// weights returns the stage with the values of its weights at the current parameters.
func (t *trained) weights() (*fst.FST[semiring.ScaledFloat], error) {
	used := t.Params.Space().NewSubset()
	used.Add(weightsOf(t.Stage)...)
	of, err := used.Evaluate(nil, t.Params.Values(t.Theta), 1)
	if err != nil {
		return nil, nested.Errorf("merge: %w", err)
	}
	value := func(w expr.W) semiring.ScaledFloat { return of[w] }
	return machines.Scaled.Expand(machines.Evaluated(t.Stage, semiring.Scaled{}, value), nil)
}

// connected returns the machine with its current weights, without the states, arcs, starts and
// stop weights of probability 0. If all have positive probability, it returns t.machine itself.
func (t *trained) connected() (*fst.FST[float64], error) {
	stage, err := t.weights()
	if err != nil {
		return nil, err
	}
	starts := t.machine.AppendStarts(nil)
	for i, x := range stage.Graph().Starts() {
		starts[i].Weight = float(x.Weight)
	}
	f, err := t.machine.WithWeights(floats(stage.Graph().Weights()), starts, floats(stage.Graph().Finals()))
	if err != nil {
		return nil, nested.Errorf("merge: %w", err)
	}
	g, err := fst.Connect(f, nil)
	if err != nil || g != f || parameters(g) < parameters(t.machine) {
		return g, err
	}
	return t.machine, nil
}

// float returns x as a float64 that is 0 only if x is 0.
func float(x semiring.ScaledFloat) float64 {
	if x.IsZero() {
		return 0
	}
	return max(x.Float64(), math.SmallestNonzeroFloat64)
}

// floats returns the float of each number.
func floats(p []semiring.ScaledFloat) []float64 {
	out := make([]float64, len(p))
	for i, x := range p {
		out[i] = float(x)
	}
	return out
}
