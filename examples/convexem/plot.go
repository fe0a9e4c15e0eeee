package main

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/figure"
)

// draw draws the relation of the first hidden variable between the training rows: to the
// left as the relaxation has it, to the right rounded. Rows are sorted by their rounded
// labels.
func draw(name string, o *outcome) error {
	p := plot.New()
	p.Title.Text = "Are two rows in the same class? relaxed (left), rounded (right)"
	p.HideAxes()
	labels := o.rounded.Labels[0]
	order := make([]int, len(labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(labels[i], labels[j]) })
	h := plotter.NewHeatMap(&pair{o.relaxed.Relations[0], labels, order}, greys())
	h.Min, h.Max = 0, 1
	p.Add(h)
	return figure.Write(name, p, 21*vg.Centimeter, 11*vg.Centimeter)
}

// greys goes from white to black.
func greys() palette.Palette {
	var c colors
	for i := range 64 {
		c = append(c, color.Gray{uint8(255 - i*255/63)})
	}
	return c
}

type colors []color.Color

// Colors returns them.
func (c colors) Colors() []color.Color { return c }

// pair is two square matrices side by side, a grid of numbers for the heat map.
type pair struct {
	relaxed *convex.Relation
	labels  []int
	order   []int // of the rows
}

// margin is the number of columns between the two.
const margin = 4

// Dims returns the columns and rows of the grid.
func (p *pair) Dims() (c, r int) { return 2*len(p.order) + margin, len(p.order) }

// X returns the place of a column.
func (p *pair) X(c int) float64 { return float64(c) }

// Y returns the place of a row.
func (p *pair) Y(r int) float64 { return float64(r) }

// Z returns an entry, from 0 to 1.
func (p *pair) Z(c, r int) float64 {
	t := len(p.order)
	i := p.order[t-1-r]
	switch {
	case c < t:
		return min(1, max(0, p.relaxed.At(i, p.order[c])))
	case c < t+margin || p.labels[i] != p.labels[p.order[c-t-margin]]:
		return 0
	}
	return 1
}
