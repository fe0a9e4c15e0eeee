package bayes_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/models/bayes"
)

const sprinkler = `
variable rain      { type discrete [ 2 ] { yes, no }; }
variable sprinkler { type discrete [ 2 ] { on, off }; }
variable grass     { type discrete [ 2 ] { wet, dry }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( sprinkler | rain ) { (yes) 0.01, 0.99; (no) 0.4, 0.6; }
probability ( grass | sprinkler, rain ) {
  (on, yes) 0.99, 0.01; (on, no) 0.9, 0.1; (off, yes) 0.8, 0.2; (off, no) 0, 1;
}`

// Why is the grass wet?
func Example() {
	n, err := bayes.ReadBIF(strings.NewReader(sprinkler), "sprinkler.bif")
	if err != nil {
		log.Fatal(err)
	}
	row, err := n.Evidence(map[string]string{"grass": "wet"})
	if err != nil {
		log.Fatal(err)
	}
	p, err := n.Posteriors(row)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(wet) = %.4f\n", math.Exp(p.LogProb))
	fmt.Printf("P(rain | wet) = %.4f\n", p.P("rain", "yes"))
	best, _, err := n.Best(row)
	if err != nil {
		log.Fatal(err)
	}
	for v, x := range best {
		fmt.Print(n.Variables()[v].Name, " ", n.Variables()[v].States[int(x)], "; ")
	}
	fmt.Println()
	// Output:
	// P(wet) = 0.4484
	// P(rain | wet) = 0.3577
	// rain no; sprinkler on; grass wet;
}

// The tables again, from rows in which rain was never seen, but for those of grass, which
// are known.
func ExampleModel_Fit() {
	n, err := bayes.ReadBIF(strings.NewReader(sprinkler), "sprinkler.bif")
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var rows []bayes.Row
	for range 5000 {
		rows = append(rows, n.Sample(rng))
	}
	grass := n.Variable("grass")
	m, err := bayes.NewModel(n, func(v, _ int) em.Law {
		if v == grass {
			return em.Fixed{}
		}
		return em.Dirichlet{Alpha: 2}
	})
	if err != nil {
		log.Fatal(err)
	}
	m.Theta = m.Params.Random(rng)
	data := bayes.Data{Rows: bayes.Hide(rows, n.Variable("rain"))}
	if _, err := m.Fit(context.Background(), data, &em.Options{Iterations: 1000}); err != nil {
		log.Fatal(err)
	}
	fit, err := m.Network()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(rain) = %.1f\n", fit.Family(0).Table[0])
	// Output: P(rain) = 0.2
}

// Two clusters of numbers, found by EM from six starts.
func ExampleNewMixture() {
	x := [][]float64{{1.1}, {0.9}, {1.0}, {1.3}, {5.2}, {4.8}, {5.0}, {4.9}}
	prior := em.GaussianPrior{Degrees: 1, Scale: []float64{.1}}
	m, data, err := bayes.NewMixture(x, 2, bayes.Diagonal, prior)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), data, &em.Options{Restarts: 5, Rand: rand.NewPCG(1, 2)}); err != nil {
		log.Fatal(err)
	}
	n, err := m.Network()
	if err != nil {
		log.Fatal(err)
	}
	low, err := n.Posteriors(bayes.Row{math.NaN(), 1.2})
	if err != nil {
		log.Fatal(err)
	}
	high, err := n.Posteriors(bayes.Row{math.NaN(), 4})
	if err != nil {
		log.Fatal(err)
	}
	same := 0.
	for c, p := range low.States(0) {
		same += p * high.States(0)[c]
	}
	fmt.Printf("1.2 and 4 are of the same cluster with probability %.2f\n", same)
	// Output: 1.2 and 4 are of the same cluster with probability 0.00
}
