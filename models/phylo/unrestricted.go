package phylo

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// Unrestricted is the process of substitutions with arbitrary rates from each base to each other
// base, equal on all branches: UNREST (Yang 1994). It may be irreversible and out of equilibrium,
// so the position of the root matters, and it requires a rooted tree. Branch lengths are in
// expected substitutions per site at the base frequencies of the root. Lengths above 10,000 count
// as 10,000.
//
// Its parameters are trained by em.LBFGS, without the additional trials of Columns.Fit for a
// Reversible process. A good start is the tree of a trained REV (Columns.Tree). They are the groups
// "frequencies", of the root, "rates", which sum to 1 as only their ratios matter, "lengths", and
// "shape" if there is more than one rate class. The rate from A to C is named AC.
type Unrestricted struct {
	// Frequencies are the frequencies of the bases at the root, or their initial values for
	// training. They sum to 1.
	Frequencies [msa.NumBases]float64
	// Law estimates the frequencies (nil: em.Fixed, not estimated), as in Reversible.
	Law em.Law
	// RateClasses is the number of classes of sites, as in Reversible.
	RateClasses int
}

// unrestrictedKernel is the kernel of Unrestricted.
type unrestrictedKernel struct {
	clocked
	process Unrestricted
	rate    *em.Group // from each base to each other one, row by row
}

func (u Unrestricted) begin(p *em.Params, t *Tree) (columnKernel, error) {
	if err := directed(t); err != nil {
		return nil, err
	}
	k := unrestrictedKernel{process: u}
	var err error
	if k.clocked, err = clock(p, t, u.Frequencies, u.Law, u.RateClasses); err != nil {
		return nil, err
	}
	var start []float64
	var names []string
	for i := range bases {
		for j := range bases {
			if i != j {
				start, names = append(start, 1+(startRatio-1)*float64((1+i+j)%2)), append(names, msa.Bases[i:i+1]+msa.Bases[j:j+1])
			}
		}
	}
	floats.Scale(1/floats.Sum(start), start)
	k.rate = p.Group("rates", len(start), ratios{})
	k.rate.SetNames(func(i int) string { return names[i] })
	k.rate.SetStart(start)
	k.addLengths(p, t)
	return k, nil
}

func (k unrestrictedKernel) String() string { return fmt.Sprintf("unrestricted %+v", k.process) }

func (k unrestrictedKernel) weights(table []semiring.ScaledFloat, theta []float64) error {
	q, speeds, err := k.rates(theta)
	if err == nil {
		k.fill(table, theta, q, speeds)
	}
	return err
}

func (k unrestrictedKernel) count(counts, theta, uses []float64) error {
	q, speeds, err := k.rates(theta)
	if err != nil {
		return err
	}
	d := slopes{q: q}
	k.collect(counts, theta, uses, q, speeds, &d)
	pi, rates := d.logs()
	floats.Add(k.frequencies.In(counts), pi[:])
	floats.Add(k.rate.In(counts), rates)
	return nil
}

// rates returns the rate matrix and the speeds of the classes at theta.
func (k unrestrictedKernel) rates(theta []float64) (*anyRates, []float64, error) {
	q := &anyRates{pi: [bases]float64(k.frequencies.In(theta))}
	rate, scale := k.rate.In(theta), 0.0 // expected substitutions per unit of time
	for i := range bases {
		for j := range bases {
			if i != j {
				q.q[i][j], rate = rate[0], rate[1:]
				q.q[i][i] -= q.q[i][j]
			}
		}
		scale -= q.pi[i] * q.q[i][i]
	}
	if !(scale > 0) || math.IsInf(scale, 1) {
		return nil, nil, nested.Errorf("phylo: %w: %g substitutions per unit of time at frequencies %v and rates %v", em.ErrParameter, scale, q.pi, k.rate.In(theta))
	}
	for i := range bases {
		floats.Scale(1/scale, q.q[i][:])
	}
	speeds, err := k.speeds(theta)
	return q, speeds, err
}

// anyRates is a rate matrix of one expected substitution per unit of time at the frequencies pi.
type anyRates struct {
	pi [bases]float64
	q  matrix
}

// longestClock is the greatest effective length of a branch.
const longestClock = 1e4

// transition returns exp(Qt). Its rows sum to 1. Entries have rounding errors of 1e-15 times the
// expected substitutions on the branch at the fastest rates, or of 1e-15 if these are fewer than 1.
func (q *anyRates) transition(t float64) (p matrix) {
	x := mat.NewDense(bases, bases, nil)
	x.Apply(func(i, j int, _ float64) float64 { return q.q[i][j] * min(t, longestClock) }, x)
	x.Exp(x)
	for i := range bases {
		for j := range bases {
			p[i][j] = max(0, x.At(i, j))
		}
		floats.Scale(1/floats.Sum(p[i][:]), p[i][:])
	}
	return p
}

// slopes collects the derivatives of a function of transition matrices by Q.
type slopes struct {
	q  *anyRates
	by matrix
}

// add implements derivatives. If D contains the derivatives by exp(X), the derivatives by
// the entries of X are the upper right block of the exponential of the blocks Xᵀ, D, 0, Xᵀ (Najfeld
// and Havel 1995).
func (s *slopes) add(p *matrix, uses []float64, t float64) float64 {
	time, greatest := min(t, longestClock), 0.0
	blocks := mat.NewDense(2*bases, 2*bases, nil)
	for i := range bases {
		for j := range bases {
			blocks.Set(i, j, s.q.q[j][i]*time)
			blocks.Set(bases+i, bases+j, s.q.q[j][i]*time)
			if p[i][j] > 0 {
				d := uses[bases*i+j] / p[i][j]
				blocks.Set(i, bases+j, d)
				greatest = max(greatest, math.Abs(d))
			}
		}
	}
	if greatest == 0 {
		return 0
	}
	d := blocks.Slice(0, bases, bases, 2*bases).(*mat.Dense)
	d.Scale(1/greatest, d) // so that it does not determine the scaling of the exponential
	blocks.Exp(blocks)
	slope := 0.0
	for i := range bases {
		for j := range bases {
			x := greatest * blocks.At(i, bases+j)
			s.by[i][j] += x * time
			slope += x * s.q.q[i][j]
		}
	}
	if t > longestClock {
		return 0
	}
	return slope
}

// logs returns the derivatives by ln π and by the ln of the rates, with each number varying
// independently: Q is scaled for any sums.
func (s *slopes) logs() (pi [bases]float64, rates []float64) {
	q, byScale := &s.q.q, 0.0 // ln of the scale
	for i := range bases {
		for j := range bases {
			byScale -= s.by[i][j] * q[i][j]
		}
	}
	for i := range bases {
		for j := range bases {
			if i != j {
				flow := s.q.pi[i] * q[i][j] // its part of the scale
				rates = append(rates, (s.by[i][j]-s.by[i][i])*q[i][j]+byScale*flow)
				pi[i] += byScale * flow
			}
		}
	}
	return pi, rates
}
