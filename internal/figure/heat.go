package figure

import (
	"image/color"

	"gonum.org/v1/plot/plotter"
)

// Heat returns the heat map of a grid of values, from white for 0 to black for 1. Columns and
// rows lie at 0, 1, …, row 0 at the bottom.
func Heat(columns, rows int, value func(column, row int) float64) *plotter.HeatMap {
	h := plotter.NewHeatMap(&grid{columns, rows, value}, greys())
	h.Min, h.Max = 0, 1
	return h
}

type grid struct {
	columns, rows int
	value         func(column, row int) float64
}

// Dims returns the numbers of columns and rows.
func (g *grid) Dims() (columns, rows int) { return g.columns, g.rows }

// X returns the position of a column.
func (g *grid) X(column int) float64 { return float64(column) }

// Y returns the position of a row.
func (g *grid) Y(row int) float64 { return float64(row) }

// Z returns the value of a cell.
func (g *grid) Z(column, row int) float64 { return g.value(column, row) }

// greys goes from white to black.
func greys() colors {
	var c colors
	for i := range 64 {
		c = append(c, color.Gray{uint8(255 - i*255/63)})
	}
	return c
}

type colors []color.Color

// Colors returns the colours.
func (c colors) Colors() []color.Color { return c }
