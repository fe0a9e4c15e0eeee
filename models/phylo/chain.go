package phylo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// Chain is a model of the sequences of an alignment by themselves: each base depends on the
// previous order bases, in the same way in all species. The evidence for a hidden base comes from a
// model of columns: its posterior divided by the frequency of the base is, up to a factor, the
// probability of the rest of the column. Each sequence is then a hidden Markov model (package
// models/hmm), in which neighbours on both sides, observed or hidden, are informative about a
// hidden base.
type Chain struct {
	// Model is the hidden Markov model. A state consists of the last order bases, as the digits of
	// a number, with the last base least significant.
	Model *hmm.Model[Evidence]
}

// ChainData is the data of a Chain: an alignment, and the posteriors of its hidden cells by row and
// column, according to a model of columns.
type ChainData struct {
	Alignment *msa.Alignment
	Posterior func(row, column int) [msa.NumBases]float64
}

// MaxOrder is the greatest order of a Chain: it has 4^order states, and takes the time of a full
// transition matrix.
const MaxOrder = 4

// NewChain returns a chain whose transitions are estimated by law. They start with the relative
// frequencies between observed bases of an alignment, with each count increased by 1. The error
// wraps em.ErrInvalid for an order outside [1, MaxOrder], or msa.ErrInvalid.
func NewChain(order int, law em.Law, a *msa.Alignment) (*Chain, error) {
	nonnil.Check("phylo: NewChain", "law", law, "alignment", a)
	if order < 1 || order > MaxOrder {
		return nil, nested.Errorf("phylo: %w: a chain of order %d, want one in [1, %d]", em.ErrInvalid, order, MaxOrder)
	}
	if err := a.Check(); err != nil {
		return nil, nested.Errorf("phylo: %w", err)
	}
	states := 1 << (2 * order)
	next := make([][]int, states)
	for s := range next {
		for b := range bases {
			next[s] = append(next[s], (s*bases+b)%states)
		}
	}
	m, err := hmm.New(em.NewParams(), hmm.Topology{States: states, Next: next}, law, evident(states))
	if err != nil {
		return nil, nested.Errorf("phylo: %w", err)
	}
	c := &Chain{m}
	c.start(a, states)
	return c, nil
}

// start sets the transitions to their relative frequencies between observed bases, with each count
// increased by 1.
func (c *Chain) start(a *msa.Alignment, states int) {
	m := c.Model
	row := func(state int) []float64 { return m.Row(state).In(m.Theta) }
	for state := range states {
		for b := range bases {
			row(state)[b] = 1
		}
	}
	for _, cells := range a.Rows {
		for r := range a.Runs() {
			lo, hi := a.Run(r)
			state, context := 0, 1 // context: 4 to the power of the number of known bases
			for _, cell := range cells[lo:hi] {
				b, ok := cell.Observed()
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
	}
	for state := range states {
		floats.Scale(1/floats.Sum(row(state)), row(state))
	}
}

// sequences returns the sequence of each row and run of the data. The error wraps em.ErrInvalid for
// a base without observations and with a positive posterior, or msa.ErrInvalid.
func (d ChainData) sequences() ([]hmm.Sequence[Evidence], error) {
	a := d.Alignment
	nonnil.Check("phylo: ChainData", "alignment", a, "posterior", d.Posterior)
	if err := a.Check(); err != nil {
		return nil, nested.Errorf("phylo: %w", err)
	}
	frequency := a.Frequencies()
	var all []hmm.Sequence[Evidence]
	for row, cells := range a.Rows {
		for r := range a.Runs() {
			lo, hi := a.Run(r)
			s := hmm.Sequence[Evidence]{Name: fmt.Sprintf("%s, columns from %d", a.Species[row], lo), Weight: em.Times(a.Weight(lo))}
			for j := lo; j < hi; j++ {
				var e Evidence
				if b, ok := cells[j].Observed(); ok {
					e[b] = 1
				} else {
					for b, q := range d.Posterior(row, j) {
						if q > 0 && frequency[b] == 0 {
							return nil, nested.Errorf("phylo: %w: no %c is observed, but its posterior in column %d of %s is %g", em.ErrInvalid, msa.Bases[b], j, text.Quote(a.Species[row]), q)
						}
						if q != 0 {
							e[b] = q / frequency[b]
						}
					}
				}
				s.Observations = append(s.Observations, e)
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// Fit trains the chain on data: see hmm.Model.Fit. The error wraps em.ErrInvalid for a base without
// observations and with a positive posterior, or msa.ErrInvalid.
func (c *Chain) Fit(ctx context.Context, data ChainData, opts *em.Options) (*em.Result, error) {
	sequences, err := data.sequences()
	if err != nil {
		return nil, err
	}
	r, err := c.Model.Fit(ctx, sequences, opts)
	if err != nil {
		err = nested.Errorf("phylo: %w", err)
	}
	return r, err
}

// Posteriors returns the posteriors of the bases by row and column of the data, computed by a
// number of workers (0: GOMAXPROCS). Errors are as for Fit.
func (c *Chain) Posteriors(ctx context.Context, data ChainData, workers int) ([][][msa.NumBases]float64, error) {
	sequences, err := data.sequences()
	if err != nil {
		return nil, err
	}
	s, err := c.Model.Predictor()
	if err != nil {
		return nil, nested.Errorf("phylo: %w", err)
	}
	all := make([][][bases]float64, len(data.Alignment.Rows))
	// The sequences of a row are consecutive, and so are the rows.
	reducer := em.NewReducer[struct{}, [][bases]float64](func() *struct{} { return nil })
	err = reducer.Sum(ctx, workers, 0, len(sequences), func(_ *struct{}, i int, found *[][bases]float64) error {
		p, err := s.Posteriors(sequences[i])
		if err != nil {
			return nested.Errorf("phylo: %s: %w", sequences[i].Name, err)
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
		row := i / data.Alignment.Runs()
		all[row] = append(all[row], *found...)
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Evidence is the probability of the observations related to a site given each of the four bases,
// up to a factor.
type Evidence [msa.NumBases]float64

// evident is the emission of evidence by this number of states, which depends on their last bases;
// it has no parameters.
type evident int

// String describes the emission.
func (s evident) String() string { return fmt.Sprintf("evidence of %d states", int(s)) }

// States returns the number of states.
func (s evident) States() int { return int(s) }

// Check returns an error unless the numbers are finite, ≥ 0 and not all 0.
func (evident) Check(e Evidence) error {
	sum := 0.0
	for _, x := range e {
		if sum += x; !(x >= 0) {
			return fmt.Errorf("evidence %v, want numbers ≥ 0", e)
		}
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return fmt.Errorf("evidence %v, want finite numbers that are not all 0", e)
	}
	return nil
}

// Missing returns false: missing evidence is equal for all bases.
func (evident) Missing(Evidence) bool { return false }

// At returns the densities, which do not depend on parameters.
func (s evident) At([]float64, []semiring.ScaledFloat) (hmm.Densities[Evidence], error) {
	return s, nil
}

// Of returns the evidence for the last base of each state.
func (evident) Of(e Evidence, dst []semiring.ScaledFloat) []semiring.ScaledFloat {
	for state := range dst {
		dst[state] = semiring.NewScaled(e[state%bases])
	}
	return dst
}

// Count does nothing, as there are no parameters.
func (evident) Count([]float64, Evidence, []float64) {}

// Sample returns an error that wraps semiring.ErrCapability: evidence cannot be sampled.
func (evident) Sample([]float64, int, rand.Source) (Evidence, error) {
	return Evidence{}, nested.Errorf("phylo: %w: evidence drawn at random", semiring.ErrCapability)
}
