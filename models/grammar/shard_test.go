package grammar

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/likelihoodtest"
)

// TestShards: training by single shards, each made by a loaded model that has no other
// sentences, has the bits of training.
func TestShards(t *testing.T) {
	data := randomSentences(rand.New(rand.NewPCG(3, 5)), 150, 2, 5)
	for _, k := range kinds {
		m := newTestModel(t, k, data, nil)
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatal(err)
		}
		load := func() *Model {
			loaded, err := Load(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			return loaded
		}
		worker, cut := load(), em.NewCut(len(data))
		shard := func(i int) (em.Divisible, error) {
			lo, hi := cut.Shard(i)
			l, err := worker.Shard(data[lo:hi])
			if err != nil {
				return nil, err
			}
			if l.Shards() != 1 {
				t.Errorf("%d shards, want 1", l.Shards())
			}
			return l.(em.Divisible), nil
		}
		head, err := load().Shard(data[:1])
		if err != nil {
			t.Fatal(err)
		}
		opts := &em.Options{Start: slices.Clone(m.Theta), Iterations: 4}
		got, err := em.Fit(t.Context(), likelihoodtest.Divided{Head: head.(em.Divisible), N: cut.Shards(), Shard: shard}, opts)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Fit(t.Context(), data, opts)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) {
			t.Errorf("%v: other bits: objectives %v, want %v", k, got.Objective, want.Objective)
		}
	}
}
