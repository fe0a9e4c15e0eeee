package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// layers describes a trellis by full matrices, for enumeration.
type layers[W any] struct {
	ring           semiring.Semiring[W]
	initial, final []W
	matrix         [][][]W // per block; Zero outside the band
	steps          []int32
	nodes          [][]W
	stay           []W // nil: none
	sizes          []int
	trellis        *graph.Trellis[W]
}

// randomLayers has layers of at most three nodes, blocks that are shared, dense or
// banded, and any of the optional parts missing.
func randomLayers[W any](r *rand.Rand, ring semiring.Semiring[W], weight func(*rand.Rand) W) *layers[W] {
	draw := func() W {
		if r.IntN(8) == 0 {
			return ring.Zero()
		}
		return weight(r)
	}
	vector := func(n int) []W {
		v := make([]W, n)
		for i := range v {
			v[i] = draw()
		}
		return v
	}
	l := &layers[W]{ring: ring, sizes: []int{1 + r.IntN(3)}}
	l.initial = vector(l.sizes[0])
	var blocks []*graph.Block[W]
	for range r.IntN(5) {
		rows := l.sizes[len(l.sizes)-1]
		number := -1
		for n, m := range l.matrix {
			if len(m) == rows && r.IntN(2) == 0 {
				number = n
			}
		}
		if number < 0 {
			number = len(blocks)
			b, m := randomBlock(r, ring, rows, 1+r.IntN(3), draw)
			blocks, l.matrix = append(blocks, b), append(l.matrix, m)
		}
		l.steps = append(l.steps, int32(number))
		l.sizes = append(l.sizes, len(l.matrix[number][0]))
	}
	if r.IntN(4) > 0 {
		for _, n := range l.sizes {
			l.nodes = append(l.nodes, vector(n))
			if r.IntN(4) == 0 {
				l.nodes[len(l.nodes)-1] = nil
			}
		}
	}
	if r.IntN(2) == 0 {
		l.final = vector(l.sizes[len(l.sizes)-1])
	}
	var err error
	if l.trellis, err = graph.NewTrellis(ring, l.initial, blocks, l.steps, l.nodes, l.final); err != nil {
		panic(err)
	}
	l.maybeStay(r, vector)
	return l
}

// maybeStay lets every other trellis stay, where it can.
func (l *layers[W]) maybeStay(r *rand.Rand, vector func(n int) []W) {
	if r.IntN(2) > 0 {
		return
	}
	l.stay = vector(len(l.steps))
	for n := range l.steps {
		if l.sizes[n] != l.sizes[n+1] {
			l.stay[n] = l.ring.Zero()
		}
	}
	if err := l.trellis.SetStay(l.stay); err != nil {
		panic(err)
	}
}

func randomBlock[W any](r *rand.Rand, ring semiring.Semiring[W], rows, cols int, draw func() W) (*graph.Block[W], [][]W) {
	low, high := -rows, cols
	if r.IntN(2) == 0 {
		low = r.IntN(6) - 3
		high = low + r.IntN(4) - 1 // the band may be empty
	}
	matrix, cells := make([][]W, rows), []W{}
	for i := range matrix {
		for j := range cols {
			w := ring.Zero()
			if low <= j-i && j-i <= high {
				w = draw()
				cells = append(cells, w)
			}
			matrix[i] = append(matrix[i], w)
		}
	}
	b, err := graph.NewBand(ring, rows, cols, low, high, cells)
	if err != nil {
		panic(err)
	}
	return b, matrix
}

// paths calls visit for all sequences of nodes i, or ^i for a stay, with weights.
func (l *layers[W]) paths(visit func(path []int32, w W)) {
	var follow func(path []int32, w W)
	follow = func(path []int32, w W) {
		t := len(path) - 1
		i, stays := path[t], path[t] < 0
		if stays {
			i = ^i
		}
		if !stays && l.nodes != nil && l.nodes[t] != nil {
			w = l.ring.Times(w, l.nodes[t][i])
		}
		if t == len(l.steps) {
			if l.final != nil {
				w = l.ring.Times(w, l.final[i])
			}
			visit(path, w)
			return
		}
		for j, x := range l.matrix[l.steps[t]][i] {
			follow(append(path[:t+1:t+1], int32(j)), l.ring.Times(w, x))
		}
		if l.stay != nil && !l.ring.IsZero(l.stay[t]) {
			follow(append(path[:t+1:t+1], ^i), l.ring.Times(w, l.stay[t]))
		}
	}
	for i, w := range l.initial {
		follow([]int32{int32(i)}, w)
	}
}

// number returns the number of the node that a path takes in a layer.
func (l *layers[W]) number(layer int, i int32) int32 { return l.trellis.Layers()[layer] + i }

func checkTrellis[W any](t *testing.T, ring semiring.Semiring[W], weight func(*rand.Rand) W, near func(a, b W) bool) {
	t.Helper()
	_, ordered := semiring.As[semiring.Ordered[W]](ring)
	scratch := new(graph.TrellisScratch[W])
	var alpha, beta []W
	for seed := range trials.Seeds(1500) {
		l := randomLayers(graphtest.Rand(seed), ring, weight)
		want, some := ring.Zero(), false
		l.paths(func(_ []int32, w W) {
			want, some = ring.Plus(want, w), some || !ring.IsZero(w)
		})
		if got := l.trellis.PathSum(scratch); !near(got, want) {
			t.Fatalf("seed %d: path sum %v, want %v", seed, got, want)
		}
		g, err := l.trellis.Graph()
		if err != nil {
			t.Fatal(err)
		}
		if got := oracle.PathSum(g, len(l.steps)); !near(got, want) {
			t.Fatalf("seed %d: path sum of the graph %v, want %v", seed, got, want)
		}
		alpha = l.trellis.Forward(alpha, scratch)
		beta = l.trellis.Backward(beta, scratch)
		if want := oracle.Forward(g, len(l.steps)); !nearSlices(alpha, want, near) {
			t.Fatalf("seed %d: forward %v, want %v", seed, alpha, want)
		}
		if want := oracle.Backward(g, len(l.steps)); !nearSlices(beta, want, near) {
			t.Fatalf("seed %d: backward %v, want %v", seed, beta, want)
		}
		path, w, err := l.trellis.BestPath(nil, scratch)
		switch {
		case !ordered && !errors.Is(err, semiring.ErrCapability):
			t.Fatalf("seed %d: error %v, want ErrCapability", seed, err)
		case ordered && (err != nil || !near(w, want) || (path != nil) != some):
			t.Fatalf("seed %d: best path %v of weight %v, %v, want %v", seed, path, w, err, want)
		}
		l.paths(func(p []int32, x W) {
			if slices.Equal(p, path) && !near(w, x) {
				t.Fatalf("seed %d: best path %v weighs %v, not %v", seed, path, x, w)
			}
		})
	}
}

func TestTrellis(t *testing.T) {
	exactly := func(a, b semiring.Cost) bool { return a == b }
	t.Run("Real", func(t *testing.T) { checkTrellis(t, semiring.Real{}, unit, near) })
	t.Run("Scaled", func(t *testing.T) {
		checkTrellis(t, semiring.Scaled{}, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(unit(r))
		}, nearRelative)
	})
	t.Run("Scaled, all magnitudes", func(t *testing.T) {
		checkTrellis(t, semiring.Scaled{}, anyMagnitude, nearRelative)
	})
	t.Run("Log", func(t *testing.T) {
		checkTrellis(t, semiring.Log{}, func(r *rand.Rand) semiring.LogProb {
			return semiring.LogProb(math.Log(unit(r)))
		}, func(a, b semiring.LogProb) bool { return a == b || math.Abs(float64(a-b)) < 1e-12 })
	})
	t.Run("Tropical", func(t *testing.T) {
		checkTrellis(t, semiring.Tropical{}, func(r *rand.Rand) semiring.Cost {
			return semiring.Cost(r.IntN(1<<20) - 1<<18)
		}, exactly)
	})
	t.Run("Viterbi", func(t *testing.T) {
		checkTrellis(t, semiring.Viterbi{}, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(unit(r))
		}, nearRelative)
	})
	t.Run("series", func(t *testing.T) {
		checkTrellis(t, series{}, func(r *rand.Rand) sum {
			if r.IntN(2) == 0 {
				return series{}.One()
			}
			return randomSum(r)
		}, func(a, b sum) bool { return reflect.DeepEqual(a, b) })
	})
	t.Run("Expectation", func(t *testing.T) {
		ring := semiring.Expectation(semiring.Real{}, semiring.Dense(semiring.Real{}, 2))
		type pair = semiring.Expected[float64, []float64]
		checkTrellis(t, ring, func(r *rand.Rand) pair {
			return pair{P: r.Float64(), V: []float64{r.Float64(), r.Float64()}}
		}, func(a, b pair) bool {
			m, _ := semiring.As[semiring.Metric[pair]](ring)
			return m.Dist(a, b) < 1e-12
		})
	})
}

// anyMagnitude returns numbers from 2^-1500 to 2^1500, often near each other.
func anyMagnitude(r *rand.Rand) semiring.ScaledFloat {
	spread := []float64{3, 300, 1500}[r.IntN(3)]
	return semiring.ScaledFromLog(spread * math.Ln2 * (2*r.Float64() - 1))
}

func TestTrellisPosteriors(t *testing.T) {
	t.Run("Real", func(t *testing.T) { checkTrellisPosteriors(t, semiring.Real{}, unit) })
	t.Run("Scaled", func(t *testing.T) {
		checkTrellisPosteriors(t, semiring.Scaled{}, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(unit(r))
		})
	})
	t.Run("Scaled, all magnitudes", func(t *testing.T) { checkTrellisPosteriors(t, semiring.Scaled{}, anyMagnitude) })
	t.Run("Log", func(t *testing.T) {
		checkTrellisPosteriors(t, semiring.Log{}, func(r *rand.Rand) semiring.LogProb {
			return semiring.LogProb(math.Log(unit(r)))
		})
	})
}

func checkTrellisPosteriors[W any](t *testing.T, ring semiring.Semiring[W], weight func(*rand.Rand) W) {
	t.Helper()
	number, err := semiring.Convert(ring, semiring.Scaled{})
	if err != nil {
		t.Fatal(err)
	}
	scratch := new(graph.TrellisScratch[W])
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1e-100, a, b) }
	for seed := range trials.Seeds(1500) {
		l := randomLayers(graphtest.Rand(seed), ring, weight)
		total := semiring.ScaledFloat{}
		l.paths(func(_ []int32, w W) { total = total.Add(number(w)) })
		node := make([]float64, l.trellis.NumNodes())
		stay := make([]float64, len(l.stay))
		cells := make([]map[[2]int32]float64, len(l.matrix))
		for b := range cells {
			cells[b] = map[[2]int32]float64{}
		}
		l.paths(func(path []int32, w W) {
			if total.IsZero() {
				return
			}
			p := number(w).Div(total).Float64()
			here := path[0]
			for layer, i := range path {
				if i < 0 {
					stay[layer-1] += p
					continue
				}
				node[l.number(layer, i)] += p
				if layer > 0 {
					cells[l.steps[layer-1]][[2]int32{here, i}] += p
				}
				here = i
			}
		})
		p, err := l.trellis.Posteriors(scratch)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !nearRelative(number(p.Total), total) {
			t.Fatalf("seed %d: total %v, want %v", seed, p.Total, total)
		}
		if !nearSlices(p.Node, node, near) {
			t.Fatalf("seed %d: nodes %v, want %v", seed, p.Node, node)
		}
		if !nearSlices(p.Stay, stay, near) {
			t.Fatalf("seed %d: stays %v, want %v", seed, p.Stay, stay)
		}
		for b, counts := range p.Block {
			block := l.trellis.Blocks()[b]
			for i := range l.matrix[b] {
				lo, hi, col := block.Row(i)
				for n, got := range counts[lo:hi] {
					if want := cells[b][[2]int32{int32(i), int32(col + n)}]; !near(got, want) {
						t.Fatalf("seed %d: block %d, cell (%d, %d): %v, want %v", seed, b, i, col+n, got, want)
					}
				}
			}
		}
	}
}

func nearRelative(a, b semiring.ScaledFloat) bool { return semiring.Scaled{}.Dist(a, b) < 1e-12 }
