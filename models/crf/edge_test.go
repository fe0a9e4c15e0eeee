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

// TestOneLabel: where there is no choice everything has probability 1.
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

// TestHuge: weights whose sums are no numbers, or 0, are errors everywhere.
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

func TestInvalid(t *testing.T) {
	d := crf.NewData()
	check := func(err, want error, text string) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %v: %s", err, want, text)
		}
	}
	value := func(v float64, name string) crf.Features {
		return func(t int, a *crf.Attributes) {
			a.Add("good")
			if t == 1 {
				a.AddValue(v, name)
				a.AddValue(1, name)
			}
		}
	}
	labels := []string{"A", "B", "A"}
	if err := d.Add(nil, none); err != nil {
		t.Fatal(err)
	}
	_, err := newLikelihood(crf.Chain, d, em.LogLinearOptions{})
	check(err, crf.ErrInvalid, "1 sequences, none with a label")
	check(d.Add(labels, value(math.NaN(), "x")), crf.ErrInvalid, `crf: sequence 1: invalid input: position 1: attribute "x" has the value NaN`)
	check(d.Add(labels, value(math.Inf(1), "x")), crf.ErrInvalid, "+Inf")
	check(d.Add(labels, value(1, "\xff")), crf.ErrInvalid, `position 1: attribute "\xff" is not UTF-8`)
	check(d.Add([]string{"A", "\xff"}, none), crf.ErrInvalid, `label "\xff" at position 1`)
	if d.NumSequences() != 1 || d.NumPositions() != 0 {
		t.Errorf("%d sequences of %d positions", d.NumSequences(), d.NumPositions())
	}
	if err := d.Add(labels, value(2, "x")); err != nil {
		t.Fatal(err)
	}
	check(d.Add(labels, value(math.NaN(), "x")), crf.ErrInvalid, "crf: sequence 2: invalid input: position 1")
	_, err = newLikelihood(crf.Kind(3), d, em.LogLinearOptions{})
	check(err, crf.ErrInvalid, "Kind(3)")
	_, err = newLikelihood(crf.Node, d, em.LogLinearOptions{Sigma: -1})
	check(err, em.ErrParameter, "-1")
	_, err = crf.ParseKind("CRF")
	check(err, crf.ErrInvalid, `"CRF"`)

	l, err := newLikelihood(crf.Chain, d, em.LogLinearOptions{})
	if err != nil {
		t.Fatal(err)
	}
	theta := l.Params().Start()
	if len(theta) != 2+1+4 { // good: A, B; x: B
		t.Errorf("%d weights", len(theta))
	}
	for i, want := range []string{"weights[good A]", "weights[good B]", "weights[x B]", "weights[A A]", "weights[A B]"} {
		if name := l.Params().Name(int32(i)); name != want {
			t.Errorf("weight %d is called %s, want %s", i, name, want)
		}
	}
	_, err = l.Expect(t.Context(), em.Query{Theta: theta, Tangent: theta[1:]})
	check(err, em.ErrParameter, "a tangent of 6 numbers for 7 parameters")
	_, err = l.Expect(t.Context(), em.Query{Theta: theta[1:]})
	check(err, em.ErrParameter, "6 values for 7 parameters")
	theta[2] = math.MaxFloat64 // times 3
	_, err = l.Expect(t.Context(), em.Query{Theta: theta})
	check(err, semiring.ErrNotFinite, "sequence 1")
	theta[2] = math.NaN()
	_, err = l.at(theta)
	check(err, em.ErrParameter, "NaN")
	theta[2] = 0
	m, err := l.at(theta)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Best(2, value(math.NaN(), "x"))
	check(err, crf.ErrInvalid, "crf: invalid input: position 1: attribute \"x\" has the value NaN")
}
