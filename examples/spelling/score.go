package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/speller"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/edit"
)

// score corrects the test words and reports the accuracy. For comparison it ranks the words of
// the lexicon by edit distance.
func (f *flags) score(ctx context.Context, r *program.Run, s *speller.Speller, d *data) error {
	test := d.test
	known, kept := f.known(r, s, test)
	suggested := make([][]string, len(test))
	began := time.Now()
	product, err := f.accuracy(ctx, r, "correcting", s, test, known, func(i int) (speller.Accuracy, error) {
		found, err := s.Suggest(ctx, test[i].Misspelt, max(r.Answers(), speller.Asked))
		for _, x := range found {
			suggested[i] = append(suggested[i], x.Text)
		}
		return speller.Ranked(suggested[i], test[i].Word), err
	})
	if err != nil {
		return err
	}
	each := time.Since(began).Seconds() / float64(len(test))
	words, lexicon := s.Words()
	nearest, err := edit.NewNearest(lexicon)
	if err != nil {
		return err
	}
	levenshtein, err := f.accuracy(ctx, r, "correcting (nearest by edits)", s, test, known, func(i int) (speller.Accuracy, error) {
		x, err := s.Labels(test[i].Misspelt)
		if err != nil {
			return speller.Accuracy{}, err
		}
		found, err := nearest.Best(ctx, x, speller.Asked+1)
		return expected(found, words, test[i]), err
	})
	if err != nil {
		return err
	}
	for i, p := range test {
		if s.Right(p) {
			suggested[i] = []string{p.Word}
		}
	}
	r.Set("seconds_per_word", each)
	r.Set("kept_words", kept)
	r.Set("top1", product.Top1)
	r.Set("top10", product.Top10)
	r.Set("levenshtein_top1", levenshtein.Top1)
	r.Set("levenshtein_top10", levenshtein.Top10)
	r.Set("mixture", s.Mixed.Theta)
	r.Set("exponents", s.Weights)
	fmt.Fprintf(r.Out, "%d misspelt words, %.2f ms each with %d workers\n", len(test), 1000*each, *f.workers)
	if kept > 0 {
		fmt.Fprintf(r.Out, "%d of them are other words of the lexicon, which -apply keeps\n", kept)
	}
	fmt.Fprintln(r.Out)
	row := func(name string, a speller.Accuracy) []string {
		return []string{name, fmt.Sprintf("%.4f", a.Top1), fmt.Sprintf("%.4f", a.Top10)}
	}
	program.WriteTable(r.Out, [][]string{{"model", "top 1", "top 10"}, row("the product", product), row("nearest by edits", levenshtein)})
	describe(r.Out, s, test, suggested)
	return f.output.Write(func(w io.Writer) error {
		for i, p := range test {
			line := append([]string{p.Misspelt, p.Word}, suggested[i][:min(r.Answers(), len(suggested[i]))]...)
			if _, err := fmt.Fprintln(w, strings.Join(line, "\t")); err != nil {
				return err
			}
		}
		return nil
	})
}

// known returns which test words can be corrected, warns of the others, and counts the wrong
// words that -apply keeps.
func (f *flags) known(r *program.Run, s *speller.Speller, test []speller.Pair) (known []bool, kept int) {
	var problems []error
	for _, p := range test {
		_, err := s.Labels(p.Misspelt)
		known = append(known, err == nil || s.Right(p))
		if !known[len(known)-1] {
			problems = append(problems, fmt.Errorf("%s: %w", text.Quote(p.Misspelt), err))
		}
		if s.Known(p.Misspelt) && !s.Right(p) {
			kept++
		}
	}
	if len(problems) > 0 {
		r.Warn("test words that cannot be corrected: %d; the first is %w", len(problems), problems[0])
	}
	return known, kept
}

// accuracy returns the mean accuracy of a method on the test words. Words that cannot be
// corrected count as wrong; correct words need no correction.
func (f *flags) accuracy(ctx context.Context, r *program.Run, what string, s *speller.Speller, test []speller.Pair, known []bool, correct func(i int) (speller.Accuracy, error)) (speller.Accuracy, error) {
	each := make([]speller.Accuracy, len(test))
	err := r.Each(ctx, what, len(test), func(i int) (err error) {
		switch {
		case s.Right(test[i]):
			each[i] = speller.Accuracy{Top1: 1, Top10: 1}
		case known[i]:
			each[i], err = correct(i)
		}
		return err
	})
	return speller.Mean(each), err
}

// expected returns the probabilities that the correct word of p comes first and among the first
// ten of some words. Equally near words are in random order, and the misspelt word is left out.
func expected(found []edit.Neighbour, words []speller.Word, p speller.Pair) speller.Accuracy {
	own := -1
	for _, n := range found {
		if words[n.Word].Text == p.Word && p.Word != p.Misspelt {
			own = n.Distance
		}
	}
	var nearer, equal int
	for _, n := range found {
		switch {
		case words[n.Word].Text == p.Misspelt:
		case n.Distance < own:
			nearer++
		case n.Distance == own:
			equal++
		}
	}
	if own < 0 {
		return speller.Accuracy{}
	}
	among := func(n int) float64 { return float64(min(max(n-nearer, 0), equal)) / float64(equal) }
	return speller.Accuracy{Top1: among(1), Top10: among(speller.Asked)}
}

// examples is the number of test words to show.
const examples = 12

// factors are the names of the factors with exponents; the last three are of sounds.
var factors = []string{"word frequency", "channel", "pair n-grams", "n-grams of words", "what is heard", "what is legible", "what the dictionary lists"}

// describe prints the trained weights and some suggestions.
func describe(w io.Writer, s *speller.Speller, test []speller.Pair, suggested [][]string) {
	fmt.Fprintf(w, "exponents of %s: %.2f; slips in the mixture: %.2f\n\n", strings.Join(factors[:len(s.Weights)], ", "), s.Weights, s.Mixed.Theta[1])
	shown := [][]string{{"misspelt", "correct", "suggestions"}}
	for k := range min(examples, len(test)) {
		i := k * len(test) / min(examples, len(test))
		shown = append(shown, []string{test[i].Misspelt, test[i].Word, strings.Join(suggested[i][:min(3, len(suggested[i]))], " ")})
	}
	program.WriteTable(w, shown)
}
