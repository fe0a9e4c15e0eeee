package frames_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/internal/trials"
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
	if m.e, err = frames.Probabilities(n, symbols, p, &frames.Options{Unnormalized: true}); err != nil {
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

// add adds the numbers of the parts to the numbers of their entries.
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

// TestHessianVector compares derivatives of expected uses with divided differences, extrapolated,
// for graphs with cycles of ε arcs and without.
func TestHessianVector(t *testing.T) {
	var s frames.Scratch
	tried := 0
	for seed := range trials.Seeds(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := shape{states: 1 + r.IntN(6), symbols: 3, arcs: 4 + r.IntN(20), epsilon: .3, spread: 1, acyclic: seed%2 == 0}.machine(t, r)
		e := noise(t, r, 1+r.IntN(8), 3, 2, true)
		v := m.parts()
		for _, x := range [][]float64{v.Initial, v.Arc, v.Final} {
			for i := range x {
				x[i] = r.NormFloat64()
			}
		}
		const factor = -3
		want, uses, change := m.parts(), m.parts(), m.parts()
		sum, err := m.Counts(e, factor, want, nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		total, err := m.HessianVector(e, v, factor, uses, change, &s)
		if err != nil || apart(total, sum) > 1e-12 {
			t.Fatalf("seed %d: sum %v, %v, want %v", seed, total, err, sum)
		}
		if sum.IsZero() {
			continue
		}
		tried++
		if d := farthest(uses.Arc, want.Arc) + farthest(uses.Initial, want.Initial) + farthest(uses.Final, want.Final); d > 1e-11 {
			t.Fatalf("seed %d: uses are wrong by %v", seed, d)
		}
		moved := func(h float64) frames.Parts {
			w := frames.Weights{}
			move := func(x []weight, v []float64) (y []weight) {
				for i := range x {
					y = append(y, x[i].Mul(semiring.ScaledFromLog(h*v[i])))
				}
				return y
			}
			w.Initial, w.Arc, w.Final = move(m.weights.Initial, v.Initial), move(m.weights.Arc, v.Arc), move(m.weights.Final, v.Final)
			if err := m.SetWeights(w); err != nil {
				t.Fatal(err)
			}
			out := m.parts()
			if _, err := m.Counts(e, factor, out, nil, &s); err != nil {
				t.Fatal(err)
			}
			m.set(t)
			return out
		}
		const h = 1e-3
		a, b, c, d := moved(h), moved(-h), moved(h/2), moved(-h/2)
		check := func(name string, got, a, b, c, d []float64) {
			for i := range got {
				want := (4*(c[i]-d[i])/h - (a[i]-b[i])/(2*h)) / 3
				if math.Abs(got[i]-want) > 1e-7*(1+math.Abs(want)) {
					t.Fatalf("seed %d: uses of %s %d change by %v, want %v", seed, name, i, got[i], want)
				}
			}
		}
		check("start", change.Initial, a.Initial, b.Initial, c.Initial, d.Initial)
		check("arc", change.Arc, a.Arc, b.Arc, c.Arc, d.Arc)
		check("end", change.Final, a.Final, b.Final, c.Final, d.Final)
	}
	if tried < 20 {
		t.Errorf("only %d graphs", tried)
	}
	m := chain(t, 2, []int32{0})
	if _, err := m.HessianVector(scores(t, 3, 2, make([]float64, 6), nil), frames.Parts{Arc: []float64{1}}, 1, frames.Parts{}, frames.Parts{}, &s); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("a direction for one arc: %v", err)
	}
}
