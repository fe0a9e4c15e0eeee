package grammar

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// loops computes ln of the sum over all trees as loops over a chart: what the rules of the
// forests say, but in the items of Klein and Manning, of a head with the words from i to
// j, and of O(n⁵) steps.
func (o *oracle) loops() float64 {
	n := len(o.tags)
	phi := func(i, j int) float64 {
		if o.m.ccm == nil || !proper(int16(i), int16(j), n) {
			return 1
		}
		c := o.m.ccm
		y, x := c.table.yieldOf(o.tags[i:j]), c.table.contextOf(o.tags, i, j)
		return o.p(c.yields[is], y) * o.p(c.contexts[is], x) / (o.p(c.yields[isNot], y) * o.p(c.contexts[isNot], x))
	}
	base := 0.0
	for i := 0; o.m.ccm != nil && i <= n; i++ {
		for j := i; j <= n; j++ {
			c, b := o.m.ccm, isNot
			if j-i == 1 || j-i == n {
				b = is
			}
			base += math.Log(o.p(c.yields[b], c.table.yieldOf(o.tags[i:j])) * o.p(c.contexts[b], c.table.contextOf(o.tags, i, j)))
		}
	}
	if o.m.ccm != nil {
		base -= math.Log(catalan(n))
	}
	if o.m.kind == CCM {
		I := make([][]float64, n+1)
		for i := range I {
			I[i] = make([]float64, n+1)
		}
		for width := 1; width <= n; width++ {
			for i := 0; i+width <= n; i++ {
				j := i + width
				if width == 1 {
					I[i][j] = 1
				}
				for k := i + 1; k < j; k++ {
					I[i][j] += I[i][k] * I[k][j]
				}
				I[i][j] *= phi(i, j)
			}
		}
		return math.Log(I[0][n]) + base
	}
	choice := func(h, side int, adjacent bool, what int) float64 {
		return o.p(o.m.dmv.choice(o.tags[h], side, adjacent), what)
	}
	attach := func(h, a, side int) float64 {
		return o.p(o.m.dmv.arguments[o.tags[h]][side], int(o.tags[a]))
	}
	const most = 12
	var A [most][most + 1]float64          // [h][j]: arguments to the right
	var B, S [most][most + 1][most]float64 // [i][j][h]: arguments to the left, all of them
	for width := 1; width <= n; width++ {
		for i := 0; i+width <= n; i++ {
			j := i + width
			if width == 1 {
				A[i][j] = 1
			}
			for k := i + 1; k < j; k++ {
				for a := k; a < j; a++ {
					A[i][j] += A[i][k] * choice(i, 1, k == i+1, going) * attach(i, a, 1) * S[k][j][a] * phi(i, j)
				}
			}
			B[i][j][i] = A[i][j] * choice(i, 1, j == i+1, stopping)
			for h := i + 1; h < j; h++ {
				for k := i + 1; k <= h; k++ {
					for a := i; a < k; a++ {
						B[i][j][h] += S[i][k][a] * choice(h, 0, k == h, going) * attach(h, a, 0) * B[k][j][h] * phi(i, j)
					}
				}
			}
			for h := i; h < j; h++ {
				S[i][j][h] = B[i][j][h] * choice(h, 0, i == h, stopping)
			}
		}
	}
	z := 0.0
	for h := range n {
		z += S[0][n][h] * o.p(o.m.dmv.root, int(o.tags[h]))
	}
	return math.Log(z) + base
}

// TestChartLoops compares forests with loops over a chart.
func TestChartLoops(t *testing.T) {
	for seed := range trials.Seeds(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, k := range kinds {
			data := randomSentences(r, 2, 2, 12)
			m := newTestModel(t, k, data, nil)
			m.Theta = m.Params.Random(r)
			l, err := m.Likelihood(data)
			if err != nil {
				t.Fatal(err)
			}
			e, err := l.Expect(context.Background(), em.Query{Theta: m.Theta})
			if err != nil {
				t.Fatal(err)
			}
			want := 0.0
			for _, s := range data {
				tags, _ := m.tags.numbers(s)
				want += (&oracle{m, m.Theta, tags}).loops()
			}
			if math.Abs(e.LogLikelihood/want-1) > 1e-11 {
				t.Fatalf("seed %d: %v of %v: log likelihood %v, want %v", seed, k, data, e.LogLikelihood, want)
			}
		}
	}
}

// TestChartSizes: edges grow with the cube of the length, and in a product with its
// fourth power.
func TestChartSizes(t *testing.T) {
	for k, power := range map[Kind]float64{DMV: 3, CCM: 3, Product: 4} {
		var edges [2]int
		for i, n := range []int{16, 32} {
			c, err := newChart(k, n)
			if err != nil {
				t.Fatal(err)
			}
			edges[i] = c.batch.NumEdges()
		}
		if got := math.Log2(float64(edges[1]) / float64(edges[0])); got > power+.05 || got < power-.8 {
			t.Errorf("%v: %v edges for 16 and 32 words, growth with the power %.2f, want about %v", k, edges, got, power)
		}
	}
}
