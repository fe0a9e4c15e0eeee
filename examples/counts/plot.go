package main

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
)

// draw draws the test accuracy after each pass of EM by beam, a colour for each size of
// regions, dashed from the start that the moments make; its pass 0 is that start.
func (all results) draw(to *program.Output) error {
	p := plot.New()
	p.Title.Text = "Tags from counts in regions"
	p.X.Label.Text, p.Y.Label.Text = "pass of EM (0: moments)", "test accuracy, %"
	p.Legend.Top = false
	type curve struct {
		size int
		warm bool
	}
	points := map[curve]plotter.XYs{}
	var order []curve
	for _, r := range all {
		c := curve{r.Size, r.Method != cold}
		if r.Method != cold && r.Method != warm && r.Method != constrained {
			continue
		}
		if points[c] == nil {
			order = append(order, c)
		}
		points[c] = append(points[c], plotter.XY{X: float64(r.Pass), Y: 100 * r.Test})
	}
	for i, c := range order {
		line, marks, err := plotter.NewLinePoints(points[c])
		if err != nil {
			return err
		}
		line.Color, marks.Color, marks.Shape = plotutil.Color(i/2), plotutil.Color(i/2), draw.CircleGlyph{}
		name := fmt.Sprint("EM, regions of ", c.size)
		if c.warm {
			line.Dashes = plotutil.Dashes(1)
			name = fmt.Sprint("from the moments, ", c.size)
		}
		p.Add(line, marks)
		p.Legend.Add(name, line)
	}
	return to.Draw(&figure.Figure{Plot: p, Width: 18 * vg.Centimeter, Height: 11 * vg.Centimeter}, nil)
}
