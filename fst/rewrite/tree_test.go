package rewrite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// How c is spoken depends on the next letter.
func ExampleTreeRules() {
	ring := semiring.Real{}
	to := func(s string, w float64) rewrite.Output[float64] {
		return rewrite.Output[float64]{Labels: fst.RuneLabels(s), Weight: w}
	}
	c := &rewrite.Tree[float64]{
		Distance: 1, Labels: fst.RuneLabels("ei"),
		Yes: &rewrite.Tree[float64]{Outputs: []rewrite.Output[float64]{to("s", 1)}},
		No:  &rewrite.Tree[float64]{Outputs: []rewrite.Output[float64]{to("k", .875), to("tʃ", .125)}},
	}
	o := &rewrite.Options[float64]{Alphabet: fst.RuneLabels("aceirt"), Begin: '^', End: '$', Direction: rewrite.Simultaneous}
	rules, err := rewrite.TreeRules(ring, 'c', c, o)
	if err != nil {
		panic(err)
	}
	f, err := rewrite.Compile(rules, o)
	if err != nil {
		panic(err)
	}
	for _, word := range []string{"ice", "arctic"} {
		for p, err := range fst.Apply(f, fst.RuneLabels(word), nil) {
			if err != nil {
				panic(err)
			}
			fmt.Println(word, string(p.Out), p.Weight)
		}
	}
	// Output:
	// ice ise 1
	// arctic arktik 0.765625
	// arctic artʃtik 0.109375
	// arctic arktitʃ 0.109375
	// arctic artʃtitʃ 0.015625
}

// randomTree returns a tree of at most a depth.
func randomTree(r *rand.Rand, depth int, letter *int) *rewrite.Tree[series] {
	if depth == 0 || r.IntN(4) == 0 {
		t := new(rewrite.Tree[series])
		for range 1 + r.IntN(2) {
			out := make([]int32, r.IntN(3))
			for i := range out {
				out[i] = 1 + r.Int32N(3)
			}
			t.Outputs = append(t.Outputs, rewrite.Output[series]{Labels: out, Weight: fsttest.Letter(*letter)})
			*letter++
		}
		return t
	}
	t := &rewrite.Tree[series]{Distance: []int{-2, -1, 1, 2}[r.IntN(4)]}
	for _, x := range []int32{1, 2, 3, begin, end} {
		if r.IntN(2) == 0 {
			t.Labels = append(t.Labels, x)
		}
	}
	t.Yes, t.No = randomTree(r, depth-1, letter), randomTree(r, depth-1, letter)
	return t
}

// A string is rewritten label by label, by asking the trees.
func TestTreeRules(t *testing.T) {
	ring := semiring.Semiring[series](fsttest.Bags{Max: 40})
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		o := &rewrite.Options[series]{Alphabet: alphabet, Direction: rewrite.Simultaneous}
		named := seed%3 > 0 // else a question about what lies beyond an end is answered by no
		if named {
			o.Begin, o.End = begin, end
		}
		letter := 0
		trees := map[int32]*rewrite.Tree[series]{1: randomTree(r, 4, &letter), 3: randomTree(r, 3, &letter)}
		var rules []rewrite.Rule[series]
		for _, label := range []int32{1, 3} {
			more, err := rewrite.TreeRules(ring, label, trees[label], o)
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, more...)
		}
		f, err := rewrite.Compile(rules, o)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			x := make([]int32, r.IntN(6))
			for i := range x {
				x[i] = 1 + r.Int32N(3)
			}
			at := func(i int) int32 {
				switch {
				case i >= 0 && i < len(x):
					return x[i]
				case !named:
					return 0
				case i < 0:
					return begin
				}
				return end
			}
			want := fsttest.Unit(ring)
			for i, label := range x {
				leaf := trees[label]
				if leaf == nil { // copied
					leaf = &rewrite.Tree[series]{Outputs: []rewrite.Output[series]{{Labels: []int32{label}, Weight: ring.One()}}}
				}
				for leaf.Yes != nil {
					if slices.Contains(leaf.Labels, at(i+leaf.Distance)) {
						leaf = leaf.Yes
					} else {
						leaf = leaf.No
					}
				}
				one := fsttest.Relation{}
				for _, out := range leaf.Outputs {
					one.Add(fsttest.Pair{In: fsttest.String(label), Out: fsttest.String(out.Labels...)}, out.Weight)
				}
				want = fsttest.Product(ring, want, one)
			}
			all, err := fst.Connect(fst.Compose(fst.FromString(ring, x), f), nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := fsttest.Diff(fsttest.RelationOf(all), want); d != "" {
				t.Fatalf("seed %d, %v: %s", seed, x, d)
			}
		}
	}
}

// Without labels for the ends, the next label of the last one is not b.
func TestTreeRulesAtTheEnds(t *testing.T) {
	ring := semiring.Boolean{}
	leaf := func(label int32) *rewrite.Tree[bool] {
		return &rewrite.Tree[bool]{Outputs: []rewrite.Output[bool]{{Labels: []int32{label}, Weight: true}}}
	}
	for distance, want := range map[int]map[string]string{
		1:  {"a": "4", "aa": "44", "ab": "3b", "aba": "3b4"},
		-1: {"a": "4", "aa": "44", "ba": "b3", "aba": "4b3"},
		-2: {"a": "4", "aa": "44", "bba": "bb3", "aba": "4b4"},
	} {
		tree := &rewrite.Tree[bool]{Distance: distance, Labels: fst.RuneLabels("b"), Yes: leaf('3'), No: leaf('4')}
		o := &rewrite.Options[bool]{Alphabet: fst.RuneLabels("ab"), Direction: rewrite.Simultaneous}
		rules, err := rewrite.TreeRules(ring, 'a', tree, o)
		if err != nil {
			t.Fatal(err)
		}
		f, err := rewrite.Compile(rules, o)
		if err != nil {
			t.Fatal(err)
		}
		for in, out := range want {
			var got []string
			for p, err := range fst.Apply(f, fst.RuneLabels(in), nil) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(p.Out))
			}
			if !slices.Equal(got, []string{out}) {
				t.Errorf("distance %d: %s becomes %q, want %s", distance, in, got, out)
			}
		}
	}
}

func TestTreeErrors(t *testing.T) {
	ring := semiring.Real{}
	leaf := &rewrite.Tree[float64]{Outputs: []rewrite.Output[float64]{{Weight: 1}}}
	for _, tree := range []*rewrite.Tree[float64]{
		nil, {}, {Distance: 1, Yes: leaf}, {Yes: leaf, No: leaf},
		{Distance: 1, Yes: leaf, No: &rewrite.Tree[float64]{}}, {Distance: 1, Yes: leaf, No: leaf, Outputs: leaf.Outputs},
	} {
		if _, err := rewrite.TreeRules(ring, 1, tree, nil); !errors.Is(err, rewrite.ErrRule) {
			t.Errorf("%+v: %v", tree, err)
		}
	}
}
