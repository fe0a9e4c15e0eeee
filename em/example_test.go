package em_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A channel copies a letter, changes it or drops it. Which it did to which letter is not
// observed; strings before and after are. What becomes of ba?
func Example() {
	ctx := context.Background()
	var arcs []fst.Arc[bool]
	for _, in := range "ab" {
		for _, out := range []rune{'a', 'b', fst.Epsilon} { // ε: dropped
			arcs = append(arcs, fst.Arc[bool]{In: in, Out: out, Weight: true})
		}
	}
	plain, err := fst.OneState(semiring.Boolean{}, true, arcs...)
	if err != nil {
		log.Fatal(err)
	}

	params := em.NewParams()
	channel, err := em.Conditional(params, "channel", plain, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	model := em.NewModel(em.Problem{Params: params, Cascade: []em.Stage{channel}})
	data := em.Pairs([][2]string{{"aba", "aba"}, {"bba", "ba"}, {"aaa", "aaa"}, {"ba", "a"}})
	result, err := model.Fit(ctx, data, nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(result.Theta) {
		if p > 1e-3 {
			fmt.Printf("%s %.2f\n", name, p)
		}
	}
	trained, err := em.Instantiate(params, channel, result.Theta, semiring.Real{})
	if err != nil {
		log.Fatal(err)
	}
	for out, err := range fst.ApplyText(trained, "ba", 0) {
		if err != nil {
			log.Fatal(err)
		}
		if out.Weight > 1e-3 {
			fmt.Printf("%s %.2f\n", out.Text, out.Weight)
		}
	}
	// Output:
	// channel/0/a[a:a] 1.00
	// channel/0/b[b:b] 0.50
	// channel/0/b[b:ε] 0.50
	// a 0.50
	// ba 0.50
}

// Expected counts are the gradient of the log likelihood with respect to ln θ.
func ExampleProblem_Likelihood() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	f, err := fst.OneState(params.Space(), coin.Weight(1), fst.Arc[expr.W]{In: 1, Out: 1, Weight: coin.Weight(0)})
	if err != nil {
		log.Fatal(err)
	}
	problem := em.Problem{Params: params, Cascade: []em.Stage{f}}
	likelihood, err := problem.Likelihood(em.Data{Examples: []em.Example{{X: em.Labels(1, 1, 1)}}})
	if err != nil {
		log.Fatal(err)
	}
	e, err := likelihood.Expect(context.Background(), em.Query{Theta: []float64{.5, .5}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f nats, heads %.0f, tails %.0f\n", e.LogLikelihood, e.Counts[0], e.Counts[1])
	// Output: -2.7726 nats, heads 3, tails 1
}

// Each a may become b; then each b may be lost. How often, if all one ever sees is
// what went in and what came out? The string between the machines stays hidden.
func ExampleFit() {
	const a, b, lost = 1, 2, fst.Epsilon
	params := em.NewParams()
	change := params.Group("change", 2, em.Multinomial{})
	loss := params.Group("loss", 2, em.Multinomial{})
	type arc = fst.Arc[expr.W]
	oneState := func(arcs ...arc) *fst.FST[expr.W] {
		f, err := fst.OneState(params.Space(), expr.One, arcs...)
		if err != nil {
			log.Fatal(err)
		}
		return f
	}
	cascade := []em.Stage{
		oneState(arc{In: a, Out: b, Weight: change.Weight(0)}, arc{In: a, Out: a, Weight: change.Weight(1)}),
		oneState(arc{In: b, Out: lost, Weight: loss.Weight(0)}, arc{In: b, Out: b, Weight: loss.Weight(1)},
			arc{In: a, Out: a, Weight: expr.One}),
	}
	data := []em.Example{
		{X: em.Labels(a, a, a, a, a), Y: em.Labels(a, a, b)},
		{X: em.Labels(a, a, a, a, a), Y: em.Labels(a, a, a, a)},
	}
	likelihood, err := em.Problem{Params: params, Cascade: cascade}.Likelihood(em.Data{Examples: data})
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

// A mixture with much overlap, where EM is slow: what SQUAREM does is logged.
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
	likelihood, err := em.Problem{Params: params, Cascade: []em.Stage{f}}.Likelihood(em.Data{Examples: []em.Example{
		{Y: em.Labels(1), Weight: em.Times(57)}, {Y: em.Labels(2), Weight: em.Times(43)},
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

// A trained machine becomes an ordinary one over any ring of probabilities: here over
// costs, −ln p, in the text that OpenFst's fstcompile reads.
func ExampleInstantiate() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	f, err := fst.OneState(params.Space(), coin.Weight(1), fst.Arc[expr.W]{In: 1, Out: 2, Weight: coin.Weight(0)})
	if err != nil {
		log.Fatal(err)
	}
	tropical := semiring.Tropical{}
	costs, err := em.Instantiate(params, f, []float64{.75, .25}, tropical)
	if err != nil {
		log.Fatal(err)
	}
	if err := fstio.WriteText(os.Stdout, costs, nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0	0	1	2	0.2876820724517809
	// 0	1.3862943611198906
}
