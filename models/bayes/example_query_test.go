package bayes_test

import (
	"errors"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/models/bayes"
)

// A bird is a wren or a duck; ducks are of three kinds, all equally common. The most probable kind
// of bird is the wren, but the bird is most probably a duck: its kinds are summed over.
func ExampleNetwork_BestOf() {
	n, err := bayes.New([]bayes.Variable{{Name: "bird", States: []string{"wren", "duck"}}, {Name: "kind", States: []string{"1", "2", "3"}}},
		[]bayes.Family{
			{Children: []int{0}, Table: []float64{.4, .6}},
			{Children: []int{1}, Parents: []int{0}, Table: []float64{1, 0, 0, 1. / 3, 1. / 3, 1. / 3}},
		})
	if err != nil {
		log.Fatal(err)
	}
	bird := n.Variables()[0]
	together, logP, err := n.Best(n.Unknown())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("with its kind: %s, %.1f\n", bird.States[int(together[0])], math.Exp(logP))
	alone, logP, err := n.BestOf(n.Unknown(), 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("whatever its kind: %s, %.1f\n", bird.States[int(alone[0])], math.Exp(logP))
	// Output:
	// with its kind: wren, 0.4
	// whatever its kind: duck, 0.6
}

// Two variables of many, by themselves: the grass is not known, and is left out.
func ExampleNetwork_Marginals() {
	n := lawn()
	row, err := n.Evidence(map[string]string{"sprinkler": "on"})
	if err != nil {
		log.Fatal(err)
	}
	p, err := n.Marginals(row, n.Variable("rain"), n.Variable("sprinkler"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", p)
	// Output: [[0.006 0.994] [1.000 0.000]]
}

// How much memory a question may take is a limit of the network.
func ExampleNetwork_WithMaxEntries() {
	n := lawn()
	if _, err := n.Posteriors(n.Unknown()); err != nil {
		log.Fatal(err)
	}
	_, err := n.WithMaxEntries(10).Posteriors(n.Unknown())
	fmt.Println(errors.Is(err, bayes.ErrWide))
	// Output: true
}
