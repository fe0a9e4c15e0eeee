package em_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math"
	"os"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// In each of five rounds one of two coins was tossed ten times, but it is unknown which one. How
// often does each show heads?
func Example() {
	heads := []float64{5, 9, 8, 4, 7}
	params := em.NewParams()
	coins := []*em.Group{
		params.Group("first", 2, em.Multinomial{}),
		params.Group("second", 2, em.Multinomial{}),
	}
	coins[0].SetStart([]float64{.6, .4})
	likelihood := em.Sharded[em.Query, struct{}]{
		Package: "coins", Params: params, Cut: em.NewCut(len(heads)),
		Fingerprint: func(w io.Writer) { fmt.Fprint(w, heads) },
		Sum: func(_ *struct{}, q em.Query, round int, weight float64, t *em.Tally) (float64, error) {
			seen := []float64{heads[round], 10 - heads[round]}
			p, sum := make([]float64, len(coins)), 0. // p: each coin jointly with the round
			for c, coin := range coins {
				theta := coin.In(q.Theta)
				p[c] = .5 * math.Pow(theta[0], seen[0]) * math.Pow(theta[1], seen[1])
				sum += p[c]
			}
			for c, coin := range coins {
				for side, n := range seen {
					coin.In(t.Counts)[side] += weight * n * p[c] / sum
				}
			}
			return math.Log(sum), nil
		},
	}.Likelihood()
	result, err := em.Fit(context.Background(), likelihood, nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(result.Theta) {
		fmt.Printf("%s %.2f\n", name, p)
	}
	// Output:
	// first[0] 0.80
	// first[1] 0.20
	// second[0] 0.52
	// second[1] 0.48
}

// Each a may become b; then each b may be lost. How often, given only the
// input and the output? The string between the machines is hidden.
func ExampleFit() {
	const a, b, lost = 1, 2, fst.Epsilon
	params := em.NewParams()
	change := params.Group("change", 2, em.Multinomial{})
	loss := params.Group("loss", 2, em.Multinomial{})
	type arc = fst.Arc[expr.W]
	oneState := func(arcs ...arc) cascade.Stage {
		return fst.OneState(params.Space(), expr.One, arcs...)
	}
	stages := []cascade.Stage{
		oneState(arc{In: a, Out: b, Weight: change.Weight(0)}, arc{In: a, Out: a, Weight: change.Weight(1)}),
		oneState(arc{In: b, Out: lost, Weight: loss.Weight(0)}, arc{In: b, Out: b, Weight: loss.Weight(1)},
			arc{In: a, Out: a, Weight: expr.One}),
	}
	data := []cascade.Example{
		{X: cascade.Labels(a, a, a, a, a), Y: cascade.Labels(a, a, b)},
		{X: cascade.Labels(a, a, a, a, a), Y: cascade.Labels(a, a, a, a)},
	}
	likelihood, err := cascade.Problem{Params: params, Stages: stages}.Likelihood(cascade.Data{Examples: data})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: change %.3f, loss %.3f\n", result.Status, change.In(result.Theta)[0], loss.In(result.Theta)[0])
	// Output: converged: change 0.400, loss 0.750
}

// A mixture with much overlap, for which EM is slow: the steps of SQUAREM are logged.
func ExampleLogTo() {
	params := em.NewParams()
	mix := params.Group("mix", 2, em.Multinomial{})
	k := params.Space()
	var arcs []fst.Arc[expr.W]
	for i, heads := range []float64{.5, .6} { // two coins, of which one is thrown
		arcs = append(arcs, fst.Arc[expr.W]{Out: 1, Weight: k.Times(mix.Weight(i), k.Const(semiring.NewScaled(heads)))},
			fst.Arc[expr.W]{Out: 2, Weight: k.Times(mix.Weight(i), k.Const(semiring.NewScaled(1-heads)))})
	}
	f := letter(params, arcs...)
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}.Likelihood(cascade.Data{Examples: []cascade.Example{
		{Y: cascade.Labels(1), Weight: em.Times(57)}, {Y: cascade.Labels(2), Weight: em.Times(43)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case "iteration", "step":
			return a
		case "objective":
			return slog.String(a.Key, fmt.Sprintf("%.5f", a.Value.Float64()))
		}
		return slog.Attr{}
	}}))
	result, err := em.Fit(context.Background(), likelihood, &em.Options{Method: em.Squarem{}, Observer: em.LogTo(logger)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", result.Theta)
	// Output:
	// iteration=0 step=start objective=-68.41254
	// iteration=1 step="M step" objective=-68.41092
	// iteration=2 step=extrapolation objective=-68.40025
	// iteration=3 step="M step" objective=-68.39887
	// iteration=4 step=extrapolation objective=-68.36572
	// iteration=5 step="M step" objective=-68.36504
	// iteration=6 step=extrapolation objective=-68.33250
	// iteration=7 step="M step" objective=-68.33248
	// iteration=8 step=extrapolation objective=-68.33149
	// iteration=9 step="M step" objective=-68.33149
	// [0.300 0.700]
}
