package grammar

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/models/grammar/treebank"
)

// BenchmarkExpect makes an E step of a product, over sentences of one length, and the
// same sums and expected counts as loops over a chart of float64 numbers.
func BenchmarkExpect(b *testing.B) {
	for _, n := range []int{10, 20, 40} {
		data := randomSentences(rand.New(rand.NewPCG(1, 1)), 64, n, n)
		m := newTestModel(b, Product, data, nil)
		l, err := m.Likelihood(data)
		if err != nil {
			b.Fatal(err)
		}
		q := em.Query{Theta: m.Theta, Workers: 1}
		e, err := l.Expect(context.Background(), q)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("forest/%d", n), func(b *testing.B) {
			defer benchtime.Per(b, int(e.Arcs), "edge")()
			for b.Loop() {
				if _, err := l.Expect(context.Background(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
		var charts []*handChart
		for _, s := range data {
			tags, _ := m.tags.numbers(s)
			charts = append(charts, newHandChart(&oracle{m, m.Theta, tags}))
		}
		// What spans weigh apart from the tree is left out by hand: compare the
		// expected number of constituents instead of the total.
		charts[0].expect()
		got := 0.0
		for i := range n {
			for j := i + 2; j <= n; j++ {
				got += charts[0].span[i][j]
			}
		}
		if math.Abs(got-float64(n-1)) > 1e-9 {
			b.Fatalf("%v constituents of %d words by hand", got, n)
		}
		b.Run(fmt.Sprintf("hand/%d", n), func(b *testing.B) {
			defer benchtime.Per(b, int(e.Arcs), "edge")()
			for b.Loop() {
				for _, c := range charts {
					c.expect()
				}
			}
		})
	}
}

// BenchmarkChart builds the forests of sentences of one length.
func BenchmarkChart(b *testing.B) {
	for _, k := range kinds {
		for _, n := range []int{10, 40} {
			c, err := newChart(k, n)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%v/%d", k, n), func(b *testing.B) {
				defer benchtime.Per(b, c.batch.NumEdges(), "edge")()
				for b.Loop() {
					if _, err := newChart(k, n); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkParse parses sentences of one length.
func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 40} {
		data := randomSentences(rand.New(rand.NewPCG(1, 1)), 8, n, n)
		m := newTestModel(b, Product, data, nil)
		p, err := m.Predictor(MostProbable)
		if err != nil {
			b.Fatal(err)
		}
		c, err := m.charts.get(n)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			defer benchtime.Per(b, c.batch.NumEdges()*len(data), "edge")()
			var x *Parse
			for b.Loop() {
				for _, s := range data {
					if x, err = p.Best(s); err != nil {
						b.Fatal(err)
					}
				}
			}
			if treebank.CheckHeads(x.Heads) != nil {
				b.Fatal("no tree")
			}
		})
	}
}

const handWords = 41

type (
	handPairs   [handWords][handWords]float64
	handTriples [handWords]handPairs
)

// handChart is a chart of the product for one sentence, and its reverse: what is outside
// of an item is the derivative of the sum by it.
type handChart struct {
	n             int
	phi           handPairs
	choice        [handWords][2][2]float64
	root          [handWords]float64
	open, dOpen   handPairs // [h][j]
	shut, dShut   handTriples
	whole, dWhole handTriples // [i][j][h]
	hook, dHook   [2]handTriples
	span          handPairs // expected constituents
	arcs          [2]handPairs
	stops         [handWords][2][2]float64
	weights       [2]handPairs
}

func newHandChart(o *oracle) *handChart {
	n := len(o.tags)
	c := &handChart{n: n}
	for i := range n {
		c.root[i] = o.p(o.m.dmv.root, int(o.tags[i]))
		for side := range 2 {
			for v := range 2 {
				c.choice[i][side][v] = o.p(o.m.dmv.choice(o.tags[i], side, v == 1), stopping)
			}
		}
		for a := range n {
			side := 0
			if a > i {
				side = 1
			}
			for v := range 2 {
				c.weights[v][i][a] = (1 - c.choice[i][side][v]) * o.p(o.m.dmv.arguments[o.tags[i]][side], int(o.tags[a]))
			}
		}
		for j := i + 1; j <= n; j++ {
			c.phi[i][j] = 1
			if proper(int16(i), int16(j), n) {
				y, x := o.m.ccm.table.yieldOf(o.tags[i:j]), o.m.ccm.table.contextOf(o.tags, i, j)
				c.phi[i][j] = o.p(o.m.ccm.yields[is], y) * o.p(o.m.ccm.contexts[is], x) / (o.p(o.m.ccm.yields[isNot], y) * o.p(o.m.ccm.contexts[isNot], x))
			}
		}
	}
	return c
}

// first is 1 if two positions are the same.
func first(a, b int) int {
	if a == b {
		return 1
	}
	return 0
}

// expect computes the expected uses of all parts.
func (c *handChart) expect() {
	n := c.n
	c.dOpen, c.span = handPairs{}, handPairs{}
	c.arcs, c.stops = [2]handPairs{}, [handWords][2][2]float64{}
	for i := range n {
		for j := i + 1; j <= n; j++ {
			clear(c.dShut[i][j][:])
			clear(c.dWhole[i][j][:])
			for s := range 2 {
				clear(c.hook[s][i][j][:])
				clear(c.dHook[s][i][j][:])
			}
		}
	}
	for width := 1; width <= n; width++ {
		for i := 0; i+width <= n; i++ {
			j := i + width
			sum := 0.0
			if width == 1 {
				sum = 1
			}
			for k := i + 1; k < j; k++ {
				sum += c.open[i][k] * c.hook[1][k][j][i]
			}
			c.open[i][j] = sum * c.phi[i][j]
			c.shut[i][j][i] = c.open[i][j] * c.choice[i][1][first(j, i+1)]
			for h := i + 1; h < j; h++ {
				sum := 0.0
				for k := i + 1; k <= h; k++ {
					sum += c.hook[0][i][k][h] * c.shut[k][j][h]
				}
				c.shut[i][j][h] = sum * c.phi[i][j]
			}
			whole := &c.whole[i][j]
			for h := i; h < j; h++ {
				whole[h] = c.shut[i][j][h] * c.choice[h][0][first(h, i)]
			}
			for h := range i {
				w, sum := &c.weights[first(h+1, i)][h], 0.0
				for a := i; a < j; a++ {
					sum += whole[a] * w[a]
				}
				c.hook[1][i][j][h] = sum
			}
			for h := j; h < n; h++ {
				w, sum := &c.weights[first(h, j)][h], 0.0
				for a := i; a < j; a++ {
					sum += whole[a] * w[a]
				}
				c.hook[0][i][j][h] = sum
			}
		}
	}
	z := 0.0
	for h := range n {
		z += c.whole[0][n][h] * c.root[h]
	}
	for h := range n {
		c.dWhole[0][n][h] = c.root[h] / z
	}
	for width := n; width >= 1; width-- {
		for i := 0; i+width <= n; i++ {
			j := i + width
			whole, dWhole := &c.whole[i][j], &c.dWhole[i][j]
			for h := range n {
				side, v := 1, first(h+1, i)
				switch {
				case h >= j:
					side, v = 0, first(h, j)
				case h >= i:
					continue
				}
				d := c.dHook[side][i][j][h]
				w, arcs := &c.weights[v][h], &c.arcs[v][h]
				for a := i; a < j; a++ {
					dWhole[a] += d * w[a]
					arcs[a] += d * w[a] * whole[a]
				}
			}
			for h := i; h < j; h++ {
				v := first(h, i)
				c.dShut[i][j][h] += dWhole[h] * c.choice[h][0][v]
				c.stops[h][0][v] += dWhole[h] * whole[h]
			}
			for h := i + 1; h < j; h++ {
				d := c.dShut[i][j][h] * c.phi[i][j]
				c.span[i][j] += c.dShut[i][j][h] * c.shut[i][j][h]
				for k := i + 1; k <= h; k++ {
					c.dHook[0][i][k][h] += d * c.shut[k][j][h]
					c.dShut[k][j][h] += d * c.hook[0][i][k][h]
				}
			}
			v := first(j, i+1)
			c.dOpen[i][j] += c.dShut[i][j][i] * c.choice[i][1][v]
			c.stops[i][1][v] += c.dShut[i][j][i] * c.shut[i][j][i]
			d := c.dOpen[i][j] * c.phi[i][j]
			c.span[i][j] += c.dOpen[i][j] * c.open[i][j]
			for k := i + 1; k < j; k++ {
				c.dHook[1][k][j][i] += d * c.open[i][k]
				c.dOpen[i][k] += d * c.hook[1][k][j][i]
			}
		}
	}
}
