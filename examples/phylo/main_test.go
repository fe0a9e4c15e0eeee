package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/genomes"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/models/phylo/msa"
)

// run runs the program with -json and returns the exit status, the JSON object and the output.
var run = programtest.Reporting[report](programtest.New(newProgram))

type report struct {
	Train     string     `json:"train"`
	Status    string     `json:"status"`
	Sites     int        `json:"sites"`
	Objective []float64  `json:"objective"`
	Accuracy  []*float64 `json:"accuracy"`
	Final     float64    `json:"accuracy_final"`
	Single    float64    `json:"accuracy_single_column"`
	Copy      float64    `json:"accuracy_copy"`
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	out, curves, drawing := filepath.Join(dir, "hidden.tsv"), filepath.Join(dir, "curves.svg"), filepath.Join(dir, "tree.svg")
	var stderr bytes.Buffer
	status, r, text := run(t, t.Context(), &stderr, "-iterations", "8", "-o", out, "-plot", curves, "-drawing", drawing)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r.Train != best || r.Sites != genomes.Columns || len(r.Objective) != 8 || len(r.Accuracy) != 8 || !slices.IsSorted(r.Objective[1:]) {
		t.Errorf("%+v", r)
	}
	if !(r.Copy+.02 < r.Single && r.Single < *r.Accuracy[7] && r.Single < r.Final) {
		t.Errorf("accuracies %+v", r)
	}
	if !strings.Contains(text, fmt.Sprintf("%6.2f %%  annealed, averaged with a chain along each sequence\n", 100*r.Final)) {
		t.Errorf("the output lacks the accuracy:\n%s", text)
	}
	for file, want := range map[string]string{curves: "single columns", drawing: "primates"} {
		if svg, err := os.ReadFile(file); err != nil || !bytes.Contains(svg, []byte(want)) {
			t.Errorf("figure %s: %v", file, err)
		}
	}
	rows, err := os.ReadFile(out)
	if err != nil || strings.Count(string(rows), "\n") < 7000 || strings.Count(string(rows), "\t") != 3*strings.Count(string(rows), "\n") {
		t.Errorf("output: %v, %.100s", err, rows)
	}
}

// files writes a drawn alignment, its tree and a mask, and returns the flags for them.
func files(t *testing.T, columns int) []string {
	t.Helper()
	d, err := genomes.Draw(1)
	if err != nil {
		t.Fatal(err)
	}
	var fasta, mask strings.Builder
	for i, name := range d.Seen.Species {
		fmt.Fprintf(&fasta, ">%s\n", name)
		for _, c := range d.Seen.Rows[i][:columns] {
			fasta.WriteByte(c.Symbol())
		}
		fasta.WriteByte('\n')
		for j := i; j < columns; j += 7 {
			b, _ := d.Seen.Rows[i][j].Observed()
			fmt.Fprintf(&mask, "%d\t%s\t%c\n", j, name, msa.Bases[b])
		}
	}
	return []string{"-data", programtest.File(t, "drawn.fa", fasta.String()), "-tree", programtest.File(t, "trees.tsv", "# names and trees\nother\t(a,b);\ndrawn\t"+genomes.Mammals+"\n"),
		"-mask", programtest.File(t, "mask.tsv", mask.String()), "-blocks", programtest.File(t, "blocks.txt", "0\n100\n")}
}

// Each way to train has the same start and improves; a short alignment uses the model of single
// columns.
func TestWays(t *testing.T) {
	args := append(files(t, 600), "-iterations", "3")
	for _, how := range append([]string{best, single}, genomes.Ways...) {
		status, r, text := run(t, t.Context(), io.Discard, append(args, "-train", how)...)
		if status != 0 || r.Train != how || r.Final < .7 || len(r.Objective) == 0 {
			t.Errorf("%s: status %d, %+v\n%s", how, status, r, text)
		}
		pairs := how != best && how != single
		if (len(r.Accuracy) == 3) != pairs || (r.Final == r.Single) == pairs {
			t.Errorf("%s: %+v", how, r)
		}
	}
}

func TestBadData(t *testing.T) {
	args := files(t, 200)
	for _, c := range []struct{ flag, text, want string }{
		{"-data", ">human\nAC\n>macaque\nA\n", "bad format: 1 columns of \"macaque\", 2 of \"human\""},
		{"-data", ">human\nA!\n", ".fa:2: bad format: unknown symbol '!' at byte 2"},
		{"-tree", "((human,mouse)", "byte 15: the text ends"},
		{"-tree", "(human,mouse);\n", "is not in the alignment, or not in the tree"},
		{"-tree", "x\t(a,b);\n", "no tree has the name"},
		{"-tree", "drawn\t(a,b;\n", ":1: invalid input: byte 5"},
		{"-mask", "1\thuman\n", ":1: "},
		{"-mask", "200\thuman\tA\n", `:1: column "200", want a number below 200`},
		{"-mask", "1\tyeti\tA\n", `:1: species "yeti"`},
		{"-mask", "0\thuman\tN\n", ":1: human has"},
		{"-mask", "", "no cells"},
		{"-blocks", "1\n", ":1: the first run begins at column 1"},
		{"-blocks", "0\n0\n", ":2: column 0 after 0"},
		{"-blocks", "0\nx\n", `:2: "x", want a column`},
		{"-blocks", "", "no columns"},
	} {
		bad := slices.Clone(args)
		i := slices.Index(bad, c.flag) + 1
		bad[i] = programtest.File(t, "drawn"+filepath.Ext(bad[i]), c.text)
		var stderr bytes.Buffer
		status, _, _ := run(t, t.Context(), &stderr, bad...)
		if status != 1 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s %q: status %d, %s, want %s", c.flag, c.text, status, stderr.String(), c.want)
		}
	}
	for _, bad := range [][]string{{"-data", "x.fa"}, {"-tree", "x"}, {"-train", "x"}} {
		if status, _, _ := run(t, t.Context(), io.Discard, bad...); status != 2 {
			t.Errorf("%v: status %d", bad, status)
		}
	}
}

// Files as other programs write them.
func TestFilesOfOthers(t *testing.T) {
	mask := programtest.File(t, "m.tsv", "0\ta\tA\n3\tb\tT\n")
	const rows = ">a\nACGTACGTAAAC\n>b\nACGTACGTCAAC\n>c\nACGAACGTACAC\n"
	for _, c := range []struct {
		fasta, tree string
		flags       []string
		warns       string
		status      int
	}{
		{rows, "(a:.1,b:.2,c:.3);", nil, "", 0},
		{"\ufeff" + strings.ReplaceAll(rows, "\n", "\r"), "\ufeff(a:.1,\r\tb:.2,c:.3);\r", nil, "", 0},
		{">a\nACGTACGTAAAC\n>b\n........C...\n>c\n...A.....C..\n", "(a,b,c);", []string{"-dots", "first"}, "", 0},
		{">a\nACGTACGTAAAC\n>b\n........C...\n>c\n...A.....C..\n", "(a,b,c);", nil, "Options.Dots", 1},
		{rows + ">z\nACGTACGTAAAC\n", "(a:.1,b:.2,c:.3);", nil, "left out: z", 0},
		{rows + ">a\nACGTACGTAATT\n", "(a,b,c);", []string{"-repeats", "best"}, "several rows", 0},
		{rows, "((a:.1,b:.2)90:-.1,c:.3)90;", []string{"-negative"}, "negative branch lengths are read as 0: -0.1", 0},
		{rows, "((a:.1,b:.2)90:.1,c:.3)90;", nil, "support values of 2 inner nodes", 0},
		{rows, "((a:.1,b:.2):-.1,c:.3);", nil, "Newick.NegativeAsZero", 1},
		{rows, "#NEXUS\nbegin trees;\n\ttree T = (a,b);\nend;\n", nil, "NEXUS", 1},
		{rows, "\xff\xfe(\x00", nil, "UTF-16", 1},
		{strings.ReplaceAll(rows, "G", "A"), "(a:0,b:0,c:1e7);", nil, "of frequency 0", 0},
	} {
		var stderr bytes.Buffer
		args := append([]string{"-train", single, "-mask", mask, "-data", programtest.File(t, "x.fa", c.fasta), "-tree", programtest.File(t, "x.nh", c.tree)}, c.flags...)
		if status, _, _ := run(t, t.Context(), &stderr, args...); status != c.status || !strings.Contains(stderr.String(), c.warns) {
			t.Errorf("%q %v: status %d, %s", c.tree, c.flags, status, &stderr)
		}
	}
	// One species that is not related to the others.
	var stderr bytes.Buffer
	status, r, _ := run(t, t.Context(), &stderr, "-train", single, "-mask", programtest.File(t, "m.tsv", "0\ta\tA\n"), "-tree", programtest.File(t, "x.nh", "(a:.1,b:.1,c:.1);"),
		"-data", programtest.File(t, "x.fa", ">a\nAAAACCCCGGGGTTTT\n>b\nACGTACGTACGTACGT\n>c\nAAAACCCCGGGGTTTT\n"))
	if status != 0 || len(r.Objective) == 0 || !strings.Contains(stderr.String(), "single columns: ") {
		t.Errorf("status %d: %s", status, &stderr)
	}
	if status, _, _ := run(t, t.Context(), io.Discard, "-negative"); status != 2 {
		t.Errorf("-negative without -data: status %d", status)
	}
}

// TestUse checks the properties that users of all programs rely on.
func TestUse(t *testing.T) {
	args := files(t, 300)
	programtest.Check(t, newProgram, programtest.Use{Train: strings.Join(args, " ") + " -train annealed -iterations 6", Stop: "annealed 4/6"})
}

// TestInterruptedParts: after an interrupt, the trained parts of the model are tested.
func TestInterruptedParts(t *testing.T) {
	for stop, iterations := range map[string]int{"annealed 2/4": 1, "chain 1/3": 4} {
		ctx, cancel := context.WithCancel(t.Context())
		status, r, out := run(t, ctx, programtest.Trigger{Text: stop, Call: cancel}, "-iterations", "4")
		cancel()
		if status != 130 || r.Status != "canceled" || len(r.Accuracy) < iterations || r.Final < .79 || strings.Contains(out, "averaged with a chain") {
			t.Errorf("%s: status %d, %+v\n%s", stop, status, r, out)
		}
	}
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestPipeline: a saved model gives the same predictions, cell by cell, and passes through
// pipes, and so does the alignment to which it is applied.
func TestPipeline(t *testing.T) {
	for how, columns := range map[string]int{best: short, single: 400, genomes.Annealed: 400} {
		args := files(t, columns)
		var quoted []string
		for _, a := range args {
			quoted = append(quoted, "'"+a+"'")
		}
		known := strings.Join(append(quoted[:2:2], quoted[4:]...), " ") // without the tree
		out, _ := programtest.Shell(t, "phylo", fmt.Sprintf(`
			phylo -quiet -iterations 2 -train %s %s -save model -o before >report
			cat model | phylo -quiet -load - %s -o - >after
			cmp before after
			grep -c . after`, how, strings.Join(quoted, " "), known))
		if n := strings.TrimSpace(out); n == "0" || n == "" {
			t.Errorf("%s: %q predictions", how, n)
		}
	}
}

// TestLoad: another alignment may have other columns, but must have the same species.
func TestLoad(t *testing.T) {
	model := programtest.File(t, "model", "")
	args := files(t, 300)
	var stderr bytes.Buffer
	if status, _, _ := run(t, t.Context(), &stderr, append(args, "-iterations", "2", "-train", genomes.Annealed, "-save", model)...); status != 0 {
		t.Fatal(stderr.String())
	}
	other := files(t, 500)
	status, r, _ := run(t, t.Context(), &stderr, append(append([]string{"-load", model}, other[:2]...), other[4:]...)...)
	if status != 0 || r.Sites != 500 || r.Train != genomes.Annealed || r.Status != "loaded" || r.Final < .7 {
		t.Errorf("status %d: %+v %s", status, r, &stderr)
	}
	fish := programtest.File(t, "fish.fa", ">trout\nACGT\n>carp\nACGA\n")
	for _, x := range []struct {
		want   string
		status int
		args   []string
	}{
		{"want -data as well", 2, []string{"-load", model}},
		{"-tree: has no effect with -load", 2, append([]string{"-load", model}, other...)},
		{"no saved model", 1, []string{"-load", fish, "-data", fish}},
		{"the alignment has no cells to hide", 1, []string{"-load", model, "-data", fish}},
	} {
		var stderr bytes.Buffer
		if status, _, _ := run(t, t.Context(), &stderr, x.args...); status != x.status || !strings.Contains(stderr.String(), x.want) {
			t.Errorf("%v: status %d, %s, want %s", x.args, status, &stderr, x.want)
		}
	}
	for _, change := range []func(*parameters){
		func(m *parameters) { m.Tree = "(a,b" },
		func(m *parameters) { m.Columns = 9 },
		func(m *parameters) { m.Single = m.Single[1:] },
		func(m *parameters) { m.Windows[0] = math.NaN() },
		func(m *parameters) { m.Frequencies[0] = -1 },
	} {
		f, err := os.Open(model)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := load(f)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		change(&m.parameters)
		var file strings.Builder
		if err := m.save(&file); err != nil {
			t.Fatal(err)
		}
		bad := append([]string{"-load", programtest.File(t, "bad", file.String())}, other[:2]...)
		if status, _, _ := run(t, t.Context(), io.Discard, append(bad, other[4:]...)...); status != 1 {
			t.Errorf("%+.100v: status %d", m.parameters, status)
		}
	}
}
