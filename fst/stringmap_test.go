package fst_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

func ExampleStringMap() {
	word := fst.RuneLabels
	f, err := fst.Expand(fst.StringMap(semiring.Real{}, []fst.Path[float64]{
		{In: word("cat"), Out: word("Katze"), Weight: 1},
		{In: word("car"), Out: word("Karre"), Weight: .25},
		{In: word("car"), Out: word("Auto"), Weight: .75},
	}), nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(f.NumStates(), "states")
	for p := range f.Paths() {
		fmt.Println(string(p.In), string(p.Out), p.Weight)
	}
	// Output:
	// 13 states
	// car Auto 0.75
	// car Karre 0.25
	// cat Katze 1
}

// The relation of a map is the sum of its pairs, and no two arcs of a state are alike.
func TestStringMap(t *testing.T) {
	ring := semiring.Semiring[fsttest.Series](fsttest.Bags{Max: 100})
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		draw := func() []int32 {
			labels := make([]int32, r.IntN(4))
			for i := range labels {
				labels[i] = r.Int32N(3)
			}
			return labels
		}
		want := fsttest.Relation{}
		paths := make([]fst.Path[fsttest.Series], r.IntN(12))
		for i := range paths {
			paths[i] = fst.Path[fsttest.Series]{In: draw(), Out: draw(), Weight: fsttest.Letter(i)}
			for p, w := range fsttest.RelationOf(fst.FromPair(ring, paths[i].In, paths[i].Out)) {
				want.Add(p, ring.Times(w, paths[i].Weight))
			}
		}
		f := must(fst.Expand(fst.StringMap(ring, paths), nil))(t)
		if d := fsttest.Diff(fsttest.RelationOf(f), want); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		for s := range int32(f.NumStates()) {
			seen := map[[2]int32]bool{}
			for _, a := range f.AppendArcs(nil, s) {
				if labels := [2]int32{a.In, a.Out}; seen[labels] {
					t.Fatalf("seed %d: state %d has two arcs %v", seed, s, labels)
				} else {
					seen[labels] = true
				}
			}
		}
	}
	for _, p := range []fst.Path[float64]{{In: []int32{-1}}, {Out: []int32{1, -2}}, {Weight: math.NaN()}} {
		if _, err := fst.Expand(fst.StringMap(semiring.Real{}, []fst.Path[float64]{p}), nil); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// levenshtein is the recursion by the last labels.
func levenshtein(x, y string) int {
	switch {
	case x == "" || y == "":
		return len(x) + len(y)
	case x[len(x)-1] == y[len(y)-1]:
		return levenshtein(x[:len(x)-1], y[:len(y)-1])
	}
	a, b := x[:len(x)-1], y[:len(y)-1]
	return 1 + min(levenshtein(a, y), levenshtein(x, b), levenshtein(a, b))
}

func TestEdits(t *testing.T) {
	tropical := semiring.Tropical{}
	unit := fst.Edits[semiring.Cost]{Replace: 1, Delete: 1, Insert: 1}
	letters := fst.RuneLabels("abc")
	all := must(fst.Expand(unit.Machine(tropical, letters, letters), nil))(t)
	r := fsttest.Rand(1)
	draw := func() string {
		b := make([]byte, r.IntN(6))
		for i := range b {
			b[i] = 'a' + byte(r.IntN(3))
		}
		return string(b)
	}
	distance := func(edits *fst.FST[semiring.Cost], x, y string) semiring.Cost {
		return must(fst.Weight(edits, fst.RuneLabels(x), fst.RuneLabels(y), nil))(t)
	}
	within := make([]*fst.FST[semiring.Cost], 4)
	for limit := range within {
		within[limit] = must(fst.Expand(unit.Within(tropical, letters, letters, limit), nil))(t)
	}
	for range 200 {
		x, y := draw(), draw()
		want := levenshtein(x, y)
		if got := distance(all, x, y); got != semiring.Cost(want) {
			t.Fatalf("%q, %q: %v edits, want %d", x, y, got, want)
		}
		for limit, f := range within {
			got := distance(f, x, y)
			if want <= limit && got != semiring.Cost(want) || want > limit && got != tropical.Zero() {
				t.Fatalf("%q, %q: %v edits within %d, want %d", x, y, got, limit, want)
			}
		}
	}
	_, err := fst.Expand(unit.Within(tropical, letters, letters, -1), nil)
	_, zero := fst.Expand(unit.Machine(tropical, []int32{0}, nil), nil)
	_, twice := fst.Expand(unit.Machine(tropical, nil, []int32{5, 5}), nil)
	for _, err := range []error{err, zero, twice} {
		if !errors.Is(err, fst.ErrInvalid) {
			t.Error(err)
		}
	}
}

func TestUTF8(t *testing.T) {
	ring := semiring.Real{}
	f := must(fst.Expand(fst.UTF8(ring, []rune("añ€𝄞日本a")), nil))(t)
	for _, text := range []string{"", "a", "ñ€a", "日本𝄞𝄞"} {
		for _, back := range []bool{false, true} {
			m, x, y := f, fst.ByteLabels(text), fst.RuneLabels(text)
			if back {
				m, x, y = fsttest.Frozen(fst.Invert(f)), y, x
			}
			if n := must(fst.Weight(m, x, y, nil))(t); n != 1 {
				t.Errorf("%q: %v paths", text, n)
			}
		}
	}
	if all := take(t, 1, fst.Apply(f, fst.ByteLabels("\xff"), nil)); len(all) > 0 {
		t.Errorf("a byte that begins no character is read: %v", all)
	}
	for _, r := range []rune{0, -1, 0xd800, 0x110000} {
		if _, err := fst.Expand(fst.UTF8(ring, []rune{'a', r}), nil); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("%U: %v", r, err)
		}
	}
}
