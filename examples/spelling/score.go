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
	contextual, memoryless []string
	unknown                error
	levenshtein            accuracy // expected
}

// evaluate corrects the test words and reports how often that is right.
func (e *experiment) evaluate(ctx context.Context, r *program.Run, s *speller, test []pair) error {
	answers := make([]answer, len(test))
	var took time.Duration
	passes := []struct {
		name string
		do   func(p pair, a *answer) error
	}{
		{"correcting", func(p pair, a *answer) (err error) {
			if _, a.unknown = s.labels(p.misspelt); a.unknown == nil {
				a.contextual, err = s.suggest(ctx, s.contextual, p.misspelt, asked)
			}
			return err
		}},
		{"correcting (memoryless)", func(p pair, a *answer) (err error) {
			if a.unknown == nil {
				a.memoryless, err = s.suggest(ctx, s.memoryless, p.misspelt, asked)
			}
			return err
		}},
		{"nearest words", func(p pair, a *answer) (err error) {
			if a.unknown == nil {
				a.levenshtein, err = s.levenshtein(ctx, p)
			}
			return err
		}},
	}
	for i, pass := range passes {
		began := time.Now()
		if err := e.each(r, pass.name, len(test), func(i int) error { return pass.do(test[i], &answers[i]) }); err != nil {
			return err
		}
		if i == 0 {
			took = time.Since(began)
		}
	}
	e.report(r, test, answers, took)
	if !e.output.Given() {
		return nil
	}
	return e.output.Write(func(w io.Writer) error {
		for i, p := range test {
			line := append([]string{p.misspelt, p.word}, answers[i].contextual...)
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
func (s *speller) levenshtein(ctx context.Context, p pair) (accuracy, error) {
	y, err := s.labels(p.misspelt)
	if err != nil {
		return accuracy{}, err
	}
	found, err := s.nearest.Best(ctx, y, asked+1)
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

func (e *experiment) report(r *program.Run, test []pair, answers []answer, took time.Duration) {
	var contextual, memoryless, levenshtein accuracy
	n := float64(len(test))
	add := func(to *accuracy, a accuracy) { to.top1, to.top10 = to.top1+a.top1, to.top10+a.top10 }
	var unknown int
	for i, a := range answers {
		if a.unknown != nil {
			if unknown++; unknown == 1 {
				r.Warn("%q cannot be corrected: %v", test[i].misspelt, a.unknown)
			}
		}
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
		{"in context", "", contextual},
	} {
		rows = append(rows, []string{m.name, fmt.Sprintf("%.4f", m.top1/n), fmt.Sprintf("%.4f", m.top10/n)})
		r.Set(m.key+"top1", m.top1/n)
		r.Set(m.key+"top10", m.top10/n)
	}
	r.Set("ms_per_word", ms)
	fmt.Fprintf(r.Out, "%d misspelt words, %.2f ms each with %d workers\n\n", len(test), ms, *e.workers)
	program.WriteTable(r.Out, rows)
	shown := [][]string{{"misspelt", "correct", "suggestions"}}
	for k := range min(examples, len(test)) {
		i := k * len(test) / min(examples, len(test))
		shown = append(shown, []string{test[i].misspelt, test[i].word, strings.Join(answers[i].contextual[:min(3, len(answers[i].contextual))], " ")})
	}
	program.WriteTable(r.Out, shown)
}

// examples is how many test words are shown.
const examples = 12
