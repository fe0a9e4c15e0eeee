package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/genomes"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	source              *genomes.Source
	train               *string
	columns             *int
	own                 *bool
	iterations, workers *int
	output, drawing     *program.Output

	loaded *phylo.Tree // the tree of a loaded model
}

func newProgram() *program.Program {
	p := program.New("phylo", "phylo predicts hidden bases of aligned genomes from their relatives and neighbours.",
		"go run ./examples/phylo",
		"go run ./examples/phylo -data genes.fa.gz -tree genes.nh -o predicted.tsv -save genes.model")
	f := &flags{
		source:     genomes.NewSource(p),
		train:      p.Choice("train", "the model to train, and the method", append([]string{best, single}, genomes.Ways...)...),
		columns:    p.Flags.Int("columns", 2, "windows of `N` neighbouring columns, 2 or 3, and as many submodels"),
		own:        p.Flags.Bool("own", false, "give each submodel parameters of its own"),
		iterations: p.Iterations(30),
		workers:    p.Workers(),
		output:     p.Output("column<TAB>species<TAB>predicted base<TAB>its probability, for each hidden cell"),
		drawing:    p.Figure("drawing", "the tree with predicted bases of one column"),
	}
	p.Checkpoint()
	p.Uses("data")
	p.Permits("mask", "blocks", "dots", "repeats", "seed")
	program.Define(p, program.Task[*genomes.Data, *model]{
		Read: func(_ context.Context, r *program.Run) (*genomes.Data, error) { return f.source.Read(r, f.loaded) },
		New:  f.newModel, Fit: f.fit, Save: (*model).save, Score: f.score,
		Load: func(in io.Reader) (*model, error) {
			m, tree, err := load(in)
			f.loaded = tree
			return m, err
		},
		Curve: figure.Curve("hidden cells predicted right, %"),
	})
	p.Needs("data", "tree load")
	p.Check(func() error {
		switch {
		case *f.columns < 2 || *f.columns > phylo.MaxColumns:
			return fmt.Errorf("-columns: %d, want 2 to %d", *f.columns, phylo.MaxColumns)
		case *f.train == single && (*f.own || *f.columns != 2):
			return errors.New("-columns and -own: want another -train than single")
		}
		return nil
	})
	return p
}

// newModel returns the model to be trained on the data.
func (f *flags) newModel(d *genomes.Data) (*model, error) {
	m := &model{parameters: parameters{Tree: d.Tree.String(), Columns: *f.columns, Own: *f.own, How: *f.train, Frequencies: d.Seen.Frequencies()}}
	if m.How == best {
		if m.How, m.Sequence = genomes.Annealed, true; d.Seen.Columns() < short {
			m.How, m.Sequence = single, false
		}
	}
	return m, nil
}

// fit trains the parts of the model one after another. If it is interrupted, the result so far
// is tested.
func (f *flags) fit(ctx context.Context, r *program.Run, m *model, d *genomes.Data) error {
	fitted, err := m.fitSingle(ctx, d, *f.workers)
	if err != nil {
		return err
	}
	for _, remark := range fitted.Remarks {
		r.Warn("single columns: %s", remark)
	}
	r.Trained(program.TrainingOf(fitted))
	alone, _, err := m.singles(ctx, d, *f.workers)
	if err != nil {
		return err
	}
	stopped := func(err error) error {
		if ctx.Err() == nil {
			return err
		}
		m.Sequence = false
		if m.Windows == nil {
			m.How = single
		}
		return errors.Join(err, f.score(context.WithoutCancel(ctx), r, m, d))
	}
	if m.How != single {
		if err := f.fitWindows(ctx, r, m, d); err != nil {
			return stopped(err)
		}
	}
	r.Curve(m.How, 1, percent(m.accuracy...))
	r.Curve("single columns", 1, percent(slices.Repeat([]float64{d.Accuracy(alone)}, max(len(m.accuracy), 1))...))
	if m.Sequence {
		if err := f.fitChain(ctx, r, m, d, alone); err != nil {
			return stopped(err)
		}
	}
	return nil
}

// percent returns fractions in percent.
func percent(fractions ...float64) []float64 {
	return floats.ScaleTo(make([]float64, len(fractions)), 100, fractions)
}

// score tests the model by the hidden cells, and writes its predictions.
func (f *flags) score(ctx context.Context, r *program.Run, m *model, d *genomes.Data) error {
	p, err := m.predict(ctx, d, *f.workers)
	if err != nil {
		return err
	}
	train := *f.train
	if r.Loads() {
		train = m.How
		r.Trained(program.Training{Status: "loaded"})
	}
	r.Set("train", train)
	r.Set("sites", d.Seen.Columns())
	fmt.Fprintf(r.Out, "%d species, %d columns in %d runs, %d cells hidden\n\n", len(d.Seen.Species), d.Seen.Columns(), d.Seen.Runs(), len(d.Hidden))
	show := func(predict genomes.Predictor, how string) float64 {
		a := d.Accuracy(predict)
		fmt.Fprintf(r.Out, "%6.2f %%  %s\n", 100*a, how)
		return a
	}
	r.Set("accuracy_copy", show(genomes.Nearest(d, p.tree), "the nearest species"))
	alone := show(p.single, "a reversible model of single columns")
	r.Set("accuracy_single_column", alone)
	r.Set("accuracy", m.accuracy)
	if len(m.accuracy) > 0 {
		fmt.Fprintf(r.Out, "\n%s, after each iteration:", m.How)
		for i, a := range m.accuracy {
			if i%10 == 0 {
				fmt.Fprintf(r.Out, "\n%4d ", i+1)
			}
			fmt.Fprintf(r.Out, " %5.2f", 100*a)
		}
		fmt.Fprintf(r.Out, "\n\n")
	}
	final := show(p.windows, m.How)
	if m.Sequence {
		final = show(p.all, m.How+", averaged with a chain along each sequence")
	}
	r.Set("accuracy_final", final)
	if f.drawing.Given() {
		if err := f.drawing.Draw(draw(d, p)); err != nil {
			return err
		}
	}
	return f.output.Write(func(w io.Writer) error { return write(w, d, p.all) })
}

// write writes the predictions.
func write(w io.Writer, d *genomes.Data, predict genomes.Predictor) error {
	b := bufio.NewWriter(w)
	for _, c := range d.Hidden {
		q := predict(c.Node, c.Column)
		best := genomes.Best(q)
		fmt.Fprintf(b, "%d\t%s\t%c\t%.4f\n", c.Column, d.Tree.Nodes[c.Node].Name, msa.Bases[best], q[best])
	}
	return b.Flush()
}
