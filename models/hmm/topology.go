package hmm

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
)

// ErrInvalid reports an invalid topology or emission. Errors about sequences wrap em.ErrInvalid.
var ErrInvalid = nested.ErrInvalid

// Topology describes the states and possible transitions of a model.
type Topology struct {
	// States is the number of states.
	States int
	// Start lists the states in which a sequence may begin (nil means all).
	Start []int
	// Next lists, for every state, the states that may follow it (nil means all states).
	Next [][]int
	// Ends lists the states after which a sequence may end; the probabilities of the sequences of
	// all lengths then sum to 1. Nil means that the length is given: the probabilities of the
	// sequences of each length sum to 1.
	Ends []int
	// Row, if not nil, ties transitions: states with the same number, counted from 0, share one
	// distribution over the indices of their lists in Next, which must be equally long, and over
	// ending.
	Row []int
	// Of, if not nil, contains for each state the number, counted from 0, of the modelled state
	// that it is a part of, as for sub-states of Durations (nil: states have no parts). An
	// emission that is made with Of gives the parts one distribution. Training does not use it.
	Of []int `json:",omitempty"`
}

// complete returns t with its defaults filled in, or an error if t is invalid.
func (t Topology) complete() (Topology, error) {
	if t.States < 1 {
		return t, nested.Errorf("hmm: %w: %d states", ErrInvalid, t.States)
	}
	all := make([]int, t.States)
	for i := range all {
		all[i] = i
	}
	if t.Next != nil && len(t.Next) != t.States {
		return t, nested.Errorf("hmm: %w: Next has lists for %d states, want one for each of %d", ErrInvalid, len(t.Next), t.States)
	}
	if t.Row != nil && len(t.Row) != t.States {
		return t, nested.Errorf("hmm: %w: Row has numbers for %d states, want one for each of %d", ErrInvalid, len(t.Row), t.States)
	}
	if t.Of != nil && len(t.Of) != t.States {
		return t, nested.Errorf("hmm: %w: Of has numbers for %d states, want one for each of %d", ErrInvalid, len(t.Of), t.States)
	}
	for i, s := range t.Of {
		if s < 0 || s >= t.States {
			return t, nested.Errorf("hmm: %w: state %d is a part of %d, want a number in [0, %d)", ErrInvalid, i, s, t.States)
		}
	}
	if t.Start == nil {
		t.Start = all
	}
	if t.Of == nil {
		t.Of = all
	}
	if t.Next == nil {
		t.Next = make([][]int, t.States)
		for i := range t.Next {
			t.Next[i] = all
		}
	}
	if t.Row == nil {
		t.Row = all
	}
	lists := append([][]int{t.Start, t.Ends}, t.Next...)
	for n, list := range lists {
		name := []string{"Start", "Ends"}
		if err := t.distinct(list); err != nil {
			if n < len(name) {
				return t, nested.Errorf("hmm: %w: %s: %w", ErrInvalid, name[n], err)
			}
			return t, nested.Errorf("hmm: %w: Next of state %d: %w", ErrInvalid, n-len(name), err)
		}
	}
	if len(t.Start) == 0 {
		return t, nested.Errorf("hmm: %w: no state to begin with", ErrInvalid)
	}
	return t, t.checkRows()
}

func (t Topology) distinct(list []int) error {
	seen := make([]bool, t.States)
	for _, i := range list {
		if i < 0 || i >= t.States {
			return fmt.Errorf("state %d of %d", i, t.States)
		}
		if seen[i] {
			return fmt.Errorf("state %d twice", i)
		}
		seen[i] = true
	}
	return nil
}

// checkRows checks that tied states have the same number of outcomes, and that
// rows are numbered without gaps.
func (t Topology) checkRows() error {
	first := make([]int, t.States)
	for i := range first {
		first[i] = -1
	}
	rows := 0
	for i, r := range t.Row {
		if r < 0 || r >= t.States {
			return nested.Errorf("hmm: %w: state %d has row %d, want a number in [0, %d)", ErrInvalid, i, r, t.States)
		}
		rows = max(rows, r+1)
		j := first[r]
		if j < 0 {
			first[r] = i
			continue
		}
		if len(t.Next[i]) != len(t.Next[j]) || t.ends(i) != t.ends(j) {
			return nested.Errorf("hmm: %w: states %d and %d share a row, but not the number of their successors and whether they end", ErrInvalid, j, i)
		}
	}
	for r, i := range first[:rows] {
		if i < 0 {
			return nested.Errorf("hmm: %w: no state has row %d", ErrInvalid, r)
		}
	}
	return nil
}

// ends reports whether a sequence may end after state i by an outcome of its row.
func (t Topology) ends(i int) bool {
	for _, j := range t.Ends {
		if j == i {
			return true
		}
	}
	return false
}

// ErrReducible reports a chain that has more than one stationary distribution, or a state without
// successors.
var ErrReducible = errors.New("no unique stationary distribution")

// Stationary returns the stationary distribution of the states under Theta, π with π·A = π, where
// A are the transitions given that the sequence does not end. It is the fraction of time that a
// long sequence spends in each state. It is the solution of a linear system of States equations.
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
			return nil, nested.Errorf("hmm: %w: state %d has no successor", ErrReducible, i)
		}
		for k, j := range next {
			a.Set(i, j, p[k]/sum)
		}
	}
	if err := oneClosedClass(a); err != nil {
		return nil, err
	}
	// πᵀ(A − I) = 0 has rank n − 1: replace the last equation by Σπ = 1.
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
		out[i] = max(0, x) // transient states come out as ± rounding errors
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
		return nested.Errorf("hmm: %w: the states reached from state %d and from state %d are two separate classes", ErrReducible, states[0], states[1])
	}
	return nil
}
