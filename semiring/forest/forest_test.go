package forest_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

func TestNewRefuses(t *testing.T) {
	type arrays struct{ edge, tail, tails []int32 }
	for _, test := range []struct {
		name string
		arrays
		weights, root int
		want          error
	}{
		{"no offsets", arrays{nil, []int32{0}, nil}, 0, 0, semiring.ErrShape},
		{"offsets that do not start at 0", arrays{[]int32{1, 1}, []int32{0, 0}, nil}, 1, 0, semiring.ErrShape},
		{"offsets that do not end with the edges", arrays{[]int32{0, 2}, []int32{0, 0}, nil}, 1, 0, semiring.ErrShape},
		{"decreasing offsets", arrays{[]int32{0, 2, 1}, []int32{0, 0}, nil}, 1, 0, semiring.ErrShape},
		{"a tail that is no node", arrays{[]int32{0, 1}, []int32{0, 1}, []int32{1}}, 1, 0, semiring.ErrShape},
		{"too few weights", arrays{[]int32{0, 1}, []int32{0, 0}, nil}, 0, 0, semiring.ErrShape},
		{"a root that is no node", arrays{[]int32{0, 1}, []int32{0, 0}, nil}, 1, 1, semiring.ErrShape},
	} {
		_, err := forest.New(semiring.Real{}, test.edge, test.tail, test.tails, make([]float64, test.weights),
			[]forest.Root[float64]{{Node: int32(test.root), Weight: 1}})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
		}
	}
}

func TestEmpty(t *testing.T) {
	f, err := forest.New(semiring.Real{}, []int32{0}, []int32{0}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sum := must(forest.TreeSum(f)); sum != 0 {
		t.Errorf("tree sum %v of no trees", sum)
	}
	in, out, err := forest.Outside(f)
	if len(in)+len(out) != 0 || err != nil {
		t.Errorf("inside %v, outside %v, %v", in, out, err)
	}
	p, err := forest.Posteriors(f)
	if err != nil || p.Total != 0 {
		t.Errorf("posteriors %v, %v", p, err)
	}
	best, err := forest.BestTree(forest.Map(f, semiring.Viterbi{}, semiring.NewScaled))
	if err != nil || best.Root != -1 || len(best.Edges) != 0 || !best.Weight.IsZero() {
		t.Errorf("best tree %v, %v", best, err)
	}
}

// ExampleFold writes the tree of a wide edge with brackets.
func ExampleFold() {
	// Nodes 0, 1, 2 are leaves; node 3 has one edge, number 3, to all of them.
	f, err := forest.New(semiring.Tropical{}, []int32{0, 1, 2, 3, 4}, []int32{0, 0, 0, 0, 3}, []int32{2, 0, 1},
		[]semiring.Cost{1, 2, 3, 4}, []forest.Root[semiring.Cost]{{Node: 3}})
	if err != nil {
		panic(err)
	}
	best, err := forest.BestTree(f)
	if err != nil {
		panic(err)
	}
	text := forest.Fold(f, best.Edges, func(edge int32, below []string) string {
		return fmt.Sprintf("%d%s", edge, below)
	})
	fmt.Println(best.Edges, best.Weight, text)
	// Output: [3 2 0 1] 10 3[2[] 0[] 1[]]
}

func TestFoldPanics(t *testing.T) {
	f, err := forest.New(semiring.Real{}, []int32{0, 1, 2, 3}, []int32{0, 0, 1, 1}, []int32{0}, []float64{1, 1, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, edges := range [][]int32{{1}, {0, 0}, {0, 1}, {1, 2}, {1, 1, 0, 0}} { // node 2 is no tail
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("edges %v pass for a tree", edges)
				}
			}()
			forest.Fold(f, edges, func(int32, []int) int { return 0 })
		}()
	}
}

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
