package agree_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// A field of black and white cells prefers equal neighbours, by e^1 for each such pair, and
// white, by e^.3 for each cell. The sum over all fields takes time 2^width per cell. Submodels of
// a few cells each, which overlap and share their two parameters, have cheap sums, and
// Independent adds their likelihoods. The submodels of a row or a cell, given all surrounding
// cells, are composite likelihoods (Lindsay 1988); for single cells they are Besag's
// pseudo-likelihood of 1975. Both come close to the full likelihood, single cells less closely.
// Submodels of pairs without the surrounding cells, the piecewise likelihood of Sutton and
// McCallum (2005), are cheapest. They are not consistent: each pair alone must explain the effect
// of all paths around it.
func Example_composite() {
	const width, height = 3, 4
	params := em.NewParams()
	strength := params.Group("strength", 2, must(em.NewLogLinear(2, nil, em.LogLinearOptions{})))
	var weights cellWeights
	for colour := range weights {
		for equal := range weights[colour] {
			w := expr.One
			if colour == 1 {
				w = strength.Weight(0)
			}
			for range equal {
				w = params.Space().Times(w, strength.Weight(1))
			}
			weights[colour][equal] = w
		}
	}

	type submodel struct{ cells, free []int } // all its cells, and the cells that it sums over
	var all, pairs, cells, rows []submodel
	every := interval(0, width*height)
	fields := sampleFields(params, weights, []float64{.3, 1}, width, every)
	all = append(all, submodel{every, every})
	for i := range every {
		cells = append(cells, submodel{every, []int{i}})
		if i%width == 0 {
			rows = append(rows, submodel{every, interval(i, i+width)})
		} else {
			pairs = append(pairs, submodel{[]int{i - 1, i}, []int{i - 1, i}})
		}
		if i >= width {
			pairs = append(pairs, submodel{[]int{i - width, i}, []int{i - width, i}})
		}
	}
	for _, way := range []struct {
		name      string
		submodels []submodel
	}{{"likelihood", all}, {"rows", rows}, {"cells", cells}, {"pairs", pairs}} {
		var seen, possible []em.Likelihood
		for _, m := range way.submodels {
			sum := func(free []int) em.Likelihood {
				return must(cascade.Derivations{Examples: len(fields), Graph: func(i int) (*graph.Graph[expr.W], error) {
					return fieldGraph(params.Space(), weights, width, fields[i], m.cells, free)
				}}.Likelihood(params))
			}
			seen, possible = append(seen, sum(nil)), append(possible, sum(m.free))
		}
		objective := &em.Difference{Plus: must(agree.Independent(seen...)), Minus: must(agree.Independent(possible...))}
		result, err := em.Fit(context.Background(), objective, &em.Options{Method: em.LBFGS{}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-10s white %.2f, equal neighbours %.2f\n", way.name, result.Theta[0], result.Theta[1])
	}
	// Output:
	// likelihood white 0.29, equal neighbours 1.01
	// rows       white 0.29, equal neighbours 1.00
	// cells      white 0.27, equal neighbours 1.02
	// pairs      white 1.01, equal neighbours 1.28
}

// cellWeights holds the weights of a cell, by its colour and by the number of previous neighbours
// of the same colour.
type cellWeights [2][3]expr.W

// interval returns from, …, to−1.
func interval(from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// sampleFields draws 1,000 fields.
func sampleFields(params *em.Params, weights cellWeights, theta []float64, width int, cells []int) (fields [][]int32) {
	g := must(fieldGraph(params.Space(), weights, width, make([]int32, len(cells)), cells, cells))
	values := must(params.Space().Evaluate(nil, params.Values(theta)))
	scaled := graph.Map(g, semiring.Scaled{}, func(w expr.W) semiring.ScaledFloat { return values[w] })
	sampler, src := must(graph.NewSampler(scaled)), rand.NewPCG(1, 2)
	for range 1000 {
		var field []int32
		state := int32(0)
		for _, arc := range sampler.Sample(src).Arcs {
			// The first of two arcs is black.
			field = append(field, arc-g.Row()[state])
			state = g.To()[arc]
		}
		fields = append(fields, field)
	}
	return fields
}

// fieldGraph returns the graph whose paths are the fields that differ from field only in free
// cells. Their weights are products over cells, in ascending order, and over the pairs of
// neighbours among these. A state records the colours of the last width cells.
func fieldGraph(space *expr.Space, weights cellWeights, width int, field []int32, cells, free []int) (*graph.Graph[expr.W], error) {
	type state struct{ at, colours int }
	ids, states := map[state]int32{{}: 0}, []state{{}}
	row, to := []int32{0}, []int32(nil)
	var arcs, final []expr.W
	for n := 0; n < len(states); n++ {
		at, colours := states[n].at, states[n].colours
		final = append(final, expr.Zero)
		if at == len(field) {
			final[n] = expr.One
		}
		for colour := 0; colour < 2 && at < len(field); colour++ {
			if !slices.Contains(free, at) && int32(colour) != field[at] {
				continue
			}
			w := expr.One
			if slices.Contains(cells, at) {
				equal := 0
				if at%width > 0 && slices.Contains(cells, at-1) && colours&1 == colour {
					equal++
				}
				if slices.Contains(cells, at-width) && colours>>(width-1)&1 == colour {
					equal++
				}
				w = weights[colour][equal]
			}
			next := state{at + 1, (colours<<1 | colour) & (1<<width - 1)}
			if _, ok := ids[next]; !ok {
				ids[next] = int32(len(states))
				states = append(states, next)
			}
			to, arcs = append(to, ids[next]), append(arcs, w)
		}
		row = append(row, int32(len(to)))
	}
	start := []graph.Start[expr.W]{{State: 0, Weight: expr.One}}
	return graph.New(space, row, to, arcs, start, final)
}
