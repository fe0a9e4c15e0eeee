package hmm

import (
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/choice"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Missing is the symbol of a position without an observation.
const Missing int32 = -1

// Discrete emits symbols 0, 1, …, Symbols−1, or Missing. It is an Emission[int32].
type Discrete struct {
	name    string
	groups  []*em.Group // per distribution
	of      []int       // per state: its distribution
	symbols int
}

// NewDiscrete returns an emission of symbols by len(of) states. State i has distribution
// of[i], counted from 0: states with the same number share one. Each distribution becomes
// a group of p, estimated by law, whose name is name and the number.
//
// The error wraps ErrInvalid.
func NewDiscrete(p *em.Params, name string, symbols int, of []int, law em.Law) (*Discrete, error) {
	nonnil.Check("hmm: NewDiscrete", "parameters", p, "law", law)
	if symbols < 1 {
		return nil, nested.Errorf("hmm: %w: %d symbols", ErrInvalid, symbols)
	}
	n, err := distributions(of)
	if err != nil {
		return nil, err
	}
	if err := unnamed(p, name, n); err != nil {
		return nil, err
	}
	e := &Discrete{name: name, of: append([]int(nil), of...), symbols: symbols}
	for d := range n {
		e.groups = append(e.groups, p.Distribution(fmt.Sprintf("%s/%d", name, d), symbols, law))
	}
	return e, nil
}

// Groups returns the group of every distribution.
func (e *Discrete) Groups() []*em.Group { return e.groups }

// String returns the number of symbols and the distribution of every state.
func (e *Discrete) String() string {
	return fmt.Sprintf("%d symbols by distributions %v", e.symbols, e.of)
}

func (e *Discrete) saved() (savedEmission, error) {
	return savedEmission{Kind: "discrete", Name: e.name, Of: e.of, Symbols: e.symbols, Law: &em.SavedLaw{Law: e.groups[0].Law()}}, nil
}

// States returns the number of states.
func (e *Discrete) States() int { return len(e.of) }

// Check returns an error unless o is a symbol or Missing.
func (e *Discrete) Check(o int32) error {
	if o != Missing && (o < 0 || int(o) >= e.symbols) {
		return fmt.Errorf("symbol %d, want one in [0, %d) or Missing", o, e.symbols)
	}
	return nil
}

// Missing reports whether o is Missing.
func (e *Discrete) Missing(o int32) bool { return o == Missing }

// At returns the columns of the emission table.
func (e *Discrete) At(_ []float64, values []semiring.ScaledFloat) (Densities[int32], error) {
	n := len(e.of)
	c := columns{e, make([][]semiring.ScaledFloat, e.symbols)}
	cells := make([]semiring.ScaledFloat, n*e.symbols)
	for o := range c.table {
		c.table[o] = cells[o*n : (o+1)*n : (o+1)*n]
		for i, d := range e.of {
			c.table[o][i] = values[e.groups[d].First()+o]
		}
	}
	return c, nil
}

// columns holds for every symbol its probability in every state.
type columns struct {
	e     *Discrete
	table [][]semiring.ScaledFloat
}

func (c columns) Of(o int32, _ []semiring.ScaledFloat) []semiring.ScaledFloat { return c.table[o] }

// Count adds the posterior of every state to the count of its symbol.
func (c columns) Count(counts []float64, o int32, posterior []float64) {
	for i, p := range posterior {
		counts[c.e.groups[c.e.of[i]].First()+int(o)] += p
	}
}

// Sample draws a symbol.
func (e *Discrete) Sample(theta []float64, state int, src rand.Source) (int32, error) {
	return int32(draw(e.groups[e.of[state]].In(theta), rand.New(src))), nil
}

// draw draws an index in proportion to p. If rounding leaves a gap, it returns the last index
// with p > 0.
func draw(p []float64, rng *rand.Rand) int {
	sum := make([]float64, len(p))
	top := choice.Accumulate(sum, p)
	i := choice.First(sum, rng.Float64()*top)
	for i == len(p) || p[i] == 0 && i > 0 {
		i--
	}
	return i
}
