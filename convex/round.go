package convex

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/simplex"
)

// Rounding says how labels are made of relations.
type Rounding struct {
	// Rand is the source of randomness, needed: same state, same labels.
	Rand rand.Source
	// Restarts is the number of runs of k-means (default 20).
	Restarts int
	// Draws is the number of random roundings (default 50; negative: none).
	Draws int
	// Keep is the most of them that Rounded.Drawn keeps (default 3; negative: none).
	Keep int
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
	// Clustered holds the labels by k-means, Drawn the best that random rounding drew and
	// that differ in their objective, best first: further starts for EM.
	Clustered [][]int
	Drawn     [][][]int
	// Soft holds, per hidden variable, a distribution over its values per row of the
	// data: its place among the corners of the simplex onto which the eigenvectors are
	// rotated. CompleteSoft makes a start for marginal EM of it.
	Soft []*mat.Dense
}

// Round returns the labels that relations, one per hidden variable in the order of Hidden,
// suggest, and trains on them. It tries two ways to round. One is weighted k-means on the
// leading v−1 eigenvectors of the centred relation, most often the better. The other is
// random rounding, argmaxₖ ⟨vᵢ, gₖ⟩ with vᵢ the rows of a factor and gₖ standard normal
// (Frieze and Jerrum 1997). O(t³) time per relation. The error wraps
// ErrInvalid for relations that are not the problem's, or options that make no sense.
func (p *Problem) Round(relations []*Relation, how Rounding) (*Rounded, error) {
	set(&how.Restarts, 20)
	set(&how.Draws, 50)
	set(&how.Keep, 3)
	switch {
	case how.Rand == nil:
		return nil, invalid("rounding without a source of randomness")
	case how.Restarts < 0:
		return nil, invalid("%d restarts of k-means", how.Restarts)
	case len(relations) != len(p.hidden):
		return nil, invalid("%d relations, %d variables are hidden", len(relations), len(p.hidden))
	}
	rng := rand.New(how.Rand)
	r := &Rounded{Random: math.Inf(1)}
	embeddings := make([]*embedding, len(relations))
	for k, h := range p.hidden {
		b, _ := p.find(h)
		e, err := p.embed(b, relations[k], h)
		if err != nil {
			return nil, err
		}
		embeddings[k] = e
		labels := e.cluster(rng, how.Restarts)
		r.Labels = append(r.Labels, e.spread(labels))
		r.Soft = append(r.Soft, e.soften(labels))
	}
	r.Clustered = r.Labels
	r.KMeans = p.objective(r.Labels)
	p.draw(r, embeddings, how, rng)
	c, err := p.Complete(r.Labels)
	if err != nil {
		return nil, err
	}
	r.Complete = *c
	return r, nil
}

// distinct is the least difference, relative to the objective, of two labellings kept.
const distinct = 1e-9

// draw rounds at random, and keeps in r the best labels and those that start EM.
func (p *Problem) draw(r *Rounded, embeddings []*embedding, how Rounding, rng *rand.Rand) {
	type drawn struct {
		objective float64
		labels    [][]int
	}
	var all []drawn
	for range how.Draws {
		var labels [][]int
		for _, e := range embeddings {
			labels = append(labels, e.spread(e.random(rng)))
		}
		all = append(all, drawn{p.objective(labels), labels})
	}
	slices.SortStableFunc(all, func(a, b drawn) int { return cmp.Compare(a.objective, b.objective) })
	for i, d := range all {
		if i == 0 {
			r.Random = d.objective
			if d.objective < r.KMeans {
				r.Labels = d.labels
			}
		}
		if same := i > 0 && d.objective-all[i-1].objective <= distinct*math.Abs(d.objective); !same && len(r.Drawn) < how.Keep {
			r.Drawn = append(r.Drawn, d.labels)
		}
	}
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

// softenings is the number of rounds of soften.
const softenings = 50

// soften returns per row of the data a point of the simplex: the centred embedding rotated
// so that it comes as near as it can to the corners that labels name, each row to its
// nearest in turn, and projected onto the simplex. The relation of labels itself comes out
// as these labels.
func (e *embedding) soften(labels []int) *mat.Dense {
	labels = slices.Clone(labels)
	t, d := e.centred.Dims()
	total := floats.Sum(e.n)
	q := mat.NewDense(t, e.states, nil)
	for range softenings {
		mean := make([]float64, e.states)
		for i, y := range labels {
			mean[y] += e.n[i] / total
		}
		cross := mat.NewDense(d, e.states, nil) // Σ n v (z − mean)ᵀ
		for i, y := range labels {
			v := e.centred.RawRowView(i)
			for a := range d {
				row := cross.RawRowView(a)
				row[y] += e.n[i] * v[a]
				floats.AddScaled(row, -e.n[i]*v[a], mean)
			}
		}
		var svd mat.SVD
		if !svd.Factorize(cross, mat.SVDThin) {
			panic("convex: singular values of a matrix that is not finite")
		}
		var u, w, rotation mat.Dense
		svd.UTo(&u)
		svd.VTo(&w)
		rotation.Mul(&u, w.T())
		q.Mul(e.centred, &rotation)
		changed := false
		for i := range labels {
			row := q.RawRowView(i)
			floats.Add(row, mean)
			if y := floats.MaxIdx(row); e.known[i] == Hidden && y != labels[i] {
				labels[i], changed = y, true
			}
		}
		if !changed {
			break
		}
	}
	soft := mat.NewDense(len(e.row), e.states, nil)
	for i := range t {
		row := q.RawRowView(i)
		simplex.Project(row)
		if y := e.known[i]; y != Hidden {
			clear(row)
			row[y] = 1
		}
	}
	for row, k := range e.row {
		soft.SetRow(row, q.RawRowView(k))
	}
	return soft
}
