package phylo

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/models/phylo/msa"
)

// Chain is a model of the sequences of an alignment by themselves: each base depends on
// those before it, as many as the order, alike in all species. Where a base is hidden,
// what a model of columns says of it is evidence: its posterior divided by the frequency
// of the base is, up to a factor, the probability of the rest of the column. That makes
// each sequence a hidden Markov model (package models/hmm), in which neighbours on both
// sides tell of a hidden base, hidden ones too.
type Chain struct {
	// Model is the hidden Markov model. Its states are the last bases, as many as the
	// order, as the digits of a number, the last one least.
	Model *hmm.Model[Evidence]

	a    *msa.Alignment
	data []hmm.Sequence[Evidence] // per row and run
}

// MaxOrder is the greatest order of a Chain: it has 4^order states, all followed by all
// as far as time is concerned.
const MaxOrder = 4

// NewChain returns a chain for the sequences of an alignment, whose hidden cells have the
// given posteriors by row and column. The transitions are estimated by law and start with
// those between observed bases, each seen once more than it was. The error wraps
// em.ErrProblem for an order that is not in [1, MaxOrder] or for a base that is observed
// nowhere, or msa.ErrInvalid.
func NewChain(order int, law em.Parameterization, a *msa.Alignment, posterior func(row, column int) [msa.NumBases]float64) (*Chain, error) {
	nonnil.Check("phylo: NewChain", "law", law, "alignment", a, "posterior", posterior)
	if order < 1 || order > MaxOrder {
		return nil, fmt.Errorf("phylo: %w: a chain of order %d, want one in [1, %d]", em.ErrProblem, order, MaxOrder)
	}
	if err := a.Check(); err != nil {
		return nil, err
	}
	frequency := a.Frequencies()
	if b := slices.Index(frequency[:], 0); b >= 0 {
		return nil, fmt.Errorf("phylo: %w: no %c is observed", em.ErrProblem, msa.Bases[b])
	}
	c := &Chain{a: a}
	states := 1 << (2 * order)
	next := make([][]int, states)
	for s := range next {
		for b := range bases {
			next[s] = append(next[s], (s*bases+b)%states)
		}
	}
	var err error
	if c.Model, err = hmm.New[Evidence](em.NewParams(), hmm.Topology{States: states, Next: next}, law, evident(states)); err != nil {
		return nil, fmt.Errorf("phylo: %w", err)
	}
	c.collect(posterior, frequency)
	c.start(states)
	return c, nil
}

// collect makes the sequences.
func (c *Chain) collect(posterior func(row, column int) [bases]float64, frequency [bases]float64) {
	for row, cells := range c.a.Rows {
		for r := range c.a.Runs() {
			lo, hi := c.a.Run(r)
			s := hmm.Sequence[Evidence]{Name: fmt.Sprintf("%s, columns from %d", c.a.Species[row], lo), Weight: em.Times(c.a.Weight(lo))}
			for j := lo; j < hi; j++ {
				var e Evidence
				if b, ok := cells[j].Observed(); ok {
					e[b] = 1
				} else {
					for b, q := range posterior(row, j) {
						e[b] = q / frequency[b]
					}
				}
				s.Observations = append(s.Observations, e)
			}
			c.data = append(c.data, s)
		}
	}
}

// start sets the transitions to the shares of those between observed bases, each of which
// counts once more than it occurs.
func (c *Chain) start(states int) {
	m := c.Model
	row := func(state int) []float64 { return m.Row(state).In(m.Theta) }
	for state := range states {
		for b := range bases {
			row(state)[b] = 1
		}
	}
	for _, s := range c.data {
		state, context := 0, 1 // context: 4 to the power of how many bases are known
		for _, e := range s.Observations {
			b, ok := e.observed()
			if !ok {
				context = 1
				continue
			}
			if context >= states {
				row(state)[b]++
			}
			state, context = (state*bases+b)%states, context*bases
			context = min(context, states)
		}
	}
	for state := range states {
		floats.Scale(1/floats.Sum(row(state)), row(state))
	}
}

// Fit trains the chain: see hmm.Model.Fit.
func (c *Chain) Fit(ctx context.Context, opts *em.Options) (*em.Result, error) {
	r, err := c.Model.Fit(ctx, c.data, opts)
	if err != nil {
		err = fmt.Errorf("phylo: %w", err)
	}
	return r, err
}

// Posteriors returns the posteriors of the bases by row and column of the alignment, found
// by so many goroutines (0: GOMAXPROCS).
func (c *Chain) Posteriors(ctx context.Context, workers int) ([][][msa.NumBases]float64, error) {
	s, err := c.Model.Predictor()
	if err != nil {
		return nil, fmt.Errorf("phylo: %w", err)
	}
	all := make([][][bases]float64, len(c.a.Rows))
	// A shard is a sequence: those of a row follow each other, as the rows do.
	reducer := em.NewReducer[struct{}, [][bases]float64](func() *struct{} { return nil })
	return all, reducer.Sum(ctx, workers, 0, len(c.data), func(_ *struct{}, i int, found *[][bases]float64) error {
		p, err := s.Posteriors(c.data[i])
		if err != nil {
			return fmt.Errorf("phylo: %s: %w", c.data[i].Name, err)
		}
		*found = (*found)[:0]
		for _, states := range p {
			var q [bases]float64
			for state, x := range states {
				q[state%bases] += x
			}
			*found = append(*found, q)
		}
		return nil
	}, func(i int, found *[][bases]float64) {
		row := i / c.a.Runs()
		all[row] = append(all[row], *found...)
	})
}
