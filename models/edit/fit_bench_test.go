package edit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/models/pairgram"
)

// BenchmarkFit measures five iterations of EM from 2000 pairs of words, by a lattice for each
// pair and by grids where they are predicted to take less time.
func BenchmarkFit(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	alphabet := make([]int32, 20)
	for i := range alphabet {
		alphabet[i] = int32(i + 1)
	}
	var data []cascade.Example
	var pairs []Pair
	for _, w := range syllables(rng, 2000) {
		y := slices.Clone(w.Labels)
		for range 2 {
			y[rng.IntN(len(y))] = 1 + rng.Int32N(20)
		}
		data = append(data, cascade.Example{X: cascade.Labels(w.Labels...), Y: cascade.Labels(y...)})
		pairs = append(pairs, Pair{Source: w.Labels, Target: y})
	}
	var chunks []pairgram.Chunk
	for x := range int32(20) {
		chunks = append(chunks, pairgram.Chunk{Source: []int32{x + 1}}, pairgram.Chunk{Target: []int32{x + 1}})
		for y := range int32(20) {
			chunks = append(chunks, pairgram.Chunk{Source: []int32{x + 1}, Target: []int32{y + 1}})
		}
		chunks = append(chunks, pairgram.Chunk{Source: []int32{x + 1, 1 + (x+1)%20}, Target: []int32{x + 1}})
		chunks = append(chunks, pairgram.Chunk{Source: []int32{x + 1}, Target: []int32{1 + (x+1)%20, x + 1}})
	}
	type task struct {
		name string
		make func() (*Model, error)
		data []cascade.Example
	}
	tasks := []task{
		{"joint", func() (*Model, error) { return NewJoint(alphabet, alphabet, em.Multinomial{}) }, data},
		{"conditional", func() (*Model, error) { return NewConditional(alphabet, alphabet, em.Multinomial{}) }, data},
		{"chunks", func() (*Model, error) { return NewChunks(chunks, 0, em.Multinomial{}) }, data},
	}
	c, err := NewContextual(alphabet, pairs, nil)
	if err != nil {
		b.Fatal(err)
	}
	data = slices.Clone(data)
	for i, p := range pairs {
		labels, _ := c.trainer.contexts.labels(p.Source)
		data[i].X = cascade.Labels(labels...)
	}
	tasks = append(tasks, task{"contextual", func() (*Model, error) { return &c.Model, nil }, data})
	for _, t := range tasks {
		for _, way := range []cascade.Way{cascade.ByLattice, cascade.BySize} {
			b.Run(fmt.Sprintf("%s/%v", t.name, way), func(b *testing.B) {
				m, err := t.make()
				if err != nil {
					b.Fatal(err)
				}
				defer benchtime.Per(b, 1, "fit")()
				for b.Loop() {
					if _, err := m.Fit(b.Context(), cascade.Data{Examples: t.data, Way: way}, &em.Options{Iterations: 5, Tolerance: -1, Workers: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
