package fst_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// sums is a machine in which a is read by two paths: .3 + .3 is more than the .4 of b.
func sums() *fst.FST[float64] {
	return must2(fst.Expand(fst.FromArcs(semiring.Real{}, map[int32]float64{1: 1, 2: 1}, []fst.Arc[float64]{
		{In: letters("a")[0], Out: letters("a")[0], To: 1, Weight: .3},
		{In: letters("a")[0], Out: letters("a")[0], To: 2, Weight: .3},
		{In: letters("b")[0], Out: letters("b")[0], To: 1, Weight: .4}}), nil))
}

// Which string is the most probable one? The best path says b, the sum over paths says a.
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

// Arcs that a random path uses with a probability of .35 or more.
func ExamplePrunePosterior() {
	fmt.Print(must2(fst.PrunePosterior(sums(), .35, nil)))
	// Output:
	// → 0
	// 0 2/0.4 → 1
	// 1 →
}

// Arcs by their weight alone, wherever they lead.
func ExamplePruneArcs() {
	f := must2(fst.PruneArcs(sums(), func(w float64) bool { return w < .35 }, nil))
	fmt.Println(sums().NumArcs(), f.NumArcs())
	// Output: 3 2
}

// Brackets may be nested without end, and each pair costs 1, so the machine is infinite.
// What costs at most 2 more than its best string is made, and no more.
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

// The best correction of a word by A*: as few states of edits ∘ lexicon are expanded as
// estimates of the way on allow.
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

// Strings drawn at random, by their weights and with all arcs alike.
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
