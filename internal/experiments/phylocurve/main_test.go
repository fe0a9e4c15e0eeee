package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"example.org/pathsum/internal/genomes"
	"example.org/pathsum/internal/programtest"
)

type report struct {
	Accuracy map[string][]float64 `json:"accuracy"`
	Single   float64              `json:"accuracy_single_column"`
}

var run = programtest.Reporting[report](programtest.New(newProgram))

// Agreement, and annealed training, which begins with it, are better than independent training
// at first; agreement ends worse.
func TestCurves(t *testing.T) {
	folder := t.TempDir()
	var stderr bytes.Buffer
	status, r, out := run(t, t.Context(), &stderr, "-iterations", "5", "-plot", folder+"/curves.svg")
	if status != 0 {
		t.Fatal(stderr.String())
	}
	programtest.Figure(t, folder+"/curves.svg", genomes.Independent, genomes.Agreement, genomes.Averaged, genomes.Annealed, "single columns")
	for _, how := range genomes.Ways {
		a := r.Accuracy[how]
		if len(a) != 5 || a[4] < .79 || !strings.Contains(out, how+" ") {
			t.Errorf("%s: accuracies %v; single columns %v\n%s", how, a, r.Single, out)
		}
	}
	alone, agreeing, cooled := r.Accuracy[genomes.Independent], r.Accuracy[genomes.Agreement], r.Accuracy[genomes.Annealed]
	if agreeing[0] <= alone[0] || cooled[0] != agreeing[0] || agreeing[4] >= alone[4] || alone[4] <= r.Single || cooled[4] <= r.Single {
		t.Errorf("%v, single columns %g", r.Accuracy, r.Single)
	}
	status, one, _ := run(t, t.Context(), io.Discard, "-iterations", "5", "-train", genomes.Agreement, "-workers", "1")
	if status != 0 || len(one.Accuracy) != 1 || one.Accuracy[genomes.Agreement][4] != r.Accuracy[genomes.Agreement][4] {
		t.Errorf("agreement alone: status %d, %v", status, one)
	}
	for _, bad := range []string{"-columns 4", "-data x.fa", "-train best"} {
		if status, _, _ := run(t, t.Context(), io.Discard, strings.Fields(bad)...); status != 2 {
			t.Errorf("%s: status %d, want 2", bad, status)
		}
	}
}
