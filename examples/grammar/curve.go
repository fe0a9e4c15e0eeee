package main

import (
	"math"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/grammar/treebank"
)

// curve holds how good the parses are after each iteration.
type curve struct {
	lines []line
}

type line struct {
	name  string
	value func(*treebank.Score) float64
	at    []float64
}

func newCurve() *curve {
	return &curve{[]line{
		{name: "F1", value: (*treebank.Score).F1},
		{name: "directed", value: (*treebank.Score).DirectedAccuracy},
		{name: "undirected", value: (*treebank.Score).UndirectedAccuracy},
	}}
}

// scores returns the values of all lines.
func scores(s *treebank.Score) []float64 {
	var all []float64
	for _, l := range newCurve().lines {
		all = append(all, l.value(s))
	}
	return all
}

// add adds the scores at the start of an iteration, from 0; none if they are not known.
func (c *curve) add(iteration int, scores []float64) {
	for i, y := range scores {
		for len(c.lines[i].at) < iteration {
			c.lines[i].at = append(c.lines[i].at, math.NaN())
		}
		c.lines[i].at = append(c.lines[i].at, y)
	}
}

// draw draws the lines that have points.
func (c *curve) draw(to *program.Output, model string) error {
	var lines []figure.Line
	for _, l := range c.lines {
		lines = append(lines, figure.Line{Name: l.name, Values: l.at})
	}
	return to.Draw(figure.Lines(model, "fraction", lines...))
}
