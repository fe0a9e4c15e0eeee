package main

import (
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

func printObjective(w io.Writer, objective []float64, likelihood []float64) {
	rows := [][]string{{"iteration", "log likelihood", "with the log prior (nats)"}}
	for i, x := range objective {
		l := "–" // not known
		if y := likelihood[i]; y == y {
			l = fmt.Sprintf("%.4f", y)
		}
		rows = append(rows, []string{fmt.Sprint(i + 1), l, fmt.Sprintf("%.4f", x)})
	}
	program.WriteTable(w, rows)
}

// shown is how many sentences are printed.
const shown = 8

// printScores prints how good the parses are, and some of them.
func printScores(r *program.Run, kind grammar.Kind, data []treebank.Sentence, parses []*grammar.Parse) {
	s := score(data, parses)
	r.Set("f1", s.F1())
	r.Set("precision", s.Precision())
	r.Set("recall", s.Recall())
	r.Set("directed", s.DirectedAccuracy())
	r.Set("undirected", s.UndirectedAccuracy())
	rows := [][]string{{"", "precision", "recall", "F1", "directed", "undirected"}}
	for _, x := range []struct {
		name string
		*treebank.Score
	}{{kind.String(), s}, {"left branching", branching(data, -1)}, {"right branching", branching(data, 1)}} {
		row := []string{x.name}
		for _, v := range []float64{x.Precision(), x.Recall(), x.F1(), x.DirectedAccuracy(), x.UndirectedAccuracy()} {
			row = append(row, fmt.Sprintf("%.4f", v))
		}
		rows = append(rows, row)
	}
	program.WriteTable(r.Out, rows)
	for n := range min(shown, len(data)) {
		i := n * len(data) / min(shown, len(data))
		fmt.Fprintf(r.Out, "%s\n", data[i].ID)
		program.WriteTable(r.Out, [][]string{
			{"  found", brackets(data[i].Words, parses[i].Spans), heads(data[i].Words, parses[i].Heads)},
			{"  drawn", brackets(data[i].Words, data[i].Spans), heads(data[i].Words, data[i].Heads)},
		})
	}
}

// branching scores trees that all branch to one side, −1 for left, where each word depends
// on its neighbour on the other side.
func branching(data []treebank.Sentence, side int) *treebank.Score {
	s := new(treebank.Score)
	for i := range data {
		n := data[i].Len()
		var spans []treebank.Span
		heads := make([]int, n)
		for w := range n {
			spans = append(spans, treebank.Span{I: 0, J: w + 1})
			heads[w] = w + 1
			if side > 0 {
				spans[w] = treebank.Span{I: w, J: n}
				heads[w] = w - 1
			}
		}
		if side < 0 {
			heads[n-1] = -1
		}
		s.Add(&data[i], spans, heads)
	}
	return s
}

// brackets returns the words in the brackets of spans.
func brackets(words []string, spans []treebank.Span) string {
	if spans == nil {
		return "–"
	}
	opening, closing := make([]int, len(words)), make([]int, len(words))
	for _, s := range spans {
		opening[s.I]++
		closing[s.J-1]++
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Repeat("(", opening[i]) + w + strings.Repeat(")", closing[i]))
	}
	return b.String()
}

// heads returns the words with their heads.
func heads(words []string, heads []int) string {
	var list []string
	for i, h := range heads {
		if h >= 0 {
			list = append(list, words[i]+"←"+words[h])
		}
	}
	return strings.Join(list, " ")
}
