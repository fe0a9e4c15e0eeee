package soft_test

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/soft"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// topology returns the machine of CTC: it reads columns, of which the last is the blank, and writes
// labels.
func topology(columns int32) fst.Machine[weight] {
	one := semiring.NewScaled(1)
	final := map[int32]weight{}
	var arcs [][]fst.Arc[weight]
	for s := range columns { // state s > 0: the last frame was label s
		out := []fst.Arc[weight]{{In: columns, To: 0, Weight: one}}
		for v := int32(1); v < columns; v++ {
			if v == s {
				out = append(out, fst.Arc[weight]{In: v, To: v, Weight: one})
			} else {
				out = append(out, fst.Arc[weight]{In: v, Out: v, To: v, Weight: one})
			}
		}
		arcs = append(arcs, out)
		final[s] = one
	}
	return fst.FromArcs(semiring.Scaled{}, final, arcs...)
}

// BenchmarkTranscript measures sums over the paths of CTC that write a transcript, per cell (one of
// 2|y|+1 states after one frame): by a reader, and by composition with the soft string.
func BenchmarkTranscript(b *testing.B) {
	const n, columns, length = 500, 30, 100
	r := rand.New(rand.NewPCG(1, 5))
	e := randomEmissions(b, r, n, columns)
	y := make([]int32, length)
	for i := range y {
		y[i] = 1 + r.Int32N(columns-1)
	}
	both, err := fst.Connect[weight](fst.Compose(topology(columns), fst.FromString(semiring.Scaled{}, y)), nil)
	if err != nil {
		b.Fatal(err)
	}
	reader, err := soft.New(both, columns, nil)
	if err != nil {
		b.Fatal(err)
	}
	gamma, s := make([]float64, n*columns), new(frames.Scratch)
	for _, q := range []struct {
		name string
		ask  func() error
	}{
		{"New", func() error { _, err := soft.New(both, columns, nil); return err }},
		{"PathSum", func() error { _, err := reader.PathSum(e, s); return err }},
		{"Counts", func() error { _, err := reader.Counts(e, 1, frames.Parts{}, gamma, s); return err }},
		{"Best", func() error { _, err := reader.Best(e, s); return err }},
		{"composed, PathSum", func() error {
			_, err := fst.PathSum(fst.Compose(soft.Machine(semiring.Scaled{}, e), both), nil)
			return err
		}},
	} {
		b.Run(q.name, func(b *testing.B) {
			defer benchtime.Per(b, n*(2*length+1), "cell")()
			for b.Loop() {
				if err := q.ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
