package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// results are the decodings of the test pairs in both directions, by stages.
type results struct {
	test       []pair
	directions [2]direction
	stages     []string
	decodings  [2]map[string]*decoding
}

func newResults(c *cascade, test []pair) *results {
	return &results{test: test, directions: c.directions(), decodings: [2]map[string]*decoding{{}, {}}}
}

// decode decodes test pairs with the parameters theta, the stage being their name, and
// writes a record to w for every answer.
func (s *results) decode(ctx context.Context, r *program.Run, w io.Writer, stage string, test []pair, theta []float64, workers int) error {
	progress := r.Progress("decoding ("+stage+")", 2*len(test))
	defer progress.Done()
	s.stages = append(s.stages, stage)
	for i, dir := range s.directions {
		d, err := dir.decode(ctx, theta, test, workers, func(p pair, a answer) error {
			progress.Step("")
			if errors.Is(a.problem, semiring.ErrLimit) {
				r.Warn("%s, %s: no candidates: %v", p.where, dir.name, a.problem)
			}
			return dir.write(w, p, a.candidates)
		})
		if err != nil {
			return err
		}
		s.decodings[i][stage] = d
	}
	return nil
}

// write writes the record of a pair.
func (dir direction) write(w io.Writer, p pair, candidates []string) error {
	record := append([]string{dir.name, dir.word(p), dir.reference(p)}, candidates...)
	_, err := fmt.Fprintln(w, strings.Join(record, "\t"))
	return err
}

// report puts the accuracies into the JSON object.
func (s *results) report(r *program.Run) {
	for i, dir := range s.directions {
		stages := map[string]Accuracy{}
		for stage, d := range s.decodings[i] {
			stages[stage] = d.accuracy
		}
		r.Set(dir.name, stages)
	}
}

// print writes the accuracies and some words with their first candidates.
func (s *results) print(w io.Writer) {
	accuracies := [][]string{{"accuracy", "top 1", "top 10", "character error rate"}}
	for i, dir := range s.directions {
		for _, stage := range s.stages {
			a := s.decodings[i][stage].accuracy
			accuracies = append(accuracies, []string{dir.name + ", " + stage,
				fmt.Sprintf("%.4f", a.Top1), fmt.Sprintf("%.4f", a.Top10), fmt.Sprintf("%.4f", a.CER)})
		}
	}
	program.WriteTable(w, accuracies)
	words := [][]string{{"word", "katakana", "forward", "backward"}}
	forward, backward := s.decodings[0]["after"], s.decodings[1]["after"]
	for n := range min(shown, len(s.test)) {
		i := n * len(s.test) / min(shown, len(s.test))
		p := s.test[i]
		words = append(words, []string{p.latin, p.kana, verdict(forward.candidates[i], p.kana), verdict(backward.candidates[i], p.latin)})
	}
	program.WriteTable(w, words)
}

// shown is how many test words are printed.
const shown = 12

// verdict returns the first candidate, marked if it is not the reference.
func verdict(candidates []string, reference string) string {
	switch {
	case len(candidates) == 0:
		return "(none)"
	case candidates[0] == reference:
		return candidates[0]
	}
	return candidates[0] + " ✗"
}

func printObjective(w io.Writer, objective []float64) {
	rows := [][]string{{"iteration", "log likelihood (nats)"}}
	for i, x := range objective {
		rows = append(rows, []string{fmt.Sprint(i + 1), fmt.Sprintf("%.4f", x)})
	}
	program.WriteTable(w, rows)
}

// named is the number of letters that are shown.
const named = 26

// printOutcomes writes what the most frequent letters of the words most probably
// become.
func printOutcomes(w io.Writer, c *cascade, words []pair) {
	rows := [][]string{{"letter", "becomes"}}
	for _, l := range frequent(c.letters, words, named) {
		name, _ := c.letters.Name(l)
		row := []string{name}
		for _, o := range c.outcomes(l, c.channel.Theta)[:4] {
			if o.prob >= .01 {
				row = append(row, fmt.Sprintf("%s %.2f", cmp.Or(o.romaji, "ε"), o.prob))
			}
		}
		rows = append(rows, row)
	}
	program.WriteTable(w, rows)
}

// frequent returns the labels of the n most frequent letters of the words, in the
// order of their names.
func frequent(letters *fst.Symbols, words []pair, n int) []int32 {
	count := make([]float64, letters.Len())
	for _, p := range words {
		for _, l := range p.x {
			count[l] += p.weight
		}
	}
	all := labels(letters)
	slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(count[b], count[a]) })
	all = all[:min(len(all), n)]
	slices.SortFunc(all, func(a, b int32) int {
		x, _ := letters.Name(a)
		y, _ := letters.Name(b)
		return cmp.Compare(x, y)
	})
	return all
}
