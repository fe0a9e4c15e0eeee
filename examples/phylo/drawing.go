package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// toDraw returns the first of the columns with most hidden cells among those where at
// least as many are observed.
func (d *data) toDraw() int {
	hidden := make([]int, d.seen.Columns())
	for _, c := range d.hidden {
		hidden[c.column]++
	}
	best, most := d.hidden[0].column, 0
	for j, n := range hidden {
		observed := 0
		for _, row := range d.seen.Rows {
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

// draw draws the tree with what is observed and what is predicted in one column. Branches
// are as long as in the tree that was fitted to single columns.
func (x *experiment) draw(d *data, t *phylo.Tree, predict predictor) error {
	column := d.toDraw()
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
			return err
		}
		p.Add(branch)
	}
	for v := range t.Nodes {
		text, c := d.caption(t, v, column, predict)
		labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at[v]}, Labels: []string{" " + text}})
		if err != nil {
			return err
		}
		labels.TextStyle[0].Color = c
		p.Add(labels)
	}
	p.X.Max = 1.4 * p.X.Max // room for the names
	return x.drawing.Draw(&figure.Figure{Plot: p, Width: 18 * vg.Centimeter, Height: vg.Length(2+len(t.Nodes)) * .7 * vg.Centimeter}, nil)
}

// caption says what is known of a node.
func (d *data) caption(t *phylo.Tree, v, column int, predict predictor) (string, color.Color) {
	if len(t.Nodes[v].Children) == 0 {
		if b, ok := d.seen.Rows[d.seen.Row(t.Nodes[v].Name)][column].Observed(); ok {
			return fmt.Sprintf("%c %s", msa.Bases[b], t.Nodes[v].Name), color.Black
		}
	}
	q := predict(v, column)
	best := argmax(q)
	text := fmt.Sprintf("%c %.2f %s", msa.Bases[best], q[best], t.Nodes[v].Name)
	for _, c := range d.hidden {
		if c.node == v && c.column == column && c.base != best {
			return fmt.Sprintf("%s (is %c)", text, msa.Bases[c.base]), color.RGBA{R: 0xc0, A: 0xff}
		}
	}
	return text, color.RGBA{B: 0xc0, A: 0xff}
}

// layout returns where nodes are drawn: x is the distance from the root, species are one
// below the other, and others in the middle of their children.
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
