package moments_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/moments"
	"example.org/pathsum/semiring/expr"
)

const symbols, labels = 3, 2

// weather returns a hidden Markov model of two kinds of days, which emits what was done, and
// the groups of its parameters: of the first day, the next days, and what was done.
func weather() (m *hmm.Model[int32], first *em.Group, next, done []*em.Group) {
	params := em.NewParams()
	emission, err := hmm.NewDiscrete(params, "activity", symbols, hmm.Each(labels), em.Multinomial{})
	check(err)
	m, err = hmm.New(params, hmm.Topology{States: labels}, em.Multinomial{}, emission)
	check(err)
	for y := range labels {
		next = append(next, m.Row(y))
	}
	return m, m.Initial(), next, emission.Groups()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// diaries returns sequences of what was done on six days, and what people said of the
// weather of each: half of the time the truth, and otherwise either, by the fall of a coin.
func diaries(n int) (survey *moments.Channel, data iter.Seq2[[]int32, []int]) {
	m, first, next, done := weather()
	copy(first.In(m.Theta), []float64{.7, .3})
	copy(next[0].In(m.Theta), []float64{.8, .2})
	copy(next[1].In(m.Theta), []float64{.4, .6})
	copy(done[0].In(m.Theta), []float64{.6, .3, .1})
	copy(done[1].In(m.Theta), []float64{.1, .2, .7})
	truth, err := m.Predictor()
	check(err)
	survey, err = moments.RandomizedResponse(.5, []float64{.5, .5})
	check(err)
	return survey, func(yield func([]int32, []int) bool) {
		src := rand.NewPCG(1, 2)
		rng := rand.New(src)
		for range n {
			s, err := truth.Sample(6, src)
			check(err)
			said := make([]int, len(s.States))
			for t, y := range s.States {
				if said[t] = int(y); rng.IntN(2) == 0 {
					said[t] = rng.IntN(labels)
				}
			}
			if !yield(s.Observations, said) {
				return
			}
		}
	}
}

// A hidden Markov model, from sequences whose labels were randomized one by one: β estimates the
// uses of its parameters.
func ExampleEstimate() {
	survey, data := diaries(20000)
	inverse, err := survey.Inverse()
	check(err)
	m, first, next, done := weather()
	beta := moments.Product(func([]int32, int) mat.Matrix { return inverse }, func(x []int32) iter.Seq[moments.Part] {
		return func(yield func(moments.Part) bool) {
			for t, symbol := range x {
				day := moments.Part{At: []int{t}, Add: func(dst []float64, y []int, times float64) {
					done[y[0]].In(dst)[symbol] += times
					if t == 0 {
						first.In(dst)[y[0]] += times
					}
				}}
				pair := moments.Part{At: []int{t - 1, t}, Add: func(dst []float64, y []int, times float64) {
					next[y[0]].In(dst)[y[1]] += times
				}}
				if !yield(day) || t > 0 && !yield(pair) {
					return
				}
			}
		}
	})
	total, _, err := beta.Total(m.Params.Len(), data)
	check(err)
	m.Theta, err = moments.Estimate(m.Params, total)
	check(err)
	fmt.Printf("first %.2f\n", first.In(m.Theta))
	for y := range labels {
		fmt.Printf("day %d: next %.2f, done %.2f\n", y, next[y].In(m.Theta), done[y].In(m.Theta))
	}
	// Output:
	// first [0.69 0.31]
	// day 0: next [0.81 0.19], done [0.60 0.30 0.10]
	// day 1: next [0.39 0.61], done [0.10 0.20 0.70]
}

// A custom model: a chain CRF as a transducer from activities to the weather, with a weight for
// each pair of activity and weather and for each pair of successive days, fitted to the same
// answers.
func ExampleProduct() {
	survey, data := diaries(20000)
	inverse, err := survey.Inverse()
	check(err)
	law, err := em.NewLogLinear(labels*symbols+labels*labels, nil, em.LogLinearOptions{})
	check(err)
	params := em.NewParams()
	w := params.Group("w", labels*symbols+labels*labels, law)
	emit := func(y, symbol int) int { return y*symbols + symbol }
	next := func(y, z int) int { return labels*symbols + y*labels + z }

	b := fst.NewBuilder(params.Space())
	start := b.AddStates(1 + labels) // the others are the label before
	b.AddStart(start, expr.One)
	for from := range int32(1 + labels) {
		b.SetFinal(from, expr.One)
		for y := range labels {
			for symbol := range symbols {
				weight := w.Weight(emit(y, symbol))
				if from > 0 {
					weight = params.Space().Times(weight, w.Weight(next(int(from)-1, y)))
				}
				b.AddArc(from, fst.Arc[expr.W]{In: int32(1 + symbol), Out: int32(1 + y), To: int32(1 + y), Weight: weight})
			}
		}
	}
	chain, err := b.Freeze()
	check(err)

	beta := moments.Product(func([]int32, int) mat.Matrix { return inverse }, func(x []int32) iter.Seq[moments.Part] {
		return func(yield func(moments.Part) bool) {
			for t, symbol := range x {
				day := moments.Part{At: []int{t}, Add: func(dst []float64, y []int, times float64) { dst[emit(y[0], int(symbol))] += times }}
				pair := moments.Part{At: []int{t - 1, t}, Add: func(dst []float64, y []int, times float64) { dst[next(y[0], y[1])] += times }}
				if !yield(day) || t > 0 && !yield(pair) {
					return
				}
			}
		}
	})
	total, _, err := beta.Total(params.Len(), data)
	check(err)

	var examples []cascade.Example // of which the labels are summed over
	for x := range data {
		in := make([]int32, len(x))
		for t, symbol := range x {
			in[t] = 1 + symbol
		}
		examples = append(examples, cascade.Example{X: cascade.Labels(in...)})
	}
	logPartition, err := cascade.Problem{Params: params, Stages: []cascade.Stage{chain}}.Likelihood(cascade.Data{Examples: examples})
	check(err)
	result, err := moments.Fit(context.Background(), logPartition, total, nil)
	check(err)
	v := func(i int) float64 { return result.Theta[i] }
	fmt.Printf("%v; the weather stays: %.2f\n", result.Status, v(next(0, 0))+v(next(1, 1))-v(next(0, 1))-v(next(1, 0)))
	fmt.Printf("label 1 rather than 0 for each symbol:")
	for symbol := range symbols {
		fmt.Printf(" %.2f", v(emit(1, symbol))-v(emit(0, symbol))-(v(emit(1, 1))-v(emit(0, 1))))
	}
	fmt.Println()
	// Output:
	// converged; the weather stays: 1.95
	// label 1 rather than 0 for each symbol: -1.43 0.00 2.40
}
