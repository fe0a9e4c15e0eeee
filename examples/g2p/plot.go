package main

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/examples/internal/figure"
	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/pairgram"
)

// drawCurve draws the log likelihood of a pair after each iteration of alignment.
func drawCurve(to *program.Output, t *trainer) error {
	p := plot.New()
	p.Title.Text = "EM alignment"
	p.X.Label.Text, p.Y.Label.Text = "iteration", "ln likelihood of a pair, nats"
	for i, fit := range t.fits {
		line := make(plotter.XYs, len(fit.Objective))
		for k, x := range fit.Objective {
			line[k] = plotter.XY{X: float64(k), Y: x / t.weight}
		}
		curve, points, err := plotter.NewLinePoints(line)
		if err != nil {
			return err
		}
		curve.Color, points.Color = plotutil.Color(i), plotutil.Color(i)
		p.Add(curve, points)
		p.Legend.Add(fmt.Sprint(t.aligners[i].Chunks().Sizes()), curve, points)
	}
	return figure.Write(to, p, 16*vg.Centimeter, 10*vg.Centimeter)
}

// drawChunks draws how probable the targets of one symbol are, given the symbol: dark is
// probable. Chunks of several symbols are left out.
func drawChunks(to *program.Output, a *pairgram.Aligner, s symbols) error {
	c := newChannel(a, s)
	p := plot.New()
	p.Title.Text = "Chunks: target symbol, given the symbol of the word"
	p.X.Label.Text, p.Y.Label.Text = "word", "target"
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks(s.word), ticks(s.target)
	p.Add(figure.Heat(c.columns, c.rows, c.at))
	const cell = .45 * vg.Centimeter
	return figure.Write(to, p, vg.Length(c.columns)*cell+3*vg.Centimeter, vg.Length(c.rows)*cell+3*vg.Centimeter)
}

// ticks are the names of symbols, ε first.
func ticks(s *fst.Symbols) plot.ConstantTicks {
	var all plot.ConstantTicks
	for label, name := range s.All() {
		if label == fst.Epsilon {
			name = "ε"
		}
		all = append(all, plot.Tick{Value: float64(label), Label: name})
	}
	return all
}

// channel holds the conditional probabilities of targets, 0 standing for none, by
// symbol of the word, 0 standing for insertions.
type channel struct {
	columns, rows int
	p             []float64
}

func newChannel(a *pairgram.Aligner, s symbols) *channel {
	c := &channel{columns: s.word.Len(), rows: s.target.Len()}
	c.p = make([]float64, c.columns*c.rows)
	sum := make([]float64, c.columns)
	for i, theta := range a.Theta {
		chunk := a.Chunks().All()[i]
		if len(chunk.Source) > 1 || len(chunk.Target) > 1 {
			continue
		}
		x, y := int32(0), int32(0)
		for _, l := range chunk.Source {
			x = l
		}
		for _, l := range chunk.Target {
			y = l
		}
		c.p[int(x)*c.rows+int(y)] += theta
		sum[x] += theta
	}
	for i := range c.p {
		if total := sum[i/c.rows]; total > 0 {
			c.p[i] /= total
		}
	}
	return c
}

// at returns the probability of a row's target, given a column's symbol.
func (c *channel) at(column, row int) float64 { return c.p[column*c.rows+row] }
