package main

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/moments"
)

func main() { newProgram().Main() }

func newProgram() *program.Program {
	p := program.New("countsgeometry", "countsgeometry draws a moment estimate among three values, and its rival.",
		"go run ./internal/experiments/countsgeometry",
		"go run ./internal/experiments/countsgeometry -plot geometry.svg")
	plot := p.Plot("the simplex of distributions, the family and the estimates")
	p.Do(func(ctx context.Context, r *program.Run) error {
		g, err := newGeometry(ctx)
		if err != nil {
			return err
		}
		rows := [][]string{append([]string{"φ"}, format(values)...)}
		for _, x := range g.estimates() {
			rows = append(rows, append([]string{x.name}, format(x.p)...))
			r.Set(x.key, x.p)
		}
		program.WriteTable(r.Out, rows)
		if !plot.Given() {
			return nil
		}
		return plot.Draw(g.draw())
	})
	return p
}

// format returns numbers with four decimals.
func format(p []float64) []string {
	var all []string
	for _, x := range p {
		all = append(all, fmt.Sprintf("%.4f", x))
	}
	return all
}

// geometry has the estimates of a distribution of three values that are observed through a
// noisy channel, in a family that does not contain the truth.
type geometry struct {
	family *moments.Family
	// The distribution that explains the observations, the member of the family with the same
	// mean, and the member that makes the observations most probable.
	explains, moment, marginal []float64
}

// estimate is a distribution with its title and its key in the JSON object.
type estimate struct {
	name, key string
	p         []float64
}

func (g *geometry) estimates() []estimate {
	return []estimate{
		{"what explains the observations", "explains", g.explains},
		{"moment estimate", "moment", g.moment},
		{"maximum of the marginal likelihood", "marginal", g.marginal},
	}
}

// values has the statistic of each value.
var values = []float64{5, 1, 0}

func newGeometry(ctx context.Context) (*geometry, error) {
	family, err := moments.NewFamily(mat.NewDense(3, 1, values), nil)
	if err != nil {
		return nil, err
	}
	channel, err := moments.NewChannel(mat.NewDense(3, 3, []float64{
		.6, .1, .1,
		.1, .8, .4,
		.3, .1, .5,
	}))
	if err != nil {
		return nil, err
	}
	seen := channel.Output([]float64{.35, .1, .55})
	r, err := channel.Project(seen, 1e-12, 10000)
	if err != nil {
		return nil, err
	}
	exactly := &em.Options{Method: em.LBFGS{}, Tolerance: 1e-12}
	moment, err := moments.Fit(ctx, family.LogPartition(1), family.Mean(r.R), &moments.Options{Ridge: -1, Training: exactly})
	if err != nil {
		return nil, err
	}
	l, err := family.MarginalLikelihood(channel, seen)
	if err != nil {
		return nil, err
	}
	marginal, err := em.Fit(ctx, l, exactly)
	if err != nil {
		return nil, err
	}
	return &geometry{family, r.R, family.Probabilities(moment.Theta), family.Probabilities(marginal.Theta)}, nil
}

// draw draws the simplex of the distributions, the family within it, and the line of all
// distributions with one mean, which meets the family at the moment estimate.
func (g *geometry) draw() (*figure.Figure, error) {
	p := plot.New()
	p.Title.Text = "Two estimates of three values, φ = 5, 1, 0"
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
	point := func(name string, c color.Color, q []float64) error {
		points, err := plotter.NewScatter(plotter.XYs{corner(q)})
		if err != nil {
			return err
		}
		points.Shape, points.Color = draw.CircleGlyph{}, c
		p.Add(points)
		p.Legend.Add(name, points)
		return nil
	}
	var members [][]float64
	for k := -100; k <= 100; k++ {
		members = append(members, g.family.Probabilities([]float64{4 * math.Tan(.015*float64(k)) / math.Tan(1.5)}))
	}
	gray, blue, red, green := color.Gray{Y: 0x80}, color.RGBA{B: 0xc0, A: 0xff}, color.RGBA{R: 0xc0, A: 0xff}, color.RGBA{G: 0x90, A: 0xff}
	err := errors.Join(
		curve("distributions", gray, []float64{1, 0, 0}, []float64{0, 1, 0}, []float64{0, 0, 1}, []float64{1, 0, 0}),
		curve("exponential family", blue, members...),
		curve("distributions of one mean", red, ends(g.family.Mean(g.explains)[0])...),
	)
	for i, x := range g.estimates() {
		err = errors.Join(err, point(x.name, []color.Color{color.Black, red, green}[i], x.p))
	}
	return &figure.Figure{Plot: p, Width: 15 * vg.Centimeter, Height: 12 * vg.Centimeter}, err
}

// corner returns the position of p in a triangle.
func corner(p []float64) plotter.XY {
	return plotter.XY{X: p[0] + p[1]/2, Y: p[1] * math.Sqrt(3) / 2}
}

// ends returns the two distributions on the edges of the simplex that have the mean mu.
func ends(mu float64) [][]float64 {
	var out [][]float64
	for i, x := range values {
		j := (i + 1) % len(values)
		if share := (mu - values[j]) / (x - values[j]); share >= 0 && share <= 1 {
			q := make([]float64, len(values))
			q[i], q[j] = share, 1-share
			out = append(out, q)
		}
	}
	return out
}
