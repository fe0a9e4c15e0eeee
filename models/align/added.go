package align

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
)

// added is the law of probabilities that are estimated by what was counted before and what is
// added to it. They are in rows, and the rest of a row, of words that are not in the sentence,
// stays as it was: the prior is Σ before·ln θ + Σ (all − Σ before)·ln(1 − Σ θ), the latter for
// each row.
type added struct {
	floored
	row    []int32   // per parameter
	before []float64 // per parameter: counts
	all    []float64 // per row: counts, those of its parameters included
	first  []float64 // per parameter: what is added at first
	floor  float64
	total  []float64 // storage, per row
	words  int       // of E: the rows before those of words of F
}

func newAdded(parameters, rows int, floor float64) *added {
	return &added{
		row: make([]int32, parameters), before: make([]float64, parameters), first: make([]float64, parameters),
		all: make([]float64, rows), total: make([]float64, rows), floor: floor,
	}
}

// leastRest is the share of a row that is not due to rounding. Rows with floors may have less
// than nothing.
const leastRest = 1e-9

// Start is an M step with the counts that are added at first.
func (a *added) Start(theta []float64) {
	if err := a.Maximize(theta, a.first); err != nil {
		panic(err) // the counts are this package's own
	}
}

// Random leaves theta as it is: there is one start.
func (*added) Random([]float64, rand.Source) {}

// LogPrior is that of the counts before and elsewhere.
func (a *added) LogPrior(theta []float64) float64 {
	sum := 0.0
	rest, p := slices.Clone(a.all), slices.Repeat([]float64{1}, len(a.all))
	for i, n := range a.before {
		rest[a.row[i]] -= n
		p[a.row[i]] -= theta[i]
		if n > 0 {
			sum += n * math.Log(theta[i])
		}
	}
	for row, n := range rest {
		if n > leastRest*a.all[row] {
			sum += n * math.Log(max(p[row], 0))
		}
	}
	return sum
}

// Maximize sets the relative frequencies of all counts, or the floor where that is more.
func (a *added) Maximize(theta, counts []float64) error {
	copy(a.total, a.all)
	for i, row := range a.row {
		a.total[row] += counts[i]
	}
	for i, row := range a.row {
		if n := a.total[row]; n-n != 0 {
			return fmt.Errorf("%w: counts of total %g", em.ErrParameter, n)
		} else if n > 0 {
			theta[i] = max((a.before[i]+counts[i])/n, a.floor)
		}
	}
	return nil
}

// totals returns the links of words of E and of F in the last M step.
func (a *added) totals() [2][]float64 { return [2][]float64{a.total[:a.words], a.total[a.words:]} }
