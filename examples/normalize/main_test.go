package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/pathsum/internal/programtest"
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

// What rules of one's own read is read so before all others, built-in definitions in it or not.
func TestOwnRules(t *testing.T) {
	rules := programtest.File(t, "own.rx", "own = @dollars | \"NATO\":\"the alliance\"\n    | ((1 \\,? [0-9]{3}) >> @thousand);\n")
	lines := programtest.File(t, "lines.txt", "NATO paid $1.50, not 1000.\nNATOs $2\n")
	output := filepath.Join(t.TempDir(), "out.txt")
	var stderr bytes.Buffer
	if status, _ := run(t.Context(), &stderr, "-rules", rules, "-apply", lines, "-o", output, "-quiet"); status != 0 || stderr.Len() > 0 {
		t.Fatal(stderr.String())
	}
	got, err := os.ReadFile(output)
	if want := "the alliance paid one dollar and fifty cents, not one thousand.\nNATOs two dollars\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for text, want := range map[string]string{"": "no definition own", "own = @nothing;": "nothing is not defined", "own = a; number = b;": "number is defined already", "own = ": "syntax error"} {
		stderr.Reset()
		status, _ := run(t.Context(), &stderr, "-rules", programtest.File(t, "bad.rx", text), "-apply", lines, "-o", output)
		if status == 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: status %d, %s, want %s", text, status, &stderr, want)
		}
	}
}

// With -quiet there is no progress, in any mode.
func TestQuiet(t *testing.T) {
	lines := programtest.File(t, "lines.txt", "5\n")
	output := filepath.Join(t.TempDir(), "out.txt")
	for _, args := range [][]string{{"-apply", lines, "-o", output}, {"-inverse", "-apply", lines, "-o", output}, {"-data", programtest.File(t, "data.tsv", "spoken-written\tword\twait\twait\n"), "-o", output}} {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(args, "-quiet")...)
		if all := stderr.String() + string(out); status != 0 || strings.Contains(all, "compiling") || strings.Contains(all, "reading ") {
			t.Errorf("%v: status %d, %q", args, status, all)
		}
	}
}

// An interrupt is answered at once while grammars are compiled.
func TestInterruptedWhileCompiling(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err := interruptible(ctx, func() (int, error) {
		<-release
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if n, err := interruptible(t.Context(), func() (int, error) { return 1, nil }); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func TestHelp(t *testing.T) { programtest.Help(t, newExperiment) }

func TestKeepsInputs(t *testing.T) { programtest.KeepsInputs(t, newExperiment) }
