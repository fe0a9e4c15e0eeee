package em

import (
	"cmp"
	"context"
	"example.org/pathsum/em/internal/vector"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// ledger is the memory of methods that see one block of shards at a time: the last
// log likelihood and underivable examples of each block. The
// first iteration sees all blocks, so that no parameter goes to 0 because
// the first block does not use it; each later one sees the next block.
type ledger struct {
	LogLikelihood []float64
	Skipped       [][]Skipped
	Refused       int // iterations that saw no block
}

// blocks returns the number of blocks, each of the given number of shards.
func blocks(shards, each int) int { return (shards + each - 1) / each }

// due returns the blocks of the next iteration.
func (l *ledger) due(t *Trainer, s *Start, each int) (first, last int) {
	n := blocks(t.likelihood.Shards(), each)
	if l.LogLikelihood == nil {
		return 0, n
	}
	b := (len(s.Objective) - 1 - l.Refused) % n
	return b, b + 1
}

// ask returns the E steps of the next iteration, one for each block.
func (l *ledger) ask(t *Trainer, s *Start, each int) []Query {
	var qs []Query
	first, last := l.due(t, s, each)
	for b := first; b < last; b++ {
		q := t.query(s.Theta)
		q.Lo, q.Hi = b*each, min((b+1)*each, t.likelihood.Shards())
		qs = append(qs, q)
	}
	return qs
}

// askSum is like ask, for methods that need only the sum of the counts of the E steps.
func (l *ledger) askSum(t *Trainer, s *Start, each int) []Query {
	qs := l.ask(t, s, each)
	counts := t.Ask(s.Theta).Counts
	for i := range qs {
		qs[i].Counts = counts
	}
	return qs
}

// enter records the results of the E steps and returns the index of their first block. The
// point's objective is the sum of the last log likelihoods of all blocks, plus the log prior.
func (l *ledger) enter(t *Trainer, s *Start, each int, found []*Expectations) (first int, p Point) {
	first, last := l.due(t, s, each)
	if l.LogLikelihood == nil {
		l.LogLikelihood, l.Skipped = make([]float64, last), make([][]Skipped, last)
	}
	for i, e := range found {
		l.LogLikelihood[first+i], l.Skipped[first+i] = e.LogLikelihood, e.Skipped
	}
	p.Period = len(l.LogLikelihood)
	for b, v := range l.LogLikelihood {
		p.LogLikelihood += v
		p.Skipped = append(p.Skipped, l.Skipped[b]...)
	}
	p.Objective, p.face = p.LogLikelihood/t.opts.Temperature+t.params.LogPrior(s.Theta), t.params.face(s.Theta)
	return first, p
}

// sum returns the counts of all E steps of an iteration after askSum, or the counts of one
// block times the number of blocks: an estimate of the counts of all data.
func (l *ledger) sum(t *Trainer, found []*Expectations) []float64 {
	if len(found) == 1 {
		floats.Scale(float64(len(l.LogLikelihood)), t.counts)
	}
	return t.counts
}

// Incremental is EM with an M step after each block of shards (Neal and
// Hinton 1998): it keeps the counts of all blocks, and an iteration replaces the
// counts of one block. The objective is their free energy
//
//	F(q, θ) = Σ blocks (E_q ln p(block, hidden | θ) + entropy of q) + log prior,
//
// where the q of a block is the posterior at its last visit. It never falls and
// has the same optima as the objective of EM. The first iteration sees all
// blocks; convergence is tested by the gain of a pass.
//
// It takes memory for blocks + 4 vectors of the length of θ, two of them while it computes
// the objective, and blocks · Params.Len additions per iteration.
type Incremental struct {
	// Shards is the number of shards of a block (default 1). It limits the number of
	// workers that can share an E step.
	Shards int
}

// String returns "incremental EM".
func (Incremental) String() string { return "incremental EM" }

// Complete implements Method.
func (m Incremental) Complete(*Options) (Method, error) {
	m.Shards = cmp.Or(m.Shards, 1)
	if m.Shards < 0 {
		return badMethod(m, "%d shards", m.Shards)
	}
	return m, nil
}

// Pass implements Method.
func (m Incremental) Pass(shards int) int { return blocks(shards, m.Shards) }

// Begin implements Method.
func (m Incremental) Begin(t *Trainer, _ *Start) (Ascent, error) {
	if err := t.NeedsCounts(); err != nil {
		return nil, err
	}
	return &increments{Incremental: m}, t.NeedsDerivatives()
}

// increments is the Ascent of Incremental.
type increments struct {
	Incremental
	memory struct {
		Ledger  ledger
		Counts  [][]float64 // per block
		Entropy []float64   // per block, of its q over β
	}
	total []float64
}

func (a *increments) State() any { return &a.memory }

func (a *increments) Ask(t *Trainer, s *Start) []Query { return a.memory.Ledger.ask(t, s, a.Shards) }

func (a *increments) Tell(t *Trainer, s *Start, found []*Expectations) (Point, error) {
	m := &a.memory
	first, p := m.Ledger.enter(t, s, a.Shards, found)
	if m.Counts == nil {
		m.Counts, m.Entropy = make([][]float64, p.Period), make([]float64, p.Period)
	}
	for i, e := range found {
		m.Counts[first+i] = e.Counts
		m.Entropy[first+i] = e.LogLikelihood/t.opts.Temperature - t.params.score(s.Theta, e.Counts)
	}
	// Recompute the sum: adding differences of counts would leave rounding errors in place of
	// zeros.
	a.total = vector.Zeros(a.total, t.params.n)
	p.Objective, p.Rises, p.Step = t.params.LogPrior(s.Theta), true, MStep
	for b, counts := range m.Counts {
		p.Objective += m.Entropy[b]
		for i, c := range counts {
			a.total[i] += c
		}
	}
	p.Objective += t.params.score(s.Theta, a.total)
	return p, nil
}

func (a *increments) Step(ctx context.Context, t *Trainer, s *Start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	return false, t.Maximize(ctx, s, t.query(s.Theta), &Expectations{Counts: a.total})
}

// Stepwise is EM with running counts (Cappé and Moulines 2009; Liang and Klein
// 2009). The first iteration sees all data, each later one a minibatch of shards. The
// t-th minibatch, from 0, moves the running counts towards its own, scaled to all data,
// by the fraction (t+2)^−Power. Minibatches follow the order of the data: shuffle data
// that are sorted.
//
// The objective is the sum of the last log likelihoods of the minibatches. It may fall.
// The start converges when it changes by no more than the tolerance in a pass. A last E step over
// all data compares the result with the start. If the result is lower, the start is returned with
// the Status Stalled. It holds four vectors of the length of θ: θ, the start, the counts of the
// minibatch, and the running counts.
type Stepwise struct {
	// Power, in (½, 1], controls how fast the steps shrink (default 0.7).
	Power float64
	// Shards is the number of shards of a minibatch (default 1). It limits the number of
	// workers that can share an E step.
	Shards int
}

// String returns "stepwise EM".
func (Stepwise) String() string { return "stepwise EM" }

// Complete implements Method.
func (m Stepwise) Complete(*Options) (Method, error) {
	m.Power = cmp.Or(m.Power, .7)
	m.Shards = cmp.Or(m.Shards, 1)
	switch {
	case !(m.Power > .5) || m.Power > 1:
		return badMethod(m, "power %g, want one in (0.5, 1]", m.Power)
	case m.Shards < 0:
		return badMethod(m, "%d shards", m.Shards)
	}
	return m, nil
}

// Pass implements Method.
func (m Stepwise) Pass(shards int) int { return blocks(shards, m.Shards) }

// Begin implements Method.
func (m Stepwise) Begin(t *Trainer, _ *Start) (Ascent, error) {
	return &steps{Stepwise: m}, t.NeedsCounts()
}

// steps is the Ascent of Stepwise.
type steps struct {
	Stepwise
	memory struct {
		Ledger  ledger
		Running []float64
	}
}

func (a *steps) State() any { return &a.memory }

func (a *steps) Ask(t *Trainer, s *Start) []Query { return a.memory.Ledger.askSum(t, s, a.Shards) }

func (a *steps) Tell(t *Trainer, s *Start, found []*Expectations) (Point, error) {
	m := &a.memory
	_, p := m.Ledger.enter(t, s, a.Shards, found)
	p.Step = MStep
	counts := m.Ledger.sum(t, found)
	if m.Running == nil {
		m.Running = slices.Clone(counts)
		return p, nil
	}
	eta := math.Pow(float64(len(s.Objective)+1), -a.Power)
	for i, c := range counts {
		m.Running[i] += eta * (c - m.Running[i])
	}
	return p, nil
}

func (a *steps) Step(ctx context.Context, t *Trainer, s *Start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	return false, t.Maximize(ctx, s, t.query(s.Theta), &Expectations{Counts: a.memory.Running})
}
