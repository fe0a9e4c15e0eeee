package privacy_test

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
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

// How often a rare one of eight categories occurs: the standard deviation of what a record
// says, by mechanism and ε, from all outcomes and their probabilities.
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

// Records are sent as lines of JSON to somebody who knows the mechanism, too.
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
