package main

import (
	"bytes"
	"testing"

	"example.org/pathsum/examples/internal/programtest"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newExperiment, (*experiment).run)

// figures is the JSON object.
type figures struct {
	Status   string                        `json:"status"`
	Accuracy map[string]map[string]float64 `json:"accuracy"`
	Speed    float64                       `json:"sentences_per_second"`
	States   int                           `json:"states"`
	Arcs     int                           `json:"arcs"`

	Objective []float64 `json:"objective"`
	Outcomes  []outcome `json:"outcomes"`
}

func TestProgram(t *testing.T) {
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json")
	if status != 0 {
		t.Fatal(stderr.String())
	}
	f := programtest.Report[figures](t, out)
	if f.Status != "done" || f.Speed <= 0 || f.States < 1000 || f.Arcs < 1000 {
		t.Errorf("%+v", f)
	}
	for _, d := range directions {
		kinds := f.Accuracy[d.String()]
		for kind, fraction := range kinds {
			if fraction < 1 {
				t.Errorf("%s %s: %g of the tests of the grammar are right", d, kind, fraction)
			}
		}
		if len(kinds) == 0 {
			t.Errorf("no %s", d)
		}
	}
}

func TestHelp(t *testing.T) { programtest.Help(t, newExperiment) }

func TestKeepsInputs(t *testing.T) { programtest.KeepsInputs(t, newExperiment) }
