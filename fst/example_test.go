package fst_test

import (
	"fmt"
	"log"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// A channel that sometimes drops a letter, between a string and another.
func Example() {
	channel := fst.OneState(semiring.Real{}, 1,
		fst.Arc[float64]{In: 'a', Out: 'a', Weight: .9},
		fst.Arc[float64]{In: 'a', Out: fst.Epsilon, Weight: .1},
		fst.Arc[float64]{In: 'b', Out: 'b', Weight: .9},
		fst.Arc[float64]{In: 'b', Out: fst.Epsilon, Weight: .1},
	)
	x := fst.FromString(semiring.Real{}, fst.RuneLabels("aab"))
	y := fst.FromString(semiring.Real{}, fst.RuneLabels("ab"))
	lattice, err := fst.Expand(fst.Compose(fst.Compose(x, channel), y), nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := fst.PathSum(lattice, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(ab | aab) = %.3f\n", p)
	for path := range lattice.Paths() {
		fmt.Printf("%s → %s with probability %.3f\n", string(path.In), string(path.Out), path.Weight)
	}
	// Output:
	// P(ab | aab) = 0.162
	// aab → ab with probability 0.081
	// aab → ab with probability 0.081
}

// Weights that are counts over a total may be Zero; what is Zero otherwise is refused, as if
// somebody had forgotten it.
func ExampleBuilder_AllowZero() {
	counts := map[rune]float64{'a': 3, 'b': 0, 'c': 1}
	b := fst.NewBuilder(semiring.Real{})
	s := b.AddState()
	b.AddStart(s, 1)
	b.SetFinal(s, 1)
	b.AllowZero()
	for _, r := range "abc" {
		b.AddArc(s, fst.Arc[float64]{In: r, Out: r, Weight: counts[r] / 4, To: s})
	}
	f, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.NumArcs(), "arcs")

	forgotten := fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 'a', Out: 'a'})
	fmt.Println(fst.Err(forgotten))
	// Output:
	// 3 arcs
	// fst: OneState: invalid input: arc 0 of state 0 has the weight Zero, as if Weight had been forgotten; if it is meant, leave the arc out or call Builder.AllowZero
}

// The cheapest of the strings that a machine accepts, with costs that add up.
func ExampleStar() {
	ring := semiring.Tropical{}
	f := fst.FromArcs(ring, map[int32]semiring.Cost{1: 0},
		[]fst.Arc[semiring.Cost]{{In: 1, Out: 1, To: 1, Weight: 2.5}, {In: 2, Out: 2, To: 1, Weight: 1}})
	for _, m := range []fst.Machine[semiring.Cost]{f, fst.Concat(f, f), fst.Star(f)} {
		fmt.Println(fst.PathSum(m, nil))
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 0 <nil>
}

// Lattices of many examples in the memory of one.
func ExampleArena() {
	ring := semiring.Real{}
	b := fst.NewBuilder(ring)
	s := b.AddState()
	b.AddStart(s, 1)
	b.SetFinal(s, 1)
	b.AddArc(s, fst.Arc[float64]{In: 1, Out: 2, To: s, Weight: .5})
	b.AddArc(s, fst.Arc[float64]{In: 1, Out: fst.Epsilon, To: s, Weight: .5})
	channel, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	arena := fst.NewArena(ring)
	for n := range 4 {
		arena.Reset()
		x, y := []int32{1, 1, 1}, []int32{2, 2, 2}
		pairs := arena.Compose(arena.Compose(arena.String(x), channel), arena.String(y[:n]))
		lattice, err := arena.Expand(pairs, &fst.Options{Limit: 1000})
		if err != nil {
			log.Fatal(err)
		}
		p, err := graph.PathSum(lattice.Graph())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(n, p)
	}
	// Output:
	// 0 0.125
	// 1 0.375
	// 2 0.375
	// 3 0.125
}

// Characters that a machine does not know are an error, and not a string without an answer.
func ExampleRuneSymbols() {
	letters := fst.RuneSymbols("a-c")
	echo, err := fst.Expand(fst.OneState(semiring.Tropical{}, 0,
		fst.Arc[semiring.Cost]{In: 'a', Out: 'a'}, fst.Arc[semiring.Cost]{In: 'b', Out: 'a', Weight: 1}), nil)
	if err != nil {
		log.Fatal(err)
	}
	echo = echo.WithSymbols(letters, letters)
	for _, text := range []string{"ab", "ac", "ad"} {
		fmt.Println(text)
		for out, err := range fst.ApplyText(echo, text, nil) {
			fmt.Println(" ", out.Text, err)
		}
	}
	// Output:
	// ab
	//   aa <nil>
	// ac
	// ad
	//    fst: ApplyText(1 state and 2 arcs): symbols do not match: "d" at position 1 has no label
}

// States and arcs in one call: a or b, and then any number of b.
func ExampleFromArcs() {
	f := fst.FromArcs(semiring.Real{}, map[int32]float64{1: .5},
		[]fst.Arc[float64]{{In: 'a', Out: 'x', Weight: .75, To: 1}, {In: 'b', Out: 'y', Weight: .25, To: 1}},
		[]fst.Arc[float64]{{In: 'b', Out: 'y', Weight: .5, To: 1}},
	)
	fmt.Println(fst.Weight(f, fst.RuneLabels("abb"), fst.RuneLabels("xyy"), nil))
	// Output: 0.09375 <nil>
}
