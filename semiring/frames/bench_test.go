package frames_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/semiring/frames"
	"example.org/pathsum/semiring/graph"
)

// BenchmarkCTC measures sums and counts over the chain of a transcript, per cell (one of 2|y|+1
// states after one of 500 frames), beside loops for this chain alone and beside the written
// product.
func BenchmarkCTC(b *testing.B) {
	const n, symbols, length = 500, 30, 100
	r := rand.New(rand.NewPCG(1, 9))
	labels := randomLabels(r, length, symbols)
	for _, c := range []struct {
		name   string
		labels []int32
		depth  float64
	}{
		{"soft", labels, 3}, {"peaky", labels, 30}, {"wrong", randomLabels(r, length, symbols), 30},
		{"extreme", randomLabels(r, length, symbols), 300},
	} {
		e := peaky(b, r, n, symbols, labels, c.depth)
		m, h := chain(b, symbols, c.labels), newByHand(symbols, c.labels, e)
		gamma, uses, change, s := make([]float64, n*symbols), m.parts(), m.parts(), new(frames.Scratch)
		written := func(posteriors bool) {
			product, _, err := m.Product(e)
			if err == nil && posteriors {
				_, err = graph.Posteriors(product)
			} else if err == nil {
				_, err = graph.PathSum(product)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		counts := func(uses frames.Parts, gamma []float64) {
			if _, err := m.Counts(e, 1, uses, gamma, s); err != nil {
				b.Fatal(err)
			}
		}
		for _, q := range []struct {
			name string
			ask  func()
		}{
			{"PathSum", func() {
				if _, err := m.PathSum(e, s); err != nil {
					b.Fatal(err)
				}
			}},
			{"γ", func() { counts(frames.Parts{}, gamma) }},
			{"γ and uses", func() { counts(uses, gamma) }},
			{"BestPath", func() {
				if _, err := m.BestPath(e, s); err != nil {
					b.Fatal(err)
				}
			}},
			{"HessianVector", func() {
				if _, err := m.HessianVector(e, frames.Parts{Arc: uses.Arc}, 1, change, change, s); err != nil {
					b.Fatal(err)
				}
			}},
			{"by hand, γ", func() { clear(gamma); h.counts(symbols, gamma) }},
			{"by hand in logarithms, γ", func() { clear(gamma); h.logCounts(symbols, gamma) }},
			{"written, PathSum", func() { written(false) }},
			{"written, Posteriors", func() { written(true) }},
		} {
			b.Run(c.name+"/"+q.name, func(b *testing.B) {
				defer benchtime.Per(b, n*(2*length+1), "cell")()
				for b.Loop() {
					q.ask()
				}
			})
		}
	}
}

// BenchmarkBatch measures γ of 32 transcripts, of which each is compiled once and then asked about.
func BenchmarkBatch(b *testing.B) {
	const n, symbols, length, batch = 500, 30, 100, 32
	r := rand.New(rand.NewPCG(2, 9))
	var e []*frames.Emissions
	var machines []*machine
	var hands []*byHand
	var labels [][]int32
	for i := range batch {
		labels = append(labels, randomLabels(r, length, symbols))
		e = append(e, peaky(b, r, n, symbols, labels[i], 10))
		machines, hands = append(machines, chain(b, symbols, labels[i])), append(hands, newByHand(symbols, labels[i], e[i]))
	}
	gamma, s := make([]float64, n*symbols), new(frames.Scratch)
	for name, ask := range map[string]func(i int){
		"γ": func(i int) {
			if _, err := machines[i].Counts(e[i], 1, frames.Parts{}, gamma, s); err != nil {
				b.Fatal(err)
			}
		},
		"compiled and γ": func(i int) {
			if _, err := chain(b, symbols, labels[i]).Counts(e[i], 1, frames.Parts{}, gamma, s); err != nil {
				b.Fatal(err)
			}
		},
		"by hand": func(i int) { clear(gamma); hands[i].counts(symbols, gamma) },
	} {
		b.Run(name, func(b *testing.B) {
			defer benchtime.Per(b, batch*n*(2*length+1), "cell")()
			for b.Loop() {
				for i := range batch {
					ask(i)
				}
			}
		})
	}
}

// BenchmarkGraphs measures γ for random graphs with k arcs per state, per arc and frame.
func BenchmarkGraphs(b *testing.B) {
	const n, symbols = 200, 40
	for _, states := range []int{100, 10_000} {
		r := rand.New(rand.NewPCG(3, 9))
		m := shape{states: states, symbols: symbols, arcs: 10 * states, spread: 1}.machine(b, r)
		e := noise(b, r, n, symbols, 3, false)
		gamma, uses, s := make([]float64, n*symbols), m.parts(), new(frames.Scratch)
		for name, uses := range map[string]frames.Parts{"γ": {}, "γ and uses": uses} {
			b.Run(fmt.Sprintf("states=%d/%s", states, name), func(b *testing.B) {
				defer benchtime.Per(b, n*10*states, "arc")()
				for b.Loop() {
					if _, err := m.Counts(e, 1, uses, gamma, s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkScores measures how long it takes to make emissions of scores, per number.
func BenchmarkScores(b *testing.B) {
	const n, symbols = 500, 30
	r := rand.New(rand.NewPCG(4, 9))
	x := make([]float32, n*symbols)
	for i := range x {
		x[i] = 10 * float32(r.NormFloat64())
	}
	defer benchtime.Per(b, len(x), "number")()
	for b.Loop() {
		if _, err := frames.Scores(n, symbols, x, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// byHand is the forward-backward algorithm of CTC as one would write it: for the chain of labels
// alone, over probabilities, each frame divided by its sum. It is wrong if that underflows.
type byHand struct {
	labels      []int32 // with blanks
	skip        []bool
	alpha       []float64 // frames × states
	beta, z     []float64
	probability []float64 // frames × symbols
}

func newByHand(symbols int, labels []int32, e *frames.Emissions) *byHand {
	h := &byHand{probability: make([]float64, e.Frames()*symbols)}
	blank := int32(symbols - 1)
	h.labels = append(h.labels, blank)
	for _, y := range labels {
		h.labels = append(h.labels, y, blank)
	}
	n := len(h.labels)
	h.skip = make([]bool, n+2) // a state may be entered from the one before the last
	for s := 3; s < n; s += 2 {
		h.skip[s] = h.labels[s] != h.labels[s-2]
	}
	for t := range e.Frames() {
		for v := range symbols {
			h.probability[t*symbols+v] = math.Exp(e.Log(t, v))
		}
	}
	h.alpha, h.beta, h.z = make([]float64, n*e.Frames()), make([]float64, n), make([]float64, n+2)
	return h
}

// counts adds γ to gamma and returns ln Z.
func (h *byHand) counts(symbols int, gamma []float64) (nats float64) {
	n, frames := len(h.labels), len(h.probability)/symbols
	var before []float64
	for t := range frames {
		p, alpha := h.probability[t*symbols:][:symbols], h.alpha[t*n:][:n]
		lo, hi := max(0, n-2*(frames-t)), min(n, 2*t+2)
		sum := 0.0
		if t == 0 {
			clear(alpha)
			alpha[0] = p[h.labels[0]]
			alpha[1] = p[h.labels[1]]
			sum = alpha[0] + alpha[1]
		} else {
			clear(alpha[:lo])
			clear(alpha[hi:])
			for s := lo; s < hi; s++ {
				a := before[s]
				if s > 0 {
					a += before[s-1]
				}
				if h.skip[s] {
					a += before[s-2]
				}
				a *= p[h.labels[s]]
				alpha[s] = a
				sum += a
			}
		}
		if t == frames-1 {
			sum = alpha[n-1] + alpha[n-2]
		}
		nats += math.Log(sum)
		for s := lo; s < hi; s++ {
			alpha[s] /= sum
		}
		before = alpha
	}
	beta, z := h.beta, h.z
	clear(beta)
	beta[n-1], beta[n-2] = 1, 1
	for t := frames - 1; t >= 0; t-- {
		p, alpha, g := h.probability[t*symbols:][:symbols], h.alpha[t*n:][:n], gamma[t*symbols:][:symbols]
		lo, hi := max(0, n-2*(frames-t)), min(n, 2*t+2)
		sum := 0.0
		for s := lo; s < hi; s++ {
			x := alpha[s] * beta[s]
			g[h.labels[s]] += x
			sum += beta[s] * p[h.labels[s]]
		}
		scale := 1 / sum
		clear(z)
		for s := lo; s < hi; s++ {
			z[s] = beta[s] * p[h.labels[s]] * scale
		}
		total := 0.0
		for _, x := range g {
			total += x
		}
		for v := range g {
			g[v] /= total
		}
		lo = max(0, lo-2)
		for s := lo; s < hi; s++ {
			b := z[s] + z[s+1]
			if h.skip[s+2] {
				b += z[s+2]
			}
			beta[s] = b
		}
	}
	return nats
}

// logCounts is counts over logarithms.
func (h *byHand) logCounts(symbols int, gamma []float64) float64 {
	n, frames := len(h.labels), len(h.probability)/symbols
	none := math.Inf(-1)
	add := func(a, b, c float64) float64 {
		top := max(a, b, c)
		if top == none {
			return top
		}
		return top + math.Log(math.Exp(a-top)+math.Exp(b-top)+math.Exp(c-top))
	}
	logs := make([]float64, len(h.probability))
	for i, p := range h.probability {
		logs[i] = math.Log(p)
	}
	for i := range h.alpha {
		h.alpha[i] = none
	}
	h.alpha[0], h.alpha[1] = logs[h.labels[0]], logs[h.labels[1]]
	for t := 1; t < frames; t++ {
		p, alpha, before := logs[t*symbols:][:symbols], h.alpha[t*n:][:n], h.alpha[(t-1)*n:][:n]
		lo, hi := max(0, n-2*(frames-t)), min(n, 2*t+2)
		for s := lo; s < hi; s++ {
			b, c := none, none
			if s > 0 {
				b = before[s-1]
			}
			if h.skip[s] {
				c = before[s-2]
			}
			alpha[s] = add(before[s], b, c) + p[h.labels[s]]
		}
	}
	last := h.alpha[(frames-1)*n:]
	total := add(last[n-1], last[n-2], none)
	beta, z := h.beta, h.z
	for s := range beta {
		beta[s] = none
	}
	beta[n-1], beta[n-2] = 0, 0
	for t := frames - 1; t >= 0; t-- {
		p, alpha, g := logs[t*symbols:][:symbols], h.alpha[t*n:][:n], gamma[t*symbols:][:symbols]
		lo, hi := max(0, n-2*(frames-t)), min(n, 2*t+2)
		for s := range z {
			z[s] = none
		}
		for s := lo; s < hi; s++ {
			if x := alpha[s] + beta[s] - total; x > -700 {
				g[h.labels[s]] += math.Exp(x)
			}
			z[s] = beta[s] + p[h.labels[s]]
		}
		for s := max(0, lo-2); s < hi; s++ {
			c := none
			if h.skip[s+2] {
				c = z[s+2]
			}
			beta[s] = add(z[s], z[s+1], c)
		}
	}
	return total
}

// TestByHand checks that the loops of the benchmark agree with Counts.
func TestByHand(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	const n, symbols = 50, 6
	labels := randomLabels(r, 8, symbols)
	e := peaky(t, r, n, symbols, labels, 4)
	m, h := chain(t, symbols, labels), newByHand(symbols, labels, e)
	want := make([]float64, n*symbols)
	total, err := m.Counts(e, 1, frames.Parts{}, want, new(frames.Scratch))
	if err != nil {
		t.Fatal(err)
	}
	for name, counts := range map[string]func(int, []float64) float64{"numbers": h.counts, "logarithms": h.logCounts} {
		gamma := make([]float64, len(want))
		if nats := counts(symbols, gamma); math.Abs(nats-total.Log()) > 1e-11 || farthest(gamma, want) > 1e-11 {
			t.Errorf("%s: ln Z = %v, want %v, γ off by %v", name, nats, total.Log(), farthest(gamma, want))
		}
	}
}
