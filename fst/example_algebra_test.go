package fst_test

import (
	"fmt"
	"log"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// All results of at most one edit of a string, best first.
func ExampleEdits_Within() {
	letters := fst.RuneLabels("ab")
	weights := fst.Edits[semiring.Cost]{Replace: 1, Delete: 1, Insert: 1.5}
	edits := weights.Within(semiring.Tropical{}, letters, letters, 1)
	for p, err := range fst.Apply(edits, fst.RuneLabels("ab"), nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(string(p.Out), "/", p.Weight, " ")
	}
	fmt.Println()
	// Output:
	// ab/0 b/1 a/1 bb/1 aa/1 aba/1.5 aab/1.5 abb/1.5 bab/1.5
}

// The number of edits between two words: the weight of the pair is the Levenshtein distance.
func ExampleEdits_Machine() {
	letters := fst.RuneLabels("abcdefghijklmnopqrstuvwxyz")
	unit := fst.Edits[semiring.Cost]{Replace: 1, Delete: 1, Insert: 1}
	edits := unit.Machine(semiring.Tropical{}, letters, letters)
	fmt.Println(fst.Weight(edits, fst.RuneLabels("kitten"), fst.RuneLabels("sitting"), nil))
	// Output: 3 <nil>
}

// Composition: a pound is 20 shillings, a shilling is 12 pence, so two pounds are 480 pence. An
// amount n is a string of n letters.
func ExampleCompose() {
	ring := semiring.Tropical{}
	pounds := fst.Star(fst.FromPair(ring, letters("l"), letters("ssssssssssssssssssss")))
	shillings := fst.Star(fst.FromPair(ring, letters("s"), letters("dddddddddddd")))
	pence := fst.Compose(pounds, shillings)
	for p, err := range fst.Apply(pence, letters("ll"), nil) {
		fmt.Println(len(p.Out), err)
	}
	// Output: 480 <nil>
}

// The words that are in both lists. The costs are added.
func ExampleIntersect() {
	both := fst.Intersect(wordList("oak", "fir", "elm", "ash"), wordList("ash", "elm", "yew"))
	printPaths(must2(fst.Expand(both, nil)))
	// Output: elm:elm/5 ash:ash/5
}

// The words of two lists, in either order, where the second word is optional.
func ExampleUnion() {
	a, b := wordList("a"), wordList("b")
	ab := fst.Concat(a, fst.Optional(b))
	ba := fst.Concat(b, fst.Optional(a))
	printPaths(must2(fst.Expand(fst.Union(ab, ba), nil)))
	// Output: a:a/1 b:b/1 ab:ab/2 ba:ba/2
}

// The six cheapest sequences of one or more words.
func ExamplePlus() {
	for p := range must2(fst.ShortestPaths(fst.Plus(wordList("ab", "b")), 6, nil)).Paths() {
		fmt.Print(text(p.In), "/", p.Weight, " ")
	}
	fmt.Println()
	// Output: b/2 ab/1 abb/3 bab/3 abab/2 ababab/3
}

// A dictionary in the reverse direction, and the words of its first language.
func ExampleInvert() {
	ring := semiring.Tropical{}
	dictionary := fst.StringMap(ring, []fst.Path[semiring.Cost]{
		{In: letters("hund"), Out: letters("dog")}, {In: letters("katze"), Out: letters("cat")}})
	for p, err := range fst.Apply(fst.Invert(dictionary), letters("cat"), nil) {
		fmt.Println(text(p.Out), err)
	}
	printPaths(must2(fst.Expand(fst.ProjectIn(dictionary), nil)))
	// Output:
	// katze <nil>
	// hund:hund/0 katze:katze/0
}

// The same as an *FST, with all methods of a frozen machine.
func ExampleFST_Inverse() {
	dictionary := must2(fst.Expand(fst.StringMap(semiring.Tropical{}, []fst.Path[semiring.Cost]{{In: letters("hund"), Out: letters("dog")}}), nil))
	fmt.Println(dictionary.Inverse().NumArcs() == dictionary.NumArcs())
	printPaths(dictionary.Inverse())
	// Output:
	// true
	// dog:hund/0
}

// A word list that writes capitals: the output tape gets other labels.
func ExampleRelabel() {
	capital := func(label int32) int32 {
		if label == fst.Epsilon {
			return label
		}
		return 'A' + label - 1
	}
	f := must2(fst.Expand(fst.Relabel(wordList("no", "yes"), nil, capital), nil))
	for p := range f.Paths() {
		fmt.Println(text(p.In), string(p.Out), p.Weight)
	}
	// Output:
	// no NO 1
	// yes YES 2
}

// The same arcs in another ring: costs become probabilities e⁻ᶜ, and the cost of the best path
// becomes a sum over all paths.
func ExampleMap() {
	costs := fst.OneState(semiring.Tropical{}, 1,
		fst.Arc[semiring.Cost]{In: 'a', Out: 'b', Weight: .5}, fst.Arc[semiring.Cost]{In: 'a', Out: 'b', Weight: 1})
	convert := must2(semiring.Convert(semiring.Tropical{}, semiring.Real{}))
	sums := fst.Map(costs, semiring.Real{}, convert)
	best := must2(fst.Weight(costs, []int32{'a'}, []int32{'b'}, nil))
	sum := must2(fst.Weight(sums, []int32{'a'}, []int32{'b'}, nil))
	fmt.Printf("best %v, sum e⁻¹·(e⁻⁰·⁵ + e⁻¹) = %.4f\n", best, sum)
	// Output: best 1.5, sum e⁻¹·(e⁻⁰·⁵ + e⁻¹) = 0.3585
}

// Reversed strings.
func ExampleReverse() {
	printPaths(must2(fst.Reverse(wordList("deer", "lived"), nil)))
	// Output: reed:reed/1 devil:devil/2
}

// Names have labels from 1 on, and 0 is ε. An unknown name is an error.
func ExampleSymbols() {
	words := fst.NewSymbols("the", "cat")
	fmt.Println(words.Add("sat"), words.Add("the"), words.Len())
	labels, err := words.Encode("the", "cat", "sat")
	fmt.Println(labels, err)
	fmt.Println(words.Decode([]int32{2, 3}))
	_, err = words.Encode("the", "dog")
	fmt.Println(err)
	// Output:
	// 3 1 4
	// [1 2 3] <nil>
	// [cat sat] <nil>
	// fst: symbols do not match: "dog" at position 1 has no label
}

// Bytes on one tape, characters on the other: é takes two bytes.
func ExampleUTF8() {
	decode := fst.UTF8(semiring.Boolean{}, []rune("cafeé"))
	for p, err := range fst.Apply(decode, fst.ByteLabels("café"), nil) {
		fmt.Println(len(p.In), len(p.Out), string(p.Out), err)
	}
	// Output: 5 4 café <nil>
}

// The same machine with other weights: the probabilities of another coin.
func ExampleFST_WithWeights() {
	coin := must2(fst.Expand(fst.OneState(semiring.Real{}, 1,
		fst.Arc[float64]{In: 'h', Out: 'h', Weight: .5}, fst.Arc[float64]{In: 't', Out: 't', Weight: .5}), nil))
	loaded := must2(coin.WithWeights([]float64{.75, .25}, coin.AppendStarts(nil), []float64{1}))
	throws := fst.RuneLabels("hht")
	fmt.Println(must2(fst.Weight(coin, throws, throws, nil)), must2(fst.Weight(loaded, throws, throws, nil)))
	// Output: 0.125 0.140625
}

// sevenths is a user-defined lazy machine: binary numbers that are divisible by 7. A state is
// the remainder of the digits so far.
type sevenths struct{}

func (sevenths) Semiring() semiring.Semiring[bool] { return semiring.Boolean{} }
func (sevenths) AppendStarts(dst []fst.Start[bool]) []fst.Start[bool] {
	return append(dst, fst.Start[bool]{State: 0, Weight: true})
}
func (sevenths) Final(s int32) bool { return s == 0 }
func (sevenths) AppendArcs(dst []fst.Arc[bool], s int32) []fst.Arc[bool] {
	for digit := range int32(2) {
		dst = append(dst, fst.Arc[bool]{In: '0' + digit, Out: '0' + digit, To: (2*s + digit) % 7, Weight: true})
	}
	return dst
}

// A type with four methods is a machine: operations accept it, and Expand freezes it.
func ExampleMachine() {
	for _, n := range []int{63, 64} {
		digits := fst.RuneLabels(fmt.Sprintf("%b", n))
		yes, err := fst.Weight[bool](sevenths{}, digits, digits, nil)
		fmt.Println(n, yes, err)
	}
	f, err := fst.Expand[bool](sevenths{}, nil)
	fmt.Println(f.NumStates(), f.NumArcs(), err)
	// Output:
	// 63 true <nil>
	// 64 false <nil>
	// 7 14 <nil>
}

// Labels in messages, with a symbol table and without one.
func ExampleSymbols_Describe() {
	colors, none := fst.NewSymbols("red", "blue"), (*fst.Symbols)(nil)
	fmt.Println(colors.Describe(2), colors.Describe(100), none.Describe(100), none.Describe(2))
	letters := fst.RuneSymbols("a-z") // a table whose labels are characters
	fmt.Println(letters.Describe('d'), letters.Describe('ß'))
	// Output:
	// "blue" 100 'd' (100) 2
	// "d" 'ß' (223)
}
