package fst_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// A channel that sometimes drops a letter, between two strings.
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

// Relative frequencies may be Zero; without AllowZero, a weight Zero is rejected as if it had
// been forgotten.
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
	// fst: OneState: invalid input: arc 0 of state 0 has the weight Zero, which usually means that the field Weight was not set; leave the arc out, or call Builder.AllowZero to keep it
}

// The cheapest string that a machine accepts, with costs that add up.
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

// The lattices of many examples, in reused memory.
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

// Characters that are unknown to a machine are an error, unlike strings without an output.
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

// States and arcs in one call: a or b, followed by any number of b.
func ExampleFromArcs() {
	f := fst.FromArcs(semiring.Real{}, map[int32]float64{1: .5},
		[]fst.Arc[float64]{{In: 'a', Out: 'x', Weight: .75, To: 1}, {In: 'b', Out: 'y', Weight: .25, To: 1}},
		[]fst.Arc[float64]{{In: 'b', Out: 'y', Weight: .5, To: 1}},
	)
	fmt.Println(fst.Weight(f, fst.RuneLabels("abb"), fst.RuneLabels("xyy"), nil))
	// Output: 0.09375 <nil>
}

// An eager operation on an expression of lazy operations. The error may come from any of them.
func Example_operations() {
	slip := fst.Edits[semiring.Cost]{Replace: 4, Delete: 2, Insert: 9}
	alphabet := letters("acdrt")
	words := wordList("cat", "cart", "card", "car") // with the costs 1, 2, 3 and 4
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

// If a machine could not be made, operations on it return the same error, which names the
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
	// fst: Compose(2 states and 1 arc, 2 states and 1 arc): machines do not fit together: the output symbols of the first are not the input symbols of the second: label 1 is "dog" in one and "Hund" in the other; make both machines with the same table, text or rx.Compiler
	// true
}

// power is a user-defined lazy operation: m concatenated n times.
func power(m fst.Machine[semiring.Cost], n int) fst.Machine[semiring.Cost] {
	if n < 1 {
		return fst.Failed(m.Semiring(), fmt.Errorf("power: exponent %d, want 1 or more", n))
	}
	return fst.Concat(m, slices.Repeat([]fst.Machine[semiring.Cost]{m}, n-1)...)
}

// An error in a user-defined lazy operation is returned when the result is computed.
func ExampleFailed() {
	a := wordList("a")
	for _, n := range []int{3, 0} {
		fmt.Println(fst.Weight(power(a, n), letters("aaa"), letters("aaa"), nil))
	}
	// Output:
	// 3 <nil>
	// 0 power: exponent 0, want 1 or more
}

// An n-best list: inputs, outputs, costs and states of the paths.
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

// sums is a machine in which two paths read a: .3 + .3 is more than the .4 of b.
func sums() *fst.FST[float64] {
	return must2(fst.Expand(fst.FromArcs(semiring.Real{}, map[int32]float64{1: 1, 2: 1}, []fst.Arc[float64]{
		{In: letters("a")[0], Out: letters("a")[0], To: 1, Weight: .3},
		{In: letters("a")[0], Out: letters("a")[0], To: 2, Weight: .3},
		{In: letters("b")[0], Out: letters("b")[0], To: 1, Weight: .4}}), nil))
}

// The most probable string: the best path reads b, but the sum over paths is larger for a.
func ExampleShortestStrings() {
	viterbi := fst.Map(sums(), semiring.Viterbi{}, semiring.NewScaled)
	for p := range must2(fst.ShortestPaths(viterbi, 1, nil)).Paths() {
		fmt.Println("best path:  ", text(p.In), p.Weight)
	}
	for p := range must2(fst.ShortestStrings(sums(), 1, nil)).Paths() {
		fmt.Println("best string:", text(p.In), p.Weight)
	}
	// Output:
	// best path:   b 0.4
	// best string: a 0.6
}

// Words that cost at most 2 more than the cheapest one.
func ExamplePruneBeam() {
	printPaths(must2(fst.PruneBeam(wordList("one", "two", "three", "four"), 2, nil)))
	// Output: one:one/1 two:two/2 three:three/3
}

// Arcs that a random path uses with a probability of at least .35.
func ExamplePrunePosterior() {
	fmt.Print(must2(fst.PrunePosterior(sums(), .35, nil)))
	// Output:
	// → 0
	// 0 2/0.4 → 1
	// 1 →
}

// Arcs are kept by their weight alone, regardless of their paths.
func ExamplePruneArcs() {
	f := must2(fst.PruneArcs(sums(), func(w float64) bool { return w < .35 }, nil))
	fmt.Println(sums().NumArcs(), f.NumArcs())
	// Output: 3 2
}

// Brackets may be nested indefinitely, and each pair costs 1, so the machine is infinite. Only
// the part is created that costs at most 2 more than its best string.
func ExampleExpandWithin() {
	const S = 26
	arc := func(label, to int32, cost semiring.Cost) []fst.Arc[semiring.Cost] {
		return []fst.Arc[semiring.Cost]{{In: label, Out: label, To: to, Weight: cost}}
	}
	// S → a S b | ε
	rule := fst.FromArcs(semiring.Tropical{}, map[int32]semiring.Cost{0: 0, 3: 0},
		arc(1, 1, 1), arc(S, 2, 0), arc(2, 3, 0))
	brackets := fst.Replace(rule, map[int32]fst.Machine[semiring.Cost]{S: rule}, nil)
	printPaths(must2(fst.ExpandWithin(context.Background(), brackets, 2, nil)))
	// Output: :/0 ab:ab/1 aabb:aabb/2
}

// The best correction of a word by A*: estimates of the best continuation limit the number of
// expanded states of edits ∘ lexicon.
func ExampleComposition_Heuristic() {
	ring := semiring.Tropical{}
	alphabet := letters("abcdefghijklmnopqrstuvwxyz")
	unit := fst.Edits[semiring.Cost]{Replace: 2, Delete: 2, Insert: 2}
	word := fst.FromString(ring, letters("tabel"))
	noisy := must2(fst.Expand(fst.Compose(word, unit.Machine(ring, alphabet, alphabet)), nil))
	lexicon := wordList("table", "label", "tablet", "cabin")
	c := fst.Compose(noisy, lexicon)
	estimate := c.Heuristic(must2(graph.Backward(noisy.Graph())), must2(graph.Backward(lexicon.Graph())))
	for p, err := range graph.Search(context.Background(), c, &graph.SearchOptions[semiring.Cost]{Heuristic: estimate}) {
		var out []int32
		for _, a := range p.Arcs {
			if a.Out != fst.Epsilon {
				out = append(out, a.Out)
			}
		}
		fmt.Println(text(out), p.Weight, err)
		break
	}
	// Output: label 4 <nil>
}

// Strings drawn at random, by weight and by uniform choice of arcs.
func ExampleSampler() {
	for _, f := range []*fst.FST[float64]{sums(), must2(fst.Uniform(sums(), nil))} {
		sampler := must2(fst.NewSampler(f, nil))
		src := rand.NewPCG(1, 2)
		a := 0
		for range 10000 {
			if text(sampler.Sample(src).In) == "a" {
				a++
			}
		}
		fmt.Printf("a in %.0f %% of the samples\n", float64(a)/100)
	}
	// Output:
	// a in 60 % of the samples
	// a in 67 % of the samples
}
