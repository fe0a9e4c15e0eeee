package expr

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/semiring"
)

const trials = 60

func TestEvaluateAgainstBigFloat(t *testing.T) {
	for seed := range uint64(trials) {
		tr := newTrial(seed, 4, 120)
		values, err := tr.space.Evaluate(nil, scaled(tr.theta...))
		if err != nil {
			t.Fatal(err)
		}
		if len(values) != tr.space.Len() {
			t.Fatalf("%d values of %d", len(values), tr.space.Len())
		}
		for _, w := range tr.made {
			want, _ := tr.want[w].value.Float64()
			if got := values[w].Float64(); !near(got, want, 1e-9) {
				t.Fatalf("seed %d: %s = %g, want %g", seed, tr.space.String(w), got, want)
			}
		}
	}
}

func TestEvaluateTemperedRaisesLeaves(t *testing.T) {
	for seed := range uint64(trials) {
		tr := newTrial(seed, 4, 120)
		values, err := tr.space.EvaluateTempered(nil, scaled(tr.theta...), trialBeta)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range tr.made {
			want := tr.want[w].tempered
			if got := values[w].Float64(); !near(got, want, 1e-9) {
				t.Fatalf("seed %d: %s = %g, want %g", seed, tr.space.String(w), got, want)
			}
		}
	}
}

// TestTemperedEdges: exponent 0 counts paths, except those of weight 0.
func TestTemperedEdges(t *testing.T) {
	s := New()
	a, b := s.Param(0), s.Param(1)
	w := s.Plus(s.Times(a, a), s.Plus(s.Times(a, b), s.Const(semiring.NewScaled(0.25))))
	values, err := s.EvaluateTempered(nil, scaled(0.3, 0), 0)
	if err != nil || values[w].Float64() != 2 || values[Zero].Float64() != 0 {
		t.Errorf("%v paths, %v; want 2", values[w].Float64(), err)
	}
	for _, beta := range []float64{-1, math.Inf(1), math.NaN()} {
		if _, err := s.EvaluateTempered(nil, scaled(0.3, 0.5), beta); !errors.Is(err, ErrParam) {
			t.Errorf("exponent %g: %v", beta, err)
		}
	}
}

// TestEvaluateExtends: values of a fork are those of its parent and its own,
// in one sweep or in two, and cost no allocation with enough room.
func TestEvaluateExtends(t *testing.T) {
	tr := newTrial(1, 4, 60)
	theta := scaled(tr.theta...)
	parent := tr.space
	base, err := parent.Evaluate(nil, theta)
	if err != nil {
		t.Fatal(err)
	}
	tr.space = parent.Fork()
	for range 60 {
		tr.step()
	}
	parent.Times(tr.made[0], tr.made[0]) // does not matter to the fork
	if tr.space.Inherited() != len(base) || tr.space.Len() <= len(base) {
		t.Fatalf("%d expressions, %d inherited; parent has %d", tr.space.Len(), tr.space.Inherited(), len(base))
	}
	whole, err := tr.space.Evaluate(nil, theta)
	if err != nil {
		t.Fatal(err)
	}
	extended, err := tr.space.Evaluate(slices.Clone(base), theta)
	if err != nil || !slices.Equal(extended, whole) {
		t.Errorf("values of the fork after those of its parent differ from all at once: %v", err)
	}
	base[One] = semiring.NewScaled(17)
	if extended, _ = tr.space.Evaluate(base, theta); extended[One] != base[One] {
		t.Error("the values of the parent were worked out again")
	}
	n := testing.AllocsPerRun(10, func() {
		if _, err := tr.space.Evaluate(whole[:len(base)], theta); err != nil {
			t.Fatal(err)
		}
	})
	if n > 3 { // the snapshot and the list of layers
		t.Errorf("%g allocations", n)
	}
}

// TestWhole: a sum divided by itself as one number is the sum of tempered shares, and
// what Whole and Plain make of it has no parts that diverge at other temperatures.
func TestWhole(t *testing.T) {
	s := New()
	a, b, half := s.Param(0), s.Param(1), s.Const(semiring.NewScaled(.5))
	ab := s.Plus(s.Untempered(a), s.Untempered(b))
	loop, _ := s.Star(ab)
	z := s.Times(s.Untempered(half), loop)
	share, _ := s.RDiv(s.Plus(a, b), s.Whole(z))
	again, _ := s.RDiv(share, s.Whole(loop))
	const beta = .3
	values, err := s.EvaluateTempered(nil, scaled(.3, .6), beta)
	if err != nil {
		t.Fatal(err)
	}
	total := .5 / (1 - .9)
	want := (math.Pow(.3, beta) + math.Pow(.6, beta)) / math.Pow(total, beta)
	if got := values[share].Float64(); !near(got, want, 1e-14) {
		t.Errorf("%s is %.15g, want %.15g", s.Format(share), got, want)
	}
	if got, want := values[again].Float64(), want*math.Pow(.1, beta); !near(got, want, 1e-14) {
		t.Errorf("%s is %.15g, want %.15g", s.Format(again), got, want)
	}
	for name, pair := range map[string][2]W{
		"a product":          {s.Whole(s.Times(s.Times(ab, loop), s.Untempered(a))), s.Times(s.Whole(ab), s.Times(s.Whole(loop), a))},
		"a quotient":         {s.Whole(s.Untempered(share)), s.Times(s.Whole(ab), s.Whole(must(s.RDiv(One, z))))},
		"a leaf":             {s.Whole(s.Untempered(half)), half},
		"0":                  {s.Whole(s.Untempered(Zero)), Zero},
		"1":                  {s.Whole(s.Untempered(One)), One},
		"plain as it is":     {s.Untempered(z), z},
		"of one that is one": {s.Untempered(s.Whole(z)), z},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s and %s", name, s.Format(pair[0]), s.Format(pair[1]))
		}
	}
}

func must(w W, ok bool) W {
	if !ok {
		panic("no quotient")
	}
	return w
}

func TestNoUnderflow(t *testing.T) {
	s := New()
	w := s.Param(0)
	for range 20 {
		w = s.Times(w, w)
	}
	values, err := s.Evaluate(nil, scaled(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := values[w].Log(), -math.Ln2*(1<<20); !near(got, want, 1e-12) {
		t.Errorf("ln θ^2^20 = %g, want %g", got, want)
	}
}

func TestEvaluateErrors(t *testing.T) {
	s := New()
	s.SetNamer(func(p int32) string { return string(rune('a' + p)) })
	a, b, c := s.Param(0), s.Param(1), s.Param(2)
	ab := s.Plus(a, b)
	loop, _ := s.Star(ab)
	quotient, _ := s.RDiv(a, c)
	above := s.Times(quotient, loop)
	for _, test := range []struct {
		name    string
		theta   []semiring.ScaledFloat
		want    error
		text    string
		nan, ok []W
	}{
		{"fine", scaled(0.25, 0.5, 1), nil, "", nil, []W{loop, quotient, above}},
		{"mass 1", scaled(0.5, 0.5, 1), ErrDiverges, "star(a+b)", []W{loop, above}, []W{quotient, ab}},
		{"mass above 1", scaled(1.5, 0.5, 1), ErrDiverges, "star(a+b)", []W{loop, above}, []W{quotient, ab}},
		{"division", scaled(0.25, 0.5, 0), ErrDivision, "a*c^-1", []W{quotient, above}, []W{loop}},
		{"NaN", scaled(math.NaN(), 0.5, 1), ErrParam, "parameter 0", []W{a, ab, loop, quotient}, []W{b, c}},
		{"Inf", scaled(0.25, math.Inf(1), 1), ErrParam, "parameter 1", []W{b, ab, loop}, []W{a, quotient}},
		{"too few", scaled(0.25, 0.5), ErrParam, "parameter 2 of only 2", []W{c, quotient}, []W{loop}},
	} {
		values, err := s.Evaluate(nil, test.theta)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
			continue
		}
		if err != nil && !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: error %q does not name %q", test.name, err, test.text)
		}
		for _, w := range test.nan {
			if !values[w].IsNaN() {
				t.Errorf("%s: %s = %v, want NaN", test.name, s.String(w), values[w])
			}
		}
		for _, w := range test.ok {
			if !values[w].IsFinite() {
				t.Errorf("%s: %s = %v", test.name, s.String(w), values[w])
			}
		}
	}
}

func TestConstantsNotFinite(t *testing.T) {
	for _, c := range []float64{math.NaN(), math.Inf(1)} {
		s := New()
		w := s.Times(s.Const(semiring.NewScaled(c)), s.Param(0))
		if again := s.Times(s.Const(semiring.NewScaled(c)), s.Param(0)); again != w {
			t.Errorf("%g: made twice", c)
		}
		if _, err := s.Evaluate(nil, scaled(0.5)); !errors.Is(err, ErrParam) {
			t.Errorf("%g: %v", c, err)
		}
	}
}

// TestRoundingDoesNotHideDivergence: numbers that sum to 1 but for rounding, in
// many orders and groupings.
func TestRoundingDoesNotHideDivergence(t *testing.T) {
	tr := newTrial(3, 0, 0)
	for trial := range 2000 {
		n := 2 + tr.rng.IntN(30)
		mass := make([]float64, n)
		total := 0.0
		for i := range mass {
			mass[i] = tr.rng.ExpFloat64()
			total += mass[i]
		}
		s := New()
		var parts []W
		for i := range mass {
			mass[i] /= total
			parts = append(parts, s.Param(int32(i)))
		}
		for len(parts) > 1 {
			tr.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			last := len(parts) - 1
			parts[last-1] = s.Plus(parts[last-1], parts[last])
			parts = parts[:last]
		}
		s.Star(parts[0])
		if _, err := s.Evaluate(nil, scaled(mass...)); !errors.Is(err, ErrDiverges) {
			t.Fatalf("trial %d: %d masses that sum to 1: error %v", trial, n, err)
		}
		whole := mass[0]
		for _, lost := range []float64{1e-9, .5} {
			// Roundings of 2⁻⁵³ count as often as a star repeats them.
			mass[0] = whole * (1 - lost)
			off := 0x1p-53 * math.Sqrt(float64(n)) / (whole * lost)
			_, err := s.Evaluate(nil, scaled(mass...))
			if whole > 1e-3 && err != nil && !(errors.Is(err, semiring.ErrInaccurate) && 2*off > maxInaccuracy) {
				t.Fatalf("trial %d: %d masses that sum to 1 − %v: error %v", trial, n, whole*lost, err)
			}
			if off > 10*maxInaccuracy && err == nil {
				t.Fatalf("trial %d: %d masses that sum to 1 − %v: no error", trial, n, whole*lost)
			}
		}
	}
}

// TestManyRoundings: ten thousand masses of 1e-4 add up to 1 − 9e-14.
func TestManyRoundings(t *testing.T) {
	const n = 10_000
	s := New()
	w := Zero
	theta := make([]semiring.ScaledFloat, n, n+1)
	for p := range theta {
		theta[p] = semiring.NewScaled(1.0 / n)
		w = s.Plus(w, s.Param(int32(p)))
	}
	square := s.Times(w, w)
	for _, w := range []W{w, square, s.Times(s.Times(square, s.Param(n)), s.Const(semiring.NewScaled(0.5)))} {
		f := s.Fork()
		f.Star(w)
		theta[0] = semiring.NewScaled(1.0 / n)
		if _, err := f.Evaluate(nil, append(theta, semiring.NewScaled(2))); !errors.Is(err, ErrDiverges) {
			t.Errorf("a mass of 1: %v", err)
		}
		theta[0] = semiring.Scaled{}.Zero()
		if _, err := f.Evaluate(nil, append(theta, semiring.NewScaled(2))); err != nil {
			t.Errorf("a mass of 1 − 1e-4: %v", err)
		}
	}
}

// RelativeError foresees how far a star is off: within a factor of 30, of the errors of many.
func TestInaccuracy(t *testing.T) {
	for _, gap := range []float64{.5, 1e-3, 1e-6} {
		worst, said := 0.0, 0.0
		r := rand.New(rand.NewPCG(1, 1))
		for range 200 {
			a, b := r.Float64(), r.Float64()
			a, b = (1-gap)*a/(a+b), (1-gap)*b/(a+b)
			s := New()
			h, _ := s.Star(s.Plus(s.Param(0), s.Param(1)))
			values, err := s.Evaluate(nil, []semiring.ScaledFloat{semiring.NewScaled(a), semiring.NewScaled(b)})
			if err != nil {
				t.Fatal(err)
			}
			pivot := new(big.Float).SetPrec(200).SetInt64(1)
			pivot.Sub(pivot, big.NewFloat(a)).Sub(pivot, big.NewFloat(b))
			exact, _ := new(big.Float).Quo(big.NewFloat(1).SetPrec(200), pivot).Float64()
			worst = max(worst, math.Abs(values[h].Float64()/exact-1))
			said = max(said, s.RelativeError(values))
		}
		if !(said/30 <= worst && worst <= 30*said) {
			t.Errorf("gap %g: stars are off by up to %g, and %g is foreseen", gap, worst, said)
		}
	}
	s := New()
	s.Star(s.Param(0))
	values, err := s.Evaluate(nil, []semiring.ScaledFloat{semiring.NewScaled(1 - 1e-9)})
	if got := s.RelativeError(values); err != nil || got != 0 {
		t.Errorf("%g, %v for the star of a number, want 0", got, err)
	}
	if f := s.Fork(); f.RelativeError(values) != 0 {
		t.Error("a fork without stars of its own has some that are off")
	}
}
