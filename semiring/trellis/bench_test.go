package trellis_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
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

// trellis returns the trellis of the observations and its block.
func (m *hmm) trellis() (*trellis.Trellis, *trellis.Block) {
	block, err := trellis.NewBlock(m.states, m.states, scaled(slices.Concat(m.transition...)...))
	if err != nil {
		panic(err)
	}
	emit := make([][]weight, len(m.emit))
	for x, p := range m.emit {
		emit[x] = scaled(p...)
	}
	nodes := make([][]weight, len(m.symbols))
	for t, x := range m.symbols {
		nodes[t] = emit[x]
	}
	t, err := trellis.New(scaled(m.initial...), []*trellis.Block{block}, make([]int32, len(nodes)-1), nodes, nil)
	if err != nil {
		panic(err)
	}
	return t, block
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

func TestByHand(t *testing.T) {
	m := randomHMM(7, 5, 3000)
	h := newByHand(m)
	logL := h.run(m)
	tr, block := m.trellis()
	p := zeros(tr, len(m.symbols)-1, block)
	total, err := tr.Counts(1, p, new(trellis.Scratch))
	if err != nil || !near(total.Log(), logL) {
		t.Fatalf("ln total %v, %v, want %v", total.Log(), err, logL)
	}
	close := func(a, b float64) bool { return math.Abs(a-b) < 1e-11*max(1, b) }
	if !slices.EqualFunc(p.Node, h.node, close) || !slices.EqualFunc(p.Block[0], h.count, close) {
		t.Error("other posteriors than by hand")
	}
}

// Every query of a hidden Markov model, and its posteriors by hand; ns per arc and step.
func BenchmarkTrellis(b *testing.B) {
	for _, size := range []struct{ states, steps int }{{3, 10_000}, {10, 10_000}, {50, 10_000}, {200, 1000}} {
		n := size.states
		m := randomHMM(n, 20, size.steps+1)
		arcs := n * n * (len(m.symbols) - 1)
		b.Run(fmt.Sprintf("%d/hand", n), func(b *testing.B) {
			h := newByHand(m)
			defer benchtime.Per(b, arcs, "arc")()
			for b.Loop() {
				h.run(m)
			}
		})
		t, block := m.trellis()
		p, v, s := zeros(t, size.steps, block), zeros(t, size.steps, block), new(trellis.Scratch)
		for i := range v.Block[0] {
			v.Block[0][i] = float64(i % 7)
		}
		var path []int32
		for _, query := range []struct {
			name string
			run  func() error
		}{
			{"Counts", func() error { _, err := t.Counts(1, trellis.Parts{Node: p.Node, Block: p.Block}, s); return err }},
			{"HessianVector", func() error { _, err := t.HessianVector(v, 1, p, s); return err }},
			{"PathSum", func() error { t.PathSum(s); return nil }},
			{"BestPath", func() (err error) { path, _, err = t.BestPath(path[:0], s); return err }},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, query.name), func(b *testing.B) {
				if err := query.run(); err != nil { // scratch grows
					b.Fatal(err)
				}
				b.ReportAllocs()
				defer benchtime.Per(b, arcs, "arc")()
				for b.Loop() {
					if err := query.run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Sums weight by weight: cells lie too far apart for float64 numbers.
func BenchmarkFarApart(b *testing.B) {
	for _, n := range []int{3, 30} {
		r := graphtest.Rand(1)
		cells := make([]weight, n*n)
		for i := range cells {
			cells[i] = semiring.ScaledFromLog(-2000 * r.Float64())
		}
		const steps = 200
		block := must(trellis.NewBlock(n, n, cells))
		t := must(trellis.New(cells[:n], []*trellis.Block{block}, make([]int32, steps), nil, nil))
		p, v, s := zeros(t, steps, block), zeros(t, steps, block), new(trellis.Scratch)
		for i := range v.Block[0] {
			v.Block[0][i] = float64(i % 7)
		}
		for name, run := range map[string]func() error{
			"Counts":        func() error { _, err := t.Counts(1, p, s); return err },
			"HessianVector": func() error { _, err := t.HessianVector(v, 1, p, s); return err },
			"BestPath":      func() error { _, _, err := t.BestPath(nil, s); return err },
			"PathSum":       func() error { t.PathSum(s); return nil },
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				defer benchtime.Per(b, n*n*steps, "arc")()
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
