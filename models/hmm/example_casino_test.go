package hmm_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// casino returns a model of throws 0 … 5 of a die that is fair (state 0) or loaded (state 1), and
// is rarely changed. The loaded die shows six, 5, half of the time.
func casino() *hmm.Model[int32] {
	params := em.NewParams()
	die := must(hmm.NewDiscrete(params, "die", 6, hmm.Each(2), em.Multinomial{}))
	m := must(hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, die))
	copy(die.Groups()[1].In(m.Theta), []float64{.1, .1, .1, .1, .1, .5})
	copy(m.Row(0).In(m.Theta), []float64{.95, .05})
	copy(m.Row(1).In(m.Theta), []float64{.1, .9})
	return m
}

// throws is six throws; the last ones are sixes.
var throws = hmm.Sequence[int32]{Observations: []int32{0, 3, 1, 5, 5, 5}}

// Was the die loaded? Given all throws, and given the throws so far.
func ExamplePredictor_Posteriors() {
	p := must(casino().Predictor())
	all, past := must(p.Posteriors(throws)), must(p.Filter(throws))
	for t := range all {
		fmt.Printf("%d: %.2f, at the time %.2f\n", throws.Observations[t]+1, all[t][1], past[t][1])
	}
	// Output:
	// 1: 0.55, at the time 0.38
	// 4: 0.57, at the time 0.26
	// 2: 0.65, at the time 0.18
	// 6: 0.80, at the time 0.44
	// 6: 0.85, at the time 0.69
	// 6: 0.84, at the time 0.84
}

// Which is more probable, three sixes or three ones?
func ExamplePredictor_LogProb() {
	p := must(casino().Predictor())
	for _, side := range []int32{5, 0} {
		nats := must(p.LogProb(hmm.Sequence[int32]{Observations: []int32{side, side, side}}))
		fmt.Printf("%.2f nats\n", nats)
	}
	// Output:
	// -2.87 nats
	// -5.87 nats
}

// A random game: sixes are more frequent if the die is loaded.
func ExamplePredictor_Sample() {
	p := must(casino().Predictor())
	game := must(p.Sample(20000, rand.NewPCG(1, 1)))
	var thrown, sixes [2]float64
	for t, state := range game.States {
		thrown[state]++
		if game.Observations[t] == 5 {
			sixes[state]++
		}
	}
	fmt.Printf("sixes: fair %.1f, loaded %.1f\n", sixes[0]/thrown[0], sixes[1]/thrown[1])
	// Output: sixes: fair 0.2, loaded 0.5
}

// A model in a file.
func ExampleModel_Save() {
	var file bytes.Buffer
	if err := casino().Save(&file); err != nil {
		fmt.Println(err)
	}
	m, die, err := hmm.LoadDiscrete(&file)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(die.States(), "states; six of the loaded die:", die.Groups()[1].In(m.Theta)[5])
	// Output: 2 states; six of the loaded die: 0.5
}

// Partially known games: −1 stands for an unknown state.
func ExampleSequence() {
	m := casino()
	game := hmm.Sequence[int32]{Observations: []int32{0, 1, 5, 5, 5, 2}, States: []int32{0, 0, 1, 1, 1, -1}}
	if _, err := m.Fit(context.Background(), []hmm.Sequence[int32]{game}, nil); err != nil {
		fmt.Println(err)
	}
	states, _, err := must(m.Predictor()).Best(game)
	fmt.Println(states, err)
	// Output: [0 0 1 1 1 1] <nil>
}

// Ice cream again, without labels of warm days. A random start makes the states differ. As a
// single start may lead to a poor local maximum, there are twenty more, and the best result
// counts.
func ExampleModel_StartRandom() {
	ctx := context.Background()
	data := []hmm.Sequence[int32]{{Observations: []int32{2, 2, 2, 1, 2, 2, 2, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 2, 2, 2, 1, 2}}}
	params := em.NewParams()
	cones, err := hmm.NewDiscrete(params, "cones", 3, hmm.Each(2), em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, cones)
	if err != nil {
		log.Fatal(err)
	}
	if err := m.StartRandom(data, rand.NewPCG(1, 2)); err != nil {
		log.Fatal(err)
	}
	random := &em.Options{Restarts: 20, Rand: rand.NewPCG(3, 4)}
	if _, err := m.Fit(ctx, data, random); err != nil {
		log.Fatal(err)
	}
	predictor, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	states, logp, err := predictor.Best(data[0])
	if err != nil {
		log.Fatal(err)
	}
	for t := range states { // the numbers of the states are anybody's guess
		fmt.Print(states[t]^states[0], " ")
	}
	fmt.Printf("%.1f nats\n", logp)
	// Output: 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 -15.5 nats
}

// Left to right: a word is a beginning, a middle and an end, each of any length. Next lists the
// transitions, and sequences end in the last state, so their length is random.
func ExampleTopology() {
	params := em.NewParams()
	sound := must(hmm.NewDiscrete(params, "sound", 3, hmm.Each(3), em.Multinomial{}))
	for i, g := range sound.Groups() {
		start := []float64{.1, .1, .1}
		start[i] = .8
		g.SetStart(start)
	}
	m := must(hmm.New(params, hmm.Topology{
		States: 3, Start: []int{0}, Next: [][]int{{0, 1}, {1, 2}, {2}}, Ends: []int{2},
	}, em.Multinomial{}, sound))
	data := []hmm.Sequence[int32]{{Observations: []int32{0, 0, 1, 1, 1, 2}}, {Observations: []int32{0, 1, 2, 2}}}
	if _, err := m.Fit(context.Background(), data, nil); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("stays in the middle with probability %.2f, ends with %.2f\n", m.Row(1).In(m.Theta)[0], m.Row(2).In(m.Theta)[1])
	// Output: stays in the middle with probability 0.50, ends with 0.67
}

// Heights of people in two rooms, visited one after the other. k-means finds a start, and EM
// continues from it.
func ExampleNewGaussian() {
	params := em.NewParams()
	law := em.NewGaussian(1)
	law.Prior = em.GaussianPrior{Degrees: 1, Scale: []float64{1}} // keeps variances from 0
	height := must(hmm.NewGaussian(params, "height", hmm.Each(2), law))
	m := must(hmm.New(params, hmm.Topology{States: 2}, em.Dirichlet{Alpha: 1.1}, height))
	var s hmm.Sequence[[]float64]
	for _, cm := range []float64{171, 169, 173, 167, 170, 112, 108, 110, 111, 109, 172, 168} {
		s.Observations = append(s.Observations, []float64{cm})
	}
	data := []hmm.Sequence[[]float64]{s}
	if err := hmm.StartKMeans(m, data, rand.NewPCG(1, 1)); err != nil {
		fmt.Println(err)
	}
	if _, err := m.Fit(context.Background(), data, nil); err != nil {
		fmt.Println(err)
	}
	states, _, err := must(m.Predictor()).Best(s)
	fmt.Println(states[0] == states[1], states[0] == states[5], err)
	for _, i := range []int32{states[0], states[5]} {
		fmt.Printf("mean %.0f cm\n", must(height.Density(m.Theta, int(i))).Mean()[0])
	}
	// Output:
	// true false <nil>
	// mean 170 cm
	// mean 110 cm
}
