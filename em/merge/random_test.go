package merge_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/em/merge"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
)

// acceptor returns the machine of states with weight-1 arcs {from, label, to}, in which state 0
// starts and states stop with the weights of final.
func acceptor(t testing.TB, arcs [][3]int32, final ...float64) *fst.FST[float64] {
	b := fst.NewBuilder(reals)
	b.AddStates(len(final))
	b.AddStart(0, 1)
	for _, a := range arcs {
		b.AddArc(a[0], fst.Arc[float64]{In: a[1], Out: a[1], To: a[2], Weight: 1})
	}
	for s, w := range final {
		b.SetFinal(int32(s), w)
	}
	return freeze(t, b)
}

// TestRareWay: a way through a state whose expected count is 1e-30 of the others stays
// possible in a split of the state.
func TestRareWay(t *testing.T) {
	f := acceptor(t, [][3]int32{{0, 1, 0}, {0, 1, 1}, {1, 2, 1}}, 1, .1)
	var data cascade.Data
	for _, s := range [][]int32{{1, 1, 1}, {1}, {1, 1, 1, 1}} {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(s...)})
	}
	for seed := range trials.Seeds(20) {
		for _, iterations := range []int{10, 50, 200} {
			_, err := merge.Run(t.Context(), f, merge.SingleStage(data), &merge.Options{Options: em.Options{Iterations: iterations, Rand: rand.NewPCG(seed, 1)}})
			if err != nil {
				t.Errorf("seed %d, %d iterations: %v", seed, iterations, err)
			}
		}
	}
}

// random returns a machine of up to three states, some of whose weights are much smaller than
// others, which reads 1 and 2.
func random(t testing.TB, rng *rand.Rand) *fst.FST[float64] {
	n := int32(1 + rng.IntN(3))
	b := fst.NewBuilder(reals)
	b.AddStates(int(n))
	b.AddStart(0, 1)
	if rng.IntN(3) == 0 {
		b.AddStart(n-1, .3)
	}
	seen := map[[3]int32]bool{}
	for range 2 + rng.IntN(6) {
		a := [3]int32{rng.Int32N(n), 1 + rng.Int32N(2), rng.Int32N(n)}
		if !seen[a] {
			seen[a] = true
			b.AddArc(a[0], fst.Arc[float64]{In: a[1], Out: a[1], To: a[2], Weight: math.Pow(10, -float64(rng.IntN(3)*rng.IntN(60)))})
		}
	}
	for s := range n {
		if rng.IntN(3) > 0 {
			b.SetFinal(s, rng.Float64())
		}
	}
	return freeze(t, b)
}

// TestRandomMachines: the posterior of every machine in the result equals its definition, by
// enumeration of paths. Parts that training set to 0 cost nothing.
func TestRandomMachines(t *testing.T) {
	prior := &merge.Prior{State: 1.5, Parameter: .75}
	compared := 0
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		f := random(t, rng)
		data := cascade.Data{Underivable: em.Skip}
		for range 1 + rng.IntN(5) {
			s := make([]int32, rng.IntN(6))
			for i := range s {
				s[i] = 1 + rng.Int32N(1+rng.Int32N(2))
			}
			weight := em.Times([]float64{1, 1, 2, 1e-40}[rng.IntN(4)])
			data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(s...), Weight: weight})
		}
		r, err := merge.Run(t.Context(), f, merge.SingleStage(data), &merge.Options{
			Prior: prior, Options: em.Options{Iterations: 1 + rng.IntN(90), Rand: rand.NewPCG(seed, 5)}, Beam: 1 + rng.IntN(2)})
		if errors.Is(err, em.ErrUnderivable) {
			continue // all examples are without a path
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		found, err := cascade.Instantiate(r.Params, r.Stage, r.Theta, reals)
		if err != nil {
			t.Fatal(err)
		}
		want, weigher := prior.Log(found), fsttest.NewWeigher(found)
		for _, x := range data.Examples {
			labels, _ := x.X.Labels()
			if p := weigher.Weight(labels, labels); p > 0 {
				want += x.Weight.Float64() * math.Log(p)
			}
		}
		compared++
		if got := r.Posterior[len(r.Posterior)-1]; math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("seed %d: log posterior %.15g, want %.15g", seed, got, want)
		}
	}
	if compared < 100 {
		t.Errorf("%d machines compared", compared)
	}
}

// TestUnusedStop: a stop weight that training set to 0 costs no parameter. The data are the
// string aa; the machine may also stop after a. The result has 3 states, 2 arcs and 1 stop
// weight, and P(aa) = 1.
func TestUnusedStop(t *testing.T) {
	f := acceptor(t, [][3]int32{{0, 1, 1}, {1, 1, 2}}, 0, 1, 1)
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1)}}}
	r, err := merge.Run(t.Context(), f, merge.SingleStage(data), &merge.Options{Moves: merge.Drop})
	if err != nil {
		t.Fatal(err)
	}
	if want := -3.0*3 - 3*2; r.Posterior[0] != want {
		t.Errorf("log posterior %g, want %g", r.Posterior[0], want)
	}
}

// TestLackingStage: a problem that neither contains the stage nor uses its parameters is an
// error. A problem with the stage as a part of another machine is valid. A failed machine is
// reported with its own error.
func TestLackingStage(t *testing.T) {
	f := acceptor(t, [][3]int32{{0, 1, 0}}, 1)
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1)}, {X: cascade.Labels(1)}}}
	other := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
		m := cascade.Joint(params, "other", f, em.Multinomial{})
		return cascade.Problem{Params: params, Stages: []cascade.Stage{m}}, data, nil
	}
	if _, err := merge.Run(t.Context(), f, other, nil); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("without the stage: error %v", err)
	}
	edge := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
		p, _, err := other(params, stage)
		pairs := cascade.Data{Examples: []cascade.Example{{Tapes: []cascade.Side{cascade.Labels(1), cascade.Labels(1)}}}}
		return cascade.Problem{Params: params, Edges: []cascade.Edge{{From: 0, To: 1, Machines: p.Stages}}}, pairs, err
	}
	if _, err := merge.Run(t.Context(), f, edge, nil); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("edges without the stage: error %v", err)
	}
	composed := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
		whole := fst.Compose(stage, cascade.Joint(params, "other", f, em.Fixed{}))
		return cascade.Problem{Params: params, Stages: []cascade.Stage{whole}}, data, nil
	}
	if _, err := merge.Run(t.Context(), f, composed, nil); err != nil {
		t.Errorf("the stage composed with another machine: %v", err)
	}
	cause := errors.New("there is no such file")
	failed := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
		m := cascade.Joint(params, "other", fst.Failed(f.Semiring(), cause), em.Multinomial{})
		return cascade.Problem{Params: params, Stages: []cascade.Stage{stage, m}}, data, nil
	}
	if _, err := merge.Run(t.Context(), f, failed, nil); !errors.Is(err, cause) {
		t.Errorf("another machine has failed: error %v, want %v", err, cause)
	}
	if _, err := merge.Run(t.Context(), fst.Failed(f.Semiring(), cause), merge.SingleStage(data), nil); !errors.Is(err, cause) {
		t.Errorf("the machine has failed: error %v, want %v", err, cause)
	}
}

// TestRefusedOptions: contradictory bounds, and priors so large that the likelihood is lost in
// their rounding.
func TestRefusedOptions(t *testing.T) {
	f := acceptor(t, [][3]int32{{0, 1, 0}}, 1)
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1)}}}
	for name, o := range map[string]merge.Options{
		"least above most":         {MinStates: 3, MaxStates: 2},
		"least above most default": {MinStates: 1<<20 + 1},
		"a state of 1e308":         {Prior: &merge.Prior{State: 1e308}},
		"a parameter of 1e308":     {Prior: &merge.Prior{Parameter: 1e308}},
		"a negative state":         {Prior: &merge.Prior{State: -1}},
		"infinite":                 {Prior: &merge.Prior{Parameter: math.Inf(1)}},
		"a start":                  {Options: em.Options{Start: []float64{1}}},
		"in place":                 {Options: em.Options{InPlace: true}},
		"starts":                   {Options: em.Options{Starts: [][]float64{{1}}}},
		"restarts":                 {Options: em.Options{Restarts: 1, Rand: rand.NewPCG(1, 1)}},
		"pruning":                  {Options: em.Options{Prune: em.Prune{After: 1}}},
		"a tolerance of Fit":       {Options: em.Options{Tolerance: math.NaN()}},
	} {
		if _, err := merge.Run(t.Context(), f, merge.SingleStage(data), &o); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v, want %v", name, err, em.ErrInvalid)
		}
	}
	for _, o := range []merge.Options{{MinStates: 2, MaxStates: 2}, {Prior: &merge.Prior{State: 1e9, Parameter: 1e9}}} {
		if _, err := merge.Run(t.Context(), f, merge.SingleStage(data), &o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestWeightsAtTheEdge: data whose counts overflow or vanish end in an error or a number.
func TestWeightsAtTheEdge(t *testing.T) {
	f := acceptor(t, [][3]int32{{0, 1, 0}, {0, 1, 1}, {1, 1, 1}}, 1, .5)
	for _, weight := range []float64{1e308, 1e300, 1e-300, 5e-324} {
		data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1), Weight: em.Times(weight)}, {X: cascade.Labels(1), Weight: em.Times(weight)}}}
		r, err := merge.Run(t.Context(), f, merge.SingleStage(data), &merge.Options{Options: em.Options{Rand: rand.NewPCG(1, 1)}})
		switch {
		case err == nil && !(r.LogLikelihood <= 0):
			t.Errorf("weight %g: log likelihood %g", weight, r.LogLikelihood)
		case weight == 1e-300 && err != nil:
			t.Errorf("weight %g: %v", weight, err)
		}
	}
}
