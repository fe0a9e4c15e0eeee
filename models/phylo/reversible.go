package phylo

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// Reversible is the process of substitutions at rates s_ij·π_j from base i to j, with symmetric
// exchangeabilities s, in equilibrium: the base at the root has distribution π. All branches have
// the same rates; each has its length, in expected substitutions per site. The position of the root
// has no effect.
//
// JC69, HKY85 and REV return the usual processes. The parameters are trained by gradient. They are
// the groups "frequencies", "exchangeabilities", which sum to 1 as only their ratios matter,
// "lengths", and "shape" if there is more than one rate class.
type Reversible struct {
	// Exchange defines which exchangeabilities are equal, in the order AC, AG, AT, CG, CT, GT:
	// classes numbered from 0.
	Exchange [6]int
	// Frequencies are the equilibrium frequencies of the bases, or their initial values for
	// training. They sum to 1. A base of frequency 0 never occurs: a column that has it is
	// underivable (em.ErrUnderivable). A single base does not change.
	Frequencies [msa.NumBases]float64
	// Law estimates the frequencies (nil: em.Fixed, not estimated). Its parameters must be the
	// probabilities, which excludes em.Variational.
	Law em.Law
	// RateClasses is the number of equally probable classes of sites, each with its own speed, from
	// a gamma distribution whose shape is estimated (Yang 1994). 0 means 1, no variation.
	RateClasses int
}

// JC69 has equal rates and frequencies (Jukes and Cantor 1969).
func JC69() Reversible { return Reversible{Frequencies: [msa.NumBases]float64{.25, .25, .25, .25}} }

// HKY85 distinguishes transitions from transversions (Hasegawa, Kishino and Yano 1985).
func HKY85(frequencies [msa.NumBases]float64) Reversible {
	return Reversible{Exchange: [6]int{0, 1, 0, 0, 1, 0}, Frequencies: frequencies}
}

// REV is the general reversible process (Tavaré 1986).
func REV(frequencies [msa.NumBases]float64) Reversible {
	return Reversible{Exchange: [6]int{0, 1, 2, 3, 4, 5}, Frequencies: frequencies}
}

// Initial values for training.
const (
	startLength = .1   // of a branch without a length
	leastLength = 1e-6 // of a branch of length 0
	startRatio  = 4    // of transitions to transversions
)

// reversibleKernel is the kernel of Reversible.
type reversibleKernel struct {
	clocked
	process  Reversible
	exchange *em.Group
}

func (r Reversible) begin(p *em.Params, t *Tree) (columnKernel, error) {
	if r.RateClasses == 0 {
		r.RateClasses = 1
	}
	if r.Law == nil {
		r.Law = em.Fixed{}
	}
	exchangeabilities, err := r.start()
	if err != nil {
		return nil, nested.Errorf("phylo: %w: %w", em.ErrInvalid, err)
	}
	k := reversibleKernel{process: r}
	if k.clocked, err = clock(p, t, r.Frequencies, r.Law, r.RateClasses); err != nil {
		return nil, err
	}
	k.exchange = p.Group("exchangeabilities", len(exchangeabilities), ratios{})
	k.exchange.SetStart(exchangeabilities)
	k.addLengths(p, t)
	return k, nil
}

// start returns the initial exchangeabilities, by class, or an error if the classes are invalid.
func (r Reversible) start() ([]float64, error) {
	s, members := make([]float64, len(r.Exchange)), make([]float64, len(r.Exchange))
	for i, class := range r.Exchange {
		if class < 0 || class >= len(r.Exchange) {
			return nil, fmt.Errorf("class %d of exchangeabilities, want one of 0, …, %d", class, len(r.Exchange)-1)
		}
		members[class]++
		s[class]++
		if i == 1 || i == 4 { // AG, CT
			s[class] += startRatio - 1
		}
	}
	classes := slices.Max(r.Exchange[:]) + 1
	s, members = s[:classes], members[:classes]
	if class := slices.Index(members, 0); class >= 0 {
		return nil, fmt.Errorf("no exchangeability of class %d in %v", class, r.Exchange)
	}
	floats.Div(s, members)
	floats.Scale(1/floats.Sum(s), s)
	return s, nil
}

func (k reversibleKernel) String() string { return fmt.Sprintf("reversible %+v", k.process) }

// rates returns the rate matrix and the speeds of the classes at theta.
func (k reversibleKernel) rates(theta []float64) (*rates, []float64, error) {
	var s [6]float64
	for i, c := range k.process.Exchange {
		s[i] = k.exchange.In(theta)[c]
	}
	r, err := newRates([bases]float64(k.frequencies.In(theta)), s)
	if err != nil {
		return nil, nil, nested.Errorf("phylo: %w: %w", em.ErrParameter, err)
	}
	speeds, err := k.speeds(theta)
	return r, speeds, err
}

func (k reversibleKernel) weights(table []semiring.ScaledFloat, theta []float64) error {
	r, speeds, err := k.rates(theta)
	if err == nil {
		k.fill(table, theta, r, speeds)
	}
	return err
}

func (k reversibleKernel) count(counts, theta, uses []float64) error {
	r, speeds, err := k.rates(theta)
	if err != nil {
		return err
	}
	g := gradient{rates: r}
	k.collect(counts, theta, uses, r, speeds, &g)
	pi, s := g.logs()
	floats.Add(k.frequencies.In(counts), pi[:])
	for i, c := range k.process.Exchange {
		k.exchange.In(counts)[c] += s[i]
	}
	return nil
}
