package merge

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Prior is a prior of topologies: each part takes its number of nats off the log
// posterior, and so must gain as many in log likelihood to be worth having.
type Prior struct {
	State     float64 // for each state
	Parameter float64 // for each arc and stop weight
}

// DefaultPrior lets two states merge that were seen once each, with different arcs, which
// costs 2·ln 2 nats of likelihood.
var DefaultPrior = Prior{State: 3, Parameter: 2}

func (p *Prior) log(states, parameters int) float64 {
	return -p.State*float64(states) - p.Parameter*float64(parameters)
}

// Options says how Run merges. A nil *Options and the zero value of each field mean the
// default.
type Options struct {
	// Prior is the prior of topologies (default DefaultPrior).
	Prior *Prior
	// Law estimates the parameters of each state (default em.Multinomial).
	Law em.Law
	// Candidates is how many pairs are trained, the most promising first, before
	// Run gives up (default 5).
	Candidates int
	// Iterations bounds the EM iterations after a merge (default 10).
	Iterations int
	// States ends Run when the machine has no more of them (default 1).
	States int
	// Workers is the number of goroutines of the E step (default GOMAXPROCS). It
	// does not change a bit of the result.
	Workers int
	// Observer, if not nil, is called after each merge.
	Observer func(Event)
}

// Event describes a merge. It is valid during the observer's call only.
type Event struct {
	// Merges is the number of merges so far, States and Parameters the size of the
	// machine.
	Merges, States, Parameters int
	// Posterior is the log posterior that Run raises, LogLikelihood the data's.
	Posterior, LogLikelihood float64
	// Machine has the expected counts as weights.
	Machine *fst.FST[float64]
}

func (o *Options) complete() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Prior == nil {
		c.Prior = &DefaultPrior
	}
	if c.Law == nil {
		c.Law = em.Multinomial{}
	}
	for _, field := range []struct {
		value   *int
		initial int
		name    string
	}{{&c.Candidates, 5, "candidates"}, {&c.Iterations, 10, "iterations"}, {&c.States, 1, "states"}} {
		if *field.value < 0 {
			return c, fmt.Errorf("merge: %w: %d %s", em.ErrInvalid, *field.value, field.name)
		}
		if *field.value == 0 {
			*field.value = field.initial
		}
	}
	for _, nats := range []float64{c.Prior.State, c.Prior.Parameter} {
		if !(nats >= 0) || math.IsInf(nats, 1) {
			return c, fmt.Errorf("merge: %w: prior %+v, want finite numbers ≥ 0", em.ErrInvalid, *c.Prior)
		}
	}
	return c, nil
}

// Result is what Run returns.
type Result struct {
	// Model is the merged machine with its trained parameters, a joint model.
	em.Model
	// Counts is the same machine with the expected number of uses of every arc,
	// start and final state as its weight.
	Counts *fst.FST[float64]
	// Posterior is the log posterior before the first merge and after each.
	Posterior []float64
	// LogLikelihood is the data's, without the priors.
	LogLikelihood float64
}

// Run merges states of machine, whose weights are counts (see Tree), as long as that
// raises the log posterior of data,
//
//	Σ weight·ln P(example) + log prior of the parameters + log prior of the topology.
//
// A round takes time in proportion to pairs of states times their arcs, and a few EM
// iterations. The result is the same to the last bit for any number of workers.
//
// Errors: illegal options or weights, any of em.Fit. The data must not refer to a
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

// real is the ring of the counts.
var real = semiring.Semiring[float64](semiring.Real{})

// Tree returns the acceptor of strings of labels > 0 in which every prefix is a state:
// where merging starts. The weight of an arc or final state is the number of strings that
// use it. The error wraps fst.ErrInvalid for other labels.
func Tree(strings [][]int32) (*fst.FST[float64], error) {
	type step struct{ from, label int32 }
	child := map[step]int32{}
	b := fst.NewBuilder(real)
	root := b.AddState()
	arcs := []fst.Arc[float64]{{}} // into every state
	from, final := []int32{-1}, []float64{0}
	for _, s := range strings {
		here := root
		for _, l := range s {
			next, ok := child[step{here, l}]
			if !ok {
				next = b.AddState()
				child[step{here, l}] = next
				arcs = append(arcs, fst.Arc[float64]{In: l, Out: l, To: next})
				from, final = append(from, here), append(final, 0)
			}
			arcs[next].Weight++
			here = next
		}
		final[here]++
	}
	b.AddStart(root, 1)
	for s := range arcs[1:] {
		b.AddArc(from[s+1], arcs[s+1])
	}
	for s, w := range final {
		b.SetFinal(int32(s), w)
	}
	return b.Freeze()
}
