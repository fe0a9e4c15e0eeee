package forest_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// Goroutines that share a Lanes, each with some columns, compute the same bits as one
// after the other.
func TestLanesConcurrentUse(t *testing.T) {
	const lanes, parts = 1000, 8
	tree := randomPhylogeny(30)
	leaf := tree.columns(lanes)
	f, leaves, table := tree.forest()
	l := must(forest.NewLanes(f, leaves))
	type result struct {
		total []semiring.ScaledFloat
		count [parts][]float64
	}
	run := func(start func(func())) (x result) {
		x.total = make([]semiring.ScaledFloat, lanes)
		for n := range parts {
			x.count[n] = make([]float64, len(table))
			start(func() {
				err := l.Counts(table, leaf, n*lanes/parts, (n+1)*lanes/parts, nil, x.count[n], x.total, new(forest.LanesScratch))
				if err != nil {
					t.Error(err)
				}
			})
		}
		return x
	}
	alone := run(func(part func()) { part() })
	var group sync.WaitGroup
	together := run(group.Go)
	group.Wait()
	if diff := cmp.Diff(alone, together, cmp.AllowUnexported(result{})); diff != "" {
		t.Error(diff)
	}
}
