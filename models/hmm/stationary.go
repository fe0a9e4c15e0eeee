package hmm

import (
	"errors"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
)

// ErrReducible is wrapped by the error for a chain that has more than one stationary
// distribution, or a state that nothing follows.
var ErrReducible = errors.New("no unique stationary distribution")

// Stationary returns the stationary distribution of the states under Theta, π with
// π·A = π, where A are the transitions given that the sequence does not end: the
// share of time that a long sequence spends in each state. It is the solution of a
// linear system of States equations.
func (m *Model[O]) Stationary() ([]float64, error) {
	if err := m.Params.Check(m.Theta); err != nil {
		return nil, err
	}
	n := m.topology.States
	a := mat.NewDense(n, n, nil)
	for i, next := range m.topology.Next {
		p := m.Row(i).In(m.Theta)[:len(next)]
		sum := 0.0
		for _, x := range p {
			sum += x
		}
		if sum == 0 {
			return nil, nested.Errorf("hmm: %w: nothing follows state %d", ErrReducible, i)
		}
		for k, j := range next {
			a.Set(i, j, p[k]/sum)
		}
	}
	if err := oneClosedClass(a); err != nil {
		return nil, err
	}
	// πᵀ(A − I) = 0 has rank n − 1: the last equation gives way to Σπ = 1.
	system := mat.DenseCopyOf(a.T())
	right := mat.NewVecDense(n, nil)
	for i := range n {
		system.Set(i, i, system.At(i, i)-1)
	}
	for j := range n {
		system.Set(n-1, j, 1)
	}
	right.SetVec(n-1, 1)
	var pi mat.VecDense
	if err := pi.SolveVec(system, right); err != nil {
		return nil, nested.Errorf("hmm: %w: %w", ErrReducible, err)
	}
	out := pi.RawVector().Data
	for i, x := range out {
		out[i] = max(0, x) // states that are left for good come out as ±rounding
	}
	return out, nil
}

// oneClosedClass returns an error if a has two sets of states that are never left.
func oneClosedClass(a *mat.Dense) error {
	n, _ := a.Dims()
	g := simple.NewDirectedGraph()
	for i := range n {
		g.AddNode(simple.Node(i))
	}
	for i := range n {
		for j := range n {
			if i != j && a.At(i, j) > 0 {
				g.SetEdge(simple.Edge{F: simple.Node(i), T: simple.Node(j)})
			}
		}
	}
	class := make([]int, n)
	classes := topo.TarjanSCC(g)
	for c, nodes := range classes {
		for _, v := range nodes {
			class[v.ID()] = c
		}
	}
	closed := make([]bool, len(classes))
	for c := range closed {
		closed[c] = true
	}
	for i := range n {
		for j := range n {
			if a.At(i, j) > 0 && class[i] != class[j] {
				closed[class[i]] = false
			}
		}
	}
	var states []int64
	for c, nodes := range classes {
		if closed[c] {
			states = append(states, nodes[0].ID())
		}
	}
	if len(states) > 1 {
		return nested.Errorf("hmm: %w: neither what state %d leads to nor what state %d leads to is ever left", ErrReducible, states[0], states[1])
	}
	return nil
}
