package hmm

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/choice"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Emission says how the states of a model emit observations of type O. It knows
// which parameters of the model's em.Params are its own. Many goroutines use it at a time.
//
// Where it has a method Groups() []*em.Group, as Discrete and Gaussian have, which returns the
// groups of its parameters, New checks that they are in the model's em.Params.
type Emission[O any] interface {
	// String describes all that is fixed about the emission. A checkpoint of training
	// is recognized by it.
	fmt.Stringer
	// States returns the number of states.
	States() int
	// Check returns an error that says why o is no observation, or nil.
	Check(o O) error
	// Missing reports whether o says that nothing was observed.
	Missing(o O) bool
	// At returns the densities under the parameters theta, with their values (see
	// em.Params.Values).
	At(theta []float64, values []semiring.ScaledFloat) (Densities[O], error)
	// Count adds the sufficient statistics of o to counts, one per parameter. posterior
	// holds the probability of every state.
	Count(counts []float64, o O, posterior []float64)
	// Sample draws an observation in the given state under theta.
	Sample(theta []float64, state int, src rand.Source) (O, error)
}

// checkGroups returns an error if the emission says that it has parameters that are not in p.
func checkGroups(p *em.Params, emission any) error {
	e, ok := emission.(interface{ Groups() []*em.Group })
	if !ok {
		return nil
	}
	known := map[*em.Group]bool{}
	for _, g := range p.Groups() {
		known[g] = true
	}
	for _, g := range e.Groups() {
		if !known[g] {
			return nested.Errorf("hmm: %w: the emission has parameters of another em.Params, such as %s; make it with the Params of the model", ErrInvalid, g.Name(0))
		}
	}
	return nil
}

// Densities are emission probabilities, or densities, under fixed parameters.
type Densities[O any] interface {
	// Of returns the density of o, which is not missing, in every state. It may fill in
	// dst, of one weight per state, or return storage that is not to be modified.
	Of(o O, dst []semiring.ScaledFloat) []semiring.ScaledFloat
}

// Missing is the symbol that says that nothing was observed at a position.
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

// distributions returns the number of distributions.
func distributions(of []int) (int, error) {
	n := 0
	for i, d := range of {
		if d < 0 || d >= len(of) {
			return 0, nested.Errorf("hmm: %w: state %d has emission %d, want a number in [0, %d)", ErrInvalid, i, d, len(of))
		}
		n = max(n, d+1)
	}
	return n, nil
}

// Each returns the numbers 0, 1, …, n−1: every state with a distribution of its own.
func Each(n int) []int {
	of := make([]int, n)
	for i := range of {
		of[i] = i
	}
	return of
}

// Groups returns the group of every distribution.
func (e *Discrete) Groups() []*em.Group { return e.groups }

// String returns the number of symbols and the distribution of every state.
func (e *Discrete) String() string {
	return fmt.Sprintf("%d symbols by distributions %v", e.symbols, e.of)
}

func (e *Discrete) saved() savedEmission {
	return savedEmission{Kind: "discrete", Name: e.name, Of: e.of, Symbols: e.symbols, Law: em.SavedLaw{Law: e.groups[0].Law()}}
}

// States returns the number of states.
func (e *Discrete) States() int { return len(e.of) }

// Check asks for a symbol or Missing.
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
	table := make(columns, e.symbols)
	cells := make([]semiring.ScaledFloat, n*e.symbols)
	for o := range table {
		table[o] = cells[o*n : (o+1)*n : (o+1)*n]
		for i, d := range e.of {
			table[o][i] = values[e.groups[d].First()+o]
		}
	}
	return table, nil
}

// columns holds for every symbol its probability in every state.
type columns [][]semiring.ScaledFloat

func (c columns) Of(o int32, _ []semiring.ScaledFloat) []semiring.ScaledFloat { return c[o] }

// Count adds the posterior of every state to the count of its symbol.
func (e *Discrete) Count(counts []float64, o int32, posterior []float64) {
	for i, p := range posterior {
		counts[e.groups[e.of[i]].First()+int(o)] += p
	}
}

// Sample draws a symbol.
func (e *Discrete) Sample(theta []float64, state int, src rand.Source) (int32, error) {
	return int32(draw(e.groups[e.of[state]].In(theta), rand.New(src))), nil
}

// draw draws an index in proportion to p. Where rounding leaves a gap it is the last index
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

// Gaussian emits vectors from normal distributions; a nil vector says that nothing was
// observed. It is an Emission[[]float64].
type Gaussian struct {
	name   string
	groups []*em.Group // per distribution
	of     []int       // per state: its distribution
	law    em.Gaussian
}

// NewGaussian returns an emission of vectors by len(of) states. State i has distribution
// of[i], counted from 0. Each distribution becomes a group of p, estimated by law, whose
// name is name and the number.
//
// All begin alike, at law's Center: StartKMeans and StartRandom tell them apart, and so do
// starts that are set (em.Group.SetStart). A law with a Prior keeps variances away from 0.
// The error wraps ErrInvalid.
func NewGaussian(p *em.Params, name string, of []int, law em.Gaussian) (*Gaussian, error) {
	nonnil.Check("hmm: NewGaussian", "parameters", p)
	n, err := distributions(of)
	if err != nil {
		return nil, err
	}
	if err := unnamed(p, name, n); err != nil {
		return nil, err
	}
	e := &Gaussian{name: name, of: append([]int(nil), of...), law: law}
	for d := range n {
		e.groups = append(e.groups, p.Group(fmt.Sprintf("%s/%d", name, d), law.Len(), law))
	}
	return e, nil
}

// Groups returns the group of every distribution.
func (e *Gaussian) Groups() []*em.Group { return e.groups }

// Density returns a normal distribution at theta, the values of the model's parameters, by its
// number: that of state i is of[i], as NewGaussian was told. So a state of a model of Durations has
// the density of its own number, like its Duration. Of a trained model it is
// Density(m.Theta, state). The error wraps em.ErrParameter.
func (e *Gaussian) Density(theta []float64, distribution int) (*em.Density, error) {
	return e.law.Density(e.groups[distribution].In(theta))
}

// SetDensity writes a normal distribution to theta, by the number that Density has for it. The
// error is that of em.Gaussian.SetDensity, and wraps em.ErrParameter.
func (e *Gaussian) SetDensity(theta []float64, distribution int, mean []float64, covariance mat.Symmetric) error {
	return e.law.SetDensity(e.groups[distribution].In(theta), mean, covariance)
}

// String returns the law and the distribution of every state.
func (e *Gaussian) String() string { return fmt.Sprintf("%+v by distributions %v", e.law, e.of) }

func (e *Gaussian) saved() savedEmission {
	return savedEmission{Kind: "gaussian", Name: e.name, Of: e.of, Law: em.SavedLaw{Law: e.law}}
}

// States returns the number of states.
func (e *Gaussian) States() int { return len(e.of) }

// Check asks for a vector of the right length, of finite numbers, or nil.
func (e *Gaussian) Check(o []float64) error {
	if o == nil {
		return nil
	}
	if len(o) != e.law.Size() {
		return fmt.Errorf("a vector of %d numbers, want %d", len(o), e.law.Size())
	}
	for i, x := range o {
		if x-x != 0 {
			return fmt.Errorf("component %d is %g, want a finite number", i, x)
		}
	}
	return nil
}

// Missing reports whether o is nil.
func (e *Gaussian) Missing(o []float64) bool { return o == nil }

// At returns the normal distributions.
func (e *Gaussian) At(theta []float64, _ []semiring.ScaledFloat) (Densities[[]float64], error) {
	n := normals{of: e.of}
	for _, g := range e.groups {
		d, err := e.law.Density(g.In(theta))
		if err != nil {
			return nil, err
		}
		n.densities = append(n.densities, d)
	}
	return n, nil
}

type normals struct {
	of        []int
	densities []*em.Density
}

func (n normals) Of(o []float64, dst []semiring.ScaledFloat) []semiring.ScaledFloat {
	for i, d := range n.of {
		dst[i] = semiring.ScaledFromLog(n.densities[d].Log(o))
	}
	return dst
}

// Count adds the statistics of o to the counts of every state's distribution.
func (e *Gaussian) Count(counts []float64, o []float64, posterior []float64) {
	for i, p := range posterior {
		if p != 0 {
			e.law.AddCounts(e.groups[e.of[i]].In(counts), o, p)
		}
	}
}

// Sample draws a vector.
func (e *Gaussian) Sample(theta []float64, state int, src rand.Source) ([]float64, error) {
	d, err := e.Density(theta, e.of[state])
	if err != nil {
		return nil, err
	}
	return d.Sample(rand.New(src)), nil
}

// unnamed returns an error if p has a group by a name that the n distributions are to have.
func unnamed(p *em.Params, name string, n int) error {
	for d := range n {
		if group := fmt.Sprintf("%s/%d", name, d); p.Find(group) != nil {
			return nested.Errorf("hmm: %w: there is a group %s already; call this emission something else than %q", ErrInvalid, group, name)
		}
	}
	return nil
}
