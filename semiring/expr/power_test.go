package expr

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/semiring"
)

// powers makes random expressions with powers, and their expected values at any θ and β.
type powers struct {
	rng   *rand.Rand
	space *Space
	made  []W
	want  []func(theta []float64, beta float64) float64
}

func newPowers(seed uint64, params, operations int) *powers {
	p := &powers{rng: rand.New(rand.NewPCG(seed, 51)), space: New()}
	type value = func(theta []float64, beta float64) float64
	record := func(w W, want value) { p.made, p.want = append(p.made, w), append(p.want, want) }
	for i := range params {
		record(p.space.Param(int32(i)), func(theta []float64, beta float64) float64 { return math.Pow(theta[i], beta) })
	}
	for range 3 {
		c := .2 + 2*p.rng.Float64()
		record(p.space.Const(semiring.NewScaled(c)), func(_ []float64, beta float64) float64 { return math.Pow(c, beta) })
	}
	for range operations {
		i, j := p.rng.IntN(len(p.made)), p.rng.IntN(len(p.made))
		a, b := p.made[i], p.made[j]
		va, vb := p.want[i], p.want[j]
		switch p.rng.IntN(6) {
		case 0:
			record(p.space.Plus(a, b), func(theta []float64, beta float64) float64 { return va(theta, beta) + vb(theta, beta) })
		case 1:
			record(p.space.Times(a, b), func(theta []float64, beta float64) float64 { return va(theta, beta) * vb(theta, beta) })
		case 2:
			w, _ := p.space.RDiv(a, b)
			record(w, func(theta []float64, beta float64) float64 { return va(theta, beta) / vb(theta, beta) })
		case 3:
			x := p.rng.NormFloat64()
			w, _ := p.space.RealPower(a, x)
			record(w, func(theta []float64, beta float64) float64 { return math.Pow(va(theta, 1), x*beta) })
		default:
			w, _ := p.space.Power(a, b)
			record(w, func(theta []float64, beta float64) float64 {
				return math.Exp(beta * math.Log(va(theta, 1)) * math.Log(vb(theta, 1)))
			})
		}
		last := p.want[len(p.want)-1]([]float64{.3, 1.5, .8, 2}, 1)
		if math.Abs(math.Log(last)) > 6 { // neither huge nor tiny
			p.made, p.want = p.made[:len(p.made)-1], p.want[:len(p.want)-1]
		}
	}
	return p
}

// TestPowers: values, derivatives and second derivatives are those of exp(β · ln a · ln w),
// at any temperature.
func TestPowers(t *testing.T) {
	const step = 1e-6
	for seed := range uint64(trials) {
		p := newPowers(seed, 4, 25)
		theta := []float64{.3, 1.5, .8, 2}
		direction := make([]float64, len(theta))
		for i := range direction {
			direction[i] = p.rng.NormFloat64()
		}
		for _, beta := range []float64{1, trialBeta} {
			// at returns tempered values, whose ln grows by scale·h.
			at := func(h []float64, scale float64) []semiring.ScaledFloat {
				moved := slices.Clone(theta)
				for i := range moved {
					moved[i] *= math.Exp(scale * h[i] / beta)
				}
				values, err := p.space.EvaluateTempered(nil, scaled(moved...), beta)
				if err != nil {
					t.Fatal(err)
				}
				return values
			}
			values := at(direction, 0)
			up, down := at(direction, step), at(direction, -step)
			tangents := p.space.Tangents(nil, values, direction, beta)
			for i, w := range p.made {
				if got, want := values[w].Float64(), p.want[i](theta, beta); math.Abs(got/want-1) > 1e-12 && beta == 1 {
					t.Fatalf("seed %d: %s is %g, want %g", seed, p.space.String(w), got, want)
				}
				slope := (up[w].Log() - down[w].Log()) / (2 * step)
				if size := 1 + math.Abs(slope); math.Abs(tangents[w]-slope) > 1e-5*size {
					t.Fatalf("seed %d, β %g: %s: tangent %g, want %g", seed, beta, p.space.Format(w), tangents[w], slope)
				}
				grad := usesOf(p.space, values, w, len(theta))
				dot := 0.0
				for j, g := range grad {
					dot += g * direction[j]
				}
				if beta == 1 && math.Abs(dot-slope) > 1e-5*(1+math.Abs(slope)) { // Plain leaves β out of slopes
					t.Fatalf("seed %d: %s: slope %g, want %g", seed, p.space.Format(w), dot, slope)
				}
				if beta != 1 {
					continue
				}
				both := along(p.space, values, tangents, w, .7, len(theta))
				above, below := usesOf(p.space, up, w, len(theta)), usesOf(p.space, down, w, len(theta))
				for j := range theta {
					want := .7*grad[j] + (above[j]-below[j])/(2*step)
					if size := 1 + math.Abs(want) + math.Abs(grad[j]); both.Value[j] != grad[j] || math.Abs(both.Change[j]-want) > 1e-4*size {
						t.Fatalf("seed %d: %s: by ln θ%d %g and %g, want %g and %g", seed, p.space.Format(w), j, both.Value[j], both.Change[j], grad[j], want)
					}
				}
			}
		}
	}
}

// TestTemperedPowers: a power of products of leaves is tempered once, and so are its
// derivatives by the logarithms of tempered parameters.
func TestTemperedPowers(t *testing.T) {
	s := New()
	a, w := s.Param(0), s.Param(1)
	half := s.Const(semiring.NewScaled(.5))
	x, _ := s.Power(s.Times(half, s.Times(a, a)), w)
	const beta, step = .6, 1e-6
	value := func(da, dw float64) float64 {
		values, err := s.EvaluateTempered(nil, scaled(.3*math.Exp(da/beta), 1.7*math.Exp(dw/beta)), beta)
		if err != nil {
			t.Fatal(err)
		}
		return values[x].Log()
	}
	if got, want := value(0, 0), beta*math.Log(.5*.3*.3)*math.Log(1.7); math.Abs(got-want) > 1e-14 {
		t.Errorf("ln of the power is %g, want %g", got, want)
	}
	values, _ := s.EvaluateTempered(nil, scaled(.3, 1.7), beta)
	got := usesOf(s, values, x, 2)
	for p, want := range []float64{(value(step, 0) - value(-step, 0)) / (2 * step), (value(0, step) - value(0, -step)) / (2 * step)} {
		if math.Abs(got[p]-want) > 1e-8 {
			t.Errorf("by ln θ%d %g, want %g", p, got[p], want)
		}
	}
}

// TestPowersAreTakenApart: products on both sides, whole exponents, what is plain or whole,
// and text, in full and in rows.
func TestPowersAreTakenApart(t *testing.T) {
	s := New()
	a, b, v, w := s.Param(0), s.Param(1), s.Param(2), s.Param(3)
	half := s.Const(semiring.NewScaled(.5))
	pow := func(a, w W) W {
		x, ok := s.Power(a, w)
		if !ok {
			t.Fatalf("%s to the power of %s", s.String(a), s.String(w))
		}
		return x
	}
	raise := func(a W, x float64) W {
		w, ok := s.RealPower(a, x)
		if !ok {
			t.Fatalf("%s to the power %g", s.String(a), x)
		}
		return w
	}
	over := func(a, b W) W { w, _ := s.RDiv(a, b); return w }
	for name, pair := range map[string][2]W{
		"a product":     {pow(over(s.Times(s.Times(a, half), a), b), w), over(s.Times(s.Times(pow(a, w), pow(a, w)), pow(half, w)), pow(b, w))},
		"a sum":         {pow(a, s.Times(v, w)), s.Times(pow(a, v), pow(a, w))},
		"the other way": {pow(a, w), pow(w, a)},
		"1":             {pow(One, w), One},
		"0":             {pow(Zero, w), Zero},
		"exponent 0":    {pow(s.Plus(a, b), One), One},
		"cube":          {raise(s.Times(a, half), 3), s.Times(s.Times(a, s.Times(a, a)), s.Const(semiring.NewScaled(.125)))},
		"whole":         {s.Whole(s.Untempered(pow(s.Plus(a, b), w))), pow(s.Plus(a, b), w)},
		"plain":         {s.Untempered(pow(a, w)), pow(s.Untempered(a), s.Untempered(w))},
		"plain base":    {pow(s.Untempered(a), w), pow(a, w)},
		"constants":     {pow(half, s.Const(semiring.NewScaled(math.E))), half},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s and %s", name, s.Format(pair[0]), s.Format(pair[1]))
		}
	}
	all := []W{pow(a, w), raise(s.Plus(a, b), -.5), s.Untempered(pow(half, w)), s.Plus(pow(s.Plus(a, b), s.Plus(v, w)), pow(pow(a, v), w))}
	for _, x := range all {
		if got, err := s.Parse(s.Format(x)); err != nil || got != x {
			t.Errorf("%s is read as %s (%v)", s.Format(x), s.Format(got), err)
		}
	}
	rows, place := s.FormatRows(all)
	fresh := New()
	ws, err := fresh.ParseRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range all {
		if got := fresh.Format(ws[place[i]]); got != s.Format(x) {
			t.Errorf("%s comes back as %s", s.Format(x), got)
		}
	}
	for _, bad := range []string{"power(1", "power($1)", "power($1,0)", "power(-2,$1)", "power($1,$2"} {
		if _, err := s.Parse(bad); !errors.Is(err, ErrSyntax) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	k := s.Functions()
	ab := k.Plus(a, b)
	if pow(k.Times(ab, ab), w) != pow(ab, s.Times(w, w)) {
		x, y := k.Times(pow(k.Times(ab, ab), w), One), k.Times(k.Times(pow(ab, w), pow(ab, w)), One)
		if x != y {
			t.Errorf("as functions: %s and %s", s.String(x), s.String(y))
		}
	}
	if k.Times(pow(a, w), a) == k.Times(pow(a, v), a) || k.Times(pow(a, w), a) == k.Times(pow(b, w), a) {
		t.Error("powers of other exponents or bases are equal")
	}
}

// TestPowersWithoutValue: negative numbers, 0 to a negative power, what is out of range, and
// rings without powers.
func TestPowersWithoutValue(t *testing.T) {
	s := New()
	a, w := s.Param(0), s.Param(1)
	x, _ := s.Power(a, w)
	for _, c := range []struct {
		a, w float64 // e^w
		want error
		text string
	}{
		{-1, 2, ErrParam, "negative"}, {0, .5, ErrDivision, "power -0.69"}, {0, 0, ErrDivision, "-Inf"}, {math.NaN(), 2, ErrParam, "θ0"},
	} {
		values, err := s.Evaluate(nil, scaled(c.a, c.w))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || !values[x].IsNaN() {
			t.Errorf("%g to the power ln %g is %v (%v)", c.a, c.w, values[x], err)
		}
	}
	for _, w := range []float64{1, 3} {
		values, err := s.Evaluate(nil, scaled(0, w))
		if err != nil || !values[x].IsZero() {
			t.Errorf("0 to the power %g is %v (%v)", math.Log(w), values[x], err)
		}
		if got := s.Tangents(nil, values, []float64{1, 1}, 1)[x]; got != 0 {
			t.Errorf("the tangent of 0 is %g", got)
		}
	}
	if _, ok := s.Power(a, Zero); ok {
		t.Error("the exponent −∞ has a power")
	}
	for _, c := range []struct {
		a W
		x float64
	}{{a, math.NaN()}, {a, math.Inf(1)}, {Zero, -1}} {
		if _, ok := s.RealPower(c.a, c.x); ok {
			t.Errorf("%s to the power %g is one", s.String(c.a), c.x)
		}
	}
	real := semiring.Real{}
	number := func(int32) float64 { return .5 }
	if _, err := Map(s, real, number, semiring.ScaledFloat.Float64); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without powers: %v", err)
	}
	images, err := Map(s, raising{}, number, semiring.ScaledFloat.Float64)
	if err != nil || math.Abs(images[x]-math.Exp(math.Ln2*math.Ln2)) > 1e-15 {
		t.Errorf("a ring with powers: %v (%v)", images[x], err)
	}
}

// raising is a ring with powers.
type raising struct{ semiring.Real }

func (raising) Power(a, w float64) (float64, bool) { return math.Pow(a, math.Log(w)), true }
