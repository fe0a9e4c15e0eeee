package frames_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// indexed is a graph whose weights are entries of a table, and emissions of 0 and 1.
type indexed struct {
	g                   *frames.Graph
	arcs                []frames.Arc
	initial, arc, final []int32
	e                   *frames.Emissions
	refused             error
}

// newIndexed has up to most frames.
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
	states, symbols, n := 1+r.Int32N(5), 1+r.IntN(3), 1+r.IntN(most)
	m := new(indexed)
	for range 2 + r.IntN(12) {
		a := frames.Arc{From: r.Int32N(states), To: r.Int32N(states), Symbol: r.Int32N(int32(symbols))}
		if r.IntN(4) == 0 && a.From != a.To {
			a.From, a.To, a.Symbol = min(a.From, a.To), max(a.From, a.To), frames.Epsilon
		}
		m.arcs = append(m.arcs, a)
	}
	m.initial, m.arc, m.final = entries(int(states)), entries(len(m.arcs)), entries(int(states))
	p := make([]float64, n*symbols)
	for i := range p {
		if i%symbols == 0 || r.IntN(3) > 0 {
			p[i] = 1
		}
	}
	var err error
	if m.g, err = frames.New(int(states), symbols, m.arcs); err != nil {
		panic(err)
	}
	if m.e, err = frames.Probabilities(n, symbols, p, &frames.Options{AnySum: true}); err != nil {
		panic(err)
	}
	frames.Segment([]int{0, 10, 1 << 20}[r.IntN(3)])
	return m
}

// weigh sets the weights. An error is for questions to return.
func (m *indexed) weigh(table []semiring.ScaledFloat) error {
	of := func(index []int32) []semiring.ScaledFloat {
		w := make([]semiring.ScaledFloat, len(index))
		for i, k := range index {
			w[i] = table[k]
		}
		return w
	}
	m.refused = m.g.SetWeights(frames.Weights{Initial: of(m.initial), Arc: of(m.arc), Final: of(m.final)})
	return nil
}

// ways returns the entries of all paths.
func (m *indexed) ways() (ways [][]int32, ok bool) {
	if m.e.Frames() > 4 {
		return nil, false
	}
	var follow func(way []int32, q int32, frame int)
	follow = func(way []int32, q int32, frame int) {
		if len(ways) > 500 {
			return
		}
		if frame == m.e.Frames() && m.final[q] != 0 {
			ways = append(ways, append(slices.Clone(way), m.final[q]))
		}
		for k, a := range m.arcs {
			switch way := append(slices.Clone(way), m.arc[k]); {
			case a.From != q || m.arc[k] == 0:
			case a.Symbol == frames.Epsilon:
				follow(way, a.To, frame)
			case frame < m.e.Frames() && !m.e.Weight(frame, int(a.Symbol)).IsZero():
				follow(way, a.To, frame+1)
			}
		}
	}
	for q, k := range m.initial {
		if k != 0 {
			follow([]int32{k}, int32(q), 0)
		}
	}
	return ways, len(ways) <= 500
}

// parts returns the numbers of v by part, zeros for nil.
func (m *indexed) parts(v []float64) frames.Parts {
	of := func(index []int32) []float64 {
		x := make([]float64, len(index))
		for i, k := range index {
			if v != nil {
				x[i] = v[k]
			}
		}
		return x
	}
	return frames.Parts{Initial: of(m.initial), Arc: of(m.arc), Final: of(m.final)}
}

// add adds the numbers of the parts to those of their entries.
func (m *indexed) add(count []float64, p frames.Parts) {
	for _, part := range []struct {
		index []int32
		uses  []float64
	}{{m.initial, p.Initial}, {m.arc, p.Arc}, {m.final, p.Final}} {
		for i, k := range part.index {
			count[k] += part.uses[i]
		}
	}
}

func (m *indexed) counts(weight float64, count []float64, s *frames.Scratch) (semiring.ScaledFloat, error) {
	if m.refused != nil {
		return semiring.ScaledFloat{}, m.refused
	}
	uses := m.parts(nil)
	total, err := m.g.Counts(m.e, weight, uses, nil, s)
	m.add(count, uses)
	return total, err
}

func (m *indexed) along(v []float64, weight float64, count, change []float64, s *frames.Scratch) (semiring.ScaledFloat, error) {
	if m.refused != nil {
		return semiring.ScaledFloat{}, m.refused
	}
	uses, slopes := m.parts(nil), m.parts(nil)
	total, err := m.g.HessianVector(m.e, m.parts(v), weight, uses, slopes, s)
	m.add(count, uses)
	m.add(change, slopes)
	return total, err
}

func (m *indexed) best(dst []int32, s *frames.Scratch) ([]int32, semiring.ScaledFloat, error) {
	if m.refused != nil {
		return dst, semiring.ScaledFloat{}, m.refused
	}
	path, err := m.g.BestPath(m.e, s)
	if err != nil || path.Weight.IsZero() {
		return dst, path.Weight, err
	}
	q := path.Start
	list := []int32{m.initial[q]}
	for _, k := range path.Arcs {
		list, q = append(list, m.arc[k]), m.arcs[k].To
	}
	for _, k := range append(list, m.final[q]) {
		if k != 1 {
			dst = append(dst, k)
		}
	}
	return dst, path.Weight, nil
}

func TestIndexedGraphs(t *testing.T) {
	defer frames.Largest(1 << 20)()
	sumtest.Check(t, sumtest.Storage[frames.Scratch]{
		New: func(r *rand.Rand, most int) (*sumtest.Machine[frames.Scratch], bool) {
			m := newIndexed(r, most)
			ways, ok := m.ways()
			return &sumtest.Machine[frames.Scratch]{
				Ways: m.ways, Weigh: m.weigh,
				Sum: func(s *frames.Scratch) (semiring.ScaledFloat, error) {
					if m.refused != nil {
						return semiring.ScaledFloat{}, m.refused
					}
					return m.g.PathSum(m.e, s)
				},
				Counts: m.counts, Along: m.along, Best: m.best,
			}, len(ways) > 0 || !ok
		},
		Small: 3, Large: 12, Entries: 12, Spread: 1e4, Negative: semiring.ErrNegative, Allocates: true,
	})
}
