package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/bitext"
)

// weighted is a link and its posterior.
type weighted struct {
	align.Link
	p float64
}

// record is what is written of a sentence: a line for -o, -forward and -backward each.
func (x *experiment) record(a *aligner, s align.Sentence, of func(align.Sentence) (posteriors, error)) ([]string, error) {
	ways := []combination{combinations[*x.combine], nil, nil}
	if x.forward.Given() {
		ways[1] = forward
	}
	if x.backward.Given() {
		ways[2] = backward
	}
	links := make([][]weighted, len(ways))
	for _, w := range align.Windows(len(s.Source), len(s.Target), *x.longest) {
		p, err := of(w.Of(s))
		if err != nil {
			return nil, err
		}
		for i, way := range ways {
			if way == nil {
				continue
			}
			choice := way(p)
			shown := p.shown(choice)
			for _, l := range choice.Align(a.threshold) {
				if whole := w.Link(l); w.Decides(whole) {
					links[i] = append(links[i], weighted{whole, shown.At(l.Source, l.Target)})
				}
			}
		}
	}
	record := make([]string, len(ways))
	for i := range ways {
		record[i] = x.text(links[i])
	}
	if *x.scores {
		forward, backward, err := x.logProb(a, s)
		if err != nil {
			return nil, err
		}
		record[0] += fmt.Sprintf("\t%.6g\t%.6g", forward, backward)
	}
	return record, nil
}

// shown returns the posteriors to write beside the links of a choice.
func (p posteriors) shown(c align.Choice) *align.Posterior {
	if q, ok := c.(*align.Posterior); ok {
		return q
	}
	return align.Average(p.forward, p.backward)
}

// logProb returns the scores of a sentence: if it is long, the sums of those of its pieces.
func (x *experiment) logProb(a *aligner, s align.Sentence) (forward, backward float64, err error) {
	for _, w := range align.Pieces(len(s.Source), len(s.Target), *x.longest) {
		f, b, err := a.model.LogProb(w.Of(s))
		if err != nil {
			return 0, 0, err
		}
		forward, backward = forward+f, backward+b
	}
	return forward, backward, nil
}

// text returns links as they are written.
func (x *experiment) text(links []weighted) string {
	if *x.invert {
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
		if *x.posteriors {
			text = strconv.AppendFloat(append(text, ':'), l.p, 'g', 4, 64)
		}
	}
	return string(text)
}

// stream aligns the lines of -apply.
func (x *experiment) stream(ctx context.Context, r *program.Run, a *aligner) error {
	return r.Stream(ctx, program.Stream{
		Bare:   true,
		Others: []*program.Output{x.forward, x.backward},
		Answer: func(_ context.Context, line string) ([]string, error) {
			s, err := bitext.Parse(line)
			if err != nil {
				return nil, err
			}
			return x.record(a, s, a.posteriors)
		},
	})
}

// group is a sentence to be written: its line, and what finds its posteriors.
type group struct {
	line     int
	sentence align.Sentence
	of       func(align.Sentence) (posteriors, error)
	problem  error
}

// writeText writes the links of the text of -e and -f or -bitext, a line for each of its lines.
// Those that could not be learned from have none.
func (x *experiment) writeText(ctx context.Context, r *program.Run, a *aligner, d *data, corpus *align.Corpus) error {
	return x.write(ctx, r, a, d.count, d.groups(a, corpus, !x.model.Loads() || *x.adapt))
}

// writeOpen writes the links of the test lines.
func (x *experiment) writeOpen(ctx context.Context, r *program.Run, a *aligner, d *data) error {
	return x.write(ctx, r, a, len(d.open), func(yield func(group, error) bool) {
		for _, l := range d.open {
			if !yield(group{l.Number, l.Sentence, a.posteriors, l.Problem}, nil) {
				return
			}
		}
	})
}

// write writes the records of sentences in the order of their lines, and empty ones of the
// lines between and behind them.
func (x *experiment) write(ctx context.Context, r *program.Run, a *aligner, lines int, groups iter.Seq2[group, error]) error {
	type result struct {
		line    int
		record  []string
		problem error
	}
	results := inorder.Map(ctx, groups, *x.workers, func(g group) (result, error) {
		out := result{line: g.line, problem: g.problem}
		if g.problem == nil {
			if out.record, out.problem = x.record(a, g.sentence, g.of); out.problem != nil {
				out.problem = fmt.Errorf("line %d: %w", g.line, out.problem)
			}
		}
		return out, nil
	})
	problems := problems{run: r}
	defer problems.end()
	return program.WriteAll([]*program.Output{x.output, x.forward, x.backward}, func(to []io.Writer) error {
		if !x.output.Given() && *x.apply == "" && (x.test.e != "" || x.model.Loads()) {
			to[0] = r.Out // nobody has asked for anything else
		}
		written := 0
		put := func(line int, record []string) error {
			for i, w := range to {
				text := strings.Repeat("\n", line-1-written)
				if record != nil {
					text += record[i]
				}
				if _, err := io.WriteString(w, text+"\n"); err != nil {
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
				problems.add(out.problem)
			}
			if err := put(out.line, out.record); err != nil {
				return err
			}
		}
		if written == lines {
			return nil
		}
		return put(lines, nil)
	})
}

// groups yields the sentences of a text, which a may have learnt from.
func (d *data) groups(a *aligner, c *align.Corpus, learnt bool) iter.Seq2[group, error] {
	return func(yield func(group, error) bool) {
		last := 0
		for n := range c.Len() {
			line := c.Line(n)
			if line == last || line == 0 { // a further piece, or of no line
				continue
			}
			last = line
			g := group{line: line, of: a.posteriors}
			if s, long := d.long[line]; long {
				g.sentence = s
			} else {
				g.sentence = c.Sentence(n)
				if learnt {
					g.of = func(align.Sentence) (posteriors, error) {
						forward, backward, err := a.model.PosteriorsOf(c, n)
						return posteriors{forward, backward}, err
					}
				}
			}
			if !yield(g, nil) {
				return
			}
		}
	}
}
