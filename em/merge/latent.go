package merge

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
)

const (
	splitIterations = 40    // EM iterations on a table
	negligible      = 1e-30 // a probability that counts as 0

	// rarest is the smallest count of a cell, as a fraction of the total count of its table;
	// smaller counts are raised to it. A copy that takes at least half of a cell is entered and
	// left by it with at least half this probability, which exceeds negligible. So at least one
	// copy always has a path through the cell.
	rarest = 10 * negligible
)

// learn runs EM from the split z of t. Ways in and out of a copy that have probability 0 keep it.
func (t *table) learn(ctx context.Context, z *split) error {
	params := em.NewParams()
	var start []float64
	for i, p := range z.enter {
		params.Group(fmt.Sprint("enter ", i), len(p), em.Multinomial{})
		start = append(start, p[:]...)
	}
	var first [2]int // index of each copy's first parameter
	for k, counts := range t.leaving(z) {
		first[k] = params.Len()
		start = append(start, t.estimate(counts)...)
		for i, n := range t.groups {
			unseen(params.Group(fmt.Sprintf("leave %d/%d", k, i), n, em.Multinomial{}).In(start))
		}
	}
	result, err := em.Fit(ctx, t.likelihood(params, first, z), &em.Options{
		Start: start, InPlace: true, Iterations: splitIterations, Workers: 1,
	})
	if err == nil && result.Status == em.Canceled {
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	for i := range z.enter {
		for k := range z.enter[i] {
			z.enter[i][k] = settled(result.Theta[2*i+k])
		}
	}
	for k, leave := range z.leave {
		for f, p := range leave {
			if p > 0 {
				leave[f] = settled(t.chance(result.Theta[first[k]:], f))
			}
		}
	}
	return nil
}

// settled returns p, or 0 if p is negligible because it converges to 0.
func settled(p float64) float64 {
	if p < negligible {
		return 0
	}
	return p
}

// unseen makes the parameters of a group equal if all are 0. They are unused, but must sum to 1.
func unseen(group []float64) {
	for _, p := range group {
		if p > 0 {
			return
		}
	}
	for i := range group {
		group[i] = 1 / float64(len(group))
	}
}

// likelihood returns Σ count·ln Σ_k p(copy k | way in)·p(way out | copy k) over the cells of t,
// without the copies that z excludes. The parameters of the ways in come first; those of copy k
// begin at first[k].
func (t *table) likelihood(params *em.Params, first [2]int, z *split) em.Likelihood {
	return em.Sharded[em.Query, struct{}]{
		Package: "merge",
		Params:  params,
		Cut:     em.NewCutAt([]int{len(t.cells)}),
		Fingerprint: func(w io.Writer) {
			for _, c := range t.cells {
				// Writing to a hash cannot fail.
				binary.Write(w, binary.LittleEndian, []float64{float64(c.in), float64(c.out), c.count})
			}
		},
		Weight: func(i int) float64 { return t.cells[i].count },
		Sum: func(_ *struct{}, q em.Query, i int, count float64, tally *em.Tally) (float64, error) {
			c := t.cells[i]
			var p [2]float64
			for k := range p {
				if z.leave[k][c.out] > 0 {
					p[k] = q.Theta[2*c.in+k] * t.chance(q.Theta[first[k]:], c.out)
				}
			}
			sum := p[0] + p[1]
			for k := range p {
				if p[k] == 0 {
					continue
				}
				n := count * p[k] / sum
				tally.Counts[2*c.in+k] += n
				for _, f := range t.factors[c.out] {
					tally.Counts[first[k]+f] += n
				}
			}
			return semiring.NewScaled(sum).Log(), nil
		},
	}.Likelihood()
}
