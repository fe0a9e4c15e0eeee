package align

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// jumpLaw is the law of the probabilities of jumps.
type jumpLaw struct {
	floored
	jumps
	// strength is the jumps of each pair of classes that are counted as those of its hidden
	// class are distributed, see Prior.Jumps.
	strength float64
}

func (l *jumpLaw) size() int { return l.probabilities() }

func (l *jumpLaw) at(p []float64, null nullRate) positions { return &hmm{l.jumps.at(p), null} }

func (*jumpLaw) onto(_ *shapes, p []float64) []float64 { return p }

// String describes the law.
func (l *jumpLaw) String() string {
	return fmt.Sprintf("jumps: reach %d, %d×%d classes of strength %g", l.reach, l.hidden, l.seen, l.strength)
}

// Start makes the buckets of a distribution equally probable.
func (l *jumpLaw) Start(theta []float64) {
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

// LogPrior is 0.
func (l *jumpLaw) LogPrior([]float64) float64 { return 0 }

// Maximize sets the relative frequencies, as if every jump could be made everywhere.
func (l *jumpLaw) Maximize(theta, counts []float64) error {
	if l.strength > 0 && l.seen > 1 {
		counts = l.pooled(counts)
	}
	l.each(theta, func(p []float64) {
		ratio(p, counts[:len(p)])
		counts = counts[len(p):]
	})
	return nil
}

// pooled returns counts and, for each pair of classes, strength jumps that are distributed as all
// jumps after its hidden class.
func (l *jumpLaw) pooled(counts []float64) []float64 {
	out := slices.Clone(counts)
	for hidden := range l.hidden {
		p, sums := make([]float64, l.buckets()), make([]float64, l.buckets())
		for pair := hidden * l.seen; pair < (hidden+1)*l.seen; pair++ {
			floats.Add(sums, l.inner(counts, pair))
		}
		ratio(p, sums)
		for pair := hidden * l.seen; pair < (hidden+1)*l.seen; pair++ {
			if math.IsInf(l.strength, 1) { // no other jumps count
				copy(l.inner(out, pair), p)
				continue
			}
			floats.AddScaled(l.inner(out, pair), l.strength, p)
		}
	}
	return out
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
