package em_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.org/pathsum/em"
)

// TestResume stops a run after every iteration in turn, goes on from the
// checkpoint, and wants the bits of a run that was never stopped.
func TestResume(t *testing.T) {
	problem, data := noisyProblem(t, em.Dirichlet{Alpha: .9})
	options := func(file string) *em.Options {
		return &em.Options{Iterations: 4, Restarts: 2, Rand: rand.NewPCG(8, 8), Checkpoint: file}
	}
	want := fit(t, problem, data, options(""))
	for stop := range 12 {
		file := filepath.Join(t.TempDir(), "state")
		ctx, cancel := context.WithCancel(context.Background())
		opts := options(file)
		seen := 0
		opts.Observer = func(em.Event) {
			if seen++; seen > stop {
				cancel()
			}
		}
		if _, err := em.Fit(ctx, problem, data, opts); stop < 11 && !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		got := fit(t, problem, data, options(file))
		if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) ||
			!slices.Equal(got.Starts, want.Starts) || got.Start != want.Start || got.Status != want.Status ||
			got.LogLikelihood != want.LogLikelihood {
			t.Errorf("stopped after %d iterations: other result", stop+1)
		}
		if left, _ := filepath.Glob(file + "?*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
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
	if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) {
		t.Error("other bits")
	}
}

// TestKill kills a training process at random moments until it gets through.
func TestKill(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	opts := &em.Options{Iterations: 30, Workers: 2}
	if file := os.Getenv("PATHSUM_TEST_CHECKPOINT"); file != "" { // the process to kill
		opts.Checkpoint = file
		fit(t, problem, data, opts)
		return
	}
	file := filepath.Join(t.TempDir(), "state")
	rng := rand.New(rand.NewPCG(5, 6))
	kills := 0
	for try := 0; ; try++ {
		child := exec.Command(os.Args[0], "-test.run=^TestKill$")
		child.Env = append(os.Environ(), "PATHSUM_TEST_CHECKPOINT="+file)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if try < 6 {
			time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
			child.Process.Kill()
		}
		if child.Wait() == nil {
			break
		}
		if kills++; try >= 6 {
			t.Fatal("the undisturbed process failed")
		}
	}
	if kills == 0 {
		t.Skip("every process was faster than its killer")
	}
	opts.Checkpoint = file
	got := fit(t, problem, data, opts)
	opts.Checkpoint = ""
	want := fit(t, problem, data, opts)
	if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) {
		t.Errorf("other bits after %d kills", kills)
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
		"not JSON":    {[]byte("θ"), em.Options{}},
		"format":      {[]byte(`{"format":"other"}`), em.Options{}},
		"E step":      {text, em.Options{EStep: em.Viterbi}},
		"start":       {text, em.Options{Start: problem.Params.Random(rand.New(rand.NewPCG(1, 1)))}},
		"restarts":    {text, em.Options{Restarts: 1, Rand: rand.NewPCG(1, 1)}},
		"temperature": {text, em.Options{Temperature: 2}},
	} {
		file := filepath.Join(dir, "bad")
		if err := os.WriteFile(file, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		c.opts.Checkpoint = file
		_, err := em.Fit(context.Background(), problem, data, &c.opts)
		if !errors.Is(err, em.ErrCheckpoint) {
			t.Errorf("%s: error %v", name, err)
		}
		wantIn(t, err, file)
	}
	_, err = em.Fit(context.Background(), problem, data[1:], &em.Options{Checkpoint: good})
	if !errors.Is(err, em.ErrCheckpoint) {
		t.Errorf("other data: error %v", err)
	}
	_, err = em.Fit(context.Background(), problem, data, &em.Options{Checkpoint: filepath.Join(dir, "no", "such", "folder")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: error %v", err)
	}
}
