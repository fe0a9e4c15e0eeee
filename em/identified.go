package em

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

var (
	// ErrNotIdentified is wrapped by the error for parameters that the data say
	// nothing about: they can move together without a change of the objective.
	ErrNotIdentified = errors.New("parameters are not identified")
	// ErrNotMaximum is wrapped by the error for a θ where the objective is no
	// maximum in some direction.
	ErrNotMaximum = errors.New("not at a maximum")
)

// informationRounding is the least eigenvalue, of the information scaled to a
// diagonal of 1, that rounding does not explain.
const informationRounding = 1e-9

// check looks for directions of too little information.
func (f *Information) check() error {
	if f.Matrix == nil {
		return nil
	}
	n := f.Matrix.SymmetricDim()
	unit := make([]float64, n) // of each coordinate, in which its information is 1
	for i := range unit {
		unit[i] = 1
		if d := math.Abs(f.Matrix.At(i, i)); d > 0 {
			unit[i] = 1 / math.Sqrt(d)
		}
	}
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			scaled.SetSym(i, j, f.Matrix.At(i, j)*unit[i]*unit[j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		return fmt.Errorf("em: information: %w: it has no eigenvalues", ErrNotIdentified)
	}
	least := eigen.Values(nil)[0] // in ascending order
	if least > informationRounding {
		return nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	direction := mat.Col(nil, 0, &vectors)
	for i := range direction {
		direction[i] *= unit[i]
	}
	kind := ErrNotIdentified
	if least < -informationRounding {
		kind = ErrNotMaximum
	}
	return fmt.Errorf("em: information: %w: %s", kind, f.moved(direction))
}

// moved names the parameters that move in a direction of the coordinates.
func (f *Information) moved(direction []float64) string {
	var move mat.VecDense
	move.MulVec(f.jacobian, mat.NewVecDense(len(direction), direction))
	most := mat.Norm(&move, math.Inf(1))
	var names []string
	for i := range move.Len() {
		if math.Abs(move.AtVec(i)) > most/100 {
			names = append(names, f.coordinates.params.Name(int32(i)))
		}
	}
	const shown = 10
	if more := len(names) - shown; more > 0 {
		names = append(names[:shown], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
