package grid_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/grid"
)

// indexed is a machine whose weights are entries of a table, and two strings.
type indexed struct {
	*grid.Machine
	arcs                []grid.Arc
	initial, arc, final []int32
	weights             grid.Weights
	x, y                []int32
}

// newIndexed has strings of up to most symbols.
func newIndexed(r *rand.Rand, most int) *indexed {
	entries := func(n int) []int32 {
		k := make([]int32, n)
		for i := range k {
			if r.IntN(8) > 0 {
				k[i] = 1 + r.Int32N(11)
			}
		}
		return k
	}
	symbols := [][]int32{{1, 2}, {3, 1 << 30}, {7}}[r.IntN(3)]
	text := func() (x []int32) {
		for range r.IntN(most + 1) {
			x = append(x, symbols[r.IntN(len(symbols))])
		}
		return x
	}
	states := 1 + r.Int32N(3)
	m := &indexed{x: text(), y: text()}
	pairs := map[[2]int32]bool{}
	for range 2 + r.IntN(10) {
		a := grid.Arc{From: r.Int32N(states), To: r.Int32N(states)}
		kind := r.IntN(3)
		if kind != 0 {
			a.X = symbols[r.IntN(len(symbols))]
		}
		if kind != 1 {
			a.Y = symbols[r.IntN(len(symbols))]
		}
		if pair := [2]int32{a.X, a.Y}; !pairs[pair] || states > 1 || r.IntN(8) == 0 {
			pairs[pair] = true // most machines of one state have no parallel arcs
			m.arcs = append(m.arcs, a)
		}
	}
	m.initial, m.arc, m.final = entries(int(states)), entries(len(m.arcs)), entries(int(states))
	m.weights = grid.Weights{
		Initial: make([]semiring.ScaledFloat, states), Arc: make([]semiring.ScaledFloat, len(m.arcs)), Final: make([]semiring.ScaledFloat, states),
	}
	var err error
	if m.Machine, err = grid.New(int(states), m.arcs); err != nil {
		panic(err)
	}
	m.Segment([]int{0, 10, 1 << 20}[r.IntN(3)])
	return m
}

func (m *indexed) weigh(table []semiring.ScaledFloat) error {
	for i, k := range m.initial {
		m.weights.Initial[i] = table[k]
	}
	for i, k := range m.arc {
		m.weights.Arc[i] = table[k]
	}
	for i, k := range m.final {
		m.weights.Final[i] = table[k]
	}
	return m.SetWeights(m.weights)
}

// ways returns the entries of all paths.
func (m *indexed) ways() (ways [][]int32, ok bool) {
	if len(m.x)+len(m.y) > 6 {
		return nil, false
	}
	var follow func(way []int32, q int32, x, y []int32)
	follow = func(way []int32, q int32, x, y []int32) {
		if len(x)+len(y) == 0 && m.final[q] != 0 {
			ways = append(ways, append(slices.Clone(way), m.final[q]))
		}
		for k, a := range m.arcs {
			i, j := min(int(a.X), 1), min(int(a.Y), 1)
			if a.From == q && m.arc[k] != 0 && len(x) >= i && len(y) >= j && (i == 0 || x[0] == a.X) && (j == 0 || y[0] == a.Y) {
				follow(append(slices.Clone(way), m.arc[k]), a.To, x[i:], y[j:])
			}
		}
	}
	for q, k := range m.initial {
		if k != 0 {
			follow([]int32{k}, int32(q), m.x, m.y)
		}
	}
	if len(ways) > 500 {
		return nil, false
	}
	return ways, true
}

// partsScratch is working storage for queries of a machine of entries.
type partsScratch struct {
	grid.Scratch
	in, out, change grid.Parts
	path            []int32
}

// parts returns the numbers of v by part, zeros for nil.
func (m *indexed) parts(p *grid.Parts, v []float64) grid.Parts {
	fill := func(x []float64, index []int32) []float64 {
		if cap(x) < len(index) {
			x = make([]float64, len(index))
		}
		x = x[:len(index)]
		clear(x)
		for i, k := range index {
			if v != nil {
				x[i] = v[k]
			}
		}
		return x
	}
	p.Initial, p.Arc, p.Final = fill(p.Initial, m.initial), fill(p.Arc, m.arc), fill(p.Final, m.final)
	return *p
}

// add adds the numbers of the parts to the numbers of their entries.
func (m *indexed) add(count []float64, p grid.Parts) {
	for i, k := range m.initial {
		count[k] += p.Initial[i]
	}
	for i, k := range m.arc {
		count[k] += p.Arc[i]
	}
	for i, k := range m.final {
		count[k] += p.Final[i]
	}
}

func (m *indexed) counts(weight float64, count []float64, s *partsScratch) (semiring.ScaledFloat, error) {
	out := m.parts(&s.out, nil)
	total, err := m.Counts(m.x, m.y, weight, out, &s.Scratch)
	m.add(count, out)
	return total, err
}

func (m *indexed) along(v []float64, weight float64, count, change []float64, s *partsScratch) (semiring.ScaledFloat, error) {
	in, out, slope := m.parts(&s.in, v), m.parts(&s.out, nil), m.parts(&s.change, nil)
	total, err := m.HessianVector(m.x, m.y, in, weight, out, slope, &s.Scratch)
	m.add(count, out)
	m.add(change, slope)
	return total, err
}

func (m *indexed) best(dst []int32, s *partsScratch) ([]int32, semiring.ScaledFloat, error) {
	path, q, weight, err := m.BestPath(s.path[:0], m.x, m.y, &s.Scratch)
	s.path = path
	if err != nil || weight.IsZero() {
		return dst, weight, err
	}
	list := append(dst, m.initial[q])
	for _, e := range path {
		list, q = append(list, m.arc[e]), m.arcs[e].To
	}
	list = append(list, m.final[q])
	kept := len(dst)
	for _, k := range list[len(dst):] {
		if k != 1 {
			list[kept] = k
			kept++
		}
	}
	return list[:kept], weight, nil
}

func TestIndexedMachines(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[partsScratch]{
		New: func(r *rand.Rand, most int) (*sumtest.Machine[partsScratch], bool) {
			m := newIndexed(r, most)
			ways, ok := m.ways()
			return &sumtest.Machine[partsScratch]{
				Ways: m.ways, Weigh: m.weigh,
				Sum:    func(s *partsScratch) (semiring.ScaledFloat, error) { return m.PathSum(m.x, m.y, &s.Scratch), nil },
				Counts: m.counts, Along: m.along, Best: m.best,
			}, len(ways) > 0 || !ok
		},
		Small: 3, Large: 12, Entries: 12, Spread: 1e4, // beyond, ∞ · 0 may be NaN
	})
}
