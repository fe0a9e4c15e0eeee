package grid_test

import (
	"fmt"
	"math"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/grid"
)

// words are pairs of strings over 26 letters, the second a distortion of the first.
func words(pairs, length int) (words [][]int32) {
	r := graphtest.Rand(1)
	for range pairs {
		var x, y []int32
		for range length {
			a := 1 + r.Int32N(26)
			x = append(x, a)
			switch r.IntN(10) {
			case 0:
			case 1:
				y = append(y, a, 1+r.Int32N(26))
			case 2:
				y = append(y, 1+r.Int32N(26))
			default:
				y = append(y, a)
			}
		}
		words = append(words, x, y)
	}
	return words
}

// editor has states that all arcs of 26 letters lead from and to.
func editor(states int32) *relation {
	r := graphtest.Rand(2)
	f := &relation{states: int(states)}
	for x := range int32(27) {
		for y := range int32(27) {
			for p := range states {
				for q := range states {
					if x+y > 0 {
						f.arcs = append(f.arcs, grid.Arc{From: p, To: q, X: x, Y: y})
						f.weights.Arc = append(f.weights.Arc, semiring.NewScaled((.1+r.Float64())/float64(728*states)))
					}
				}
			}
		}
	}
	for range states {
		f.weights.Initial = append(f.weights.Initial, semiring.NewScaled(1/float64(states)))
		f.weights.Final = append(f.weights.Final, semiring.NewScaled(1))
	}
	var err error
	if f.machine, err = grid.New(f.states, f.arcs); err != nil {
		panic(err)
	}
	if err = f.machine.SetWeights(f.weights); err != nil {
		panic(err)
	}
	return f
}

// BenchmarkGrid measures queries about pairs of words, per arc of their grids.
func BenchmarkGrid(b *testing.B) {
	for _, c := range []struct {
		states        int32
		pairs, length int
	}{{1, 1000, 9}, {1, 1, 1000}, {1, 1, 10_000}, {3, 200, 9}, {3, 1, 500}, {27, 10, 9}} {
		f, data := editor(c.states), words(c.pairs, c.length)
		var s grid.Scratch
		arcs := int64(0)
		for k := 0; k < len(data); k += 2 {
			_, n := f.machine.GridSize(data[k], data[k+1], &s)
			arcs += n
		}
		count, change := f.zeros(), f.zeros()
		for _, q := range []struct {
			name string
			ask  func(x, y []int32) (weight, error)
		}{
			{"PathSum", func(x, y []int32) (weight, error) { return f.machine.PathSum(x, y, &s), nil }},
			{"Counts", func(x, y []int32) (weight, error) { return f.machine.Counts(x, y, 1, count, &s) }},
			{"HessianVector", func(x, y []int32) (weight, error) {
				return f.machine.HessianVector(x, y, grid.Parts{Arc: count.Arc}, 1, count, change, &s)
			}},
		} {
			if c.length > 1000 && q.name == "HessianVector" {
				continue
			}
			b.Run(fmt.Sprintf("states=%d/length=%d/%s", c.states, c.length, q.name), func(b *testing.B) {
				defer benchtime.Per(b, int(arcs), "arc")()
				for b.Loop() {
					for k := 0; k < len(data); k += 2 {
						if _, err := q.ask(data[k], data[k+1]); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}

// BenchmarkByHand measures the loop that someone would write for one state and short
// strings, and for nothing else.
func BenchmarkByHand(b *testing.B) {
	f, data := editor(1), words(1000, 9)
	var theta, count [27 * 27]float64
	for k, a := range f.arcs {
		theta[a.X*27+a.Y] = f.weights.Arc[k].Float64()
	}
	var s grid.Scratch
	arcs := int64(0)
	for k := 0; k < len(data); k += 2 {
		_, n := f.machine.GridSize(data[k], data[k+1], &s)
		arcs += n
	}
	defer benchtime.Per(b, int(arcs), "arc")()
	alpha, beta := make([]float64, 1000), make([]float64, 1000)
	for b.Loop() {
		nats := 0.0
		for k := 0; k < len(data); k += 2 {
			nats += math.Log(byHand(data[k], data[k+1], &theta, &count, alpha, beta))
		}
	}
}

// byHand adds the counts of one pair, and returns its probability.
func byHand(x, y []int32, theta, count *[27 * 27]float64, alpha, beta []float64) float64 {
	w := len(y) + 1
	for i := range len(x) + 1 {
		for j := range w {
			z := 0.
			if i == 0 && j == 0 {
				z = 1
			}
			if i > 0 {
				z += alpha[(i-1)*w+j] * theta[x[i-1]*27]
			}
			if j > 0 {
				z += alpha[i*w+j-1] * theta[y[j-1]]
			}
			if i > 0 && j > 0 {
				z += alpha[(i-1)*w+j-1] * theta[x[i-1]*27+y[j-1]]
			}
			alpha[i*w+j] = z
		}
	}
	total := alpha[len(x)*w+len(y)]
	for i := len(x); i >= 0; i-- {
		for j := len(y); j >= 0; j-- {
			z, a := 0., alpha[i*w+j]
			if i == len(x) && j == len(y) {
				z = 1 / total
			}
			if i < len(x) {
				e := x[i] * 27
				q := theta[e] * beta[(i+1)*w+j]
				z += q
				count[e] += a * q
			}
			if j < len(y) {
				e := y[j]
				q := theta[e] * beta[i*w+j+1]
				z += q
				count[e] += a * q
			}
			if i < len(x) && j < len(y) {
				e := x[i]*27 + y[j]
				q := theta[e] * beta[(i+1)*w+j+1]
				z += q
				count[e] += a * q
			}
			beta[i*w+j] = z
		}
	}
	return total
}

// Sums weight by weight: arcs lie too far apart for float64 numbers.
func BenchmarkFarApart(b *testing.B) {
	for _, states := range []int32{1, 3} {
		f, r := editor(states), graphtest.Rand(3)
		for k := range f.weights.Arc {
			f.weights.Arc[k] = f.weights.Arc[k].Mul(semiring.ScaledFromLog(-2000 * r.Float64()))
		}
		if err := f.machine.SetWeights(f.weights); err != nil {
			b.Fatal(err)
		}
		data := words(1, 100)
		x, y := data[0], data[1]
		var s grid.Scratch
		_, arcs := f.machine.GridSize(x, y, &s)
		count, change := f.zeros(), f.zeros()
		for name, run := range map[string]func() error{
			"PathSum":  func() error { f.machine.PathSum(x, y, &s); return nil },
			"Counts":   func() error { _, err := f.machine.Counts(x, y, 1, count, &s); return err },
			"BestPath": func() error { _, _, _, err := f.machine.BestPath(nil, x, y, &s); return err },
			"HessianVector": func() error {
				_, err := f.machine.HessianVector(x, y, grid.Parts{Arc: count.Arc}, 1, count, change, &s)
				return err
			},
		} {
			b.Run(fmt.Sprintf("%d/%s", states, name), func(b *testing.B) {
				defer benchtime.Per(b, int(arcs), "arc")()
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
