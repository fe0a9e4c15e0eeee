package expr_test

import (
	"slices"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// TestFactors: an expression is a constant times the powers that it has for factors, in a
// space and in a fork of it.
func TestFactors(t *testing.T) {
	s := expr.New()
	a, b := s.Param(0), s.Param(1)
	sum := s.Plus(a, b)
	inverse, _ := s.RDiv(expr.One, b)
	star, _ := s.Star(a)
	square := s.Times(a, a)
	w := s.Times(s.Times(s.Const(semiring.NewScaled(.5)), square), s.Times(inverse, sum))
	f := s.Fork()
	more := f.Times(w, f.Times(b, star))
	for _, test := range []struct {
		space *expr.Space
		w     expr.W
		want  []expr.Factor
	}{
		{s, expr.Zero, nil},
		{s, expr.One, nil},
		{s, s.Const(semiring.NewScaled(3)), nil},
		{s, a, []expr.Factor{{Of: a, Power: 1}}},
		{s, sum, []expr.Factor{{Of: sum, Power: 1}}},
		{s, w, []expr.Factor{{Of: a, Power: 2}, {Of: b, Power: -1}, {Of: sum, Power: 1}}},
		{f, w, []expr.Factor{{Of: a, Power: 2}, {Of: b, Power: -1}, {Of: sum, Power: 1}}},
		{f, more, []expr.Factor{{Of: a, Power: 2}, {Of: sum, Power: 1}, {Of: star, Power: 1}}},
	} {
		var got []expr.Factor
		for i, f := range test.space.Factors([]expr.W{expr.One, test.w, expr.Zero}) {
			if i != 1 {
				t.Errorf("expression %d has the factor %v", i, f)
			}
			got = append(got, f)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s has the factors %v, want %v", test.space.String(test.w), got, test.want)
		}
	}
	for i, f := range s.Factors([]expr.W{a, b}) {
		if i > 0 || f.Of != a {
			t.Errorf("expression %d has the factor %v first", i, f)
		}
		s.Param(2) // may be used meanwhile
		break
	}
}
