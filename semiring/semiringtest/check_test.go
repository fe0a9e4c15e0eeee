package semiringtest_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// vectors is a ring of pairs of numbers in slices, with mutable storage.
type vectors struct{ mutate string }

func (vectors) Zero() []int         { return []int{0, 0} }
func (v vectors) One() []int        { return []int{1, secondOfOne} }
func (vectors) IsZero(a []int) bool { return a[0] == 0 && a[1] == 0 }
func (vectors) Neg(a []int) []int   { return []int{-a[0], -a[1]} }
func (v vectors) Plus(a, b []int) []int {
	if v.mutate == "plus" {
		a[0] += b[0]
		a[1] += b[1]
		return a
	}
	return []int{a[0] + b[0], a[1] + b[1]}
}
func (v vectors) Times(a, b []int) []int {
	if v.mutate == "one" {
		secondOfOne++
	}
	return []int{a[0] * b[0], a[1] * b[1]}
}
func (vectors) Laws() semiring.Laws { return semiring.Commutative }
func (v vectors) Dot(dst *[]int, w [][]int, k []int32, x [][]int, i []int32) {
	old := *dst
	semiring.KernelOf(plain{v}).Dot(dst, w, k, x, i)
	switch v.mutate {
	case "shared":
		copy(shared, *dst)
		*dst = shared
	case "operand":
		if copy(old, *dst) > 0 {
			*dst = old
		}
		for _, operand := range x {
			if slices.Equal(operand, *dst) {
				*dst = operand // and so the next call overwrites it
			}
		}
	}
}
func (v vectors) Dot2(dst *[]int, w [][]int, k []int32, x [][]int, i []int32, y [][]int, j []int32) {
	semiring.KernelOf(plain{v}).Dot2(dst, w, k, x, i, y, j)
}
func (v vectors) Marginals([]float64, []int, [][]int, []int32, [][]int, []int32) {}
func (v vectors) Marginals2([]float64, []int, [][]int, []int32, [][]int, []int32, [][]int, []int32) {
}

var (
	shared      = make([]int, 2)
	secondOfOne = 1
)

type plain struct{ semiring.Semiring[[]int] }

// halfSweeper and oddStar are rings without a capability that they seem to have.
type (
	halfSweeper struct{ semiring.Real }
	oddStar     struct{ semiring.Semiring[float64] }
)

func (halfSweeper) Sweep(x, w []float64) {}
func (oddStar) Star(a float64) float64   { return a }

func TestHalvesOfCapabilitiesAreCaught(t *testing.T) {
	for _, ring := range []semiring.Semiring[float64]{halfSweeper{}, oddStar{semiring.Real{}}} {
		err := semiringtest.Check(ring, func(r *rand.Rand) float64 { return r.Float64() }, nil)
		if !names(err, "capabilities are whole") {
			t.Errorf("%T: found is:\n%v", ring, err)
		}
	}
}

func TestStorageViolationsAreCaught(t *testing.T) {
	gen := func(r *rand.Rand) []int { return []int{r.IntN(9), r.IntN(9)} }
	for mutate, law := range map[string]string{
		"": "", "plus": "operations leave their arguments alone", "one": "operations leave 0̄ and 1̄ alone", "shared": "Kernel leaves earlier results alone",
		"operand": "Kernel leaves earlier operands alone",
	} {
		secondOfOne = 1
		err := semiringtest.Check(vectors{mutate}, gen, nil)
		if mutate == "" && err != nil || mutate != "" && !names(err, law) {
			t.Errorf("%q: %v", mutate, err)
		}
	}
}

// prefixes is the left string semiring that claims to distribute from sides.
type prefixes struct {
	semiring.LeftString
	sides semiring.Side
}

func (p prefixes) Distributes() semiring.Side { return p.sides }

func TestSidesAreTried(t *testing.T) {
	gen := func(r *rand.Rand) semiring.Word {
		labels := make([]int32, r.IntN(4))
		for i := range labels {
			labels[i] = r.Int32N(2)
		}
		return semiring.NewWord(labels...)
	}
	for sides, sound := range map[semiring.Side]bool{0: true, semiring.LeftSide: true, semiring.RightSide: false, semiring.BothSides: false} {
		err := semiringtest.Check(prefixes{sides: sides}, gen, nil)
		if sound && err != nil || !sound && !names(err, "(a ⊕ b) ⊗ c = a⊗c ⊕ b⊗c") {
			t.Errorf("distributive from %v: %v", sides, err)
		}
	}
}

// half has a wrong Neg, and rounding that its keys do not absorb.
type half struct{ semiring.Real }

func (half) Neg(a float64) float64 { return -a / 2 }

func (half) AppendKey(dst []byte, w, _ float64) []byte {
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(w))
}

func TestNearWeights(t *testing.T) {
	err := semiringtest.Check(half{}, func(r *rand.Rand) float64 { return r.Float64() / 3 }, nil)
	for _, law := range []string{"a ⊕ Neg(a) = 0̄", "weights that differ by rounding have equal keys"} {
		if !names(err, law) {
			t.Errorf("%s is broken, and found is:\n%v", law, err)
		}
	}
	// A Near that always returns true accepts everything.
	always := &semiringtest.Options[float64]{Near: func(_, _ float64) bool { return true }}
	h := sound()
	h.star = func(float64) (float64, bool) { return 1, true }
	if err := semiringtest.Check(h, cost, always); err != nil {
		t.Errorf("Near is not asked: %v", err)
	}
}

// recorder is a testing.TB that only records errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestTestReports(t *testing.T) {
	r := &recorder{TB: t}
	semiringtest.Test(r, sound(), cost, nil)
	if r.errors != nil {
		t.Errorf("a sound ring gets %q", r.errors)
	}
	h := sound()
	h.one = 1
	semiringtest.Test(r, h, cost, nil)
	if !strings.Contains(strings.Join(r.errors, "\n"), "a ⊗ 1̄ = a fails: ") {
		t.Errorf("a broken ring gets %q", r.errors)
	}
}

// unordered claims to be Selective but has no Compare.
type unordered struct{ core }

func (unordered) Laws() semiring.Laws { return semiring.Selective }

// nils is a ring of strings whose One is nil where another method makes an empty slice.
type nils struct{}

func (nils) Zero() []int             { return []int{-1} }
func (nils) One() []int              { return nil }
func (n nils) IsZero(a []int) bool   { return len(a) == 1 && a[0] < 0 }
func (n nils) Plus(a, b []int) []int { return slices.MaxFunc([][]int{a, b}, slices.Compare) }
func (n nils) Times(a, b []int) []int {
	return append(append(make([]int, 0), a...), b...)
}

// rounding is a ring of numbers that round, without a Metric.
type rounding struct{}

func (rounding) Zero() float64              { return 0 }
func (rounding) One() float64               { return 1 }
func (rounding) IsZero(a float64) bool      { return a == 0 }
func (rounding) Plus(a, b float64) float64  { return a + b }
func (rounding) Times(a, b float64) float64 { return a * b }

func TestWhatReportsSay(t *testing.T) {
	err := semiringtest.Check(unordered{core{sound()}}, cost, nil)
	if err == nil || !strings.Contains(err.Error(), "it has no method Compare(a, b W) int") {
		t.Errorf("no order: %v", err)
	}
	err = semiringtest.Check(nils{}, func(r *rand.Rand) []int { return nil }, nil)
	if err == nil || !strings.Contains(err.Error(), "[]int{} is not []int(nil)") {
		t.Errorf("nil and empty: %v", err)
	}
	err = semiringtest.Check(rounding{}, func(r *rand.Rand) float64 { return r.Float64() }, nil)
	if err == nil || strings.Count(err.Error(), "compared exactly, as the ring has no method Dist") != 1 {
		t.Errorf("rounding: %v", err)
	}
}

// oneSided omits the second tail.
type oneSided struct{ semiring.Real }

func (r oneSided) Marginals2(p []float64, a float64, w []float64, k []int32, x []float64, i []int32, _ []float64, _ []int32) {
	r.Marginals(p, a, w, k, x, i)
}

func (oneSided) Scatter2(sum []float64, a float64, w, x []float64, i, j []int32) {
	for n := range w {
		sum[i[n]] += a * w[n] * x[j[n]]
	}
}

// greedy overwrites its operands.
type greedy struct{ semiring.Real }

func (r greedy) Marginals2(p []float64, a float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
	r.Real.Marginals2(p, a, w, k, x, i, y, j)
	clear(y)
}

func (r greedy) Scatter2(sum []float64, a float64, w, x []float64, i, j []int32) {
	r.Real.Scatter2(sum, a, w, x, i, j)
	clear(x)
}

// unlawful claims no laws.
type unlawful struct{ semiring.Real }

func (unlawful) Laws() semiring.Laws { return 0 }

func TestBrokenMarginals2AndScattersAreCaught(t *testing.T) {
	gen := func(r *rand.Rand) float64 { return float64(r.IntN(5)) }
	for _, test := range []struct {
		ring semiring.Semiring[float64]
		law  string
	}{
		{oneSided{}, "Marginals2 = mass of a ⊗ w[k] ⊗ x[i] ⊗ y[j]"},
		{oneSided{}, "Scatter2 adds a ⊗ w ⊗ x[j] to sum[i] and a ⊗ w ⊗ x[i] to sum[j]"},
		{greedy{}, "Marginals2 leaves its operands alone"},
		{greedy{}, "Scatter2 leaves its operands alone"},
		{unlawful{}, "Scatterer: the ring claims to be Commutative"},
	} {
		if err := semiringtest.Check(test.ring, gen, nil); !names(err, test.law) {
			t.Errorf("%T: %s is broken, and found is:\n%v", test.ring, test.law, err)
		}
	}
}
