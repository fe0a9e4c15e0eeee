package assignment_test

import (
	"math"
	"testing"

	"example.org/pathsum/internal/assignment"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
)

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-10*max(1, math.Abs(a), math.Abs(b))
}

func TestBest(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](1000)) {
		rng := graphtest.Rand(seed)
		n := rng.IntN(7)
		cost := make([][]float64, n)
		for i := range cost {
			for range n {
				c := rng.NormFloat64()
				if rng.IntN(3) == 0 {
					c = math.Round(c) // ties
				}
				if rng.IntN(4) == 0 {
					c = math.Inf(1)
				}
				cost[i] = append(cost[i], c)
			}
		}
		want := math.Inf(1)
		oracle.Permutations(n, func(of []int) {
			sum := 0.
			for i, j := range of {
				sum += cost[i][j]
			}
			want = min(want, sum)
		})
		of, total, err := assignment.Best(cost)
		if math.IsInf(want, 1) {
			if err == nil {
				t.Fatalf("seed %d: every assignment is forbidden: %v, %v", seed, of, err)
			}
			continue
		}
		sum := 0.
		for i, j := range of {
			sum += cost[i][j]
		}
		if err != nil || !near(total, want) || !near(sum, want) {
			t.Fatalf("seed %d: %v costs %v, said to be %v, want %v (%v)", seed, of, sum, total, want, err)
		}
	}
	for _, cost := range [][][]float64{{{1, 2}}, {{math.NaN()}}, {{math.Inf(-1)}}} {
		if _, _, err := assignment.Best(cost); err == nil {
			t.Errorf("costs %v: %v", cost, err)
		}
	}
}
