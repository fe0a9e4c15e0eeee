package semiring_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	. "example.org/pathsum/semiring"
)

// A cycle of mass 1 has no star, in whatever order its parts are summed.
func TestStarRefusesHiddenMassOne(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	partitions := [][]float64{{.7, .2, .1}, {.1, .1, .8}, {.1, .2, .3, .4}, {.6, .3, .1}, {.9, .05, .05}, {.1, .1, .1, .1, .1, .5}, {1. / 3, 1. / 3, 1. / 3}}
	for _, parts := range partitions {
		for range 200 {
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			refuses(t, Real{}, parts, r)
			refuses(t, Scaled{}, parts, r)
			refuses(t, Log{}, parts, r)
		}
	}
}

// refuses sums parts in a random tree order and by the kernel.
func refuses[W any](t *testing.T, s Semiring[W], parts []float64, r *rand.Rand) {
	t.Helper()
	read, err := FromScaled(s)
	if err != nil {
		t.Fatal(err)
	}
	var w, ones []W
	for _, p := range parts {
		w, ones = append(w, read(NewScaled(p))), append(ones, s.One())
	}
	var sums [2]W
	KernelOf(s).Dot(&sums[0], w, nil, ones, nil)
	for len(w) > 1 {
		i := r.IntN(len(w) - 1)
		w[i] = s.Plus(w[i], w[i+1])
		w = append(w[:i+1], w[i+2:]...)
	}
	sums[1] = w[0]
	closed, _ := As[Closed[W]](s)
	for _, sum := range sums {
		if star, ok := closed.Star(sum); ok {
			t.Errorf("%T: %v sum to %v, whose star is given as %v", s, parts, sum, star)
		}
	}
}

func TestStarNearOne(t *testing.T) {
	for _, gap := range []float64{5 * 0x1p-52, 6 * 0x1p-52, 0x1p-40, 1e-9, 1e-3, 0.25, 0.5, 0.75, 1, 1 - 0x1p-20} {
		a := 1 - gap
		want := 1 / gap // 1 − a is exact, and so is gap for the small ones
		if got, ok := (Real{}).Star(a); !ok || math.Abs(got/(1/(1-a))-1) > 0x1p-52 || math.Abs(got/want-1) > 1e-12 && gap > 1e-3 {
			t.Errorf("Real: %v* = %v, %v", a, got, ok)
		}
		if got, ok := (Scaled{}).Star(NewScaled(a)); !ok || math.Abs(got.Float64()*(1-a)-1) > 0x1p-51 {
			t.Errorf("Scaled: %v* = %v, %v", a, got, ok)
		}
	}
	for _, a := range []float64{1, 1 - 0x1p-53, 1 - 4*0x1p-52, 1 + 0x1p-52, 2, 1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		if got, ok := (Real{}).Star(a); ok {
			t.Errorf("Real: %v* = %v", a, got)
		}
		if got, ok := (Scaled{}).Star(NewScaled(a)); ok {
			t.Errorf("Scaled: %v* = %v", a, got)
		}
	}
	if _, ok := (Scaled{}).Star(ScaledFloat{1, 10}); ok {
		t.Error("Scaled: a huge weight has a star")
	}
	if got, ok := (Scaled{}).Star(ScaledFloat{1, -10}); !ok || got != NewScaled(1) {
		t.Errorf("Scaled: the star of a tiny weight is %v", got)
	}
	if got, ok := (Real{}).Star(-3); !ok || got != 0.25 { // the solution of x = 1 − 3x
		t.Errorf("Real: (−3)* = %v, %v", got, ok)
	}
}

func TestLogStarAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 300 {
		a := -math.Exp(-34 + 38*r.Float64()) // −2e-15 … −50
		got, ok := (Log{}).Star(LogProb(a))
		if !ok {
			t.Fatalf("Log: %v has no star", a)
		}
		pivot := new(big.Float).Sub(newBig(1), bigExp(newBig(a)))
		want, _ := bigLog(pivot).Float64()
		if e := math.Abs(float64(got) + want); e > 0x1p-51*math.Abs(want) {
			t.Errorf("Log: %v* = %v, want %v", a, got, -want)
		}
	}
	for _, a := range []LogProb{0, -0x1p-53, -4 * 0x1p-52, 1e-300, 1, LogProb(math.Inf(1)), LogProb(math.NaN())} {
		if got, ok := (Log{}).Star(a); ok {
			t.Errorf("Log: %v* = %v", a, got)
		}
	}
	if got, ok := (Log{}).Star((Log{}).Zero()); !ok || got != 0 {
		t.Errorf("Log: 0̄* = %v, %v", got, ok)
	}
}

func TestSelectiveStars(t *testing.T) {
	for a, want := range map[Cost]bool{0: true, 1: true, Cost(math.Inf(1)): true, -0x1p-50: false, Cost(math.NaN()): false, Cost(math.Inf(-1)): false} {
		if star, ok := (Tropical{}).Star(a); ok != want || ok && star != 0 {
			t.Errorf("Tropical: %v* = %v, %v", a, star, ok)
		}
	}
	for a, want := range map[float64]bool{0: true, 0.5: true, 1: true, 1 + 0x1p-52: false, math.Inf(1): false, math.NaN(): false} {
		if star, ok := (Viterbi{}).Star(NewScaled(a)); ok != want || ok && star != NewScaled(1) {
			t.Errorf("Viterbi: %v* = %v, %v", a, star, ok)
		}
	}
}
