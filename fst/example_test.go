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
	channel, err := fst.Expand(fst.OneState(semiring.Real{}, 1,
		fst.Arc[float64]{In: 'a', Out: 'a', Weight: .9},
		fst.Arc[float64]{In: 'a', Out: fst.Epsilon, Weight: .1},
		fst.Arc[float64]{In: 'b', Out: 'b', Weight: .9},
		fst.Arc[float64]{In: 'b', Out: fst.Epsilon, Weight: .1},
	), nil)
	if err != nil {
		log.Fatal(err)
	}

	x := fst.FromString(semiring.Real{}, fst.RuneLabels("aab"))
	y := fst.FromString(semiring.Real{}, fst.RuneLabels("ab"))
	c := fst.Compose(x, channel)
	c = fst.Compose(c, y)
	lattice, err := fst.Expand(c, nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := graph.PathSum(lattice.Graph())
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

	_, err = fst.Expand(fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 'a', Out: 'a'}), nil)
	fmt.Println(err)
	// Output:
	// 3 arcs
	// fst: OneState: invalid machine: arc 0 of state 0 has the weight Zero, as if Weight had been forgotten; if it is meant, leave the arc out or call Builder.AllowZero
}

// The cheapest of the strings that a machine accepts, with costs that add up.
func ExampleStar() {
	ring := semiring.Tropical{}
	b := fst.NewBuilder(ring)
	b.AddStates(2)
	b.AddStart(0, 0)
	b.SetFinal(1, 0)
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 1, To: 1, Weight: 2.5})
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 2, Out: 2, To: 1, Weight: 1})
	f, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	twice := fst.Concat(f, f)
	for _, m := range []fst.Machine[semiring.Cost]{f, twice, fst.Star(f)} {
		frozen, err := fst.Expand(m, nil)
		if err != nil {
			log.Fatal(err)
		}
		cost, err := graph.PathSum(frozen.Graph())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(cost)
	}
	// Output:
	// 1
	// 2
	// 0
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
		c := arena.Compose(arena.String(x), channel)
		c = arena.Compose(c, arena.String(y[:n]))
		lattice, err := arena.Expand(c, &fst.Options{Limit: 1000})
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
	f, err := fst.Expand(fst.FromArcs(semiring.Real{}, map[int32]float64{1: .5},
		[]fst.Arc[float64]{{In: 'a', Out: 'x', Weight: .75, To: 1}, {In: 'b', Out: 'y', Weight: .25, To: 1}},
		[]fst.Arc[float64]{{In: 'b', Out: 'y', Weight: .5, To: 1}},
	), nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := fst.Weight(f, fst.RuneLabels("abb"), fst.RuneLabels("xyy"), nil)
	fmt.Println(p, err)
	// Output: 0.09375 <nil>
}
