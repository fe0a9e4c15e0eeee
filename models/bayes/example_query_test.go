package bayes_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
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
func ExampleNetwork_PosteriorsOf() {
	n := lawn()
	row, err := n.Evidence(map[string]string{"sprinkler": "on"})
	if err != nil {
		log.Fatal(err)
	}
	p, err := n.PosteriorsOf(row, n.Variable("rain"), n.Variable("sprinkler"))
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
	fmt.Println(errors.Is(err, bayes.ErrTreewidth))
	// Output: true
}

// friends returns the factor graph of three friends, each two of whom agree twice as often as they
// would by chance.
func friends() *bayes.FactorGraph {
	var variables []bayes.Variable
	for _, name := range []string{"Ann", "Bob", "Cy"} {
		variables = append(variables, bayes.Variable{Name: name, States: []string{"no", "yes"}})
	}
	agree := []float64{2, 1, 1, 2}
	g, err := bayes.NewFactorGraph(variables, []bayes.Factor{
		{Variables: []int{0, 1}, Table: agree},
		{Variables: []int{1, 2}, Table: agree},
		{Variables: []int{2, 0}, Table: agree},
	})
	if err != nil {
		log.Fatal(err)
	}
	return g
}

// Nobody is the parent of anybody. All agree with the weight 2·2·2, two of three with 2·1·1.
func ExampleFactorGraph() {
	g := friends()
	logZ, err := g.LogPartition(g.Unknown())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Z = %.0f\n", math.Exp(logZ)) // 2·8 + 6·2
	row, err := g.Evidence(map[string]string{"Ann": "yes"})
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.Posteriors(row)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(Bob says yes | Ann does) = %.3f\n", p.P("Bob", "yes")) // (8 + 2) / (8 + 2 + 2 + 2)
	// Output:
	// Z = 28
	// P(Bob says yes | Ann does) = 0.714
}

// Three friends' answers, one of which is missing, make the tables of their factor graph: from
// moments, and without Z by pseudolikelihood, which needs complete rows.
func ExampleFactorModel() {
	nan := math.NaN()
	rows := []bayes.Row{{1, 1, 1}, {1, 1, 0}, {0, 0, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 1}}
	m, err := bayes.NewFactorModel(friends(), em.LogLinearOptions{Sigma: 1})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.FitPseudo(context.Background(), bayes.Data{Rows: rows}, nil); err != nil {
		log.Fatal(err)
	}
	result, err := m.Fit(context.Background(), bayes.Data{Rows: append(rows, bayes.Row{1, 1, nan})}, nil)
	if err != nil {
		log.Fatal(err)
	}
	g, err := m.FactorGraph()
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.PosteriorsOf(g.Unknown(), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v; P(Bob says yes) = %.2f\n", result.Status, p[0][1])
	// Output: converged; P(Bob says yes) = 0.56
}
