package phylo

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// Reversible is the process of substitutions at rates s_ij·π_j from base i to j, with
// symmetric exchangeabilities s, in equilibrium: the base at the root has distribution π.
// All branches have the same rates; each has its length, in expected substitutions per
// site. Where the tree has its root makes no difference.
//
// JC69, HKY85 and REV return the usual ones. Its parameters are trained by gradient, and
// are the groups "frequencies", "exchangeabilities", which sum to 1 as only their ratios
// matter, "lengths", and "shape" if there is more than one rate class.
type Reversible struct {
	// Exchange says which exchangeabilities are the same, in the order AC, AG, AT, CG,
	// CT, GT: classes numbered from 0.
	Exchange [6]int
	// Frequencies are how often the bases are there in equilibrium, or where training starts.
	// They sum to 1. A base of frequency 0 never occurs: a column that has it is underivable
	// (em.ErrUnderivable). A single base does not change.
	Frequencies [msa.NumBases]float64
	// Law is how frequencies are estimated (nil: em.Fixed, not at all): one whose parameters are
	// the probabilities, which those of em.Variational are not.
	Law em.Law
	// RateClasses is in how many classes of equal probability sites are divided, each
	// with its own speed, by a gamma distribution whose shape is estimated (Yang 1994).
	// 0 means 1, no variation.
	RateClasses int
}

// JC69 has equal rates and frequencies (Jukes and Cantor 1969).
func JC69() Reversible { return Reversible{Frequencies: [msa.NumBases]float64{.25, .25, .25, .25}} }

// HKY85 tells transitions from transversions (Hasegawa, Kishino and Yano 1985).
func HKY85(frequencies [msa.NumBases]float64) Reversible {
	return Reversible{Exchange: [6]int{0, 1, 0, 0, 1, 0}, Frequencies: frequencies}
}

// REV is the general reversible process (Tavaré 1986).
func REV(frequencies [msa.NumBases]float64) Reversible {
	return Reversible{Exchange: [6]int{0, 1, 2, 3, 4, 5}, Frequencies: frequencies}
}

// Where training starts.
const (
	startLength = .1   // of a branch without one
	leastLength = 1e-6 // of a branch of length 0
	startRatio  = 4    // of transitions to transversions
)

// reversibleKernel is Reversible at work.
type reversibleKernel struct {
	process                              Reversible
	at                                   singleTable
	frequencies, exchange, length, shape *em.Group // shape is nil for a single class
}

func (r Reversible) begin(p *em.Params, t *Tree) (columnKernel, error) {
	if r.RateClasses == 0 {
		r.RateClasses = 1
	}
	if r.Law == nil {
		r.Law = em.Fixed{}
	}
	if _, other := r.Law.(em.Valuer); other {
		return nil, nested.Errorf("phylo: %w: frequencies of the law %T, whose parameters are not the probabilities: want one such as em.Multinomial", em.ErrInvalid, r.Law)
	}
	exchangeabilities, err := r.start()
	if err != nil {
		return nil, nested.Errorf("phylo: %w: %w", em.ErrInvalid, err)
	}
	k := reversibleKernel{process: r, at: singleTable{first: fixedHandles, branches: t.Root(), classes: r.RateClasses}}
	k.frequencies = p.Group("frequencies", bases, r.Law)
	k.frequencies.SetNames(func(b int) string { return msa.Bases[b : b+1] })
	k.frequencies.SetStart(r.Frequencies[:])
	k.exchange = p.Group("exchangeabilities", len(exchangeabilities), ratios{})
	k.exchange.SetStart(exchangeabilities)
	k.length = p.Group("lengths", t.Root(), lengths{})
	k.length.SetNames(t.name)
	start := make([]float64, t.Root())
	for v := range start {
		start[v] = max(t.Nodes[v].Length, leastLength)
		if math.IsNaN(start[v]) {
			start[v] = startLength
		}
	}
	k.length.SetStart(start)
	if r.RateClasses > 1 {
		k.shape = p.Group("shape", 1, shape{})
	}
	return k, nil
}

// start returns the exchangeabilities, by class, from which training starts, or what is
// wrong with the process.
func (r Reversible) start() ([]float64, error) {
	if r.RateClasses < 0 {
		return nil, fmt.Errorf("%d rate classes", r.RateClasses)
	}
	if err := (em.Multinomial{}).Check(r.Frequencies[:]); err != nil || !(slices.Min(r.Frequencies[:]) >= 0) {
		return nil, fmt.Errorf("frequencies %v, want numbers ≥ 0 that sum to 1", r.Frequencies)
	}
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

func (k reversibleKernel) size() int          { return int(k.at.first) + k.at.size() }
func (k reversibleKernel) table() singleTable { return k.at }
func (reversibleKernel) method() em.Method    { return em.LBFGS{} }

func (k reversibleKernel) lengths(theta []float64) []float64 {
	return append(append([]float64(nil), k.length.In(theta)...), math.NaN())
}

// rates returns the rate matrix and the speeds of the classes at theta.
func (k reversibleKernel) rates(theta []float64) (*rates, []float64, error) {
	var s [6]float64
	for i, c := range k.process.Exchange {
		s[i] = k.exchange.In(theta)[c]
	}
	r, err := newRates([bases]float64(k.frequencies.In(theta)), s)
	speed := []float64{1}
	if err == nil && k.shape != nil {
		speed = make([]float64, k.at.classes)
		err = gammaRates(speed, k.shape.In(theta)[0])
	}
	if err != nil {
		return nil, nil, nested.Errorf("phylo: %w: %w", em.ErrParameter, err)
	}
	return r, speed, nil
}

func (k reversibleKernel) weights(table []semiring.ScaledFloat, theta []float64) error {
	r, speeds, err := k.rates(theta)
	if err != nil {
		return err
	}
	for class, speed := range speeds {
		for a, f := range r.pi {
			table[k.at.root(class, a)] = semiring.NewScaled(f / float64(len(speeds)))
		}
		for v, t := range k.length.In(theta) {
			p := r.transition(speed * t)
			p.table(table[k.at.branch(class, v):])
		}
	}
	return nil
}

func (k reversibleKernel) count(counts, theta, uses []float64) error {
	r, speeds, err := k.rates(theta)
	if err != nil {
		return err
	}
	g := gradient{rates: r}
	frequencies, lengths := k.frequencies.In(counts), k.length.In(counts)
	slopes := make([]float64, len(speeds))
	for class, speed := range speeds {
		floats.Add(frequencies, uses[k.at.root(class, 0):][:bases])
		for v, t := range k.length.In(theta) {
			p := r.transition(speed * t)
			byTime := g.add(&p, uses[k.at.branch(class, v):], speed*t)
			lengths[v] += byTime * speed * t
			slopes[class] += byTime * t
		}
	}
	pi, s := g.logs()
	floats.Add(frequencies, pi[:])
	for i, c := range k.process.Exchange {
		k.exchange.In(counts)[c] += s[i]
	}
	if k.shape != nil {
		k.shape.In(counts)[0] += floats.Dot(slopes, gammaSlopes(len(speeds), k.shape.In(theta)[0]))
	}
	return nil
}
