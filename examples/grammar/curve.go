package main

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/examples/internal/figure"
	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/models/grammar/treebank"
)

// curve holds how good the parses are after each iteration.
type curve struct {
	lines []line
}

type line struct {
	name  string
	value func(*treebank.Score) float64
	color color.Color
	at    plotter.XYs
}

func newCurve() *curve {
	return &curve{[]line{
		{name: "F1", value: (*treebank.Score).F1, color: color.RGBA{B: 0xa0, A: 0xff}},
		{name: "directed", value: (*treebank.Score).DirectedAccuracy, color: color.RGBA{R: 0xc0, G: 0x40, A: 0xff}},
		{name: "undirected", value: (*treebank.Score).UndirectedAccuracy, color: color.RGBA{G: 0x80, A: 0xff}},
	}}
}

// scores returns the values of all lines.
func scores(s *treebank.Score) []float64 {
	var all []float64
	for _, l := range newCurve().lines {
		all = append(all, l.value(s))
	}
	return all
}

// add adds the scores at the start of an iteration, from 0; none if they are not known.
func (c *curve) add(iteration int, scores []float64) {
	for i, y := range scores {
		if y == y {
			c.lines[i].at = append(c.lines[i].at, plotter.XY{X: float64(iteration), Y: y})
		}
	}
}

// draw draws the lines that have points.
func (c *curve) draw(to *program.Output, model string) error {
	p := plot.New()
	p.Title.Text = model
	p.X.Label.Text, p.Y.Label.Text = "iterations", "fraction"
	p.Y.Min, p.Y.Max = 0, 1
	for _, l := range c.lines {
		if len(l.at) == 0 {
			continue
		}
		x, err := plotter.NewLine(l.at)
		if err != nil {
			return err
		}
		x.Color = l.color
		p.Add(x)
		p.Legend.Add(l.name, x)
	}
	return figure.Write(to, p, 16*vg.Centimeter, 10*vg.Centimeter)
}
