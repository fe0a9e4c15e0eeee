package semiring

import (
	"testing"
)

// parses reads a text as a weight of a ring, and what it means once more.
type parses struct {
	name string
	do   func(t *testing.T, text string)
}

func texter[W any](name string, s Semiring[W]) parses {
	texts, ok := As[Texter[W]](s)
	if !ok {
		panic(name)
	}
	return parses{name, func(t *testing.T, text string) {
		w, err := texts.Parse(text)
		if err != nil {
			return
		}
		written := texts.Format(w)
		again, err := texts.Parse(written)
		if err != nil {
			t.Fatalf("%s: %q is written as %q: %v", name, text, written, err)
		}
		if twice := texts.Format(again); twice != written {
			t.Fatalf("%s: %q is written as %q, then as %q", name, text, written, twice)
		}
	}}
}

// FuzzParse: what a ring reads is written so that it is read alike.
func FuzzParse(f *testing.F) {
	lex, err := Lex(Tropical{}, Tropical{})
	if err != nil {
		f.Fatal(err)
	}
	best, err := KBest(Tropical{}, 3)
	if err != nil {
		f.Fatal(err)
	}
	rings := []parses{
		texter("Real", Real{}),
		texter("Scaled", Scaled{}),
		texter("Log", Log{}),
		texter("Tropical", Tropical{}),
		texter("Viterbi", Viterbi{}),
		texter("Bottleneck", Bottleneck{}),
		texter("Boolean", Boolean{}),
		texter("Counting", Counting{}),
		texter("LeftString", LeftString{}),
		texter("Product", Product(Real{}, Boolean{})),
		texter("Lex", lex),
		texter("KBest", best),
		texter("Series", Series(Real{}, 3)),
		texter("Expectation", Expectation(Real{}, Scalar(Real{}))),
		texter("dense", Expectation(Real{}, Dense(Real{}, 2))),
	}
	for _, s := range []string{"", "0", "1", "-1.5", "1e-999", "0x1p-1074", "inf", "-inf", "NaN", "true", "1e99999", "2^-5000", "1,2", "(1,2)", "<1,2>", "[1 2]", "1 2", "1;2", "a b", "1:2", "999999999999999999999999"} {
		for i := range rings {
			f.Add(uint8(i), s)
		}
	}
	f.Fuzz(func(t *testing.T, ring uint8, text string) {
		rings[int(ring)%len(rings)].do(t, text)
	})
}
