package transliteration

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// Judge finds up to n candidates for each pair, with the given number of goroutines. It calls
// each for every pair in order, as soon as it is answered; problem is the reason if there is no
// answer.
func (t *Transliterator) Judge(ctx context.Context, pairs []Pair, n, workers int, each func(i int, candidates []string, problem error) error) (*Judgement, error) {
	type answer struct {
		candidates []string
		problem    error
	}
	words := func(yield func(string, error) bool) {
		for i := range pairs {
			if word, _ := pairs[i].sides(t.Name); !yield(word, nil) {
				return
			}
		}
	}
	j := new(Judgement)
	for a, err := range inorder.Map(ctx, words, workers, func(word string) (a answer, err error) {
		found, _, err := t.Best(ctx, word, n)
		for _, c := range found {
			a.candidates = append(a.candidates, c.Text)
		}
		if errors.Is(err, ErrNone) || errors.Is(err, nbest.ErrUnknown) || errors.Is(err, semiring.ErrLimit) {
			a.problem, err = err, nil // an error of the word, not of the program
		}
		return a, err
	}) {
		if err != nil {
			return nil, err
		}
		i := len(j.ranks)
		_, reference := pairs[i].sides(t.Name)
		if err := j.Add(reference, a.candidates); err != nil {
			return nil, err
		}
		if err := each(i, a.candidates, a.problem); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// Test has the answers to test pairs in both directions, at stages such as before and after
// training.
type Test struct {
	Pairs     []Pair
	Direction string // the direction to test
	Workers   int

	stages []string
	asked  int                              // pairs, at the last stage
	judged map[string]map[string]*Judgement // by direction and stage
}

// Judged returns the judgement of the pairs in a direction at a stage, or nil if they were not
// judged.
func (t *Test) Judged(direction, stage string) *Judgement { return t.judged[direction][stage] }

// WarnUnknown reports the number of test pairs with unknown characters, and names the first.
func (t *Test) WarnUnknown(r *program.Run, letters, kana *Column) {
	first, n := "", 0
	for _, p := range t.Pairs {
		_, unknown := letters.Labels(p.Latin)
		_, more := kana.Labels(p.Kana)
		if unknown = append(unknown, more...); len(unknown) > 0 {
			if n == 0 {
				first = fmt.Sprintf("%s: %q in %s %s", p.Where, unknown[0].Symbol, p.Latin, p.Kana)
			}
			n++
		}
	}
	if n > 0 {
		r.Warn("%d test pairs have a character that the model does not know: %s", n, first)
	}
}

// beam is the number of candidates of a test pair.
const beam = 10

// Ask finds the candidates of at most the first n pairs, at a stage. It writes a line for each
// answer to w: direction, word, reference and candidates, separated by tabs.
func (t *Test) Ask(ctx context.Context, r *program.Run, w io.Writer, stage string, n int, all ...*Transliterator) error {
	all, err := Asked(t.Direction, all...)
	if err != nil {
		return err
	}
	pairs := t.Pairs[:min(n, len(t.Pairs))]
	progress := r.Progress("decoding ("+stage+")", len(all)*len(pairs))
	defer progress.Done()
	t.stages, t.asked = append(t.stages, stage), len(pairs)
	if t.judged == nil {
		t.judged = map[string]map[string]*Judgement{}
	}
	for _, a := range all {
		j, err := a.Judge(ctx, pairs, beam, t.Workers, func(i int, candidates []string, problem error) error {
			progress.Step("")
			if errors.Is(problem, semiring.ErrLimit) {
				r.Warn("%s, %s: no candidates: %v", pairs[i].Where, a.Name, problem)
			}
			word, reference := pairs[i].sides(a.Name)
			_, err := fmt.Fprintln(w, strings.Join(append([]string{a.Name, word, reference}, candidates...), "\t"))
			return err
		})
		if err != nil {
			return err
		}
		if t.judged[a.Name] == nil {
			t.judged[a.Name] = map[string]*Judgement{}
		}
		t.judged[a.Name][stage] = j
	}
	return nil
}

// shown is the number of test words to print.
const shown = 12

// Report prints the accuracies and some words with their first candidates of the last stage. The
// keys forward and backward of the JSON object are the accuracies by stage.
func (t *Test) Report(r *program.Run) {
	accuracies := [][]string{{"accuracy", "top 1", "top 10", "character error rate"}}
	words := [][]string{{"word", "katakana"}}
	shown := min(shown, t.asked)
	for n := range shown {
		p := t.Pairs[n*t.asked/shown]
		words = append(words, []string{p.Latin, p.Kana})
	}
	for _, name := range Directions {
		judged := t.judged[name]
		if judged == nil {
			continue
		}
		stages := map[string]Accuracy{}
		for _, stage := range t.stages {
			a := judged[stage].Accuracy()
			stages[stage] = a
			accuracies = append(accuracies, []string{name + ", " + stage,
				fmt.Sprintf("%.4f", a.Top1), fmt.Sprintf("%.4f", a.Top10), fmt.Sprintf("%.4f", a.CER)})
		}
		r.Set(name, stages)
		words[0] = append(words[0], name)
		for n := range shown {
			words[n+1] = append(words[n+1], judged[t.stages[len(t.stages)-1]].Verdict(n*t.asked/shown))
		}
	}
	program.WriteTable(r.Out, accuracies)
	program.WriteTable(r.Out, words)
}
