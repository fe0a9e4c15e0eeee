package em

import "context"

// Incremental is EM that makes an M step after each block of shards (Neal and
// Hinton 1998): the counts of all blocks are kept, those of one block are replaced
// in an iteration. The objective is their free energy
//
//	F(q, θ) = Σ blocks (E_q ln p(block, hidden | θ) + entropy of q) + log prior,
//
// where the q of a block is the posterior when it was last seen. It never falls and
// its optima are those of the objective of EM. The first iteration sees all
// blocks; convergence is judged by the gain of a pass.
//
// It takes memory for blocks · Params.Len numbers, and as many additions per
// iteration.
type Incremental struct {
	// Shards is the number of shards of a block (default 1): the most that
	// workers can share.
	Shards int
}

// String returns "incremental EM".
func (Incremental) String() string { return "incremental EM" }

func (m Incremental) complete(*Options) (Method, error) {
	set(&m.Shards, 1)
	if m.Shards < 0 {
		return badMethod(m, "%d shards", m.Shards)
	}
	return m, nil
}

func (m Incremental) pass(shards int) int { return blocks(shards, m.Shards) }

func (m Incremental) ascend(t *trainer, _ *start) (ascent, error) {
	if err := t.needsCounts(); err != nil {
		return nil, err
	}
	return &increments{Incremental: m}, t.needsDerivatives()
}

// increments is Incremental at work.
type increments struct {
	Incremental
	memory struct {
		Ledger  ledger
		Counts  [][]float64 // per block
		Entropy []float64   // per block, that of its q over β
	}
	total []float64
}

func (a *increments) state() any { return &a.memory }

func (a *increments) ask(t *trainer, s *start) []Query { return a.memory.Ledger.ask(t, s, a.Shards) }

func (a *increments) tell(t *trainer, s *start, found []*Expectations) (point, error) {
	m := &a.memory
	first, p := m.Ledger.enter(t, s, a.Shards, found)
	if m.Counts == nil {
		m.Counts, m.Entropy = make([][]float64, p.period), make([]float64, p.period)
	}
	for i, e := range found {
		m.Counts[first+i] = e.Counts
		m.Entropy[first+i] = e.LogLikelihood/t.opts.Temperature - t.params.score(s.Theta, e.Counts)
	}
	// Added up anew: differences of counts would leave rounding where there is
	// nothing.
	a.total = make([]float64, t.params.n)
	p.objective, p.rises, p.step = t.params.LogPrior(s.Theta), true, MStep
	for b, counts := range m.Counts {
		p.objective += m.Entropy[b]
		for i, c := range counts {
			a.total[i] += c
		}
	}
	p.objective += t.params.score(s.Theta, a.total)
	return p, nil
}

func (a *increments) step(ctx context.Context, t *trainer, s *start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	var err error
	s.Theta, err = t.maximize(ctx, s, t.query(s.Theta), &Expectations{Counts: a.total})
	return false, err
}
