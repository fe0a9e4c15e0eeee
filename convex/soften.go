package convex

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/simplex"
)

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
