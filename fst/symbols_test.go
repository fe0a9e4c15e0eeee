package fst_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
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
	if again := fst.NewSymbols(s.Names()...); !slices.Equal(s.Names(), []string{"a", "b", "c"}) || again.Len() != s.Len() {
		t.Errorf("names %q", s.Names())
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
	if names := s.Names(); !slices.Equal(names, []string{"one", "two", "three", "far", "last"}) {
		t.Errorf("names %q", names)
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

// Errors about arcs name their labels by the symbols of the machine.
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

// EncodeRunes and DecodeRunes are inverses, with a table and without.
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

type (
	costFST     = *fst.FST[semiring.Cost]
	costMachine = fst.Machine[semiring.Cost]
)

// labelCase holds the operands of an operation: machines whose labels are names(0), names(1),
// …, in ascending order.
type labelCase struct {
	t     *testing.T
	f, g  costFST // transducers
	p, q  costFST // acceptors
	dag   costFST // an acyclic acceptor
	names func(label int32) int32
}

func (x labelCase) alphabet(n int32) []int32 {
	var all []int32
	for l := int32(1); l <= n; l++ {
		all = append(all, x.names(l))
	}
	return all
}

// labelOperations are operations of this package and of fstio that depend on labels.
var labelOperations = map[string]func(x labelCase) (costFST, error){
	"Compose": func(x labelCase) (costFST, error) { return fst.Expand(fst.Compose(x.f, x.g), nil) },
	"Compose lazy": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Compose(fst.Compose(opaque(x.f), x.g), opaque(x.p)), nil)
	},
	"Intersect":  func(x labelCase) (costFST, error) { return fst.Expand(fst.Intersect(x.p, x.q), nil) },
	"Difference": func(x labelCase) (costFST, error) { return fst.Expand(fst.Difference(x.p, x.q, nil), nil) },
	"Complement": func(x labelCase) (costFST, error) { return fst.Expand(fst.Complement(x.p, x.alphabet(3), nil), nil) },
	"LookAhead, left": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Compose(fst.LookAhead(x.f, fst.Output), x.g), nil)
	},
	"LookAhead, right": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Compose(x.f, fst.LookAhead(x.g, fst.Input)), nil)
	},
	"Match": func(x labelCase) (costFST, error) {
		m := fst.Match(x.f, fst.Matching{Tape: fst.Output, Any: x.names(2), Rest: x.names(3), Alphabet: x.alphabet(1)})
		return fst.Expand(fst.Compose(m, x.g), nil)
	},
	"Match, failure": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Match(x.dag, fst.Matching{Any: x.names(1), Alphabet: []int32{x.names(3), x.names(2)}}), nil)
	},
	"Union":          func(x labelCase) (costFST, error) { return fst.Expand(fst.Union(x.f, x.g), nil) },
	"Concat":         func(x labelCase) (costFST, error) { return fst.Expand(fst.Concat(x.f, x.g), nil) },
	"Star":           func(x labelCase) (costFST, error) { return fst.Expand(fst.Star(x.f), nil) },
	"Reverse":        func(x labelCase) (costFST, error) { return fst.Reverse(x.f, nil) },
	"Invert":         func(x labelCase) (costFST, error) { return fst.Expand(fst.Invert(x.f), nil) },
	"ArcSortIn":      func(x labelCase) (costFST, error) { return fst.ArcSortIn(x.f, nil) },
	"ArcSortOut":     func(x labelCase) (costFST, error) { return fst.ArcSortOut(x.f, nil) },
	"ProjectOut":     func(x labelCase) (costFST, error) { return fst.Expand(fst.ProjectOut(x.f), nil) },
	"RemoveEpsilon":  func(x labelCase) (costFST, error) { return fst.Expand(fst.RemoveEpsilon(x.f), nil) },
	"Normalize":      func(x labelCase) (costFST, error) { return fst.NormalizeEpsilon(x.f, fst.Input, nil) },
	"Determinize":    func(x labelCase) (costFST, error) { return fst.Expand(fst.Determinize(x.dag, nil), nil) },
	"DeterminizeAll": func(x labelCase) (costFST, error) { return fst.DeterminizeAll(x.dag, nil) },
	"DeterminizeBest": func(x labelCase) (costFST, error) {
		return fst.DeterminizeBest(fst.Compose(x.dag, x.g), nil)
	},
	"Disambiguate": func(x labelCase) (costFST, error) { return fst.Disambiguate(x.dag, nil) },
	"PushWeights":  func(x labelCase) (costFST, error) { return fst.PushWeights(x.f, fst.TowardInitial, nil) },
	"PushLabels":   func(x labelCase) (costFST, error) { return fst.PushLabels(x.f, fst.TowardInitial, nil) },
	"Minimize": func(x labelCase) (costFST, error) {
		return fst.Minimize(fst.Determinize(x.dag, nil), nil)
	},
	"MergeBisimilar": func(x labelCase) (costFST, error) { return fst.MergeBisimilar(x.f, nil) },
	"Optimize":       func(x labelCase) (costFST, error) { return fst.Optimize(x.dag, nil) },
	"Codec": func(x labelCase) (costFST, error) {
		c := must(fst.NewCodec(costs, fst.Labels|fst.Weights))(x.t)
		return c.Decode(must(c.Encode(x.f, nil))(x.t), nil)
	},
	"Synchronize": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Synchronize(fst.Compose(x.dag, x.g), small), nil)
	},
	"Replace": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Replace(x.f, map[int32]costMachine{x.names(3): x.p}, &fst.Calls{Depth: 3}), nil)
	},
	"TopSort":         func(x labelCase) (costFST, error) { return fst.TopSort(x.dag, nil) },
	"ShortestPaths":   func(x labelCase) (costFST, error) { return fst.ShortestPaths(x.f, 20, nil) },
	"ShortestStrings": func(x labelCase) (costFST, error) { return fst.ShortestStrings(x.dag, 20, nil) },
	"PruneBeam":       func(x labelCase) (costFST, error) { return fst.PruneBeam(x.f, 1, nil) },
	"ExpandWithin": func(x labelCase) (costFST, error) {
		return fst.ExpandWithin(context.Background(), fst.Compose(x.f, x.g), 1, nil)
	},
	"Quotient": func(x labelCase) (costFST, error) {
		return fst.Quotient(x.f, make([]int32, x.f.NumStates()), nil)
	},
	"Edits": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Edits[semiring.Cost]{Replace: 1, Delete: 1, Insert: 1}.Within(costs, x.alphabet(3), x.alphabet(2), 2), nil)
	},
	"StringMap": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.StringMap(costs, []fst.Path[semiring.Cost]{{In: x.alphabet(3), Out: x.alphabet(2)}, {In: x.alphabet(2), Out: x.alphabet(1)}}), nil)
	},
	"Apply": func(x labelCase) (costFST, error) {
		var paths []fst.Path[semiring.Cost]
		for p, err := range fst.Apply(x.f, x.alphabet(2), nil) {
			if err != nil || len(paths) == 5 {
				break
			}
			paths = append(paths, p)
		}
		return fst.Expand(fst.StringMap(costs, paths), nil)
	},
	"Arena": func(x labelCase) (costFST, error) {
		a := fst.NewArena(costs)
		return fst.Connect(a.Compose(a.String(x.alphabet(3)), x.f), nil)
	},
	"text": func(x labelCase) (costFST, error) {
		var b bytes.Buffer
		if err := fstio.WriteText(&b, x.f, nil); err != nil {
			return nil, err
		}
		return fstio.ReadText(&b, costs, nil)
	},
	"binary": func(x labelCase) (costFST, error) {
		var b bytes.Buffer
		if err := fstio.WriteBinary(&b, x.f, nil); err != nil {
			return nil, err
		}
		return fstio.ReadBinary(&b, costs)
	},
	"DOT and String": func(x labelCase) (costFST, error) {
		var b bytes.Buffer
		_ = x.f.String()
		return x.f, fstio.WriteDOT(&b, x.f, nil)
	},
	"comparison": func(x labelCase) (costFST, error) {
		d := must(fst.Expand(fst.RemoveEpsilon(fst.Determinize(x.dag, nil)), nil))(x.t)
		same, err := fst.Equivalent(d, must(fst.Minimize(d, nil))(x.t), nil)
		if err == nil && !same {
			err = fmt.Errorf("minimization changes it")
		}
		if err == nil {
			same, err = fst.RandomlyEquivalent(x.f, x.f, fsttest.Rand(1), 5, nil)
		}
		if err == nil {
			same, err = fst.Isomorphic(d, d, nil)
		}
		if err == nil && !same {
			err = fmt.Errorf("a machine is not what it is")
		}
		return d, err
	},
}

// Every operation handles labels up to 2³¹−1 in the same way as small ones: the result is the
// same, and memory does not depend on the size of labels.
func TestGreatLabels(t *testing.T) {
	great := []int32{0, 5, 2_000_000_000, math.MaxInt32}
	rename := func(label int32) int32 { return great[label] }
	for seed := range trials.Seeds(12) {
		r := fsttest.Rand(seed)
		one := func(acyclic bool) costFST {
			return weighted(r, costs, fsttest.Shape{States: 5, Arcs: 12, Labels: 3, Epsilon: .2, Acyclic: acyclic},
				func() semiring.Cost { return semiring.Cost(r.IntN(16)) / 8 })
		}
		plain := labelCase{t: t, f: one(false), g: one(false), p: fsttest.Frozen(fst.ProjectIn(one(false))), names: func(l int32) int32 { return l }}
		plain.q = must(fst.Expand(fst.RemoveEpsilon(fst.ProjectIn(one(true))), nil))(t)
		plain.dag = must(fst.Expand(fst.RemoveEpsilon(fst.ProjectIn(one(true))), nil))(t)
		named := func(f costFST) costFST { return must(fst.Expand(fst.Relabel(f, rename, rename), nil))(t) }
		large := labelCase{t: t, f: named(plain.f), g: named(plain.g), p: named(plain.p), q: named(plain.q), dag: named(plain.dag), names: rename}
		for name, operation := range labelOperations {
			var got, want costFST
			var err, errWant error
			usual := memtest.Allocated(func() { want, errWant = operation(plain) })
			if memory := memtest.Allocated(func() { got, err = operation(large) }); memory > 8<<20+2*usual {
				t.Errorf("seed %d, %s: %d bytes are allocated, %d for small labels", seed, name, memory, usual)
			}
			if (err == nil) != (errWant == nil) {
				t.Errorf("seed %d, %s: %v, with small labels %v", seed, name, err, errWant)
				continue
			}
			if err != nil {
				continue
			}
			if same, err := fst.Equal(got, named(want), nil); err != nil || !same {
				t.Errorf("seed %d, %s: another machine (%v)\n%s\nwith small labels\n%s", seed, name, err, got, named(want))
			}
		}
	}
}
