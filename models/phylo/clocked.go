package phylo

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// clocked contains the parameters common to all processes with a single rate matrix: the groups of
// the frequencies at the root, of a length for each branch, and of the shape of the gamma
// distribution of speeds, which is nil for a single class.
type clocked struct {
	at                         singleTable
	frequencies, length, shape *em.Group
}

// clock creates the first parameters of a tree, the frequencies of the bases at the root. classes
// is the number of rate classes, 0 for 1, and a nil law is em.Fixed.
func clock(p *em.Params, t *Tree, frequencies [bases]float64, law em.Law, classes int) (clocked, error) {
	if law == nil {
		law = em.Fixed{}
	}
	if _, other := law.(em.Valuer); other {
		return clocked{}, nested.Errorf("phylo: %w: frequencies of the law %T, whose parameters are not probabilities: want a law such as em.Multinomial", em.ErrInvalid, law)
	}
	if classes < 0 {
		return clocked{}, nested.Errorf("phylo: %w: %d rate classes", em.ErrInvalid, classes)
	}
	if err := (em.Multinomial{}).Check(frequencies[:]); err != nil || !(slices.Min(frequencies[:]) >= 0) {
		return clocked{}, nested.Errorf("phylo: %w: frequencies %v, want numbers ≥ 0 that sum to 1", em.ErrInvalid, frequencies)
	}
	k := clocked{at: singleTable{first: fixedHandles, branches: t.Root(), classes: max(1, classes)}}
	k.frequencies = p.Group("frequencies", bases, law)
	k.frequencies.SetNames(func(b int) string { return msa.Bases[b : b+1] })
	k.frequencies.SetStart(frequencies[:])
	return k, nil
}

// addLengths adds the parameters of branch lengths, and of a shape.
func (k *clocked) addLengths(p *em.Params, t *Tree) {
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
	if k.at.classes > 1 {
		k.shape = p.Group("shape", 1, shape{})
	}
}

func (k clocked) size() int          { return int(k.at.first) + k.at.size() }
func (k clocked) table() singleTable { return k.at }
func (clocked) method() em.Method    { return em.LBFGS{} }

func (k clocked) lengths(theta []float64) []float64 {
	return append(append([]float64(nil), k.length.In(theta)...), math.NaN())
}

// speeds returns the speeds of the rate classes at theta.
func (k clocked) speeds(theta []float64) ([]float64, error) {
	speed := []float64{1}
	if k.shape != nil {
		speed = make([]float64, k.at.classes)
		if err := gammaRates(speed, k.shape.In(theta)[0]); err != nil {
			return nil, nested.Errorf("phylo: %w: %w", em.ErrParameter, err)
		}
	}
	return speed, nil
}

// generator is a rate matrix: transition returns exp(Qt).
type generator interface{ transition(t float64) matrix }

// fill sets the weights of all branches and classes.
func (k clocked) fill(table []semiring.ScaledFloat, theta []float64, q generator, speeds []float64) {
	for class, speed := range speeds {
		for a, f := range k.frequencies.In(theta) {
			table[k.at.root(class, a)] = semiring.NewScaled(f / float64(len(speeds)))
		}
		for v, t := range k.length.In(theta) {
			p := q.transition(speed * t)
			p.table(table[k.at.branch(class, v):])
		}
	}
}

// derivatives collects the derivatives of a function of transition matrices by the rate matrix. add
// adds the contribution of exp(Qt) = p, where uses/p are the derivatives by p, and returns the
// derivative by t.
type derivatives interface {
	add(p *matrix, uses []float64, t float64) float64
}

// collect adds the derivatives by lengths, shape and the frequencies at the root to counts, and the
// derivatives by the rate matrix to d.
func (k clocked) collect(counts, theta, uses []float64, q generator, speeds []float64, d derivatives) {
	frequencies, lengths := k.frequencies.In(counts), k.length.In(counts)
	slopes := make([]float64, len(speeds))
	for class, speed := range speeds {
		floats.Add(frequencies, uses[k.at.root(class, 0):][:bases])
		for v, t := range k.length.In(theta) {
			p := q.transition(speed * t)
			byTime := d.add(&p, uses[k.at.branch(class, v):], speed*t)
			lengths[v] += byTime * speed * t
			slopes[class] += byTime * t
		}
	}
	if k.shape != nil {
		k.shape.In(counts)[0] += floats.Dot(slopes, gammaSlopes(len(speeds), k.shape.In(theta)[0]))
	}
}
