package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"example.org/pathsum/internal/hidden"
	"example.org/pathsum/internal/program"
)

func main() { newProgram().Main() }

// experiment has the values of the flags.
type experiment struct {
	table, networks, folder *string
	rows, repeats, restarts *int
	seed                    *uint64
}

// parts are the rows of the tables: the networks that settings were chosen on, with another
// seed, and networks that were not used before. Hidden variables follow #.
var parts = []struct {
	name     string
	networks []string
}{
	{"of the table", []string{"three-layers", "six-nodes", "naive-bayes", "cancer", "cancer#MetastaticCancer", "asia", "asia#bronc", "asia#smoke",
		"survey", "cancer.bif.gz", "alarm.bif.gz#CATECHOL", "alarm.bif.gz#LVEDVOLUME", "alarm.bif.gz#VENTLUNG",
		"pima-indians-diabetes.csv.gz", "breast-cancer.csv.gz", "breast-cancer-wisconsin.csv.gz"}},
	{"held out", []string{"three-layers-2", "six-nodes-2", "naive-bayes-2", "cancer#SerumCalcium", "asia#lung", "survey#O",
		"alarm.bif.gz#HYPOVOLEMIA", "alarm.bif.gz#VENTALV", "alarm.bif.gz#HR", "alarm.bif.gz#INTUBATION"}},
}

func newProgram() *program.Program {
	p := program.New("convexem", "convexem compares convex EM with EM from random starts on many networks.",
		"go run ./internal/experiments/convexem -table losses -seed 2",
		"go run ./internal/experiments/convexem -table undecided -seed 2 -networks asia#lung")
	e := &experiment{
		table:    p.Choice("table", "which table to make", "losses", "undecided", "settings"),
		networks: p.Flags.String("networks", "", "only of these `NAMES`, with commas between; what is hidden follows #, as in asia#lung"),
		folder:   p.Flags.String("folder", filepath.Join("..", "shared", "data"), "the files of networks and rows are in folders of the `FOLDER`"),
		rows:     p.Count("rows", 100, 2, "train on `N` rows"),
		repeats:  p.Count("repeats", 20, 1, "repeat everything `N` times, with other rows"),
		restarts: p.Restarts(9),
		seed:     p.Seed(),
	}
	p.About(program.AboutData, "table networks folder rows")
	p.Do(e.run)
	return p
}

// run makes the table.
func (e *experiment) run(ctx context.Context, r *program.Run) error {
	for _, part := range parts {
		if *e.networks != "" {
			part.name, part.networks = "chosen", strings.Split(*e.networks, ",")
		}
		var all []*network
		for _, name := range part.networks {
			n, err := e.open(r, name)
			if err != nil {
				return err
			}
			if n != nil {
				all = append(all, n)
			}
		}
		if len(all) == 0 {
			return errors.New("none of the networks is here")
		}
		var err error
		switch *e.table {
		case "losses":
			err = e.losses(ctx, r, part.name, all)
		case "undecided":
			err = e.undecided(ctx, r, part.name, all)
		default:
			err = e.settings(ctx, r, part.name, all)
		}
		if err != nil || *e.networks != "" {
			return err
		}
	}
	return nil
}

// network is a row of the tables.
type network struct {
	title    string
	source   *hidden.Source
	settings hidden.Settings
}

// open returns the network of a name, nil if its file does not exist.
func (e *experiment) open(r *program.Run, name string) (*network, error) {
	name, concealed, _ := strings.Cut(name, "#")
	file := name
	if strings.HasSuffix(name, ".gz") {
		found, err := filepath.Glob(filepath.Join(*e.folder, "*", name))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			r.Warn("%s is not here", name)
			return nil, nil
		}
		file = found[0]
	}
	s, err := hidden.Open(r, file, "")
	if err != nil {
		return nil, err
	}
	title := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".csv")
	if concealed != "" {
		title += " " + concealed
	}
	return &network{title, s, hidden.Settings{
		Hidden: concealed, Train: *e.rows, Test: 1000, Starts: 1 + *e.restarts, Iterations: 200, Beta: 1, Seed: *e.seed,
	}}, nil
}

// each makes all repeats with a network. The progress shows its title.
func (e *experiment) each(ctx context.Context, r *program.Run, n *network, do func(i int, t *hidden.Trial) error) error {
	return r.Each(ctx, n.title, *e.repeats, func(i int) error {
		t, err := hidden.NewTrial(ctx, n.source, n.settings, i)
		if err != nil {
			return err
		}
		return do(i, t)
	})
}

// signed returns a difference with its standard error.
func signed(d hidden.Difference) string {
	return fmt.Sprintf("%+.3f±%.4s", d.Mean, strings.TrimPrefix(fmt.Sprintf("%.3f", d.SE), "0"))
}
