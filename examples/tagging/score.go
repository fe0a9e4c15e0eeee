package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"example.org/pathsum/internal/program"
)

// score says how many words are tagged right.
type score struct {
	words, right              int
	unknown, unknownRight     int // of words that do not occur in training
	sentences, sentencesRight int
	mistakes                  map[mistake]int
}

type mistake struct{ tag, predicted string }

// newScore compares predicted tags with those of the test, for words that are known and others.
func newScore(known map[string]bool, test []sentence, predicted [][]string) *score {
	c := &score{mistakes: map[mistake]int{}}
	for i, s := range test {
		c.sentences++
		if slices.Equal(s.Tags, predicted[i]) {
			c.sentencesRight++
		}
		for t, w := range s.Words {
			right := 0
			if s.Tags[t] == predicted[i][t] {
				right = 1
			} else {
				c.mistakes[mistake{s.Tags[t], predicted[i][t]}]++
			}
			c.words++
			c.right += right
			if !known[w] {
				c.unknown++
				c.unknownRight += right
			}
		}
	}
	return c
}

// fraction returns part/whole, not a number if there is nothing.
func fraction(part, whole int) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

// report puts the accuracies into the JSON object.
func (c *score) report(r *program.Run) {
	r.Set("accuracy", fraction(c.right, c.words))
	r.Set("unknown_accuracy", fraction(c.unknownRight, c.unknown))
	r.Set("sentence_accuracy", fraction(c.sentencesRight, c.sentences))
}

// shown is how many mistakes, and how many sentences, are printed.
const shown = 8

func (c *score) print(w io.Writer) {
	rows := [][]string{{"", "right", "of", "accuracy"}}
	for _, x := range []struct {
		what       string
		right, all int
	}{
		{"words", c.right, c.words},
		{"unknown words", c.unknownRight, c.unknown},
		{"sentences", c.sentencesRight, c.sentences},
	} {
		rows = append(rows, []string{x.what, fmt.Sprint(x.right), fmt.Sprint(x.all), fmt.Sprintf("%.4f", fraction(x.right, x.all))})
	}
	program.WriteTable(w, rows)

	var found []mistake
	for m := range c.mistakes {
		found = append(found, m)
	}
	slices.SortFunc(found, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(c.mistakes[b], c.mistakes[a]), cmp.Compare(a.tag, b.tag), cmp.Compare(a.predicted, b.predicted))
	})
	if len(found) == 0 {
		return
	}
	rows = [][]string{{"tag", "predicted", "times"}}
	for _, m := range found[:min(shown, len(found))] {
		rows = append(rows, []string{m.tag, m.predicted, fmt.Sprint(c.mistakes[m])})
	}
	program.WriteTable(w, rows)
}
