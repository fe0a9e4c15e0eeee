package fst_test

import (
	"fmt"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// An expression of lazy operations, within one that computes. The error is that of any of them.
func Example_operations() {
	slip := fst.Edits[semiring.Cost]{Replace: 4, Delete: 2, Insert: 9}
	alphabet := letters("acdrt")
	words := wordList("cat", "cart", "card", "car") // of the costs 1, 2, 3 and 4
	typist := fst.Compose(slip.Machine(semiring.Tropical{}, alphabet, alphabet), fst.FromString(semiring.Tropical{}, letters("cat")))
	// Which three words are the likeliest, given what was typed?
	best, err := fst.ShortestPaths(fst.Compose(words, typist), 3, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	printPaths(best)
	// Output:
	// cat:cat/1 car:cat/8 cart:cat/4
}

// A machine that could not be made, and what is made of it, have one error, which names the
// operation that failed.
func ExampleErr() {
	word := func(name string) *fst.FST[bool] {
		return fst.FromString(semiring.Boolean{}, []int32{1}).WithSymbols(fst.NewSymbols(name), fst.NewSymbols(name))
	}
	m := fst.Star(fst.Compose(word("dog"), word("Hund")))
	fmt.Println(fst.Err(m))
	_, err := fst.Optimize(m, nil)
	fmt.Println(err == fst.Err(m))
	// Output:
	// fst: Compose(2 states and 1 arc, 2 states and 1 arc): machines do not fit together: the output symbols of the first are not the input symbols of the second: label 1 is "dog" in one and "Hund" in the other; make both with one table, or from one text or rx.Compiler
	// true
}

// power is a lazy operation of one's own: m, n times in a row.
func power(m fst.Machine[semiring.Cost], n int) fst.Machine[semiring.Cost] {
	if n < 1 {
		return fst.Failed(m.Semiring(), fmt.Errorf("power: exponent %d, want 1 or more", n))
	}
	return fst.Concat(m, slices.Repeat([]fst.Machine[semiring.Cost]{m}, n-1)...)
}

// What goes wrong in a lazy operation of one's own comes out where the result is computed.
func ExampleFailed() {
	a := wordList("a")
	for _, n := range []int{3, 0} {
		fmt.Println(fst.Weight(power(a, n), letters("aaa"), letters("aaa"), nil))
	}
	// Output:
	// 3 <nil>
	// 0 power: exponent 0, want 1 or more
}

// An n-best list: what is read and written, what it costs, and the states on the way.
func ExampleBestPaths() {
	lattice := fst.FromArcs(semiring.Tropical{}, map[int32]semiring.Cost{2: 0},
		[]fst.Arc[semiring.Cost]{{In: 'a', Out: 'x', To: 1, Weight: 1}, {In: 'b', Out: 'y', To: 2, Weight: 5}},
		[]fst.Arc[semiring.Cost]{{In: 'b', Out: 'y', To: 2, Weight: 1}, {In: 'c', Out: 'z', To: 2, Weight: 2}})
	paths, err := fst.BestPaths(lattice, 3, nil)
	for _, p := range paths {
		fmt.Println(string(p.In), string(p.Out), p.Weight, p.States)
	}
	fmt.Println(err)
	// Output:
	// ab xy 2 [0 1 2]
	// ac xz 3 [0 1 2]
	// b y 5 [0 2]
	// <nil>
}
