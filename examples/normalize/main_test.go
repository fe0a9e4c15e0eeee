package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/programtest"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newProgram)

// figures is the JSON object.
type figures struct {
	Status   string                        `json:"status"`
	Accuracy map[string]map[string]float64 `json:"accuracy"`
	Speed    float64                       `json:"sentences_per_second"`
	States   int                           `json:"states"`
	Arcs     int                           `json:"arcs"`

	Objective []float64 `json:"objective"`
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
	for _, d := range grammars.Directions {
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

// User rules take precedence over all others, with and without built-in definitions.
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
