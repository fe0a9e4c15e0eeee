package moments

import (
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/simplex"
)

// Estimate returns the θ of a generative model, such as a hidden Markov model, for estimated sums
// of its statistics, the uses of each parameter. It is an M step that also handles sums that are
// impossible for data. The sums of a group are divided by their total and replaced by the nearest
// distribution, their projection on the simplex. This distribution is multiplied by the total
// again, and the group's law estimates from the product. A group whose total is not positive keeps
// its start, or gets the mode of its prior.
//
// Groups must have em.Multinomial or em.Dirichlet laws; groups of em.Fixed laws keep their start,
// whatever their sums. For log-linear models use Fit. The error wraps ErrInvalid for groups of
// another law, a wrong number of sums, a sum that is not finite, and an error of the law.
func Estimate(params *em.Params, total []float64) ([]float64, error) {
	if len(total) != params.Len() {
		return nil, invalid("%d statistics for %d parameters", len(total), params.Len())
	}
	theta := params.Start()
	for _, g := range params.Groups() {
		law := g.Law()
		switch law.(type) {
		case em.Multinomial, em.Dirichlet:
		case em.Fixed:
			continue
		default:
			return nil, invalid("%s is estimated by %T, want a multinomial law", g.Name(0), law)
		}
		counts, sum := slices.Clone(g.In(total)), 0.0
		for i, x := range counts {
			if x-x != 0 {
				return nil, invalid("the statistic of %s is %g", g.Name(i), x)
			}
			sum += x
		}
		switch {
		case sum-sum != 0:
			return nil, invalid("the statistics of the group of %s sum to %g", g.Name(0), sum)
		case sum > 0:
			for i := range counts {
				counts[i] /= sum
			}
			simplex.Project(counts)
			for i := range counts {
				counts[i] *= sum
			}
		default:
			clear(counts)
		}
		if err := law.Maximize(g.In(theta), counts); err != nil {
			return nil, invalid("the group of %s: %w", g.Name(0), err)
		}
	}
	return theta, nil
}
