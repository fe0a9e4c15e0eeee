package ctc_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/models/ctc"
)

// byHand is the loss and gradient of one text as one would write them by hand, in float64 numbers
// that are scaled in every frame (Graves et al. 2006, §4.1, without any care for what is scaled
// away): the baseline of the benchmarks.
type byHand struct {
	softmax, alpha, beta, next []float64
	spread                     []int32
}

// loss adds the derivatives by scores to gradient. The blank is the last column.
func (h *byHand) loss(scores []float64, columns int, labels []int32, gradient []float64) float64 {
	frameCount, blank := len(scores)/columns, int32(columns-1)
	h.spread = append(h.spread[:0], blank)
	for _, y := range labels {
		h.spread = append(h.spread, y-1, blank)
	}
	n := len(h.spread)
	resize := func(x []float64, n int) []float64 {
		if cap(x) < n {
			return make([]float64, n)
		}
		return x[:n]
	}
	h.softmax, h.alpha = resize(h.softmax, len(scores)), resize(h.alpha, frameCount*n)
	h.beta, h.next = resize(h.beta, n), resize(h.next, n)
	for t := range frameCount {
		row, p := scores[t*columns:(t+1)*columns], h.softmax[t*columns:(t+1)*columns]
		top, sum := math.Inf(-1), 0.0
		for _, s := range row {
			top = max(top, s)
		}
		for v, s := range row {
			p[v] = math.Exp(s - top)
			sum += p[v]
		}
		for v := range p {
			p[v] /= sum
		}
	}
	ln := 0.0
	for t := range frameCount {
		p, a := h.softmax[t*columns:(t+1)*columns], h.alpha[t*n:(t+1)*n]
		clear(a)
		if t == 0 {
			a[0] = p[blank]
			if n > 1 {
				a[1] = p[h.spread[1]]
			}
		} else {
			last := h.alpha[(t-1)*n : t*n]
			for s, v := range h.spread {
				x := last[s]
				if s > 0 {
					x += last[s-1]
				}
				if s > 1 && v != blank && v != h.spread[s-2] {
					x += last[s-2]
				}
				a[s] = x * p[v]
			}
		}
		sum := 0.0
		for _, x := range a {
			sum += x
		}
		ln += math.Log(sum)
		for s := range a {
			a[s] /= sum
		}
	}
	last := h.alpha[(frameCount-1)*n:]
	z := last[n-1]
	if n > 1 {
		z += last[n-2]
	}
	ln += math.Log(z)
	clear(h.beta)
	h.beta[n-1] = 1
	if n > 1 {
		h.beta[n-2] = 1
	}
	for t := frameCount - 1; t >= 0; t-- {
		p, a, g := h.softmax[t*columns:(t+1)*columns], h.alpha[t*n:(t+1)*n], gradient[t*columns:(t+1)*columns]
		mass := 0.0
		for s, x := range a {
			mass += x * h.beta[s]
		}
		for v, x := range p {
			g[v] += x
		}
		for s, v := range h.spread {
			g[v] -= a[s] * h.beta[s] / mass
		}
		for s, v := range h.spread {
			h.next[s] = h.beta[s] * p[v]
		}
		sum := 0.0
		for s := range n {
			x := h.next[s]
			if s+1 < n {
				x += h.next[s+1]
			}
			if s+2 < n && h.spread[s+2] != blank && h.spread[s+2] != h.spread[s] {
				x += h.next[s+2]
			}
			h.beta[s] = x
			sum += x
		}
		for s := range h.beta {
			h.beta[s] /= sum
		}
	}
	return -ln
}

// TestByHand: the baseline agrees if scaling does not lose weights.
func TestByHand(t *testing.T) {
	for seed := range uint64(3) {
		x, scores := recording(rand.New(rand.NewPCG(seed, 10)), true)
		got, want := make([]float64, len(scores)), make([]float64, len(scores))
		loss := must(must(ctc.NewLoss(ctc.Standard(30, 29), nil)).Eval(x, got))
		if byHand := new(byHand).loss(scores, 30, x.Labels, want); !near(loss, byHand, 1e-12) {
			t.Errorf("seed %d: loss %v, by hand %v", seed, loss, byHand)
		}
		for i, d := range want {
			if math.Abs(got[i]-d) > 1e-11 {
				t.Fatalf("seed %d: derivative %d: %v, by hand %v", seed, i, got[i], d)
			}
		}
	}
}
