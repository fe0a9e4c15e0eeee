package normal

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// atFloor is the relative distance, due to rounding, within which a variance counts as being at its
// floor.
const atFloor = 1e-9

// Raise raises the covariance with the triangle tri to the floor, and returns whether it was below.
// If D is the floor, the eigenvalues of D^−½·Σ·D^−½ below 1 become 1. Among all covariances of at
// least D the result maximizes −ln|Σ| − tr(Σ⁻¹·S), where S is the covariance before: the maximum
// likelihood.
func (b Block) Raise(tri []float64) bool {
	if b.Floor == nil {
		return false
	}
	if b.N == 1 {
		low := tri[0] < b.Floor[0]
		tri[0] = max(tri[0], b.Floor[0])
		return low
	}
	values, vectors := b.whitened(tri)
	if values[0] >= 1 {
		return false
	}
	raised := mat.NewDense(b.N, b.N, nil)
	for k, v := range values {
		column := vectors.ColView(k)
		raised.RankOne(raised, max(v, 1), column, column)
	}
	for i := range b.N {
		for j := range i + 1 {
			tri[i*(i+1)/2+j] = math.Sqrt(b.Floor[i]) * (raised.At(i, j) + raised.At(j, i)) / 2 * math.Sqrt(b.Floor[j])
		}
	}
	return true
}

// AtFloor reports whether the covariance with the triangle tri is at the floor in some direction.
func (b Block) AtFloor(tri []float64) bool {
	if b.Floor == nil {
		return false
	}
	values, _ := b.whitened(tri)
	return values[0] <= 1+atFloor
}

// Low returns the least eigenvalue of D^−½·Σ·D^−½, and whether it is below 1 by more than
// rounding.
func (b Block) Low(tri []float64) (least float64, low bool) {
	if b.Floor == nil {
		return 1, false
	}
	values, _ := b.whitened(tri)
	return values[0], values[0] < 1-atFloor-1e-12*values[b.N-1]
}

// whitened returns the eigenvalues, ascending, and eigenvectors of D^−½·Σ·D^−½.
func (b Block) whitened(tri []float64) ([]float64, *mat.Dense) {
	s := mat.NewSymDense(b.N, nil)
	for i := range b.N {
		for j := range i + 1 {
			s.SetSym(i, j, tri[i*(i+1)/2+j]/math.Sqrt(b.Floor[i])/math.Sqrt(b.Floor[j]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return make([]float64, b.N), mat.NewDense(b.N, b.N, nil) // entries that are not finite
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	return e.Values(nil), &vectors
}
