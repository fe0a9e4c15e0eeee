package main

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/internal/figure"
)

// points are a curve with bars of one standard deviation to both sides.
type points struct {
	plotter.XYs
	plotter.YErrors
}

// draw draws R² by ε, a curve for each mechanism, and a line for no privacy.
func (s *summary) draw(e *experiment) (*figure.Figure, error) {
	p := plot.New()
	p.Title.Text = "Regression from private statistics"
	p.X.Label.Text = "ε"
	p.Y.Label.Text = "R² of rows held out"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.ConstantTicks(ticks(*e.epsilons))
	p.Add(plotter.NewGrid())
	for i, m := range e.mechanisms {
		var c points
		for j, x := range s.private[i] {
			c.XYs = append(c.XYs, plotter.XY{X: (*e.epsilons)[j], Y: x.R2.Mean})
			c.YErrors = append(c.YErrors, struct{ Low, High float64 }{x.R2.SD, x.R2.SD})
		}
		line, marks, err := plotter.NewLinePoints(c)
		if err != nil {
			return nil, err
		}
		bars, err := plotter.NewYErrorBars(c)
		if err != nil {
			return nil, err
		}
		line.Color, marks.Color, bars.Color = plotutil.Color(i), plotutil.Color(i), plotutil.Color(i)
		marks.Shape = plotutil.Shape(i)
		p.Add(line, marks, bars)
		p.Legend.Add(m, line, marks)
	}
	free := plotter.NewFunction(func(float64) float64 { return s.free.R2.Mean })
	free.Dashes = plotutil.Dashes(1)
	p.Add(free)
	p.Legend.Add("without privacy", free)
	p.Legend.Left, p.Legend.Top = true, true
	p.Y.Max = max(p.Y.Max, s.free.R2.Mean)
	p.Y.Max += .4 * (p.Y.Max - p.Y.Min) // room for the legend
	return &figure.Figure{Plot: p, Width: 16 * vg.Centimeter, Height: 11 * vg.Centimeter}, nil
}

func ticks(at []float64) []plot.Tick {
	var t []plot.Tick
	for _, x := range at {
		t = append(t, plot.Tick{Value: x, Label: fmt.Sprint(x)})
	}
	return t
}
