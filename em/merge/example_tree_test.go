package merge_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/em/merge"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Three words as a tree of their prefixes: c and ca are counted twice.
func ExampleTree() {
	tree, err := merge.Tree([][]int32{fst.RuneLabels("cat"), fst.RuneLabels("car"), fst.RuneLabels("do")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tree.NumStates(), "states")
	for s := range int32(tree.NumStates()) {
		for _, a := range tree.AppendArcs(nil, s) {
			fmt.Printf("%c %g\n", a.In, a.Weight)
		}
	}
	// Output:
	// 7 states
	// c 2
	// d 1
	// a 2
	// t 1
	// r 1
	// o 1
}

// The log prior of a topology with three states, two arcs and one stop weight.
func ExamplePrior_Log() {
	tree, err := merge.Tree([][]int32{fst.RuneLabels("ab")})
	if err != nil {
		log.Fatal(err)
	}
	prior := &merge.Prior{State: 3, Parameter: 2}
	fmt.Println(prior.Log(tree), "nats")
	// Output: -15 nats
}

// The data are outputs of a channel, which changes one letter in ten. Which machine wrote its
// input? Words are ab, abab, ababab and so on, with mistakes; the tree of the observed words is
// folded to a machine of two states.
func ExampleSetting() {
	seen := slices.Repeat([]string{"ab", "abab", "ababab", "abababab", "aa", "bbab", "abbbab"}, 3)
	var strings [][]int32
	for _, s := range seen {
		strings = append(strings, fst.RuneLabels(s))
	}
	data := cascade.Outputs(seen...)
	channel := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
		noise := params.Group("noise", 2, em.Multinomial{})
		noise.SetStart([]float64{.9, .1})
		var arcs []fst.Arc[expr.W]
		for _, in := range "ab" {
			for _, out := range "ab" {
				i := 0
				if in != out {
					i = 1
				}
				arcs = append(arcs, fst.Arc[expr.W]{In: in, Out: out, Weight: noise.Weight(i)})
			}
		}
		f := fst.OneState(params.Space(), expr.One, arcs...)
		return cascade.Problem{Params: params, Stages: []cascade.Stage{stage, f}}, data, nil
	}
	tree, err := merge.Tree(strings)
	if err != nil {
		log.Fatal(err)
	}
	r, err := merge.Run(context.Background(), tree, channel, &merge.Options{Moves: merge.Fold | merge.Drop})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d states became %d; letters changed: %.2f\n", tree.NumStates(), r.Counts.NumStates(), r.Params.Groups()[len(r.Params.Groups())-1].In(r.Theta)[1])
	// Output: 18 states became 2; letters changed: 0.09
}
