package main

import (
	"context"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/moments"
)

// drawPasses draws the test accuracy after each pass of EM; pass 0 is the constrained
// estimate.
func drawPasses(file string, results []result) error {
	p := plot.New()
	p.Title.Text = "Tags from counts in regions"
	p.X.Label.Text, p.Y.Label.Text = "pass of EM (0: moments)", "test accuracy, %"
	p.Legend.Top = false
	lines := map[string]plotter.XYs{}
	var order []string
	for _, r := range results {
		name := fmt.Sprintf("%s, %d", r.Method, r.Size)
		switch {
		case r.Method == "constrained":
			name = fmt.Sprintf("EM from constrained, %d", r.Size)
		case r.Pass == 0:
			continue
		}
		if lines[name] == nil {
			order = append(order, name)
		}
		lines[name] = append(lines[name], plotter.XY{X: float64(r.Pass), Y: 100 * r.Test})
	}
	for i, name := range order {
		line, points, err := plotter.NewLinePoints(lines[name])
		if err != nil {
			return err
		}
		line.Color, points.Color, points.Shape = plotutil.Color(i/2), plotutil.Color(i/2), draw.CircleGlyph{}
		if i%2 == 1 {
			line.Dashes = plotutil.Dashes(1)
		}
		p.Add(line, points)
		p.Legend.Add(name, line)
	}
	return figure.Write(file, p, 18*vg.Centimeter, 11*vg.Centimeter)
}

// drawGeometry draws the simplex of the distributions of three values, the exponential
// family within it, an observed distribution of values that is not one of the family,
// and the line of all distributions of the same mean: where it meets the family is the
// moment estimate.
func drawGeometry(ctx context.Context, file string) error {
	phi := mat.NewDense(3, 1, []float64{5, 1, 0})
	family, err := moments.NewFamily(phi, nil)
	if err != nil {
		return err
	}
	r := []float64{.3, .2, .5}
	total := family.Mean(r)
	fit, err := moments.Fit(ctx, family.LogPartition(1), total, &moments.Options{Ridge: -1, Training: &em.Options{Tolerance: 1e-12}})
	if err != nil {
		return err
	}
	p := plot.New()
	p.Title.Text = "A moment estimate among three values, φ = 5, 1, 0"
	p.HideAxes()
	p.Legend.Top, p.Legend.Left, p.X.Min = true, true, -.4 // room for it
	curve := func(name string, c color.Color, points ...[]float64) error {
		xy := make(plotter.XYs, len(points))
		for i, q := range points {
			xy[i] = corner(q)
		}
		line, err := plotter.NewLine(xy)
		if err != nil {
			return err
		}
		line.Color = c
		p.Add(line)
		p.Legend.Add(name, line)
		return nil
	}
	var members [][]float64
	for k := -100; k <= 100; k++ {
		x := float64(k) / 100
		members = append(members, family.Probabilities([]float64{4 * math.Tan(1.5*x) / math.Tan(1.5)}))
	}
	gray, blue, red := color.Gray{Y: 0x80}, color.RGBA{B: 0xc0, A: 0xff}, color.RGBA{R: 0xc0, A: 0xff}
	for _, err := range []error{
		curve("distributions", gray, []float64{1, 0, 0}, []float64{0, 1, 0}, []float64{0, 0, 1}, []float64{1, 0, 0}),
		curve("exponential family", blue, members...),
		curve("distributions of the observed mean", red, ends(phi.RawMatrix().Data, total[0])...),
	} {
		if err != nil {
			return err
		}
	}
	for name, q := range map[string][]float64{"r": r, "p at the estimate": family.Probabilities(fit.Theta)} {
		labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{corner(q)}, Labels: []string{" " + name}})
		if err != nil {
			return err
		}
		points, err := plotter.NewScatter(plotter.XYs{corner(q)})
		if err != nil {
			return err
		}
		points.Shape = draw.CircleGlyph{}
		p.Add(points, labels)
	}
	return figure.Write(file, p, 14*vg.Centimeter, 12*vg.Centimeter)
}

// corner returns where p lies in a triangle.
func corner(p []float64) plotter.XY {
	return plotter.XY{X: p[0] + p[1]/2, Y: p[1] * math.Sqrt(3) / 2}
}

// ends returns the two distributions on the edges of the simplex that have the mean mu.
func ends(phi []float64, mu float64) [][]float64 {
	var out [][]float64
	for i := range phi {
		j := (i + 1) % len(phi)
		if share := (mu - phi[j]) / (phi[i] - phi[j]); share >= 0 && share <= 1 {
			q := make([]float64, len(phi))
			q[i], q[j] = share, 1-share
			out = append(out, q)
		}
	}
	return out
}
