package kmeans_test

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/kmeans"
)

// TestCluster: groups that are far apart in one component are clusters, however large the
// numbers of the others are.
func TestCluster(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		k := 1 + rng.IntN(4)
		var x [][]float64
		for i := range 40 * k {
			x = append(x, []float64{100*float64(i%k) + rng.Float64(), 1e6})
		}
		of, err := kmeans.Cluster(x, k, rng)
		if err != nil {
			t.Fatal(err)
		}
		used := map[int]bool{}
		for i, c := range of {
			if c != of[i%k] {
				t.Errorf("seed %d: vector %d is in cluster %d, that of %d in %d", seed, i, c, i%k, of[i%k])
			}
			used[c] = true
		}
		if len(used) != k {
			t.Errorf("seed %d: %d clusters, want %d", seed, len(used), k)
		}
	}
	for _, x := range [][][]float64{nil, {{1, 2}, {1, 2}}} {
		if _, err := kmeans.Cluster(x, 2, rand.New(rand.NewPCG(1, 1))); err == nil {
			t.Errorf("no error for %v", x)
		}
	}
}
