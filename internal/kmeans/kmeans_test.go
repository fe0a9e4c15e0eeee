package kmeans_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/kmeans"
)

// TestCluster: groups that are separated in one component are clusters, for any scale of the
// other components.
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

// TestDivide: for a few weighted points, some of which are known, many starts usually find the
// best of all divisions, and always a good one.
func TestDivide(t *testing.T) {
	found := 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		const n, k = 7, 3
		p := kmeans.Points{Weight: make([]float64, n), Known: make([]int, n)}
		for i := range n {
			p.X = append(p.X, []float64{rng.NormFloat64(), rng.NormFloat64()})
			p.Weight[i], p.Known[i] = 1+9*rng.Float64(), -1
		}
		p.Known[rng.IntN(n)] = int(seed % k)
		best := math.Inf(1)
		of := make([]int, n)
		for code := range int(math.Pow(k, n)) {
			fits := true
			for i := range of {
				of[i], code = code%k, code/k
				fits = fits && (p.Known[i] < 0 || p.Known[i] == of[i])
			}
			if fits {
				best = min(best, loss(p, of, k))
			}
		}
		of, ok := p.Divide(k, 100, rng)
		got := loss(p, of, k)
		if !ok || got > best*1.5 {
			t.Errorf("seed %d: clusters %v lose %v, %v; the best lose %v", seed, of, got, ok, best)
		}
		if got <= best*(1+1e-9) {
			found++
		}
		for i, c := range p.Known {
			if c >= 0 && of[i] != c {
				t.Errorf("seed %d: point %d is in cluster %d, but known to be in %d", seed, i, of[i], c)
			}
		}
	}
	if found < 25 {
		t.Errorf("the best way was found for %d of 30", found)
	}
}

// loss is the weighted sum of squared distances to the means of the clusters.
func loss(p kmeans.Points, of []int, k int) (sum float64) {
	for c := range k {
		var mean [2]float64
		weight := 0.0
		for i, x := range p.X {
			if of[i] == c {
				weight += p.Weight[i]
				mean[0], mean[1] = mean[0]+p.Weight[i]*x[0], mean[1]+p.Weight[i]*x[1]
			}
		}
		for i, x := range p.X {
			if of[i] == c {
				d, e := x[0]-mean[0]/weight, x[1]-mean[1]/weight
				sum += p.Weight[i] * (d*d + e*e)
			}
		}
	}
	return sum
}
