package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/internal/program"
)

// run does what the flags say.
func (e *experiment) run(ctx context.Context, r *program.Run) error {
	var tested []item
	var t *transcriber
	var err error
	if e.model.Loads() {
		t, tested, err = e.load()
	} else {
		t, tested, err = e.learn(ctx, r)
	}
	if err != nil {
		return err
	}
	if err := e.model.Save(t.save); err != nil {
		return err
	}
	if err := e.export(t); err != nil {
		return err
	}
	if *e.apply != "" {
		return e.stream(ctx, r, t)
	}
	if len(tested) == 0 {
		return nil
	}
	return e.report(ctx, r, t, tested)
}

// load reads the models, and pairs to test them with if there are some.
func (e *experiment) load() (t *transcriber, tested []item, err error) {
	t, err = program.Loaded(e.model, loadTranscriber)
	if err != nil || *e.test == "" {
		return t, nil, err
	}
	p, err := read(*e.test)
	return t, t.items(p), err
}

// learn returns the trained models and the pairs to test them with.
func (e *experiment) learn(ctx context.Context, r *program.Run) (*transcriber, []item, error) {
	c, err := e.loadCorpus()
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(r.Out, "%d pairs to learn from, %d to choose by, %d to be tested with\n", len(c.train.pairs), len(c.dev.pairs), len(c.test.pairs))
	t, chosen, err := e.choose(ctx, r, c)
	if err != nil {
		return nil, nil, err
	}
	t.describe(r.Out, chosen)
	r.Set("order", chosen.order)
	r.Set("discount", chosen.discount)
	r.Set("normalize", t.columns.Word.Form.String())
	r.Set("spaced", t.columns.spaced())
	r.Set("classes", max(1, len(t.classes)))
	models, err := t.models(ctx, chosen)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range models {
		direction := forward
		if m.Reversed() {
			direction = backward
		}
		fmt.Fprintf(r.Out, "%s model: %d chunks, %d n-grams\n", direction, m.Chunks().Len(), grams(m))
	}
	if err := e.draw(t); err != nil {
		return nil, nil, err
	}
	tested := t.items(c.test)
	if *e.conditional {
		all, err := t.conditionals(ctx, r, chosen, t.items(c.dev))
		if err != nil {
			return nil, nil, err
		}
		w, err := conditionalTranscriber(t.columns, t.symbols, all...)
		return w, tested, err
	}
	w, err := newTranscriber(t.columns, t.symbols, t.classes, models...)
	return w, tested, err
}

// draw writes the alignments and draws the figures that were asked for.
func (e *experiment) draw(t *trainer) error {
	for _, x := range []struct {
		to   *program.Output
		draw func(*program.Output, *trainer) error
	}{{e.plot, drawCurve}, {e.heatmap, drawChunks}, {e.matrix, drawMatrix}, {e.aligned, writeAligned}} {
		if x.to.Given() {
			if err := x.draw(x.to, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// report tests the models and prints how well they do.
func (e *experiment) report(ctx context.Context, r *program.Run, t *transcriber, tested []item) error {
	words, targets := words(tested)
	found, err := e.transcribeAll(ctx, t, words)
	if err != nil {
		return err
	}
	s, err := score(words, targets, found.targets())
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, `
%d words, %d of them with a symbol that no training word has; %.3f ms each
words wrong            %6.2f %%
symbols wrong          %6.2f %%
right among ten        %6.2f %% of words
pairs right, first     %6.2f %%
pairs right, among ten %6.2f %%
`, s.Words, found.unknown, found.each, 100*s.WER, 100*s.PER, 100*s.Top10, 100*s.Pair1, 100*s.Pair10)
	r.Set("wer", s.WER)
	r.Set("per", s.PER)
	r.Set("words", s.Words)
	r.Set("any10", s.Top10)
	r.Set("pair1", s.Pair1)
	r.Set("pair10", s.Pair10)
	r.Set("unknown_words", found.unknown)
	r.Set("decode_ms", found.each)
	printWords(r.Out, t, words, targets, found)
	if !e.output.Given() {
		return nil
	}
	return e.output.Write(func(w io.Writer) error {
		for i, word := range words {
			record := append([]string{t.Word.Join(word)}, e.texts(t, found.lists[i])...)
			if _, err := fmt.Fprintln(w, strings.Join(record, "\t")); err != nil {
				return err
			}
		}
		return nil
	})
}

// shown is how many words are printed.
const shown = 8

// printWords prints the first words, with what was found.
func printWords(w io.Writer, t *transcriber, words [][]string, targets map[string][][]string, found *transcribed) {
	fmt.Fprintln(w)
	for i, word := range words[:min(shown, len(words))] {
		best := "nothing"
		if list := found.lists[i]; len(list) > 0 {
			best = t.Target.Join(list[0].target)
		}
		want := make([]string, 0, 1)
		for _, x := range targets[key(word)] {
			want = append(want, t.Target.Join(x))
		}
		fmt.Fprintf(w, "%s: %s (%s)\n", t.Word.Join(word), best, strings.Join(want, " or "))
	}
}
