package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
)

// score counts the words tagged right, and the pairs of tags and predicted tags.
type score struct {
	words, unknown, sentences share // unknown words do not occur in training
	times                     map[tagging]int
}

// share counts items, and how many of them are right.
type share struct{ right, all int }

// add counts one.
func (s *share) add(right bool) {
	s.all++
	if right {
		s.right++
	}
}

// fraction returns the fraction that is right, NaN without items.
func (s share) fraction() float64 {
	if s.all == 0 {
		return math.NaN()
	}
	return float64(s.right) / float64(s.all)
}

// tagging is the tag of a word and its predicted tag.
type tagging struct{ tag, predicted string }

// newScore compares predicted tags with the tags of the test, separately for known and unknown
// words.
func newScore(known map[string]bool, test []sentence, predicted [][]string) *score {
	c := &score{times: map[tagging]int{}}
	for i, s := range test {
		c.sentences.add(slices.Equal(s.Tags, predicted[i]))
		for t, w := range s.Words {
			x := tagging{s.Tags[t], predicted[i][t]}
			c.times[x]++
			c.words.add(x.tag == x.predicted)
			if !known[w] {
				c.unknown.add(x.tag == x.predicted)
			}
		}
	}
	return c
}

// shown is the number of mistakes, and of sentences, to print.
const shown = 8

// report reports the accuracies, and prints the most frequent mistakes.
func (c *score) report(r *program.Run) {
	rows := [][]string{{"", "right", "of", "accuracy"}}
	for _, x := range []struct {
		what, key string
		share
	}{
		{"words", "accuracy", c.words},
		{"unknown words", "unknown_accuracy", c.unknown},
		{"sentences", "sentence_accuracy", c.sentences},
	} {
		r.Set(x.key, x.fraction())
		rows = append(rows, []string{x.what, fmt.Sprint(x.right), fmt.Sprint(x.all), fmt.Sprintf("%.4f", x.fraction())})
	}
	program.WriteTable(r.Out, rows)
	mistakes := slices.DeleteFunc(slices.Collect(maps.Keys(c.times)), func(x tagging) bool { return x.tag == x.predicted })
	if len(mistakes) == 0 {
		return
	}
	slices.SortFunc(mistakes, func(a, b tagging) int {
		return cmp.Or(cmp.Compare(c.times[b], c.times[a]), cmp.Compare(a.tag, b.tag), cmp.Compare(a.predicted, b.predicted))
	})
	rows = [][]string{{"tag", "predicted", "times"}}
	for _, x := range mistakes[:min(shown, len(mistakes))] {
		rows = append(rows, []string{x.tag, x.predicted, fmt.Sprint(c.times[x])})
	}
	program.WriteTable(r.Out, rows)
}

// confusions shows the tags (columns) predicted for words of a tag (rows), as the square roots
// of fractions of those words, so that a few mistakes are visible.
func (c *score) confusions() figure.Grid {
	words, tags := map[string]int{}, map[string]bool{}
	for x, n := range c.times {
		words[x.tag] += n
		tags[x.tag], tags[x.predicted] = true, true
	}
	names := slices.Sorted(maps.Keys(tags))
	return figure.Grid{
		Title: "√ of the fraction of a tag's words that get a tag", Row: "tag", Column: "predicted", Rows: names, Columns: names,
		Value: func(row, column int) float64 {
			return math.Sqrt(float64(c.times[tagging{names[row], names[column]}]) / float64(max(1, words[names[row]])))
		},
	}
}

// printSentences writes some sentences with their predicted tags, marking those that
// are wrong.
func printSentences(w io.Writer, sentences []sentence, predicted [][]string) {
	for n := range min(shown, len(sentences)) {
		i := n * len(sentences) / min(shown, len(sentences))
		var tokens []string
		for t, word := range sentences[i].Words {
			token := word + "/" + predicted[i][t]
			if tag := sentences[i].Tags[t]; tag != predicted[i][t] {
				token += "✗" + tag
			}
			tokens = append(tokens, token)
		}
		fmt.Fprintln(w, strings.Join(tokens, " "))
	}
}

// write writes the words with their tags and predicted tags, one a line.
func write(w io.Writer, sentences []sentence, predicted [][]string) error {
	for i, s := range sentences {
		for t, word := range s.Words {
			if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", word, s.Tags[t], predicted[i][t]); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}
