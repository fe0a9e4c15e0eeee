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
	letters := fst.NewSymbols("a", "b")
	b := fst.NewBuilder(semiring.Real{})
	b.SetSymbols(letters, letters)
	s := b.AddState()
	b.AddStart(s, 1)
	b.SetFinal(s, 1)
	for _, name := range []string{"a", "b"} {
		l, _ := letters.Find(name)
		b.AddArc(s, fst.Arc[float64]{In: l, Out: l, To: s, Weight: .9})
		b.AddArc(s, fst.Arc[float64]{In: l, Out: fst.Epsilon, To: s, Weight: .1})
	}
	channel, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}

	x, _ := letters.EncodeRunes("aab")
	y, _ := letters.EncodeRunes("ab")
	c, err := fst.Compose(fst.FromString(channel.Semiring(), x), channel)
	if err != nil {
		log.Fatal(err)
	}
	c, err = fst.Compose(c, fst.FromString(channel.Semiring(), y))
	if err != nil {
		log.Fatal(err)
	}
	lattice, err := fst.Expand(c, 0)
	if err != nil {
		log.Fatal(err)
	}
	p, err := graph.PathSum(lattice.Graph())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(ab | aab) = %.3f\n", p)
	for path := range lattice.Paths() {
		in, _ := letters.Decode(path.In)
		out, _ := letters.Decode(path.Out)
		fmt.Printf("%v → %v with probability %.3f\n", in, out, path.Weight)
	}
	// Output:
	// P(ab | aab) = 0.162
	// [a a b] → [a b] with probability 0.081
	// [a a b] → [a b] with probability 0.081
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
	twice, err := fst.Concat(f, f)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []fst.Machine[semiring.Cost]{f, twice, fst.Star(f)} {
		frozen, err := fst.Expand(m, 0)
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
		c, err := arena.Compose(arena.String(x), channel)
		if err != nil {
			log.Fatal(err)
		}
		c, err = arena.Compose(c, arena.String(y[:n]))
		if err != nil {
			log.Fatal(err)
		}
		lattice, err := arena.Expand(c, 1000)
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
