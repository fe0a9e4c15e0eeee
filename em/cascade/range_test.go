package cascade_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// TestRangeOfForests: a trial step to where a star diverges, or a total is no finite number,
// is shortened for a likelihood of forests exactly as for one of lattices.
func TestRangeOfForests(t *testing.T) {
	const length = 200
	for name, weigh := range map[string]func(k *expr.Space, w expr.W) expr.W{
		// wⁿ·(1 − w), whose normalizer is a star of w.
		"star": func(k *expr.Space, w expr.W) expr.W {
			loop, _ := k.Star(w)
			total := k.Const(semiring.NewScaled(1))
			for range length {
				total = k.Times(total, w)
			}
			total, _ = k.RDiv(total, loop)
			return total
		},
	} {
		params := em.NewParams()
		g := params.Group("w", 1, positive{})
		k := params.Space()
		ring := semiring.Semiring[expr.W](k)
		weights := []expr.W{weigh(k, g.Weight(0))}
		lattices, err := cascade.Derivations{Examples: 1, Graph: func(int) (*graph.Graph[expr.W], error) {
			return graph.New(ring, []int32{0, 1, 1}, []int32{1}, weights, []graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One})
		}}.Likelihood(params)
		if err != nil {
			t.Fatal(err)
		}
		forests, err := cascade.Derivations{Examples: 1, Forest: func(int) (*forest.Forest[expr.W], error) {
			return forest.New(ring, []int32{0, 1}, []int32{0, 0}, nil, weights, []forest.Root[expr.W]{{Node: 0, Weight: expr.One}})
		}}.Likelihood(params)
		if err != nil {
			t.Fatal(err)
		}
		var traces [][]float64
		for _, l := range []em.Likelihood{lattices, forests} {
			refused := 0
			r, err := em.Fit(context.Background(), l, &em.Options{Method: em.LBFGS{}, Tolerance: 1e-12, Observer: func(e em.Event) {
				if math.IsInf(e.Objective, -1) {
					refused++
				}
			}})
			if err != nil {
				t.Fatalf("%s: %T: %v", name, l, err)
			}
			if want := length / (length + 1.); math.Abs(r.Theta[0]-want) > 1e-6 || refused == 0 {
				t.Errorf("%s: %T: w is %.9f after %d refused trials, want %.9f", name, l, r.Theta[0], refused, want)
			}
			traces = append(traces, r.Objective)
		}
		if !slices.Equal(traces[0], traces[1]) {
			t.Errorf("%s: objectives %v of lattices and %v of forests", name, traces[0], traces[1])
		}
	}
}

// TestRangeOfTrials: whatever error says that a sum has no value, of a graph, a forest or an
// expression, SQUAREM and L-BFGS take it for a step too far, with the same result.
func TestRangeOfTrials(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, 1)
	l := likelihood(t, problem, cascade.Data{Examples: data})
	for trial, m := range map[int]em.Method{2: em.Squarem{}, 1: em.LBFGS{}} {
		var traces [][]float64
		for _, fault := range []error{semiring.ErrDiverges, semiring.ErrNotFinite, semiring.ErrInaccurate, expr.ErrDivision, expr.ErrParam, em.ErrParameter} {
			r, err := em.Fit(context.Background(), &distorted{Likelihood: l, distort: func(call int, _ *em.Expectations) error {
				if call == trial {
					return fault
				}
				return nil
			}}, &em.Options{Method: m, Start: problem.Params.Random(rand.New(rand.NewPCG(1, 1))), Iterations: 12})
			if err != nil {
				t.Errorf("%v, %v: %v", m, fault, err)
				continue
			}
			traces = append(traces, r.Objective)
		}
		for _, trace := range traces {
			if !slices.Equal(trace, traces[0]) {
				t.Errorf("%v: objectives %v and %v", m, trace, traces[0])
			}
		}
	}
}
