package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// predictor returns the probabilities of the bases at a node of the tree and a column.
type predictor func(node, column int) [msa.NumBases]float64

// argmax returns the first of the greatest.
func argmax(q [msa.NumBases]float64) int { return slices.Index(q[:], slices.Max(q[:])) }

// accuracy returns the share of hidden cells that are predicted right.
func (d *data) accuracy(predict predictor) float64 {
	right := 0
	for _, c := range d.hidden {
		if argmax(predict(c.node, c.column)) == c.base {
			right++
		}
	}
	return float64(right) / float64(len(d.hidden))
}

// nearest predicts the base of the nearest species, by the branch lengths of a tree, that
// has one in the column; where none has, the most frequent base.
func nearest(d *data, t *phylo.Tree) predictor {
	species := t.Species()
	order := make([][]int, len(t.Nodes)) // rows, for each species
	for _, v := range species {
		others := slices.Clone(species)
		slices.SortStableFunc(others, func(a, b int) int {
			return cmp.Compare(t.Distance(v, a), t.Distance(v, b))
		})
		for _, u := range others {
			order[v] = append(order[v], d.seen.Row(t.Nodes[u].Name))
		}
	}
	frequencies := d.seen.Frequencies()
	return func(node, column int) (q [msa.NumBases]float64) {
		for _, row := range order[node] {
			if b, ok := d.seen.Rows[row][column].Observed(); ok {
				q[b] = 1
				return q
			}
		}
		return frequencies
	}
}

// write writes the predictions.
func (d *data) write(w io.Writer, predict predictor) error {
	b := bufio.NewWriter(w)
	for _, c := range d.hidden {
		q := predict(c.node, c.column)
		best := argmax(q)
		fmt.Fprintf(b, "%d\t%s\t%c\t%.4f\n", c.column, d.tree.Nodes[c.node].Name, msa.Bases[best], q[best])
	}
	return b.Flush()
}
