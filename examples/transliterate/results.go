package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

// beam is how many candidates a test pair gets.
const beam = 10

// results are how test pairs were answered, by directions and stages.
type results struct {
	test   []pair
	stages []string
	all    map[string]map[string]*transliteration.Judgement // by direction and stage
}

// some returns the pairs that are decoded before training.
func (s *results) some() []pair { return s.test[:min(len(s.test), sample)] }

// questions returns what pairs ask in a direction.
func questions(pairs []pair, direction string) []transliteration.Question {
	return transliteration.Questions(pairs, direction, func(p pair) (latin, kana string) { return p.latin, p.kana })
}

// decode decodes test pairs with a model at a stage, and writes a record to w for every
// answer.
func (s *results) decode(ctx context.Context, r *program.Run, w io.Writer, stage string, test []pair, all []*transliteration.Transliterator, workers int) error {
	progress := r.Progress("decoding ("+stage+")", len(all)*len(test))
	defer progress.Done()
	s.stages = append(s.stages, stage)
	if s.all == nil {
		s.all = map[string]map[string]*transliteration.Judgement{}
	}
	for _, t := range all {
		asked := questions(test, t.Name)
		j, err := t.Judge(ctx, asked, beam, workers, func(i int, candidates []string, problem error) error {
			progress.Step("")
			if errors.Is(problem, semiring.ErrLimit) {
				r.Warn("%s, %s: no candidates: %v", test[i].where, t.Name, problem)
			}
			record := append([]string{t.Name, asked[i].Word, asked[i].Reference}, candidates...)
			_, err := fmt.Fprintln(w, strings.Join(record, "\t"))
			return err
		})
		if err != nil {
			return err
		}
		if s.all[t.Name] == nil {
			s.all[t.Name] = map[string]*transliteration.Judgement{}
		}
		s.all[t.Name][stage] = j
	}
	return nil
}

// report puts the accuracies into the JSON object.
func (s *results) report(r *program.Run) {
	for direction, judged := range s.all {
		stages := map[string]transliteration.Accuracy{}
		for stage, j := range judged {
			stages[stage] = j.Accuracy()
		}
		r.Set(direction, stages)
	}
}

// print writes the accuracies and some words with their first candidates.
func (s *results) print(w io.Writer) {
	accuracies := [][]string{{"accuracy", "top 1", "top 10", "character error rate"}}
	words := [][]string{{"word", "katakana"}}
	shown := min(shown, len(s.test))
	for n := range shown {
		p := s.test[n*len(s.test)/shown]
		words = append(words, []string{p.latin, p.kana})
	}
	for _, name := range transliteration.Directions {
		judged := s.all[name]
		if judged == nil {
			continue
		}
		for _, stage := range s.stages {
			a := judged[stage].Accuracy()
			accuracies = append(accuracies, []string{name + ", " + stage,
				fmt.Sprintf("%.4f", a.Top1), fmt.Sprintf("%.4f", a.Top10), fmt.Sprintf("%.4f", a.CER)})
		}
		words[0] = append(words[0], name)
		for n := range shown {
			i := n * len(s.test) / shown
			words[n+1] = append(words[n+1], judged["after"].Verdict(i))
		}
	}
	program.WriteTable(w, accuracies)
	program.WriteTable(w, words)
}

// shown is how many test words are printed.
const shown = 12

// describe writes what the models of a direction are.
func (s *pairSystem) describe(w io.Writer, dir int) {
	for _, m := range s.models[dir] {
		kind := ""
		joint, ok := m.(*pairgram.Predictor)
		if !ok {
			joint, kind = m.(*pairgram.Conditional).Joint(), "conditional, "
		}
		model, grams := joint.Model(), 0
		for length := 1; length <= model.NGrams().Order(); length++ {
			grams += model.NGrams().NumGrams(length)
		}
		end := "beginning"
		if model.Reversed() {
			end = "end"
		}
		fmt.Fprintf(w, "%s, %sread from the %s: %d chunks of %v, %d n-grams\n",
			transliteration.Directions[dir], kind, end, model.Chunks().Len(), model.Chunks().Sizes(), grams)
	}
}

// named is the number of letters that are shown.
const named = 26

// printOutcomes writes what the most frequent letters of the words most probably
// become.
func printOutcomes(w io.Writer, c *cascadeSystem, words []pair) {
	rows := [][]string{{"letter", "becomes"}}
	for _, l := range frequent(c.letters.Symbols, words, named) {
		name, _ := c.letters.Symbols.Name(l)
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
