package forest_test

import (
	"sync"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// Forests that share a topology, fresh and without caches, are asked by several
// goroutines at once.
func TestConcurrentUse(t *testing.T) {
	f := foresttest.New(graphtest.Rand(3), semiring.Real{}, small, unit)
	viterbi := forest.Map(f, semiring.Viterbi{}, semiring.NewScaled)
	log := forest.Map(f, semiring.Log{}, semiring.Log{}.FromLog)
	trees, err := forest.BestTrees(viterbi)
	if err != nil {
		t.Fatal(err)
	}
	sampler := must(forest.NewSampler(f))
	var group sync.WaitGroup
	totals, counts := make([]float64, 8), make([]int, 8)
	for n := range totals {
		group.Go(func() {
			p, err := forest.Posteriors(f)
			if err != nil {
				t.Error(err)
				return
			}
			totals[n] = p.Total
			if _, _, err := forest.Outside(log); err != nil {
				t.Error(err)
			}
			if _, err := forest.Entropy(f); err != nil {
				t.Error(err)
			}
			if tree := sampler.Sample(graphtest.Rand(uint64(n))); tree.Root < 0 {
				t.Error("no tree is drawn")
			}
			for range trees {
				counts[n]++
			}
		})
	}
	group.Wait()
	for n := range totals {
		if totals[n] != totals[0] || counts[n] != counts[0] || counts[n] == 0 {
			t.Errorf("totals %v, numbers of trees %v", totals, counts)
		}
	}
}
