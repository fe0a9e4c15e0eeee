package main

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/examples/internal/figure"
	"example.org/pathsum/examples/internal/program"
)

// plotCurves draws the accuracy by iteration, as in figure 3 of Liang, Klein and Jordan 2007: of
// independent training, of agreement with own and with averaged statistics, and of what was
// trained. A line is the single-column model.
func (x *experiment) plotCurves(ctx context.Context, r *program.Run, d *data, run *fitted, how string, singleColumn float64) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%d hidden cells of %d columns", len(d.hidden), d.seen.Columns())
	p.X.Label.Text, p.Y.Label.Text = "iteration", "predicted right, %"
	ways := []string{independent, agreement, averaged}
	if how != single && !slices.Contains(ways, how) {
		ways = append(ways, how)
	}
	for i, way := range ways {
		f := run
		if way != how {
			var err error
			if f, err = x.fitWindows(ctx, r, d, way, ""); err != nil {
				return err
			}
		}
		at := make(plotter.XYs, len(f.accuracy))
		for n, a := range f.accuracy {
			at[n] = plotter.XY{X: float64(n + 1), Y: 100 * a}
		}
		line, points, err := plotter.NewLinePoints(at)
		if err != nil {
			return err
		}
		line.Color, points.Color, points.Shape = plotutil.Color(i), plotutil.Color(i), plotutil.Shape(i)
		p.Add(line, points)
		p.Legend.Add(way, line, points)
	}
	level := plotter.NewFunction(func(float64) float64 { return 100 * singleColumn })
	level.Dashes = plotutil.Dashes(1)
	p.Add(level)
	p.Legend.Add("single columns", level)
	p.Y.Min, p.Y.Max = min(p.Y.Min, 100*singleColumn), max(p.Y.Max, 100*singleColumn)
	return figure.Write(x.plot, p, 16*vg.Centimeter, 10*vg.Centimeter)
}
