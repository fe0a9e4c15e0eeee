package hmm_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// A lamp that is on for one step or for three, never for two, and off for two: no Markov chain of
// two states has such stays. It was on four times, twice for each length.
func ExampleDurations() {
	topology := hmm.Durations(2, 4)
	params := em.NewParams()
	light, err := hmm.NewDiscrete(params, "light", 2, topology.Of, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, topology, em.Multinomial{}, light)
	if err != nil {
		log.Fatal(err)
	}
	m.Theta = params.Random(rand.NewPCG(1, 2))
	copy(light.Groups()[0].In(m.Theta), []float64{.99, .01}) // state 0 is off, state 1 on
	copy(light.Groups()[1].In(m.Theta), []float64{.01, .99})
	seen := hmm.Sequence[int32]{Observations: []int32{1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0}}
	if _, err := m.Fit(context.Background(), []hmm.Sequence[int32]{seen}, nil); err != nil {
		log.Fatal(err)
	}
	for state, name := range []string{"off", "on"} {
		law := m.Duration(state)
		fmt.Printf("%s: mean %.2f, P(1), P(2), P(3) = %.2f\n", name, law.Mean(), law.Explicit)
	}
	fmt.Printf("on for a second step: %.2f\n", m.Transition(4, 5)) // of 4, 5, 6 and 7, which are on
	// Output:
	// off: mean 2.00, P(1), P(2), P(3) = [0.00 1.00 0.00]
	// on: mean 2.00, P(1), P(2), P(3) = [0.50 0.00 0.50]
	// on for a second step: 0.50
}

// Sleep in two stages, with laws of their stays that are known: a night is drawn, and the most
// probable stages are found again from movements that are seldom in deep sleep.
func ExampleModel_SetDuration() {
	topology := hmm.Durations(2, 3)
	params := em.NewParams()
	movement, err := hmm.NewDiscrete(params, "movement", 2, topology.Of, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, topology, em.Multinomial{}, movement)
	if err != nil {
		log.Fatal(err)
	}
	for state, stay := range []hmm.Duration{
		{Explicit: []float64{.1, .6}, Tail: .3, End: .8},
		{Explicit: []float64{0, .2}, Tail: .8, End: .25},
	} {
		if err := m.SetDuration(state, stay); err != nil {
			log.Fatal(err)
		}
	}
	copy(movement.Groups()[0].In(m.Theta), []float64{.1, .9})
	copy(movement.Groups()[1].In(m.Theta), []float64{.95, .05})
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	night, err := p.Sample(9, rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}
	best, _, err := p.Best(hmm.Sequence[int32]{Observations: night.Observations})
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println("moved", night.Observations)
	fmt.Println("slept", m.States(night.States))
	fmt.Println("found", m.States(best))
	// Output:
	// moved [0 0 0 1 0 0 0 0 0]
	// slept [1 1 1 0 1 1 1 1 1]
	// found [1 1 1 0 1 1 1 1 1]
}
