package rx_test

import (
	"regexp"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// Of the repetitions that have begun at several positions, one represents all: a rule with limits
// that long strings reach is not much larger than the limits, and rewrites the matches of package
// regexp.
func TestRepetitionsInRules(t *testing.T) {
	for _, test := range []struct {
		rule, pattern string
		states, run   int
	}{
		{`(a [ab]{0,63} \@ a [ab]{0,63}):M /^longest __`, `a[ab]{0,63}@a[ab]{0,63}`, 3000, 80},
		{`(a [ab.]{0,31} \@ ([ab]{1,9} \.)+ [a]{2,9}):M /^longest __`, `a[ab.]{0,31}@([ab]{1,9}\.)+a{2,9}`, 30_000, 8},
	} {
		c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b", "@", ".", "M"))
		c.Limit = 500_000
		f := must(c.Compile(rx.MustParse(strings.ReplaceAll(test.rule, "[ab.]", `[ab\.]`))))(t)
		if f.NumStates() > test.states {
			t.Errorf("%s: %d states, want at most %d", test.rule, f.NumStates(), test.states)
		}
		pattern := regexp.MustCompile(test.pattern)
		pattern.Longest()
		r, changed := fsttest.Rand(1), 0
		for range 100 {
			var b strings.Builder
			for range 1 + r.IntN(7) {
				for range r.IntN(test.run) {
					b.WriteByte("aaab"[r.IntN(4)])
				}
				b.WriteByte("@@..b"[r.IntN(5)])
			}
			in, got := b.String(), []string(nil)
			for out, err := range fst.ApplyText(f, in, nil) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, out.Text)
			}
			want := pattern.ReplaceAllString(in, "M")
			if len(got) != 1 || got[0] != want {
				t.Fatalf("%s makes %q of %s, want %s", test.rule, got, in, want)
			}
			if want != in {
				changed++
			}
		}
		if changed < 20 {
			t.Errorf("%s changed only %d strings", test.rule, changed)
		}
	}
}
