package convex

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Rounding says how labels are made of relations.
type Rounding struct {
	// Rand is the source of randomness, needed: same state, same labels.
	Rand *rand.Rand
	// Restarts is the number of runs of k-means (default 20).
	Restarts int
	// Draws is the number of random roundings (default 50; negative: none).
	Draws int
}

// Rounded holds labels and what they are worth.
type Rounded struct {
	// Labels holds per hidden variable, in the order of Problem.Hidden, a value per row
	// of the data. Values are numbered as it happens, except that those that were seen
	// are as seen.
	Labels [][]int
	// Complete is the training on Labels.
	Complete
	// KMeans and Random are the objectives of the labels by k-means on the centred
	// eigenvectors and of the best by random rounding (+Inf: none drawn). Objective is
	// the lesser.
	KMeans, Random float64
	// Soft holds, per hidden variable, a distribution over its values per row of the
	// data: its place among the corners of the simplex onto which the eigenvectors are
	// rotated. CompleteSoft makes a start for marginal EM of it.
	Soft []*mat.Dense
}

// Round returns the labels that relations, one per hidden variable in the order of Hidden,
// suggest, and trains on them. Two ways to round are tried: weighted k-means on the leading
// v−1 eigenvectors of the centred relation, most often the better, and random rounding,
// argmaxₖ ⟨vᵢ, gₖ⟩ with vᵢ the rows of a factor and gₖ standard normal (Frieze and Jerrum
// 1997). O(t³) time per relation, O(t·Rank²) after LowRank. The error wraps ErrInvalid for
// relations that are not the problem's, or options that make no sense.
func (p *Problem) Round(relations []*Relation, how Rounding) (*Rounded, error) {
	set(&how.Restarts, 20)
	set(&how.Draws, 50)
	switch {
	case how.Rand == nil:
		return nil, invalid("rounding without a source of randomness")
	case how.Restarts < 0:
		return nil, invalid("%d restarts of k-means", how.Restarts)
	case len(relations) != len(p.hidden):
		return nil, invalid("%d relations, %d variables are hidden", len(relations), len(p.hidden))
	}
	r := &Rounded{Random: math.Inf(1)}
	embeddings := make([]*embedding, len(relations))
	for k, h := range p.hidden {
		b, _ := p.find(h)
		e, err := p.embed(b, relations[k], h)
		if err != nil {
			return nil, err
		}
		embeddings[k] = e
		labels := e.cluster(how.Rand, how.Restarts)
		r.Labels = append(r.Labels, e.spread(labels))
		r.Soft = append(r.Soft, e.soften(labels))
	}
	r.KMeans = p.objective(r.Labels)
	for range how.Draws {
		var labels [][]int
		for _, e := range embeddings {
			labels = append(labels, e.spread(e.random(how.Rand)))
		}
		if o := p.objective(labels); o < r.Random {
			r.Random = o
			if o < r.KMeans {
				r.Labels = labels
			}
		}
	}
	c, err := p.Complete(r.Labels)
	if err != nil {
		return nil, err
	}
	r.Complete = *c
	return r, nil
}

// objective returns the loss of completed data.
func (p *Problem) objective(labels [][]int) float64 {
	soft := p.indicators(labels)
	loss := p.constant
	for i := range p.variables {
		if len(p.concealed(i)) > 0 {
			_, l := p.table(i, soft)
			loss += l
		}
	}
	return loss
}
