package privacy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

// TestOptimizedByEnumeration: asymmetric bits have the loss ε and are unbiased, alone and in
// groups, whether statistics are at the ends of their ranges or between them.
func TestOptimizedByEnumeration(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](10)) {
		rng := rand.New(rand.NewPCG(seed, 12))
		delta := 1 + rng.IntN(2)
		n := 2*delta + rng.IntN(3)
		ranges := make([]Range, n)
		for j := range ranges {
			lo := rng.NormFloat64()
			ranges[j] = Range{lo, lo + rng.ExpFloat64() + .1}
		}
		d := must(must(NewDomain(ranges...)).Sparse(delta))
		xs := corners(ranges, delta)
		x := slices.Clone(xs[len(xs)-1])
		for j, r := range ranges {
			if x[j] == r.Hi {
				x[j] = min(r.Lo+rng.Float64()*(r.Hi-r.Lo), r.Hi)
			}
		}
		xs = append(xs, x)
		var data []Statistics
		for _, x := range xs {
			data = append(data, must(d.Check(x)))
		}
		e := epsilon(rng)
		m := must(NewPerValue(d, e, Optimized))
		name := fmt.Sprintf("ε %v, %d of %d statistics, optimized", e, delta, n)
		confirm(t, name, m, data, e, e)
		groups := [][]int{rng.Perm(n), rng.Perm(n)[:2*delta]}
		g := must(NewGroupRelease(d, groups, distribution(rng, 2), e, Optimized))
		confirm(t, fmt.Sprint("groups ", groups, name), g, data, e, e)
		for i, s := range data {
			unbiased(t, name, m, s, xs[i])
			unbiased(t, "groups "+name, g, s, xs[i])
		}
	}
}

// TestOptimizedVariance: of the indicators of a rare category, by the formula, and against
// symmetric bits: 2.4 times less at ε = 4, the same as ε goes to 0 (Wang et al. 2017).
func TestOptimizedVariance(t *testing.T) {
	d := must(must(NewDomain(repeat(12, Range{0, 1})...)).Sparse(1))
	rare := func(m *GroupRelease) float64 { // the variance if the category is another one
		b := &m.bits[0]
		p := float64(b.lo) / one
		x := b.worth[1] - b.worth[0]
		return p * (1 - p) * x * x
	}
	for _, e := range []float64{.01, 1, 2, 4, 8} {
		o, s := rare(must(NewPerValue(d, e, Optimized))), rare(must(NewPerValue(d, e, Tight)))
		near(t, "optimized", o, 4*math.Exp(e)/math.Pow(math.Expm1(e), 2))
		near(t, "symmetric", s, math.Exp(e/2)/math.Pow(math.Expm1(e/2), 2))
		near(t, "ratio", s/o, math.Pow(math.Cosh(e/4), 2)) // 2.38 at ε = 4
	}
}
