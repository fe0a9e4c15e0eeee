package cascade_test

import (
	"math"
	"testing"

	"example.org/pathsum/internal/benchdata"
)

// Loops written by hand for one of the two benchmark tasks only: the limit to approach.

// handPairs makes iterations of EM for a memoryless joint edit model over 26
// letters and returns the log likelihood at the last E step. It holds
// probabilities as plain float64, which is enough for short strings only.
func handPairs(lines [][]int32, iterations int) (nats float64) {
	const eps, n = 26, 27
	var theta, c [n * n]float64
	for i := range theta {
		theta[i] = 1. / 728
	}
	var alpha, beta []float64
	for range iterations {
		clear(c[:])
		nats = 0
		for k := 0; k+1 < len(lines); k += 2 {
			x, y := lines[k], lines[k+1]
			w := len(y) + 1
			size := (len(x) + 1) * w
			if cap(alpha) < size {
				alpha, beta = make([]float64, 2*size), make([]float64, 2*size)
			}
			alpha, beta = alpha[:size], beta[:size]
			for i := range len(x) + 1 {
				for j := range w {
					z := 0.
					if i == 0 && j == 0 {
						z = 1
					}
					if i > 0 {
						z += alpha[(i-1)*w+j] * theta[(x[i-1]-1)*n+eps]
					}
					if j > 0 {
						z += alpha[i*w+j-1] * theta[eps*n+y[j-1]-1]
					}
					if i > 0 && j > 0 {
						z += alpha[(i-1)*w+j-1] * theta[(x[i-1]-1)*n+y[j-1]-1]
					}
					alpha[i*w+j] = z
				}
			}
			total := alpha[size-1]
			nats += math.Log(total)
			for i := len(x); i >= 0; i-- {
				for j := len(y); j >= 0; j-- {
					z, a := 0., alpha[i*w+j]
					if i == len(x) && j == len(y) {
						z = 1 / total
					}
					if i < len(x) {
						e := (x[i]-1)*n + eps
						q := theta[e] * beta[(i+1)*w+j]
						z += q
						c[e] += a * q
					}
					if j < len(y) {
						e := eps*n + y[j] - 1
						q := theta[e] * beta[i*w+j+1]
						z += q
						c[e] += a * q
					}
					if i < len(x) && j < len(y) {
						e := (x[i]-1)*n + y[j] - 1
						q := theta[e] * beta[(i+1)*w+j+1]
						z += q
						c[e] += a * q
					}
					beta[i*w+j] = z
				}
			}
		}
		sum := 0.
		for _, v := range c {
			sum += v
		}
		for i, v := range c {
			theta[i] = v / sum
		}
	}
	return nats
}

func pairsByHand(tb testing.TB, iterations int) float64 {
	return handPairs(benchdata.Strings(tb, "pairs.txt"), iterations)
}

func BenchmarkPairsByHand(b *testing.B) {
	lines := benchdata.Strings(b, "pairs.txt")
	for b.Loop() {
		handPairs(lines, 10)
	}
}

// handCipher makes iterations of Baum-Welch with fixed transitions t.
func handCipher(lines [][]int32, t *[27][27]float64, iterations int) (nats float64) {
	var emit, c [26][26]float64
	for i := range emit {
		for o := range emit[i] {
			emit[i][o] = 1. / 26
		}
	}
	var alpha [64][26]float64
	var scale [64]float64
	for range iterations {
		c, nats = [26][26]float64{}, 0
		for _, x := range lines {
			if len(x) == 0 {
				continue
			}
			for s := range x {
				z := 0.
				for j := range 26 {
					v := 0.
					if s == 0 {
						v = t[26][j]
					} else {
						for i := range 26 {
							v += alpha[s-1][i] * t[i][j]
						}
					}
					alpha[s][j] = v * emit[j][x[s]-1]
					z += alpha[s][j]
				}
				for j := range 26 {
					alpha[s][j] /= z
				}
				scale[s] = z
				nats += math.Log(z)
			}
			last := len(x) - 1
			z := 0.
			for j := range 26 {
				z += alpha[last][j] * t[j][26]
			}
			nats += math.Log(z)
			var beta, before [26]float64
			for j := range 26 {
				beta[j] = t[j][26] / z
			}
			for s := last; s >= 0; s-- {
				for j := range 26 {
					c[j][x[s]-1] += alpha[s][j] * beta[j]
					beta[j] *= emit[j][x[s]-1] / scale[s]
				}
				for i := range 26 {
					v := 0.
					for j := range 26 {
						v += t[i][j] * beta[j]
					}
					before[i] = v
				}
				beta = before
			}
		}
		for i := range c {
			sum := 0.
			for _, v := range c[i] {
				sum += v
			}
			for o, v := range c[i] {
				emit[i][o] = v / sum
			}
		}
	}
	return nats
}

func cipherByHand(tb testing.TB, iterations int) float64 {
	t := bigrams(tb)
	return handCipher(benchdata.Strings(tb, "cipher.txt"), &t, iterations)
}

func BenchmarkCipherByHand(b *testing.B) {
	lines := benchdata.Strings(b, "cipher.txt")
	t := bigrams(b)
	for b.Loop() {
		handCipher(lines, &t, 10)
	}
}
