package privacy_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"example.org/pathsum/moments/privacy"
)

// What two thousand people weigh and how tall they are, one bit of each.
func Example() {
	domain, err := privacy.NewDomain(privacy.Range{Lo: 30, Hi: 150}, privacy.Range{Lo: 1.2, Hi: 2.2})
	if err != nil {
		log.Fatal(err)
	}
	mechanism, err := privacy.NewCoordinateRelease(domain, nil, 2, privacy.Tight)
	if err != nil {
		log.Fatal(err)
	}
	// Only here, for the same output every time: otherwise nil.
	source := privacy.NotPrivate(rand.NewPCG(1, 2))
	people := rand.New(rand.NewPCG(3, 4))
	var records []privacy.Record
	for range 2000 {
		kg, m := 75+12*people.NormFloat64(), 1.7+.1*people.NormFloat64()
		s, err := domain.Clip([]float64{kg, m})
		if err != nil {
			log.Fatal(err)
		}
		r, err := mechanism.Release(s, source)
		if err != nil {
			log.Fatal(err)
		}
		records = append(records, r)
	}
	e, err := privacy.Mean(privacy.All(records))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ε = %.3g: %.0f ± %.0f kg, %.2f ± %.2f m\n", mechanism.Loss(), e.Mean[0], e.StdErr[0], e.Mean[1], e.StdErr[1])
	// Output: ε = 2: 75 ± 3 kg, 1.63 ± 0.04 m
}

// The frequency of a rare category among eight: the standard deviation of a record's observation,
// by mechanism and ε, from all outcomes and their probabilities.
func ExampleNewPerValue() {
	dense, err := privacy.NewDomain(slices.Repeat([]privacy.Range{{Lo: 0, Hi: 1}}, 8)...)
	if err != nil {
		log.Fatal(err)
	}
	domain, err := dense.Sparse(1)
	if err != nil {
		log.Fatal(err)
	}
	of, err := domain.Check([]float64{1, 0, 0, 0, 0, 0, 0, 0}) // another category
	if err != nil {
		log.Fatal(err)
	}
	epsilons := []float64{.5, 1, 2, 4, 8}
	fmt.Printf("%-21s%7.1f\n", "ε", epsilons)
	row := func(name string, deviation func(epsilon float64) float64) {
		var row []float64
		for _, e := range epsilons {
			row = append(row, deviation(e))
		}
		fmt.Printf("%-21s%7.2f\n", name, row)
	}
	row("randomized response", func(e float64) float64 {
		m, err := privacy.NewRandomizedResponse(8, nil, e)
		return deviation(m, err, 0)
	})
	row("coordinate release", func(e float64) float64 {
		m, err := privacy.NewCoordinateRelease(domain, nil, e, privacy.Tight)
		return deviation(m, err, of)
	})
	row("per value, published", func(e float64) float64 {
		m, err := privacy.NewPerValue(domain, e, privacy.Published)
		return deviation(m, err, of)
	})
	row("per value, optimized", func(e float64) float64 {
		m, err := privacy.NewPerValue(domain, e, privacy.Optimized)
		return deviation(m, err, of)
	})
	// Output:
	// ε                    [    0.5     1.0     2.0     4.0     8.0]
	// randomized response  [   4.26    1.72    0.57    0.15    0.02]
	// coordinate release   [   5.60    2.71    1.20    0.39    0.05]
	// per value, published [   3.99    1.98    0.96    0.43    0.14]
	// per value, optimized [   3.96    1.92    0.85    0.28    0.04]
}

// deviation returns the standard deviation of the observation of statistic 7.
func deviation[D any](m privacy.Mechanism[D], err error, data D) float64 {
	if err != nil {
		log.Fatal(err)
	}
	outcomes, err := m.Outcomes(data)
	if err != nil {
		log.Fatal(err)
	}
	mean, square := 0.0, 0.0
	for _, o := range outcomes {
		p, _ := o.P.Float64()
		x := o.Record.Observation()[7]
		mean += p * x
		square += p * x * x
	}
	return math.Sqrt(square - mean*mean)
}

// Records are sent as lines of JSON to a collector with the same mechanism.
func ExampleCollector() {
	survey := func() *privacy.RandomizedResponse {
		m, err := privacy.NewRandomizedResponse(3, nil, 1)
		if err != nil {
			log.Fatal(err)
		}
		return m.Named("How did you get here: on foot, by bicycle, by car?")
	}
	device, sent := survey(), &bytes.Buffer{}
	source := privacy.NotPrivate(rand.NewPCG(5, 6)) // only here: otherwise nil
	for i := range 10000 {
		r, err := device.Release(min(2, i%4), source)
		if err != nil {
			log.Fatal(err)
		}
		line, err := r.MarshalJSON()
		if err != nil {
			log.Fatal(err)
		}
		sent.Write(append(line, '\n'))
	}
	e, err := privacy.Mean(privacy.NewCollector(survey()).Records(sent))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d records: %.2f ± %.2f\n", e.Records, e.Mean, e.StdErr)
	// Output: 10000 records: [0.25 0.25 0.50] ± [0.01 0.01 0.01]
}

// question returns randomized response to a question of two answers, with a loss of ε = 1.
func question() *privacy.RandomizedResponse {
	m, err := privacy.NewRandomizedResponse(2, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// The same question three times to a person whose budget is 2.
func ExampleSpend() {
	ledger, err := privacy.NewLedger[string](2)
	if err != nil {
		log.Fatal(err)
	}
	for range 3 {
		_, err := privacy.Spend(ledger, "Ada", question(), 1, nil)
		fmt.Printf("spent %.1f, refused: %t\n", ledger.Spent("Ada"), errors.Is(err, privacy.ErrBudget))
	}
	// Output:
	// spent 1.0, refused: false
	// spent 2.0, refused: false
	// spent 2.0, refused: true
}

// A ledger in a file includes the losses from before the program was started.
func ExampleOpenLedger() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for range 2 {
		ledger, err := privacy.OpenLedger(filepath.Join(dir, "spent"), 5)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := privacy.Spend(ledger, "Ada", question(), 1, nil); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f of 5\n", ledger.Spent("Ada"))
		if err := ledger.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 1.0 of 5
	// 2.0 of 5
}

// Two ledgers of one study: Ada is in both, Ben in one. Ada's loss is the sum.
func ExampleComposed() {
	first, err := privacy.NewLedger[string](5)
	if err != nil {
		log.Fatal(err)
	}
	second, err := privacy.NewLedger[string](5)
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range []struct {
		ledger *privacy.Ledger[string]
		person string
	}{{first, "Ada"}, {first, "Ben"}, {second, "Ada"}} {
		if _, err := privacy.Spend(entry.ledger, entry.person, question(), 0, nil); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%.1f %.1f\n", first.Loss(), privacy.Composed(first, second))
	fmt.Printf("%.1f %.1f\n", privacy.Parallel(1, 1, 2), privacy.Sequential(1, 1, 2))
	// Output:
	// 1.0 2.0
	// 2.0 4.0
}

// How much does a record reveal? The loss by a formula, and from all outcomes.
func ExampleEnumeratedLoss() {
	m := question()
	loss, err := privacy.EnumeratedLoss(m, []int{0, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the answer itself with probability %.3f; ε = %.3f, %.3f\n", m.Keep(), m.Loss(), loss)
	// Output: the answer itself with probability 0.462; ε = 1.000, 1.000
}

// If records are counted in several processes, their tallies are merged. A quarter of people say
// yes.
func ExampleTally_Merge() {
	var all privacy.Tally
	m, source := question(), privacy.NotPrivate(rand.NewPCG(1, 2)) // only here: otherwise nil
	for range 4 {
		var here privacy.Tally
		for i := range 5000 {
			r, err := m.Release(min(1, i%4), source)
			if err != nil {
				log.Fatal(err)
			}
			if err := here.Add(r); err != nil {
				log.Fatal(err)
			}
		}
		if err := all.Merge(&here); err != nil {
			log.Fatal(err)
		}
	}
	e, err := all.Estimate()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d records: %.2f ± %.2f\n", e.Records, e.Mean[0], e.StdErr[0])
	// Output: 20000 records: 0.25 ± 0.01
}

// What is the slope of y = 2x + 1 + noise, if x and y are not released? A regression needs the
// means of four products. Each person releases one of them, as one randomized bit.
func Example_regression() {
	domain, err := privacy.NewDomain(slices.Repeat([]privacy.Range{{Lo: -4, Hi: 4}}, 4)...)
	if err != nil {
		log.Fatal(err)
	}
	mechanism, err := privacy.NewCoordinateRelease(domain, nil, 2, privacy.Tight)
	if err != nil {
		log.Fatal(err)
	}
	people := rand.New(rand.NewPCG(1, 2))
	source := privacy.NotPrivate(rand.NewPCG(3, 4)) // only here: otherwise nil
	var tally privacy.Tally
	for range 40000 {
		x := 2*people.Float64() - 1
		y := 2*x + 1 + .5*people.NormFloat64()
		s, err := domain.Clip([]float64{x, y, x * x, x * y})
		if err != nil {
			log.Fatal(err)
		}
		r, err := mechanism.Release(s, source)
		if err != nil {
			log.Fatal(err)
		}
		if err := tally.Add(r); err != nil {
			log.Fatal(err)
		}
	}
	e, err := tally.Estimate()
	if err != nil {
		log.Fatal(err)
	}
	x, y, xx, xy := e.Mean[0], e.Mean[1], e.Mean[2], e.Mean[3]
	fmt.Printf("slope %.1f\n", (xy-x*y)/(xx-x*x))
	// Output: slope 2.0
}

// Height and weight form one group, and age another. A group is released as a whole, with a bit for
// each statistic that gets half of ε.
func ExampleNewGroupRelease() {
	domain, err := privacy.NewDomain(privacy.Range{Lo: 1, Hi: 2.2}, privacy.Range{Lo: 30, Hi: 150}, privacy.Range{Lo: 0, Hi: 120})
	if err != nil {
		log.Fatal(err)
	}
	m, err := privacy.NewGroupRelease(domain, [][]int{{0, 1}, {2}}, []float64{.75, .25}, 1, privacy.Tight)
	if err != nil {
		log.Fatal(err)
	}
	s, err := domain.Check([]float64{1.7, 70, 36})
	if err != nil {
		log.Fatal(err)
	}
	outcomes, err := m.Outcomes(s)
	if err != nil {
		log.Fatal(err)
	}
	mean := make([]float64, m.Dim())
	for _, o := range outcomes {
		p, _ := o.P.Float64()
		for i, x := range o.Record.Observation() {
			mean[i] += p * x
		}
	}
	fmt.Printf("%d outcomes, on average %.1f; ε = %.1f\n", len(outcomes), mean, m.Loss())
	// Output: 6 outcomes, on average [1.7 70.0 36.0]; ε = 1.0
}

// The question is only whether an answer is one of the first two. A mechanism for four answers is
// turned into a mechanism for this question, whose records have the same meaning and reveal less.
func ExampleNewSufficient() {
	answers, err := privacy.NewRandomizedResponse(4, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	s, err := privacy.NewSufficient(answers, []int{0, 1, 2, 3}, []int{0, 0, 1, 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ε %.2f instead of %.2f\n", s.Loss(), answers.Loss())
	// Output: ε 0.62 instead of 1.00
}
