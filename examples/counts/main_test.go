package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
)

// run runs the program and returns its exit status and outputs.
func run(ctx context.Context, args ...string) (status int, out, stderr string) {
	var errs bytes.Buffer
	status, out = programtest.New(newProgram)(ctx, &errs, args...)
	return status, out, errs.String()
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestUse(t *testing.T) {
	programtest.Check(t, newProgram, programtest.Use{Train: "-regions 1,2 -passes 1 -exact 1"})
}

// report is the JSON object.
type report struct {
	Results    results
	Regions    []int
	Accuracy   map[string][]any
	Supervised float64
}

// Moments take one step, EM takes several passes for large regions, and EM from the moments is
// best.
func TestProgram(t *testing.T) {
	plot := filepath.Join(t.TempDir(), "a.svg")
	status, out, stderr := run(t.Context(), "-json", "-regions", "1,2,6", "-exact", "2", "-beam", "100", "-passes", "2", "-plot", plot)
	if status != 0 {
		t.Fatal(stderr)
	}
	all := programtest.Report[report](t, out)
	accuracy := map[[3]any]float64{}
	for _, r := range all.Results {
		accuracy[[3]any{r.Size, r.Method, r.Pass}] = r.Test
		if r.Skipped > 0 || r.Train < r.Test-.05 || r.Method == constrained && !(r.Gap > 0 && r.Gap < 5) {
			t.Errorf("%+v", r)
		}
	}
	if len(accuracy) != 2+3*(5+4)+2*2 {
		t.Errorf("%d results: %v", len(accuracy), accuracy)
	}
	at := func(size int, method string, pass int) float64 {
		a, ok := accuracy[[3]any{size, method, pass}]
		if !ok {
			t.Fatalf("no %s for %d after %d", method, size, pass)
		}
		return a
	}
	if at(1, cold, 1) != at(1, constrained, 0) {
		t.Error("regions of one word leave nothing open")
	}
	if at(1, "features from constrained", 0) <= at(1, constrained, 0) {
		t.Error("how words are spelt says nothing of those in no region")
	}
	for pass := 1; pass <= 2; pass++ {
		if at(2, cold, pass) != at(2, "EM, exact", pass) {
			t.Error("a beam that drops nothing is not exact")
		}
	}
	if at(6, cold, 1) > at(6, constrained, 0)-.05 || at(6, cold, 2) < at(6, cold, 1) {
		t.Errorf("EM reaches %g and %g, moments %g", at(6, cold, 1), at(6, cold, 2), at(6, constrained, 0))
	}
	if at(6, warm, 2) < at(6, constrained, 0)-.01 || at(0, "features", 0) < at(6, warm, 2)-.02 {
		t.Errorf("EM from the moments: %g", at(6, warm, 2))
	}
	for _, size := range []int{1, 2, 6} {
		from, best := at(size, "features from constrained", 0), at(size, "features, likelihood from moments", 0)
		if best < from-.02 || at(size, "features, likelihood", 0) < .5 {
			t.Errorf("likelihood of features from moments in regions of %d: %g, and %g by moments", size, best, from)
		}
	}
	if !slices.Equal(all.Regions, []int{1, 2, 6}) || all.Supervised != at(0, "features", 0) || len(all.Accuracy) != 8 {
		t.Errorf("%+v", all)
	}
	if x := all.Accuracy[cold]; len(x) != 3 || !slices.Equal(x[2].([]any), []any{at(6, cold, 1), at(6, cold, 2)}) || all.Accuracy[constrained][2] != at(6, constrained, 0) {
		t.Errorf("%+v", all.Accuracy)
	}
	programtest.Figure(t, plot, "regions of 6", "from the moments, 6", "test accuracy")
}

func TestData(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.tsv")
	text := strings.Repeat("a\tX\nb\tY\n\na\tX\na\tX\nc\tY\n\n", 6)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out, stderr := run(t.Context(), "-json", "-data", file, "-test", file, "-regions", "2", "-passes", "1", "-model", "crf")
	if status != 0 || !strings.Contains(out, "12 sentences to learn from, 12 to be tested with; 3 words, 2 tags") {
		t.Error(status, out, stderr)
	}
	for _, r := range programtest.Report[report](t, out).Results {
		if r.Method == "most frequent tag" && r.Test != 1 {
			t.Errorf("%+v", r)
		}
	}
	if err := os.WriteFile(file, []byte("a\tX\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := run(t.Context(), "-data", file); status != 1 || !strings.Contains(stderr, "data.tsv:2") {
		t.Error(status, stderr)
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{"-regions", "0"}, {"-regions", "1,x"}, {"-beam", "0"}, {"-passes", "-1"}, {"-model", "memm"}, {"-test", "x"}, {"-data", "missing"}, {"-plot", "x.gif"}} {
		if status, _, stderr := run(t.Context(), args...); status == 0 || stderr == "" {
			t.Errorf("%v: status %d, %q", args, status, stderr)
		}
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, out, _ := run(ctx, "-json"); status != 130 || !strings.Contains(out, `"status":"canceled"`) {
		t.Error(status, out)
	}
}
