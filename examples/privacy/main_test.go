package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/programtest"
)

type report struct {
	Skipped    int                            `json:"skipped"`
	Rows       int                            `json:"rows"`
	Features   int                            `json:"features"`
	Statistics int                            `json:"statistics"`
	Epsilon    []float64                      `json:"epsilon"`
	R2         map[string][]program.Deviation `json:"r2"`
	Free       float64                        `json:"r2_non_private"`
	Uncentred  float64                        `json:"r2_uncentred_non_private"`
	Bound      []float64                      `json:"r2_bound"`
	Loss       map[string][]float64           `json:"loss"`
}

// run runs the program and returns its exit status, the JSON object and its errors.
func run(t *testing.T, args ...string) (int, report, string) {
	t.Helper()
	p, e := newExperiment()
	var out, stderr bytes.Buffer
	status := p.Execute(t.Context(), append(args, "-json", "-quiet"), &out, &stderr, e.run)
	var r report
	if status == 0 {
		r = programtest.Report[report](t, out.String())
	}
	return status, r, stderr.String()
}

func TestProgram(t *testing.T) {
	figure := filepath.Join(t.TempDir(), "r2.svg")
	args := []string{"-trials", "4", "-epsilon", "0.25,2,8"}
	status, r, stderr := run(t, append(args, "-workers", "2", "-plot", figure)...)
	if status != 0 {
		t.Fatal(stderr)
	}
	if r.Rows != simulatedRows || r.Features != simulatedFeatures || r.Statistics != 27 || !slices.Equal(r.Epsilon, []float64{.25, 2, 8}) {
		t.Errorf("%+v", r)
	}
	for _, m := range mechanisms {
		for j, e := range r.Epsilon {
			want := e
			if !strings.HasSuffix(m.name, "-tight") && !m.wide {
				want = e / 2
			}
			if loss := r.Loss[m.name][j]; loss > e || math.Abs(loss-want) > 1e-9 {
				t.Errorf("%s: loss %g for ε %g", m.name, loss, e)
			}
			if x := r.R2[m.name][j]; !(x.Mean < r.Free+.01) || !(x.SD > 0) {
				t.Errorf("%s: R² %v with ε %g, %g without privacy", m.name, x, e, r.Free)
			}
		}
		if x := r.R2[m.name]; !(x[0].Mean < x[2].Mean-.1) {
			t.Errorf("%s: R² does not fall with ε: %v", m.name, x)
		}
	}
	for _, c := range []string{"", "-tight"} {
		if x, y := r.R2["coordinate"+c][1].Mean, r.R2["per-value"+c][1].Mean; x < y+.2 {
			t.Errorf("R² %g by coordinates and %g per value", x, y)
		}
	}
	for j, bound := range r.Bound {
		products, once, x := r.R2["coordinate-tight"][j].Mean, r.R2["gradients-once"][j].Mean, r.R2["gradients"][j].Mean
		if x < products+.05 || j > 0 && x < once || !(bound < r.Free) {
			t.Errorf("ε = %g: R² %g by gradients, %g at once, %g by products; at most %g", r.Epsilon[j], x, once, products, bound)
		}
	}
	if svg, err := os.ReadFile(figure); err != nil || !bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("figure: %v", err)
	}
	_, again, _ := run(t, append(args, "-workers", "1")...)
	if d := cmp.Diff(r, again); d != "" {
		t.Errorf("one processor gives other results: %s", d)
	}
}

// line is data on a line: y = 3 + 2x − z.
func line() string {
	var b strings.Builder
	b.WriteString("name,year,x,z,w\n")
	for i := range 60 {
		x, z := float64(i%7), float64(i%5)
		row, _ := json.Marshal([]float64{3 + 2*x - z, x, z})
		b.WriteString("song," + strings.Trim(string(row), "[]") + ",1\n")
	}
	b.WriteString("song,1,,2,1\n")
	return b.String()
}

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestExactFit: without privacy and clipping a linear target is predicted exactly, one
// feature being a constant; with all but no privacy most of it.
func TestExactFit(t *testing.T) {
	status, r, stderr := run(t, "-data", write(t, line()), "-epsilon", "60", "-mechanism", "per-value-tight", "-features", "3")
	if status != 0 {
		t.Fatal(stderr)
	}
	if r.Rows != 60 || r.Skipped != 1 || r.Features != 3 || len(r.R2) != 1 {
		t.Errorf("%+v", r)
	}
	if r.Free < .98 || r.Uncentred < r.Free || r.R2["per-value-tight"][0].Mean < .3 {
		t.Errorf("%+v", r)
	}
}

func TestTargets(t *testing.T) {
	rows := strings.Repeat("1,2,3\n4,5,7\n", 5)
	for _, test := range []struct{ text, target, want string }{
		{rows, "", "column 1"},
		{strings.ReplaceAll(rows, ",", " "), "", "column 3"},
		{rows, "2", "column 2"},
		{"\"a\";\"year, of birth\";\"b\"\n" + strings.ReplaceAll(rows, ",", ";"), "b", "b"},
		{"\"a\";\"year\";\"b\"\n" + strings.ReplaceAll(rows, ",", ";"), "", "year"},
		{"a,year,b\n" + rows, "", "year"},
		{"a,year,b\n" + rows, "b", "b"},
	} {
		data, err := parse(strings.NewReader(test.text), test.target)
		if err != nil || data.target != test.want || data.width() != 2 {
			t.Errorf("%q: %+v, %v", test.text, data, err)
		}
	}
}

func TestBadData(t *testing.T) {
	rows := strings.Repeat("1,2\n2,5\n", 5)
	for text, want := range map[string]string{
		"":                      "0 complete rows",
		"1,2\n3,4\n":            "2 complete rows",
		"1,2\n3\n":              "wrong number of fields",
		"1 2\n3\n":              "row 2 has 1 columns, the first 2",
		rows + "3,x\n":          `complete row 11, column 2: "x" is not a finite number`,
		rows + "3,NaN\n":        `complete row 11, column 2: "NaN"`,
		"a,b\n" + rows:          "no column called year or median_house_value",
		"year,b\n0x,1\n" + rows: "the target, year, does not start with a number",

		strings.Repeat("1\n2\n", 5): "no features beside the column 1",
		strings.Repeat("1,2\n", 10): "the target, column 1, is always 1",
	} {
		if status, _, stderr := run(t, "-data", write(t, text)); status != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d, %s, want %s", text, status, stderr, want)
		}
	}
}

func TestBadFlags(t *testing.T) {
	for _, test := range []struct {
		args   []string
		status int
	}{
		{[]string{"-epsilon", "1,0"}, 2},
		{[]string{"-epsilon", "1,Inf"}, 2},
		{[]string{"-epsilon", ""}, 2},
		{[]string{"-mechanism", "none"}, 2},
		{[]string{"-trials", "0"}, 2},
		{[]string{"-features", "-1"}, 2},
		{[]string{"-features", "7", "-data", write(t, line())}, 1},
		{[]string{"-rows", "7"}, 1},
		{[]string{"-rows", "1000", "-data", write(t, line())}, 1},
		{[]string{"-signal", "1"}, 1},
		{[]string{"-target", "x"}, 1},
		{[]string{"-epsilon", "1e-30"}, 1},
		{[]string{"-data", write(t, line()), "-target", "10"}, 1},
		{[]string{"-data", "missing"}, 1},
	} {
		if status, _, stderr := run(t, test.args...); status != test.status || stderr == "" {
			t.Errorf("%v: status %d, %s", test.args, status, stderr)
		}
	}
}

func TestInterrupt(t *testing.T) {
	p, e := newExperiment()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr bytes.Buffer
	if status := p.Execute(ctx, []string{"-quiet"}, &out, &stderr, e.run); status != 130 || stderr.String() != "privacy: interrupted\n" {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}

func TestHelp(t *testing.T) { programtest.Help(t, newExperiment) }

func TestKeepsInputs(t *testing.T) { programtest.KeepsInputs(t, newExperiment) }
