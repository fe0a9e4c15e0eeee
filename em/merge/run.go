package merge

import (
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Result is what Run returns.
type Result struct {
	// Model is the merged machine with its trained parameters, a joint model.
	em.Model
	// Counts is the same machine with the expected number of uses of every arc,
	// start and final state as its weight.
	Counts *fst.FST[float64]
	// Posterior is the log posterior before the first merge and after each.
	Posterior []float64
	// LogLikelihood is that of the data, without the priors.
	LogLikelihood float64
}

// Run merges states of machine, whose weights are counts (see Tree), as long as that
// raises the log posterior of data,
//
//	Σ weight·ln P(example) + log prior of the parameters + that of the topology.
//
// A round takes time in proportion to pairs of states times their arcs, and a few EM
// iterations. The result is the same to the last bit for any number of workers.
//
// Errors: illegal options or weights, those of em.Fit. The data must not refer to a
// table of parameters (em.Set), as each machine has its own. If ctx is done, Run
// returns what it has reached, and an error that wraps the context's.
func Run(ctx context.Context, machine *fst.FST[float64], data em.Data, opts *Options) (*Result, error) {
	nonnil.Check("merge: Run", "context", ctx, "machine", machine)
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	r := &run{data: data, opts: o}
	now, err := r.train(ctx, fst.Connect(machine))
	if err != nil {
		return nil, err
	}
	now.Posterior = []float64{now.posterior}
	for {
		next, err := r.improve(ctx, now)
		if err != nil {
			return &now.Result, err
		}
		if next == nil {
			return &now.Result, nil
		}
		next.Posterior = append(now.Posterior, next.posterior)
		now = next
		if o.Observer != nil {
			o.Observer(Event{Merges: len(now.Posterior) - 1, States: now.Counts.NumStates(), Parameters: now.Params.Len(),
				Posterior: now.posterior, LogLikelihood: now.LogLikelihood, Machine: now.Counts})
		}
	}
}

// run is a call of Run.
type run struct {
	data em.Data
	opts Options
}

// trained is a machine whose parameters have been estimated.
type trained struct {
	Result
	posterior float64
}

// improve returns the first of the most promising merges that raises the posterior, nil
// if none does.
func (r *run) improve(ctx context.Context, now *trained) (*trained, error) {
	if now.Counts.NumStates() <= r.opts.States {
		return nil, nil
	}
	for _, c := range promising(now.Counts, r.opts.Prior, r.opts.Candidates) {
		q, err := fst.Quotient(now.Counts, c.class)
		if err != nil {
			return nil, err
		}
		next, err := r.train(ctx, q)
		if err != nil {
			return nil, err
		}
		if next.posterior > now.posterior {
			return next, nil
		}
	}
	return nil, nil
}

// train estimates the parameters of a machine from its counts on.
func (r *run) train(ctx context.Context, machine *fst.FST[float64]) (*trained, error) {
	params := em.NewParams()
	joint, err := em.Joint(params, "state", machine, r.opts.Law)
	if err != nil {
		return nil, err
	}
	t := &trained{}
	t.Model = em.NewModel(em.Problem{Params: params, Cascade: []*fst.FST[expr.W]{joint}})
	l, err := t.Likelihood(r.data)
	if err != nil {
		return nil, err
	}
	fit, err := em.Fit(ctx, l, &em.Options{Iterations: r.opts.Iterations, Workers: r.opts.Workers})
	if err != nil {
		return nil, err
	}
	t.Theta = fit.Theta
	e, err := l.Expect(ctx, em.Query{Theta: t.Theta, Workers: r.opts.Workers})
	if err != nil {
		return nil, err
	}
	t.LogLikelihood = e.LogLikelihood
	t.posterior = e.LogLikelihood + params.LogPrior(t.Theta) + r.opts.Prior.log(machine.NumStates(), params.Len())
	t.Counts, err = counts(params, joint, machine, e.Counts)
	return t, err
}

// counts returns machine with the counts of the parameters, which stand one for each arc
// and final state, as weights. What is never used is gone.
func counts(params *em.Params, joint *fst.FST[expr.W], machine *fst.FST[float64], count []float64) (*fst.FST[float64], error) {
	of, err := expr.Map(params.Space(), real, func(p int32) float64 { return count[p] }, nil)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	g := joint.Graph()
	weights, final := make([]float64, len(g.Weights())), make([]float64, len(g.Finals()))
	for e, h := range g.Weights() {
		weights[e] = of[h]
	}
	for s, h := range g.Finals() {
		final[s] = of[h]
	}
	starts := machine.AppendStarts(nil)
	for i, s := range g.Starts() {
		if len(starts) > 1 {
			starts[i].Weight = of[s.Weight]
		}
	}
	f, err := machine.WithWeights(weights, starts, final)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	return fst.Connect(f), nil
}
