package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/edit"
)

// asked is how many suggestions count.
const asked = 10

// accuracy is the fraction of test pairs whose correct word is the first suggestion, and
// among the first ten. Words that are equally near count as in random order.
type accuracy struct{ top1, top10 float64 }

// way is a way to correct words. Its key stands before its figures in the JSON object.
type way struct {
	name, key string
	correct   func(ctx context.Context, p pair) (suggestions []string, a accuracy, err error)
}

// ways returns the ways to compare: the whole model, and its parts.
func (e *experiment) ways(s *speller) ([]way, error) {
	whole := way{"the product", "", func(ctx context.Context, p pair) ([]string, accuracy, error) {
		var words []string
		found, err := s.suggest(ctx, p.misspelt, *e.best)
		for _, f := range found {
			words = append(words, f.text)
		}
		return words, ranked(words, p.word), err
	}}
	if *e.alone {
		return []way{whole}, nil
	}
	contextual, err := s.part("in context", "contextual_", s.models.edits)
	if err != nil {
		return nil, err
	}
	memoryless, err := s.part("memoryless", "memoryless_", s.models.scout)
	if err != nil {
		return nil, err
	}
	nearest, err := edit.NewNearest(s.in)
	if err != nil {
		return nil, err
	}
	return []way{whole, contextual, memoryless, {"nearest by edits", "levenshtein_", func(ctx context.Context, p pair) ([]string, accuracy, error) {
		x, err := s.labels(p.misspelt)
		if err != nil {
			return nil, accuracy{}, err
		}
		found, err := nearest.Best(ctx, x, asked+1)
		return nil, expected(found, s.words, p), err
	}}}, nil
}

// part is one of the models by itself, to compare with.
func (s *speller) part(name, key string, m *edit.Model) (way, error) {
	c, err := edit.NewCorrector(m, s.in, &edit.CorrectorOptions{Scout: s.models.scout})
	return way{name, key, func(ctx context.Context, p pair) ([]string, accuracy, error) {
		x, err := s.labels(p.misspelt)
		if err != nil {
			return nil, accuracy{}, err
		}
		found, err := c.Best(ctx, x, asked+1)
		var words []string
		for _, f := range found {
			if w := s.words[f.Word].text; w != p.misspelt && len(words) < asked {
				words = append(words, w)
			}
		}
		return words, ranked(words, p.word), err
	}}, err
}

// expected returns how probably the correct word of p comes first and among the first ten
// of some words, those equally near in random order and the misspelt one left out.
func expected(found []edit.Neighbour, words []word, p pair) accuracy {
	own := -1
	for _, n := range found {
		if words[n.Word].text == p.word && p.word != p.misspelt {
			own = n.Distance
		}
	}
	var nearer, equal int
	for _, n := range found {
		switch {
		case words[n.Word].text == p.misspelt:
		case n.Distance < own:
			nearer++
		case n.Distance == own:
			equal++
		}
	}
	if own < 0 {
		return accuracy{}
	}
	among := func(n int) float64 { return float64(min(max(n-nearer, 0), equal)) / float64(equal) }
	return accuracy{among(1), among(asked)}
}

// ranked returns the accuracy of one list of suggestions.
func ranked(suggestions []string, word string) (a accuracy) {
	for i, w := range suggestions[:min(asked, len(suggestions))] {
		if w == word {
			a.top10 = 1
			if i == 0 {
				a.top1 = 1
			}
		}
	}
	return a
}

// isRight reports whether a pair is a word of the lexicon with itself. Its answer is the word.
func (s *speller) isRight(p pair) bool { return p.word == p.misspelt && s.known[p.word] }

// evaluate corrects the test words and reports how often that is right.
func (e *experiment) evaluate(ctx context.Context, r *program.Run, s *speller, test []pair) error {
	known := make([]bool, len(test))
	unknown, kept := 0, 0
	for i, p := range test {
		_, err := s.labels(p.misspelt)
		if s.isRight(p) {
			err = nil
		} else if s.known[p.misspelt] {
			kept++
		}
		if known[i] = err == nil; known[i] {
			continue
		}
		if unknown++; unknown == 1 {
			r.Warn("%s cannot be corrected: %v", text.Quote(p.misspelt), err)
		}
	}
	if unknown > 1 {
		r.Warn("%d test words cannot be corrected", unknown)
	}
	ways, err := e.ways(s)
	if err != nil {
		return err
	}
	n, rows := float64(len(test)), [][]string{{"model", "top 1", "top 10"}}
	suggested := make([][]string, len(test))
	for k, w := range ways {
		began, each := time.Now(), make([]accuracy, len(test))
		if err := r.Each(ctx, "correcting ("+w.name+")", len(test), func(i int) error {
			if !known[i] {
				return nil
			}
			if s.isRight(test[i]) {
				each[i] = accuracy{1, 1}
				if k == 0 {
					suggested[i] = []string{test[i].word}
				}
				return nil
			}
			words, a, err := w.correct(ctx, test[i])
			if each[i] = a; k == 0 {
				suggested[i] = words
			}
			return err
		}); err != nil {
			return err
		}
		if k == 0 {
			ms := float64(time.Since(began).Microseconds()) / 1000 / n
			r.Set("ms_per_word", ms)
			r.Set("kept_words", kept)
			fmt.Fprintf(r.Out, "%d misspelt words, %.2f ms each with %d workers\n", len(test), ms, *e.workers)
			if kept > 0 {
				fmt.Fprintf(r.Out, "%d of them are other words of the lexicon, which -apply keeps\n", kept)
			}
			fmt.Fprintln(r.Out)
		}
		var mean accuracy
		for _, a := range each {
			mean.top1, mean.top10 = mean.top1+a.top1/n, mean.top10+a.top10/n
		}
		rows = append(rows, []string{w.name, fmt.Sprintf("%.4f", mean.top1), fmt.Sprintf("%.4f", mean.top10)})
		r.Set(w.key+"top1", mean.top1)
		r.Set(w.key+"top10", mean.top10)
	}
	program.WriteTable(r.Out, rows)
	e.describe(r, s, test, suggested)
	return e.output.Write(func(w io.Writer) error {
		for i, p := range test {
			line := append([]string{p.misspelt, p.word}, suggested[i]...)
			if _, err := fmt.Fprintln(w, strings.Join(line, "\t")); err != nil {
				return err
			}
		}
		return nil
	})
}

// examples is how many test words are shown.
const examples = 12

// describe says what was learnt, and shows some suggestions.
func (e *experiment) describe(r *program.Run, s *speller, test []pair, suggested [][]string) {
	r.Set("mixture", s.models.mixed.Theta)
	r.Set("exponents", s.product.Weights())
	of := "word frequency, channel, pair n-grams and n-grams of words"
	if s.models.sounds != nil {
		of = "word frequency, channel, pair n-grams, n-grams of words, what is heard, what is legible, and what the dictionary lists"
	}
	fmt.Fprintf(r.Out, "exponents of %s: %.2f; slips in the mixture: %.2f\n\n", of, s.product.Weights(), s.models.mixed.Theta[1])
	shown := [][]string{{"misspelt", "correct", "suggestions"}}
	for k := range min(examples, len(test)) {
		i := k * len(test) / min(examples, len(test))
		shown = append(shown, []string{test[i].misspelt, test[i].word, strings.Join(suggested[i][:min(3, len(suggested[i]))], " ")})
	}
	program.WriteTable(r.Out, shown)
}
