package expr

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

func TestString(t *testing.T) {
	s := New()
	a, b, half := s.Param(0), s.Param(1), s.Const(semiring.NewScaled(0.5))
	loop, _ := s.Star(s.Plus(b, One))
	quotient, _ := s.RDiv(s.Times(half, s.Times(a, a)), b)
	shared := s.Plus(s.Plus(a, a), s.Times(a, b))
	for _, test := range []struct {
		w    W
		want string
	}{
		{Zero, "0"},
		{One, "1"},
		{half, "0.5"},
		{a, "θ0"},
		{s.Times(a, b), "θ0*θ1"},
		{quotient, "0.5*θ0^2*θ1^-1"},
		{s.Plus(a, b), "θ0+θ1"},
		{shared, "2#θ0+θ0*θ1"},
		{s.Times(shared, half), "0.5*(2#θ0+θ0*θ1)"},
		{s.Times(a, loop), "θ0*star(1+θ1)"},
	} {
		if got := s.String(test.w); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
		if got, want := s.Format(test.w), strings.ReplaceAll(test.want, "θ", "$"); got != want {
			t.Errorf("Format %q, want %q", got, want)
		}
	}
	s.SetNamer(func(p int32) string { return []string{"heads", "tails"}[p] })
	if got := s.Fork().String(s.Times(a, b)); got != "heads*tails" {
		t.Errorf("named: %q", got)
	}
}

// TestStringIsShort: sharing makes expressions whose text is exponential, and
// nesting makes deep ones.
func TestStringIsShort(t *testing.T) {
	s := New()
	w := s.Param(0)
	deep := s.Param(1)
	for range 100_000 {
		deep, _ = s.Star(deep)
	}
	for range 200 {
		loop, _ := s.Star(w)
		w = s.Plus(s.Times(w, loop), w)
	}
	for _, w := range []W{w, deep} {
		got := s.String(w)
		if len(got) > 2*textLimit || !strings.HasSuffix(got, "…") || !utf8.ValidString(got) {
			t.Errorf("%d bytes: %.300s", len(got), got)
		}
	}
}

func TestParseReadsFormat(t *testing.T) {
	for seed := range uint64(trials) {
		tr := newTrial(seed, 4, 120)
		for _, w := range tr.made {
			text := tr.space.Format(w)
			if len(text) > 1<<16 {
				continue
			}
			if got, err := tr.space.Parse(text); err != nil || got != w {
				t.Fatalf("seed %d: %s read back as %s, %v", seed, text, tr.space.Format(got), err)
			}
		}
	}
	s := New()
	for _, x := range []semiring.ScaledFloat{
		semiring.NewScaled(1e300), semiring.NewScaled(-0.1), semiring.NewScaled(math.NaN()), semiring.NewScaled(math.Inf(-1)),
		semiring.NewScaled(0x1p-1070), semiring.ScaledFromLog(-123456.7), semiring.ScaledFromLog(1e9),
	} {
		for _, w := range []W{s.Const(x), s.Times(s.Const(x), s.Param(1))} {
			if got, err := s.Parse(s.Format(w)); err != nil || got != w {
				t.Errorf("%s read back as %s, %v", s.Format(w), s.Format(got), err)
			}
		}
	}
}

func TestParse(t *testing.T) {
	s := New()
	a, b := s.Param(0), s.Param(1)
	sum := s.Plus(a, b)
	sums := s.Times(sum, sum)
	inverse, _ := s.RDiv(One, s.Times(a, b))
	quotient, _ := s.RDiv(a, s.Whole(sum))
	for _, test := range []struct {
		text string
		want W
	}{
		{"0", Zero}, {"1", One}, {"$0", a}, {"$0+$1", sum}, {"$1+$0", sum}, {"$1+0+$0", sum}, {"($0+$1)", sum},
		{"0*$0", Zero}, {"$0*1", a}, {"($0*$1)^-1", inverse}, {"($0+$1)^2", sums}, {"$0+$0", s.Plus(a, a)},
		{"2#$0", s.Plus(a, a)}, {"0^0", One}, {"star(0)", One}, {"2e+1+1", s.Plus(s.Const(semiring.NewScaled(20)), One)},
		{"0.5*2", One}, {"1#$1", b}, {"0.5^-2", s.Const(semiring.NewScaled(4))},
		{"!$0+!$1", s.Untempered(sum)}, {"whole(!$0+!$1)", s.Whole(s.Untempered(sum))}, {"!0.5*!$0^2", s.Untempered(s.Times(s.Const(semiring.NewScaled(.5)), s.Times(a, a)))},
		{"whole($0+$1)^-1*$0", quotient}, {"whole(1)", One}, {"whole(0)", Zero},
	} {
		if got, err := s.Parse(test.text); err != nil || got != test.want {
			t.Errorf("%q: %s, %v; want %s", test.text, s.Format(got), err, s.Format(test.want))
		}
	}
	for _, text := range []string{
		"", " ", "$", "$x", "$-1", "$2147483648", "1+", "*", "(1", "1)", "star(", "star()", "1^", "1^x", "0^-1", "0#1", "-1#1",
		"$0 + $1", "3000000000#$0", "2147483647#$0+$0", "$0^2147483647*$0", "($0^65536)^65536", "$0$1", "nil", "^2",
		strings.Repeat("(", 1e6), strings.Repeat("!", 1e6) + "$0", strings.Repeat("whole(", 1e6),
		"!", "!0", "!1", "!($0+$1)", "!star($0)", "whole", "whole()", "whole($0",
	} {
		w, err := s.Parse(text)
		if !errors.Is(err, ErrSyntax) {
			t.Errorf("%.40q: %s, %v", text, s.Format(w), err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0.5*$1*$2^-1", "$1+2#$2", "$1*star($2+1)", "(((", "1e+9+-3", "$0^-0", "NaN*Infinity", "$0*whole(!$0+!0.5)^-1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := New()
		var w W
		var err error
		memtest.Bound(t, len(text), 400, func() { w, err = s.Parse(text) })
		if err != nil {
			return
		}
		again, err := s.Parse(s.Format(w))
		if err != nil || again != w {
			t.Errorf("%q: %q read back as %q, %v", text, s.Format(w), s.Format(again), err)
		}
	})
}
