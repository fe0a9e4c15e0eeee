package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/programtest"
)

var (
	results = flag.Bool("results", false, "make the tables of PERFORMANCE.md")
	rows    = flag.Int("rows", 100, "with -results, the rows to train on")
	repeats = flag.Int("repeats", 20, "with -results, how often")
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

// each calls do for each network, with the flags of its experiment, that are here.
func each(part string, do func(title string, flags []string)) {
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
		title := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".csv")
		if hidden != "" {
			title += " " + hidden
		}
		do(title, []string{"-network", file, "-hidden", hidden, "-repeats", fmt.Sprint(*repeats), "-seed", "2", "-train-rows", fmt.Sprint(*rows), "-workers", "1", "-quiet"})
	}
}

// TestResults makes the tables of PERFORMANCE.md, with -results.
func TestResults(t *testing.T) {
	if !*results {
		t.Skip("makes tables, with -results")
	}
	rivals := []string{viterbi, marginal, hardLabels, softLabels}
	for _, part := range []string{"of the table", "held out"} {
		named, raw := new(strings.Builder), new(strings.Builder)
		each(part, func(title string, flags []string) {
			status, r, _ := programtest.Reporting[report](programtest.New(newExperiment, (*experiment).run))(t, t.Context(), os.Stderr, flags...)
			if status != 0 {
				t.Fatal(title)
			}
			if !strings.Contains(title, " ") && r.Hidden != "class" {
				title += " " + r.Hidden
			}
			line := func(w *strings.Builder, of func(losses) program.Deviation, paired map[string]difference, more string) {
				fmt.Fprintf(w, "%-24s%6.2f %6.2f", title, of(r.Loss[supervised]).Mean, of(r.Loss[relaxed]).Mean)
				for _, m := range rivals {
					d := paired[m]
					fmt.Fprintf(w, " %s %2d", signed(d.Mean, d.SE), d.Wins)
				}
				fmt.Fprintln(w, more)
			}
			line(named, func(l losses) program.Deviation { return l.Test }, r.Paired, times(t, flags))
			line(raw, func(l losses) program.Deviation { return l.RawTest }, r.PairedRaw, "")
		})
		fmt.Printf("networks %s, matched, and milliseconds\n%s\nnetworks %s, unmatched\n%s\n", part, named, part, raw)
	}
}

// signed returns a difference with its standard error.
func signed(mean, se float64) string {
	return fmt.Sprintf("%+.3f±%.4s", mean, strings.TrimPrefix(fmt.Sprintf("%.3f", se), "0"))
}

// begin returns the experiment of flags, and the source of its rows.
func begin(t *testing.T, flags []string) (*experiment, *source) {
	p, e := newExperiment()
	if err := p.Flags.Parse(flags); err != nil {
		t.Fatal(err)
	}
	s, err := open(*e.network)
	if err != nil {
		t.Fatal(err)
	}
	return e, s
}

// times returns the milliseconds of processor time, means of three repeats, that convex EM
// takes, and ten starts of marginal and of Viterbi EM.
func times(t *testing.T, flags []string) string {
	const trials = 3
	e, s := begin(t, flags)
	var all [3][]float64
	for i := range trials {
		x, err := e.newTrial(t.Context(), s, i)
		if err != nil {
			t.Fatal(err)
		}
		for k, do := range []func() error{
			func() error { _, err := x.convex(); return err },
			func() error { return x.again(false) },
			func() error { return x.again(true) },
		} {
			began := benchtime.CPU()
			if err := do(); err != nil {
				t.Fatal(err)
			}
			all[k] = append(all[k], float64(benchtime.CPU()-began)/float64(time.Millisecond))
		}
	}
	return fmt.Sprintf(" %5.0f %5.0f %5.0f", stat.Mean(all[0], nil), stat.Mean(all[1], nil), stat.Mean(all[2], nil))
}

// again makes random starts and EM from them.
func (t *trial) again(hard bool) error {
	starts, err := t.starts()
	if err == nil {
		_, _, err = t.restart(starts, hard)
	}
	return err
}
