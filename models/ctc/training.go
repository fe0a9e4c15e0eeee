package ctc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// Network computes scores from parameters θ, and derivatives by θ from derivatives by scores. One
// goroutine uses it at a time, so that it may keep activations between Forward and Backward.
type Network interface {
	// Forward returns the scores of example i, a number for each frame and column, frame by
	// frame. The slice is used until the next call.
	Forward(theta []float64, i int) ([]float64, error)
	// Backward adds Σ gradient·∂score/∂θ to counts, where gradient has a number for each score.
	// If it is called, it is called right after Forward with the same θ and example.
	Backward(counts, theta []float64, i int, gradient []float64) error
}

// Training is a network and its training examples.
type Training struct {
	// Params is the table of θ. A group of weights of the network usually has the law
	// em.Exponents{Mean: em.Times(0), Sigma: σ}, a Gaussian prior around 0. Counts are then
	// derivatives by θ. For other laws see the law.
	Params *em.Params
	// Examples are the texts, and weights. Their Emissions are nil: Network computes them.
	Examples []Example
	// Network returns a network, for one goroutine.
	Network func() Network
	// Emissions are the options for making emissions from scores.
	Emissions *frames.Options
	// ShardSize is the number of examples in a shard, the minibatch of em.SGD (0: em.NewCut).
	ShardSize int
	// Fingerprint, if not nil, writes the inputs of the network, and all other data except θ that
	// determine the scores. Fit then rejects a checkpoint of other inputs.
	Fingerprint func(w io.Writer)
}

// Likelihood returns minus the sum of the losses of examples, times their weights, as a function
// of the parameters of a network: for em.Fit with the methods em.LBFGS and em.SGD, for em.Sum
// and em.CheckStart. Counts are its derivatives. It ignores Options.Mean and Options.Workers.
//
// The error wraps ErrInvalid for labels that the topology does not write, for invalid weights and
// for examples that have emissions. An E step returns the errors of Eval. With
// Options.Underivable = em.Skip an example that no path reads is skipped and listed in
// em.Result.Skipped.
func (l *Loss) Likelihood(t Training) (em.Likelihood, error) {
	nonnil.Check("ctc: Likelihood", "Params", t.Params, "Network", t.Network)
	if t.ShardSize < 0 {
		return nil, nested.Errorf("ctc: Likelihood: %w: shards of %d examples", ErrInvalid, t.ShardSize)
	}
	skipped := func(i int) em.Skipped {
		x := &t.Examples[i]
		return em.Skipped{Index: i, Name: x.Name, Weight: x.Weight.Float64()}
	}
	if err := em.CheckWeights(len(t.Examples), skipped); err != nil {
		return nil, nested.Errorf("ctc: Likelihood: %w", err)
	}
	for i := range t.Examples {
		x := &t.Examples[i]
		err := l.checkText(x.Labels)
		switch {
		case x.Emissions != nil:
			err = fmt.Errorf("%w: emissions, which the network computes", ErrInvalid)
		case x.Lattice != nil && x.Labels != nil:
			err = fmt.Errorf("%w: both labels and a lattice", ErrInvalid)
		}
		if err != nil {
			return nil, nested.Errorf("ctc: Likelihood: %v: %w", skipped(i), err)
		}
	}
	var err error
	if t.Examples, err = frozen(t.Examples); err != nil {
		return nil, nested.Errorf("ctc: Likelihood: %w", err)
	}
	cut := em.NewCut(len(t.Examples))
	if t.ShardSize > 0 {
		cut = em.NewCutBySize(len(t.Examples), t.ShardSize)
	}
	return em.Sharded[em.Query, trainee]{
		Package: "ctc", Params: t.Params, Underivable: l.opts.Underivable, Cut: cut,
		Fingerprint: func(w io.Writer) { l.fingerprint(w, &t) },
		Weight:      func(i int) float64 { return t.Examples[i].Weight.Float64() },
		Name:        func(i int) string { return t.Examples[i].Name },
		NewWorker: func() *trainee {
			return &trainee{worker: l.workers.Get().(*worker), network: t.Network()}
		},
		Open: func(_ context.Context, _ *trainee, _ em.Query, _ int, tally *em.Tally) error {
			tally.Zeros(t.Params.Len(), false)
			return nil
		},
		Sum: func(w *trainee, q em.Query, i int, weight float64, tally *em.Tally) (float64, error) {
			return l.train(w, &t, q.Theta, i, weight, tally.Counts)
		},
	}.Likelihood(), nil
}

// trainee is the working storage of one goroutine.
type trainee struct {
	*worker
	network  Network
	gradient []float64
}

// train adds weight times the derivatives of minus the loss of example i to counts, and returns
// minus the loss.
func (l *Loss) train(w *trainee, t *Training, theta []float64, i int, weight float64, counts []float64) (float64, error) {
	scores, err := w.network.Forward(theta, i)
	if err != nil {
		return 0, err
	}
	if len(scores) == 0 || len(scores)%l.of.Symbols != 0 {
		return 0, fmt.Errorf("%w: the network returns %d scores for frames of %d columns", semiring.ErrShape, len(scores), l.of.Symbols)
	}
	x := t.Examples[i]
	if x.Emissions, err = frames.Scores(len(scores)/l.of.Symbols, l.of.Symbols, scores, t.Emissions); err != nil {
		return 0, err
	}
	loss, err := l.eval(w.worker, &x, true, weight, nil)
	var u *underivable
	switch {
	case errors.As(err, &u) && l.opts.Underivable == em.Skip:
		return math.Inf(-1), nil
	case err != nil:
		return 0, err
	}
	w.gradient = zeroed(w.gradient, len(scores))
	x.Emissions.Gradient(w.gradient, -1, w.gamma)
	return -loss, w.network.Backward(counts, theta, i, w.gradient)
}

// fingerprint writes the topology, the options, the texts and the caller's fingerprint.
func (l *Loss) fingerprint(w io.Writer, t *Training) {
	write := func(m machine, states int) {
		fmt.Fprintln(w, m.AppendStarts(nil))
		for s := range int32(states) {
			fmt.Fprintln(w, s, m.Final(s), m.AppendArcs(nil, s))
		}
	}
	fmt.Fprintf(w, "ctc %d %d %v %+v\n", l.of.Symbols, l.of.Blank, l.opts.SmoothingWeight, t.Emissions)
	if fmt.Fprintln(w, l.column); l.column != nil {
		write(l.machine, l.states)
	}
	for _, s := range []*static{l.denominator, l.smoothing} {
		if s != nil {
			fmt.Fprintln(w, s.name)
			write(s.frozen, s.states)
		}
	}
	for _, x := range t.Examples {
		fmt.Fprintf(w, "%q %v %v\n", x.Name, x.Labels, x.Weight)
		if f, ok := x.Lattice.(interface{ NumStates() int }); ok { // frozen
			write(x.Lattice, f.NumStates())
		}
	}
	if t.Fingerprint != nil {
		t.Fingerprint(w)
	}
}
