package privacy_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/moments/privacy"
)

// What is the slope of y = 2x + 1 + noise, if nobody tells x and y? A regression needs the means
// of four products. Each person releases one of them, as one randomized bit.
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

// Height and weight belong together, and so does age with nothing: a group is released as a
// whole, with a bit for each statistic that gets half of ε.
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
