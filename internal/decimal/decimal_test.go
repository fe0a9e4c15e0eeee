package decimal_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"example.org/pathsum/internal/decimal"
)

func TestCanonical(t *testing.T) {
	for _, same := range [][]string{
		{"0", "0.0", "-0", "+0", ".0", "0.", "0e7", "-0.00E-3"},
		{"5", "5.0", "+5", "50e-1", ".5e1", "5E0", "5.e+0"},
		{"-120", "-1.2e2", "-120.000"},
		{"9007199254740992"}, {"9007199254740993"}, // one float64
		{"1e400"}, {"1e-400"}, {"0.1"}, {"1"}, {"10"}, {"-1"},
	} {
		first, _ := decimal.Canonical(same[0])
		for _, text := range same {
			if got, ok := decimal.Canonical(text); !ok || got != first {
				t.Errorf("%q: %q, %v, want %q", text, got, ok, first)
			}
		}
	}
	for _, text := range []string{"", ".", "-", "+-1", "--1", "007", "00", "-01", "e5", "1e", "1e5.5", "1e99999999999", "inf", "nan", "0x10", "1_000", "1,5", " 1", "１"} {
		if got, ok := decimal.Canonical(text); ok {
			t.Errorf("%q is the number %q", text, got)
		}
	}
}

// FuzzCanonical compares numbers with those of package big.
func FuzzCanonical(f *testing.F) {
	f.Add("1.50", "15e-1")
	f.Add("-0", "0")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okX := decimal.Canonical(a)
		y, okY := decimal.Canonical(b)
		if !okX || !okY || len(a)+len(b) > 40 || strings.ContainsAny(a+b, "eE") {
			return
		}
		var p, q big.Rat
		if _, err := fmt.Sscan(a+" "+b, &p, &q); err != nil {
			t.Fatalf("%q and %q are no numbers: %v", a, b, err)
		}
		if (x == y) != (p.Cmp(&q) == 0) {
			t.Fatalf("%q and %q: %q and %q", a, b, x, y)
		}
	})
}
