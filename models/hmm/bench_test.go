package hmm_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/models/hmm"
)

// byHand is an E step of discrete sequences as one would write it: forward
// probabilities scaled to sum to 1 at each position, then backward.
type byHand struct {
	n, symbols      int
	initial         []float64
	next            []float64 // row by row
	emit            []float64 // symbol by symbol
	alpha, b, c     []float64
	scale           []float64
	counts, emitted []float64
}

func (h *byHand) expect(data []hmm.Sequence[int32]) float64 {
	log := 0.0
	for _, s := range data {
		log += h.sequence(s.Observations)
	}
	return log
}

func (h *byHand) sequence(o []int32) float64 {
	n := h.n
	log := 0.0
	for t, x := range o {
		here, e := h.alpha[t*n:(t+1)*n], h.emit[int(x)*n:(int(x)+1)*n]
		if t == 0 {
			for i := range here {
				here[i] = h.initial[i] * e[i]
			}
		} else {
			clear(here)
			for i, a := range h.alpha[(t-1)*n : t*n] {
				row := h.next[i*n : (i+1)*n]
				for j := range here {
					here[j] += a * row[j]
				}
			}
			for j := range here {
				here[j] *= e[j]
			}
		}
		sum := 0.0
		for _, a := range here {
			sum += a
		}
		for i := range here {
			here[i] /= sum
		}
		h.scale[t] = sum
		log += math.Log(sum)
	}
	beta, z := h.b[:n], h.c[:n]
	for i := range beta {
		beta[i] = 1
	}
	for t := len(o) - 1; t >= 0; t-- {
		e, m := h.emit[int(o[t])*n:(int(o[t])+1)*n], h.emitted[int(o[t])*n:(int(o[t])+1)*n]
		for i, a := range h.alpha[t*n : (t+1)*n] {
			m[i] += a * beta[i]
			z[i] = e[i] * beta[i] / h.scale[t]
		}
		if t == 0 {
			break
		}
		for i, a := range h.alpha[(t-1)*n : t*n] {
			row, counts := h.next[i*n:(i+1)*n], h.counts[i*n:(i+1)*n]
			sum := 0.0
			for j, x := range z {
				p := row[j] * x
				counts[j] += a * p
				sum += p
			}
			beta[i] = sum
		}
	}
	return log
}

// BenchmarkExpect measures an E step per pair of states and position, beside the loop
// by hand.
func BenchmarkExpect(b *testing.B) {
	for _, states := range []int{4, 16, 64} {
		const symbols, count, length = 100, 64, 200
		rng := rand.New(rand.NewPCG(1, 1))
		p := em.NewParams()
		e, err := hmm.NewDiscrete(p, "emission", symbols, hmm.Each(states), em.Multinomial{})
		if err != nil {
			b.Fatal(err)
		}
		m, err := hmm.New(p, hmm.Topology{States: states}, em.Multinomial{}, e)
		if err != nil {
			b.Fatal(err)
		}
		m.Theta = p.Random(rng)
		var data []hmm.Sequence[int32]
		for range count {
			s := hmm.Sequence[int32]{Observations: make([]int32, length)}
			for t := range s.Observations {
				s.Observations[t] = rng.Int32N(symbols)
			}
			data = append(data, s)
		}
		l, err := m.Likelihood(data, em.Fail)
		if err != nil {
			b.Fatal(err)
		}
		hand := &byHand{n: states, symbols: symbols, initial: m.Initial().In(m.Theta),
			alpha: make([]float64, length*states), b: make([]float64, states), c: make([]float64, states), scale: make([]float64, length),
			counts: make([]float64, states*states), emitted: make([]float64, symbols*states), emit: make([]float64, symbols*states)}
		for i := range states {
			hand.next = append(hand.next, m.Row(i).In(m.Theta)...)
			for o, x := range e.Groups()[i].In(m.Theta) {
				hand.emit[o*states+i] = x
			}
		}
		cells := count * (length - 1) * states * states
		var got, want float64
		b.Run(fmt.Sprintf("%d", states), func(b *testing.B) {
			defer benchtime.Per(b, cells, "cell")()
			for b.Loop() {
				e, err := l.Expect(context.Background(), em.Query{Theta: m.Theta, Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				got = e.LogLikelihood
			}
		})
		b.Run(fmt.Sprintf("%d/hand", states), func(b *testing.B) {
			defer benchtime.Per(b, cells, "cell")()
			for b.Loop() {
				want = hand.expect(data)
			}
		})
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			b.Errorf("log likelihood %.12g, by hand %.12g", got, want)
		}
	}
}
