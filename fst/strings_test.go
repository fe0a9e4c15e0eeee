package fst_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
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

// The relation of a map is the sum of its pairs, and the arcs of a state differ in their
// labels.
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

// levenshtein is the recursion on the last labels.
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

// Names of several characters are found in a text.
func TestApplyTextWithLongNames(t *testing.T) {
	tags := fst.NewSymbols("a", "<br>", "Noun")
	f := must(fst.Expand(fst.OneState(semiring.Tropical{}, 0,
		fst.Arc[semiring.Cost]{In: 1, Out: 3, Weight: 1}, fst.Arc[semiring.Cost]{In: 2, Out: 1, Weight: 2}), nil))(t).WithSymbols(tags, tags)
	for text, want := range map[string]string{"a<br>a": "NounaNoun", "<br>": "a", "": "", "aa": "NounNoun"} {
		best, err := fst.BestText(f, text, nil)
		if err != nil || best.Text != want {
			t.Errorf("%q becomes %q, %v, want %q", text, best.Text, err, want)
		}
	}
	for text, want := range map[string]string{
		"a<bra": `"<bra" at position 1`, "Noun<br>b": `"b" at position 8`, strings.Repeat("x", 1000): "(1000 bytes)", "<eps>": `"<eps>" at position 0`,
	} {
		_, err := fst.BestText(f, text, nil)
		if !errors.Is(err, fst.ErrSymbol) || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
	if _, err := fst.BestText(f, "Noun", nil); !errors.Is(err, graph.ErrNoPath) {
		t.Errorf("a name that the machine does not read: %v", err)
	}
	if _, err := fst.BestText(f, "a\xff", nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("not UTF-8: %v", err)
	}
	if _, err := tags.EncodeRunes("a<br>"); !errors.Is(err, fst.ErrSymbol) || !strings.Contains(err.Error(), "ApplyText") {
		t.Errorf("EncodeRunes: %v", err)
	}
	unnamed := f.WithSymbols(tags, fst.NewSymbols("a", "bb"))
	if _, err := fst.BestText(unnamed, "a", nil); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("an output without a name: %v", err)
	}
}

// A text may have several splits into names, and several outputs may give one text: the weight
// of a pair of texts is the sum over all splits.
func TestApplyTextSumsOverNames(t *testing.T) {
	table := fst.NewSymbols("a", "b", "ab", "ba", "aba")
	drawn := 0
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		b := fst.NewBuilder(reals)
		n := 1 + r.Int32N(3)
		b.AddStates(int(n))
		b.AddStart(0, 1)
		for range 3 + r.IntN(6) {
			b.AddArc(r.Int32N(n), fst.Arc[float64]{In: 1 + r.Int32N(5), Out: r.Int32N(6), To: r.Int32N(n), Weight: float64(1+r.IntN(8)) / 16})
		}
		b.SetFinal(n-1, 1)
		f := must(b.Freeze())(t).WithSymbols(table, table)
		for _, text := range []string{"a", "ab", "aba", "abab"} {
			want := map[string]float64{}
			for _, in := range namings(table, text) {
				for p, err := range fst.Apply(f, in, nil) {
					if err != nil {
						t.Fatal(err)
					}
					want[must(table.DecodeRunes(p.Out))(t)] += p.Weight
				}
			}
			got := map[string]float64{}
			last := math.Inf(1)
			for out, err := range fst.ApplyText(f, text, nil) {
				if _, twice := got[out.Text]; twice || err != nil || out.Weight > last*(1+1e-12) {
					t.Fatalf("seed %d: %q becomes %q again, or better than what came first, %v", seed, text, out.Text, err)
				}
				got[out.Text], last = out.Weight, out.Weight
			}
			if !maps.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 }) {
				t.Fatalf("seed %d: %q becomes %v, want %v by\n%s", seed, text, got, want, f)
			}
			if len(want) > 0 {
				out := must(fst.SampleText(f, text, rand.NewPCG(seed, 1), nil))(t)
				if want[out] == 0 {
					t.Errorf("seed %d: %q is drawn of %v", seed, out, want)
				}
				drawn++
			}
		}
	}
	if drawn < 50 {
		t.Errorf("only %d texts have outputs", drawn)
	}
}

// namings returns all strings of labels whose concatenated names are the text.
func namings(table *fst.Symbols, text string) [][]int32 {
	if text == "" {
		return [][]int32{nil}
	}
	var all [][]int32
	for label, name := range table.All() {
		if rest, ok := strings.CutPrefix(text, name); ok && label != fst.Epsilon {
			for _, more := range namings(table, rest) {
				all = append(all, append([]int32{label}, more...))
			}
		}
	}
	return all
}

// Names of several characters occur literally in a text.
func ExampleApplyText_names() {
	names := fst.NewSymbols("c", "a", "t", "+Noun", "+Pl", "s")
	noun, _ := names.Encode("c", "a", "t", "+Noun", "+Pl")
	cats, _ := names.Encode("c", "a", "t", "s")
	f := fst.FromPair(semiring.Tropical{}, noun, cats).WithSymbols(names, names)
	for out, err := range fst.ApplyText(f, "cat+Noun+Pl", nil) {
		fmt.Println(out.Text, err)
	}
	_, err := fst.BestText(f, "cat+Verb", nil)
	fmt.Println(err)
	// Output:
	// cats <nil>
	// fst: BestText(6 states and 5 arcs): symbols do not match: "+Verb" at position 3 has no label
}

// The best output of a text, and the error for a text without an output.
func ExampleBestText() {
	plural, err := fst.Expand(fst.StringMap(semiring.Tropical{}, []fst.Path[semiring.Cost]{
		{In: fst.RuneLabels("ox"), Out: fst.RuneLabels("oxen")},
		{In: fst.RuneLabels("ox"), Out: fst.RuneLabels("oxes"), Weight: 2},
	}), nil)
	if err != nil {
		panic(err)
	}
	best, err := fst.BestText(plural, "ox", nil)
	fmt.Println(best.Text, best.Weight, err)
	_, err = fst.BestText(plural, "cow", nil)
	fmt.Println(err)
	// Output:
	// oxen 0 <nil>
	// fst: BestText(6 states and 5 arcs): no output for "cow": graph has no path
}

// ApplyText is Apply with names, or with code points if there are no names.
func TestApplyText(t *testing.T) {
	ring := semiring.Tropical{}
	f := fst.FromPair(ring, fst.RuneLabels("né"), fst.RuneLabels("ok…"))
	strange := fst.FromPair(ring, []int32{'a'}, []int32{0xd800})
	half := fst.NewSymbols("a")
	unnamed := fst.FromPair(ring, []int32{1}, []int32{7})
	for _, test := range []struct {
		f       *fst.FST[semiring.Cost]
		in, out string
		err     error
	}{
		{f, "né", "ok…", nil},
		{f, "n", "", nil},
		{f, "n\x00é", "", fst.ErrInvalid},
		{f, "n\xffé", "", fst.ErrInvalid},
		{strange, "a", "", fst.ErrSymbol},
		{unnamed.WithSymbols(half, half), "a", "", fst.ErrSymbol},
		{unnamed.WithSymbols(half, half), "b", "", fst.ErrSymbol},
		{unnamed.WithSymbols(half, nil), "a", "\a", nil},
	} {
		got := ""
		var gotErr error
		for out, err := range fst.ApplyText(test.f, test.in, nil) {
			got, gotErr = out.Text, err
		}
		if got != test.out || !errors.Is(gotErr, test.err) {
			t.Errorf("%q became %q, %v, want %q, %v", test.in, got, gotErr, test.out, test.err)
		}
		best, err := fst.BestText(test.f, test.in, nil)
		want := test.err
		if want == nil && test.out == "" {
			want = graph.ErrNoPath
		}
		if best.Text != test.out || !errors.Is(err, want) {
			t.Errorf("the best of %q is %q, %v, want %q, %v", test.in, best.Text, err, test.out, want)
		}
	}
}

// A label without a name in the machine is an error, unlike a string with weight Zero.
func TestUnknownLabels(t *testing.T) {
	f := must(fst.Expand(fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 1, Out: 2, Weight: .5}), nil))(t)
	named := f.WithSymbols(fst.NewSymbols("a"), fst.NewSymbols("a", "b"))
	if w, err := fst.Weight(f, []int32{7}, []int32{2}, nil); w != 0 || err != nil {
		t.Errorf("without names: %g, %v", w, err)
	}
	if w, err := fst.Weight(named, []int32{1, fst.Epsilon}, []int32{2}, nil); w != .5 || err != nil {
		t.Errorf("%g, %v", w, err)
	}
	for _, c := range [][2][]int32{{{7}, {2}}, {{1, 2}, {2, 2}}, {{1}, {3}}} {
		if _, err := fst.Weight(named, c[0], c[1], nil); !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("weight of %v: %v", c, err)
		}
	}
	for _, err := range fst.Apply(named, []int32{1, 7}, nil) {
		if !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("%v", err)
		}
		return
	}
	t.Error("no error")
}

// TestSampleText: the frequencies of sampled texts match the weights of their pairs.
func TestSampleText(t *testing.T) {
	typist, err := fst.Expand(fst.OneState(semiring.Semiring[float64](semiring.Real{}), .5, // weights need not sum to 1
		fst.Arc[float64]{In: 'a', Out: 'a', Weight: .6}, fst.Arc[float64]{In: 'a', Out: 'b', Weight: 1},
		fst.Arc[float64]{In: 'a', Weight: .2}, fst.Arc[float64]{Out: 'b', Weight: .25}), nil)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 20000
	src, count := rand.NewPCG(1, 2), map[string]int{}
	lazy := fst.Compose(typist, typist) // a lazy machine
	for range draws {
		count[must2(fst.SampleText(typist, "aa", src, nil))]++
	}
	if _, err := fst.SampleText(lazy, "a", src, nil); err != nil {
		t.Error(err)
	}
	total := must2(fst.PathSum(fst.Compose(fst.FromString(typist.Semiring(), fst.RuneLabels("aa")), typist), nil))
	for out := range count {
		p := must2(fst.Weight(typist, fst.RuneLabels("aa"), fst.RuneLabels(out), nil)) / total
		if n := float64(count[out]); math.Abs(n-p*draws) > 5*math.Sqrt(p*draws)+3 {
			t.Errorf("%q was drawn %g times, want about %g", out, n, p*draws)
		}
	}
	if len(count) < 8 {
		t.Errorf("only %d texts", len(count))
	}
	one, two := must2(fst.SampleText(typist, "aaaa", rand.NewPCG(3, 3), nil)), must2(fst.SampleText(typist, "aaaa", rand.NewPCG(3, 3), nil))
	if one != two {
		t.Errorf("the same random numbers gave %q and %q", one, two)
	}
	named := typist.WithSymbols(fst.RuneSymbols("a-b"), fst.RuneSymbols("a-b"))
	for text, c := range map[string]struct {
		f     *fst.FST[float64]
		limit int
		want  error
	}{"b": {typist, 0, graph.ErrNoPath}, "x": {named, 0, fst.ErrSymbol}, "aaaaaaaa": {typist, 2, semiring.ErrLimit}} {
		if got, err := fst.SampleText(c.f, text, src, &fst.Options{Limit: c.limit}); !errors.Is(err, c.want) {
			t.Errorf("%q: %q, %v, want %v", text, got, err, c.want)
		}
	}
	if _, err := fst.SampleText(fst.OneState(semiring.Semiring[semiring.Cost](semiring.Tropical{}), 0), "", src, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without probabilities: %v", err)
	}
}

// A careless typist's versions of a word.
func ExampleSampleText() {
	typist := must2(fst.Expand(fst.OneState(semiring.Semiring[float64](semiring.Real{}), 1,
		fst.Arc[float64]{In: 'a', Out: 'a', Weight: .7}, fst.Arc[float64]{In: 'a', Weight: .3},
		fst.Arc[float64]{In: 't', Out: 't', Weight: .7}, fst.Arc[float64]{In: 't', Weight: .3}), nil))
	src := rand.NewPCG(1, 1)
	for range 3 {
		fmt.Println(must2(fst.SampleText(typist, "attatta", src, nil)))
	}
	// Output:
	// attatta
	// tatta
	// attta
}
