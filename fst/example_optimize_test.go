package fst_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// letters returns the labels of the examples: a is 1, b is 2, ….
func letters(s string) []int32 {
	var labels []int32
	for _, c := range s {
		labels = append(labels, c-'a'+1)
	}
	return labels
}

// text is the inverse of letters.
func text(labels []int32) string {
	var s strings.Builder
	for _, l := range labels {
		s.WriteByte(byte('a' + l - 1))
	}
	return s.String()
}

// wordList returns the union of words with costs 1, 2, 3, ….
func wordList(words ...string) *fst.FST[semiring.Cost] {
	b := fst.NewBuilder(semiring.Tropical{})
	for i, w := range words {
		s := b.AddState()
		b.AddStart(s, 0)
		for _, l := range letters(w) {
			next := b.AddState()
			b.AddArc(s, fst.Arc[semiring.Cost]{In: l, Out: l, To: next})
			s = next
		}
		b.SetFinal(s, semiring.Cost(i+1))
	}
	return must2(b.Freeze())
}

// must2 returns v, or exits the program if there is an error.
func must2[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func printPaths(f *fst.FST[semiring.Cost]) {
	for p := range f.Paths() {
		fmt.Printf("%s:%s/%v ", text(p.In), text(p.Out), p.Weight)
	}
	fmt.Println()
}

// A list of words becomes the minimal automaton that accepts them.
func ExampleOptimize() {
	list := wordList("walked", "walks", "talked", "talks")
	small := must2(fst.Optimize(list, nil))
	fmt.Println(list.NumStates(), "states, then", small.NumStates())
	printPaths(small)
	// Output:
	// 26 states, then 7
	// talks:talks/4 walks:walks/2 talked:talked/3 walked:walked/1
}

// A cycle of ε-arcs is summed instead of unrolled.
func ExampleRemoveEpsilon() {
	b := fst.NewBuilder(semiring.Real{})
	b.AddStates(2)
	b.AddStart(0, 1)
	b.AddArc(0, fst.Arc[float64]{To: 0, Weight: .5})
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 1, To: 1, Weight: .25})
	b.SetFinal(1, 1)
	f := must2(fst.Expand(fst.RemoveEpsilon(must2(b.Freeze())), nil))
	fmt.Println(f.AppendArcs(nil, 0))
	// Output:
	// [{1 1 1 0.5}]
}

// The error names two paths that contradict functionality.
func ExampleDeterminize() {
	ring := semiring.Tropical{}
	f := must2(fst.Expand(fst.Union(
		fst.FromPair(ring, letters("ab"), letters("cd")),
		fst.FromPair(ring, letters("ab"), letters("ce")),
	), nil))
	fmt.Println(fst.Err(fst.Determinize(f, nil)))
	printPaths(must2(fst.DeterminizeBest(f, nil)))
	// Output:
	// fst: Determinize(6 states and 4 arcs): transducer is not functional: two paths read 1 2 and end in states 2 and 5: through states [0 1 2] with {3_4 0}, through states [3 4 5] with {3_5 0}
	// ab:cd/0
}

// Pushed toward the start, weights are the probabilities of the next label.
func ExamplePushWeights() {
	b := fst.NewBuilder(semiring.Real{})
	b.AddStates(3)
	b.AddStart(0, 1)
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 1, To: 1, Weight: 1})
	b.AddArc(0, fst.Arc[float64]{In: 2, Out: 2, To: 2, Weight: 1})
	b.SetFinal(1, 3)
	b.SetFinal(2, 1)
	f := must2(fst.PushWeights(must2(b.Freeze()), fst.TowardInitial, nil))
	fmt.Println(f.AppendStarts(nil), f.Graph().Weights(), f.Graph().Finals())
	// Output:
	// [{0 4}] [0.75 0.25] [0 1 1]
}

// Output is written as soon as it is certain.
func ExamplePushLabels() {
	b := fst.NewBuilder(semiring.Tropical{})
	b.AddStates(4)
	b.AddStart(0, 0)
	for s := range int32(2) {
		b.AddArc(0, fst.Arc[semiring.Cost]{In: 1 + s, To: 1 + s})
		b.AddArc(1+s, fst.Arc[semiring.Cost]{In: 3, Out: 4 + s, To: 3})
	}
	b.SetFinal(3, 0)
	f := must2(b.Freeze())
	fmt.Println(f.Out(), must2(fst.PushLabels(f, fst.TowardInitial, nil)).Out())
	// Output:
	// [0 0 4 5] [4 5 0 0]
}

// Words with a common suffix share its states.
func ExampleMinimize() {
	tree := must2(fst.Expand(fst.Determinize(wordList("mop", "mops", "top", "tops"), nil), nil))
	least := must2(fst.Minimize(tree, nil))
	fmt.Println(tree.NumStates(), "states, then", least.NumStates())
	// Output:
	// 9 states, then 5
}

// A transducer with two outputs for one input is determinized as an acceptor of pairs.
func ExampleCodec() {
	ring := semiring.Tropical{}
	f := must2(fst.Expand(fst.Union(
		fst.FromPair(ring, letters("ab"), letters("cd")),
		fst.FromPair(ring, letters("ab"), letters("ce")),
	), nil))
	codec := must2(fst.NewCodec(ring, fst.Labels))
	least := must2(fst.Minimize(fst.Determinize(must2(codec.Encode(f, nil)), nil), nil))
	g := must2(codec.Decode(least, nil))
	fmt.Println(f.NumStates(), "states, then", g.NumStates())
	printPaths(g)
	// Output:
	// 6 states, then 3
	// ab:cd/0 ab:ce/0
}

// The words of one list that are not in another.
func ExampleDifference() {
	d := fst.Difference(wordList("walk", "talk", "balk"), wordList("talk"), nil)
	printPaths(must2(fst.Expand(d, nil)))
	// Output:
	// walk:walk/1 balk:balk/3
}

// Strings of a and b that do not contain aa or bb.
func ExampleComplement() {
	ring := semiring.Tropical{}
	letter := fst.Union(fst.FromString(ring, letters("a")), fst.FromString(ring, letters("b")))
	all := fst.Star(letter)
	twice := fst.Union(fst.FromString(ring, letters("aa")), fst.FromString(ring, letters("bb")))
	f := must2(fst.Connect(fst.Complement(fst.Concat(all, twice, all), letters("ab"), nil), nil))
	n := 0
	for p := range f.Paths() {
		if fmt.Print(text(p.In), " "); n == 6 {
			break
		}
		n++
	}
	fmt.Println()
	// Output:
	// a b ab ba aba bab
}

// Two machines with the same relation.
func ExampleEquivalent() {
	ring := semiring.Tropical{}
	a := fst.FromPair(ring, letters("abc"), []int32{4, 0, 0})
	b := fst.FromPair(ring, letters("abc"), []int32{0, 0, 4})
	fmt.Println(must2(fst.Equivalent(a, b, nil)), must2(fst.Isomorphic(a, b, nil)))
	// Output:
	// true false
}

// A sentence with a gap for a name, which the label 26 marks.
func ExampleReplace() {
	names := wordList("ann", "bob")
	printPaths(must2(fst.Expand(fst.Replace(wordList("hizbye"), map[int32]fst.Machine[semiring.Cost]{26: names}, nil), nil)))
	// Output:
	// hiannbye:hiannbye/2 hibobbye:hibobbye/3
}

// The derivation of a string by S → a S b | ε, in brackets.
func ExampleCalls() {
	ring := semiring.Boolean{}
	names := fst.NewSymbols("a", "b", "(S", ")")
	const a, b, S, end = 1, 2, 3, 4
	rule := fst.Union(fst.FromString(ring, []int32{a, S, b}), fst.FromString(ring, nil))
	brackets := &fst.Calls{
		Enter: func(_, out int32) (int32, int32) { return fst.Epsilon, out },
		Leave: func(int32) (int32, int32) { return fst.Epsilon, end },
	}
	network := fst.Replace(rule, map[int32]fst.Machine[bool]{S: rule}, brackets)
	parses := must2(fst.Expand(fst.Compose(fst.FromString(ring, []int32{a, a, b, b}), network), nil))
	for p := range parses.Paths() {
		fmt.Println(must2(names.Decode(p.Out)))
	}
	// Output:
	// [a (S a (S ) b ) b]
}

// The two best of three words.
func ExampleShortestPaths() {
	printPaths(must2(fst.ShortestPaths(wordList("ate", "tea", "eat"), 2, nil)))
	// Output:
	// ate:ate/1 tea:tea/2
}

// Two paths read ab. One remains, with the sum of both weights.
func ExampleDisambiguate() {
	f := fst.Union(sums(), sums())
	g := must2(fst.Disambiguate(f, nil))
	fmt.Println(must2(fst.Unambiguous(f, nil)), must2(fst.Unambiguous(g, nil)))
	for p := range g.Paths() {
		fmt.Printf("%s/%v ", text(p.In), p.Weight)
	}
	fmt.Println()
	// Output:
	// false true
	// a/1.2 b/0.8
}

// A word with two translations: their common prefix is written early, and the remainders are
// written at the end, on arcs that read ε.
func ExampleDeterminizeAll() {
	f := fst.StringMap(semiring.Boolean{}, []fst.Path[bool]{
		{In: []int32{'x', 'y'}, Out: []int32{'a', 'b'}, Weight: true},
		{In: []int32{'x', 'y'}, Out: []int32{'a', 'c'}, Weight: true}})
	names := fst.RuneSymbols("a-z")
	fmt.Print(must2(fst.DeterminizeAll(f, nil)).WithSymbols(names, names))
	// Output:
	// → 0
	// 0 x:a → 1
	// 1 y:ε → 2
	// 2 ε:b → 3
	// 2 ε:c → 3
	// 3 →
}

// Two letters are read before two are written. In step, each letter is written as soon as one
// is read.
func ExampleSynchronize() {
	f := fst.FromPair(semiring.Boolean{}, []int32{'a', 'b', 0, 0}, []int32{0, 0, 'x', 'y'})
	names := fst.RuneSymbols("a-z")
	fmt.Print(must2(fst.Expand(fst.RemoveEpsilon(fst.Synchronize(f, nil)), nil)).WithSymbols(names, names))
	// Output:
	// → 0
	// 0 a:x → 1
	// 1 b:y → 2
	// 2 →
}

// Output before the first letter is delayed until the letter is read.
func ExampleNormalizeEpsilon() {
	f := fst.FromPair(semiring.Boolean{}, []int32{0, 0, 'a', 'b'}, []int32{'x', 'y', 0, 0})
	names := fst.RuneSymbols("a-z")
	fmt.Print(must2(fst.NormalizeEpsilon(f, fst.Input, nil)).WithSymbols(names, names))
	// Output:
	// → 0
	// 0 a:x → 1
	// 1 b:y → 2
	// 2 →
}

// The same continuations may follow a and b: the two states are merged, in a machine that stays
// nondeterministic.
func ExampleMergeBisimilar() {
	ring := semiring.Tropical{}
	f := fst.FromArcs(ring, map[int32]semiring.Cost{3: 0},
		[]fst.Arc[semiring.Cost]{{In: 1, Out: 1, To: 1}, {In: 1, Out: 1, To: 2}},
		[]fst.Arc[semiring.Cost]{{In: 3, Out: 3, To: 3, Weight: 1}},
		[]fst.Arc[semiring.Cost]{{In: 3, Out: 3, To: 3, Weight: 1}})
	fmt.Print(must2(fst.MergeBisimilar(f, nil)))
	// Output:
	// → 0
	// 0 1 → 1
	// 1 3/1 → 2
	// 2 →
}

// Counts of words in two contexts become counts in a single context: states 1 and 2 are merged,
// and the counts of their arcs are added.
func ExampleQuotient() {
	counts := fst.FromArcs(semiring.Real{}, map[int32]float64{1: 0, 2: 0, 3: 1},
		[]fst.Arc[float64]{{In: 'a', Out: 'a', To: 1, Weight: 5}, {In: 'b', Out: 'b', To: 2, Weight: 2}},
		[]fst.Arc[float64]{{In: 'x', Out: 'x', To: 3, Weight: 4}, {In: 'y', Out: 'y', To: 3, Weight: 1}},
		[]fst.Arc[float64]{{In: 'x', Out: 'x', To: 3, Weight: 2}})
	names := fst.RuneSymbols("a-z")
	fmt.Print(must2(fst.Quotient(counts, []int32{0, 1, 1, 2}, nil)).WithSymbols(names, names))
	// Output:
	// → 0
	// 0 a/5 → 1
	// 0 b/2 → 1
	// 1 x/6 → 2
	// 1 y → 2
	// 2 →
}

// Machines with cycles and choices, compared on random strings: (ab)*a and a(ba)*.
func ExampleRandomlyEquivalent() {
	ring := semiring.Boolean{}
	a, b := fst.FromString(ring, letters("a")), fst.FromString(ring, letters("b"))
	f := fst.Concat(fst.Star(fst.Concat(a, b)), a)
	g := fst.Concat(a, fst.Star(fst.Concat(b, a)))
	fmt.Println(fst.RandomlyEquivalent(f, g, rand.NewPCG(1, 2), 100, nil))
	fmt.Println(fst.Equal(f, g, nil))
	// Output:
	// true <nil>
	// false <nil>
}

// States are sorted so that every arc leads to a later one, and arcs are sorted by label.
func ExampleTopSort() {
	arc := func(label, to int32) fst.Arc[bool] { return fst.Arc[bool]{In: label, Out: label, To: to, Weight: true} }
	f := fst.FromArcs(semiring.Boolean{}, map[int32]bool{1: true},
		[]fst.Arc[bool]{arc(2, 2), arc(1, 2)}, nil, []fst.Arc[bool]{arc(3, 1)})
	fmt.Print(must2(fst.ArcSortIn(must2(fst.TopSort(f, nil)), nil)))
	// Output:
	// → 0
	// 0 1 → 1
	// 0 2 → 1
	// 1 3 → 2
	// 2 →
}
