package grid

import (
	"cmp"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Arc leads from state From to state To, reads the symbol X and writes the symbol Y. Symbols are
// > 0; 0 means that the arc reads or writes no symbol.
type Arc struct{ From, To, X, Y int32 }

// kind is the set of strings in which an arc advances.
type kind uint8

const (
	removes kind = iota // it reads
	inserts             // it writes
	both
)

func kindOf(a Arc) kind {
	switch {
	case a.Y == 0:
		return removes
	case a.X == 0:
		return inserts
	}
	return both
}

// Parts holds a number for every part of a Machine: its starts, arcs and ends. As input, a nil
// slice stands for zeros; as output, it means that these numbers are not computed.
type Parts struct {
	Initial []float64 // per state: for starting there
	Arc     []float64 // per arc
	Final   []float64 // per state: for ending there
}

// Machine is a transducer whose arcs all read or write a symbol. Its methods compute sums over
// the paths that relate two strings of symbols > 0. The weight of a path is
//
//	initial(q₀) · arc(e₁) ⋯ arc(e_n) · final(q_n).
//
// A string with a symbol that the Machine lacks has no path. A Machine is safe for concurrent
// use, except for SetWeights.
type Machine struct {
	states int
	x, y   alphabet
	rows   index
	single *table // nil if the machine has no table

	// Arcs 1, 2, … in the order of their rows; row r has the arcs start[r], …, start[r+1]−1. Row
	// 0, for pairs of symbols without an arc, is empty, and arc 0 is unused.
	start    []int32
	from, to []int32
	arc      []int32 // its number in the argument of New
	kind     []kind
	weight   []semiring.ScaledFloat

	initial, final []semiring.ScaledFloat
	numbers        arcWeights[float64] // all weights, if narrow
	narrow         bool                // numbers are from 0 to greatestFactor
	lift           int                 // see setNumbers
	tilt           float64             // see setNumbers
	longestPlain   int                 // greatest length of x for plain sums

	mostNodes int // limit for the nodes of a grid before it is cut into segments
}

// New returns a machine of states 0, 1, …, states−1 with the given arcs, which are copied.
// Several arcs may have the same states and symbols. All weights are 0 until SetWeights is
// called.
//
// The error wraps semiring.ErrShape for a state out of range, a negative symbol, and an arc
// that neither reads nor writes; semiring.ErrLimit if there are too many arcs for int32.
func New(states int, arcs []Arc) (*Machine, error) {
	if states <= 0 {
		return nil, nested.Errorf("grid: %w: %d states", semiring.ErrShape, states)
	}
	if len(arcs) >= math.MaxInt32 || states > math.MaxInt32 {
		return nil, nested.Errorf("grid: %w: %d states and %d arcs", semiring.ErrLimit, states, len(arcs))
	}
	for k, a := range arcs {
		switch {
		case a.From < 0 || int(a.From) >= states || a.To < 0 || int(a.To) >= states:
			return nil, nested.Errorf("grid: %w: arc %d from state %d to state %d of %d", semiring.ErrShape, k, a.From, a.To, states)
		case a.X < 0 || a.Y < 0 || a.X == 0 && a.Y == 0:
			return nil, nested.Errorf("grid: %w: arc %d reads %d and writes %d, want symbols > 0, or 0 for one of them", semiring.ErrShape, k, a.X, a.Y)
		}
	}
	n := len(arcs) + 1
	m := &Machine{
		states: states,
		x:      newAlphabet(arcs, func(a Arc) int32 { return a.X }),
		y:      newAlphabet(arcs, func(a Arc) int32 { return a.Y }),
		start:  []int32{1},
		from:   make([]int32, n), to: make([]int32, n), arc: make([]int32, n), kind: make([]kind, n),
		weight:  make([]semiring.ScaledFloat, n),
		initial: make([]semiring.ScaledFloat, states), final: make([]semiring.ScaledFloat, states),
		numbers: arcWeights[float64]{initial: make([]float64, states), arc: make([]float64, n), final: make([]float64, states)},
		narrow:  true, tilt: 1, mostNodes: 1 << 20,
	}
	m.fill(arcs)
	if m.single = newTable(m); m.single != nil {
		m.numbers.table = make([]float64, len(m.rows.table))
	}
	return m, nil
}

// fill stores the arcs by rows, within a row by source state.
func (m *Machine) fill(arcs []Arc) {
	order := make([]int32, len(arcs))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		p, q := arcs[a], arcs[b]
		return cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y), cmp.Compare(p.From, q.From), cmp.Compare(p.To, q.To))
	})
	var pairs [][2]int32 // per row: the numbers of its two symbols
	for k, a := range order {
		arc := arcs[a]
		pair := [2]int32{m.x.number(arc.X), m.y.number(arc.Y)}
		if len(pairs) == 0 || pairs[len(pairs)-1] != pair {
			pairs = append(pairs, pair)
			m.start = append(m.start, int32(k+1))
		}
		m.from[k+1], m.to[k+1], m.arc[k+1], m.kind[k+1] = arc.From, arc.To, a, kindOf(arc)
	}
	m.start = append(m.start, int32(len(arcs)+1))
	m.rows = newIndex(m.x.size(), m.y.size(), pairs)
}

// NumStates returns the number of states.
func (m *Machine) NumStates() int { return m.states }

// NumArcs returns the number of arcs.
func (m *Machine) NumArcs() int { return len(m.arc) - 1 }

// GridSize returns the numbers of nodes and arcs of the grid of x and y, including nodes and arcs
// that are on no path. It takes time proportional to |x|·|y|.
func (m *Machine) GridSize(x, y []int32, s *Scratch) (nodes, arcs int64) {
	own := contentOf(s)
	p := &own.pair
	nodes = int64(len(x)+1) * int64(len(y)+1) * int64(m.states)
	if !p.take(m, x, y) {
		return nodes, 0
	}
	p.findRows()
	size := func(r int32) int64 { return int64(m.start[r+1] - m.start[r]) }
	for _, r := range p.insert {
		arcs += size(r) * int64(len(x)+1)
	}
	for step, r := range p.remove {
		arcs += size(r) * int64(len(y)+1)
		p.lo, p.hi = step, step+1
		p.prepare()
		for _, r := range p.both(step) {
			arcs += size(r)
		}
	}
	return nodes, arcs
}
