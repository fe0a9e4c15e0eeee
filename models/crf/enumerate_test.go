package crf_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/trellis"
)

// labelings returns all sequences of n of the labels.
func labelings(labels []string, n int) [][]string {
	if n == 0 {
		return [][]string{{}}
	}
	var all [][]string
	for _, before := range labelings(labels, n-1) {
		for _, y := range labels {
			all = append(all, append(slices.Clone(before), y))
		}
	}
	return all
}

// emission is the sum of the weights of label y at position t of s.
func emission(m *crf.Predictor, s labeled, t int, y string) float64 {
	sum := 0.0
	for _, x := range s.attributes[t] {
		sum += x.value * m.Weight(x.name, y)
	}
	return sum
}

// score is the sum of the weights of a labeling from position lo on, with the label
// before it.
func score(m *crf.Predictor, s labeled, labels []string, lo int) float64 {
	sum := 0.0
	for t := lo; t < len(labels); t++ {
		sum += emission(m, s, t, labels[t])
		if t > 0 {
			sum += m.Transition(labels[t-1], labels[t])
		}
	}
	return sum
}

// logProb is ln P(labels | s) by its definition.
func logProb(m *crf.Predictor, s labeled, labels []string) float64 {
	var scores []float64
	if m.Kind() == crf.Chain {
		for _, y := range labelings(m.Labels(), len(labels)) {
			scores = append(scores, score(m, s, y, 0))
		}
		return score(m, s, labels, 0) - floats.LogSumExp(scores)
	}
	log := 0.0
	for t := range labels {
		scores = scores[:0]
		right := slices.Clone(labels[:t+1])
		for _, y := range m.Labels() {
			scores = append(scores, score(m, s, append(slices.Clone(labels[:t]), y), t))
		}
		log += score(m, s, right, t) - floats.LogSumExp(scores)
	}
	return log
}

// checkTrellis: the paths of the trellis are all labelings, best first, with their
// probabilities.
func checkTrellis(t *testing.T, m *crf.Predictor, s labeled) {
	t.Helper()
	x, err := m.Trellis(len(s.labels), s.features)
	if len(s.labels) == 0 {
		if !errors.Is(err, crf.ErrInvalid) {
			t.Errorf("the trellis of no positions: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := x.Graph()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := graph.BestPaths(graph.Map(g, semiring.Viterbi{}, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w }))
	if err != nil {
		t.Fatal(err)
	}
	total, before, n := x.PathSum(new(trellis.Scratch)), 1+1e-12, 0
	for path := range paths {
		labels := []string{m.Labels()[path.Start]}
		for _, a := range path.Arcs {
			labels = append(labels, m.Labels()[int(g.To()[a])%len(m.Labels())])
		}
		p := path.Weight.Div(total).Float64()
		if want := math.Exp(logProb(m, s, labels)); !near(p, want, 1e-12) || p > before {
			t.Errorf("P(%v) = %g after %g, want %g", labels, p, before, want)
		}
		before, n = p*(1+1e-12), n+1
	}
	if want := len(labelings(m.Labels(), len(s.labels))); n != want {
		t.Errorf("%d paths, want %d", n, want)
	}
}

// TestViterbiExpectations: with the Viterbi E step the likelihood is that of the labels
// relative to the best ones, and counts are the difference of what they use.
func TestViterbiExpectations(t *testing.T) {
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		kind := kinds[seed%3]
		all, d := randomData(r, 1+r.IntN(3), 4, 4)
		l, theta := random(t, r, kind, d)
		for i := range theta {
			theta[i] = r.NormFloat64() // no ties
		}
		m, err := l.at(theta)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for _, s := range all {
			want += score(m, s, s.labels, 0)
			switch kind {
			case crf.MEMM: // the best label after each right one
				for i := range s.labels {
					top := math.Inf(-1)
					for _, y := range m.Labels() {
						top = max(top, score(m, s, append(slices.Clone(s.labels[:i]), y), i))
					}
					want -= top
				}
			default:
				top := math.Inf(-1)
				for _, y := range labelings(m.Labels(), len(s.labels)) {
					top = max(top, score(m, s, y, 0))
				}
				want -= top
			}
		}
		e := expect(t, l, em.Query{Theta: theta, EStep: em.Viterbi})
		along := 0.0 // the likelihood is linear between ties
		for i, c := range e.Counts {
			along += c * theta[i]
		}
		if !near(e.LogLikelihood, want, 1e-12) || !near(along, want, 1e-11) {
			t.Fatalf("seed %d: %v: %.17g, counts say %.17g, want %.17g", seed, kind, e.LogLikelihood, along, want)
		}
	}
}
