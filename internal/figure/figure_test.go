package figure_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/programtest"
)

// written runs a program that draws, and returns the name of its figure.
func written(t *testing.T, ending string, draw func(*program.Output) error) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "figure"+ending)
	p := program.New("draw", "draw draws.")
	to := p.Plot("a figure")
	var stderr bytes.Buffer
	p.Do(func(context.Context, *program.Run) error { return draw(to) })
	status := p.Execute(t.Context(), []string{"-plot", name}, new(bytes.Buffer), &stderr)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	return name
}

func TestLines(t *testing.T) {
	name := written(t, ".svg", func(to *program.Output) error {
		return to.Draw(figure.Lines("the title", "a value", program.Line{Name: "one", Values: []float64{1, math.NaN(), 3}},
			program.Line{Name: "two", First: 2, Values: []float64{math.Inf(-1), 2}}, program.Line{Name: "nothing", Values: []float64{math.NaN()}}))
	})
	programtest.Figure(t, name, "the title", "a value", "iteration", "one", "two")
	// A training without iterations has an empty figure.
	programtest.Figure(t, written(t, ".svg", func(to *program.Output) error { return to.Draw(figure.Lines("none", "")) }), "none")
}

// TestCurve: a program with a curve draws the objective of training.
func TestCurve(t *testing.T) {
	name := filepath.Join(t.TempDir(), "curve.svg")
	p := program.New("learn", "learn learns.")
	program.Define(p, program.Task[int, int]{
		Fit: func(_ context.Context, r *program.Run, _, _ int) error {
			r.Trained(program.Training{Objective: []float64{1, 2}})
			return nil
		},
		Curve: figure.Curve("nats"),
	})
	var stderr bytes.Buffer
	if status := p.Execute(t.Context(), []string{"-plot", name}, new(bytes.Buffer), &stderr); status != 0 {
		t.Fatal(stderr.String())
	}
	programtest.Figure(t, name, "Training", "iteration", "nats")
}

func TestIntegers(t *testing.T) {
	for _, x := range []struct {
		low, high float64
		want      string
	}{{0, 3, "[0 1 2 3]"}, {-1, 1.5, "[-1 0 1]"}, {1, 26, "[5 10 15 20 25]"}, {0, 200, "[0 20 40 60 80 100 120 140 160 180 200]"}, {2, 2, "[2]"}} {
		var got []string
		for _, tick := range figure.Integers.Ticks(x.low, x.high) {
			got = append(got, tick.Label)
		}
		if fmt.Sprint(got) != x.want {
			t.Errorf("from %g to %g: %s, want %s", x.low, x.high, got, x.want)
		}
	}
}

// Row 0 is at the top, and greater values are darker.
func TestGrid(t *testing.T) {
	g := figure.Grid{Title: "what", Row: "row", Column: "column", Rows: []string{"first", "second"}, Columns: []string{"left", "right, longer than a cell"},
		Value: func(row, column int) float64 { return float64(row) }}
	programtest.Figure(t, written(t, ".svg", func(to *program.Output) error { return to.Draw(g.Figure(), nil) }), "what", "row", "column", "first", "second", "left", "right")
	file, err := os.Open(written(t, ".png", func(to *program.Output) error { return to.Draw(g.Figure(), nil) }))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	// From above: white to the height of the second row, then black.
	x, black, first := picture.Bounds().Dx()-8, 0, 0
	for y := range picture.Bounds().Dy() {
		if r, _, _, _ := picture.At(x, y).RGBA(); r < 1<<12 {
			if black++; black == 1 {
				first = y
			}
		}
	}
	if black < 5 || first < black {
		t.Errorf("%d black pixels from %d on", black, first)
	}
}
