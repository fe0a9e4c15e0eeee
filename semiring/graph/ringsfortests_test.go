package graph_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/semiring"
)

// kCosts is the ring of the k least costs, in increasing order, each as often as
// there are paths with it: k-closed as long as no cycle costs less than nothing,
// neither selective nor idempotent.
type kCosts struct{ k int }

func (kCosts) Zero() []int         { return nil }
func (kCosts) One() []int          { return []int{0} }
func (kCosts) IsZero(a []int) bool { return len(a) == 0 }
func (kCosts) Laws() semiring.Laws { return semiring.Commutative | semiring.KClosed }

func (r kCosts) Plus(a, b []int) []int {
	c := slices.Sorted(slices.Values(slices.Concat(a, b)))
	return c[:min(r.k, len(c))]
}

func (r kCosts) Times(a, b []int) []int {
	var c []int
	for _, x := range a {
		for _, y := range b {
			c = append(c, x+y)
		}
	}
	slices.Sort(c)
	return c[:min(r.k, len(c))]
}

func (kCosts) Dist(a, b []int) float64 { return discrete(slices.Equal(a, b)) }

func discrete(equal bool) float64 {
	if equal {
		return 0
	}
	return math.Inf(1)
}

// subsets is the ring of sets of eight things under union and intersection:
// bounded, but not selective. It has a key and no metric.
type subsets struct{}

func (subsets) Zero() uint8           { return 0 }
func (subsets) One() uint8            { return math.MaxUint8 }
func (subsets) IsZero(a uint8) bool   { return a == 0 }
func (subsets) Plus(a, b uint8) uint8 { return a | b }
func (subsets) Times(a, b uint8) uint8 {
	return a & b
}

func (subsets) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Bounded | semiring.KClosed
}

func (subsets) AppendKey(dst []byte, a uint8, _ float64) []byte { return append(dst, a) }

// tally is series with counts that stop at three: k-closed, neither commutative nor
// idempotent, and with an empty string that goes around cycles.
type tally struct{ series }

const maxTally = 3

func (tally) Laws() semiring.Laws { return semiring.KClosed }

func (t tally) Plus(a, b sum) sum  { return capped(t.series.Plus(a, b)) }
func (t tally) Times(a, b sum) sum { return capped(t.series.Times(a, b)) }

func (tally) Dist(a, b sum) float64 { return discrete(maps.Equal(a, b)) }

func capped(a sum) sum {
	for s, n := range a {
		a[s] = min(n, maxTally)
	}
	return a
}

func randomTally(r *rand.Rand) sum {
	if r.IntN(3) == 0 {
		return sum{"": 1}
	}
	return randomSum(r)
}

// plain is Real without a star or anything else but a distance.
type plain struct{}

func (plain) Zero() float64              { return 0 }
func (plain) One() float64               { return 1 }
func (plain) IsZero(a float64) bool      { return a == 0 }
func (plain) Plus(a, b float64) float64  { return a + b }
func (plain) Times(a, b float64) float64 { return a * b }
func (plain) Dist(a, b float64) float64  { return math.Abs(a - b) }

// matrices is the ring of 2×2 matrices, row by row, with the distance of the
// largest entry; it has no star.
type matrices struct{}

type matrix [4]float64

func (matrices) Zero() matrix         { return matrix{} }
func (matrices) One() matrix          { return matrix{1, 0, 0, 1} }
func (matrices) IsZero(a matrix) bool { return a == matrix{} }

func (matrices) Plus(a, b matrix) matrix {
	for i := range a {
		a[i] += b[i]
	}
	return a
}

func (matrices) Times(a, b matrix) matrix {
	return matrix{
		a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3],
		a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3],
	}
}

func (matrices) Dist(a, b matrix) float64 {
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}
