package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/programtest"
)

type report struct {
	Lines       int       `json:"lines"`
	Iterations  int       `json:"iterations"`
	Objective   []float64 `json:"objective"`
	Independent []float64 `json:"aer_iterations_independent"`
	Agreement   []float64 `json:"aer_iterations_agreement"`
	Product     []float64 `json:"aer_iterations_product2006"`
	Domain      []float64 `json:"aer_iterations_agreement2007"`
	Final       float64   `json:"aer_agreement"`
	Threshold   float64   `json:"threshold_agreement"`
}

var run = programtest.Reporting[report](programtest.New(newProgram))

// Each way of training to agree ends with a better score than independent directions, and the
// results do not depend on the number of workers.
func TestCurves(t *testing.T) {
	curve := t.TempDir() + "/curve.svg"
	var stderr bytes.Buffer
	status, r, out := run(t, t.Context(), &stderr, "-plot", curve)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	programtest.Figure(t, curve, "independent", "product2006", "agreement2007", "agreement")
	if len(r.Independent) != 10 || len(r.Agreement) != 8 || r.Lines != 90 || r.Agreement[7] >= r.Agreement[2] || r.Agreement[7] > .04 || r.Final > .06 {
		t.Errorf("%+v", r)
	}
	for _, rates := range [][]float64{r.Product, r.Domain} {
		if len(rates) != 10 || rates[9] >= r.Independent[9] {
			t.Errorf("to agree: %v by iteration, independently %v", rates, r.Independent)
		}
	}
	if strings.Count(out, "; ") != 4 {
		t.Errorf("want four ways:\n%s", out)
	}
	for _, how := range []string{"independent", "product2006", "agreement2007", "agreement"} {
		var first report
		for i, workers := range []string{"1", "3"} {
			status, r, _ := run(t, t.Context(), io.Discard, "-spelling", "-train", how, "-workers", workers, "-iterations", "3", "-combine", "product")
			if status != 0 || r.Iterations != len(r.Objective) || r.Iterations < 6 {
				t.Fatalf("%s: status %d, %+v", how, status, r)
			}
			if i == 0 {
				first = r
			} else if d := cmp.Diff(first, r); d != "" {
				t.Errorf("%s: %s", how, d)
			}
		}
	}
}

// Each setting changes the model, and hence its objective; -deleted changes the alignment.
func TestSettings(t *testing.T) {
	base := []string{"-iterations", "2", "-train", "agreement"}
	_, first, _ := run(t, t.Context(), io.Discard, base...)
	for _, args := range [][]string{
		{"-null", ".1"}, {"-jumps", "1"}, {"-backoff", "0"}, {"-reach", "1"}, {"-dirichlet", "1.1"}, {"-variational", "1"},
		{"-model", "diagonal"}, {"-classes", "3"}, {"-prune", ".5"}, {"-spelling"}, {"-longest", "4"},
	} {
		status, r, _ := run(t, t.Context(), io.Discard, append(base, args...)...)
		if status != 0 || len(r.Objective) != 5 || r.Objective[4] == first.Objective[4] || !(r.Final < .9) {
			t.Errorf("%v: status %d, %+v", args, status, r)
		}
	}
	_, all, _ := run(t, t.Context(), io.Discard, append(base, "-deleted", "0")...)
	_, most, _ := run(t, t.Context(), io.Discard, append(base, "-deleted", ".9")...)
	if d := cmp.Diff(first, most); d != "" || all.Objective[4] != first.Objective[4] || cmp.Equal(all.Agreement, first.Agreement) {
		t.Errorf("-deleted 0: %v; default %v: %s", all, first, d)
	}
	if _, half, _ := run(t, t.Context(), io.Discard, append(base, "-threshold", ".5")...); half.Threshold != .5 || half.Agreement[4] < first.Agreement[4] {
		t.Errorf("at the threshold .5: %+v, at the best one %+v", half, first)
	}
}

func TestErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-deleted .5 -train independent":              "-deleted: has no effect without -train agreement",
		"-deleted .5 -train product2006":              "-deleted: has no effect without -train agreement",
		"-deleted .5 -train agreement -dirichlet 1.1": "-deleted: has no effect without -train agreement, or with -dirichlet or -variational",
		"-deleted 1":                    "-deleted 1: want it from 0 to 0.999",
		"-dirichlet 2 -variational 1":   "-variational: has no effect with -dirichlet",
		"-reach 0":                      "-reach 0: want it from 1 to 255",
		"-e e -f f":                     "-e: want -dev-e as well",
		"-train both":                   "-train both: want one of all, independent, product2006, agreement2007, agreement",
		"-dev-e e -dev-f f -dev-gold g": "-dev-e: want -e or -bitext as well",
		"-bitext b -dev-e e -dev-f f":   "-dev-e, -dev-f and -dev-gold: want all three",
		"-bitext b -dev-e e -dev-f f -dev-gold g -unpaired -e e": "-bitext: want neither -e nor -f",
	} {
		var stderr bytes.Buffer
		status, _, _ := run(t, t.Context(), &stderr, strings.Fields(args)...)
		if status != 2 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %s, want %s", args, status, &stderr, want)
		}
	}
}
