package align

import (
	"bytes"
	"errors"
	"math"
	"slices"
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
			t.Error("2 is not a probability")
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

// TestAdaptClimbs: with the E step of its own directions Adapt is incremental EM. Its objective,
// the log likelihood of the new text and the log prior of the training text's counts, never falls.
func TestAdaptClimbs(t *testing.T) {
	for seed := range trials.Seeds(30) {
		r := random(seed)
		kind := []Positions{Model1, HMM}[r.IntN(2)]
		m := randomModel(r, kind)
		m.floor = 0
		m.table.translations.Law().Random(m.table.translations.In(m.theta), r)
		c := randomCorpus(r, 1+r.IntN(5), 5)
		objective := func(n int) float64 {
			out, err := m.Adapt(t.Context(), c, &FitOptions{Stages: []Stage{{kind, n, Own, Separate}}})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			sum := 0.0
			for n := range c.Len() {
				forward, backward, err := out.LogProb(c.Sentence(n))
				if err != nil {
					t.Fatal(err)
				}
				sum += forward + backward
			}
			for _, g := range []*em.Group{out.table.translations, out.table.null[0], out.table.null[1]} {
				sum += g.Law().LogPrior(g.In(out.theta))
			}
			return sum
		}
		before := objective(0)
		for n := 1; n <= 4; n++ {
			now := objective(n)
			if !(now >= before-1e-9*math.Abs(before)) {
				t.Errorf("seed %d, %v: after %d iterations %.12g, before %.12g", seed, kind, n, now, before)
			}
			before = now
		}
	}
}

// TestAdaptThenFit: a model that was adapted is trained further as the one that a file of it holds,
// positions included, and the model that it came from stays what it is.
func TestAdaptThenFit(t *testing.T) {
	for _, kind := range []Positions{Model1, Model2, Diagonal, HMM} {
		c := randomCorpus(random(11), 12, 5)
		m := train(t, randomCorpus(random(12), 30, 5), agreed(kind, 2))
		before := written(t, m)
		out, err := m.Adapt(t.Context(), c, &FitOptions{Stages: []Stage{{kind, 2, Own, Multiplied}}})
		if err != nil {
			t.Fatal(err)
		}
		start := written(t, out)
		read, err := Load(bytes.NewReader(start))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*Model{out, read} {
			if _, err := m.Fit(t.Context(), c, &FitOptions{Stages: []Stage{{kind, 2, Own, Separate}}}); err != nil {
				t.Fatal(err)
			}
		}
		got := written(t, out)
		if bytes.Equal(got, start) || !bytes.Equal(got, written(t, read)) || !slices.Equal(decoded(t, out, c), decoded(t, read, c)) {
			t.Errorf("%v: another model than that of the file", kind)
		}
		if !bytes.Equal(written(t, m), before) {
			t.Errorf("%v: the model that was adapted has changed", kind)
		}
	}
}
