package rx_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// otherExpressions makes random expressions over a, b and what else there is, in our syntax and in
// foma's.
type otherExpressions struct{ *rand.Rand }

func (r otherExpressions) one(of ...both) both { return of[r.IntN(len(of))] }

func (r otherExpressions) symbols() both {
	return r.one(both{"a", "a"}, both{"b", "b"}, both{".", "?"}, both{".", "?"}, both{"[^a]", `\a`}, both{"[^ab]", `\[a|b]`})
}

// acceptor returns an expression that writes what it reads.
func (r otherExpressions) acceptor(depth int) both {
	if depth == 0 {
		return r.symbols()
	}
	x, y := r.acceptor(depth-1), r.acceptor(depth-1)
	switch r.IntN(8) {
	case 0:
		return both{"(" + x.rx + " | " + y.rx + ")", "[" + x.foma + " | " + y.foma + "]"}
	case 1:
		return both{"(" + x.rx + " & " + y.rx + ")", "[" + x.foma + " & " + y.foma + "]"}
	case 2:
		return both{"(" + x.rx + " - " + y.rx + ")", "[" + x.foma + " - " + y.foma + "]"}
	case 3:
		return both{"(~(" + x.rx + "))", "[~[" + x.foma + "]]"}
	case 4:
		return both{"(" + x.rx + "){0,2}", "[" + x.foma + "]^{0,2}"}
	default:
		return both{"(" + x.rx + " " + y.rx + ")", "[" + x.foma + " " + y.foma + "]"}
	}
}

// relation returns any expression.
func (r otherExpressions) relation(depth int) both {
	if depth == 0 {
		s, letter := r.symbols(), r.one(both{"a", "a"}, both{"b", "b"}, both{"()", "0"})
		return r.one(s, both{"(" + s.rx + ":" + letter.rx + ")", "[" + s.foma + ":" + letter.foma + "]"}, both{"(():a)", "[0:a]"})
	}
	x, y := r.relation(depth-1), r.relation(depth-1)
	switch r.IntN(8) {
	case 0:
		return both{"(" + x.rx + " | " + y.rx + ")", "[" + x.foma + " | " + y.foma + "]"}
	case 1:
		return both{"(" + x.rx + "){0,2}", "[" + x.foma + "]^{0,2}"}
	case 2:
		return both{"(" + x.rx + " >> " + y.rx + ")", "[" + x.foma + " .o. " + y.foma + "]"}
	case 3:
		return r.acceptor(depth)
	case 4:
		return both{"(" + x.rx + ")^min", x.foma}
	case 5:
		z := r.symbols()
		return both{"(" + z.rx + ":a / b __)", "[" + z.foma + " -> a || b _ ]"}
	default:
		return both{"(" + x.rx + " " + y.rx + ")", "[" + x.foma + " " + y.foma + "]"}
	}
}

// words returns all strings of at most three of the letters.
func words(letters string) []string {
	all := []string{""}
	for first, n := 0, 0; n < 3; n++ {
		last := len(all)
		for _, w := range all[first:last] {
			for _, l := range letters {
				all = append(all, w+string(l))
			}
		}
		first = last
	}
	return all
}

// outputs returns what f makes of a word, with weights, in order.
func outputs[W any](t *testing.T, f fst.Machine[W], word string) []string {
	t.Helper()
	var all []string
	for out, err := range fst.ApplyText(f, word, nil) {
		if err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		all = append(all, fmt.Sprintf("%s %v", out.Text, out.Weight))
	}
	slices.Sort(all)
	return all
}

// With the symbol for all others, expressions mean what they mean with an alphabet that has all
// symbols of the text: the same outputs with the same weights.
func TestOther(t *testing.T) {
	texts := words("abyz")
	compared, refused := 0, 0
	for seed := range uint64(400) {
		e := otherExpressions{fsttest.Rand(seed)}.relation(2)
		parsed, err := rx.Parse(e.rx)
		if err != nil {
			t.Fatalf("%s: %v", e.rx, err)
		}
		whole, errWhole := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b", "y", "z")).Compile(parsed)
		f, err := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("b", fst.OtherName, "a")).Compile(parsed)
		if (err == nil) != (errWhole == nil) {
			t.Fatalf("%s: %v, with all symbols %v", e.rx, err, errWhole)
		}
		if err != nil {
			refused++
			continue
		}
		for _, w := range texts {
			if got, want := outputs(t, f, w), outputs(t, whole, w); !slices.Equal(got, want) {
				t.Fatalf("%s makes %v of %q, with all symbols %v", e.rx, got, w, want)
			}
			compared += 1
		}
	}
	if refused > 100 || compared < 20_000 {
		t.Errorf("%d refused, %d compared", refused, compared)
	}
}

// Foma's ? is a dot, where the alphabet has the symbol for all others.
func TestOtherOfFoma(t *testing.T) {
	texts := slices.DeleteFunc(words("aby"), func(w string) bool { return w == "" })
	var all []both
	var compiled []*fst.FST[bool]
	for seed := uint64(1000); len(all) < 60; seed++ {
		e := otherExpressions{fsttest.Rand(seed)}.relation(2)
		if strings.Contains(e.rx, "/") {
			continue // rules have a test of their own
		}
		f, err := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b", fst.OtherName)).Compile(rx.MustParse(e.rx))
		if err != nil || f.NumStates() == 0 {
			continue // foma fails for a machine without paths
		}
		all, compiled = append(all, e), append(compiled, f)
	}
	copied := 0
	for i, answers := range foma(t, all, texts) {
		for j, want := range answers {
			var got []string
			for out, err := range fst.ApplyText(compiled[i], texts[j], nil) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, out.Text)
				if strings.Contains(out.Text, "y") {
					copied++
				}
			}
			slices.Sort(got)
			if want = slices.DeleteFunc(want, func(w string) bool { return w == "???" }); !slices.Equal(got, want) {
				t.Errorf("%s makes %q of %q, foma's %s makes %q", all[i].rx, got, texts[j], all[i].foma, want)
			}
		}
	}
	if copied < 150 {
		t.Errorf("a symbol without a name was copied to %d outputs", copied)
	}
}

// Expressions that would write an unnamed symbol are rejected.
func TestOtherRefused(t *testing.T) {
	c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b", fst.OtherName))
	for _, text := range []string{
		"a:.", ".:.", "[^ab]:[^ab]", "():.", "(.:b)^inv", "'@_IDENTITY_SYMBOL_@':'@_IDENTITY_SYMBOL_@'", "(a b):(a .)",
		"(. b):(. b)", "a:b | (b:.) | a", "(a:.) >> (.:a)", "{@x in .: @x a @x}", "a / (a:.) __",
	} {
		e, err := rx.Parse(text)
		if err != nil {
			continue
		}
		if _, err := c.Compile(e); !errors.Is(err, rx.ErrInvalid) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if f, err := c.Compile(rx.MustParse("((.:b)^inv)^out")); err != nil || len(outputs(t, f, "y")) != 1 {
		t.Errorf("what is read is not written: %v", err)
	}
	wrong := fst.FromPair(semiring.Real{}, []int32{1}, []int32{3})
	if err := c.DefineMachine("wrong", wrong); !errors.Is(err, rx.ErrInvalid) {
		t.Errorf("a machine that writes it: %v", err)
	}
}
