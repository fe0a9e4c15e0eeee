package privacy

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// wants returns a check of an error and of the value that comes with it, which must be zero.
func wants(t *testing.T, what string, want error) func(any, error) {
	t.Helper()
	return func(_ any, err error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
}

var bad = []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e-300}

func TestBadConfigurations(t *testing.T) {
	d := must(NewDomain(Range{0, 1}, Range{0, 1}))
	for _, e := range bad {
		for _, c := range []Calibration{Published, Tight} {
			wants(t, "ε", ErrInvalid)(NewCoordinateRelease(d, nil, e, c))
			wants(t, "ε", ErrInvalid)(NewPerValue(d, e, c))
		}
		wants(t, "ε", ErrInvalid)(NewRandomizedResponse(2, nil, e))
		if e != 1e-300 {
			wants(t, "budget", ErrInvalid)(NewLedger[string](e))
		}
	}
	for _, p := range [][]float64{{1, 0}, {1.5, -.5}, {math.NaN(), 1}, {math.Inf(1), 1}, {.5, .4}, {1, 1e-30}} {
		wants(t, "p", ErrInvalid)(NewCoordinateRelease(d, p, 1, Tight))
		wants(t, "u", ErrInvalid)(NewRandomizedResponse(2, p, 1))
	}
	wants(t, "three for two", ErrInvalid)(NewCoordinateRelease(d, []float64{.2, .3, .5}, 1, Tight))
	wants(t, "three for two", ErrInvalid)(NewRandomizedResponse(2, []float64{.2, .3, .5}, 1))
	for _, groups := range [][][]int{nil, {{0, 1}, {}}, {{0, 1, 0}}, {{0, 2}}, {{-1}}} {
		wants(t, "groups", ErrInvalid)(NewGroupRelease(d, groups, nil, 1, Tight))
	}
	wants(t, "two for one", ErrInvalid)(NewGroupRelease(d, [][]int{{0, 1}}, []float64{.5, .5}, 1, Tight))
	wants(t, "optimized for dense ones", ErrInvalid)(NewPerValue(d, 1, Optimized))
	wants(t, "optimized for one", ErrInvalid)(NewCoordinateRelease(must(d.Sparse(1)), nil, 1, Optimized))
	wants(t, "no such calibration", ErrInvalid)(NewPerValue(d, 1, Optimized+1))
	wants(t, "no group", ErrInvalid)(NewGroupRelease(d, [][]int{{0}, {0}}, nil, 1, Tight))
	wants(t, "one category", ErrInvalid)(NewRandomizedResponse(1, nil, 1))
	wants(t, "no ranges", ErrInvalid)(NewDomain())
	for _, r := range []Range{{}, {1, 0}, {math.NaN(), 1}, {0, math.NaN()}, {0, math.Inf(1)}, {-math.MaxFloat64, math.MaxFloat64}} {
		wants(t, "range", ErrInvalid)(NewDomain(Range{0, 1}, r))
	}
	wants(t, "sparse", ErrInvalid)(d.Sparse(0))
}

func TestBadData(t *testing.T) {
	d := must(must(NewDomain(Range{0, 1}, Range{-2, 2}, Range{0, 1})).Sparse(2))
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		x           []float64
		check, clip error
	}{
		{[]float64{0, 0, 1}, nil, nil},
		{[]float64{0, 2, 1}, nil, nil},
		{[]float64{0, 2}, ErrInvalid, ErrInvalid},
		{[]float64{0, 2, nan}, ErrInvalid, ErrInvalid},
		{[]float64{0, 2.0000000000000004, 1}, ErrInvalid, nil},
		{[]float64{-1, 2, 1}, ErrInvalid, nil},
		{[]float64{-inf, inf, 1}, ErrInvalid, nil},
		{[]float64{.1, .1, .1}, ErrInvalid, ErrInvalid},
		{[]float64{inf, .1, .1}, ErrInvalid, ErrInvalid},
	} {
		if _, err := d.Check(test.x); !errors.Is(err, test.check) {
			t.Errorf("Check(%v): %v, want %v", test.x, err, test.check)
		}
		if s, err := d.Clip(test.x); !errors.Is(err, test.clip) {
			t.Errorf("Clip(%v): %v, want %v", test.x, err, test.clip)
		} else if err != nil && s.fraction != nil {
			t.Errorf("Clip(%v): statistics with an error", test.x)
		}
	}
	if _, err := d.Check([]float64{0, -3, 0}); !strings.Contains(err.Error(), "statistic 1 is -3, not in [-2, 2]") {
		t.Error(err)
	}
	clipped, ends := must(d.Clip([]float64{-inf, 9, 0})), must(d.Check([]float64{0, 2, 0}))
	for j, f := range clipped.fraction {
		if f != ends.fraction[j] {
			t.Errorf("statistic %d was clipped to %d, want %d", j, f, ends.fraction[j])
		}
	}
}

// nothing checks that no record was released, and the error.
func nothing(t *testing.T, what string, want error) func(Record, error) {
	t.Helper()
	return func(r Record, err error) {
		t.Helper()
		wants(t, what, want)(nil, err)
		if r.by != nil || r.Observation() != nil || r.Loss() != 0 || r.Private() {
			t.Errorf("%s: a record, %v", what, r.Observation())
		}
	}
}

func TestNothingIsReleased(t *testing.T) {
	ranges := []Range{{0, 1}, {0, 1}}
	d, other := must(NewDomain(ranges...)), must(NewDomain(ranges...))
	s, foreign := must(d.Check([]float64{0, 1})), must(other.Check([]float64{0, 1}))
	broken := errors.New("broken")
	for name, m := range map[string]Mechanism[Statistics]{
		"coordinate": must(NewCoordinateRelease(d, nil, 1, Tight)),
		"per value":  must(NewPerValue(d, 1, Tight)),
		"groups":     must(NewGroupRelease(d, [][]int{{1}, {0, 1}}, []float64{1e-9, 1 - 1e-9}, 1, Tight)),
	} {
		nothing(t, name+" of nothing", ErrInvalid)(m.Release(Statistics{}, nil))
		nothing(t, name+" of another domain", ErrInvalid)(m.Release(foreign, nil))
		wants(t, name+" of another domain", ErrInvalid)(m.Outcomes(foreign))
		short := FromReader(bytes.NewReader(make([]byte, 15)))
		nothing(t, name+" with too few bytes", io.ErrUnexpectedEOF)(m.Release(s, short))
		nothing(t, name+" with a broken reader", broken)(m.Release(s, FromReader(failing{broken})))
	}
	m := must(NewRandomizedResponse(3, nil, 1))
	for _, category := range []int{-1, 3} {
		nothing(t, "category", ErrInvalid)(m.Release(category, nil))
		wants(t, "category", ErrInvalid)(m.Outcomes(category))
	}
	nothing(t, "category", io.EOF)(m.Release(0, FromReader(bytes.NewReader(nil))))
	many := must(NewDomain(repeat(21, Range{0, 1})...))
	wants(t, "2^21 outcomes", ErrInvalid)(must(NewPerValue(many, 1, Tight)).Outcomes(must(many.Check(make([]float64, 21)))))
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestSources: a reader and a generator give the same records from the same bits, in any
// number, and only crypto/rand counts as private.
func TestSources(t *testing.T) {
	d := must(NewDomain(repeat(150, Range{-1, 1})...)) // more than a buffer
	s := must(d.Check(make([]float64, 150)))
	m := must(NewPerValue(d, 100, Tight))
	a, b := NotPrivate(rand.NewChaCha8([32]byte{7})), FromReader(rand.NewChaCha8([32]byte{7}))
	seen := map[string]bool{}
	for range 3 {
		x, y := must(m.Release(s, a)), must(m.Release(s, b))
		if x.Private() || y.Private() {
			t.Error("records of reproducible randomness are private")
		}
		for j, v := range x.Observation() {
			if y.Observation()[j] != v {
				t.Fatal("the same bits give different records")
			}
		}
		r := must(m.Release(s, nil))
		if !r.Private() {
			t.Error("a record of crypto/rand is not private")
		}
		seen[string(appendBits(nil, r))] = true
		seen[string(appendBits(nil, x))] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d different records of 6", len(seen))
	}
}

func appendBits(b []byte, r Record) []byte {
	for _, w := range r.bits {
		for i := range 8 {
			b = append(b, byte(w>>(8*i)))
		}
	}
	return b
}

var _ io.Reader = failing{}
