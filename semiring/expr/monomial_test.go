package expr

import (
	"math"
	"testing"

	"example.org/pathsum/semiring"
)

func TestMonomialsAgainstEvaluation(t *testing.T) {
	rows := 0
	for seed := range uint64(trials) {
		tr := newTrial(seed, 4, 120)
		values, err := tr.space.Evaluate(nil, scaled(tr.theta...))
		if err != nil {
			t.Fatal(err)
		}
		m := tr.space.Monomials(tr.made)
		want, count := make([]float64, 4), make([]float64, tr.space.Len())
		for i, w := range tr.made {
			entries := m.Row[i+1] - m.Row[i]
			if !m.OK[i] {
				if entries != 0 {
					t.Errorf("%s: %d entries of no monomial", tr.space.String(w), entries)
				}
				continue
			}
			rows++
			log := m.Constant[i].Log()
			c := tr.rng.Float64()
			count[w] += c
			for n := m.Row[i]; n < m.Row[i+1]; n++ {
				log += float64(m.Exponent[n]) * math.Log(tr.theta[m.Param[n]])
				want[m.Param[n]] += c * float64(m.Exponent[n])
				if n > m.Row[i] && m.Param[n] <= m.Param[n-1] || m.Exponent[n] == 0 {
					t.Errorf("%s: row out of order", tr.space.String(w))
				}
			}
			if math.Abs(log-values[w].Log()) > 1e-10 {
				t.Errorf("%s: ln = %g, want %g", tr.space.String(w), log, values[w].Log())
			}
		}
		got := make([]float64, 4)
		tr.space.Backpropagate(values, count, got)
		for p := range got {
			if math.Abs(got[p]-want[p]) > 1e-10*(1+math.Abs(want[p])) {
				t.Errorf("seed %d: uses of θ%d: %g, Aᵀ·counts %g", seed, p, got[p], want[p])
			}
		}
	}
	if rows < 10*trials {
		t.Errorf("only %d monomials tried", rows)
	}
}

func TestMonomialsForm(t *testing.T) {
	s := New()
	a, b := s.Param(3), s.Param(1)
	half := s.Const(semiring.NewScaled(0.5))
	sum := s.Plus(a, b)
	loop, _ := s.Star(a)
	quotient, _ := s.RDiv(s.Times(half, s.Times(b, b)), a)
	m := s.Monomials([]W{Zero, One, half, a, quotient, sum, s.Times(b, loop), b})
	for i, want := range []struct {
		ok       bool
		constant float64
		entries  int32
	}{
		{true, 0, 0}, {true, 1, 0}, {true, 0.5, 0}, {true, 1, 1}, {true, 0.5, 2}, {false, 0, 0}, {false, 0, 0}, {true, 1, 1},
	} {
		if m.OK[i] != want.ok || m.Constant[i].Float64() != want.constant || m.Row[i+1]-m.Row[i] != want.entries {
			t.Errorf("row %d: %v %v, %d entries", i, m.OK[i], m.Constant[i], m.Row[i+1]-m.Row[i])
		}
	}
	n := m.Row[4]
	if m.Param[n] != 1 || m.Exponent[n] != 2 || m.Param[n+1] != 3 || m.Exponent[n+1] != -1 {
		t.Errorf("row of the quotient: %v %v", m.Param[n:n+2], m.Exponent[n:n+2])
	}
}
