// Package kmeans divides vectors into clusters, from which models of several classes start.
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
	seedings = 10  // the best is used
	rounds   = 100 // at most, after each
)

// Cluster returns the index of the cluster of each vector, 0 … k−1. The clusters are at a local
// minimum of the squared distances to their means, the best of ten from distant random seeds.
// Components are scaled by their standard deviations. All vectors must have the same length and
// finite elements. It returns an error if fewer than k of them are distinct. O(vectors · k ·
// length) per round.
func Cluster(x [][]float64, k int, rng *rand.Rand) ([]int, error) {
	of, ok := Points{X: standard(x)}.Divide(k, seedings, rng)
	if !ok {
		return nil, fmt.Errorf("fewer than %d different vectors for %d clusters", k, k)
	}
	return of, nil
}

// Points are vectors to divide into clusters.
type Points struct {
	X      [][]float64 // of the same length, finite
	Weight []float64   // per vector: the weight of its squared distance, ≥ 0; nil: 1 each
	Known  []int       // per vector: its cluster, or a negative number if unknown; nil: unknown
}

// Divide returns the index of the cluster of each point, 0 … k−1: the best result of the given
// number of starts from distant seeds (k-means++: Arthur and Vassilvitskii 2007). Points known
// to be in the same cluster count as equal. It returns false if fewer than k points are
// distinct.
func (p Points) Divide(k, starts int, rng *rand.Rand) (best []int, ok bool) {
	if len(p.X) == 0 {
		return nil, k == 0
	}
	least := math.Inf(1)
	for range starts {
		centres, differ := p.seed(k, rng)
		of := make([]int, len(p.X))
		loss := math.Inf(1)
		for range rounds {
			now := p.assign(of, centres)
			if now >= loss {
				break
			}
			loss = now
			p.move(centres, of)
		}
		if loss < least || best == nil {
			least, best, ok = loss, of, differ
		}
	}
	return best, ok
}

func (p Points) weight(i int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[i]
}

// known returns the known cluster of point i, or a negative number.
func (p Points) known(i int) int {
	if p.Known == nil {
		return -1
	}
	return p.Known[i]
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

// seed returns centres: a point of each known cluster, and for the others points drawn in
// proportion to weight times squared distance to the preceding centres. It returns false if
// fewer than k of them are distinct.
func (p Points) seed(k int, rng *rand.Rand) (centres [][]float64, differ bool) {
	centres, differ = make([][]float64, k), true
	away, sum := make([]float64, len(p.X)), make([]float64, len(p.X))
	for i := range away {
		away[i] = p.weight(i)
	}
	first := true
	add := func(c, i int) {
		centres[c] = slices.Clone(p.X[i])
		for j, v := range p.X {
			d := p.weight(j) * squared(v, p.X[i])
			if !first {
				d = min(d, away[j])
			}
			away[j] = d
		}
		first = false
	}
	for i := range p.X {
		if c := p.known(i); c >= 0 && centres[c] == nil {
			add(c, i)
		}
	}
	for c := range centres {
		if centres[c] != nil {
			continue
		}
		i := len(p.X) - 1
		if top := choice.Accumulate(sum, away); top > 0 {
			i = min(choice.First(sum, rng.Float64()*top), i)
			for away[i] == 0 { // rounding
				i = (i + 1) % len(p.X)
			}
		} else {
			differ = false
		}
		add(c, i)
	}
	return centres, differ
}

func squared(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += (x - b[i]) * (x - b[i])
	}
	return sum
}

// assign sets unknown elements of of to the nearest centres, and returns the sum of the squared
// distances.
func (p Points) assign(of []int, centres [][]float64) (sum float64) {
	for i, v := range p.X {
		least := math.Inf(1)
		if c := p.known(i); c >= 0 {
			least, of[i] = squared(v, centres[c]), c
		} else {
			for c, centre := range centres {
				if d := squared(v, centre); d < least {
					least, of[i] = d, c
				}
			}
		}
		sum += p.weight(i) * least
	}
	return sum
}

// move sets the centres to the means of their clusters; the centre of an empty cluster stays.
func (p Points) move(centres [][]float64, of []int) {
	size := make([]float64, len(centres))
	for i, c := range of {
		size[c] += p.weight(i)
	}
	for c, centre := range centres {
		if size[c] > 0 {
			clear(centre)
		}
	}
	for i, v := range p.X {
		if size[of[i]] > 0 {
			floats.AddScaled(centres[of[i]], p.weight(i)/size[of[i]], v)
		}
	}
}
