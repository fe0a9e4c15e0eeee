package crf_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/semiring"
)

func none(int, *crf.Attributes) {}

// TestUnknown: what a model has not seen says nothing, and labels that it has not seen
// have probability 0.
func TestUnknown(t *testing.T) {
	for _, kind := range kinds {
		m := trained(t, kind)
		log := func(f crf.Features) float64 {
			if p, err := m.LogProb([]string{"L0", "L9"}, f); err != nil || !math.IsInf(p, -1) {
				t.Errorf("%v: an unknown label has ln P = %g, %v", kind, p, err)
			}
			p, err := m.LogProb([]string{"L0", "L1"}, f)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		before := m.NumAttributes()
		if a, b := log(none), log(func(t int, a *crf.Attributes) { a.AddValue(7, "what") }); a != b || m.NumAttributes() != before {
			t.Errorf("%v: an unknown attribute makes %g of %g", kind, b, a)
		}
		if a, b := log(none), log(func(t int, a *crf.Attributes) { a.Add("a0") }); a == b {
			t.Errorf("%v: a known attribute says nothing", kind)
		}
		if m.Weight("what", "L0") != 0 || m.Weight("a0", "L9") != 0 || m.Transition("L9", "L0") != 0 {
			t.Errorf("%v: weights of what is unknown", kind)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, kind := range kinds {
		m := trained(t, kind)
		best, err := m.Best(0, none)
		if err != nil || len(best) != 0 {
			t.Errorf("%v: %v, %v", kind, best, err)
		}
		p, err := m.Posteriors(0, none)
		if err != nil || len(p) != 0 {
			t.Errorf("%v: %v, %v", kind, p, err)
		}
		if log, err := m.LogProb(nil, none); log != 0 || err != nil {
			t.Errorf("%v: ln P = %g, %v", kind, log, err)
		}
	}
}

// TestOneLabel: without a choice all probabilities are 1.
func TestOneLabel(t *testing.T) {
	for _, kind := range kinds {
		r := graphtest.Rand(3)
		all, d := randomData(r, 1, 5, 5)
		l, theta := random(t, r, kind, d)
		e := expect(t, l, em.Query{Theta: theta})
		if math.Abs(e.LogLikelihood) > 1e-12 {
			t.Errorf("%v: log likelihood %g", kind, e.LogLikelihood)
		}
		for _, c := range e.Counts {
			if math.Abs(c) > 1e-12 {
				t.Errorf("%v: count %g", kind, c)
			}
		}
		m, err := l.at(theta)
		if err != nil {
			t.Fatal(err)
		}
		if best, err := m.Best(len(all[0].labels), all[0].features); err != nil || best[0] != "L0" {
			t.Errorf("%v: %v, %v", kind, best, err)
		}
	}
}

// TestLong: a sequence of 10⁵ positions whose labels do not depend on each other, so
// that the answer is known in closed form; weights are such that the path sum is far
// out of the range of a float64.
func TestLong(t *testing.T) {
	const n = 100_000
	r := graphtest.Rand(4)
	s := randomSequence(r, 3, n)
	d := collect([]labeled{s})
	for _, kind := range kinds {
		l, theta := random(t, r, kind, d)
		for i := range theta {
			theta[i] *= 3
			if kind != crf.Node && i >= len(theta)-9 {
				theta[i] = 0
			}
		}
		m, err := l.at(theta)
		if err != nil {
			t.Fatal(err)
		}
		want, first := 0.0, map[string]float64{}
		for i, y := range s.labels {
			total := 0.0
			for _, other := range m.Labels() {
				p := math.Exp(emission(m, s, i, other))
				total += p
				if i == n/2 {
					first[other] = p
				}
			}
			want += emission(m, s, i, y) - math.Log(total)
			if i == n/2 {
				for y := range first {
					first[y] /= total
				}
			}
		}
		if e := expect(t, l, em.Query{Theta: theta}); !near(e.LogLikelihood, want, 1e-12) {
			t.Errorf("%v: log likelihood %.17g, want %.17g", kind, e.LogLikelihood, want)
		}
		if log, err := m.LogProb(s.labels, s.features); err != nil || !near(log, want, 1e-12) {
			t.Errorf("%v: ln P = %.17g, %v, want %.17g", kind, log, err, want)
		}
		p, err := m.Posteriors(n, s.features)
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range m.Labels() {
			if !near(p[n/2][i], first[y], 1e-11) {
				t.Errorf("%v: P(%s) = %g, want %g", kind, y, p[n/2][i], first[y])
			}
		}
		if best, err := m.Best(n, s.features); err != nil || len(best) != n {
			t.Errorf("%v: %d labels, %v", kind, len(best), err)
		}
	}
}

// TestHuge: weights whose sums are infinite, NaN or 0 are errors of all methods.
func TestHuge(t *testing.T) {
	for _, weight := range []string{"1e300", "-1e300"} {
		for _, kind := range kinds {
			transitions := "[0,0,0,0]"
			if kind == crf.Node {
				transitions = "[]"
			}
			m, err := crf.Load(strings.NewReader(`{"format":"pathsum crf 1","kind":"` + kind.String() + `","labels":["A","B"],"transitions":` + transitions +
				`,"attributes":["x"],"row":[0,2],"label":[0,1],"weight":[` + weight + `,` + weight + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			x := func(t int, a *crf.Attributes) { a.Add("x") }
			if p, err := m.LogProb([]string{"A", "A"}, x); !errors.Is(err, semiring.ErrNotFinite) {
				t.Errorf("%v, weights %s: ln P = %g, %v", kind, weight, p, err)
			}
			if p, err := m.Posteriors(2, x); !errors.Is(err, semiring.ErrNotFinite) {
				t.Errorf("%v, weights %s: marginals %v, %v", kind, weight, p, err)
			}
			if y, err := m.Best(2, x); !errors.Is(err, semiring.ErrNotFinite) {
				t.Errorf("%v, weights %s: best is %v, %v", kind, weight, y, err)
			}
		}
	}
}

// TestRefused: data stay as they are if a sequence is refused, and weights have their names.
func TestRefused(t *testing.T) {
	d := crf.NewData()
	f := func(t int, a *crf.Attributes) {
		a.Add("good")
		if t == 1 {
			a.AddValue(3, "x")
		}
	}
	bad := func(_ int, a *crf.Attributes) { a.AddValue(math.NaN(), "x") }
	labels := []string{"A", "B", "A"}
	if err := d.Add(nil, none); err != nil {
		t.Fatal(err)
	}
	if err := d.Add(labels, bad); !errors.Is(err, crf.ErrInvalid) || d.NumSequences() != 1 || d.NumPositions() != 0 {
		t.Errorf("%d sequences of %d positions, %v", d.NumSequences(), d.NumPositions(), err)
	}
	if err := d.Add(labels, f); err != nil {
		t.Fatal(err)
	}
	l := must(newLikelihood(crf.Chain, d, em.LogLinearOptions{}))
	if n := l.Params().Len(); n != 2+1+4 { // good: A, B; x: B
		t.Errorf("%d weights", n)
	}
	for i, want := range []string{"weights[good A]", "weights[good B]", "weights[x B]", "weights[A A]", "weights[A B]"} {
		if name := l.Params().Name(int32(i)); name != want {
			t.Errorf("weight %d is called %s, want %s", i, name, want)
		}
	}
}
