package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/genomes"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// toDraw returns a column to draw: among the columns with at least as many observed as hidden
// cells, the first with the most hidden cells.
func toDraw(d *genomes.Data) int {
	hidden := make([]int, d.Seen.Columns())
	for _, c := range d.Hidden {
		hidden[c.Column]++
	}
	best, most := d.Hidden[0].Column, 0
	for j, n := range hidden {
		observed := 0
		for _, row := range d.Seen.Rows {
			if _, ok := row[j].Observed(); ok {
				observed++
			}
		}
		if n > most && observed >= n {
			best, most = j, n
		}
	}
	return best
}

// draw draws the tree with the observed and predicted bases of one column. Branches have the
// lengths of the tree fitted to single columns.
func draw(d *genomes.Data, from predictions) (*figure.Figure, error) {
	column, t := toDraw(d), from.tree
	at := layout(t)
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Column %d: observed (black), predicted (blue), predicted wrong (red)", column)
	p.HideAxes()
	for v, n := range t.Nodes {
		if v == t.Root() {
			continue
		}
		branch, err := plotter.NewLine(plotter.XYs{at[n.Parent], {X: at[n.Parent].X, Y: at[v].Y}, at[v]})
		if err != nil {
			return nil, err
		}
		p.Add(branch)
	}
	for v := range t.Nodes {
		text, c := caption(d, t, v, column, from.all)
		labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at[v]}, Labels: []string{" " + text}})
		if err != nil {
			return nil, err
		}
		labels.TextStyle[0].Color = c
		p.Add(labels)
	}
	p.X.Max = 1.4 * p.X.Max // room for the names
	return &figure.Figure{Plot: p, Width: 18 * vg.Centimeter, Height: vg.Length(2+len(t.Nodes)) * .7 * vg.Centimeter}, nil
}

// caption is the text of a node: the base that is known or predicted, and the name.
func caption(d *genomes.Data, t *phylo.Tree, v, column int, predict genomes.Predictor) (string, color.Color) {
	if len(t.Nodes[v].Children) == 0 {
		if b, ok := d.Seen.Rows[d.Seen.Row(t.Nodes[v].Name)][column].Observed(); ok {
			return fmt.Sprintf("%c %s", msa.Bases[b], t.Nodes[v].Name), color.Black
		}
	}
	q := predict(v, column)
	best := genomes.Best(q)
	text := fmt.Sprintf("%c %.2f %s", msa.Bases[best], q[best], t.Nodes[v].Name)
	for _, c := range d.Hidden {
		if c.Node == v && c.Column == column && c.Base != best {
			return fmt.Sprintf("%s (is %c)", text, msa.Bases[c.Base]), color.RGBA{R: 0xc0, A: 0xff}
		}
	}
	return text, color.RGBA{B: 0xc0, A: 0xff}
}

// layout returns the positions of nodes: x is the distance from the root, species are one below
// the other, and other nodes in the middle of their children.
func layout(t *phylo.Tree) plotter.XYs {
	at := make(plotter.XYs, len(t.Nodes))
	row := 0
	for v, n := range t.Nodes { // children before parents
		at[v].X = t.Distance(v, t.Root())
		if len(n.Children) == 0 {
			row--
			at[v].Y = float64(row)
			continue
		}
		at[v].Y = (at[n.Children[0]].Y + at[n.Children[len(n.Children)-1]].Y) / 2
	}
	return at
}
