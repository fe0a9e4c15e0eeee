package merge_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/em/merge"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// A writer repeats 2 1 2 one or more times; a third of the symbols arrive as 3. The written
// string is hidden: it is the string between two stages of a cascade. Splits turn one state that
// writes anything into a machine that writes these strings. State 3 is a copy of state 2 for the
// first symbol, where the string does not stop.
func ExampleRun_split() {
	rng := rand.New(rand.NewPCG(1, 2))
	var data cascade.Data
	for range 200 {
		var seen []int32
		for n := 3 * (1 + rng.IntN(3)); n > 0; n-- {
			seen = append(seen, []int32{2, 2, 1}[n%3])
			if rng.IntN(3) == 0 {
				seen[len(seen)-1] = 3
			}
		}
		data.Examples = append(data.Examples, cascade.Example{Y: cascade.Labels(seen...)})
	}
	loop := func(arcs ...fst.Arc[float64]) fst.Machine[float64] {
		return fst.OneState(semiring.Real{}, 1, arcs...)
	}
	arc := func(in, out int32) fst.Arc[float64] { return fst.Arc[float64]{In: in, Out: out, Weight: 1} }
	writer, channel := loop(arc(1, 1), arc(2, 2)), loop(arc(1, 1), arc(1, 3), arc(2, 2), arc(2, 3))
	setting := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
		c := cascade.Conditional(params, "channel", channel, em.Multinomial{})
		return cascade.Problem{Params: params, Stages: []cascade.Stage{stage, c}}, data, nil
	}
	r, err := merge.Run(context.Background(), writer, setting, &merge.Options{Options: em.Options{Rand: rand.NewPCG(1, 1)}})
	if err != nil {
		log.Fatal(err)
	}
	for s := range int32(r.Counts.NumStates()) {
		for _, a := range r.Counts.AppendArcs(nil, s) {
			fmt.Printf("%d -> %d: %d, %.0f times\n", s, a.To, a.In, a.Weight)
		}
	}
	// Output:
	// 0 -> 1: 1, 410 times
	// 1 -> 2: 2, 410 times
	// 2 -> 0: 2, 210 times
	// 3 -> 0: 2, 200 times
}
