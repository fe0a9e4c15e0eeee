package main

import (
	"fmt"
	"io"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
)

// results are how systems did in both directions, the first two being of pairs alone.
type results struct {
	systems []string
	judged  [][]*transliteration.Judgement // by system and direction
}

// print writes the accuracies, and some of the last system's answers.
func (s *results) print(w io.Writer, d *data) {
	rows := [][]string{{"%", "to katakana", "", "to letters", ""}, {"", "top 1", "top 10", "top 1", "top 10"}}
	for i, name := range s.systems {
		row := []string{name}
		for _, j := range s.judged[i] {
			a := j.Accuracy()
			row = append(row, fmt.Sprintf("%.1f", 100*a.Top1), fmt.Sprintf("%.1f", 100*a.Top10))
		}
		rows = append(rows, row)
	}
	program.WriteTable(w, rows)
	last := s.judged[len(s.judged)-1]
	rows = [][]string{{"name", "katakana", "to katakana", "to letters"}}
	for n := range min(shown, len(d.test)) {
		i := n * len(d.test) / min(shown, len(d.test))
		row := []string{d.test[i].latin, d.test[i].kana}
		for _, j := range last {
			row = append(row, j.Verdict(i))
		}
		rows = append(rows, row)
	}
	program.WriteTable(w, rows)
}

// shown is how many test pairs are printed.
const shown = 12

// report puts the figures into the JSON object.
func (s *results) report(r *program.Run) {
	for dir, name := range directions {
		systems, gains := map[string]transliteration.Accuracy{}, map[string]transliteration.Gain{}
		for i, system := range s.systems {
			systems[system] = s.judged[i][dir].Accuracy()
			if i > 1 {
				gains[system] = s.judged[i][dir].Over(s.judged[1][dir])
			}
		}
		r.Set(name, systems)
		r.Set(name+"_gain", gains)
	}
}
