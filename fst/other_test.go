package fst_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// withOther returns a machine over a, th and unnamed symbols: a becomes th, th is deleted, and
// other symbols are copied or, with weight 2, become a.
func withOther(t *testing.T, in, out *fst.Symbols) *fst.FST[float64] {
	t.Helper()
	b := fst.NewBuilder(semiring.Real{})
	b.AddStart(b.AddState(), 1)
	b.SetFinal(0, 1)
	for _, a := range []fst.Arc[float64]{{In: 1, Out: 2, Weight: 1}, {In: 2, Out: 0, Weight: 1}, {In: 3, Out: 3, Weight: 1}, {In: 3, Out: 1, Weight: 2}} {
		b.AddArc(0, a)
	}
	b.SetSymbols(in, out)
	return must(b.Freeze())(t)
}

// allOutputs returns the outputs of f for a text, with weights, in order.
func allOutputs(t *testing.T, f *fst.FST[float64], text string) (all []string) {
	t.Helper()
	for out, err := range fst.ApplyText(f, text, nil) {
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		all = append(all, fmt.Sprint(out.Text, " ", out.Weight))
	}
	slices.Sort(all)
	return all
}

func TestOtherName(t *testing.T) {
	names := fst.NewSymbols("a", "th", fst.OtherName)
	f := withOther(t, names, names)
	for text, want := range map[string][]string{
		"":    {" 1"},
		"a":   {"th 1"},
		"y":   {"a 2", "y 1"},
		"yaz": {"atha 4", "athz 2", "ytha 2", "ythz 1"},
		// th is a single symbol; t and h alone have no name.
		"th": {" 1"},
	} {
		if got := allOutputs(t, f, text); !slices.Equal(got, want) {
			t.Errorf("%q makes %v, want %v", text, got, want)
		}
	}
	// thy cannot be split into names: th y and t h y are both readings of it.
	if got := allOutputs(t, f, "thy"); len(got) != 10 || !slices.Contains(got, "aaa 8") || !slices.Contains(got, "a 2") || !slices.Contains(got, "thy 1") {
		t.Errorf("thy makes %v", got)
	}
	// OtherName is not itself a symbol of texts.
	if got := must(fst.BestText(f, fst.OtherName, nil))(t); len(got.Text) != len(fst.OtherName) {
		t.Errorf("the name makes %v", got)
	}
	if names.Len() != 4 {
		t.Error("the table has changed")
	}
	lazy := fst.Compose(f, f)
	if best := must(fst.BestText(lazy, "y", nil))(t); best.Text == "y" || best.Weight != 2 {
		t.Errorf("composed with itself: %v", best)
	}
	if drawn := must(fst.SampleText(f, "y", rand.NewPCG(1, 2), nil))(t); drawn != "a" && drawn != "y" {
		t.Errorf("drawn: %q", drawn)
	}
	// Without OtherName, or with different tables for input and output, characters without
	// names are errors.
	for _, out := range []*fst.Symbols{fst.NewSymbols("a", "th", "b"), nil} {
		if _, err := fst.BestText(withOther(t, names, out), "y", nil); !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("two tables: %v", err)
		}
	}
	full := fst.NewSymbols("a", "th", fst.OtherName)
	if err := full.Set("last", 1<<31-1); err != nil {
		t.Fatal(err)
	}
	if _, err := fst.BestText(withOther(t, full, full), "y", nil); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("no label is left: %v", err)
	}
	if _, err := fst.BestText(f, "a\x00", nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a NUL: %v", err)
	}
}
