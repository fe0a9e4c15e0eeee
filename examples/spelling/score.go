package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/models/edit"
)

// asked is how many suggestions count.
const asked = 10

// accuracy is the fraction of test pairs whose correct word is the first suggestion, and
// among the first ten. Words that are equally near count as in random order.
type accuracy struct{ top1, top10 float64 }

// answer is what is suggested for one test pair.
type answer struct {
	product, contextual, memoryless []string
	unknown                         error
	levenshtein                     accuracy // expected
}

// pass is a way to suggest words for all test pairs.
type pass struct {
	name string
	do   func(p pair, a *answer) error
}

// passes returns the ways to compare: the whole model, and its parts.
func (e *experiment) passes(ctx context.Context, s *speller) ([]pass, error) {
	whole := pass{"correcting", func(p pair, a *answer) error {
		if _, a.unknown = s.labels(p.misspelt); a.unknown != nil {
			return nil
		}
		found, err := s.suggest(ctx, p.misspelt, *e.best)
		for _, f := range found {
			a.product = append(a.product, f.text)
		}
		return err
	}}
	if *e.alone {
		return []pass{whole}, nil
	}
	contextual, err := s.part(s.models.edits)
	if err != nil {
		return nil, err
	}
	memoryless, err := s.part(s.models.scout)
	if err != nil {
		return nil, err
	}
	nearest, err := edit.NewNearest(s.in)
	if err != nil {
		return nil, err
	}
	known := func(do pass) pass {
		return pass{do.name, func(p pair, a *answer) error {
			if a.unknown != nil {
				return nil
			}
			return do.do(p, a)
		}}
	}
	return []pass{
		whole,
		known(pass{"correcting (in context)", func(p pair, a *answer) (err error) {
			a.contextual, err = s.by(ctx, contextual, p.misspelt, asked)
			return err
		}}),
		known(pass{"correcting (memoryless)", func(p pair, a *answer) (err error) {
			a.memoryless, err = s.by(ctx, memoryless, p.misspelt, asked)
			return err
		}}),
		known(pass{"nearest words", func(p pair, a *answer) (err error) {
			a.levenshtein, err = s.levenshtein(ctx, nearest, p)
			return err
		}}),
	}, nil
}

// evaluate corrects the test words and reports how often that is right.
func (e *experiment) evaluate(ctx context.Context, r *program.Run, s *speller, test []pair) error {
	answers := make([]answer, len(test))
	passes, err := e.passes(ctx, s)
	if err != nil {
		return err
	}
	var took time.Duration
	for i, pass := range passes {
		began := time.Now()
		if err := e.each(r, pass.name, len(test), func(i int) error { return pass.do(test[i], &answers[i]) }); err != nil {
			return err
		}
		if i == 0 {
			took = time.Since(began)
		}
	}
	e.report(r, s, test, answers, took)
	if !e.output.Given() {
		return nil
	}
	return e.output.Write(func(w io.Writer) error {
		for i, p := range test {
			line := append([]string{p.misspelt, p.word}, answers[i].product...)
			if _, err := fmt.Fprintln(w, strings.Join(line, "\t")); err != nil {
				return err
			}
		}
		return nil
	})
}

// each does something for 0 … n−1, in parallel, and returns the first error.
func (e *experiment) each(r *program.Run, what string, n int, do func(i int) error) error {
	progress := r.Progress(what, n)
	defer progress.Done()
	errs := make([]error, *e.workers)
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for i := w; i < n && errs[w] == nil; i += len(errs) {
				errs[w] = do(i)
				progress.Step("")
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// levenshtein returns how good the nearest words are.
func (s *speller) levenshtein(ctx context.Context, nearest *edit.Nearest, p pair) (accuracy, error) {
	y, err := s.labels(p.misspelt)
	if err != nil {
		return accuracy{}, err
	}
	found, err := nearest.Best(ctx, y, asked+1)
	if err != nil {
		return accuracy{}, err
	}
	return expected(found, s.words, p), nil
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
	for i, w := range suggestions {
		if w == word {
			a.top10 = 1
			if i == 0 {
				a.top1 = 1
			}
		}
	}
	return a
}

func (e *experiment) report(r *program.Run, s *speller, test []pair, answers []answer, took time.Duration) {
	var product, contextual, memoryless, levenshtein accuracy
	n := float64(len(test))
	add := func(to *accuracy, a accuracy) { to.top1, to.top10 = to.top1+a.top1, to.top10+a.top10 }
	var unknown int
	for i, a := range answers {
		if a.unknown != nil {
			if unknown++; unknown == 1 {
				r.Warn("%q cannot be corrected: %v", test[i].misspelt, a.unknown)
			}
		}
		add(&product, ranked(a.product[:min(asked, len(a.product))], test[i].word))
		add(&contextual, ranked(a.contextual, test[i].word))
		add(&memoryless, ranked(a.memoryless, test[i].word))
		add(&levenshtein, a.levenshtein)
	}
	if unknown > 1 {
		r.Warn("%d test words cannot be corrected", unknown)
	}
	ms := float64(took.Microseconds()) / 1000 / n
	rows := [][]string{{"model", "top 1", "top 10"}}
	for _, m := range []struct {
		name, key string
		accuracy
	}{
		{"nearest by edits", "levenshtein_", levenshtein},
		{"memoryless", "memoryless_", memoryless},
		{"in context", "contextual_", contextual},
		{"the product", "", product},
	} {
		if *e.alone && m.key != "" {
			continue
		}
		rows = append(rows, []string{m.name, fmt.Sprintf("%.4f", m.top1/n), fmt.Sprintf("%.4f", m.top10/n)})
		r.Set(m.key+"top1", m.top1/n)
		r.Set(m.key+"top10", m.top10/n)
	}
	r.Set("ms_per_word", ms)
	r.Set("mixture", s.models.mixed.Theta)
	r.Set("exponents", s.product.Weights())
	fmt.Fprintf(r.Out, "%d misspelt words, %.2f ms each with %d workers\n\n", len(test), ms, *e.workers)
	program.WriteTable(r.Out, rows)
	fmt.Fprintf(r.Out, "\nexponents of word frequency, channel, pair n-grams and n-grams of words: %.2f; slips in the mixture: %.2f\n\n", s.product.Weights(), s.models.mixed.Theta[1])
	shown := [][]string{{"misspelt", "correct", "suggestions"}}
	for k := range min(examples, len(test)) {
		i := k * len(test) / min(examples, len(test))
		shown = append(shown, []string{test[i].misspelt, test[i].word, strings.Join(answers[i].product[:min(3, len(answers[i].product))], " ")})
	}
	program.WriteTable(r.Out, shown)
}

// examples is how many test words are shown.
const examples = 12
