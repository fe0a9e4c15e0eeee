package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/internal/program"
)

// Curve returns the learning curve of a program. The axis is the vertical one, such as "log
// likelihood, nats".
func Curve(axis string) program.Curve {
	return program.Curve{Axis: axis, Draw: func(title, axis string, lines ...program.Line) (program.Drawing, error) {
		return Lines(title, axis, lines...)
	}}
}

// Lines draws values by iteration, each line with its own colour and marks. Values that are not
// finite are left out.
func Lines(title, value string, lines ...program.Line) (*Figure, error) {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = "iteration", value
	p.X.Tick.Marker = Integers
	p.Add(plotter.NewGrid())
	named, last, ended := 0, 0.0, 0.0
	for i, line := range lines {
		var at plotter.XYs
		for k, y := range line.Values {
			if !math.IsNaN(y) && !math.IsInf(y, 0) {
				at = append(at, plotter.XY{X: float64(line.First + k), Y: y})
			}
		}
		if len(at) == 0 {
			continue
		}
		curve, marks, err := plotter.NewLinePoints(at)
		if err != nil {
			return nil, err
		}
		curve.Color, marks.Color, marks.Shape = plotutil.Color(i), plotutil.Color(i), plotutil.Shape(i)
		p.Add(curve, marks)
		last += at[len(at)-1].Y
		ended++
		if line.Name != "" {
			p.Legend.Add(line.Name, curve, marks)
			named++
		}
	}
	if named > 0 {
		// The legend is on the right, where lines end, with separate room.
		room := (p.Y.Max - p.Y.Min) * float64(named) * .06
		if p.Legend.Top = last/ended < (p.Y.Min+p.Y.Max)/2; p.Legend.Top {
			p.Y.Max += room
		} else {
			p.Y.Min -= room
		}
	}
	return &Figure{p, 16 * vg.Centimeter, 10 * vg.Centimeter}, nil
}

// Integers marks whole numbers, at most a dozen.
var Integers plot.Ticker = integers{}

type integers struct{}

// Ticks returns the marks of an axis.
func (integers) Ticks(low, high float64) []plot.Tick {
	step := 1.0
	for i := 0; (high-low)/step > 12; i++ {
		step *= []float64{2, 2.5, 2}[i%3] // 1, 2, 5, 10, …
	}
	var ticks []plot.Tick
	for x := math.Ceil(low/step) * step; x <= high; x += step {
		ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'f', -1, 64)})
	}
	return ticks
}
