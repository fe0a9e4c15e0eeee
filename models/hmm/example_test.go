package hmm_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// On warm days one eats more ice cream. The diary says how much; were the days warm?
func Example() {
	params := em.NewParams()
	cones, err := hmm.NewDiscrete(params, "cones", 3, hmm.Each(2), em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, cones)
	if err != nil {
		log.Fatal(err)
	}
	// A start that says which state is which: 0 is cold, 1 is warm.
	copy(cones.Groups()[0].In(m.Theta), []float64{.7, .2, .1})
	copy(cones.Groups()[1].In(m.Theta), []float64{.1, .2, .7})
	for i, row := range [][]float64{{.8, .2}, {.2, .8}} {
		copy(m.Row(i).In(m.Theta), row)
	}
	diary := hmm.Sequence[int32]{Observations: []int32{
		1, 2, 2, 1, 2, 1, 2, 1, 1, 2, 0, 2, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0, 0, 0, 2, 2, 1, 2, hmm.Missing, 2, 1}}
	if _, err := m.Fit(context.Background(), []hmm.Sequence[int32]{diary}, nil); err != nil {
		log.Fatal(err)
	}
	s, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	days, _, err := s.Best(diary)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(days)
	share, err := m.Stationary()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("warm on %.0f %% of all days\n", 100*share[1])
	// Output:
	// [1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1]
	// warm on 44 % of all days
}
