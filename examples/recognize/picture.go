package main

import (
	"cmp"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/models/ctc/decode"
	"example.org/pathsum/semiring/frames"
)

// picture has the parts of a drawing of a line: the image, if there is one, the probabilities of
// the symbols in each frame, and the text.
type picture struct {
	image     *image
	emissions *frames.Emissions
	names     []string // of the columns
	text      decode.Text
}

// newPicture returns a picture of the best of texts; m may be nil. The label of column v is v+1.
func newPicture(m *image, e *frames.Emissions, labels *fst.Symbols, texts ...decode.Text) *picture {
	p := &picture{image: m, emissions: e}
	for v := range e.Symbols() {
		name, _ := labels.Name(int32(v + 1))
		p.names = append(p.names, name)
	}
	if len(texts) > 0 {
		p.text = texts[0]
	}
	return p
}

// Sizes of a picture.
const (
	cell   = .16 * vg.Centimeter // of a frame and a symbol
	around = 2.5 * vg.Centimeter
)

// figure draws the picture: frames from left to right, the symbols from the bottom up in the order
// of their columns, and the labels of the text where they were read.
func (p *picture) figure() *figure.Figure {
	n, symbols := p.emissions.Frames(), p.emissions.Symbols()
	rows := symbols
	if p.image != nil {
		rows += 1 + height
	}
	plotted := plot.New()
	plotted.Title.Text = "read as: " + p.text.Text
	plotted.X.Label.Text, plotted.Y.Label.Text = "frames", "probabilities of the symbols"
	if p.image != nil {
		plotted.Y.Label.Text += ", and the image"
	}
	plotted.X.Padding, plotted.Y.Padding = 0, 0
	plotted.Add(figure.Heat(n, rows, func(column, row int) float64 {
		switch {
		case row < symbols:
			return min(1, math.Exp(p.emissions.Log(column, row)))
		case row == symbols:
			return 0
		}
		return p.image.at(column, row-symbols-1)
	}))
	var names, read plot.ConstantTicks
	for v, name := range p.names {
		names = append(names, plot.Tick{Value: float64(v), Label: cmp.Or(map[string]string{" ": "space"}[name], name)})
	}
	for _, s := range p.text.Pieces {
		read = append(read, plot.Tick{Value: float64(s.First+s.Last) / 2, Label: s.Name})
	}
	plotted.Y.Tick.Marker, plotted.X.Tick.Marker = names, read
	plotted.Y.Tick.Label.Font.Size = vg.Points(5)
	return &figure.Figure{Plot: plotted, Width: vg.Length(n)*cell + around, Height: vg.Length(rows)*cell + around}
}

// draw draws a picture if the flags ask for one.
func (f *flags) draw(p *picture) error {
	if !f.matrix.Given() {
		return nil
	}
	return f.matrix.Draw(p.figure(), nil)
}
