package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/regression"
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
	var stderr bytes.Buffer
	status, r, _ := programtest.Reporting[report](programtest.New(newProgram))(t, t.Context(), &stderr, append(args, "-quiet")...)
	return status, r, stderr.String()
}

func TestProgram(t *testing.T) {
	figure := filepath.Join(t.TempDir(), "r2.svg")
	args := []string{"-trials", "4", "-epsilon", "0.25,2,8"}
	status, r, stderr := run(t, append(args, "-workers", "2", "-figure", figure)...)
	if status != 0 {
		t.Fatal(stderr)
	}
	if r.Rows != regression.SimulatedRows || r.Features != regression.SimulatedFeatures || r.Statistics != 27 || !slices.Equal(r.Epsilon, []float64{.25, 2, 8}) {
		t.Errorf("%+v", r)
	}
	for _, m := range regression.Mechanisms() {
		for j, e := range r.Epsilon {
			want := e
			if !strings.HasSuffix(m, "-tight") && !strings.HasPrefix(m, "gradients") {
				want = e / 2
			}
			if loss := r.Loss[m][j]; loss > e || math.Abs(loss-want) > 1e-9 {
				t.Errorf("%s: loss %g for ε %g", m, loss, e)
			}
			if x := r.R2[m][j]; !(x.Mean < r.Free+.01) || !(x.SD > 0) {
				t.Errorf("%s: R² %v with ε %g, %g without privacy", m, x, e, r.Free)
			}
		}
		if x := r.R2[m]; !(x[0].Mean < x[2].Mean-.1) {
			t.Errorf("%s: R² does not fall with ε: %v", m, x)
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
	programtest.Figure(t, figure, "R² of rows held out")
	_, again, _ := run(t, append(args, "-workers", "1")...)
	if d := cmp.Diff(r, again); d != "" {
		t.Errorf("one processor gives other results: %s", d)
	}
}

// TestExactFit: without privacy and clipping a linear target is predicted exactly, with a
// constant feature; with almost no privacy, it is mostly predicted.
func TestExactFit(t *testing.T) {
	data := programtest.File(t, "data.csv", line())
	status, r, stderr := run(t, "-data", data, "-epsilon", "60", "-mechanism", "per-value-tight", "-features", "3")
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

// line has data on a line: y = 3 + 2x − z; one row lacks z.
func line() string {
	var b strings.Builder
	b.WriteString("name,year,x,z,w\n")
	for i := range 60 {
		x, z := i%7, i%5
		fmt.Fprintf(&b, "song,%d,%d,%d,1\n", 3+2*x-z, x, z)
	}
	b.WriteString("song,1,,2,1\n")
	return b.String()
}

func TestBadFlags(t *testing.T) {
	data := programtest.File(t, "data.csv", line())
	for _, test := range []struct {
		args   []string
		status int
	}{
		{[]string{"-mechanism", "none"}, 2},
		{[]string{"-trials", "0"}, 2},
		{[]string{"-features", "-1"}, 2},
		{[]string{"-features", "7", "-data", data}, 1},
		{[]string{"-rows", "7"}, 1},
		{[]string{"-rows", "1000", "-data", data}, 1},
		{[]string{"-signal", "1"}, 1},
		{[]string{"-target", "x"}, 1},
		{[]string{"-epsilon", "1e-30"}, 1},
	} {
		if status, _, stderr := run(t, test.args...); status != test.status || stderr == "" {
			t.Errorf("%v: status %d, %s", test.args, status, stderr)
		}
	}
}
