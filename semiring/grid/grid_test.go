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

// eachIndexed runs a test for many random machines and strings.
func eachIndexed(t *testing.T, test func(t *testing.T, seed uint64, m *indexed)) {
	for name, draw := range magnitudes {
		t.Run(name, func(t *testing.T) {
			paths, s := 0, new(grid.Scratch)
			for seed := range trials.Seeds(1000) {
				r := graphtest.Rand(seed)
				table := make([]weight, 12)
				for k := 1; k < len(table); k++ {
					table[k] = draw(r)
				}
				m := newIndexed(r, 3)
				if err := m.weigh(table); err != nil {
					t.Fatal(err)
				}
				if !m.PathSum(m.x, m.y, s).IsZero() {
					paths++
				}
				test(t, seed, m)
			}
			if paths < 150 {
				t.Errorf("only %d pairs have a path", paths)
			}
		})
	}
}

// The graph has the path sum of the machine, and the size of the grid.
func TestGraph(t *testing.T) {
	var scratch grid.Scratch
	eachIndexed(t, func(t *testing.T, seed uint64, m *indexed) {
		g, arcs, err := m.Graph(m.x, m.y, &scratch)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := oracle.PathSum(g, len(m.x)+len(m.y)), m.PathSum(m.x, m.y, &scratch); !nearRelative(got, want) {
			t.Fatalf("seed %d: path sum of the graph %v, want %v", seed, got, want)
		}
		if nodes, n := m.GridSize(m.x, m.y, &scratch); int(nodes) != g.NumStates() || int(n) != len(arcs) {
			t.Fatalf("seed %d: %d nodes and %d arcs, the graph has %d and %d", seed, nodes, n, g.NumStates(), len(arcs))
		}
	})
}

// Parts that are nil are left out, or stand for zeros. Parts of weight 0 are not counted, and
// their values do not matter.
func TestParts(t *testing.T) {
	var scratch grid.Scratch
	same := func(a, b float64) bool { return a == b }
	eachIndexed(t, func(t *testing.T, seed uint64, m *indexed) {
		r := graphtest.Rand(seed + 1<<32)
		zeros := func() grid.Parts { return m.parts(new(grid.Parts), nil) }
		v, values := zeros(), zeros()
		for i, x := range []*[]float64{&v.Initial, &v.Arc, &v.Final} {
			plain := [][]float64{values.Initial, values.Arc, values.Final}[i]
			for k, w := range [][]weight{m.weights.Initial, m.weights.Arc, m.weights.Final}[i] {
				plain[k] = r.NormFloat64()
				if (*x)[k] = plain[k]; w.IsZero() {
					(*x)[k] = 1e200
				}
			}
			if r.IntN(5) == 0 {
				*x = nil
				clear(plain)
			}
		}
		count, counted, again := zeros(), zeros(), zeros()
		change, changed, want := zeros(), zeros(), zeros()
		if _, err := m.HessianVector(m.x, m.y, values, .5, again, want, &scratch); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ count, change grid.Parts }{
			{count, change},
			{grid.Parts{Initial: counted.Initial}, grid.Parts{Initial: changed.Initial}},
			{grid.Parts{Arc: counted.Arc}, grid.Parts{Arc: changed.Arc}},
			{grid.Parts{Final: counted.Final}, grid.Parts{Final: changed.Final}},
		} {
			if _, err := m.Counts(m.x, m.y, .5, c.count, &scratch); err != nil {
				t.Fatal(err)
			}
			if _, err := m.HessianVector(m.x, m.y, v, .5, grid.Parts{}, c.change, &scratch); err != nil {
				t.Fatal(err)
			}
		}
		if !nearParts(counted, count, same) || !nearParts(changed, change, same) {
			t.Fatalf("seed %d: part by part %v and %v, want %v and %v", seed, counted, changed, count, change)
		}
		if !nearParts(change, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }) || !nearParts(again, count, nearCount) {
			t.Fatalf("seed %d: %v with values of weight 0, want %v; counts %v, want %v", seed, change, want, again, count)
		}
		for i, weights := range [][]weight{m.weights.Initial, m.weights.Arc, m.weights.Final} {
			for k, w := range weights {
				if x := [][]float64{count.Initial, count.Arc, count.Final}[i][k]; w.IsZero() && x != 0 {
					t.Fatalf("seed %d: counts %v, also of weight 0", seed, count)
				}
			}
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
