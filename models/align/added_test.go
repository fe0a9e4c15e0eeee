package align

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// TestAddedMaximizes: no probabilities near those of an M step have a greater score.
func TestAddedMaximizes(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := random(seed)
		rows := 1 + r.IntN(3)
		law := newAdded(2*rows+r.IntN(6), rows, 0)
		counts := make([]float64, len(law.row))
		for i := range law.row {
			law.row[i] = int32(i % rows)
			law.before[i], counts[i] = float64(r.IntN(3))*r.Float64(), r.Float64()
			law.all[law.row[i]] += law.before[i]
		}
		for row := range law.all {
			law.all[row] += float64(r.IntN(2)) * r.Float64()
		}
		theta := make([]float64, len(counts))
		if err := law.Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		if err := law.Check(theta); err != nil {
			t.Fatal(err)
		}
		score := func(theta []float64) float64 {
			sum := law.LogPrior(theta)
			for i, n := range counts {
				sum += n * math.Log(theta[i])
			}
			return sum
		}
		best := score(theta)
		for range 20 { // other distributions of each row and its rest
			other := append([]float64(nil), theta...)
			total := make([]float64, rows)
			for i := range other {
				other[i] *= math.Exp(.2 * r.NormFloat64())
				total[law.row[i]] += other[i]
			}
			for row := range total {
				rest := 1.0
				for i, p := range theta {
					if int(law.row[i]) == row {
						rest -= p
					}
				}
				total[row] += max(rest, 0) * math.Exp(.2*r.NormFloat64())
			}
			for i := range other {
				other[i] /= total[law.row[i]]
			}
			if s := score(other); s > best+1e-6*math.Abs(best) {
				t.Errorf("seed %d: score %g, more than %g of the M step", seed, s, best)
			}
		}
		counts[0] = math.NaN()
		if err := law.Maximize(theta, counts); !errors.Is(err, em.ErrParameter) {
			t.Errorf("NaN: %v", err)
		}
		theta[0] = 2
		if law.Check(theta) == nil {
			t.Error("2 is no probability")
		}
	}
}

// TestAddedStart: the start is an M step with what is added at first, and a row of nothing
// keeps what it has.
func TestAddedStart(t *testing.T) {
	law := newAdded(3, 2, .1)
	law.row = []int32{0, 0, 1}
	law.before, law.all, law.first = []float64{1, 0, 0}, []float64{3, 0}, []float64{0, 1, 0}
	theta := []float64{9, 9, .7}
	law.Start(theta)
	for i, want := range []float64{.25, .25, .7} {
		if theta[i] != want {
			t.Errorf("parameter %d: %g, want %g", i, theta[i], want)
		}
	}
}
