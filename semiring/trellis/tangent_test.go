package trellis_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/trellis"
)

// randomValues fills parts with random numbers, and leaves some out.
func randomValues(r *rand.Rand, v trellis.Parts) trellis.Parts {
	fill := func(x []float64) []float64 {
		for i := range x {
			x[i] = r.NormFloat64()
		}
		if r.IntN(5) == 0 {
			return nil
		}
		return x
	}
	v.Node, v.Stay = fill(v.Node), fill(v.Stay)
	for b := range v.Block {
		v.Block[b] = fill(v.Block[b])
	}
	if r.IntN(5) == 0 {
		v.Block = nil
	}
	return v
}

// filled returns v with zeros in place of nil.
func filled(v, zeros trellis.Parts) trellis.Parts {
	copy(zeros.Node, v.Node)
	copy(zeros.Stay, v.Stay)
	for b := range v.Block {
		copy(zeros.Block[b], v.Block[b])
	}
	return zeros
}

// eachWithoutWeight calls visit for the nodes and cells of weight 0 that v has numbers for.
func (t *indexed) eachWithoutWeight(v trellis.Parts, visit func(x *float64)) {
	node := 0
	for layer, size := range t.sizes {
		for i, w := range t.nodes[layer].weight {
			if w.IsZero() && v.Node != nil {
				visit(&v.Node[node+i])
			}
		}
		node += size
	}
	for b, cells := range t.cells {
		for n, w := range cells.weight {
			if w.IsZero() && v.Block != nil && v.Block[b] != nil {
				visit(&v.Block[b][n])
			}
		}
	}
}

// Parts that are nil are left out, or stand for zeros. Parts of weight 0 are not counted, and
// their values do not matter.
func TestParts(t *testing.T) {
	var s trellis.Scratch
	same := func(a, b float64) bool { return a == b }
	eachTrellis(t, func(t *testing.T, seed uint64, x *indexed) {
		v := randomValues(graphtest.Rand(seed+1<<32), x.zeros())
		values := filled(v, x.zeros())
		x.eachWithoutWeight(v, func(x *float64) { *x = 1e200 })
		count, counted := x.zeros(), x.zeros()
		change, changed, want := x.zeros(), x.zeros(), x.zeros()
		if _, err := x.HessianVector(values, .5, want, &s); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ count, change trellis.Parts }{
			{count, change},
			{trellis.Parts{Node: counted.Node}, trellis.Parts{Node: changed.Node}},
			{trellis.Parts{Stay: counted.Stay}, trellis.Parts{Stay: changed.Stay}},
			{trellis.Parts{Block: counted.Block}, trellis.Parts{Block: changed.Block}},
		} {
			if _, err := x.Counts(.5, c.count, &s); err != nil {
				t.Fatal(err)
			}
			if _, err := x.HessianVector(v, .5, c.change, &s); err != nil {
				t.Fatal(err)
			}
		}
		if !nearParts(counted, count, near) || !nearParts(changed, change, same) {
			t.Fatalf("seed %d: part by part %v and %v, want %v and %v", seed, counted, changed, count, change)
		}
		if !nearParts(change, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }) {
			t.Fatalf("seed %d: %v with values of weight 0, want %v", seed, change, want)
		}
		x.eachWithoutWeight(count, func(x *float64) {
			if *x != 0 {
				t.Fatalf("seed %d: counts %v, also of weight 0", seed, count)
			}
		})
	})
}

// longer has several hundred layers, so that paths cannot be listed.
func longer(r *rand.Rand) (*trellis.Trellis, *trellis.Block, int) {
	states, steps := 2+r.IntN(4), 300
	draw := func(n int) []weight {
		w := make([]weight, n)
		for i := range w {
			w[i] = semiring.ScaledFromLog(2 * r.NormFloat64())
		}
		return w
	}
	b, err := trellis.NewBlock(states, states, draw(states*states))
	if err != nil {
		panic(err)
	}
	var nodes [][]weight
	for range steps + 1 {
		nodes = append(nodes, draw(states))
	}
	tr, err := trellis.New(draw(states), []*trellis.Block{b}, make([]int32, steps), nodes, draw(states))
	if err != nil {
		panic(err)
	}
	return tr, b, steps
}

// The product is that of the trellis's graph. What v adds to all nodes alike makes no
// difference, however much it is.
func TestHessianVectorOfGraph(t *testing.T) {
	var s trellis.Scratch
	for seed := range trials.Seeds(30) {
		r := graphtest.Rand(seed)
		tr, b, steps := longer(r)
		v := randomValues(r, zeros(tr, steps, b))
		got := zeros(tr, steps, b)
		if _, err := tr.HessianVector(v, 1, got, &s); err != nil {
			t.Fatal(err)
		}
		v = filled(v, zeros(tr, steps, b))
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }
		more, raised := zeros(tr, steps, b), filled(v, zeros(tr, steps, b))
		for i := range raised.Node {
			raised.Node[i] += 1000
		}
		// Every step's surprise is rounded as 1000 is, and a use of a cell is added up over
		// the steps, with the surprises of those before.
		rounded := 1000 * 0x1p-53 * float64(steps*steps)
		alike := func(a, b float64) bool { return math.Abs(a-b) <= rounded*max(1, math.Abs(b)) }
		if _, err := tr.HessianVector(raised, 1, more, &s); err != nil || !nearParts(more, got, alike) {
			t.Fatalf("seed %d: another product where v has a great mean, %v", seed, err)
		}
		g, err := tr.Graph()
		if err != nil {
			t.Fatal(err)
		}
		states := g.NumStates() / (steps + 1)
		parts := graph.Parts{Start: v.Node[:states], Arc: make([]float64, g.NumArcs())}
		for e, to := range g.To() {
			parts.Arc[e] = v.Block[0][e%b.NumCells()] + v.Node[to]
		}
		h, err := graph.HessianVector(g, parts)
		if err != nil {
			t.Fatal(err)
		}
		want := zeros(tr, steps, b)
		copy(want.Node, h.Start)
		for e, to := range g.To() {
			want.Block[0][e%b.NumCells()] += h.Arc[e]
			want.Node[to] += h.Arc[e]
		}
		if !nearParts(got, want, near) {
			t.Fatalf("seed %d: another product than the graph's", seed)
		}
	}
}

// sameParts reports whether all numbers differ by at most the given share of the greatest one.
func sameParts(a, b trellis.Parts, share float64) bool {
	greatest := 0.0
	for _, x := range append([][]float64{b.Node, b.Stay}, b.Block...) {
		for _, y := range x {
			greatest = max(greatest, math.Abs(y))
		}
	}
	return nearParts(a, b, func(x, y float64) bool { return math.Abs(x-y) <= share*greatest })
}

// dyadic makes numbers multiples of 2⁻²⁰, so that offsets are added without rounding.
func dyadic(v trellis.Parts) trellis.Parts {
	for _, x := range append([][]float64{v.Node, v.Stay}, v.Block...) {
		for i := range x {
			x[i] = math.Round(x[i]*0x1p20) * 0x1p-20
		}
	}
	return v
}

// What all arcs of a step add to V makes no difference, and the magnitudes of V and of weights
// make none but a factor. A sum by numbers is one by weights, to which a weight that no path has
// leads. Posteriors near 0 have derivatives as accurate as others.
func TestHessianVectorInvariants(t *testing.T) {
	const unlikely = 1e-100
	var s trellis.Scratch
	for seed := range trials.Seeds(100) {
		r := graphtest.Rand(seed)
		const n = 4 // of nodes: no path reaches the last one
		steps := 1 + r.IntN(60)
		number := func(rows int) []float64 {
			x := make([]float64, rows*n)
			for i := range x {
				if x[i] = r.Float64(); i%n == n-1 {
					x[i] = 0
				}
			}
			return x
		}
		initial, cells, stay, nodes := number(1), number(n), make([]weight, steps), make([][]weight, steps+1)
		cells[1] = unlikely
		for step := range stay {
			if r.IntN(2) == 0 {
				stay[step] = semiring.NewScaled(r.Float64())
			}
		}
		for layer := range nodes {
			nodes[layer] = scaled(number(1)...)
		}
		build := func(cells []weight, up int64) (*trellis.Trellis, *trellis.Block) {
			b, raised := newBlock(t, n, n, cells...), make([][]weight, len(nodes))
			for layer, w := range nodes {
				for _, x := range w {
					raised[layer] = append(raised[layer], x.Mul(weight{Mant: 1, Exp: up}))
				}
			}
			tr := must(trellis.New(scaled(initial...), []*trellis.Block{b}, make([]int32, steps), raised, nil))
			if up == 0 {
				if err := tr.SetStay(stay); err != nil {
					t.Fatal(err)
				}
			}
			return tr, b
		}
		tr, b := build(scaled(cells...), 0)
		v := zeros(tr, steps, b)
		for _, x := range [][]float64{v.Node, v.Stay, v.Block[0]} {
			for i := range x {
				x[i] = r.NormFloat64()
			}
		}
		v = dyadic(v)
		product := func(tr *trellis.Trellis, v trellis.Parts) trellis.Parts {
			change := zeros(tr, steps, b)
			if _, err := tr.HessianVector(v, 1, change, &s); err != nil {
				t.Fatal(err)
			}
			return change
		}
		want := product(tr, v)

		raised := filled(v, zeros(tr, steps, b))
		for i := range raised.Block[0] {
			raised.Block[0][i] += 1e6
		}
		for i := range raised.Node {
			raised.Node[i] -= 3e6
		}
		for i := range raised.Stay {
			raised.Stay[i] -= 2e6
		}
		if got := product(tr, raised); !sameParts(got, want, 1e-11) {
			t.Fatalf("seed %d: %v with a great mean of V, want %v", seed, got, want)
		}

		for _, factor := range []float64{0x1p-300, 0x1p300} {
			times := func(p trellis.Parts, factor float64) trellis.Parts {
				p = filled(p, zeros(tr, steps, b))
				for _, x := range [][]float64{p.Node, p.Stay, p.Block[0]} {
					for i := range x {
						x[i] *= factor
					}
				}
				return p
			}
			if got := times(product(tr, times(v, factor)), 1/factor); !sameParts(got, want, 1e-12) {
				t.Fatalf("seed %d: %v with V times %g, want %v", seed, got, factor, want)
			}
		}

		far := scaled(cells...)
		far[(n-1)*n] = semiring.ScaledFromLog(3000) // from the node that no path reaches
		if got := product(first(build(far, 0)), v); !sameParts(got, want, 1e-11) {
			t.Fatalf("seed %d: %v by weights, want %v", seed, got, want)
		} else if x, y := got.Block[0][1], want.Block[0][1]; math.Abs(x-y) > 1e-10*math.Abs(y) || math.Abs(y) > 1e-90 {
			t.Fatalf("seed %d: %v by weights for an unlikely cell, want %v", seed, x, y)
		}

		plain, _ := build(scaled(cells...), 0)
		if err := plain.SetStay(nil); err != nil {
			t.Fatal(err)
		}
		want = product(plain, v)
		for _, digits := range []int64{-2, 2} { // of 2^512
			up := scaled(cells...)
			for i := range up {
				up[i] = up[i].Mul(weight{Mant: 1, Exp: digits})
			}
			if got := product(first(build(up, -digits/2)), v); !sameParts(got, want, 1e-12) {
				t.Fatalf("seed %d: %v with weights of 2^%d, want %v", seed, got, 512*digits, want)
			}
		}
	}
}

func first(t *trellis.Trellis, _ *trellis.Block) *trellis.Trellis { return t }
