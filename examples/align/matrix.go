package main

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/gold"
)

// readable is how many words the sentence that is drawn has at most, if there is one.
const readable = 20

// titleWidth is that of the figure's title.
const titleWidth = 14 * vg.Centimeter

// specimen returns the sentence to draw: the longest readable one with references,
// or else the first of the text.
func (d *data) specimen(text *align.Corpus) (align.Sentence, *gold.Reference) {
	from := d.test
	if len(from.sentences) == 0 {
		from = d.dev
	}
	best, most := -1, 0
	for i, s := range from.sentences {
		if n := len(s.Source) + len(s.Target); n > most && len(s.Source) <= readable && len(s.Target) <= readable {
			best, most = i, n
		}
	}
	if best >= 0 {
		return from.sentences[best], &from.references[best]
	}
	return text.Sentence(0), nil
}

// drawMatrix draws the posteriors of a sentence, the links chosen and, if they are
// known, those of the reference.
func (x *experiment) drawMatrix(a *aligner, d *data) error {
	s, reference := d.specimen(a.corpus)
	both, err := a.posteriors(s)
	if err != nil {
		return err
	}
	choice := combinations[*x.combine](both)
	grid, ok := choice.(*align.Posterior)
	if !ok {
		grid = align.Average(both.forward, both.backward)
	}
	p := newMatrix(s, grid)
	p.Title.Text = fmt.Sprintf("Posteriors of links; dots: chosen (%s, threshold %.3f)", *x.combine, a.threshold)
	if reference != nil {
		p.Title.Text += "\nframes: reference, thick sure, thin possible"
		p.Add(frames{grid, reference.Sure, draw.LineStyle{Color: color.RGBA{G: 0x80, A: 0xff}, Width: vg.Points(2)}})
		p.Add(frames{grid, reference.Possible, draw.LineStyle{Color: color.RGBA{G: 0x80, A: 0xff}, Width: vg.Points(.5)}})
	}
	if err := addDots(p, grid, choice.Align(a.threshold)); err != nil {
		return err
	}
	const cell = .75 * vg.Centimeter
	width, height := vg.Length(grid.Target)*cell+4*vg.Centimeter, vg.Length(grid.Source)*cell+4*vg.Centimeter
	return x.plot.Draw(&figure.Figure{Plot: p, Width: max(width, titleWidth), Height: height}, nil)
}

// newMatrix returns a plot of the posteriors, white 0 and dark 1, with the words of E
// down the side and those of F along the bottom.
func newMatrix(s align.Sentence, grid *align.Posterior) *plot.Plot {
	p := plot.New()
	p.X.Min, p.X.Max = -.5, float64(grid.Target)-.5
	p.Y.Min, p.Y.Max = -.5, float64(grid.Source)-.5
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Length, p.Y.Tick.Length = 0, 0
	var columns, rows plot.ConstantTicks
	for f, word := range s.Target {
		columns = append(columns, plot.Tick{Value: float64(f), Label: word + " "})
	}
	for e, word := range s.Source {
		rows = append(rows, plot.Tick{Value: y(grid, e), Label: " " + word + " "})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = columns, rows
	p.X.Tick.Label.Rotation = math.Pi / 3
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YTop
	p.Add(cells{grid})
	return p
}

// y returns where the row of word e of E is: the first is on top.
func y(grid *align.Posterior, e int) float64 { return float64(grid.Source - 1 - e) }

// cells fills a square for each link.
type cells struct{ *align.Posterior }

// Plot implements plot.Plotter.
func (g cells) Plot(c draw.Canvas, p *plot.Plot) {
	for e := range g.Source {
		for f, x := range g.Row(e) {
			// Dark blue at 1; the square root shows small posteriors, too.
			level := 1 - math.Sqrt(min(max(x, 0), 1))
			fill := color.RGBA{R: uint8(40 + 215*level), G: uint8(70 + 185*level), B: uint8(140 + 115*level), A: 0xff}
			c.FillPolygon(fill, square(c, p, g.Posterior, align.Link{Source: e, Target: f}, 0))
		}
	}
}

// frames draws a frame around links.
type frames struct {
	grid  *align.Posterior
	links align.Alignment
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (g frames) Plot(c draw.Canvas, p *plot.Plot) {
	for _, l := range g.links {
		corners := square(c, p, g.grid, l, vg.Points(1.5))
		c.StrokeLines(g.style, append(corners, corners[0], corners[1]))
	}
}

// square returns the corners of a link's square, moved inwards.
func square(c draw.Canvas, p *plot.Plot, grid *align.Posterior, l align.Link, in vg.Length) []vg.Point {
	toX, toY := p.Transforms(&c)
	left, right := toX(float64(l.Target)-.5)+in, toX(float64(l.Target)+.5)-in
	bottom, top := toY(y(grid, l.Source)-.5)+in, toY(y(grid, l.Source)+.5)-in
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}

// addDots marks the links that were chosen.
func addDots(p *plot.Plot, grid *align.Posterior, links align.Alignment) error {
	if len(links) == 0 {
		return nil
	}
	var at plotter.XYs
	for _, l := range links {
		at = append(at, plotter.XY{X: float64(l.Target), Y: y(grid, l.Source)})
	}
	dots, err := plotter.NewScatter(at)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: color.RGBA{R: 0xe0, G: 0x60, A: 0xff}, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}
	p.Add(dots)
	return nil
}
