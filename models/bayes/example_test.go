package bayes_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"example.org/pathsum/convex"
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

// lawn returns the network of rain, sprinkler and grass.
func lawn() *bayes.Network {
	n, err := bayes.ReadBIF(strings.NewReader(sprinkler), "sprinkler.bif")
	if err != nil {
		log.Fatal(err)
	}
	return n
}

// How probable is what is known, whatever the rest?
func ExampleNetwork_LogProb() {
	n := lawn()
	for _, known := range []map[string]string{{"rain": "yes"}, {"rain": "yes", "grass": "wet"}} {
		row, err := n.Evidence(known)
		if err != nil {
			log.Fatal(err)
		}
		nats, err := n.LogProb(row)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.4f\n", math.Exp(nats))
	}
	// Output:
	// 0.2000
	// 0.1604
}

// What is not known, by name. When the grass is wet, it rained with .2·(.01·.99 + .99·.8) of
// that and .8·.4·.9.
func ExamplePosterior_P() {
	n := lawn()
	row, err := n.Evidence(map[string]string{"grass": "wet"})
	if err != nil {
		log.Fatal(err)
	}
	p, err := n.Posteriors(row)
	if err != nil {
		log.Fatal(err)
	}
	rain, none := .2*(.01*.99+.99*.8), .8*.4*.9
	fmt.Printf("rain %.4f, by hand %.4f; wet %v\n", p.P("rain", "yes"), rain/(rain+none), p.P("grass", "wet"))
	// Output: rain 0.3577, by hand 0.3577; wet 1
}

// Missing cells drawn together, as imputation wants them: when the grass is wet, either it rained
// or the sprinkler was on, or both.
func ExampleNetwork_Complete() {
	n, rng := lawn(), rand.NewPCG(1, 2)
	wet, err := n.Evidence(map[string]string{"grass": "wet"})
	if err != nil {
		log.Fatal(err)
	}
	neither := 0
	for range 1000 {
		row, err := n.Complete(wet, rng)
		if err != nil {
			log.Fatal(err)
		}
		if n.Variables()[0].States[int(row[0])] == "no" && n.Variables()[1].States[int(row[1])] == "off" {
			neither++
		}
	}
	fmt.Println(neither)
	// Output: 0
}

// A network written for other tools.
func ExampleNetwork_WriteBIF() {
	coin, err := bayes.New([]bayes.Variable{{Name: "coin", States: []string{"heads", "tails"}}},
		[]bayes.Family{{Children: []int{0}, Table: []float64{.25, .75}}})
	if err != nil {
		log.Fatal(err)
	}
	if err := coin.WriteBIF(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// network unknown {
	// }
	// variable coin {
	//   type discrete [ 2 ] { heads, tails };
	// }
	// probability ( coin ) {
	//   table 0.25, 0.75;
	// }
}

// A file that also holds what BIF cannot, continuous variables: how far is it, if it takes an hour
// on foot or by bicycle?
func ExampleNetwork_Save() {
	n, err := bayes.New([]bayes.Variable{{Name: "by", States: []string{"foot", "bicycle"}}, {Name: "km"}}, []bayes.Family{
		{Children: []int{0}, Table: []float64{.5, .5}},
		{Children: []int{1}, Parents: []int{0}, Normals: []bayes.Normal{
			{Mean: []float64{5}, Covariance: []float64{1}}, {Mean: []float64{15}, Covariance: []float64{9}},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := n.Save(&file); err != nil {
		log.Fatal(err)
	}
	if n, err = bayes.Load(&file); err != nil {
		log.Fatal(err)
	}
	p, err := n.Posteriors(n.Unknown())
	if err != nil {
		log.Fatal(err)
	}
	mean, variance, err := p.Moments(1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f ± %.1f km\n", mean, math.Sqrt(variance)) // variance: (1+9)/2 within, 25 between
	// Output: 10 ± 5.5 km
}

// mail is eight messages: spam or not, or not known (NaN), and whether two words are in them.
var mail = []bayes.Row{
	{0, 1, 1}, {0, 1, 0}, {1, 0, 0}, {1, 0, 1}, {math.NaN(), 1, 1}, {math.NaN(), 1, 1}, {math.NaN(), 0, 0}, {math.NaN(), 0, 0},
}

// filter returns an untrained model of mail.
func filter() *bayes.Model {
	yes := []string{"no", "yes"}
	n, err := bayes.NaiveBayes(bayes.Variable{Name: "class", States: []string{"spam", "mail"}},
		bayes.Variable{Name: "prize", States: yes}, bayes.Variable{Name: "click", States: yes})
	if err != nil {
		log.Fatal(err)
	}
	m, err := bayes.NewModel(n, bayes.SameLaw(em.Dirichlet{Alpha: 2}))
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// Half of the messages have no label; they are learnt from all the same.
func ExampleNaiveBayes() {
	ctx, m, rows := context.Background(), filter(), mail
	if _, err := m.Fit(ctx, bayes.Data{Rows: rows}, nil); err != nil {
		log.Fatal(err)
	}
	fitted, err := m.Network()
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range []bayes.Row{{math.NaN(), 1, 1}, {math.NaN(), 0, 1}} {
		p, err := fitted.Posteriors(row)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("spam %.2f\n", p.P("class", "spam"))
	}
	// Output:
	// spam 0.86
	// spam 0.31
}

// Discriminative training of the same network, by the labelled messages: P(class | words).
func ExampleModel_ConditionalLikelihood() {
	m := filter()
	likelihood, err := m.ConditionalLikelihood(bayes.Data{Rows: mail[:4]}, 1, 2)
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, &em.Options{Method: em.LBFGS{}, Start: m.Theta})
	if err != nil {
		log.Fatal(err)
	}
	m.Theta = result.Theta
	n, err := m.Network()
	if err != nil {
		log.Fatal(err)
	}
	best, _, err := n.Best(bayes.Row{math.NaN(), 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n.Variables()[0].States[int(best[0])])
	// Output: spam
}

// Training cannot know which state of a hidden class is called what. Some labelled rows can.
func ExampleNetwork_Match() {
	m := filter()
	m.Theta = m.Params.Random(rand.NewPCG(2, 2))
	if _, err := m.Fit(context.Background(), bayes.Data{Rows: bayes.Hide(mail, 0)}, nil); err != nil {
		log.Fatal(err)
	}
	n, err := m.Network()
	if err != nil {
		log.Fatal(err)
	}
	if n, err = n.Match(mail[:4], 0); err != nil {
		log.Fatal(err)
	}
	p, err := n.Posteriors(bayes.Row{math.NaN(), 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("spam more probable:", p.P("class", "spam") > .5)
	// Output: spam more probable: true
}

// A start without randomness: the classes by a convex relaxation, and EM from there.
func ExampleNetwork_Relax() {
	m := filter()
	n, err := m.Network()
	if err != nil {
		log.Fatal(err)
	}
	data := bayes.Data{Rows: bayes.Hide(mail, 0)}
	problem, err := n.Relax(data, .1)
	if err != nil {
		log.Fatal(err)
	}
	polish, err := m.Polish(data, nil)
	if err != nil {
		log.Fatal(err)
	}
	s, err := problem.Fit(context.Background(), convex.Fitting{Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)}, Polish: polish})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Rounded.Labels[0])
	fmt.Printf("%.1f nats\n", s.Polished.LogLikelihood)
	// Output:
	// [0 1 1 0 0 0 1 1]
	// -11.1 nats
}

// The mean loss of complete rows: of a coin that falls heads in a quarter of throws, ln 4 for heads
// and ln 4/3 for tails.
func ExampleNetwork_LogLoss() {
	coin, err := bayes.New([]bayes.Variable{{Name: "coin", States: []string{"heads", "tails"}}},
		[]bayes.Family{{Children: []int{0}, Table: []float64{.25, .75}}})
	if err != nil {
		log.Fatal(err)
	}
	loss, err := coin.LogLoss([]bayes.Row{{0}, {1}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f, %.3f\n", loss, (math.Log(4)+math.Log(4./3))/2)
	// Output: 0.837, 0.837
}
