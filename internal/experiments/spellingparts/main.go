package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/speller"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/edit"
)

func main() { newProgram().Main() }

func newProgram() *program.Program {
	p := program.New("spellingparts", "spellingparts tests the channels of a trained speller by themselves.",
		"go run ./internal/experiments/spellingparts -load speller -test pairs.tsv")
	load := p.Input("load", "read the speller from `FILE`, as examples/spelling has saved it")
	test := p.Input("test", "correct the misspellings of `FILE`; lines: correct<TAB>misspelt[<TAB>count]")
	p.Workers()
	p.Check(func() error {
		if *load == "" || *test == "" {
			return errors.New("want -load and -test")
		}
		return nil
	})
	p.Do(func(ctx context.Context, r *program.Run) error { return compare(ctx, r, *load, *test) })
	return p
}

// compare tests the channels of a speller.
func compare(ctx context.Context, r *program.Run, load, test string) error {
	s, err := loaded(load)
	if err != nil {
		return fmt.Errorf("-load %s: %w", text.Name(load), err)
	}
	pairs, err := program.All(r, speller.Pairs(tsv.PairsOf(test)))
	if err == nil && len(pairs) == 0 {
		err = errors.New("no test pairs")
	}
	if err != nil {
		return err
	}
	rows := [][]string{{"model", "top 1", "top 10"}}
	for _, part := range []struct {
		name, key string
		model     *edit.Model
	}{{"in context", "contextual", s.Edits}, {"memoryless", "memoryless", s.Scout}} {
		a, err := accuracy(ctx, r, part.name, s, part.model, pairs)
		if err != nil {
			return err
		}
		r.Set(part.key+"_top1", a.Top1)
		r.Set(part.key+"_top10", a.Top10)
		rows = append(rows, []string{part.name, fmt.Sprintf("%.4f", a.Top1), fmt.Sprintf("%.4f", a.Top10)})
	}
	program.WriteTable(r.Out, rows)
	return nil
}

// loaded reads a speller.
func loaded(name string) (*speller.Speller, error) {
	f, err := text.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := speller.Load(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	return s, s.Prepare()
}

// accuracy returns the accuracy of a channel. Words that cannot be corrected count as wrong.
func accuracy(ctx context.Context, r *program.Run, name string, s *speller.Speller, channel *edit.Model, pairs []speller.Pair) (speller.Accuracy, error) {
	words, lexicon := s.Words()
	c, err := edit.NewCorrector(channel, lexicon, &edit.CorrectorOptions{CandidateModel: s.Scout})
	if err != nil {
		return speller.Accuracy{}, err
	}
	each := make([]speller.Accuracy, len(pairs))
	err = r.Each(ctx, "correcting ("+name+")", len(pairs), func(i int) error {
		p := pairs[i]
		if s.Right(p) {
			each[i] = speller.Accuracy{Top1: 1, Top10: 1}
			return nil
		}
		x, err := s.Labels(p.Misspelt)
		if err != nil {
			return nil
		}
		found, err := c.Best(ctx, x, speller.Asked+1)
		var suggested []string
		for _, f := range found {
			if w := words[f.Word].Text; w != p.Misspelt && len(suggested) < speller.Asked {
				suggested = append(suggested, w)
			}
		}
		each[i] = speller.Ranked(suggested, p.Word)
		return err
	})
	return speller.Mean(each), err
}
