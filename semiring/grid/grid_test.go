package grid_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/grid"
)

type weight = semiring.ScaledFloat

// relation is a machine and two strings, for enumeration.
type relation struct {
	machine *grid.Machine
	states  int
	arcs    []grid.Arc
	weights grid.Weights
	x, y    []int32
}

// randomRelation has short strings over few symbols, some of them unknown to the machine,
// which has up to three states, parallel arcs and weights 0.
func randomRelation(r *rand.Rand, draw func(*rand.Rand) weight) *relation {
	vector := func(n int) []weight {
		w := make([]weight, n)
		for i := range w {
			if r.IntN(8) > 0 {
				w[i] = draw(r)
			}
		}
		return w
	}
	symbols := [][]int32{{1, 2}, {3, 1 << 30}, {7}}[r.IntN(3)]
	symbol := func() int32 { return symbols[r.IntN(len(symbols))] }
	f := &relation{states: 1 + r.IntN(3)}
	state := func() int32 { return r.Int32N(int32(f.states)) }
	pairs := map[[2]int32]bool{}
	for range r.IntN(12) {
		a := grid.Arc{From: state(), To: state()}
		kind := r.IntN(3)
		if kind != 0 {
			a.X = symbol()
		}
		if kind != 1 {
			a.Y = symbol()
		}
		pair := [2]int32{a.X, a.Y}
		if pairs[pair] && f.states == 1 && r.IntN(8) > 0 {
			continue // most machines of one state have no parallel arcs
		}
		pairs[pair] = true
		f.arcs = append(f.arcs, a)
	}
	f.weights = grid.Weights{Initial: vector(f.states), Arc: vector(len(f.arcs)), Final: vector(f.states)}
	for range r.IntN(4) {
		f.x = append(f.x, symbol())
	}
	for range r.IntN(4) {
		f.y = append(f.y, symbol())
	}
	var err error
	if f.machine, err = grid.New(f.states, f.arcs); err != nil {
		panic(err)
	}
	if err := f.machine.SetWeights(f.weights); err != nil {
		panic(err)
	}
	f.machine.Segment([]int{0, 10, 1 << 20}[r.IntN(3)])
	return f
}

// paths calls visit for all paths that read x and write y.
func (f *relation) paths(visit func(start int32, arcs []int32, end int32, w weight)) {
	var follow func(start, here int32, arcs []int32, x, y []int32, w weight)
	follow = func(start, here int32, arcs []int32, x, y []int32, w weight) {
		if len(x) == 0 && len(y) == 0 {
			visit(start, arcs, here, w.Mul(f.weights.Final[here]))
		}
		for k, a := range f.arcs {
			restX, restY := x, y
			if a.X != 0 {
				if len(x) == 0 || x[0] != a.X {
					continue
				}
				restX = x[1:]
			}
			if a.Y != 0 {
				if len(y) == 0 || y[0] != a.Y {
					continue
				}
				restY = y[1:]
			}
			if a.From == here {
				follow(start, a.To, append(slices.Clip(arcs), int32(k)), restX, restY, w.Mul(f.weights.Arc[k]))
			}
		}
	}
	for q, w := range f.weights.Initial {
		follow(int32(q), int32(q), nil, f.x, f.y, w)
	}
}

// total returns the sum of all paths.
func (f *relation) total() (total weight) {
	f.paths(func(_ int32, _ []int32, _ int32, w weight) { total = total.Add(w) })
	return total
}

func (f *relation) zeros() grid.Parts {
	return grid.Parts{Initial: make([]float64, f.states), Arc: make([]float64, len(f.arcs)), Final: make([]float64, f.states)}
}

// each calls visit for every part that a path uses.
func each(p grid.Parts, start int32, arcs []int32, end int32, visit func(x *float64)) {
	visit(&p.Initial[start])
	for _, k := range arcs {
		visit(&p.Arc[k])
	}
	visit(&p.Final[end])
}

// counts returns expected uses by enumeration.
func (f *relation) counts(times float64) grid.Parts {
	sum, total := f.zeros(), f.total()
	f.paths(func(start int32, arcs []int32, end int32, w weight) {
		if !total.IsZero() {
			each(sum, start, arcs, end, func(x *float64) { *x += times * w.Div(total).Float64() })
		}
	})
	return sum
}

// nearParts compares part by part.
func nearParts(a, b grid.Parts, near func(a, b float64) bool) bool {
	return slices.EqualFunc(a.Initial, b.Initial, near) && slices.EqualFunc(a.Arc, b.Arc, near) && slices.EqualFunc(a.Final, b.Final, near)
}

func nearRelative(a, b weight) bool { return semiring.Scaled{}.Dist(a, b) < 1e-12 }

func nearCount(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1e-100, a, b) }

// magnitudes are distributions of weights.
var magnitudes = map[string]func(*rand.Rand) weight{
	"probabilities": func(r *rand.Rand) weight { return semiring.NewScaled(r.Float64()) },
	"all magnitudes": func(r *rand.Rand) weight { // from 2^-1500 to 2^1500, often near each other
		spread := []float64{3, 300, 1500}[r.IntN(3)]
		return semiring.ScaledFromLog(spread * math.Ln2 * (2*r.Float64() - 1))
	},
	"tiny": func(r *rand.Rand) weight { return semiring.ScaledFromLog(-800 * r.Float64()) },
}

// eachRelation runs a test for many random machines and strings.
func eachRelation(t *testing.T, test func(t *testing.T, seed uint64, f *relation)) {
	for name, draw := range magnitudes {
		t.Run(name, func(t *testing.T) {
			paths := 0
			for seed := range trials.Seeds(3000) {
				f := randomRelation(graphtest.Rand(seed), draw)
				if !f.total().IsZero() {
					paths++
				}
				test(t, seed, f)
			}
			if paths < 500 {
				t.Errorf("only %d pairs have a path", paths)
			}
		})
	}
}

func TestPathSum(t *testing.T) {
	var scratch grid.Scratch
	eachRelation(t, func(t *testing.T, seed uint64, f *relation) {
		var want, best weight
		f.paths(func(_ int32, _ []int32, _ int32, w weight) {
			want = want.Add(w)
			best = semiring.Viterbi{}.Plus(best, w)
		})
		if got := f.machine.PathSum(f.x, f.y, &scratch); !nearRelative(got, want) {
			t.Fatalf("seed %d: path sum %v, want %v", seed, got, want)
		}
		g, arcs, err := f.machine.Graph(f.x, f.y, &scratch)
		if err != nil {
			t.Fatal(err)
		}
		if got := oracle.PathSum(g, len(f.x)+len(f.y)); !nearRelative(got, want) {
			t.Fatalf("seed %d: path sum of the graph %v, want %v", seed, got, want)
		}
		if nodes, n := f.machine.GridSize(f.x, f.y, &scratch); int(nodes) != g.NumStates() || int(n) != len(arcs) {
			t.Fatalf("seed %d: %d nodes and %d arcs, the graph has %d and %d", seed, nodes, n, g.NumStates(), len(arcs))
		}
		path, start, w, err := f.machine.BestPath(nil, f.x, f.y, &scratch)
		if err != nil || !nearRelative(w, best) {
			t.Fatalf("seed %d: best path %v of weight %v, %v, want %v", seed, path, w, err, best)
		}
		found := best.IsZero() && path == nil
		f.paths(func(from int32, p []int32, _ int32, x weight) {
			found = found || from == start && slices.Equal(p, path) && nearRelative(w, x)
		})
		if !found {
			t.Fatalf("seed %d: path %v from %d does not weigh %v", seed, path, start, w)
		}
	})
}

func TestCounts(t *testing.T) {
	var scratch grid.Scratch
	eachRelation(t, func(t *testing.T, seed uint64, f *relation) {
		want, got := f.counts(.5), f.zeros()
		total, err := f.machine.Counts(f.x, f.y, .5, got, &scratch)
		if err != nil || !nearRelative(total, f.total()) {
			t.Fatalf("seed %d: total %v, %v, want %v", seed, total, err, f.total())
		}
		if !nearParts(got, want, nearCount) {
			t.Fatalf("seed %d: counts %v, want %v", seed, got, want)
		}
		all := f.zeros() // what is nil is left out
		for _, part := range []grid.Parts{{Initial: all.Initial}, {Arc: all.Arc}, {Final: all.Final}} {
			if _, err := f.machine.Counts(f.x, f.y, .5, part, &scratch); err != nil {
				t.Fatal(err)
			}
		}
		if !nearParts(all, got, func(a, b float64) bool { return a == b }) {
			t.Fatalf("seed %d: part by part %v, want %v", seed, all, got)
		}
	})
}

// The product is the covariance over all paths, whatever the weights are.
func TestHessianVector(t *testing.T) {
	var scratch grid.Scratch
	eachRelation(t, func(t *testing.T, seed uint64, f *relation) {
		r := graphtest.Rand(seed + 1<<32)
		v, values := f.zeros(), f.zeros()
		for i, x := range []*[]float64{&v.Initial, &v.Arc, &v.Final} {
			for k := range *x {
				(*x)[k] = r.NormFloat64()
			}
			copy([][]float64{values.Initial, values.Arc, values.Final}[i], *x)
			if r.IntN(5) == 0 {
				clear([][]float64{values.Initial, values.Arc, values.Final}[i])
				*x = nil
			}
			for k := range *x {
				if [][]weight{f.weights.Initial, f.weights.Arc, f.weights.Final}[i][k].IsZero() {
					(*x)[k] = 1e200 // which does not matter
				}
			}
		}
		total, mean, want := f.total(), 0.0, f.zeros()
		value := func(start int32, arcs []int32, end int32) (sum float64) {
			each(values, start, arcs, end, func(x *float64) { sum += *x })
			return sum
		}
		if !total.IsZero() {
			f.paths(func(start int32, arcs []int32, end int32, w weight) {
				mean += w.Div(total).Float64() * value(start, arcs, end)
			})
			f.paths(func(start int32, arcs []int32, end int32, w weight) {
				p := .5 * w.Div(total).Float64() * (value(start, arcs, end) - mean)
				each(want, start, arcs, end, func(x *float64) { *x += p })
			})
		}
		count, change := f.zeros(), f.zeros()
		got, err := f.machine.HessianVector(f.x, f.y, v, .5, count, change, &scratch)
		if err != nil || !nearRelative(got, total) {
			t.Fatalf("seed %d: total %v, %v, want %v", seed, got, err, total)
		}
		if !nearParts(count, f.counts(.5), nearCount) {
			t.Fatalf("seed %d: counts %v, want %v", seed, count, f.counts(.5))
		}
		if !nearParts(change, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }) {
			t.Fatalf("seed %d: %v, want %v", seed, change, want)
		}
		all := f.zeros() // what is nil is left out
		for _, part := range []grid.Parts{{Initial: all.Initial}, {Arc: all.Arc}, {Final: all.Final}} {
			if _, err := f.machine.HessianVector(f.x, f.y, v, .5, grid.Parts{}, part, &scratch); err != nil {
				t.Fatal(err)
			}
		}
		if !nearParts(all, change, func(a, b float64) bool { return a == b }) {
			t.Fatalf("seed %d: part by part %v, want %v", seed, all, change)
		}
	})
}

// posteriors returns expected uses of arcs by the graph of a grid.
func (f *relation) posteriors(t *testing.T, s *grid.Scratch) (weight, []float64) {
	g, number, err := f.machine.Graph(f.x, f.y, s)
	if err != nil {
		t.Fatal(err)
	}
	p, err := graph.Posteriors(g)
	if err != nil {
		t.Fatal(err)
	}
	sum := make([]float64, len(f.arcs))
	for a, x := range p.Arc {
		sum[number[a]] += x
	}
	return p.Total, sum
}
