package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/wordalign"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/bitext"
)

// answer aligns a line of -apply.
func (f *flags) answer(_ context.Context, a *aligner, line string, _ int) ([]string, error) {
	s, err := bitext.Parse(line)
	if err != nil {
		return nil, err
	}
	if *f.adapt {
		return f.record(a, s, a.alone)
	}
	plain := aligner{use: a.use, model: a.model} // a line is new text, even if it was trained on
	return f.record(&plain, s, plain.posteriors)
}

// weighted is a link and its posterior.
type weighted struct {
	align.Link
	p float64
}

// record returns the output for a sentence: a line for each of -o, -forward and -backward.
func (f *flags) record(a *aligner, s align.Sentence, of wordalign.Inference) ([]string, error) {
	ways := []wordalign.Combination{wordalign.Combinations[*f.combine], nil, nil}
	if f.forward.Given() {
		ways[1] = wordalign.Forward
	}
	if f.backward.Given() {
		ways[2] = wordalign.Backward
	}
	links := make([][]weighted, len(ways))
	for _, w := range align.Windows(len(s.Source), len(s.Target), *f.texts.Longest) {
		p, err := of(w.Of(s))
		if err != nil {
			return nil, err
		}
		for i, way := range ways {
			if way == nil {
				continue
			}
			choice := way(p)
			shown := p.Shown(choice)
			for _, l := range choice.Align(a.Threshold) {
				if whole := w.Link(l); w.Decides(whole) {
					links[i] = append(links[i], weighted{whole, shown.At(l.Source, l.Target)})
				}
			}
		}
	}
	record := make([]string, len(ways))
	for i := range ways {
		record[i] = f.text(links[i])
	}
	if *f.scores {
		forward, backward, err := f.logProb(a, s)
		if err != nil {
			return nil, err
		}
		record[0] += fmt.Sprintf("\t%.6g\t%.6g", forward, backward)
	}
	return record, nil
}

// logProb returns the scores of a sentence, or the sums of the scores of its pieces if it is
// long.
func (f *flags) logProb(a *aligner, s align.Sentence) (forward, backward float64, err error) {
	for _, w := range align.Pieces(len(s.Source), len(s.Target), *f.texts.Longest) {
		x, y, err := a.model.LogProb(w.Of(s))
		if err != nil {
			return 0, 0, err
		}
		forward, backward = forward+x, backward+y
	}
	return forward, backward, nil
}

// text returns links in the output format.
func (f *flags) text(links []weighted) string {
	if *f.invert {
		for i, l := range links {
			links[i].Link = align.Link{Source: l.Target, Target: l.Source}
		}
	}
	slices.SortFunc(links, func(l, m weighted) int { return l.Compare(m.Link) })
	var text []byte
	for i, l := range links {
		if i > 0 {
			text = append(text, ' ')
		}
		text, _ = align.Alignment{l.Link}.AppendText(text)
		if *f.posteriors {
			text = strconv.AppendFloat(append(text, ':'), l.p, 'g', 4, 64)
		}
	}
	return string(text)
}

// write writes a line of links for each line of the text, an empty one for lines that could not
// be used in training.
func (f *flags) write(ctx context.Context, r *program.Run, a *aligner, d *wordalign.Data) error {
	type result struct {
		line    int
		record  []string
		problem error
	}
	results := inorder.Map(ctx, d.Places(), *f.workers, func(p wordalign.Place) (result, error) {
		of := a.posteriors
		if a.data != nil && p.Number >= 0 {
			of = func(align.Sentence) (wordalign.Posteriors, error) { return d.PosteriorsOf(a.model, p.Number) }
		}
		record, err := f.record(a, p.Sentence, of)
		return result{p.Line, record, err}, nil
	})
	return program.WriteAll([]*program.Output{f.output, f.forward, f.backward}, func(to []io.Writer) error {
		if !f.output.Given() && r.Loads() {
			to[0] = r.Out // the default without flags of output
		}
		written := 0
		put := func(line int, record []string) error { // preceded by empty lines for skipped ones
			for i, w := range to {
				text := ""
				if record != nil {
					text = record[i]
				}
				if _, err := io.WriteString(w, strings.Repeat("\n", line-1-written)+text+"\n"); err != nil {
					return err
				}
			}
			written = line
			return nil
		}
		for out, err := range results {
			if err != nil {
				return err
			}
			if out.problem != nil {
				r.Warn("line %d: %w", out.line, out.problem)
			}
			if err := put(out.line, out.record); err != nil {
				return err
			}
		}
		if written == d.Lines {
			return nil
		}
		return put(d.Lines, nil)
	})
}
