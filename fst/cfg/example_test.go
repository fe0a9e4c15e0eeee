package cfg_test

import (
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// In how many ways can a sum be read, by what is added first? Every rule weighs 1, and so
// the sum over trees counts them.
func ExampleFromRules() {
	const a, plus, S = 1, 2, 3
	grammar, err := cfg.FromRules(semiring.Real{}, S, []int32{a, plus}, []cfg.Rule[float64]{
		{Left: S, Right: []int32{S, plus, S}, Weight: 1}, {Left: S, Right: []int32{a}, Weight: 1}})
	if err != nil {
		log.Fatal(err)
	}
	for _, sentence := range [][]int32{{a}, {a, plus, a, plus, a}, {a, plus, a, plus, a, plus, a}, {a, a}} {
		parses, err := grammar.Parse(fst.FromString(semiring.Real{}, sentence), nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(forest.TreeSum(parses.Forest))
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 5 <nil>
	// 0 <nil>
}

// A network of machines that call each other: S is any number of a S b, as a loop.
func ExampleNew() {
	const a, b, S = 1, 2, 3
	ring := semiring.Boolean{}
	block := fst.FromString(ring, []int32{a, S, b})
	grammar, err := cfg.New(S, map[int32]fst.Machine[bool]{S: fst.Star(block)})
	if err != nil {
		log.Fatal(err)
	}
	below := grammar.Subset(2)
	for _, s := range [][]int32{{a, b, a, b}, {a, a, b, b}, {a, b, b}} {
		fmt.Println(fst.Weight(below, s, s, nil))
	}
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
}

// The tree of a sentence, with the words that each constituent spans.
func ExampleParses_Tree() {
	const they, fish, S, NP, VP = 1, 2, 3, 4, 5
	names := []string{"", "they", "fish", "S", "NP", "VP"}
	ring := semiring.Tropical{}
	grammar, err := cfg.FromRules(ring, S, []int32{they, fish}, []cfg.Rule[semiring.Cost]{
		{Left: S, Right: []int32{NP, VP}},
		{Left: NP, Right: []int32{they}}, {Left: NP, Right: []int32{fish}, Weight: 1},
		{Left: VP, Right: []int32{fish}}, {Left: VP, Right: []int32{fish, NP}, Weight: 1}})
	if err != nil {
		log.Fatal(err)
	}
	parses, err := grammar.Parse(fst.FromString(ring, []int32{they, fish, fish}), nil)
	if err != nil {
		log.Fatal(err)
	}
	best, err := forest.BestTree(parses.Forest)
	if err != nil {
		log.Fatal(err)
	}
	var show func(n *cfg.Node, depth int)
	show = func(n *cfg.Node, depth int) {
		fmt.Printf("%s%s %d–%d\n", strings.Repeat(". ", depth), names[n.Label], n.From, n.To)
		for _, c := range n.Children {
			show(c, depth+1)
		}
	}
	show(parses.Tree(best.Edges), 0)
	// Output:
	// S 0–3
	// . NP 0–1
	// . . they 0–1
	// . VP 1–3
	// . . fish 1–2
	// . . NP 2–3
	// . . . fish 2–3
}

// A right-linear grammar is regular: the machine has its strings and weights at any depth.
func ExampleGrammar_StronglyRegular() {
	const a, S = 1, 2
	grammar, err := cfg.FromRules(semiring.Real{}, S, []int32{a}, []cfg.Rule[float64]{
		{Left: S, Right: []int32{a, S}, Weight: .5}, {Left: S, Weight: .5}})
	if err != nil {
		log.Fatal(err)
	}
	p, err := fst.Weight(grammar.Superset(0), []int32{a, a}, []int32{a, a}, nil)
	fmt.Println(grammar.StronglyRegular(), p, err)
	// Output: true 0.125 <nil>
}
