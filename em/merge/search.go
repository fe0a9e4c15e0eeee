package merge

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Setting says what a stage is a part of. Given a table that has the stage's parameters, and
// the stage over them, it returns a problem with the same table in which the stage stands,
// and data. It is called for each machine that is trained, must say the same each time, and
// add the same parameters in the same order. Those are trained with the stage, if their law
// lets them. Sets among the data are made over the table it is given.
type Setting func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error)

// Alone returns the setting of a stage that is all of the problem.
func Alone(data cascade.Data) Setting {
	return func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
		return cascade.Problem{Params: params, Stages: []cascade.Stage{stage}}, data, nil
	}
}

// Result is what Run returns.
type Result struct {
	// Model is the whole problem with the best stage found, trained.
	cascade.Model
	// Stage is that machine, a part of Model.
	Stage *fst.FST[expr.W]
	// Counts is the same machine with the expected number of uses of every arc, start and
	// final state as its weight. What is never used is gone.
	Counts *fst.FST[float64]
	// Posterior is the log posterior of the first machine and after each change that led
	// from it to the best.
	Posterior []float64
	// LogLikelihood is the data's, without the priors.
	LogLikelihood float64
}

// Run changes the topology of a stage, a machine whose weights are counts, as long as that
// raises the log posterior of the whole problem,
//
//	Σ weight·ln P(example) + log prior of the parameters + log prior of the topology.
//
// A round takes an E step with the stage's ways through its states as states, time in
// proportion to pairs of states times their arcs, and a call of em.Fit for each candidate.
// The result is the same to the last bit for any number of workers, and after any number of
// stops and resumptions from Options.Checkpoint.
//
// Errors: illegal options or weights, those of the setting, any of em.Fit for the first
// machine, a checkpoint that cannot be read or written or belongs to another run. If ctx is
// done, Run returns what it has reached, if anything, and an error that wraps the context's.
func Run(ctx context.Context, machine fst.Machine[float64], setting Setting, opts *Options) (*Result, error) {
	nonnil.Check("merge: Run", "context", ctx, "machine", machine, "setting", setting)
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	s := &search{setting: setting, opts: o}
	if o.Rand != nil {
		s.seed = [2]uint64{o.Rand.Uint64(), o.Rand.Uint64()}
	}
	f, err := fst.Connect(machine, nil)
	if err != nil {
		return nil, nested.Errorf("merge: %w", err)
	}
	if err := s.begin(ctx, f); err != nil {
		return nil, err
	}
	err = s.run(ctx)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return &s.beam[0].Result, err
}

// search is a call of Run.
type search struct {
	setting    Setting
	opts       Options
	seed       [2]uint64
	identity   string     // of its checkpoint
	beam       []*trained // the best first
	expansions uint64
}

// begin makes the first beam.
func (s *search) begin(ctx context.Context, machine *fst.FST[float64]) error {
	if found, err := s.load(ctx, machine); found || err != nil {
		return err
	}
	first, err := s.train(ctx, machine, nil)
	if err != nil {
		return err
	}
	first.follow(nil)
	s.beam = []*trained{first}
	return s.count(ctx, first)
}

// run expands the best machine of the beam that has not been, as long as there is one.
func (s *search) run(ctx context.Context) error {
	for {
		i := slices.IndexFunc(s.beam, func(m *trained) bool { return !m.expanded })
		if i < 0 {
			return nil
		}
		if err := s.expand(ctx, s.beam[i]); err != nil {
			return err
		}
		if err := s.save(); err != nil {
			return err
		}
	}
}

// patience is how many nats of slack a machine may have that is given up.
const patience = 1

// expand tries the changes of a machine until as many as the beam has places raise the
// posterior. A change must gain more than the machine would by the candidate's iterations
// alone, and so the machine is trained further where little else is to be gained.
func (s *search) expand(ctx context.Context, m *trained) error {
	rng := rand.New(rand.NewPCG(s.seed[0], s.seed[1]+s.expansions))
	for {
		changes, err := s.changes(ctx, m.use, rng)
		if err != nil {
			return err
		}
		if m.slack <= patience || len(changes) > 0 && changes[0].promise > m.slack {
			better, err := s.better(ctx, m, changes)
			if err != nil {
				return err
			}
			if len(better) > 0 || m.slack <= patience {
				m.expanded = true
				s.expansions++
				for _, child := range better {
					s.insert(child)
				}
				return nil
			}
		}
		if err := s.settle(ctx, m); err != nil {
			return err
		}
	}
}

// better returns what the most promising changes lead to that raise the posterior.
func (s *search) better(ctx context.Context, m *trained, changes []*change) ([]*trained, error) {
	var better []*trained
	for _, c := range changes {
		if len(better) == s.opts.Beam {
			break
		}
		next, err := s.try(ctx, m, c)
		if err != nil {
			return nil, err
		}
		if next == nil {
			continue
		}
		next.follow(m.Posterior)
		better = append(better, next)
		if s.opts.Accepted != nil {
			s.opts.Accepted(Change{c.move, c.promise, &next.Result})
		}
	}
	return better, nil
}

// insert puts a machine into the beam, unless one is there already that is the same but for
// the order of its states.
func (s *search) insert(m *trained) {
	i := 0
	for ; i < len(s.beam) && s.beam[i].posterior >= m.posterior; i++ {
	}
	for _, other := range s.beam {
		if !m.above(other) && !other.above(m) && m.Counts.NumStates() == other.Counts.NumStates() && parameters(m.Counts) == parameters(other.Counts) {
			return
		}
	}
	s.beam = slices.Insert(s.beam, i, m)
	s.beam = s.beam[:min(len(s.beam), s.opts.Beam)]
}

// try trains a machine after a change: nil if that does not raise the posterior by more than
// training alone.
func (s *search) try(ctx context.Context, m *trained, c *change) (*trained, error) {
	machine, err := c.machine()
	if err != nil {
		return nil, nested.Errorf("merge: %v: %w", c.move, err)
	}
	next, err := s.candidate(ctx, machine, m)
	if err != nil || next == nil || next.posterior-m.posterior <= m.slack {
		return nil, err
	}
	if next, err = s.sweep(ctx, next); err != nil {
		return nil, err
	}
	return next, s.count(ctx, next)
}

// candidate trains a machine: nil if its posterior is not above that of another one.
func (s *search) candidate(ctx context.Context, machine *fst.FST[float64], other *trained) (*trained, error) {
	machine, err := fst.Connect(machine, nil)
	if err != nil || machine.NumStates() == 0 {
		return nil, err
	}
	next, err := s.train(ctx, machine, other.others())
	if ctx.Err() == nil && isAny(err, hopeless) {
		return nil, nil
	}
	if err != nil || !next.above(other) || !slices.Equal(next.skipped, other.skipped) {
		return nil, err
	}
	return next, nil
}

// hopeless are the errors of a machine that cannot be trained from where it begins, or does
// not explain all data.
var hopeless = []error{em.ErrUnderivable, em.ErrParameter, em.ErrNoMode, semiring.ErrDiverges, semiring.ErrInaccurate,
	semiring.ErrNotFinite, expr.ErrParam, expr.ErrDivision}

func isAny(err error, of []error) bool {
	return slices.ContainsFunc(of, func(target error) bool { return errors.Is(err, target) })
}
