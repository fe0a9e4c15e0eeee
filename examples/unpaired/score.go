package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/models/nbest"
)

// Accuracy is the share of test pairs whose first candidate is the partner, and of those
// that have it among the first ten.
type Accuracy struct {
	Top1  float64 `json:"top1"`
	Top10 float64 `json:"top10"`
}

// Gain is a difference of Accuracy.Top1 and its standard error, of the pairs' differences.
type Gain struct {
	Top1 float64 `json:"top1"`
	SE   float64 `json:"se"`
}

// judged is how candidates did: per pair the rank of the partner, from 0, or −1.
type judged struct {
	ranks []int
	first [][]int32 // candidates
}

// judge notes where y is among candidates.
func (j *judged) judge(y []int32, candidates []nbest.Candidate) {
	j.ranks = append(j.ranks, slices.IndexFunc(candidates, func(c nbest.Candidate) bool { return slices.Equal(c.Target, y) }))
	if len(candidates) == 0 {
		j.first = append(j.first, nil)
	} else {
		j.first = append(j.first, candidates[0].Target)
	}
}

// accuracy returns the shares.
func (j *judged) accuracy() Accuracy {
	var a Accuracy
	for _, r := range j.ranks {
		if r == 0 {
			a.Top1++
		}
		if r >= 0 {
			a.Top10++
		}
	}
	n := float64(len(j.ranks))
	return Accuracy{a.Top1 / n, a.Top10 / n}
}

// over returns what j gains over the answers of another system to the same pairs.
func (j *judged) over(other *judged) Gain {
	sum, squares, n := 0.0, 0.0, float64(len(j.ranks))
	for i, r := range j.ranks {
		d := 0.0
		if r == 0 {
			d++
		}
		if other.ranks[i] == 0 {
			d--
		}
		sum += d
		squares += d * d
	}
	mean := sum / n
	return Gain{mean, math.Sqrt((squares/n - mean*mean) / n)}
}

// results are how systems did in both directions, the first two being of pairs alone.
type results struct {
	systems []string
	judged  [][len(directions)]*judged
}

// print writes the accuracies, and some of the last system's answers.
func (s *results) print(w io.Writer, d *data) {
	rows := [][]string{{"%", "to katakana", "", "to letters", ""}, {"", "top 1", "top 10", "top 1", "top 10"}}
	for i, name := range s.systems {
		row := []string{name}
		for _, j := range s.judged[i] {
			a := j.accuracy()
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
		for dir, j := range last {
			answer := d.text(direction(dir), j.first[i])
			if j.ranks[i] != 0 {
				answer += " ✗"
			}
			row = append(row, answer)
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
		systems, gains := map[string]Accuracy{}, map[string]Gain{}
		for i, system := range s.systems {
			systems[system] = s.judged[i][dir].accuracy()
			if i > 1 {
				gains[system] = s.judged[i][dir].over(s.judged[1][dir])
			}
		}
		r.Set(name, systems)
		r.Set(name+"_gain", gains)
	}
}
