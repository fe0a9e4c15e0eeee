package privacy_test

import (
	"fmt"
	"log"
	"math/rand/v2"

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
	source := privacy.NotPrivate(rand.NewPCG(1, 2)) // only here, for the same output every time: otherwise nil
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
	mean, stderr, err := privacy.Mean(records)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ε = %.3g: %.0f ± %.0f kg, %.2f ± %.2f m\n", mechanism.Loss(), mean[0], stderr[0], mean[1], stderr[1])
	// Output: ε = 2: 75 ± 3 kg, 1.63 ± 0.04 m
}
