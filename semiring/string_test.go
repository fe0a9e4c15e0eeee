package semiring_test

import (
	"math"
	"slices"
	"testing"

	. "example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

func TestStringLaws(t *testing.T) {
	semiringtest.Test(t, LeftString{}, word, nil)
	semiringtest.Test(t, RightString{}, word, nil)
	semiringtest.Test(t, Gallic(Tropical{}), pairOf(word, cost), nil)
	semiringtest.Test(t, Gallic(Scaled{}), pairOf(word, scaledAnywhere), nil)
}

func TestStrings(t *testing.T) {
	w := func(labels ...int32) Word { return NewWord(labels...) }
	left, right := LeftString{}, RightString{}
	for _, c := range []struct{ a, b, prefix, suffix Word }{
		{w(1, 2, 3), w(1, 2, 4), w(1, 2), w()},
		{w(1, 2, 3), w(4, 2, 3), w(), w(2, 3)},
		{w(256), w(257), w(), w()}, // three bytes in common
		{w(1), w(0x2000001), w(), w()},
		{w(-1), w(-1, -1), w(-1), w(-1)},
		{w(), w(5), w(), w()},
		{Word{}, w(5), w(5), w(5)},
		{Word{}, Word{}, Word{}, Word{}},
	} {
		if got := left.Plus(c.a, c.b); got != c.prefix {
			t.Errorf("%v and %v have the prefix %v, want %v", c.a, c.b, got, c.prefix)
		}
		if got := right.Plus(c.a, c.b); got != c.suffix {
			t.Errorf("%v and %v have the suffix %v, want %v", c.a, c.b, got, c.suffix)
		}
		// A sum divides its summands, from its side.
		if x, ok := left.LDiv(c.prefix, c.a); ok != c.prefix.Finite() || ok && left.Times(c.prefix, x) != c.a {
			t.Errorf("%v\\%v = %v, %v", c.prefix, c.a, x, ok)
		}
		if x, ok := right.RDiv(c.a, c.suffix); ok != c.suffix.Finite() || ok && right.Times(x, c.suffix) != c.a {
			t.Errorf("%v/%v = %v, %v", c.a, c.suffix, x, ok)
		}
		// Reversal takes one ring to the other.
		if left.Plus(c.a, c.b).Reverse() != right.Plus(c.a.Reverse(), c.b.Reverse()) ||
			left.Times(c.a, c.b).Reverse() != right.Times(c.b.Reverse(), c.a.Reverse()) {
			t.Errorf("%v and %v read backwards", c.a, c.b)
		}
	}
	if _, ok := left.LDiv(w(1, 2), w(1, 3)); ok {
		t.Error("12 is a prefix of 13")
	}
	if got := w(7, -8, math.MaxInt32).Labels(); !slices.Equal(got, []int32{7, -8, math.MaxInt32}) {
		t.Errorf("labels %v", got)
	}
	if (Word{}).Finite() || (Word{}).Len() != 0 || !left.IsZero(Word{}) || left.IsZero(w()) {
		t.Error("the zero value is not 0̄")
	}
	for _, bad := range []string{"", "_", "1__2", "x", "99999999999", "epsilon"} {
		if got, err := (LeftString{}).Parse(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

func TestSides(t *testing.T) {
	if got := Distributes(LeftString{}); got != LeftSide {
		t.Errorf("LeftString distributes from %v", got)
	}
	if got := Distributes(Gallic(Tropical{})); got != LeftSide {
		t.Errorf("Gallic distributes from %v", got)
	}
	if got := Distributes(Product(LeftString{}, RightString{})); got != 0 {
		t.Errorf("a product distributes from %v", got)
	}
	if got := Distributes(Expectation(LeftString{}, Scalar(LeftString{}))); got != LeftSide {
		t.Errorf("an expectation distributes from %v", got)
	}
	if got := Distributes(Real{}); got != BothSides {
		t.Errorf("Real distributes from %v", got)
	}
}
