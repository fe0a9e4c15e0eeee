package main

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/genomes"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/phylo"
)

// all compares the ways of genomes.Ways.
const all = "all"

func main() { newProgram().Main() }

// flags are the values of the flags.
type flags struct {
	source              *genomes.Source
	train               *string
	own                 *bool
	columns             *int
	iterations, workers *int
	plot                *program.Output
}

func newProgram() *program.Program {
	p := program.New("phylocurve", "phylocurve compares ways to train neighbouring columns of genomes, iteration by iteration.",
		"go run ./internal/experiments/phylocurve -plot curves.svg",
		"go run ./internal/experiments/phylocurve -data genes.fa.gz -tree genes.nh -train agreement")
	f := &flags{
		source:     genomes.NewSource(p),
		train:      p.Choice("train", "how to train", append([]string{all}, genomes.Ways...)...),
		columns:    p.Flags.Int("columns", 2, "windows of `N` neighbouring columns, 2 or 3, and as many submodels"),
		own:        p.Flags.Bool("own", false, "give each submodel parameters of its own"),
		iterations: p.Iterations(30),
		workers:    p.Workers(),
		plot:       p.Plot("the accuracy by iteration"),
	}
	p.Needs("data", "tree")
	p.Check(func() error {
		if *f.columns < 2 || *f.columns > phylo.MaxColumns {
			return fmt.Errorf("-columns: %d, want 2 to %d", *f.columns, phylo.MaxColumns)
		}
		return nil
	})
	p.Do(f.run)
	return p
}

// run trains in each of the ways and shows the accuracies.
func (f *flags) run(ctx context.Context, r *program.Run) error {
	d, err := f.source.Read(r, nil)
	if err != nil {
		return err
	}
	ways := genomes.Ways
	if *f.train != all {
		ways = []string{*f.train}
	}
	fmt.Fprintf(r.Out, "%d hidden cells of %d columns; predicted right after each iteration, %%:\n", len(d.Hidden), d.Seen.Columns())
	var lines []program.Line
	accuracies := map[string][]float64{}
	for _, way := range ways {
		a, err := f.fit(ctx, r, d, way)
		if err != nil {
			return err
		}
		accuracies[way] = a
		r.Set("accuracy", accuracies)
		lines = append(lines, program.Line{Name: way, First: 1, Values: percent(a...)})
		fmt.Fprintf(r.Out, "%-12s", way)
		for _, x := range a {
			fmt.Fprintf(r.Out, " %.2f", 100*x)
		}
		fmt.Fprintln(r.Out)
	}
	alone, err := f.single(ctx, d)
	if err != nil {
		return err
	}
	r.Set("accuracy_single_column", alone)
	fmt.Fprintf(r.Out, "%-12s %.2f\n", "single", 100*alone)
	if !f.plot.Given() {
		return nil
	}
	level := percent(slices.Repeat([]float64{alone}, *f.iterations)...)
	lines = append(lines, program.Line{Name: "single columns", First: 1, Values: level})
	return f.plot.Draw(figure.Lines(fmt.Sprintf("%d hidden cells of %d columns", len(d.Hidden), d.Seen.Columns()), "predicted right, %", lines...))
}

// percent returns fractions in percent.
func percent(fractions ...float64) []float64 {
	return floats.ScaleTo(make([]float64, len(fractions)), 100, fractions)
}

// fit trains in one of the ways and returns the accuracy after each iteration.
func (f *flags) fit(ctx context.Context, r *program.Run, d *genomes.Data, how string) ([]float64, error) {
	m, err := phylo.NewWindows(d.Tree, em.Multinomial{}, &phylo.WindowOptions{Columns: *f.columns, SeparateParams: *f.own})
	if err != nil {
		return nil, err
	}
	ways, err := m.Likelihoods(d.Seen)
	if err != nil {
		return nil, err
	}
	trace, err := genomes.NewTrace(ctx, d, ways, "", *f.workers)
	if err != nil {
		return nil, err
	}
	progress := r.Progress(how, *f.iterations)
	defer progress.Done()
	result, err := genomes.Train(ctx, m, d, how, &em.Options{Iterations: *f.iterations, Tolerance: -1, Workers: *f.workers, Observer: func(v em.Event) {
		progress.Observe(v)
		trace.Observe(v)
	}})
	if err != nil {
		return nil, err
	}
	r.Trained(program.TrainingOf(result))
	return trace.End(result, false)
}

// single returns the accuracy of the model of single columns.
func (f *flags) single(ctx context.Context, d *genomes.Data) (float64, error) {
	m, err := phylo.NewColumns(d.Tree, phylo.REV(d.Seen.Frequencies()))
	if err != nil {
		return 0, err
	}
	if _, err := m.Fit(ctx, d.Seen, &em.Options{Workers: *f.workers}); err != nil {
		return 0, err
	}
	l, err := m.Likelihood(d.Seen)
	if err != nil {
		return 0, err
	}
	p, err := l.Posteriors(ctx, m.Theta, nil, *f.workers)
	if err != nil {
		return 0, err
	}
	return d.Accuracy(p.Base), nil
}
