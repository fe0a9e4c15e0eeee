package main

import (
	"io"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/internal/hidden"
	"example.org/pathsum/internal/programtest"
)

type report struct {
	Losses []tested `json:"networks chosen"`
}

// TestLosses: an average start of Viterbi EM loses more than convex EM, which is close to a
// supervised network; all methods have losses.
func TestLosses(t *testing.T) {
	run := programtest.Reporting[report](programtest.New(newProgram))
	status, r, text := run(t, t.Context(), io.Discard, "-table", "losses", "-networks", "naive-bayes", "-repeats", "3", "-restarts", "4")
	if status != 0 || len(r.Losses) != 1 || r.Losses[0].Network != "naive-bayes H" {
		t.Fatalf("status %d, %+v", status, r)
	}
	loss := r.Losses[0].Loss
	if len(loss) != 11 {
		t.Errorf("losses of %d methods", len(loss))
	}
	best := loss[supervised].Test.Mean
	for m, l := range loss {
		if l.Test.Mean < best-.02 || l.RawTest.Mean < l.Test.Mean-.02 {
			t.Errorf("%s: test loss %v, raw %v, supervised %v", m, l.Test, l.RawTest, best)
		}
	}
	if avg, convex := loss[viterbiAverage].Test.Mean, loss[relaxed].Test.Mean; avg < convex+.2 || convex > best+.3 {
		t.Errorf("test loss %v of convex EM, %v of an average start of Viterbi EM", convex, avg)
	}
	for _, want := range []string{"networks chosen, matched", "networks chosen, unmatched", "\nnaive-bayes H "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestUndecided: with hidden values drawn by the network of Viterbi EM, Viterbi EM loses less
// relative to convex EM on asia's smoke; observed rows are about as likely.
func TestUndecided(t *testing.T) {
	run := programtest.Reporting[struct {
		Table map[string][]hidden.Difference `json:"networks chosen"`
	}](programtest.New(newProgram))
	status, r, _ := run(t, t.Context(), io.Discard, "-table", "undecided", "-networks", "asia#smoke", "-seed", "2", "-repeats", "2")
	row := r.Table["asia smoke"]
	if status != 0 || len(row) != 7 {
		t.Fatalf("status %d, %+v", status, r)
	}
	if math.Abs(row[3].Mean) > .02 || math.Abs(row[5].Mean) > .02 || row[6].Mean > row[4].Mean-.5 {
		t.Errorf("%+v", row)
	}
}

// TestSettings: EM from a more accurate relaxation ends at networks that are as likely.
func TestSettings(t *testing.T) {
	run := programtest.Reporting[struct {
		Sums []float64 `json:"networks chosen"`
	}](programtest.New(newProgram))
	status, r, _ := run(t, t.Context(), io.Discard, "-table", "settings", "-networks", "naive-bayes,cancer", "-repeats", "2")
	if status != 0 || len(r.Sums) != len(solvers) {
		t.Fatalf("status %d, %+v", status, r)
	}
	for _, x := range r.Sums {
		if math.Abs(x) > .5 {
			t.Errorf("%v", r.Sums)
		}
	}
}

// TestAbsent: networks without files are left out, and it is an error if all are missing.
func TestAbsent(t *testing.T) {
	var stderr strings.Builder
	status, _ := programtest.New(newProgram)(t.Context(), &stderr, "-folder", t.TempDir(), "-networks", "alarm.bif.gz#HR")
	if status != 1 || !strings.Contains(stderr.String(), "alarm.bif.gz is not here") || !strings.Contains(stderr.String(), "none of the networks is here") {
		t.Errorf("status %d, %s", status, &stderr)
	}
}
