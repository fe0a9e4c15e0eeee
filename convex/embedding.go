package convex

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/kmeans"
)

// embedding places merged rows in space so that inner products are the entries of a
// relation.
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

// centre sets centred: factor less its mean, in the directions in which it varies most.
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
	// Name the classes so that known values come out as known, as far as possible.
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

// cluster labels merged rows by weighted k-means on the centred embedding; the least cost of
// some starts wins. Known rows stay in the class of their value.
func (e *embedding) cluster(rng *rand.Rand, restarts int) []int {
	points := kmeans.Points{Weight: e.n, Known: e.known}
	for i := range e.n {
		points.X = append(points.X, e.centred.RawRowView(i))
	}
	labels, _ := points.Divide(e.states, max(1, restarts), rng)
	return labels
}
