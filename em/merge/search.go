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

// Setting returns a problem that contains a given stage, and its data. Its arguments are a table
// with the stage's parameters and the stage over this table; the problem must use the same table.
// Run calls it for each machine that it trains. Each call must return the same problem and add
// the same parameters in the same order. Run trains the added parameters with the stage if their
// law allows it. Sets among the data are made over the given table.
type Setting func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error)

// SingleStage returns the setting of a problem whose only stage is the machine.
func SingleStage(data cascade.Data) Setting {
	return func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
		return cascade.Problem{Params: params, Stages: []cascade.Stage{stage}}, data, nil
	}
}

// Result is a trained problem with its stage, counts and log posterior.
type Result struct {
	// Model is the whole problem with the best stage, trained.
	cascade.Model
	// Stage is the best machine, a part of Model.
	Stage *fst.FST[expr.W]
	// Counts is the same machine with the expected number of uses of every arc, start and final
	// state as its weight. Unused parts are left out.
	Counts *fst.FST[float64]
	// Posterior is the log posterior of the first machine and after each change that led
	// from it to the best.
	Posterior []float64
	// LogLikelihood is the log likelihood of the data, without the priors.
	LogLikelihood float64
}

// Run changes the topology of a stage, a machine whose weights are counts, as long as that
// raises the log posterior of the whole problem,
//
//	Σ weight·ln P(example) + log prior of the parameters + log prior of the topology.
//
// A round takes one E step, whose stage has one state for each way into a state. It scores merges
// in time proportional to pairs of states times their arcs, and calls em.Fit for each candidate.
// The result is the same to the last bit for any number of workers, and after any number of stops
// and resumptions from Options.Checkpoint.
//
// Errors: invalid options or weights, errors of the setting, errors of em.Fit for the first
// machine, and a checkpoint that is unreadable, unwritable or of another run. If ctx is done, Run
// returns the best machine so far, if any, and an error that wraps the context's.
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
	identity   string     // of the checkpoint
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

// run expands the best unexpanded machine of the beam until all are expanded.
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

// patience is the largest slack, in nats, at which a machine is given up.
const patience = 1

// expand tries the changes of a machine until Options.Beam of them raise the posterior. A change
// must gain more than the candidate's iterations alone would gain for the machine. So expand
// trains the machine further if the changes promise less than that.
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

// better returns the machines, at most Options.Beam, that the most promising changes make and
// that raise the posterior.
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

// insert adds a machine to the beam, unless the beam contains the same machine up to the order of
// its states.
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

// try trains a machine after a change. It returns nil if the change raises the posterior by no
// more than training alone.
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

// candidate trains a machine. It returns nil if its posterior does not exceed the other
// machine's.
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

// hopeless lists the errors of machines that cannot be trained from their initial parameters, or
// that do not explain all data.
var hopeless = []error{em.ErrUnderivable, em.ErrParameter, em.ErrNoMode, semiring.ErrDiverges, semiring.ErrInaccurate,
	semiring.ErrNotFinite, expr.ErrParam, expr.ErrDivision}

func isAny(err error, of []error) bool {
	return slices.ContainsFunc(of, func(target error) bool { return errors.Is(err, target) })
}
