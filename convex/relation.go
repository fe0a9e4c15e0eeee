package convex

import "gonum.org/v1/gonum/mat"

// Relation is a relaxed equivalence relation between the rows of the data: At(i, j) in
// [0, 1] says how much rows i and j have the same value of a hidden variable. Rows that
// agree in all that matters are merged: M is held for merged rows only.
type Relation struct {
	// Variable is the index of the hidden variable.
	Variable int
	// Row holds, per row of the data, the number of its merged row.
	Row []int
	// Weight holds the weight of each merged row.
	Weight []float64
	// M is the relation of merged rows; of LowRank it is nil.
	M *mat.SymDense
	// Factor is V, a row of unit length per merged row, where the relation is VVᵀ:
	// what LowRank finds. Otherwise it is nil.
	Factor *mat.Dense
}

// At returns the entry for rows i and j of the data.
func (r *Relation) At(i, j int) float64 {
	return r.merged(r.Row[i], r.Row[j])
}

// merged returns the entry for merged rows i and j.
func (r *Relation) merged(i, j int) float64 {
	if r.M != nil {
		return r.M.At(i, j)
	}
	return mat.Dot(r.Factor.RowView(i), r.Factor.RowView(j))
}
