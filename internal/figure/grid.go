package figure

import (
	"image/color"
	"math"
	"slices"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Grid is a heat map with a name for each row and column, such as a table of confusions.
type Grid struct {
	Title, Row, Column string                        // titles of the whole, of rows and of columns
	Rows, Columns      []string                      // names, from the top and from the left
	Value              func(row, column int) float64 // from 0, white, to 1, black

	// Cells to mark: with a dot, with a frame, and with a thin frame.
	Dots, Frames, Thin []Cell
}

// Cell is a cell of a Grid.
type Cell struct{ Row, Column int }

// Sizes of a grid.
const (
	cell      = .5 * vg.Centimeter
	around    = 2.5 * vg.Centimeter // titles and ticks
	character = .2 * vg.Centimeter  // of a name
)

// Figure draws the grid.
func (g Grid) Figure() *Figure {
	p := plot.New()
	p.Title.Text = g.Title
	p.X.Label.Text, p.Y.Label.Text = g.Column, g.Row
	p.X.Tick.Length, p.Y.Tick.Length = 0, 0
	p.X.Padding, p.Y.Padding = 0, 0
	rows := slices.Clone(g.Rows)
	slices.Reverse(rows) // the y axis goes upward
	p.X.Tick.Marker, p.Y.Tick.Marker = names(g.Columns, ""), names(rows, " ")
	wide := vg.Length(longest(g.Columns))*character > cell
	if wide {
		p.X.Tick.Marker = names(g.Columns, "  ") // off the grid
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
	}
	p.Add(Heat(len(g.Columns), len(rows), func(c, r int) float64 { return g.Value(len(rows)-1-r, c) }))
	for _, c := range g.Frames {
		p.Add(frame(g.middle(c), 2))
	}
	for _, c := range g.Thin {
		p.Add(frame(g.middle(c), .5))
	}
	if len(g.Dots) > 0 {
		p.Add(g.dots())
	}
	width := vg.Length(len(g.Columns))*cell + vg.Length(longest(rows))*character + around
	height := vg.Length(len(rows))*cell + around
	if wide {
		height += vg.Length(longest(g.Columns)) * character
	}
	title := vg.Length(utf8.RuneCountInString(g.Title))*character + around
	return &Figure{p, max(width, title), height}
}

// middle returns the position of the middle of a cell.
func (g Grid) middle(c Cell) plotter.XY {
	return plotter.XY{X: float64(c.Column), Y: float64(len(g.Rows) - 1 - c.Row)}
}

// frame returns a green frame just inside a cell.
func frame(at plotter.XY, width float64) *plotter.Line {
	const half = .44
	var line plotter.XYs
	for _, side := range [][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		line = append(line, plotter.XY{X: at.X + half*side[0], Y: at.Y + half*side[1]})
	}
	return &plotter.Line{XYs: line, LineStyle: draw.LineStyle{Color: color.RGBA{G: 0x90, A: 0xff}, Width: vg.Points(width)}}
}

// dots returns orange dots, which are visible on black and on white.
func (g Grid) dots() *plotter.Scatter {
	var at plotter.XYs
	for _, c := range g.Dots {
		at = append(at, g.middle(c))
	}
	style := draw.GlyphStyle{Color: color.RGBA{R: 0xe0, G: 0x60, A: 0xff}, Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
	return &plotter.Scatter{XYs: at, GlyphStyle: style}
}

// names returns ticks with names, each followed by behind, at 0, 1, …
func names(all []string, behind string) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i, name := range all {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name + behind})
	}
	return ticks
}

// longest returns the number of characters of the longest name.
func longest(names []string) int {
	n := 0
	for _, name := range names {
		n = max(n, utf8.RuneCountInString(name))
	}
	return n
}
