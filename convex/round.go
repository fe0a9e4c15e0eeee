package convex

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/kmeans"
	"example.org/pathsum/internal/simplex"
)

// Rounding contains the settings for rounding relations to labels.
type Rounding struct {
	// Rand is the source of randomness. It is required; equal states give equal labels.
	Rand rand.Source
	// Restarts is the number of runs of k-means (default 20).
	Restarts int
	// Draws is the number of random roundings (default 50; a negative number means 0).
	Draws int
	// Keep is the maximum length of Rounded.Drawn (default 3; a negative number means 0).
	Keep int
}

// Rounded holds labels and their objective.
type Rounded struct {
	// Labels holds, per hidden variable in the order of Problem.Hidden, a value per row of the
	// data. Observed values are kept; otherwise the numbering of the values is arbitrary.
	Labels [][]int
	// Complete is the training on Labels.
	Complete
	// KMeans is the objective of the labels by k-means on the centred eigenvectors, and Random the
	// objective of the best labels by random rounding (+Inf without draws). Objective is the lesser
	// of the two.
	KMeans, Random float64
	// Clustered holds the labels by k-means. Drawn holds the best labels by random rounding that
	// differ in their objective, best first, as further starts for EM.
	Clustered [][]int
	Drawn     [][][]int
	// Soft holds, per hidden variable, a distribution over its values per row of the data: the
	// position of the row in the simplex onto which the eigenvectors are rotated. CompleteSoft
	// turns it into a start for marginal EM.
	Soft []*mat.Dense
}

// Round rounds relations, one per hidden variable in the order of Hidden, to labels and trains on
// them. It tries two methods. One is weighted k-means on the leading v−1 eigenvectors of the
// centred relation, which is usually better. The other is random rounding, argmaxₖ ⟨vᵢ, gₖ⟩ with vᵢ
// the rows of a factor and gₖ standard normal (Frieze and Jerrum 1997). O(t³) time per relation.
// The error wraps ErrInvalid for relations that are not the problem's, and for invalid options.
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

// distinct is the least relative difference between the objectives of labellings that are kept.
const distinct = 1e-9

// draw rounds at random, and stores the best labels and the starts for EM in r.
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

// soften returns, per row of the data, a point of the simplex. It rotates the centred embedding as
// near as possible to the corners of the rows' labels, relabels each row by its nearest corner,
// iterates, and projects onto the simplex. The relation of some labels yields the same labels.
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

// embedding represents merged rows by vectors whose inner products are the entries of a relation.
type embedding struct {
	row     []int     // of the data: its merged row
	n       []float64 // weight of each merged row
	states  int
	known   []int      // per merged row, its known value or Hidden
	factor  *mat.Dense // a row per merged row
	centred *mat.Dense // the leading states−1 principal components of factor, of mean 0
}

// embed returns the embedding of a relation of the hidden variable.
func (p *Problem) embed(b *part, x *Relation, variable int) (*embedding, error) {
	at, err := b.pointOf(x, variable)
	if err != nil {
		return nil, err
	}
	l := at.factor
	e := &embedding{row: b.row, n: b.n, states: p.variables[variable].States, known: slices.Repeat([]int{Hidden}, len(b.n))}
	for row, k := range b.row {
		e.known[k] = max(e.known[k], p.variables[variable].Values[row])
	}
	e.factor = mat.DenseCopyOf(mat.NewDense(l.Rows, l.Cols, l.Data).T())
	e.centre()
	return e, nil
}

// centre sets centred to factor minus its mean, in the directions of greatest variance.
func (e *embedding) centre() {
	t, r := e.factor.Dims()
	x := mat.DenseCopyOf(e.factor)
	mean := make([]float64, r)
	for i, n := range e.n {
		floats.AddScaled(mean, n, x.RawRowView(i))
	}
	floats.Scale(1/floats.Sum(e.n), mean)
	scatter := make([]float64, r*r)
	for i, n := range e.n {
		row := x.RawRowView(i)
		floats.Sub(row, mean)
		outer(n, row, scatter)
	}
	k := min(r, e.states-1)
	_, u := spectrum(r, scatter, true)
	e.centred = mat.NewDense(t, e.states-1, nil)
	e.centred.Slice(0, t, 0, k).(*mat.Dense).Mul(x, u.Slice(0, r, r-k, r))
}

// spread returns the labels of rows of the data, given labels of merged rows.
func (e *embedding) spread(labels []int) []int {
	all := make([]int, len(e.row))
	for row, k := range e.row {
		all[row] = labels[k]
	}
	return all
}

// random labels merged rows by random rounding.
func (e *embedding) random(rng *rand.Rand) []int {
	t, r := e.factor.Dims()
	g := mat.NewDense(r, e.states, nil)
	g.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, g)
	var score mat.Dense
	score.Mul(e.factor, g)
	labels := make([]int, t)
	for i := range labels {
		labels[i] = floats.MaxIdx(score.RawRowView(i))
	}
	// Rename the classes to match known values, as far as possible.
	name := make([]int, e.states)
	for k := range name {
		name[k] = k
	}
	for i, y := range e.known {
		if y != Hidden {
			from, to := slices.Index(name, y), labels[i]
			name[from], name[to] = name[to], name[from]
		}
	}
	for i, y := range e.known {
		if labels[i] = name[labels[i]]; y != Hidden {
			labels[i] = y
		}
	}
	return labels
}

// cluster labels merged rows by weighted k-means on the centred embedding, with the least cost of
// several starts. Known rows stay in the class of their value.
func (e *embedding) cluster(rng *rand.Rand, restarts int) []int {
	points := kmeans.Points{Weight: e.n, Known: e.known}
	for i := range e.n {
		points.X = append(points.X, e.centred.RawRowView(i))
	}
	labels, _ := points.Divide(e.states, max(1, restarts), rng)
	return labels
}
