package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align"
)

// The ways to train: by align.Recipe, each direction by itself, and as Liang, Taskar and
// Klein 2006 and Liang, Klein and Jordan 2007 (domain-approximate) did.
const (
	agreement     = "agreement"
	independent   = "independent"
	product2006   = "product2006"
	agreement2007 = "agreement2007"
)

// positions are the values of -model.
var positions = []struct {
	name string
	kind align.Positions
}{{"hmm", align.HMM}, {"model2", align.Model2}, {"diagonal", align.Diagonal}, {"model1", align.Model1}}

func positionNames() []string {
	var names []string
	for _, p := range positions {
		names = append(names, p.name)
	}
	return names
}

// options returns how to train in one of the ways, with n iterations of the last stage, on so
// many sentences.
func (x *experiment) options(how string, n, sentences int) (*align.Options, *align.FitOptions) {
	o, f := align.Recipe(sentences)
	switch how {
	case independent:
		f.Stages = stages(align.Own, align.Separately)
		o.Decode = align.Own
	case product2006:
		f.Stages = stages(align.Own, align.Multiplied)
		f.Stages[0].Counting = align.Multiplied
		o.Decode = align.Own
	case agreement2007:
		f.Stages = stages(align.Joint, align.Averaged)
	}
	if how != agreement {
		o.Classes, o.Deleted = 1, 0
		f.Prior.Classes, f.Prior.Jumps = 0, 0
	}
	if *x.classes > 0 {
		o.Classes = *x.classes
	}
	o.Null, o.Reach = *x.null, *x.reach
	switch {
	case *x.dirichlet > 0:
		f.Prior.Law = em.Dirichlet{Alpha: *x.dirichlet}
	case *x.variational > 0:
		f.Prior.Law = em.Variational{Alpha: *x.variational}
	}
	last := &f.Stages[len(f.Stages)-1]
	last.Iterations = n
	for _, p := range positions {
		if p.name == *x.positions {
			last.Positions = p.kind
		}
	}
	if x.given("deleted") {
		o.Deleted = *x.deleted
	}
	if x.given("backoff") {
		f.Prior.Classes = *x.backoff
	}
	if x.given("jumps") {
		f.Prior.Jumps = *x.jumps
	}
	f.Workers = *x.workers
	if *x.spelling {
		f.Prior.Pair, f.Prior.Stem, f.Prior.Strength = spelling.Pair, spelling.Stem, spelling.Strength
	}
	return o, f
}

// stages are those of the papers: Model 1, of each direction by itself, prepares a
// hidden Markov model.
func stages(step align.EStep, counting align.Counting) []align.Stage {
	return []align.Stage{
		{Positions: align.Model1, Iterations: 5},
		{Positions: align.HMM, EStep: step, Counting: counting},
	}
}

// iterations returns how many there will be.
func iterations(f *align.FitOptions) int {
	n := 0
	for _, s := range f.Stages {
		n += s.Iterations
	}
	return n
}

// fit trains the model; skipped lines are only counted. Like Model.Fit it returns
// what it has if ctx is done, but nil if that is nothing.
func (x *experiment) fit(ctx context.Context, r *program.Run, corpus *align.Corpus, skipped int) (*align.Model, error) {
	o, opts := x.options(*x.how, *x.iterations, corpus.Len())
	opts.Checkpoint = checkpoint(r, len(opts.Stages))
	progress := r.Progress("training", iterations(opts))
	defer progress.Done()
	opts.Observer = func(p align.Progress) {
		progress.Iteration(p.Event, fmt.Sprintf("log likelihood %.6g", p.LogLikelihood))
	}
	m, err := align.New(corpus, o)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // what it took to read the text and to find classes of words
	t, err := m.Fit(ctx, corpus, opts)
	if t == nil {
		return nil, err
	}
	problems := problems{run: r}
	for _, s := range t.Skipped {
		problems.add(fmt.Errorf("%v: it has probability 0", s))
	}
	problems.end()
	for _, remark := range t.Remarks {
		r.Warn("%s", remark)
	}
	r.Trained(program.Training{Iterations: len(t.Objective), Objective: t.Objective, Status: t.Status.String(), Skipped: skipped + problems.n})
	if len(t.Objective) == 0 {
		return nil, err
	}
	return m, err
}

// checkpoint returns the name of the checkpoint of a training in so many stages. The model keeps
// more files beside it: the states of later stages, and what each sentence counts.
func checkpoint(r *program.Run, stages int) string {
	name := r.Checkpoint()
	for n := range stages {
		r.Checkpoint(n)
	}
	for n := range stages {
		r.Checkpoint(n, "own")
	}
	return name
}
