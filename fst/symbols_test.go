package fst_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
)

func TestSymbols(t *testing.T) {
	s := fst.NewSymbols("a", "b", "a")
	if s.Len() != 3 {
		t.Errorf("%d names, want 3", s.Len())
	}
	if l, ok := s.Find("b"); !ok || l != 2 {
		t.Errorf("b has label %d, %t", l, ok)
	}
	if name, ok := s.Name(0); !ok || name != fst.EpsilonName {
		t.Errorf("0 has name %q, %t", name, ok)
	}
	for _, label := range []int32{-1, 3, math.MaxInt32} {
		if name, ok := s.Name(label); ok {
			t.Errorf("%d has name %q", label, name)
		}
	}
	if l := s.Add("c"); l != 3 {
		t.Errorf("c has label %d", l)
	}
	if l := s.Add("a"); l != 1 {
		t.Errorf("a has label %d", l)
	}
	labels, err := s.Encode("c", "a")
	if err != nil || !slices.Equal(labels, []int32{3, 1}) {
		t.Errorf("labels %v, %v", labels, err)
	}
	if _, err := s.Encode("a", "x"); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("unknown name: %v", err)
	}
	if labels, err := s.EncodeRunes("cab"); err != nil || !slices.Equal(labels, []int32{3, 1, 2}) {
		t.Errorf("labels %v, %v", labels, err)
	}
	names, err := s.Decode([]int32{2, 0})
	if err != nil || !slices.Equal(names, []string{"b", "<eps>"}) {
		t.Errorf("names %v, %v", names, err)
	}
	if _, err := s.Decode([]int32{2, 9}); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("unknown label: %v", err)
	}
}

func TestSymbolsSet(t *testing.T) {
	var s fst.Symbols
	for _, x := range []struct {
		name  string
		label int32
	}{{"far", 1_000_000}, {"two", 2}, {"zero", 0}, {"one", 1}, {"two", 2}, {"three", 3}, {"last", math.MaxInt32}} {
		if err := s.Set(x.name, x.label); err != nil {
			t.Fatal(err)
		}
	}
	var order []int32
	for label, name := range s.All() {
		order = append(order, label)
		if got, ok := s.Find(name); !ok || got != label {
			t.Errorf("%q has label %d, %t, want %d", name, got, ok, label)
		}
		if got, ok := s.Name(label); !ok || got != name {
			t.Errorf("%d has name %q, %t, want %q", label, got, ok, name)
		}
	}
	if !slices.Equal(order, []int32{0, 1, 2, 3, 1_000_000, math.MaxInt32}) {
		t.Errorf("labels %v", order)
	}
	for _, x := range []struct {
		name  string
		label int32
	}{{"new", -1}, {"two", 4}, {"new", 2}, {"new", 1_000_000}} {
		if err := s.Set(x.name, x.label); !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("%q for %d: %v", x.name, x.label, err)
		}
	}
	if s.Len() != len(order) {
		t.Errorf("%d names, want %d", s.Len(), len(order))
	}
	defer func() {
		if recover() == nil {
			t.Error("a label beyond 2³¹−1 was added")
		}
	}()
	s.Add("beyond")
}

func TestSymbolsEqual(t *testing.T) {
	var nothing *fst.Symbols
	a, b := fst.NewSymbols("a", "b"), fst.NewSymbols("a", "b")
	if !nothing.Equal(nil) || nothing.Equal(a) || a.Equal(nil) || !a.Equal(a) || !a.Equal(b) {
		t.Error("equality is wrong")
	}
	b.Add("c")
	if a.Equal(b) || b.Equal(a) || a.Equal(fst.NewSymbols("b", "a")) {
		t.Error("different tables are equal")
	}
}

// Errors about arcs name their labels as the machine does.
func TestErrorsNameLabels(t *testing.T) {
	names := fst.NewSymbols("go", "went")
	f := fst.FromPair(reals, []int32{1}, []int32{2}).WithSymbols(names, names)
	if err := fst.Err(fst.Intersect(f, f)); !strings.Contains(fmt.Sprint(err), `reads "go" and writes "went"`) {
		t.Errorf("no acceptor: %v", err)
	}
	if err := fst.Err(fst.Intersect(f.WithSymbols(nil, nil), f)); !strings.Contains(fmt.Sprint(err), "reads 1 and writes 2") {
		t.Errorf("no acceptor, labels without names: %v", err)
	}
	joined := fst.RemoveEpsilon(fst.Concat(fst.FromString(reals, []int32{2}).WithSymbols(names, names), fst.Union(f, f)))
	if _, err := fst.Minimize(joined, nil); !errors.Is(err, fst.ErrNondeterministic) || !strings.Contains(err.Error(), `read "go"`) {
		t.Errorf("two arcs: %v", err)
	}
}

func TestRuneSymbols(t *testing.T) {
	for set, want := range map[string]string{
		"":               "",
		"a":              "a",
		"a-c":            "abc",
		"-a":             "-a",
		"a-":             "-a",
		"a-c-e":          "-abce",
		"0-9 é":          " 0123456789é",
		"b-ba-c":         "abc",
		"\u30a1-\u30a3-": "-\u30a1\u30a2\u30a3",
		"\ud7fe-\ue001":  "\ud7fe\ud7ff\ue000\ue001", // no surrogates
	} {
		table := fst.RuneSymbols(set)
		var got []rune
		for label, name := range table.All() {
			if label == fst.Epsilon {
				continue
			}
			if name != string(label) {
				t.Errorf("%q: label %d is %q", set, label, name)
			}
			got = append(got, label)
		}
		if string(got) != want {
			t.Errorf("%q: %q, want %q", set, string(got), want)
		}
	}
	for _, set := range []string{"b-a", "\xff", "a\x00"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q: no panic", set)
				}
			}()
			fst.RuneSymbols(set)
		}()
	}
}

// EncodeRunes and DecodeRunes undo each other, with a table and without.
func TestRunes(t *testing.T) {
	for _, table := range []*fst.Symbols{nil, fst.RuneSymbols("a-zé"), fst.NewSymbols("é", "b", "a")} {
		labels, err := table.EncodeRunes("abé")
		if err != nil || len(labels) != 3 {
			t.Fatal(labels, err)
		}
		withEpsilon := append([]int32{fst.Epsilon}, labels...)
		if text, err := table.DecodeRunes(withEpsilon); err != nil || text != "abé" {
			t.Errorf("%q, %v", text, err)
		}
		for _, bad := range []string{"a\x00", "\xff"} {
			if _, err := table.EncodeRunes(bad); !errors.Is(err, fst.ErrInvalid) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if _, err := table.DecodeRunes([]int32{0xd800}); !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("a surrogate: %v", err)
		}
	}
	if _, err := fst.RuneSymbols("a-z").EncodeRunes("abé"); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("%v", err)
	}
}
