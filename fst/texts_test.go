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

// A text may be several strings of names, and several outputs may be one text: the weight of a
// pair of texts is the sum over all that they may be.
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

// namings returns all strings of labels whose names make a text.
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

// Names of several characters stand in a text as they are.
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
