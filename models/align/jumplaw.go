package align

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.org/pathsum/em"
)

// jumpLaw is the law of the parameters of jumps: the probabilities of buckets, and for each
// place a number that is 0 and only has counts.
type jumpLaw struct {
	jumps
	step JumpStep
}

// String describes the law.
func (l *jumpLaw) String() string {
	return fmt.Sprintf("jumps: reach %d, %d classes, %g of them uniform, step %d", l.reach, l.classes, l.uniform, l.step)
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

// each visits the distributions: of the first jump, of what remains, of each class.
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
	if l.step == Frequencies {
		for lo := 0; lo < l.probabilities(); lo += l.buckets() {
			ratio(theta[lo:lo+l.buckets()], counts[lo:lo+l.buckets()])
		}
		return nil
	}
	ratio(l.end(theta), l.end(counts))
	l.eachChoice(theta, counts, l.choose)
	return nil
}

// eachChoice visits the distributions of the first jump and of each class, with the counts of
// their buckets and of the places that they were used at.
func (l *jumpLaw) eachChoice(theta, counts []float64, visit func(p, counts, places []float64, first bool)) {
	places := counts[l.probabilities():]
	visit(l.start(theta), l.start(counts), places[:l.sides()], true)
	for class := range l.classes {
		places = places[l.sides():]
		visit(l.inner(theta, class), l.inner(counts, class), places[:l.sides()], false)
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
				next[b] = c / inverse[b]
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
