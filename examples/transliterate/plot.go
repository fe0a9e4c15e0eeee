package main

import (
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
)

// drawCurve draws the log likelihood of a pair in each iteration.
func drawCurve(to *program.Output, objective []float64, pairs int) error {
	values := floats.ScaleTo(make([]float64, len(objective)), 1/float64(pairs), objective)
	return to.Draw(figure.Lines("Training", "ln likelihood of a pair, nats", figure.Line{First: 1, Values: values}))
}

// drawChannel draws what letters become: the probability that each letter of the romaji
// is the first of what becomes of a letter, dark being probable.
func drawChannel(to *program.Output, c *cascadeSystem, letters []int32) error {
	g := figure.Grid{Title: "The channel: first romaji, given the letter", Row: "romaji", Column: "letter"}
	for _, r := range c.names() {
		g.Rows = append(g.Rows, string(r))
	}
	n := len(g.Rows)
	g.Rows = append(g.Rows, "ε")
	var first [][]float64 // of each letter: the probability of each row
	for _, l := range letters {
		name, _ := c.letters.Symbols.Name(l)
		g.Columns = append(g.Columns, name)
		theta, p := c.group(l).In(c.channel.Theta), make([]float64, n+1)
		p[n] = theta[0]
		for j := range n {
			p[j] = theta[1+j] + floats.Sum(theta[1+n*(1+j):][:n])
		}
		first = append(first, p)
	}
	g.Value = func(row, column int) float64 { return first[column][row] }
	return to.Draw(g.Figure(), nil)
}
