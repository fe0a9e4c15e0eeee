package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/edit"
)

// Settings, chosen on development data.
var (
	windows = []edit.Window{{}, {Left: 0, Right: 1}, {Left: 1, Right: 1}}
	// scoutPrior is the Dirichlet prior of the memoryless model.
	scoutPrior = em.Dirichlet{Alpha: 1.01}
)

// models are the trained models: a memoryless one that looks for words and the contextual
// one that ranks them. The symbols of their outputs are characters.
type models struct{ scout, edits *edit.Model }

// letters returns the characters that the models know.
func (m *models) letters() *fst.Symbols { return m.edits.Cascade[0].OutSymbols() }

// train trains the models, and reports how.
func (e *experiment) train(ctx context.Context, r *program.Run, d *data) (*models, error) {
	letters := fst.NewSymbols()
	add := func(text string) []int32 {
		labels := make([]int32, 0, len(text))
		for _, c := range text {
			labels = append(labels, letters.Add(string(c)))
		}
		return labels
	}
	pairs := make([]edit.Pair, len(d.train))
	examples := make([]em.Example, len(d.train))
	for i, p := range d.train {
		pairs[i] = edit.Pair{Source: add(p.word), Target: add(p.misspelt), Weight: em.Times(p.count)}
		examples[i] = em.Example{X: em.Labels(pairs[i].Source...), Y: em.Labels(pairs[i].Target...), Weight: em.Times(p.count), Name: p.word + " " + p.misspelt}
	}
	for _, w := range d.lexicon {
		add(w.text)
	}
	alphabet := make([]int32, letters.Len()-1)
	for i := range alphabet {
		alphabet[i] = int32(i + 1)
	}
	scout, err := edit.NewConditional(alphabet, alphabet, scoutPrior)
	if err != nil {
		return nil, err
	}
	progress := r.Progress("training", *e.iterations*(1+len(windows)))
	defer progress.Done()
	observe := func(v em.Event) {
		progress.Step(fmt.Sprintf("log likelihood %.3f after %.1f s", v.LogLikelihood, v.Elapsed.Seconds()))
	}
	options := em.Options{Iterations: *e.iterations, Workers: *e.workers, Observer: observe}
	if *e.checkpoint != "" {
		options.Checkpoint = *e.checkpoint + ".scout"
	}
	var c curves
	c.add("memoryless", &options)
	if _, err := scout.Fit(ctx, em.Data{Examples: examples}, &options); err != nil {
		return nil, err
	}
	options.Checkpoint = *e.checkpoint
	options.Observer = observe
	c.add("in context", &options)
	contextual, err := edit.NewContextual(alphabet, pairs, &edit.ContextOptions{Windows: windows})
	if err != nil {
		return nil, err
	}
	fit, err := contextual.Fit(ctx, pairs, &options)
	if fit != nil {
		r.Trained(program.Training{Iterations: fit.Iterations(), Objective: fit.Objective, Status: fit.Status.String()})
	}
	if err != nil {
		return nil, err
	}
	edits := &contextual.Model
	for _, m := range []*edit.Model{scout, edits} {
		f := m.Cascade[0]
		m.Cascade[0] = f.WithSymbols(f.InSymbols(), letters)
	}
	if e.curve.Given() {
		if err := c.draw(e.curve, len(d.train)); err != nil {
			return nil, err
		}
	}
	return &models{scout, edits}, nil
}

// write writes the models, one a line.
func (m *models) write(w io.Writer) error {
	for _, model := range []*edit.Model{m.scout, m.edits} {
		if err := model.Save(w); err != nil {
			return err
		}
	}
	return nil
}

// readModels reads what write wrote.
func readModels(r io.Reader) (*models, error) {
	in := bufio.NewReader(r)
	m := new(models)
	for _, model := range []**edit.Model{&m.scout, &m.edits} {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, err
		}
		if *model, err = edit.Load(bytes.NewReader(line)); err != nil {
			return nil, err
		}
		if (*model).Cascade[0].OutSymbols() == nil {
			return nil, fmt.Errorf("%w: no characters", em.ErrFormat)
		}
	}
	return m, nil
}
