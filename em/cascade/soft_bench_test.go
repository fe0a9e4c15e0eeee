package cascade_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
)

// softLines returns lines of a recognizer of 26 letters, pairs of letters before a channel, and
// their frames as numbers.
func softLines(b testing.TB, letters, lines, length int) (cascade.Problem, []cascade.Example, [][]float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	r := recognizer{letters: letters, start: make([]float64, letters)}
	draw := func() []float64 {
		p, sum := make([]float64, letters), 0.0
		for i := range p {
			p[i] = rng.ExpFloat64()
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	r.start = draw()
	for range letters {
		r.next, r.channel = append(r.next, draw()), append(r.channel, draw())
	}
	problem, _ := r.problem(b, em.Multinomial{})
	var data []cascade.Example
	var all [][]float64
	labels := make([]int32, letters)
	for v := range labels {
		labels[v] = int32(v) + 1
	}
	for range lines {
		g := guess{labels: labels}
		for range length {
			g.weight = append(g.weight, draw())
		}
		data, all = append(data, cascade.Example{Y: g.side(b)}), append(all, slices.Concat(g.weight...))
	}
	return problem, data, all
}

// handSoft makes an E step for pairs of letters before a channel by plain float64 sums over
// letters and labels, the baseline: it also has one arc per pair of letters and label.
func handSoft(n int, theta []float64, lines [][]float64, counts []float64) (nats float64) {
	next, start, channel := theta[:n*n], theta[n*n:n*n+n], theta[n*n+n:]
	toNext, toStart, toChannel := counts[:n*n], counts[n*n:n*n+n], counts[n*n+n:]
	for _, e := range lines {
		length := len(e) / n
		alpha, beta, scale := make([]float64, (length+1)*n), make([]float64, (length+1)*n), make([]float64, length)
		for t := range length {
			frame, now := e[t*n:(t+1)*n], alpha[(t+1)*n:(t+2)*n]
			for q := range n {
				for p := range n {
					w := start[q]
					if t > 0 {
						w = alpha[t*n+p] * next[p*n+q]
					} else if p > 0 {
						break
					}
					for y, x := range frame {
						now[q] += w * channel[q*n+y] * x
					}
				}
				scale[t] += now[q]
			}
			for q := range n {
				now[q] /= scale[t]
			}
			nats += math.Log(scale[t])
		}
		for q := range n {
			beta[length*n+q] = 1
		}
		for t := length - 1; t >= 0; t-- {
			frame := e[t*n : (t+1)*n]
			for q := range n {
				b := beta[(t+1)*n+q] / scale[t]
				for p := range n {
					a, w, to := 1.0, start[q], &toStart[q]
					if t > 0 {
						a, w, to = alpha[t*n+p], next[p*n+q], &toNext[p*n+q]
					} else if p > 0 {
						break
					}
					sum := 0.0
					for y, x := range frame {
						z := w * channel[q*n+y] * x * b
						sum += z
						toChannel[q*n+y] += a * z
					}
					beta[t*n+p] += sum
					*to += a * sum
				}
			}
		}
	}
	return nats
}

// TestSoftByHand: the baseline has the result of the E step.
func TestSoftByHand(t *testing.T) {
	problem, data, lines := softLines(t, 4, 3, 7)
	theta := problem.Params.Start()
	want := expectation(t, likelihood(t, problem, cascade.Data{Examples: data}), em.Query{Theta: theta})
	counts := make([]float64, len(theta))
	if got := handSoft(4, theta, lines, counts); !closeTo(got, want.LogLikelihood, 1e-12) {
		t.Errorf("%v, want %v", got, want.LogLikelihood)
	}
	for i, c := range counts {
		if !closeTo(c, want.Counts[i], 1e-11) {
			t.Errorf("count %d is %v, want %v", i, c, want.Counts[i])
		}
	}
}

// BenchmarkSoft makes an E step over 8 lines of 40 frames and 12 letters, with one worker: 144
// arcs lead from each state in each frame.
func BenchmarkSoft(b *testing.B) {
	const letters, lines, length = 12, 8, 40
	problem, data, numbers := softLines(b, letters, lines, length)
	theta := problem.Params.Start()
	perArc := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(lines*length*letters*letters*letters), "ns/arc")
	}
	b.Run("by hand", func(b *testing.B) {
		counts := make([]float64, len(theta))
		for b.Loop() {
			handSoft(letters, theta, numbers, counts)
		}
		perArc(b)
	})
	for _, way := range []cascade.Strategy{cascade.ByBlocks, cascade.ByLattice} {
		for _, beta := range []float64{1, .5} {
			b.Run(fmt.Sprintf("%v, temperature %g", way, beta), func(b *testing.B) {
				l := likelihood(b, problem, cascade.Data{Examples: data, Strategy: way})
				q := em.Query{Theta: theta, Workers: 1, Temperature: beta}
				expectation(b, l, q) // lattices are composed
				b.ResetTimer()
				for b.Loop() {
					expectation(b, l, q)
				}
				perArc(b)
			})
		}
	}
}
