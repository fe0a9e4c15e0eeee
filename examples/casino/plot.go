package main

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/models/hmm"
)

// draw draws the posterior of the loaded die along one evening, above bands where it
// was in use, if that is known, or else where it was decoded.
func (e *experiment) draw(s *hmm.Predictor[int32], evening hmm.Sequence[int32], decoded []int32) error {
	band := "loaded (decoded)"
	truth := decoded
	if evening.States != nil {
		band, truth = "loaded (true)", evening.States
	}
	posterior, err := s.Posteriors(hmm.Hide(evening)[0])
	if err != nil {
		return err
	}
	p := plot.New()
	p.Title.Text = "Which die was it?"
	p.X.Label.Text = "throw"
	p.Y.Label.Text = "P(loaded | all throws)"
	p.X.Min, p.X.Max = 0, float64(len(posterior)+1)
	p.Y.Min, p.Y.Max = 0, 1.25 // room for the legend
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: .5, Label: ".5"}, {Value: 1, Label: "1"}}
	p.Legend.Top = true
	line := make(plotter.XYs, len(posterior))
	for t, states := range posterior {
		line[t] = plotter.XY{X: float64(t + 1), Y: states[loaded]}
	}
	for i, run := range runs(truth) {
		area, err := plotter.NewPolygon(plotter.XYs{
			{X: run[0] + .5, Y: 0}, {X: run[1] + .5, Y: 0}, {X: run[1] + .5, Y: 1}, {X: run[0] + .5, Y: 1}})
		if err != nil {
			return err
		}
		area.Color = color.Gray{Y: 0xdd}
		area.LineStyle.Width = 0
		p.Add(area)
		if i == 0 {
			p.Legend.Add(band, area)
		}
	}
	curve, err := plotter.NewLine(line)
	if err != nil {
		return err
	}
	curve.Color = color.RGBA{B: 0xa0, A: 0xff}
	p.Add(curve)
	p.Legend.Add("posterior", curve)
	return e.plot.Draw(&figure.Figure{Plot: p, Width: 22 * vg.Centimeter, Height: 8 * vg.Centimeter}, nil)
}

// runs returns where the loaded die was in use, as half-open intervals of throws
// counted from 0.
func runs(states []int32) [][2]float64 {
	var out [][2]float64
	for t, die := range states {
		switch {
		case die != loaded:
		case t > 0 && states[t-1] == loaded:
			out[len(out)-1][1]++
		default:
			out = append(out, [2]float64{float64(t), float64(t + 1)})
		}
	}
	return out
}
