package graph_test

import (
	"fmt"
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// hmm is a hidden Markov model with a sequence of observations.
type hmm struct {
	states           int
	initial          []float64
	transition, emit [][]float64 // emit is by symbol
	symbols          []int
}

func randomHMM(states, symbols, length int) *hmm {
	r := graphtest.Rand(1)
	distribution := func(n int) []float64 {
		p, sum := make([]float64, n), 0.0
		for i := range p {
			p[i] = r.ExpFloat64()
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	m := &hmm{states: states, initial: distribution(states), emit: make([][]float64, symbols)}
	for x := range m.emit {
		m.emit[x] = make([]float64, states)
	}
	for i := range states {
		m.transition = append(m.transition, distribution(states))
		for x, p := range distribution(symbols) {
			m.emit[x][i] = p
		}
	}
	for range length {
		m.symbols = append(m.symbols, r.IntN(symbols))
	}
	return m
}

// hmmTrellis is m over a ring; weight is the map of a number to it.
func hmmTrellis[W any](m *hmm, ring semiring.Semiring[W], weight func(float64) W) *graph.Trellis[W] {
	vector := func(p []float64) (v []W) {
		for _, x := range p {
			v = append(v, weight(x))
		}
		return v
	}
	var cells []W
	for _, p := range m.transition {
		cells = append(cells, vector(p)...)
	}
	block, err := graph.NewBlock(ring, m.states, m.states, cells)
	if err != nil {
		panic(err)
	}
	emit := make([][]W, len(m.emit))
	for x, p := range m.emit {
		emit[x] = vector(p)
	}
	nodes := make([][]W, len(m.symbols))
	for t, x := range m.symbols {
		nodes[t] = emit[x]
	}
	t, err := graph.NewTrellis(ring, vector(m.initial), []*graph.Block[W]{block}, make([]int32, len(nodes)-1), nodes, nil)
	if err != nil {
		panic(err)
	}
	return t
}

// byHand is the usual scaled forward-backward algorithm, each layer normalized to sum
// 1; it returns the logarithm of the total.
type byHand struct {
	alpha, norm   []float64
	beta, next, z []float64
	count         []float64
	node          []float64
}

func newByHand(m *hmm) *byHand {
	n, length := m.states, len(m.symbols)
	vector := func(n int) []float64 { return make([]float64, n) }
	return &byHand{vector(n * length), vector(length), vector(n), vector(n), vector(n), vector(n * n), vector(n * length)}
}

func (h *byHand) run(m *hmm) float64 {
	n, length := m.states, len(m.symbols)
	logL := 0.0
	for t := range length {
		x, e := h.alpha[t*n:(t+1)*n], m.emit[m.symbols[t]]
		if t == 0 {
			copy(x, m.initial)
		} else {
			clear(x)
			for i, a := range h.alpha[(t-1)*n : t*n] {
				for j, p := range m.transition[i] {
					x[j] += a * p
				}
			}
		}
		sum := 0.0
		for j := range x {
			x[j] *= e[j]
			sum += x[j]
		}
		h.norm[t] = 1 / sum
		for j := range x {
			x[j] *= h.norm[t]
		}
		logL += math.Log(sum)
	}
	clear(h.count)
	for i := range h.beta {
		h.beta[i] = 1
	}
	for t := length - 1; ; t-- {
		for i, a := range h.alpha[t*n : (t+1)*n] {
			h.node[t*n+i] = a * h.beta[i]
		}
		if t == 0 {
			break
		}
		for j, e := range m.emit[m.symbols[t]] {
			h.z[j] = e * h.beta[j] * h.norm[t]
		}
		for i, a := range h.alpha[(t-1)*n : t*n] {
			sum, count := 0.0, h.count[i*n:(i+1)*n]
			for j, p := range m.transition[i] {
				x := p * h.z[j]
				sum += x
				count[j] += a * x
			}
			h.next[i] = sum
		}
		h.beta, h.next = h.next, h.beta
	}
	return logL
}

func TestTrellisByHand(t *testing.T) {
	m := randomHMM(7, 5, 3000)
	h := newByHand(m)
	logL := h.run(m)
	p, err := hmmTrellis(m, semiring.Scaled{}, semiring.NewScaled).Posteriors(new(graph.TrellisScratch[semiring.ScaledFloat]))
	if err != nil || !near(p.Total.Log(), logL) {
		t.Fatalf("ln total %v, %v, want %v", p.Total.Log(), err, logL)
	}
	close := func(a, b float64) bool { return math.Abs(a-b) < 1e-11*max(1, b) }
	if !nearSlices(p.Node, h.node, close) || !nearSlices(p.Block[0], h.count, close) {
		t.Error("other posteriors than by hand")
	}
}

// Forward, backward and posteriors; ns per arc and step.
func BenchmarkTrellis(b *testing.B) {
	for _, size := range []struct{ states, steps int }{{10, 10_000}, {50, 10_000}, {200, 1000}} {
		n := size.states
		m := randomHMM(n, 20, size.steps+1)
		arcs := n * n * (len(m.symbols) - 1)
		b.Run(fmt.Sprintf("%d/hand", n), func(b *testing.B) {
			h := newByHand(m)
			defer perArc(b, arcs)()
			for b.Loop() {
				h.run(m)
			}
		})
		b.Run(fmt.Sprintf("%d/Scaled", n), func(b *testing.B) {
			benchTrellis(b, hmmTrellis(m, semiring.Scaled{}, semiring.NewScaled), arcs)
		})
		b.Run(fmt.Sprintf("%d/Log", n), func(b *testing.B) {
			if n > 50 {
				b.Skip("slow")
			}
			benchTrellis(b, hmmTrellis(m, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) }), arcs)
		})
		b.Run(fmt.Sprintf("%d/Tropical/BestPath", n), func(b *testing.B) {
			t := hmmTrellis(m, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(-math.Log(x)) })
			s, path := new(graph.TrellisScratch[semiring.Cost]), []int32(nil)
			path, _, _ = t.BestPath(path, s) // scratch grows
			b.ReportAllocs()
			defer perArc(b, arcs)()
			for b.Loop() {
				path, _, _ = t.BestPath(path[:0], s)
			}
		})
	}
}

func benchTrellis[W any](b *testing.B, t *graph.Trellis[W], arcs int) {
	node := make([]float64, t.NumNodes())
	cells := [][]float64{make([]float64, t.Blocks()[0].NumCells())}
	s := new(graph.TrellisScratch[W])
	if _, err := t.Counts(1, node, cells, s); err != nil { // scratch grows
		b.Fatal(err)
	}
	b.ReportAllocs()
	defer perArc(b, arcs)()
	for b.Loop() {
		if _, err := t.Counts(1, node, cells, s); err != nil {
			b.Fatal(err)
		}
	}
}
