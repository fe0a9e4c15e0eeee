package merge_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/em/merge"
)

// searching returns the options of TestResume.
func searching() *merge.Options {
	o := recovery()
	o.Moves |= merge.Fold
	o.Beam, o.Candidates, o.Workers = 2, 2, 2
	return o
}

// TestResume: a search that is interrupted after each round, or during a call of em.Fit, and
// resumed from its checkpoint has the bits of an uninterrupted search. This holds with splits and
// for any number of workers.
func TestResume(t *testing.T) {
	h := newHidden(t, 1, 3, 40)
	want, err := merge.Run(t.Context(), single(t), h.setting, searching())
	if err != nil {
		t.Fatal(err)
	}
	for name, stopping := range map[string]func(o *merge.Options, stops int, stop func()){
		"changes": func(o *merge.Options, _ int, stop func()) {
			seen := 0
			o.Accepted = func(merge.Change) {
				if seen++; seen > 2 {
					stop()
				}
			}
		},
		"iterations": func(o *merge.Options, stops int, stop func()) {
			seen := 0
			o.Observer = func(em.Event) {
				if seen++; seen > 50*(stops+1) {
					stop()
				}
			}
		},
	} {
		file := filepath.Join(t.TempDir(), "search")
		for stops := 0; ; stops++ {
			o := searching()
			o.Checkpoint, o.Workers = file, 1
			ctx, stop := context.WithCancel(t.Context())
			stopping(o, stops, stop)
			r, err := merge.Run(ctx, single(t), h.setting, o)
			stop()
			if errors.Is(err, context.Canceled) && stops < 100 {
				continue
			}
			if err != nil {
				t.Fatal(name, err)
			}
			if stops < 2 || !slices.Equal(r.Posterior, want.Posterior) || !slices.Equal(r.Theta, want.Theta) || r.LogLikelihood != want.LogLikelihood {
				t.Errorf("after %d stops by %s: log posteriors %v, want %v", stops, name, r.Posterior, want.Posterior)
			}
			break
		}
		for what, change := range map[string]func(*merge.Options){
			"iterations": func(o *merge.Options) { o.Iterations = 3 },
			"tolerance":  func(o *merge.Options) { o.Tolerance = 1e-3 },
			"method":     func(o *merge.Options) { o.Method = em.Squarem{} },
			"law":        func(o *merge.Options) { o.Law = em.Dirichlet{Alpha: 2} },
			"prior":      func(o *merge.Options) { o.Prior = &merge.Prior{State: 4, Parameter: 5} },
			"beam":       func(o *merge.Options) { o.Beam = 1 },
		} {
			o := searching()
			o.Checkpoint = file
			change(o)
			if _, err := merge.Run(t.Context(), single(t), h.setting, o); !errors.Is(err, em.ErrCheckpoint) {
				t.Errorf("a checkpoint of another %s: error %v, want %v", what, err, em.ErrCheckpoint)
			}
		}
		setting := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
			c := cascade.Conditional(params, "channel", h.channel, em.Dirichlet{Alpha: 2})
			return cascade.Problem{Params: params, Stages: []cascade.Stage{stage, c}}, h.data, nil
		}
		o := searching()
		o.Checkpoint = file
		if _, err := merge.Run(t.Context(), single(t), setting, o); !errors.Is(err, em.ErrCheckpoint) {
			t.Errorf("a checkpoint of another law of the channel: error %v, want %v", err, em.ErrCheckpoint)
		}
	}
}

// TestOptionsOfFit: each machine is trained by the method of the options, and the observer
// receives its iterations.
func TestOptionsOfFit(t *testing.T) {
	h := newHidden(t, 1, 3, 200)
	for _, method := range []em.Method{em.Squarem{}, em.LBFGS{}} {
		o := recovery()
		o.Method = method
		fits, others := 0, 0
		o.Observer = func(e em.Event) {
			switch {
			case e.Method != method.String():
				others++
			case e.Iteration == 0:
				fits++
			}
		}
		r, err := merge.Run(t.Context(), single(t), h.setting, o)
		if err != nil {
			t.Fatal(method, err)
		}
		if r.Counts.NumStates() != h.truth.NumStates() || r.Counts.NumArcs() != h.truth.NumArcs() || !slices.IsSorted(r.Posterior) {
			t.Errorf("%v: %d states and %d arcs, want %d and %d; log posteriors %v", method, r.Counts.NumStates(), r.Counts.NumArcs(), h.truth.NumStates(), h.truth.NumArcs(), r.Posterior)
		}
		if fits < len(r.Posterior) || others > 0 {
			t.Errorf("%v: %d fits for %d machines, and %d iterations of another method", method, fits, len(r.Posterior), others)
		}
	}
}

// TestFalling: a machine is not replaced by its result of further training if this is worse, as
// at another temperature. The three iterations of a candidate are better.
func TestFalling(t *testing.T) {
	h := newHidden(t, 1, 3, 60)
	fit := em.Options{Temperature: .5, Iterations: 3}
	params := em.NewParams()
	problem, data, err := h.setting(params, cascade.Joint(params, "state", single(t), em.Multinomial{}))
	if err != nil {
		t.Fatal(err)
	}
	l, err := problem.Likelihood(data)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := em.Fit(t.Context(), l, &fit)
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.Expect(t.Context(), em.Query{Theta: trained.Theta})
	if err != nil {
		t.Fatal(err)
	}
	r, err := merge.Run(t.Context(), single(t), h.setting, &merge.Options{Options: fit, Prior: &merge.Prior{}, Moves: merge.Merge})
	if err != nil {
		t.Fatal(err)
	}
	if r.Posterior[0] < e.LogLikelihood-1e-9 {
		t.Errorf("log posterior %v, want %v at least", r.Posterior[0], e.LogLikelihood)
	}
}

// TestStopped: an interrupted search returns a consistent machine. Its likelihood is the
// likelihood at its parameters, even if the search was stopped just after further training of the
// machine.
func TestStopped(t *testing.T) {
	h := newHidden(t, 1, 3, 40)
	stops := 0
	for wanted := 1; wanted < 8; wanted++ {
		ctx, stop := context.WithCancel(t.Context())
		o := searching()
		o.Iterations = 2
		seen := 0
		o.Observer = func(e em.Event) {
			if e.Iterations > o.Iterations && e.Iteration == e.Iterations-1 {
				if seen++; seen == wanted {
					stop()
				}
			}
		}
		r, err := merge.Run(ctx, single(t), h.setting, o)
		stop()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stops++
		l, err := r.Model.Likelihood(h.data)
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.Expect(t.Context(), em.Query{Theta: r.Theta})
		if err != nil {
			t.Fatal(err)
		}
		want := e.LogLikelihood + r.Params.LogPrior(r.Theta) + o.Prior.Log(r.Counts)
		if e.LogLikelihood != r.LogLikelihood || !(want-last(r.Posterior) < 1e-9) || !(last(r.Posterior)-want < 1e-9) {
			t.Errorf("stop %d: log likelihood %v and posterior %v, want %v and %v", stops, r.LogLikelihood, last(r.Posterior), e.LogLikelihood, want)
		}
	}
	if stops < 2 {
		t.Errorf("stopped %d times", stops)
	}
}
