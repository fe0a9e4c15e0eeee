// Package kmeans divides vectors into clusters: where models of several classes start.
package kmeans

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/choice"
)

const (
	seedings = 10  // the best is taken
	rounds   = 100 // at most, after each
)

// Cluster returns for each vector the number of its cluster, 0 … k−1. The clusters are at a
// local minimum of the squared distances to their means, the best of ten from random seeds
// far apart (Arthur and Vassilvitskii 2007). Components are measured in their standard
// deviations. All vectors have the same length, and finite numbers. It is an error if fewer
// than k of them differ. O(vectors · k · length) per round.
func Cluster(x [][]float64, k int, rng *rand.Rand) ([]int, error) {
	z := standard(x)
	var best []int
	least := math.Inf(1)
	for range seedings {
		centres, ok := seed(z, k, rng)
		if !ok {
			return nil, fmt.Errorf("fewer than %d different vectors for %d clusters", k, k)
		}
		of := make([]int, len(z))
		loss := math.Inf(1)
		for range rounds {
			now := assign(of, z, centres)
			if now >= loss {
				break
			}
			loss = now
			move(centres, of, z)
		}
		if loss < least {
			least, best = loss, of
		}
	}
	return best, nil
}

// standard returns x with means of 0 and standard deviations of 1, or 0.
func standard(x [][]float64) [][]float64 {
	if len(x) == 0 {
		return nil
	}
	mean, deviation := make([]float64, len(x[0])), make([]float64, len(x[0]))
	for _, v := range x {
		floats.AddScaled(mean, 1/float64(len(x)), v)
	}
	for _, v := range x {
		for j, y := range v {
			deviation[j] += (y - mean[j]) * (y - mean[j]) / float64(len(x))
		}
	}
	z := make([][]float64, len(x))
	for i, v := range x {
		z[i] = make([]float64, len(v))
		for j, y := range v {
			if deviation[j] > 0 {
				z[i][j] = (y - mean[j]) / math.Sqrt(deviation[j])
			}
		}
	}
	return z
}

// seed draws k different vectors, each in proportion to the squared distance to those
// before; false if there are not as many.
func seed(z [][]float64, k int, rng *rand.Rand) ([][]float64, bool) {
	distance, sum := make([]float64, len(z)), make([]float64, len(z))
	for i := range distance {
		distance[i] = 1
	}
	var centres [][]float64
	for range k {
		top := choice.Accumulate(sum, distance)
		if !(top > 0) {
			return nil, false
		}
		i := min(choice.First(sum, rng.Float64()*top), len(z)-1)
		for distance[i] == 0 { // rounding
			i = (i + 1) % len(z)
		}
		centres = append(centres, slices.Clone(z[i]))
		for j, v := range z {
			d := squared(v, z[i])
			if len(centres) > 1 {
				d = min(d, distance[j])
			}
			distance[j] = d
		}
	}
	return centres, true
}

func squared(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += (x - b[i]) * (x - b[i])
	}
	return sum
}

// assign sets of to the nearest centres and returns the sum of the squared distances.
func assign(of []int, z, centres [][]float64) (sum float64) {
	for i, v := range z {
		least := math.Inf(1)
		for c, centre := range centres {
			if d := squared(v, centre); d < least {
				least, of[i] = d, c
			}
		}
		sum += least
	}
	return sum
}

// move sets the centres to the means of their clusters; an empty one stays.
func move(centres [][]float64, of []int, z [][]float64) {
	size := make([]float64, len(centres))
	for _, c := range of {
		size[c]++
	}
	for c, centre := range centres {
		if size[c] > 0 {
			clear(centre)
		}
	}
	for i, v := range z {
		floats.AddScaled(centres[of[i]], 1/size[of[i]], v)
	}
}
