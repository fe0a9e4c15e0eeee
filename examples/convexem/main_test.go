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

	"example.org/pathsum/internal/hidden"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/models/bayes"
)

type report struct {
	Network      string                       `json:"network"`
	Hidden       string                       `json:"hidden"`
	Repeats      int                          `json:"repeats"`
	Loss         map[string]hidden.Losses     `json:"loss"`
	Lower        float64                      `json:"relaxed_lower"`
	Upper        float64                      `json:"relaxed_upper"`
	Rounded      float64                      `json:"rounded"`
	Paired       map[string]hidden.Difference `json:"paired"`
	Objective    []float64                    `json:"objective"`
	Iterations   int                          `json:"iterations"`
	Status       string                       `json:"status"`
	Skipped      int                          `json:"skipped"`
	LinesSkipped int                          `json:"lines_skipped"`
}

// run runs the program and returns its exit status, the JSON object and the output.
var run = programtest.Reporting[report](programtest.New(newProgram))

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	figure, curve, output := filepath.Join(dir, "m.svg"), filepath.Join(dir, "curve.svg"), filepath.Join(dir, "rows")
	var stderr bytes.Buffer
	status, r, text := run(t, t.Context(), &stderr, "-repeats", "3", "-restarts", "4", "-matrix", figure, "-plot", curve, "-o", output)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r.Network != "naive-bayes" || r.Hidden != "H" || r.Repeats != 3 || r.Status != "converged" || r.Skipped != 0 {
		t.Errorf("report %+v", r)
	}
	if !(r.Lower <= r.Upper && r.Upper <= r.Rounded && r.Upper-r.Lower <= 1.01*hidden.Gap*r.Upper) {
		t.Errorf("bounds %v and %v, rounded %v", r.Lower, r.Upper, r.Rounded)
	}
	if !slices.IsSorted(r.Objective) || len(r.Objective) != r.Iterations {
		t.Errorf("%d iterations, objective %v", r.Iterations, r.Objective)
	}
	if len(r.Loss) != len(methods) || len(r.Paired) != len(methods)-1 {
		t.Errorf("losses of %d methods, %d rivals", len(r.Loss), len(r.Paired))
	}
	best := r.Loss[supervised].Test.Mean
	for m, l := range r.Loss {
		if l.Test.Mean < best-.02 || l.RawTest.Mean < l.Test.Mean-.02 {
			t.Errorf("%s: test loss %v, raw %v, supervised %v", m, l.Test, l.RawTest, best)
		}
	}
	if convex := r.Loss[relaxed].Test.Mean; convex > best+.3 {
		t.Errorf("test loss %v of convex EM, %v with nothing hidden", convex, best)
	}
	for m, d := range r.Paired {
		if want := r.Loss[m].Test.Mean - r.Loss[relaxed].Test.Mean; math.Abs(d.Mean-want) > 1e-9 || d.N != 3 || d.Wins > 3 {
			t.Errorf("%s: %+v, means differ by %v", m, d, want)
		}
	}
	if !strings.Contains(text, "marginal EM, best start") {
		t.Errorf("output:\n%s", text)
	}
	programtest.Figure(t, curve, "Training")
	programtest.Figure(t, figure)
	if text, err := os.ReadFile(output); err != nil || bytes.Count(text, []byte("\n")) != 1000 {
		t.Errorf("rows: %.100s, %v", text, err)
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
		tested  int // 20 of 60 rows are for training, and at most 40 remain
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

func TestErrors(t *testing.T) {
	cyclic := programtest.File(t, "x.bif", "variable a {type discrete [2] {0, 1};}\nvariable b {type discrete [2] {0, 1};}\nprobability (a | b) {default .5, .5;}\nprobability (b | a) {default .5, .5;}\n")
	short := programtest.File(t, "x.csv", "a,b\n1,2\n3,\n")
	many := programtest.File(t, "x.csv", "a,b\n1,2\n3,1\n3,2\n")
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
		{[]string{"-network", "cancer", "-data", short}, 1, "there is no variable "},
		{[]string{"-network", short, "-data", short}, 1, "or a file that ends in .bif, or .gz"},
		{[]string{"-data", many, "-train-rows", "3"}, 1, "3 rows, of which some are for the test"},
	} {
		var stderr bytes.Buffer
		status, _, _ := run(t, t.Context(), &stderr, append(test.args, "-quiet")...)
		if status != test.status || !strings.Contains(stderr.String(), test.want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %q; want %d, %q", test.args, status, stderr.String(), test.status, test.want)
		}
	}
}

// After an interrupt the program ends with the results so far.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	status, r, _ := run(t, ctx, programtest.Trigger{Text: "repeats 1/", Call: cancel}, "-network", "cancer", "-repeats", "10", "-restarts", "1", "-workers", "1")
	if status != 130 || r.Status != "canceled" || r.Repeats < 1 || r.Repeats > 9 {
		t.Errorf("status %d, %q after %d repeats", status, r.Status, r.Repeats)
	}
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

const asks = `network n {}
variable H {type discrete [2] {ill, well};}
variable fever {type discrete [2] {yes, no};}
variable cough {type discrete [2] {yes, no};}
variable tired {type discrete [2] {yes, no};}
probability (H) {table .5, .5;}
probability (fever | H) {(ill) .5, .5; (well) .5, .5;}
probability (cough | H) {(ill) .5, .5; (well) .5, .5;}
probability (tired | H) {(ill) .5, .5; (well) .5, .5;}
`

// patients returns rows in which three signs are correlated; H is unknown.
func patients(n int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	text := "tired,fever,cough\n"
	for i := range n {
		for j := range 3 {
			sign := i%2 == 0
			if rng.IntN(20) == 0 {
				sign = !sign
			}
			text += map[bool]string{true: "yes", false: "no"}[sign] + []string{",", ",", "\n"}[j]
		}
	}
	return text
}

// TestCheck: a network learns from rows with a hidden variable, and a saved network fills in
// missing values.
func TestCheck(t *testing.T) {
	answers := programtest.Check(t, newProgram, programtest.Use{
		Train: "-network net.bif -data rows.csv -repeats 2 -restarts 1",
		Files: []string{"net.bif", asks, "rows.csv", patients(160)},
		Lines: []string{"?,yes,?,yes", "NA, no,,?", "?,yes,yes,yes"},
	})
	ill, p, _ := strings.Cut(answers[0], ",")
	if !strings.HasPrefix(p, "yes,yes,yes\t0.") {
		t.Errorf("answer %q", answers[0])
	}
	if !strings.HasPrefix(answers[2], ill+",yes,yes,yes\t") {
		t.Errorf("answers %q and %q", answers[0], answers[2])
	}
	if well, _, _ := strings.Cut(answers[1], ","); well == ill || !strings.HasPrefix(answers[1], well+",no,no,no\t0.") {
		t.Errorf("answer %q beside %q", answers[1], answers[0])
	}
}

// TestObserved: rows without the hidden values are tested as observed; malformed ones are
// skipped, and rows without another value are left out.
func TestObserved(t *testing.T) {
	net := programtest.File(t, "net.bif", asks)
	rows := programtest.File(t, "rows.csv", patients(150)+"yes,maybe,no\nyes,no\nyes,?,no\n")
	var stderr bytes.Buffer
	status, r, text := run(t, t.Context(), &stderr, "-network", net, "-data", rows, "-repeats", "2", "-quiet")
	if status != 0 || r.Hidden != "H" || r.Skipped != 1 || r.LinesSkipped != 2 || !strings.Contains(text, "of rows as observed") {
		t.Fatalf("status %d, %+v\n%s%s", status, r, text, &stderr)
	}
	for _, want := range []string{"rows.csv:152: ", `"maybe"`, "rows.csv:153: 2 cells, the first line has 3"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: want %s", &stderr, want)
		}
	}
	// With H known, three signs cost H(H) + 3·H(.05) = ln 2 + .6 nats, minus the share of rows
	// that do not determine H.
	if l := r.Loss[relaxed]; l.Test != l.RawTest || l.Test.Mean < .9 || l.Test.Mean > 1.6 || len(r.Loss) != 3 {
		t.Errorf("losses %+v", r.Loss)
	}
}

// TestAnswer: a number selects its bin, and errors of bad lines contain the expected input.
func TestAnswer(t *testing.T) {
	n, err := bayes.NaiveBayes(bayes.Variable{Name: "class", States: []string{"a", "b"}},
		bayes.Variable{Name: "size", States: []string{"≤2.5", ">2.5"}}, bayes.Variable{Name: "colour", States: []string{"red, dark", "blue"}})
	if err != nil {
		t.Fatal(err)
	}
	m := &model{network: n}
	for line, want := range map[string]string{
		"a,2,blue":              "a,≤2.5,blue 1.0000",
		"b, 2.6, \"red, dark\"": "b,>2.5,\"red, dark\" 1.0000",
		"b,≤2.5,?":              "b,≤2.5,\"red, dark\" 0.5000",
		"a,'2','blue'":          "a,≤2.5,blue 1.0000",
		"?,9,nan":               "a,>2.5,\"red, dark\" 0.2500",
	} {
		if got, err := m.answer(line); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v, want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]string{
		"":             "0 values, want 3: class, size, colour",
		"a,1":          "2 values",
		"c,1,blue":     "class",
		"1,1,blue":     "class",
		"a,large,blue": "size",
		"a,\"1,blue":   "quote",
	} {
		if _, err := m.answer(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

// TestTable: the values of a line are in the order of the training table.
func TestTable(t *testing.T) {
	answers := programtest.Check(t, newProgram, programtest.Use{
		Train: "-data rows.csv -train-rows 60 -repeats 1 -restarts 1",
		Files: []string{"rows.csv", strings.ReplaceAll(patients(100), "yes,yes", "yes,7")},
		Lines: []string{"yes,7,?", "no,no,?"},
	})
	if !strings.HasPrefix(answers[0], "yes,7,yes\t0.") || !strings.HasPrefix(answers[1], "no,no,no\t0.") {
		t.Errorf("answers %q", answers)
	}
}

// TestRecover: parameters from labels and from the simplex are different networks.
func TestRecover(t *testing.T) {
	losses := make(map[float64]bool)
	for _, how := range []string{selecting, hard, soft} {
		status, r, _ := run(t, t.Context(), io.Discard, "-repeats", "1", "-restarts", "1", "-recover", how, "-quiet")
		if status != 0 {
			t.Fatal(how)
		}
		losses[r.Loss[relaxed].Test.Mean] = true
	}
	if len(losses) != 3 {
		t.Errorf("losses %v", losses)
	}
}
