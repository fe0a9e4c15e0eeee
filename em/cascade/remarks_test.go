package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// constantBefore returns a cascade of f, as constants, and a trained copier of the labels 1 and 2.
func constantBefore(t *testing.T, f *fst.FST[float64]) cascade.Problem {
	t.Helper()
	params := em.NewParams()
	return cascade.Problem{Params: params, Stages: []cascade.Stage{cascade.Constants(params, f), channel(t, params, em.Multinomial{}, 2)}}
}

// remarks returns the remarks of training on one pair.
func remarks(t *testing.T, f *fst.FST[float64]) []string {
	t.Helper()
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1), Y: cascade.Labels(1)}}, Underivable: em.Skip}
	r, err := constantBefore(t, f).Fit(context.Background(), data, &em.Options{Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.Remarks
}

func oneState(t *testing.T, stop float64, arcs ...fst.Arc[float64]) *fst.FST[float64] {
	t.Helper()
	return fsttest.Frozen(fst.OneState(semiring.Real{}, stop, arcs...))
}

func fromArcs(t *testing.T, final map[int32]float64, arcs ...[]fst.Arc[float64]) *fst.FST[float64] {
	t.Helper()
	return fsttest.Frozen(fst.FromArcs(semiring.Real{}, final, arcs...))
}

func move(in, out int32, w float64, to int32) fst.Arc[float64] {
	return fst.Arc[float64]{In: in, Out: out, Weight: w, To: to}
}

// TestRemarks: the remarks of training on constant machines that are probabilities of some kind,
// that are relations, and that are neither.
func TestRemarks(t *testing.T) {
	names := fst.NewSymbols("a", "b")
	for _, c := range []struct {
		name string
		f    *fst.FST[float64]
		want string // after the common beginning of all remarks
	}{
		{"pairs", oneState(t, .5, move(1, 1, .25, 0), move(2, 1, .25, 0)), ""},
		{"pairs, rounded", oneState(t, .333, move(1, 1, .333, 0), move(2, 1, .333, 0)), ""},
		{"given the input", oneState(t, 1, move(1, 1, .25, 0), move(1, 2, .75, 0), move(2, 2, 1, 0)), ""},
		{"given the input, with insertions", oneState(t, .875, move(1, 1, .25, 0), move(1, 2, .625, 0), move(0, 2, .125, 0)), ""},
		{"given the output", oneState(t, 1, move(1, 1, .25, 0), move(2, 1, .75, 0), move(2, 2, 1, 0)), ""},
		{"a filter", oneState(t, 1, move(1, 1, 1, 0), move(2, 2, 1, 0)), ""},
		{"a list weighted at its ends", fromArcs(t, map[int32]float64{1: .25, 2: .75},
			[]fst.Arc[float64]{move(1, 1, 1, 1), move(2, 2, 1, 2)}), ""},
		{"scores", oneState(t, 1, move(1, 1, .5, 0), move(2, 2, .25, 0)),
			"the weights of state 0 sum to 1.75, want 1 (the first of 1)"},
		{"a channel with too much", oneState(t, 1, move(1, 1, .5, 0), move(1, 2, .75, 0), move(2, 2, 1, 0)).WithSymbols(names, names),
			`the weights of state 0 with input "a" sum to 1.25, want 1 (the first of 1)`},
		{"a channel that loses", oneState(t, 1, move(1, 1, .5, 0), move(1, 2, .25, 0), move(2, 2, 1, 0)),
			"the weights of state 0 with input 1 sum to 0.75, want 1 (the first of 1)"},
		{"a start", fromArcs(t, map[int32]float64{1: .5}, []fst.Arc[float64]{move(1, 1, .5, 1)}),
			"the weights of state 0 sum to 0.5, want 1 (the first of 2)"},
	} {
		var want []string
		if c.want != "" {
			want = []string{"machine 0 of the cascade has constant weights that are not probabilities: " + c.want}
		}
		if got := remarks(t, c.f); !slices.Equal(got, want) {
			t.Errorf("%s: remarks %q, want %q", c.name, got, want)
		}
	}
}

// TestRemarksOfRandomMachines: a machine normalized by Joint or Conditional has no remark at any
// θ. It has one after the weight of one arc has been changed.
func TestRemarksOfRandomMachines(t *testing.T) {
	planted := 0
	for seed := range trials.Seeds(60) {
		rng := fsttest.Rand(seed)
		states := int32(2 + rng.IntN(3))
		arcs := make([][]fst.Arc[float64], states)
		for s := range states {
			for to := range states {
				for range 1 + rng.IntN(3) {
					arcs[s] = append(arcs[s], move(1+rng.Int32N(2), 1+rng.Int32N(2), 1, to))
				}
			}
		}
		f := fromArcs(t, map[int32]float64{states - 1: 1}, arcs...)
		params := em.NewParams()
		normalize := cascade.Joint[float64]
		if rng.IntN(2) == 0 {
			normalize = cascade.Conditional[float64]
		}
		trained := normalize(params, "f", f, em.Multinomial{})
		f, err := cascade.Instantiate(params, trained, params.Random(rng), semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		if got := remarks(t, f); got != nil {
			t.Errorf("seed %d: %q", seed, got)
		}
		weights := slices.Clone(f.Graph().Weights())
		weights[rng.IntN(len(weights))] *= .5
		f, err = f.WithWeights(weights, f.Graph().Starts(), f.Graph().Finals())
		if err != nil {
			t.Fatal(err)
		}
		if remarks(t, f) != nil {
			planted++
		} else if changed := slices.Min(weights); changed > .01 {
			t.Errorf("seed %d: no remark where a weight was halved", seed)
		}
	}
	if planted == 0 {
		t.Error("no remark at all")
	}
}

// TestRemarksPassOn: remarks appear in logs, for a Sum, and in runs that are resumed, but not if
// the model is normalized as a whole. Errors of sums without a value include them.
func TestRemarksPassOn(t *testing.T) {
	problem := constantBefore(t, oneState(t, 1, move(1, 1, .5, 0), move(2, 2, .25, 0)))
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1), Y: cascade.Labels(1)}}}
	l := likelihood(t, problem, data)
	sum, err := em.Sum(em.Part{Name: "pairs", Likelihood: l})
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	opts := em.Options{Iterations: 2, Restarts: 1, Checkpoint: t.TempDir() + "/run",
		Observer: em.LogTo(slog.New(slog.NewTextHandler(&logged, nil)))}
	for range 2 { // the second run is already finished
		opts.Rand = rand.NewPCG(1, 2)
		r, err := em.Fit(context.Background(), sum, &opts)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Remarks) != 1 || !strings.HasPrefix(r.Remarks[0], "part pairs: machine 0 of the cascade") {
			t.Errorf("remarks on a sum: %q", r.Remarks)
		}
	}
	if n := strings.Count(logged.String(), "level=WARN msg=\"part pairs"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, &logged)
	}
	conditional, err := problem.ConditionalLikelihood(data)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := em.Fit(context.Background(), conditional, &em.Options{Iterations: 1}); err != nil || r.Remarks != nil {
		t.Errorf("remarks on a model that is normalized as a whole: %q, %v", r.Remarks, err)
	}

	loop := constantBefore(t, oneState(t, 1, move(1, 1, 2, 0), move(2, 2, .25, 0)))
	_, err = loop.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{{}}}, nil)
	if want := "machine 0 of the cascade has constant weights that are not probabilities: the weights of state 0 sum to 3.25"; !errors.Is(err, semiring.ErrDiverges) || !strings.Contains(err.Error(), want) {
		t.Errorf("a sum that diverges: %v, want %s", err, want)
	}
}
