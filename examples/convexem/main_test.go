package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/models/bayes"
)

type report struct {
	Network    string                `json:"network"`
	Hidden     string                `json:"hidden"`
	Repeats    int                   `json:"repeats"`
	Loss       map[string]losses     `json:"loss"`
	Lower      float64               `json:"relaxed_lower"`
	Upper      float64               `json:"relaxed_upper"`
	Rounded    float64               `json:"rounded"`
	Paired     map[string]difference `json:"paired"`
	Objective  []float64             `json:"objective"`
	PairedRaw  map[string]difference `json:"paired_raw"`
	Iterations int                   `json:"iterations"`
	Status     string                `json:"status"`
	Skipped    int                   `json:"skipped"`
}

// run runs the program and returns its exit status, the JSON object and the output.
var run = programtest.Reporting[report](programtest.New(newExperiment, (*experiment).run))

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	figure, curve := filepath.Join(dir, "m.svg"), filepath.Join(dir, "curve.svg")
	var stderr bytes.Buffer
	status, r, text := run(t, t.Context(), &stderr, "-repeats", "3", "-restarts", "4", "-plot", figure, "-curve", curve)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r.Network != "naive-bayes" || r.Hidden != "H" || r.Repeats != 3 || r.Status != "converged" || r.Skipped != 0 {
		t.Errorf("report %+v", r)
	}
	if !(r.Lower <= r.Upper && r.Upper <= r.Rounded && r.Upper-r.Lower <= 1.01*gap*r.Upper) {
		t.Errorf("bounds %v and %v, rounded %v", r.Lower, r.Upper, r.Rounded)
	}
	if !slices.IsSorted(r.Objective) || len(r.Objective) != r.Iterations {
		t.Errorf("%d iterations, objective %v", r.Iterations, r.Objective)
	}
	if len(r.Loss) != len(methods) || len(r.Paired) != len(methods)-1 || len(r.PairedRaw) != len(methods)-1 {
		t.Errorf("losses of %d methods, %d rivals, %d with raw names", len(r.Loss), len(r.Paired), len(r.PairedRaw))
	}
	best := r.Loss[supervised].Test.Mean
	for m, l := range r.Loss {
		if l.Test.Mean < best-.02 || l.RawTest.Mean < l.Test.Mean-.02 {
			t.Errorf("%s: test loss %v, raw %v, supervised %v", m, l.Test, l.RawTest, best)
		}
	}
	if avg, convex := r.Loss[viterbiAverage].Test.Mean, r.Loss[relaxed].Test.Mean; avg < convex+.2 || convex > best+.3 {
		t.Errorf("test loss %v of convex EM, %v of an average start of Viterbi EM", convex, avg)
	}
	for m, d := range r.Paired {
		if want := r.Loss[m].Test.Mean - r.Loss[relaxed].Test.Mean; math.Abs(d.Mean-want) > 1e-9 || d.N != 3 || d.Wins > 3 {
			t.Errorf("%s: %+v, means differ by %v", m, d, want)
		}
	}
	if !strings.Contains(text, "marginal EM, best start") {
		t.Errorf("output:\n%s", text)
	}
	programtest.Figure(t, curve, "EM from the relaxation")
	if picture, err := os.ReadFile(figure); err != nil || !bytes.Contains(picture, []byte("<svg")) {
		t.Errorf("figure: %v", err)
	}
}

// The same seed gives the same results for any number of workers.
func TestWorkers(t *testing.T) {
	var reports []report
	for _, workers := range []string{"1", "3"} {
		status, r, _ := run(t, t.Context(), io.Discard, "-network", "cancer", "-repeats", "3", "-restarts", "1", "-test-rows", "50", "-workers", workers)
		if status != 0 {
			t.Fatal(status)
		}
		reports = append(reports, r)
	}
	if a, b := reports[0].Loss[relaxed], reports[1].Loss[relaxed]; a != b {
		t.Errorf("losses %+v and %+v", a, b)
	}
}

// Two hidden variables, tables of deterministic entries, rows from a file.
func TestSources(t *testing.T) {
	var rows strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		c := rng.IntN(2)
		rows.WriteString([]string{"low", "high"}[c] + "," + []string{"1.", "7."}[c] + string(rune('0'+rng.IntN(10))) + "," + []string{"no", "yes"}[c] + "\n")
	}
	const names = "word,number,answer\n"
	csv := programtest.File(t, "rows.csv", names+rows.String()+"?,1.5,no\n")
	plain := programtest.File(t, "plain.csv", rows.String())
	bif := programtest.File(t, "net.bif", `variable a {type discrete [2] {0, 1};} variable b {type discrete [2] {0, 1};} variable c {type discrete [2] {0, 1};}
		probability (a) {table .5, .5;} probability (b | a) {(0) 1, 0; (1) 0, 1;} probability (c | b) {(0) .9, .1; (1) .2, .8;}`)
	for _, test := range []struct {
		args    []string
		hidden  string
		skipped int
		tested  int // of 60 rows, 20 are trained on, and no more than 40 are left
	}{
		{[]string{"-network", "three-layers"}, "G,H", 0, 50},
		{[]string{"-network", "asia"}, "either", 0, 50},
		{[]string{"-network", "asia", "-hidden", "bronc"}, "bronc", 0, 50},
		{[]string{"-network", bif}, "b", 0, 50},
		{[]string{"-data", csv}, "answer", 1, 40},
		{[]string{"-data", plain}, "class", 0, 40},
	} {
		var stderr bytes.Buffer
		status, r, text := run(t, t.Context(), &stderr, append(test.args, "-repeats", "1", "-restarts", "1", "-train-rows", "20", "-test-rows", "50", "-quiet")...)
		if want := fmt.Sprintf(" 20 rows to train, %d to test, ", test.tested); !strings.Contains(text, want) {
			t.Errorf("%v: the text lacks %q:\n%s", test.args, want, text)
		}
		if status != 0 || r.Hidden != test.hidden || r.Skipped != test.skipped {
			t.Errorf("%v: status %d, %q hidden, %d rows left out: %s", test.args, status, r.Hidden, r.Skipped, stderr.String())
		}
		if l := r.Loss[relaxed].Test.Mean; !(l > 0 && l < 20) {
			t.Errorf("%v: loss %v", test.args, l)
		}
	}
}

// The embedded networks are those of the shared data.
func TestEmbeddedNetworks(t *testing.T) {
	for name, file := range map[string]string{"asia": "asia", "cancer": "metastatic_cancer"} {
		path := filepath.Join("..", "..", "..", "shared", "data", "bayesnet", file+".bif.gz")
		if _, err := os.Stat(path); err != nil {
			t.Skip("no data: ", err)
		}
		ours, err := embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := readBIF(path)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			r := theirs.Sample(rng)
			known := make(map[string]string)
			for v, x := range r {
				known[theirs.Variables()[v].Name] = theirs.Variables()[v].States[int(x)]
			}
			row, err := ours.Evidence(known)
			if err != nil {
				t.Fatal(err)
			}
			a, b := loss(t, ours, row), loss(t, theirs, r)
			if math.Abs(a-b) > 1e-12*b {
				t.Fatalf("%s: loss %v of %v, that of the file is %v", name, a, known, b)
			}
		}
	}
}

func loss(t *testing.T, n *bayes.Network, r bayes.Row) float64 {
	t.Helper()
	l, err := n.LogLoss([]bayes.Row{r})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestErrors(t *testing.T) {
	cyclic := programtest.File(t, "x.bif", "variable a {type discrete [2] {0, 1};}\nvariable b {type discrete [2] {0, 1};}\nprobability (a | b) {default .5, .5;}\nprobability (b | a) {default .5, .5;}\n")
	short := programtest.File(t, "x.csv", "a,b\n1,2\n3,\n")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-beta", "0"}, 2, "-beta 0"},
		{[]string{"-repeats", "0"}, 2, "want at least "},
		{[]string{"-network", "x"}, 1, "naive-bayes-2, naive-bayes, six-nodes-2"},
		{[]string{"-network", "x.bif"}, 1, "x.bif"},
		{[]string{"-network", cyclic}, 1, "a ← b ← a"},
		{[]string{"-data", short}, 1, "1 rows without missing cells"},
		{[]string{"-hidden", "X"}, 1, "-hidden X"},
		{[]string{"-network", "cancer", "-data", short}, 2, "one of the two"},
	} {
		var stderr bytes.Buffer
		status, _, _ := run(t, t.Context(), &stderr, append(test.args, "-quiet")...)
		if status != test.status || !strings.Contains(stderr.String(), test.want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %q; want %d, %q", test.args, status, stderr.String(), test.status, test.want)
		}
	}
}

// An interrupt ends the program with what is known by then.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	status, r, _ := run(t, ctx, programtest.Trigger{Text: "repeats 1/", Call: cancel}, "-network", "cancer", "-repeats", "10", "-restarts", "1", "-workers", "1")
	if status != 130 || r.Status != "canceled" || r.Repeats < 1 || r.Repeats > 9 {
		t.Errorf("status %d, %q after %d repeats", status, r.Status, r.Repeats)
	}
}

func TestHelp(t *testing.T) { programtest.Help(t, newExperiment) }

func TestKeepsInputs(t *testing.T) { programtest.KeepsInputs(t, newExperiment) }
