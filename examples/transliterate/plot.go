package main

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/examples/internal/figure"
	"example.org/pathsum/examples/internal/program"
)

// drawCurve draws the log likelihood of a pair in each iteration.
func drawCurve(to *program.Output, objective []float64, pairs int) error {
	p := plot.New()
	p.Title.Text = "Training"
	p.X.Label.Text, p.Y.Label.Text = "iteration", "ln likelihood of a pair, nats"
	line := make(plotter.XYs, len(objective))
	for i, x := range objective {
		line[i] = plotter.XY{X: float64(i + 1), Y: x / float64(pairs)}
	}
	curve, points, err := plotter.NewLinePoints(line)
	if err != nil {
		return err
	}
	p.Add(plotter.NewGrid(), curve, points)
	return figure.Write(to, p, 16*vg.Centimeter, 10*vg.Centimeter)
}

// drawChannel draws what letters become: the probability that each letter of the romaji
// is the first of what becomes of a letter, dark being probable.
func drawChannel(to *program.Output, c *cascade, letters []int32) error {
	g := newGrid(c, letters)
	p := plot.New()
	p.Title.Text = "The channel: first romaji, given the letter"
	p.X.Label.Text, p.Y.Label.Text = "letter", "romaji"
	p.X.Tick.Marker, p.Y.Tick.Marker = g.columns, g.rows
	p.Add(figure.Heat(len(g.columns), len(g.rows), func(c, r int) float64 { return g.p[c][r] }))
	const cell = .5 * vg.Centimeter
	return figure.Write(to, p, vg.Length(len(g.columns))*cell+3*vg.Centimeter, vg.Length(len(g.rows))*cell+3*vg.Centimeter)
}

// grid has a column per letter and a row per romaji, the last for none.
type grid struct {
	columns, rows plot.ConstantTicks
	p             [][]float64 // per column
}

func newGrid(c *cascade, letters []int32) *grid {
	g := &grid{}
	for _, r := range c.names() {
		g.rows = append(g.rows, plot.Tick{Value: float64(len(g.rows)), Label: string(r)})
	}
	g.rows = append(g.rows, plot.Tick{Value: float64(len(g.rows)), Label: "ε"})
	n := len(g.rows) - 1
	for i, l := range letters {
		name, _ := c.letters.Symbols.Name(l)
		g.columns = append(g.columns, plot.Tick{Value: float64(i), Label: name})
		theta, p := c.group(l).In(c.channel.Theta), make([]float64, n+1)
		p[n] = theta[0]
		for j := range n {
			p[j] = theta[1+j]
			for _, second := range theta[1+n*(1+j):][:n] {
				p[j] += second
			}
		}
		g.p = append(g.p, p)
	}
	return g
}
