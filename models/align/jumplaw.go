package align

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// jumpLaw is the law of the parameters of jumps: the probabilities of buckets, and for each
// place a number that is 0 and only has counts.
type jumpLaw struct {
	jumps
	step JumpStep
	// strength is the jumps of each pair of classes that are counted as those of its hidden
	// class are distributed, see Prior.Jumps.
	strength float64
}

// String describes the law.
func (l *jumpLaw) String() string {
	return fmt.Sprintf("jumps: reach %d, %d×%d classes of strength %g, %g of them uniform, step %d", l.reach, l.hidden, l.seen, l.strength, l.uniform, l.step)
}

// Start makes the buckets of a distribution equally probable.
func (l *jumpLaw) Start(theta []float64) {
	clear(theta)
	l.each(theta, em.Multinomial{}.Start)
}

// Random draws each distribution from the uniform one on the simplex.
func (l *jumpLaw) Random(theta []float64, src rand.Source) {
	l.each(theta, func(p []float64) { em.Multinomial{}.Random(p, src) })
}

// each visits the distributions: of the first jump, of what remains, of each pair of classes.
func (l *jumpLaw) each(theta []float64, visit func(p []float64)) {
	for lo := 0; lo < l.probabilities(); lo += l.buckets() {
		visit(theta[lo : lo+l.buckets()])
	}
}

// Check asks for probabilities.
func (l *jumpLaw) Check(theta []float64) error {
	if !probable(theta) {
		return errImprobable
	}
	return nil
}

// LogPrior is 0.
func (l *jumpLaw) LogPrior([]float64) float64 { return 0 }

// Maximize is the M step.
func (l *jumpLaw) Maximize(theta, counts []float64) error {
	estimate := l.choose
	if l.step == Frequencies {
		estimate = func(p, counts, _ []float64, _ bool) { ratio(p, counts) }
	}
	ratio(l.end(theta), l.end(counts))
	if l.strength > 0 && l.seen > 1 {
		counts = l.pooled(counts, estimate)
	}
	l.eachChoice(theta, counts, estimate)
	return nil
}

// pooled returns counts and, for each pair of classes, strength jumps that are distributed as
// estimate finds for all jumps after its hidden class. They are made where all buckets are.
func (l *jumpLaw) pooled(counts []float64, estimate func(p, counts, places []float64, first bool)) []float64 {
	out := slices.Clone(counts)
	everywhere := l.sides() - 1
	for hidden := range l.hidden {
		p, sums, places := make([]float64, l.buckets()), make([]float64, l.buckets()), make([]float64, l.sides())
		em.Multinomial{}.Start(p)
		for pair := hidden * l.seen; pair < (hidden+1)*l.seen; pair++ {
			floats.Add(sums, l.inner(counts, pair))
			floats.Add(places, l.places(counts, 1+pair))
		}
		if floats.Sum(sums) == 0 {
			continue
		}
		estimate(p, sums, places, false)
		for pair := hidden * l.seen; pair < (hidden+1)*l.seen; pair++ {
			own := l.places(out, 1+pair)
			if math.IsInf(l.strength, 1) { // beside it, no other jumps count
				copy(l.inner(out, pair), p)
				clear(own)
				own[everywhere] = 1
				continue
			}
			floats.AddScaled(l.inner(out, pair), l.strength, p)
			own[everywhere] += l.strength
		}
	}
	return out
}

// eachChoice visits the distributions of the first jump and of each pair of classes, with the
// counts of their buckets and of the places that they were used at.
func (l *jumpLaw) eachChoice(theta, counts []float64, visit func(p, counts, places []float64, first bool)) {
	for k := range 1 + l.pairs() {
		visit(l.choices(theta, k), l.choices(counts, k), l.places(counts, k), k == 0)
	}
}

// Score is the expected log probability of jumps: a choice among the buckets that there are
// at a place.
func (l *jumpLaw) Score(theta, counts []float64) float64 {
	score := 0.0
	add := func(p, counts []float64) {
		for i, c := range counts {
			if c > 0 {
				score += c * math.Log(p[i])
			}
		}
	}
	add(l.end(theta), l.end(counts))
	l.eachChoice(theta, counts, func(p, counts, places []float64, first bool) {
		add(p, counts)
		l.used(p, places, first, func(_, _ int, c, z float64) { score -= c * math.Log(z) })
	})
	return score
}

// used visits the places that have counts, with the range of the buckets that there
// are and the sum of p over them.
func (l *jumpLaw) used(p, places []float64, first bool, visit func(lo, hi int, count, z float64)) {
	for place, c := range places {
		if c == 0 {
			continue
		}
		lo, hi := l.choice(place, first)
		z := 0.0
		for _, x := range p[lo:hi] {
			z += x
		}
		visit(lo, hi, c, z)
	}
}

// choose raises Σ counts·ln p − Σ places·ln Z, where Z is the sum of p over the buckets
// that there are at a place: the log likelihood of choices from different sets (Luce
// 1959), by the minorization of Hunter (2004), p = counts / Σ places/Z, some times over.
func (l *jumpLaw) choose(p, counts, places []float64, first bool) {
	const rounds = 10
	inverse := make([]float64, len(p))
	for range rounds {
		clear(inverse)
		l.used(p, places, first, func(lo, hi int, c, z float64) {
			for b := lo; b < hi; b++ {
				inverse[b] += c / z
			}
		})
		next, sum := make([]float64, len(p)), 0.0
		for b, c := range counts {
			if inverse[b] > 0 {
				next[b] = c / min(inverse[b], math.MaxFloat64)
			}
			sum += next[b]
		}
		if !(sum > 0) {
			return
		}
		ratio(p, next)
	}
}

// ratio sets p to relative frequencies; if there are no counts p stays as it is.
func ratio(p, counts []float64) {
	sum := 0.0
	for _, x := range counts {
		sum += x
	}
	if sum > 0 {
		for i, x := range counts {
			p[i] = x / sum
		}
	}
}
