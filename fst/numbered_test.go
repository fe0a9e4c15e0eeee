package fst_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// twoWays is a transducer with two paths that read 1 2 and write 3 4 with these weights.
func twoWays[W any](t *testing.T, ring semiring.Semiring[W], a, b W) *fst.FST[W] {
	x := fst.NewBuilder(ring)
	s := x.AddStates(4)
	x.AddStart(s, ring.One())
	x.AddArc(s, fst.Arc[W]{In: 1, Out: 3, Weight: a, To: s + 1})
	x.AddArc(s, fst.Arc[W]{In: 1, Out: 3, Weight: b, To: s + 2})
	x.AddArc(s+1, fst.Arc[W]{In: 2, Out: 4, Weight: a, To: s + 3})
	x.AddArc(s+2, fst.Arc[W]{In: 2, Out: 4, Weight: b, To: s + 3})
	x.SetFinal(s+3, ring.One())
	return must(x.Freeze())(t)
}

// withoutDivision is a ring whose weights cannot be divided.
type withoutDivision struct{ semiring.Semiring[float64] }

// TestErrorsOfTransducers: they speak of the user's ring and weights, not of those that the
// operations on transducers compute with.
func TestErrorsOfTransducers(t *testing.T) {
	small := twoWays(t, reals, 1, 1e-200)
	plain := twoWays[float64](t, withoutDivision{reals}, 0.5, 0.25)
	for _, operation := range []struct {
		name string
		of   func(f *fst.FST[float64]) error
	}{
		{"Determinize", func(f *fst.FST[float64]) error { return fst.Err(fst.Determinize(f, nil)) }},
		{"DeterminizeAll", func(f *fst.FST[float64]) error { _, err := fst.DeterminizeAll(f, nil); return err }},
		{"Disambiguate", func(f *fst.FST[float64]) error { _, err := fst.Disambiguate(f, nil); return err }},
	} {
		if err := operation.of(plain); !errors.Is(err, semiring.ErrCapability) || !strings.Contains(err.Error(), ": fst_test.withoutDivision is no semiring.Divider") {
			t.Errorf("%s: without division: %v", operation.name, err)
		}
		err := operation.of(small)
		text := "is {4 0}, out of the range of semiring.Real"
		if operation.name == "DeterminizeAll" { // a path without weight is none
			text = strings.Replace(text, "{4 0}", "[]", 1)
		}
		if !errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: out of range: %v", operation.name, err)
		}
	}
}
