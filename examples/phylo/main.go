package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/phylo"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, tree, mask, blocks *string
	dots, repeats            *string
	negative                 *bool
	train                    *string
	columns                  *int
	own                      *bool
	iterations, workers      *int
	seed                     *uint64
	output, plot, drawing    *program.Output
	saved                    *program.Model

	model parameters // what was trained so far, or loaded
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("phylo", "phylo predicts hidden bases of aligned genomes, by evolution along a tree in which\nmutations depend on the neighbouring base.")
	x := &experiment{
		data:       p.Input("data", "read `FILE` instead of drawing an alignment: FASTA, MAF or PHAST's SS, by the end of its name; .gz is read directly"),
		tree:       p.Input("tree", "and the tree from `FILE`: Newick, or lines name<TAB>Newick, of which the name that -data begins with is taken"),
		dots:       p.Choice("dots", "what a dot in -data is", refused, "first", "unknown"),
		repeats:    p.Choice("repeats", "what to take of several rows of a species in -data", refused, "best", "consensus"),
		negative:   p.Flags.Bool("negative", false, "take negative branch lengths of -tree, as neighbour joining finds them, as 0"),
		mask:       p.Input("mask", "hide and predict the cells in `FILE`, column<TAB>species<TAB>base, columns from 0; without it, 20 % of all observed cells are drawn"),
		blocks:     p.Input("blocks", "read the first columns of contiguous runs from `FILE`, one a line, from 0: those of two runs are no neighbours"),
		train:      p.Choice("train", "how to train", best, annealed, independent, agreement, averaged, single),
		columns:    p.Flags.Int("columns", 2, "windows of `N` neighbouring columns, 2 or 3, and as many submodels"),
		own:        p.Flags.Bool("own", false, "give each submodel parameters of its own"),
		iterations: p.Iterations(30),
		workers:    p.Workers(),
		seed:       p.Seed(),
		output:     p.Output("column<TAB>species<TAB>predicted base<TAB>its probability, for each hidden cell"),
		plot:       p.Plot("the accuracy by iteration"),
		drawing:    p.Figure("drawing", "the tree with predicted bases of one column"),
	}
	p.Checkpoint()
	x.saved = p.Model("tree negative train columns own iterations checkpoint plot", "data")
	p.Check(func() error {
		switch {
		case *x.data == "" && *x.tree+*x.mask+*x.blocks != "":
			return errors.New("-tree, -mask and -blocks: want -data, too")
		case *x.data == "" && (*x.dots != refused || *x.repeats != refused || *x.negative):
			return errors.New("-dots, -repeats and -negative: want -data, too")
		case *x.data != "" && *x.tree == "" && !x.saved.Loads():
			return errors.New("-data: want -tree, too")
		case *x.columns < 2 || *x.columns > phylo.MaxColumns:
			return fmt.Errorf("-columns: %d, want 2 to %d", *x.columns, phylo.MaxColumns)
		case *x.train == single && (*x.own || *x.columns != 2):
			return errors.New("-columns and -own: want another -train than single")
		}
		return nil
	})
	return p, x
}

func (x *experiment) run(ctx context.Context, r *program.Run) error {
	if x.saved.Loads() {
		if err := x.saved.Load(x.model.load); err != nil {
			return err
		}
	}
	d, err := x.load()
	if err != nil {
		return err
	}
	for _, remark := range slices.Concat(d.seen.Remarks, d.tree.Remarks) {
		r.Warn("%s", remark)
	}
	fmt.Fprintf(r.Out, "%d species, %d columns in %d runs, %d cells hidden\n\n", len(d.seen.Species), d.seen.Columns(), d.seen.Runs(), len(d.hidden))
	r.Set("sites", d.seen.Columns())
	base, err := x.fitSingle(ctx, d)
	if err != nil {
		return err
	}
	for _, remark := range base.remarks {
		r.Warn("single columns: %s", remark)
	}
	accuracyCopy, accuracySingle := d.accuracy(nearest(d, base.tree)), d.accuracy(base.predict)
	r.Set("accuracy_copy", accuracyCopy)
	r.Set("accuracy_single_column", accuracySingle)
	fmt.Fprintf(r.Out, "%6.2f %%  the nearest species\n%6.2f %%  a reversible model of single columns\n", 100*accuracyCopy, 100*accuracySingle)
	if x.saved.Loads() {
		r.Set("train", x.model.How)
	} else {
		r.Set("train", *x.train)
		x.choose(d)
	}
	how := x.model.How
	run, interrupted := base, error(nil)
	if how != single {
		if run, interrupted = x.fitWindows(ctx, r, d, how, checkpoint(r)); run == nil {
			return interrupted
		}
	}
	r.Trained(run.training)
	r.Set("accuracy", run.accuracy)
	run.print(r.Out, how)
	fmt.Fprintf(r.Out, "%6.2f %%  %s\n", 100*d.accuracy(run.predict), how)
	if interrupted != nil {
		r.Set("accuracy_final", d.accuracy(run.predict))
		return interrupted
	}
	if x.model.Sequence {
		if run.predict, err = x.inSequence(ctx, r, d, base.predict, run.predict); err != nil {
			return err
		}
		fmt.Fprintf(r.Out, "%6.2f %%  %s, averaged with a chain along each sequence\n", 100*d.accuracy(run.predict), how)
	}
	r.Set("accuracy_final", d.accuracy(run.predict))
	if err := x.saved.Save(x.model.save); err != nil {
		return err
	}
	return x.write(ctx, r, d, base, run, how)
}

// choose says how the model is trained.
func (x *experiment) choose(d *data) {
	m := &x.model
	m.Tree, m.Columns, m.Own, m.How = d.tree.String(), *x.columns, *x.own, *x.train
	if m.How == best {
		if m.How, m.Sequence = annealed, true; d.seen.Columns() < short {
			m.How, m.Sequence = single, false
		}
	}
}

// write writes what was asked for; base is the model of single columns.
func (x *experiment) write(ctx context.Context, r *program.Run, d *data, base, run *fitted, how string) error {
	if err := x.output.Write(func(w io.Writer) error { return d.write(w, run.predict) }); err != nil {
		return err
	}
	if x.drawing.Given() {
		if err := x.draw(d, base.tree, run.predict); err != nil {
			return err
		}
	}
	if !x.plot.Given() {
		return nil
	}
	return x.plotCurves(ctx, r, d, run, how, d.accuracy(base.predict))
}

// checkpoint returns the name of the checkpoint. Beside it the model keeps the training of squared
// probabilities, with which it begins.
func checkpoint(r *program.Run) string {
	name := r.Checkpoint()
	r.Checkpoint("squared")
	return name
}
