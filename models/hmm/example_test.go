package hmm_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

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
	// A start that identifies the states: 0 is cold, 1 is warm.
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

// A lamp that is on for one step or for three, never for two, and off for two: a Markov chain of
// two states cannot have such stays. It was on four times, twice for each length.
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

// Sleep in two stages, with known laws of their stays: a night is drawn, and the most probable
// stages are inferred from movements, which are rare in deep sleep.
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

// A machine idles or works. Its power was measured on most days.
func ExampleStartKMeans() {
	params := em.NewParams()
	power, err := hmm.NewGaussian(params, "power", hmm.Each(2), em.NewGaussian(1))
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, power)
	if err != nil {
		log.Fatal(err)
	}
	data := []hmm.Sequence[[]float64]{{Observations: [][]float64{
		{1.1}, {.9}, {1.2}, {5.2}, {4.7}, nil, {5.5}, {4.9}, {1}, {.8}, nil, {1.3}, {5.1}, {4.6}}}}
	if err := hmm.StartKMeans(m, data, rand.NewPCG(1, 2)); err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), data, nil); err != nil {
		log.Fatal(err)
	}
	for state := range 2 {
		d, err := power.Density(m.Theta, state)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("state %d: mean %.2f, variance %.3f\n", state, d.Mean()[0], d.Covariance().At(0, 0))
	}
	predictor, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	states, _, err := predictor.Best(data[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(states)
	// Output:
	// state 0: mean 1.05, variance 0.029
	// state 1: mean 5.00, variance 0.093
	// [0 0 0 1 1 1 1 1 0 0 0 0 1 1]
}
