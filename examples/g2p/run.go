package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/internal/inorder"
)

// run does what the flags say.
func (e *experiment) run(ctx context.Context, r *program.Run) error {
	var d *data
	var t *transcriber
	var err error
	if *e.load != "" {
		t, err = loadTranscriber(*e.load)
		if err == nil && *e.test != "" {
			d, err = t.testData(*e.test, *e.swap)
		}
	} else if d, err = e.loadData(); err == nil {
		t, err = e.train(ctx, r, d)
	}
	if err != nil {
		return err
	}
	if e.save.Given() {
		if err := e.save.Write(t.save); err != nil {
			return err
		}
	}
	if *e.decode != "" {
		return e.stream(ctx, r, t)
	}
	if d == nil || len(d.test) == 0 {
		return nil
	}
	return e.report(ctx, r, t, d)
}

// summary is where training is described: nowhere, if standard output is for transcribed
// lines.
func (e *experiment) summary(r *program.Run) io.Writer {
	if *e.decode != "" && !e.output.Given() {
		return io.Discard
	}
	return r.Out
}

// train returns the trained models.
func (e *experiment) train(ctx context.Context, r *program.Run, d *data) (*transcriber, error) {
	pairs, s := d.pairs()
	fmt.Fprintf(e.summary(r), "%d pairs to learn from, %d to choose by, %d to be tested with\n", len(pairs), len(d.dev), len(d.test))
	t, err := e.align(ctx, r, pairs)
	if err != nil {
		return nil, err
	}
	for i, fit := range t.fits {
		fmt.Fprintf(e.summary(r), "alignment in chunks of %v: %.4f nats per pair before, %.4f after %d iterations, %d pairs skipped\n",
			t.aligners[i].Chunks().Sizes(), fit.Objective[0]/t.weight, fit.Objective[len(fit.Objective)-1]/t.weight, fit.Iterations(), len(fit.Skipped))
	}
	chosen, err := t.choose(ctx, r, d, s)
	if err != nil {
		return nil, err
	}
	r.Set("order", chosen.order)
	r.Set("discount", chosen.discount)
	fmt.Fprintf(e.summary(r), "order %d, discounts times %g\n", chosen.order, chosen.discount)
	models, err := t.models(ctx, chosen)
	if err != nil {
		return nil, err
	}
	for _, m := range models {
		direction := forward
		if m.Reversed() {
			direction = backward
		}
		fmt.Fprintf(e.summary(r), "%s model: %d chunks, %d n-grams\n", direction, m.Chunks().Len(), grams(m))
	}
	if e.plot.Given() {
		if err := drawCurve(e.plot, t); err != nil {
			return nil, err
		}
	}
	if e.heatmap.Given() {
		if err := drawChunks(e.heatmap, t.aligners[0], s); err != nil {
			return nil, err
		}
	}
	if *e.conditional {
		all, err := t.conditionals(ctx, r, chosen)
		if err != nil {
			return nil, err
		}
		return conditionalTranscriber(d.word, d.target, s, all...)
	}
	return newTranscriber(d.word, d.target, s, models...)
}

// transcribeAll returns the candidates of each word, none for a word with a symbol that
// the models do not know, and how many of those there are.
func (e *experiment) transcribeAll(ctx context.Context, t *transcriber, words [][]string) ([][][]string, int, error) {
	type result struct {
		candidates [][]string
		unknown    bool
	}
	all, unknown := make([][][]string, 0, len(words)), 0
	each := func(yield func([]string, error) bool) {
		for _, w := range words {
			if !yield(w, nil) {
				return
			}
		}
	}
	for x, err := range inorder.Map(ctx, each, *e.workers, func(word []string) (result, error) {
		found, err := t.transcribe(ctx, word, max(scored, *e.candidates))
		if isUnknown(err) {
			return result{unknown: true}, nil
		}
		return result{candidates: found}, err
	}) {
		if err != nil {
			return nil, 0, err
		}
		if x.unknown {
			unknown++
		}
		all = append(all, x.candidates)
	}
	return all, unknown, nil
}

// evaluate scores the words of items.
func (e *experiment) evaluate(ctx context.Context, t *transcriber, items []item) (Score, error) {
	words, targets := words(items)
	found, _, err := e.transcribeAll(ctx, t, words)
	if err != nil {
		return Score{}, err
	}
	return score(words, targets, found)
}

// report tests the models and prints how well they do.
func (e *experiment) report(ctx context.Context, r *program.Run, t *transcriber, d *data) error {
	words, targets := words(d.test)
	began := time.Now()
	found, unknown, err := e.transcribeAll(ctx, t, words)
	if err != nil {
		return err
	}
	each := time.Since(began).Seconds() * 1e3 / float64(len(words))
	s, err := score(words, targets, found)
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
`, s.Words, unknown, each, 100*s.WER, 100*s.PER, 100*s.Top10, 100*s.Pair1, 100*s.Pair10)
	r.Set("wer", s.WER)
	r.Set("per", s.PER)
	r.Set("words", s.Words)
	r.Set("any10", s.Top10)
	r.Set("pair1", s.Pair1)
	r.Set("pair10", s.Pair10)
	r.Set("unknown_words", unknown)
	r.Set("decode_ms", each)
	printWords(r.Out, t, words, targets, found)
	if !e.output.Given() {
		return nil
	}
	return e.output.Write(func(w io.Writer) error {
		for i, word := range words {
			record := append([]string{t.word.join(word)}, t.targets(found[i][:min(len(found[i]), *e.candidates)])...)
			if _, err := fmt.Fprintln(w, strings.Join(record, "\t")); err != nil {
				return err
			}
		}
		return nil
	})
}

// targets returns the texts of candidates.
func (t *transcriber) targets(candidates [][]string) []string {
	all := make([]string, len(candidates))
	for i, c := range candidates {
		all[i] = t.target.join(c)
	}
	return all
}

// shown is how many words are printed.
const shown = 8

// printWords prints the first words, with what was found.
func printWords(w io.Writer, t *transcriber, words [][]string, targets map[string][][]string, found [][][]string) {
	fmt.Fprintln(w)
	for i, word := range words[:min(shown, len(words))] {
		best := "nothing"
		if len(found[i]) > 0 {
			best = t.target.join(found[i][0])
		}
		want := make([]string, 0, 1)
		for _, x := range targets[key(word)] {
			want = append(want, t.target.join(x))
		}
		fmt.Fprintf(w, "%s: %s (%s)\n", t.word.join(word), best, strings.Join(want, " or "))
	}
}
