package main

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
)

// plotCurves draws the accuracy by iteration, as in figure 3 of Liang, Klein and Jordan 2007: of
// independent training, of agreement with own and with averaged statistics, and of what was
// trained. A line is the single-column model.
func (x *experiment) plotCurves(ctx context.Context, r *program.Run, d *data, run *fitted, how string, singleColumn float64) error {
	ways := []string{independent, agreement, averaged}
	if how != single && !slices.Contains(ways, how) {
		ways = append(ways, how)
	}
	var lines []figure.Line
	for _, way := range ways {
		f := run
		if way != how {
			var err error
			if f, err = x.fitWindows(ctx, r, d, way, ""); err != nil {
				return err
			}
		}
		lines = append(lines, figure.Line{Name: way, First: 1, Values: percent(f.accuracy...)})
	}
	level := percent(slices.Repeat([]float64{singleColumn}, len(lines[0].Values))...)
	lines = append(lines, figure.Line{Name: "single columns", First: 1, Values: level})
	return x.plot.Draw(figure.Lines(fmt.Sprintf("%d hidden cells of %d columns", len(d.hidden), d.seen.Columns()), "predicted right, %", lines...))
}

// percent returns fractions in percent.
func percent(fractions ...float64) []float64 {
	return floats.ScaleTo(make([]float64, len(fractions)), 100, fractions)
}
