package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/spoiled"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// TestResume interrupts a run of each method after every iteration in turn, resumes from the
// checkpoint, and compares the bits with an uninterrupted run.
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

// TestResumeMemory: the checkpoint contains the state of methods over many iterations: the length
// of extrapolations, the curvature, means, and steps that are being halved.
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

// TestResumeLonger: a finished run continues if more iterations are allowed.
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

// TestKill kills processes that train by each method at random moments until they finish.
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

// TestLoadSpoiled: for a model file that was changed in one place, Load returns an error, or a
// model that can be saved and whose totals and counts are numbers.
func TestLoadSpoiled(t *testing.T) {
	text := []byte(save(t, savedModel(t)))
	data := cascade.Data{Underivable: em.Skip}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 6 {
		x := cascade.Example{X: cascade.Labels(randomLabels(rng, 3)...), Branches: []cascade.Side{cascade.Labels(randomLabels(rng, 2)...)}}
		data.Examples = append(data.Examples, x)
	}
	loaded := 0
	ask := func(what string, text []byte) {
		m, err := cascade.Load(bytes.NewReader(text))
		if err != nil {
			if !errors.Is(err, em.ErrFormat) {
				t.Errorf("%s: error %v, want one that wraps %v", what, err, em.ErrFormat)
			}
			return
		}
		loaded++
		if _, err := cascade.Load(strings.NewReader(save(t, m))); err != nil {
			t.Errorf("%s: saved again: %v", what, err)
		}
		if len(m.Branches) != 1 {
			return // for other data
		}
		totals, err := m.Totals(t.Context(), m.Theta, data)
		if err != nil && !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("%s: %v", what, err)
		}
		for _, x := range totals {
			if math.IsNaN(x.Log) || math.IsInf(x.Log, 1) {
				t.Errorf("%s: ln of the sum of example %d is %g", what, x.Index, x.Log)
			}
		}
		if err != nil {
			return
		}
		e, err := likelihood(t, m.Problem, data).Expect(t.Context(), em.Query{Theta: m.Theta})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		for i, c := range append(e.Counts, e.LogLikelihood) {
			if math.IsNaN(c) || math.IsInf(c, 0) {
				t.Errorf("%s: number %d of the counts and the log likelihood is %g", what, i, c)
			}
		}
	}
	for what, changed := range spoiled.JSON(text) {
		ask(what, changed)
	}
	for what, changed := range spoiled.Bytes(text, 500, rng) {
		ask(what, changed)
	}
	if loaded < 500 {
		t.Errorf("%d models loaded", loaded)
	}
}

// TestNegativeWeight: Save and Load reject a weight below 0, from an expression or from a
// parameter that is not a probability; Totals rejects a sum below 0.
func TestNegativeWeight(t *testing.T) {
	const text = `{"format":"pathsum model 2","groups":[{"name":"g","law":{"kind":"multinomial","value":{}},"theta":[0.5,0.5]}],` +
		`"weights":["$0","$1","1"],"cascade":[{"starts":[[0,2]],"final":[1],"arcs":[[0,1,1,0,0]]}]}`
	if _, err := cascade.Load(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	for _, weight := range []string{"-1", "-1*$0", "$0+-2*$1", "$0*-1e-300"} {
		m, err := cascade.Load(strings.NewReader(strings.Replace(text, "$0", weight, 1)))
		if !errors.Is(err, em.ErrFormat) || !errors.Is(err, semiring.ErrNegative) || !strings.Contains(err.Error(), "an arc of state 0") {
			t.Errorf("%s: %v, error %v", weight, m, err)
		}
	}
	for _, weight := range []string{"$0+-1*$1", "star(-1*$0)", "-1*-1*$0", "0"} {
		if _, err := cascade.Load(strings.NewReader(strings.Replace(text, "$0", weight, 1))); err != nil {
			t.Errorf("%s is at least 0: %v", weight, err)
		}
	}
	params := em.NewParams()
	space, g := params.Space(), params.Group("g", 2, em.Multinomial{})
	b := fst.NewBuilder(space)
	b.AddState()
	b.AddStart(0, expr.One)
	b.SetFinal(0, g.Weight(1))
	b.AddArc(0, fst.Arc[weight]{In: 1, Out: 1, Weight: space.Times(space.Const(semiring.NewScaled(-1)), g.Weight(0))})
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	m := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{f}})
	if err := m.Save(new(bytes.Buffer)); !errors.Is(err, semiring.ErrNegative) {
		t.Errorf("saved: error %v", err)
	}
	totals, err := m.Totals(t.Context(), m.Theta, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1)}}})
	if !errors.Is(err, semiring.ErrNegative) {
		t.Errorf("totals %v, error %v", totals, err)
	}
}
