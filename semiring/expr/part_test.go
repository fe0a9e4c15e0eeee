package expr_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// randomExpressions adds expressions of parameters 0 … n−1 to s and returns some of them.
func randomExpressions(r *rand.Rand, s *expr.Space, n int) []expr.W {
	ws := []expr.W{s.Const(semiring.NewScaled(.25))}
	for p := range n {
		ws = append(ws, s.Param(int32(p)))
	}
	for range 30 {
		a, b := ws[r.IntN(len(ws))], ws[r.IntN(len(ws))]
		w, ok := s.Plus(a, b), true
		switch r.IntN(4) {
		case 0, 1:
			w = s.Times(a, b)
		case 2:
			w, ok = s.Star(a)
		}
		if ok {
			ws = append(ws, w)
		}
	}
	return ws
}

// A part has the values that the whole Space has, and its error is that of an expression that
// it contains.
func TestSubset(t *testing.T) {
	failed, outside := 0, 0
	for seed := range trials.Seeds(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := expr.New()
		ws := randomExpressions(r, s, 4)
		theta := make([]semiring.ScaledFloat, 4)
		for i := range theta {
			theta[i] = semiring.NewScaled(r.Float64())
		}
		all, wholeErr := s.Evaluate(nil, theta)
		roots := []expr.W{ws[r.IntN(len(ws))], ws[r.IntN(len(ws))]}
		p := s.NewSubset()
		p.Add(roots...)
		values, err := p.Evaluate(nil, theta, 1)
		if len(values) != s.Len() {
			t.Fatalf("%d values of %d expressions", len(values), s.Len())
		}
		bad := false
		for _, w := range p.All() {
			if all[w] != values[w] && !(all[w].IsNaN() && values[w].IsNaN()) {
				t.Fatalf("%s is %v, of all %v", s.Format(w), values[w], all[w])
			}
			bad = bad || all[w].IsNaN()
			for _, f := range s.Factors([]expr.W{w}) {
				if f.Of != w && !p.Contains(f.Of) {
					t.Fatalf("%s without its factor %s", s.Format(w), s.Format(f.Of))
				}
			}
		}
		if bad != (err != nil) {
			t.Fatalf("values are missing: %v, error %v", bad, err)
		}
		if err != nil {
			failed++
		} else if wholeErr != nil {
			outside++
		}
		for w := range expr.W(s.Len()) {
			if !p.Contains(w) && !values[w].IsNaN() {
				t.Fatalf("%s is outside and has the value %v", s.Format(w), values[w])
			}
		}
		// What operations make of expressions of the part has the value in a fork that it has
		// in the Space, whose expressions outside are not met again.
		if err == nil {
			square := s.Plus(s.Times(roots[0], roots[0]), roots[1])
			want, _ := s.Evaluate(nil, theta)
			for _, fork := range []*expr.Space{p.Fork(), p.Fork().Fork()} {
				sum := fork.Plus(fork.Times(roots[0], roots[0]), roots[1])
				more, err := p.Evaluate(nil, theta, 1)
				if err != nil {
					t.Fatal(err)
				}
				more, err = fork.Evaluate(more, nil)
				if d := more[sum].Sub(want[square]); err != nil || !(math.Abs(d.Float64()) <= 1e-14*want[square].Float64()) {
					t.Fatalf("%s is %v, want %v; error %v", fork.Format(sum), more[sum], want[square], err)
				}
			}
		}
	}
	if failed == 0 || outside == 0 {
		t.Errorf("%d parts without a value, %d Spaces without one beside a part that has", failed, outside)
	}
}

// A parameter outside of the part needs no value.
func TestPartWithoutParameter(t *testing.T) {
	s := expr.New()
	a, b := s.Param(0), s.Param(1)
	star, _ := s.Star(b)
	p := s.NewSubset()
	p.Add(a)
	values, err := p.Evaluate(nil, []semiring.ScaledFloat{semiring.NewScaled(.5)}, 1)
	if err != nil || values[a].Float64() != .5 || !values[star].IsNaN() {
		t.Errorf("values %v, error %v", values, err)
	}
	p.Add(star)
	if _, err := p.Evaluate(nil, []semiring.ScaledFloat{semiring.NewScaled(.5), semiring.NewScaled(1)}, 1); !errors.Is(err, expr.ErrDiverges) {
		t.Errorf("error %v", err)
	}
	if got := p.All(); !slices.Contains(got, b) || !slices.Contains(got, star) {
		t.Errorf("all %v", got)
	}
}
