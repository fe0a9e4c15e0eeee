package main

import (
	"maps"
	"math"
	"slices"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
)

// drawConfusion draws which tags (columns) words of a tag (rows) get, as the square roots of
// fractions of those words, so that a few mistakes show, too.
func drawConfusion(to *program.Output, test []sentence, predicted [][]string) error {
	count, words, tags := map[mistake]float64{}, map[string]float64{}, map[string]bool{}
	for i, s := range test {
		for t, tag := range s.Tags {
			count[mistake{tag, predicted[i][t]}]++
			words[tag]++
			tags[tag], tags[predicted[i][t]] = true, true
		}
	}
	names := slices.Sorted(maps.Keys(tags))
	return to.Draw(figure.Grid{
		Title: "√ of the fraction of a tag's words that get a tag", Row: "tag", Column: "predicted", Rows: names, Columns: names,
		Value: func(row, column int) float64 {
			return math.Sqrt(count[mistake{names[row], names[column]}] / max(1, words[names[row]]))
		},
	}.Figure(), nil)
}
