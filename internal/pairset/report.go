package pairset

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/pairgram"
)

// Describe reports the alignments of the pairs, and makes the objectives per pair the lines of
// -plot.
func (t *Trainer) Describe(r *program.Run, pairs []pairgram.Pair) {
	weight := 0.0
	for i := range pairs {
		weight += pairs[i].Weight.Float64()
	}
	for i, fit := range t.Fits {
		sizes := fmt.Sprint(t.Aligners[i].Chunks().Sizes())
		values := floats.ScaleTo(make([]float64, len(fit.Objective)), 1/weight, fit.Objective)
		r.Curve(sizes, 1, values)
		fmt.Fprintf(r.Out, "alignment in chunks of %s: %.4f nats per pair before, %.4f after %d iterations, %d pairs skipped\n",
			sizes, values[0], values[len(values)-1], fit.Iterations(), len(fit.Skipped))
	}
}

// readable is the maximum number of symbols on each side of the pair to draw.
const readable = 20

// Alignment draws the alignment of the longest readable pair: the probability that a symbol of
// the source and a symbol of the target are in one chunk.
func Alignment(a *pairgram.Aligner, pairs []pairgram.Pair, source, target *fst.Symbols) (*figure.Figure, error) {
	longest, most := pairgram.Pair{}, 0
	for _, p := range pairs {
		if n := len(p.Source) + len(p.Target); n > most && max(len(p.Source), len(p.Target)) <= readable {
			longest, most = p, n
		}
	}
	posteriors, err := a.Posteriors(longest)
	if err != nil {
		return nil, err
	}
	columns, err := source.Decode(longest.Source)
	if err != nil {
		return nil, err
	}
	rows, err := target.Decode(longest.Target)
	if err != nil {
		return nil, err
	}
	return figure.Grid{
		Title: "Posteriors of the alignment", Row: "target", Column: "word", Rows: rows, Columns: columns,
		Value: func(row, column int) float64 { return posteriors.At(column, row) },
	}.Figure(), nil
}
