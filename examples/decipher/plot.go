package main

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
)

// drawCurves draws the log likelihood of all starts by bigrams, and after the best of
// them by trigrams.
func drawCurves(to *program.Output, s *solution) error {
	p := plot.New()
	p.Title.Text = "Every start of the bigrams, and the trigrams after the best"
	p.X.Label.Text = "iteration"
	p.Y.Label.Text = "log likelihood"
	p.X.Tick.Marker = figure.Integers
	p.Legend.Top, p.Legend.Left = true, true
	add := func(objective []float64, from int, c color.Color, legend string) error {
		line := make(plotter.XYs, len(objective))
		for i, y := range objective {
			line[i] = plotter.XY{X: float64(from + i), Y: y}
		}
		l, err := plotter.NewLine(line)
		if err != nil {
			return err
		}
		l.Color = c
		p.Add(l)
		if legend != "" {
			p.Legend.Add(legend, l)
		}
		return nil
	}
	best := s.bigram.Start
	for i, start := range s.bigram.Starts {
		if i != best && len(start.Objective) > 0 {
			if err := add(start.Objective, 0, color.Gray{Y: 0xb0}, ""); err != nil {
				return err
			}
		}
	}
	if err := add(s.bigram.Objective, 0, color.Black, "bigrams, best start"); err != nil {
		return err
	}
	if err := add(s.trigram.Objective, len(s.bigram.Objective), color.RGBA{B: 0xa0, A: 0xff}, "trigrams"); err != nil {
		return err
	}
	return to.Draw(&figure.Figure{Plot: p, Width: 18 * vg.Centimeter, Height: 10 * vg.Centimeter}, nil)
}

// drawHeat draws the learnt probabilities of cipher letters (columns) given plain ones
// (rows), with the columns in the order of the key: the true one if it is known, or else
// the one that was found. What was learnt well is on the diagonal.
func drawHeat(to *program.Output, t *trial) error {
	var column [letters + 1]int // the cipher letter of each column, from 1
	for f := 1; f <= letters; f++ {
		column[t.key[f]] = f
	}
	order := "found"
	if t.secret != nil {
		order = "true"
		for e := 1; e <= letters; e++ {
			column[e] = int(t.secret[e])
		}
	}
	g := figure.Grid{Title: "√ p(cipher letter | plain letter)", Row: "plain letter", Column: "cipher letter, in the order of the " + order + " key"}
	for e := 1; e <= letters; e++ {
		g.Rows, g.Columns = append(g.Rows, text([]int32{int32(e)})), append(g.Columns, text([]int32{int32(column[e])}))
	}
	g.Value = func(row, c int) float64 { return math.Sqrt(t.trigram.learnt[row+1][column[c+1]]) }
	return to.Draw(g.Figure(), nil)
}
