package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
)

// TestResume stops a run of each method after every iteration in turn, goes on from
// the checkpoint, and wants the bits of a run that was never stopped.
func TestResume(t *testing.T) {
	for _, m := range everyMethod {
		law := em.Dirichlet{Alpha: .9}
		if gradient(m) {
			law.Alpha = 1.1
		}
		problem, data := noisyProblem(t, law)
		other := problem.Params.Random(rand.NewPCG(9, 9))
		options := func(file string) *em.Options {
			return &em.Options{Method: m, Iterations: 5, Starts: [][]float64{other}, Restarts: 1, Prune: em.Prune{After: 2}, Rand: rand.NewPCG(8, 8), Checkpoint: file}
		}
		want := fit(t, problem, data, options(""))
		iterations := 0
		for _, s := range want.Starts {
			iterations += len(s.Objective)
		}
		for stop := range iterations {
			file := filepath.Join(t.TempDir(), "state")
			ctx, cancel := context.WithCancel(context.Background())
			opts := options(file)
			seen := 0
			opts.Observer = func(em.Event) {
				if seen++; seen > stop {
					cancel()
				}
			}
			if _, err := problem.Fit(ctx, cascade.Data{Examples: data}, opts); stop < iterations-1 && !errors.Is(err, context.Canceled) {
				t.Fatalf("%v: error %v", m, err)
			}
			if got := fit(t, problem, data, options(file)); !sameBits(got, want) {
				t.Errorf("%v, stopped after %d iterations: other result", m, stop+1)
			}
			if left, _ := filepath.Glob(file + "?*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		}
	}
}

// TestResumeMemory: what methods remember over many iterations is in the checkpoint, how
// far they extrapolate, what the curvature is, means, and steps that are being halved.
func TestResumeMemory(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, 1)
	convex := likelihood(t, problem, cascade.Data{Examples: data})
	cyclic, _ := cyclicModel(t)
	divergent := differences(t, cyclic, cyclicPairs())[1]
	for _, c := range []struct {
		em.Likelihood
		em.Method
		start []float64
	}{
		{convex, em.Squarem{}, problem.Params.Random(rand.New(rand.NewPCG(2, 3)))},
		{convex, em.LBFGS{Memory: 3}, problem.Params.Random(rand.New(rand.NewPCG(2, 3)))},
		{convex, em.SGD{Shards: 30, Average: true}, nil},
		{divergent, em.SGD{}, []float64{.1, .1, .1, .1}},
		{divergent, em.SGD{Average: true}, []float64{.1, .1, .1, .1}},
	} {
		const iterations = 25
		run := func(file string, stop int) (*em.Result, error) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			seen := 0
			return em.Fit(ctx, c.Likelihood, &em.Options{Method: c.Method, Start: c.start, Iterations: iterations, Tolerance: -1, Checkpoint: file,
				Observer: func(em.Event) {
					if seen++; seen == stop {
						cancel()
					}
				}})
		}
		want, err := run("", 0)
		if err != nil {
			t.Fatal(err)
		}
		for stop := 1; stop < want.Iterations(); stop++ {
			file := filepath.Join(t.TempDir(), "state")
			if _, err := run(file, stop); !errors.Is(err, context.Canceled) {
				t.Fatalf("%v: error %v", c.Method, err)
			}
			if got, err := run(file, 0); err != nil || !sameBits(got, want) {
				t.Errorf("%+v, stopped after %d iterations: other result (%v)", c.Method, stop, err)
			}
		}
	}
}

// TestResumeLonger: a finished run goes on when more iterations are allowed.
func TestResumeLonger(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	file := filepath.Join(t.TempDir(), "state")
	fit(t, problem, data, &em.Options{Iterations: 3, Checkpoint: file})
	got := fit(t, problem, data, &em.Options{Iterations: 7, Checkpoint: file})
	want := fit(t, problem, data, &em.Options{Iterations: 7})
	if !sameBits(got, want) {
		t.Error("other bits")
	}
}

// TestKill kills processes that train by each method at random moments until they
// get through.
func TestKill(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	run := func(m em.Method, file string) *em.Result {
		return fit(t, problem, data, &em.Options{Method: m, Iterations: 12, Tolerance: -1, Restarts: 2,
			Prune: em.Prune{After: 4}, Rand: rand.NewPCG(3, 1), Workers: 2, Checkpoint: file})
	}
	folder := os.Getenv("PATHSUM_TEST_CHECKPOINTS")
	if folder != "" { // the process to kill
		for i, m := range everyMethod {
			run(m, filepath.Join(folder, fmt.Sprint(i)))
		}
		return
	}
	folder = t.TempDir()
	rng := rand.New(rand.NewPCG(5, 6))
	kills := 0
	for try := 0; ; try++ {
		child := exec.Command(os.Args[0], "-test.run=^TestKill$")
		child.Env = append(os.Environ(), "PATHSUM_TEST_CHECKPOINTS="+folder)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		const tries = 12
		if try < tries {
			time.Sleep(time.Duration(rng.IntN(120)) * time.Millisecond)
			child.Process.Kill()
		}
		if child.Wait() == nil {
			break
		}
		if kills++; try >= tries {
			t.Fatal("the undisturbed process failed")
		}
	}
	if kills == 0 {
		t.Skip("every process was faster than its killer")
	}
	for i, m := range everyMethod {
		if got, want := run(m, filepath.Join(folder, fmt.Sprint(i))), run(m, ""); !sameBits(got, want) {
			t.Errorf("%v: other bits after %d kills", m, kills)
		}
	}
}

func TestBadCheckpoint(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	fit(t, problem, data, &em.Options{Iterations: 2, Checkpoint: good})
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		opts    em.Options
	}{
		"empty":       {nil, em.Options{}},
		"cut":         {text[:len(text)/2], em.Options{}},
		"other":       {[]byte("θ"), em.Options{}},
		"damaged":     {slices.Concat(text[:len(text)-1], []byte{text[len(text)-1] ^ 1}), em.Options{}},
		"method":      {text, em.Options{Method: em.Squarem{}}},
		"pruning":     {text, em.Options{Prune: em.Prune{After: 1}}},
		"E step":      {text, em.Options{EStep: em.Viterbi}},
		"start":       {text, em.Options{Start: problem.Params.Random(rand.New(rand.NewPCG(1, 1)))}},
		"starts":      {text, em.Options{Starts: [][]float64{problem.Params.Start()}}},
		"restarts":    {text, em.Options{Restarts: 1, Rand: rand.NewPCG(1, 1)}},
		"temperature": {text, em.Options{Temperature: 2}},
	} {
		file := filepath.Join(dir, "bad")
		if err := os.WriteFile(file, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		c.opts.Checkpoint = file
		_, err := problem.Fit(context.Background(), cascade.Data{Examples: data}, &c.opts)
		if !errors.Is(err, em.ErrCheckpoint) {
			t.Errorf("%s: error %v", name, err)
		}
		wantIn(t, err, file)
	}
	_, err = problem.Fit(context.Background(), cascade.Data{Examples: data[1:]}, &em.Options{Checkpoint: good})
	if !errors.Is(err, em.ErrCheckpoint) {
		t.Errorf("other data: error %v", err)
	}
	_, err = problem.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Checkpoint: filepath.Join(dir, "no", "such", "folder")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: error %v", err)
	}
}
