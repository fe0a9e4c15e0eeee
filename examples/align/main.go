package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

func (x *experiment) run(ctx context.Context, r *program.Run) error {
	if *x.links != "" {
		return x.symmetrize(r)
	}
	d, err := x.load(r)
	if err != nil {
		return err
	}
	if x.model.Loads() {
		return x.use(ctx, r, d)
	}
	corpus, skipped, err := x.read(r, d)
	if err != nil {
		return err
	}
	if corpus.Len() == 0 {
		return errors.New("no sentences to learn from")
	}
	// From here on nearly all memory holds numbers, which cost the collector nothing: it can
	// come often.
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	r.Set("train", *x.how)
	r.Set("lines", corpus.Len())
	fmt.Fprintf(r.Out, "%d sentences to learn from, %d to tune the threshold, %d to score\n\n", corpus.Len(), len(d.dev.sentences), len(d.test.sentences))
	m, interrupted := x.fit(ctx, r, corpus, skipped)
	if m == nil {
		return interrupted
	}
	debug.FreeOSMemory() // what training alone needed
	_, f := x.options(*x.how, *x.iterations, corpus.Len())
	a := &aligner{model: m, stages: f.Stages, spelling: *x.spelling, corpus: corpus, learnt: d.learnt}
	if err := x.score(context.WithoutCancel(ctx), r, a, d); err != nil || interrupted != nil {
		return errors.Join(interrupted, err)
	}
	if err := x.model.Save(a.save); err != nil {
		return err
	}
	if err := x.answer(ctx, r, a, d, corpus); err != nil {
		return err
	}
	return x.draw(ctx, r, a, d)
}

// read reads the text to learn from and returns how many lines of it were skipped.
func (x *experiment) read(r *program.Run, d *data) (*align.Corpus, int, error) {
	problems := problems{run: r}
	corpus, err := d.corpus(*x.longest, *x.prune, problems.add)
	if err != nil {
		return nil, 0, err
	}
	problems.end()
	return corpus, problems.n, nil
}

// use scores a model that was loaded, and aligns new text with it. All sentences that there are
// before the lines of -apply are one text, which the model is adapted to.
func (x *experiment) use(ctx context.Context, r *program.Run, d *data) error {
	a := new(aligner)
	if err := x.model.Load(a.load); err != nil {
		return err
	}
	of := a
	var corpus *align.Corpus
	if d.lines != nil || d.sentences() > 0 {
		var skipped int
		var err error
		if corpus, skipped, err = x.read(r, d); err != nil {
			return err
		}
		r.Set("lines", corpus.Len())
		r.Trained(program.Training{Status: "done", Skipped: skipped})
		if *x.adapt && corpus.Len() > 0 {
			adapted := *a
			if adapted.model, err = a.adapted(ctx, corpus, *x.workers); err != nil {
				return err
			}
			adapted.corpus, adapted.learnt = corpus, d.learnt
			of = &adapted
		}
	}
	if err := x.score(ctx, r, of, d); err != nil {
		return err
	}
	if *x.apply != "" {
		a.threshold = of.threshold
		of = a
	}
	return x.answer(ctx, r, of, d, corpus)
}

// answer writes the links that are asked for: of new text, of test lines without references,
// or of the text learnt from.
func (x *experiment) answer(ctx context.Context, r *program.Run, a *aligner, d *data, corpus *align.Corpus) error {
	switch {
	case *x.apply != "":
		a.adapt, a.learnt = *x.adapt, nil // a line is new text, whatever was learnt from
		return x.stream(ctx, r, a)
	case d.open != nil:
		return x.writeOpen(ctx, r, a, d)
	case d.lines != nil && (x.model.Loads() || x.output.Given() || x.forward.Given() || x.backward.Given()):
		return x.writeText(ctx, r, a, d, corpus)
	}
	return nil
}

// draw draws the figures that are asked for.
func (x *experiment) draw(ctx context.Context, r *program.Run, a *aligner, d *data) error {
	if x.plot.Given() {
		if err := x.drawMatrix(a, d); err != nil {
			return err
		}
	}
	if x.curve.Given() {
		return x.drawCurve(ctx, r, a.corpus, d)
	}
	return nil
}

// maxNamed is how many problems are named.
const maxNamed = 5

// problems reports the first problems of a text and counts all of them.
type problems struct {
	run *program.Run
	n   int
}

func (p *problems) add(problem error) {
	if p.n++; p.n <= maxNamed {
		p.run.Warn("skipped: %w", problem)
	}
}

func (p *problems) end() {
	if p.n > maxNamed {
		p.run.Warn("skipped: %d more lines", p.n-maxNamed)
	}
}
