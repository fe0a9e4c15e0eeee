package convex

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// cluster labels merged rows by weighted k-means on the centred embedding, from starts by
// k-means++ (Arthur and Vassilvitskii 2007); the least cost wins. Known rows stay in the
// class of their value.
func (e *embedding) cluster(rng *rand.Rand, restarts int) []int {
	var best []int
	least := math.Inf(1)
	for range max(1, restarts) {
		if labels, cost := e.means(e.seed(rng)); cost < least || best == nil {
			best, least = labels, cost
		}
	}
	return best
}

// seed returns centres: the mean of each known class, and for others rows drawn with
// probability in proportion to weight times squared distance from the centres so far.
func (e *embedding) seed(rng *rand.Rand) *mat.Dense {
	t, d := e.centred.Dims()
	centre := mat.NewDense(e.states, d, nil)
	taken := make([]bool, e.states)
	away := slices.Clone(e.n) // weight times squared distance from the nearest centre
	add := func(k, row int) {
		first := !slices.Contains(taken, true)
		taken[k] = true
		centre.SetRow(k, e.centred.RawRowView(row))
		for i, n := range e.n {
			s := n * squaredDistance(e.centred.RawRowView(i), centre.RawRowView(k))
			if first || s < away[i] {
				away[i] = s
			}
		}
	}
	for i, y := range e.known {
		if y != Hidden {
			add(y, i) // merged rows of a known value are one
		}
	}
	for k := range e.states {
		if taken[k] {
			continue
		}
		u := rng.Float64() * floats.Sum(away)
		row := t - 1
		for i, s := range away {
			if u -= s; u < 0 {
				row = i
				break
			}
		}
		add(k, row)
	}
	return centre
}

// meansRounds bounds the rounds of k-means.
const meansRounds = 100

// means runs k-means from the centres and returns labels and cost.
func (e *embedding) means(centre *mat.Dense) (labels []int, cost float64) {
	t, d := e.centred.Dims()
	labels = slices.Repeat([]int{none}, t)
	for range meansRounds {
		changed := false
		cost = 0
		for i, n := range e.n {
			v := e.centred.RawRowView(i)
			y, least := e.known[i], 0.0
			if y == Hidden {
				least = math.Inf(1)
				for k := range e.states {
					if s := squaredDistance(v, centre.RawRowView(k)); s < least {
						y, least = k, s
					}
				}
			} else {
				least = squaredDistance(v, centre.RawRowView(y))
			}
			changed = changed || labels[i] != y
			labels[i] = y
			cost += n * least
		}
		if !changed {
			break
		}
		sum, weight := mat.NewDense(e.states, d, nil), make([]float64, e.states)
		for i, y := range labels {
			floats.AddScaled(sum.RawRowView(y), e.n[i], e.centred.RawRowView(i))
			weight[y] += e.n[i]
		}
		for k, w := range weight {
			if w > 0 {
				floats.ScaleTo(centre.RawRowView(k), 1/w, sum.RawRowView(k))
			}
		}
	}
	return labels, cost
}

func squaredDistance(x, y []float64) float64 {
	d := floats.Distance(x, y, 2)
	return d * d
}
