package oracle

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/semiring/graph"
)

// Solution is the path sum of a graph and the forward and backward weights of its states.
type Solution struct {
	Total       float64
	Alpha, Beta []float64
}

// Solve returns the solution of the linear equations α = λ + α·A and β = A·β + ρ of g, by a
// dense factorization of I − A. The test fails if there is no solution.
func Solve(t testing.TB, g *graph.Graph[float64]) Solution {
	t.Helper()
	n := g.NumStates()
	if n == 0 {
		return Solution{}
	}
	a, lambda, rho := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, g.Finals())
	for s := range n {
		a.Set(s, s, 1)
	}
	for s := range n {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			q := int(g.To()[e])
			a.Set(s, q, a.At(s, q)-g.Weights()[e])
		}
	}
	for _, start := range g.Starts() {
		lambda.SetVec(int(start.State), lambda.AtVec(int(start.State))+start.Weight)
	}
	var alpha, beta mat.VecDense
	if err := alpha.SolveVec(a.T(), lambda); err != nil {
		t.Fatal(err)
	}
	if err := beta.SolveVec(a, rho); err != nil {
		t.Fatal(err)
	}
	return Solution{mat.Dot(lambda, &beta), alpha.RawVector().Data, beta.RawVector().Data}
}
