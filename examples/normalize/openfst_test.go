package main

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/semiring"
)

// developmentFile is the file of the development lines, if it exists.
const developmentFile = "../../../shared/data/textnorm/english.tsv"

// developmentLines returns the lines of a file.
func developmentLines(t testing.TB, file string) []grammars.Line {
	t.Helper()
	var all []grammars.Line
	for l, err := range grammars.Lines(tsv.RowsOf(file, 4, 4), file) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// lines returns the development lines, or else the tests of the grammars.
func lines(t testing.TB) []grammars.Line {
	t.Helper()
	if _, err := os.Stat(developmentFile); !errors.Is(err, fs.ErrNotExist) {
		return developmentLines(t, developmentFile)
	}
	all, err := grammars.Tests()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// openFst is a folder with the exported machines, one file each, for OpenFst's tools.
type openFst string

// newOpenFst exports the grammars of both directions. It skips the test if the tools are not
// installed, unless PATHSUM_OPENFST=require.
func newOpenFst(t testing.TB) openFst {
	t.Helper()
	if _, err := exec.LookPath("farextract"); err != nil {
		if os.Getenv("PATHSUM_OPENFST") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	x := openFst(exported(t))
	x.run(t, nil, "farextract --filename_suffix=.vector all.far")
	for _, d := range grammars.Directions {
		x.run(t, nil, "fstconvert --fst_type=const "+d.String()+".vector "+d.String())
	}
	return x
}

func (x openFst) file(name string) string { return filepath.Join(string(x), name) }

// run runs a command of the shell in the folder and returns what it prints.
func (x openFst) run(t testing.TB, input []byte, command string) []byte {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = string(x), bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v: %s", command, err, stderr.Bytes())
	}
	return out
}

// best returns the output of the best path of an input, and its cost.
func (x openFst) best(t testing.TB, d grammars.Direction, input string) (string, float64) {
	t.Helper()
	var text bytes.Buffer
	if err := fstio.WriteText(&text, fst.FromString(semiring.Tropical{}, fst.ByteLabels(input)), nil); err != nil {
		t.Fatal(err)
	}
	printed := x.run(t, text.Bytes(), "fstcompile | fstcompose - "+d.String()+" | fstshortestpath | fsttopsort | fstprint --numeric")
	var output []byte
	cost := 0.0
	for row, err := range tsv.Rows(bytes.NewReader(printed), "fstprint", 1, 5) {
		if err != nil {
			t.Fatal(err)
		}
		weight := ""
		switch c := row.Columns; len(c) {
		case 2, 5:
			weight = c[len(c)-1]
			fallthrough
		case 1, 4:
			if len(c) >= 4 && c[3] != "0" {
				b, err := strconv.ParseUint(c[3], 10, 8)
				if err != nil {
					t.Fatal(err)
				}
				output = append(output, byte(b))
			}
		}
		if weight != "" {
			w, err := strconv.ParseFloat(weight, 64)
			if err != nil {
				t.Fatal(err)
			}
			cost += w
		}
	}
	return string(output), cost
}

// OpenFst reads the archive, and finds the same best reading of every line. If several readings
// are equally good, up to the rounding of its weights, it finds one of them.
func TestOpenFstReadings(t *testing.T) {
	x := newOpenFst(t)
	all := lines(t)
	ties := 0
	for _, e := range all {
		g := grammarOf(t, e.Direction)
		want, err := g.Apply(e.Input, 1)
		if err != nil {
			t.Fatalf("%s: %v", e.Where, err)
		}
		got, cost := x.best(t, e.Direction, e.Input)
		if !near(cost, want[0].Cost) {
			t.Errorf("%s: %s\nOpenFst reads %s\nat a cost of %g, here\nit is read as %s\nat %g", e.Where, e.Input, got, cost, want[0].Text, want[0].Cost)
		}
		if got == want[0].Text {
			continue
		}
		ties++
		w, err := fst.Weight(g.Machine, g.Encode(e.Input), g.Encode(got), &fst.Options{Limit: linegrammar.MaxStates})
		if err != nil {
			t.Fatal(err)
		}
		if !near(float64(w), want[0].Cost) {
			t.Errorf("%s: %s\nOpenFst reads %s\nwhich costs %g here, want %s\nat %g", e.Where, e.Input, got, float64(w), want[0].Text, want[0].Cost)
		}
	}
	t.Logf("%d lines, %d with several best readings", len(all), ties)
}

// near reports whether a cost is equal up to the error of a sum of some hundred 32-bit weights.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-4*max(1, math.Abs(b)) }

// Files that OpenFst has written are applied like the grammar.
func TestOpenFstFiles(t *testing.T) {
	x := newOpenFst(t)
	for _, file := range []string{"written-spoken", "written-spoken.vector"} {
		g, err := linegrammar.Import(x.file(file), "", true)
		if err != nil {
			t.Fatal(err)
		}
		alike(t, g, grammarOf(t, grammars.WrittenSpoken))
	}
}
