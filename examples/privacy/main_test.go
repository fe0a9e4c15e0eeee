package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/regression"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

type report struct {
	Skipped      int                            `json:"skipped"`
	LinesSkipped int                            `json:"lines_skipped"`
	Rows         int                            `json:"rows"`
	Features     int                            `json:"features"`
	Epsilon      []float64                      `json:"epsilon"`
	R2           map[string][]program.Deviation `json:"r2"`
	Free         float64                        `json:"r2_non_private"`
	Loss         map[string][]float64           `json:"loss"`
}

// run runs the program and returns its exit status, the JSON object, the output and its errors.
func run(t *testing.T, args ...string) (status int, r report, out, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	status, r, out = programtest.Reporting[report](programtest.New(newProgram))(t, t.Context(), &errs, append(args, "-quiet")...)
	return status, r, out, errs.String()
}

func TestProgram(t *testing.T) {
	args := []string{"-trials", "4", "-epsilon", "0.25,2,8"}
	predicted := filepath.Join(t.TempDir(), "predicted")
	status, r, out, stderr := run(t, append(args, "-workers", "2", "-o", predicted)...)
	if status != 0 {
		t.Fatal(stderr)
	}
	if r.Rows != regression.SimulatedRows || r.Features != regression.SimulatedFeatures || len(r.R2) != 1 || !strings.Contains(out, "simulated target = ") {
		t.Errorf("%+v\n%s", r, out)
	}
	for j, e := range r.Epsilon {
		if loss := r.Loss["gradients"][j]; loss > e || math.Abs(loss-e) > 1e-9 {
			t.Errorf("loss %g for ε %g", loss, e)
		}
	}
	if x := r.R2["gradients"]; !(x[0].Mean < x[1].Mean && x[1].Mean < x[2].Mean && math.Abs(x[2].Mean-r.Free) < .01) {
		t.Errorf("R² %v, without privacy %g", x, r.Free)
	}
	if text, err := os.ReadFile(predicted); err != nil || bytes.Count(text, []byte("\n")) != r.Rows {
		t.Errorf("predictions: %.100s, %v", text, err)
	}
	_, again, _, _ := run(t, append(args, "-workers", "1")...)
	if d := cmp.Diff(r, again); d != "" {
		t.Errorf("one processor gives other results: %s", d)
	}
}

// line has data on a line: y = 3 + 2x − z; one row lacks z.
func line() string {
	var b strings.Builder
	b.WriteString("name,year,x,z\n")
	for i := range 600 {
		x, z := i%7, i%5
		fmt.Fprintf(&b, "song,%d,%d,%d\n", 3+2*x-z, x, z)
	}
	b.WriteString("song,1,,2\n")
	return b.String()
}

// TestCheck: a saved regression, almost without privacy, predicts a linear target
// approximately.
func TestCheck(t *testing.T) {
	answers := programtest.Check(t, newProgram, programtest.Use{
		Train: "-data line.csv -epsilon 30 -trials 2",
		Files: []string{"line.csv", line()},
		Lines: []string{"3,2", "5; 1", "1 4"},
	})
	for i, want := range []float64{7, 12, 1} {
		if got, err := strconv.ParseFloat(answers[i], 64); err != nil || math.Abs(got-want) > 1 {
			t.Errorf("answer %q, want about %g", answers[i], want)
		}
	}
}

// TestSkips: a line with a word instead of a number is skipped and reported; rows without a
// value are counted.
func TestSkips(t *testing.T) {
	data := programtest.File(t, "line.csv", line()+"song,1,x,2\nsong,4,5\n")
	status, r, out, stderr := run(t, "-data", data, "-epsilon", "2", "-trials", "1", "-mechanism", "coordinate-tight")
	if status != 0 || r.Rows != 600 || r.Skipped != 1 || r.LinesSkipped != 2 || !strings.Contains(out, "1 rows with an empty value") {
		t.Errorf("status %d, %+v\n%s", status, r, out)
	}
	for _, want := range []string{`line.csv:603: column 3: "x" is not a finite number`, "line.csv:604: 3 columns, the first line has 4"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%s: want %s", stderr, want)
		}
	}
}

func TestBadData(t *testing.T) {
	rows := strings.Repeat("1,2\n2,5\n", 5)
	for text, want := range map[string]string{
		"":                        "0 complete rows",
		"1,2\n3,4\n":              "2 complete rows",
		"1,2\n3\n":                "data.csv:2: 1 columns, the first line has 2",
		"1 2\n3\n":                "data.csv:2: 1 columns, the first line has 2",
		rows + "3,x\n4,x\n":       `data.csv:11: column 2: "x" is not a finite number (and 1 more`,
		rows + "3,NaN\n4,Inf\n":   `data.csv:11: column 2: "NaN"`,
		rows + "3,\"4\n":          "data.csv: ",
		rows + "\xff,2\n":         "invalid UTF-8",
		"a,b\n" + rows:            "no column called year or median_house_value",
		"year,b\n0x,1\n" + rows:   "the target, year, does not start with a number",
		"year,b,c\n1,1\n2,\n,4\n": "data.csv:2: 2 columns, the first line has 3",

		strings.Repeat("1\n2\n", 5): "no features except the column 1",
		strings.Repeat("1,2\n", 10): "the target, column 1, is always 1",
	} {
		data := programtest.File(t, "data.csv", text)
		if status, _, _, stderr := run(t, "-data", data); status != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d, %s, want %s", text, status, stderr, want)
		}
	}
}

func TestBadFlags(t *testing.T) {
	data := programtest.File(t, "data.csv", line())
	for _, test := range []struct {
		args   []string
		status int
	}{
		{[]string{"-epsilon", "1,0"}, 2},
		{[]string{"-epsilon", "1,Inf"}, 2},
		{[]string{"-epsilon", ""}, 2},
		{[]string{"-epsilon", "1,2", "-save", "regression"}, 2},
		{[]string{"-apply", data}, 2},
		{[]string{"-mechanism", "none"}, 2},
		{[]string{"-trials", "0"}, 2},
		{[]string{"-load", data, "-apply", data, "-epsilon", "1"}, 2},
		{[]string{"-target", "x"}, 1},
		{[]string{"-epsilon", "1e-30"}, 1},
		{[]string{"-data", data, "-target", "10"}, 1},
		{[]string{"-data", "missing"}, 1},
	} {
		if status, _, _, stderr := run(t, test.args...); status != test.status || stderr == "" {
			t.Errorf("%v: status %d, %s", test.args, status, stderr)
		}
	}
}

// TestAnswer: errors of lines without an answer contain the expected input.
func TestAnswer(t *testing.T) {
	m, err := load(strings.NewReader(`{"Format":"pathsum privacy 1","Target":"y","Features":["a","b"],"Ranges":{"Features":[{"Middle":1,"Half":2},{"Half":1}],"Target":{"Middle":10,"Half":4}},"Weights":[0.5,-1]}`))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{"2, .5": "9", "100; 0": "12", "-1\t-1": "12"} {
		if got, err := m.answer(line); err != nil || got[0] != want {
			t.Errorf("%q: %s, %v, want %s", line, got, err, want)
		}
	}
	for line, want := range map[string]string{"": "0 values, want 2: a, b", "1,2,3": "3 values", "1,x": `"x" is not a finite number`, "NaN 1": "NaN"} {
		if _, err := m.answer(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
	if got := m.String(); got != "y = 9 + 1 × a − 4 × b" {
		t.Error(got)
	}
	for text, want := range map[string]string{
		`{"Format":"pathsum privacy 1"}`: "0 weights",
		`{"Format":"pathsum privacy 1","Features":["a"],"Ranges":{"Features":[{}]},"Weights":[1]}`: "the range of",
	} {
		if _, err := load(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestInterrupt(t *testing.T) {
	p := newProgram()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr bytes.Buffer
	if status := p.Execute(ctx, []string{"-quiet"}, &out, &stderr); status != 130 || stderr.String() != "privacy: interrupted\n" {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}

// TestHousing checks the figures of PERFORMANCE.md.
func TestHousing(t *testing.T) {
	const data = "../../../shared/data/regression/california_housing.csv.gz"
	if _, err := os.Stat(data); err != nil {
		t.Skip("no data: ", err)
	}
	status, r, _, stderr := run(t, "-data", data, "-epsilon", "1,4", "-trials", "3")
	if x := r.R2["gradients"]; status != 0 || x[0].Mean < .45 || x[1].Mean < .6 {
		t.Errorf("R² %v: %s", x, stderr)
	}
}
