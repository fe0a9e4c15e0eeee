package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/examples/internal/programtest"
)

var (
	results = flag.Bool("results", false, "make the tables of PERFORMANCE.md")
	rows    = flag.Int("rows", 100, "with -results, the rows to train on")
)

// experiments are the rows of the tables: the networks that settings were chosen on, with
// another seed, and those that were not looked at before.
var experiments = map[string][]string{
	"of the table": {"three-layers", "six-nodes", "naive-bayes", "cancer", "cancer#MetastaticCancer", "asia", "asia#bronc", "asia#smoke",
		"survey", "cancer.bif.gz", "alarm.bif.gz#CATECHOL", "alarm.bif.gz#LVEDVOLUME", "alarm.bif.gz#VENTLUNG",
		"pima-indians-diabetes.csv.gz", "breast-cancer.csv.gz", "breast-cancer-wisconsin.csv.gz"},
	"held out": {"three-layers-2", "six-nodes-2", "naive-bayes-2", "cancer#SerumCalcium", "asia#lung", "survey#O",
		"alarm.bif.gz#HYPOVOLEMIA", "alarm.bif.gz#VENTALV", "alarm.bif.gz#HR", "alarm.bif.gz#INTUBATION"},
}

// TestResults makes the tables of PERFORMANCE.md, with -results.
func TestResults(t *testing.T) {
	if !*results {
		t.Skip("makes tables, with -results")
	}
	rivals := []string{viterbi, marginal, hardLabels, softLabels}
	for _, part := range []string{"of the table", "held out"} {
		named, raw := new(strings.Builder), new(strings.Builder)
		for _, x := range experiments[part] {
			name, hidden, _ := strings.Cut(x, "#")
			file := name
			if strings.HasSuffix(name, ".gz") {
				found, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "*", name))
				if len(found) == 0 {
					fmt.Printf("%s is not here\n", name)
					continue
				}
				file = found[0]
			}
			status, r, _ := programtest.Reporting[report](programtest.New(newExperiment, (*experiment).run))(t, t.Context(), os.Stderr,
				"-network", file, "-hidden", hidden, "-repeats", "10", "-seed", "2", "-train-rows", fmt.Sprint(*rows), "-workers", "1", "-quiet")
			if status != 0 {
				t.Fatal(x)
			}
			title := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".csv")
			if cmp.Or(hidden, r.Hidden) != "class" {
				title += " " + cmp.Or(hidden, r.Hidden)
			}
			line := func(w *strings.Builder, of func(losses) moments, paired map[string]difference) {
				fmt.Fprintf(w, "//\t%-24s%6.2f %6.2f", title, of(r.Loss[supervised]).Mean, of(r.Loss[relaxed]).Mean)
				for _, m := range rivals {
					d := paired[m]
					se := strings.TrimPrefix(fmt.Sprintf("%.3f", d.SE), "0")
					fmt.Fprintf(w, " %+.3f±%.4s %2d", d.Mean, se, d.Wins)
				}
				fmt.Fprintln(w)
			}
			line(named, func(l losses) moments { return l.Test }, r.Paired)
			line(raw, func(l losses) moments { return l.RawTest }, r.PairedRaw)
		}
		fmt.Printf("networks %s, matched\n%s\nnetworks %s, unmatched\n%s\n", part, named, part, raw)
	}
}
