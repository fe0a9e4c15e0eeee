package forest_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// Of 60 random forests the counts of sampled trees fit their probabilities: a
// chi-square test at a level that one in a million of right samplers fails.
func TestSample(t *testing.T) {
	tested := 0
	withTrees(t, 60, func(r *rand.Rand, f *forest.Forest[float64], _ []outcome) {
		m := merged(f)
		want, total := map[string]float64{}, 0.0
		weight := map[string]float64{}
		for _, tree := range oracle.Trees(m) {
			want[key(tree)], weight[key(tree)] = tree.Weight, tree.Weight
			total += tree.Weight
		}
		s, err := forest.NewSampler(f)
		if err != nil {
			t.Fatal(err)
		}
		const n = 4000
		count := map[string]int{}
		for range n {
			tree := s.Sample(r)
			if w, ok := weight[key(tree)]; !ok || !near(w, tree.Weight) {
				t.Fatalf("tree %v, which weighs %v", tree, w)
			}
			count[key(tree)]++
		}
		// Rare trees are taken together.
		statistic, cells, rest, restCount := 0.0, 0, 0.0, 0
		for k, w := range want {
			if expected := w / total * n; expected >= 5 {
				d := float64(count[k]) - expected
				statistic += d * d / expected
				cells++
			} else {
				rest, restCount = rest+expected, restCount+count[k]
			}
		}
		if rest >= 5 {
			d := float64(restCount) - rest
			statistic += d * d / rest
			cells++
		}
		if cells < 2 {
			return
		}
		tested++
		if p := 1 - (distuv.ChiSquared{K: float64(cells - 1)}).CDF(statistic); p < 1e-6 {
			t.Errorf("χ² = %v of %d cells: probability %v", statistic, cells, p)
		}
	})
	if tested < 15 {
		t.Errorf("only %d forests with a choice", tested)
	}
}

func TestSampleRepeats(t *testing.T) {
	withTrees(t, 20, func(r *rand.Rand, f *forest.Forest[float64], _ []outcome) {
		s, err := forest.NewSampler(forest.Map(f, semiring.Scaled{}, semiring.NewScaled))
		if err != nil {
			t.Fatal(err)
		}
		a, b := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		for range 10 {
			if x, y := s.Sample(a), s.Sample(b); x.Root != y.Root || !slices.Equal(x.Edges, y.Edges) {
				t.Fatalf("trees %v and %v of the same random numbers", x, y)
			}
		}
	})
}
