package agree_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// viewOf returns a random machine from a submodel's observation to z, over 0, 1, 2 on both sides
// and with cycles.
func viewOf(t testing.TB, params *em.Params, name string, rng *rand.Rand) cascade.Stage {
	t.Helper()
	const states = 2
	b, weights := fst.NewBuilder(params.Space()), params.Group(name, 5+states, em.Fixed{})
	start := make([]float64, weights.Len())
	for s := range states {
		b.SetFinal(b.AddState(), weights.Weight(s))
		start[s] = .2 + .5*rng.Float64()
	}
	b.AddStart(0, params.Space().One())
	for e := states; e < weights.Len(); e++ {
		b.AddArc(rng.Int32N(states), fst.Arc[expr.W]{In: rng.Int32N(3), Out: rng.Int32N(3), Weight: weights.Weight(e), To: rng.Int32N(states)})
		start[e] = .002 + .01*rng.Float64()
	}
	weights.SetStart(start)
	return must(b.Freeze())
}

// textOf returns labels without ε as a text.
func textOf(labels []int32) string {
	var s strings.Builder
	for _, l := range labels {
		if l != fst.Epsilon {
			fmt.Fprint(&s, l)
		}
	}
	return s.String()
}

// paths returns the weights of all pairs of strings, by the paths of up to 7 arcs of each machine.
func paths(p *em.Params, stages []cascade.Stage) map[[2]string]float64 {
	all := map[[2]string]float64(nil)
	for _, stage := range stages {
		f, own := must(cascade.Instantiate(p, stage, p.Start(), semiring.Real{})), map[[2]string]float64{}
		for path := range oracle.Paths(f.Graph(), 7) {
			var in, out []int32
			for _, e := range path.Arcs {
				in, out = append(in, f.In()[e]), append(out, f.Out()[e])
			}
			own[[2]string{textOf(in), textOf(out)}] += path.Weight
		}
		if all == nil {
			all = own
			continue
		}
		both := map[[2]string]float64{}
		for l, v := range all {
			for r, w := range own {
				if l[1] == r[0] {
					both[[2]string{l[0], r[1]}] += v * w
				}
			}
		}
		all = both
	}
	return all
}

// TestMarginal compares the joint marginal of z with the product of the sums over all paths: for
// one to three submodels, with and without branches and constraints on z.
func TestMarginal(t *testing.T) {
	checked, kinds := 0, map[string]bool{}
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 26))
		params := em.NewParams()
		n := 1 + rng.IntN(3)
		problems, x := make([]cascade.Problem, n), make([]cascade.Example, n)
		var known *string // constraint on z
		some := func() (*string, cascade.Side) {
			if rng.IntN(3) == 0 {
				return nil, cascade.Side{}
			}
			all := [][]int32{{}, {1}, {2}, {1, 2}}
			labels := all[rng.IntN(len(all))]
			text := textOf(labels)
			return &text, cascade.Labels(labels...)
		}
		want := map[string]float64{}
		for m := range problems {
			problems[m] = cascade.Problem{Params: params}
			for i := range 1 + rng.IntN(2) {
				problems[m].Stages = append(problems[m].Stages, viewOf(t, params, fmt.Sprint(m, i), rng))
			}
			sum := map[string]float64{}
			text, side := some()
			x[m].X = side
			for pair, w := range paths(params, problems[m].Stages) {
				if text == nil || *text == pair[0] {
					sum[pair[1]] += w
				}
			}
			if rng.IntN(4) == 0 {
				kinds["branch"] = true
				problems[m].Branches = [][]cascade.Stage{{viewOf(t, params, fmt.Sprint(m, "branch"), rng)}}
				text, side := some()
				x[m].Branches = []cascade.Side{side}
				beyond := map[string]float64{}
				for pair, w := range paths(params, problems[m].Branches[0]) {
					if text == nil || *text == pair[1] {
						beyond[pair[0]] += w
					}
				}
				for z := range sum {
					sum[z] *= beyond[z]
				}
			}
			if m == 0 {
				want = sum
			} else {
				for z := range want {
					want[z] *= sum[z]
				}
			}
		}
		if rng.IntN(4) == 0 {
			known, x[n-1].Y = some()
			kinds["known"] = kinds["known"] || known != nil
		}
		kinds[fmt.Sprint(n)] = true
		f, err := agree.Marginal(x, params.Start(), problems...)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, z := range [][]int32{{}, {1}, {2}, {1, 1}, {1, 2}, {2, 1}, {2, 2}} {
			w := want[textOf(z)]
			if known != nil && *known != textOf(z) {
				w = 0
			}
			got := must(fst.Weight(f, z, z, nil)).Float64()
			const longPaths = 1e-17 // for paths too long to be enumerated, see em
			if !(math.Abs(got-w) <= 1e-6*w+longPaths) {
				t.Errorf("seed %d: %d submodels: z = %q has the weight %g, want %g", seed, n, textOf(z), got, w)
			}
			if w > 0 {
				checked++
			}
		}
	}
	t.Logf("%d strings checked, %v", checked, kinds)
	if checked < 40 || len(kinds) < 5 {
		t.Error("too few of a kind")
	}
}

// TestNoMarginal: a missing observation of one submodel and a missing θ are errors.
func TestNoMarginal(t *testing.T) {
	params := em.NewParams()
	p := cascade.Problem{Params: params, Stages: []cascade.Stage{viewOf(t, params, "view", rand.New(rand.NewPCG(1, 1)))}}
	if _, err := agree.Marginal([]cascade.Example{{}}, params.Start(), p, p); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("one view of two: error %v, want ErrInvalid", err)
	}
	if _, err := agree.Marginal([]cascade.Example{{}}, nil, p); !errors.Is(err, em.ErrParameter) {
		t.Errorf("no θ: error %v, want ErrParameter", err)
	}
	// Weights are ignored.
	if _, err := agree.Marginal([]cascade.Example{{Weight: em.Times(0)}, {Weight: em.Times(2)}}, params.Start(), p, p); err != nil {
		t.Errorf("weights that differ: %v", err)
	}
}

// Two people note the weather of each day, sun or rain, and each may be wrong. Their models are
// trained to agree. What was the weather, given both notes?
func ExampleMarginal() {
	params := em.NewParams()
	days := fst.OneState(semiring.Real{}, .2, fst.Arc[float64]{In: 's', Out: 's', Weight: .5}, fst.Arc[float64]{In: 'r', Out: 'r', Weight: .3})
	weather := cascade.Joint(params, "weather", days, em.Multinomial{})
	notes := fst.OneState(semiring.Real{}, 1,
		fst.Arc[float64]{In: 's', Out: 's', Weight: .8}, fst.Arc[float64]{In: 's', Out: 'r', Weight: .2},
		fst.Arc[float64]{In: 'r', Out: 'r', Weight: .8}, fst.Arc[float64]{In: 'r', Out: 's', Weight: .2})
	seen := []cascade.Data{cascade.Inputs("ssrs", "rrsr", "srrs", "ssss"), cascade.Inputs("ssrr", "rrsr", "srss", "ssss")}
	var views []cascade.Problem
	for _, name := range []string{"Ann", "Bob"} {
		observer := cascade.Conditional(params, name, notes, em.Multinomial{})
		views = append(views, cascade.Problem{Params: params, Stages: []cascade.Stage{fst.Invert(observer)}})
	}
	views[0].Stages = append(views[0].Stages, weather) // the product has it once
	result, err := em.Fit(context.Background(), must(agree.Exact(seen, views...)), nil)
	if err != nil {
		log.Fatal(err)
	}
	given := must(agree.Marginal([]cascade.Example{{X: cascade.Text("srs")}, {X: cascade.Text("ssr")}}, result.Theta, views...))
	total := must(fst.PathSum(given, nil)).Log()
	best, _, err := nbest.Best(given.Graph(), given.In(), 3, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, z := range best {
		fmt.Printf("%s %.2f\n", z.Text(), math.Exp(z.LogProb-total))
	}
	// Output:
	// sss 0.37
	// srs 0.24
	// ssr 0.24
}
