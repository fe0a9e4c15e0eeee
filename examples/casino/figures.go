package main

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// drawCurve draws the log likelihood by iteration.
func drawCurve(name string, objective []float64) error {
	p := plot.New()
	p.Title.Text = "Training: the best start"
	p.X.Label.Text, p.Y.Label.Text = "iteration", "log likelihood, nats"
	points := make(plotter.XYs, len(objective))
	for i, y := range objective {
		points[i] = plotter.XY{X: float64(i + 1), Y: y}
	}
	if err := plotutil.AddLines(p, points); err != nil {
		return err
	}
	return p.Save(16*vg.Centimeter, 10*vg.Centimeter, name)
}
