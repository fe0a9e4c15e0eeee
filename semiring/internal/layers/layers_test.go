package layers_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/layers"
)

type weight = semiring.ScaledFloat

// arc is an arc of a machine, and its number in all.
type arc struct {
	to     int
	part   int32
	weight weight
	value  float64
}

// machine lists its arcs by layer and node.
type machine struct {
	arcs  [][][]arc
	parts int
}

func (m *machine) Layers() int         { return len(m.arcs) + 1 }
func (m *machine) Width(layer int) int { return m.widths()[layer] }

func (m *machine) widths() (w []int) {
	for _, nodes := range m.arcs {
		w = append(w, len(nodes))
	}
	return append(w, 1)
}

func (m *machine) AppendArcs(a *layers.Arcs, layer int) {
	for _, node := range m.arcs[layer] {
		for _, x := range node {
			a.Add(int32(x.to), x.part, x.weight, x.value)
		}
		a.Next()
	}
}

// paths calls visit for all paths from a node on, by the numbers of their arcs.
func (m *machine) paths(layer, node int, path []arc, w weight, visit func(path []arc, w weight)) {
	if layer == len(m.arcs) {
		visit(path, w)
		return
	}
	for _, a := range m.arcs[layer][node] {
		next, to := layer, a.to
		if width := len(m.arcs[layer]); to >= width {
			next, to = layer+1, to-width
		}
		m.paths(next, to, append(slices.Clip(path), a), w.Mul(a.weight), visit)
	}
}

// random has up to five layers of up to three nodes, with arcs within them.
func random(r *rand.Rand, draw func(*rand.Rand) weight, offset float64) *machine {
	m := &machine{}
	widths := []int{1}
	for range 1 + r.IntN(3) {
		widths = append(widths, 1+r.IntN(3))
	}
	widths = append(widths, 1)
	for layer, width := range widths[:len(widths)-1] {
		nodes := make([][]arc, width)
		for n := range nodes {
			for to := n + 1; to < width+widths[layer+1]; to++ {
				for range r.IntN(8) / 3 { // two at most
					a := arc{to: to, part: int32(m.parts), value: r.NormFloat64()}
					if to >= width {
						a.value += offset
					}
					if r.IntN(8) > 0 {
						a.weight = draw(r)
					}
					nodes[n] = append(nodes[n], a)
					m.parts++
				}
			}
		}
		m.arcs = append(m.arcs, nodes)
	}
	return m
}

// each calls test for random machines, as one segment and as several.
func each(t *testing.T, offset float64, test func(t *testing.T, seed uint64, m *machine)) {
	near := func(r *rand.Rand) weight { return semiring.NewScaled(r.Float64()) }
	far := func(r *rand.Rand) weight { return semiring.ScaledFromLog(3000 * r.NormFloat64()) }
	for name, draw := range map[string]func(*rand.Rand) weight{"near": near, "far": far} {
		t.Run(name, func(t *testing.T) {
			for seed := range trials.Seeds(1000) {
				r := graphtest.Rand(seed)
				func() {
					defer layers.SetMostNodes([]int{0, 1 << 20}[r.IntN(2)])()
					test(t, seed, random(r, draw, offset))
				}()
			}
		})
	}
}

func relative(a, b weight) bool { return semiring.Scaled{}.Dist(a, b) < 1e-12 }

// Sums, probabilities and the best path equal the results over all paths.
func TestPaths(t *testing.T) {
	var s layers.Scratch
	each(t, 0, func(t *testing.T, seed uint64, m *machine) {
		var total, best weight
		m.paths(0, 0, nil, semiring.NewScaled(1), func(_ []arc, w weight) {
			total, best = total.Add(w), semiring.Viterbi{}.Plus(best, w)
		})
		want, got := make([]float64, m.parts), make([]float64, m.parts)
		if !total.IsZero() {
			m.paths(0, 0, nil, semiring.NewScaled(1), func(path []arc, w weight) {
				for _, a := range path {
					want[a.part] += w.Div(total).Float64()
				}
			})
		}
		if sum := layers.PathSum(m, &s); !relative(sum, total) {
			t.Fatalf("seed %d: path sum %v, want %v", seed, sum, total)
		}
		layer := -1
		sum, err := layers.Counts(m, &s, func(n int, a *layers.Arcs, p []float64) {
			if layer++; n != layer {
				t.Fatalf("seed %d: layer %d, want %d", seed, n, layer)
			}
			for k, part := range a.Part {
				got[part] += p[k]
			}
		})
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1e-290, a, b) }
		if err != nil || !relative(sum, total) || !slices.EqualFunc(got, want, near) {
			t.Fatalf("seed %d: total %v, %v, want %v; probabilities %v, want %v", seed, sum, err, total, got, want)
		}
		w, node := semiring.NewScaled(1), 0
		greatest := layers.Best(m, &s, func(layer int, a *layers.Arcs, k int32) {
			w = w.Mul(a.Weight[k])
			if k < a.Row[node] || k >= a.Row[node+1] {
				t.Fatalf("seed %d: arc %d leaves another node than %d", seed, k, node)
			}
			if node = int(a.To[k]); node >= m.Width(layer) {
				node -= m.Width(layer)
			}
		})
		if !relative(greatest, best) || !best.IsZero() && !relative(w, best) {
			t.Fatalf("seed %d: best path %v of weight %v, want %v", seed, w, greatest, best)
		}
	})
}

// Covariances equal the covariances over all paths. A common value of all arcs from one layer to
// the next does not change them.
func TestAlong(t *testing.T) {
	var s layers.Scratch
	for _, offset := range []float64{0, 1e6} {
		each(t, offset, func(t *testing.T, seed uint64, m *machine) {
			var total weight
			m.paths(0, 0, nil, semiring.NewScaled(1), func(_ []arc, w weight) { total = total.Add(w) })
			value := func(path []arc) (sum float64) {
				for _, a := range path {
					sum += a.value
				}
				return sum - offset*float64(len(m.arcs))
			}
			want, got, mean := make([]float64, m.parts), make([]float64, m.parts), 0.0
			if !total.IsZero() {
				m.paths(0, 0, nil, semiring.NewScaled(1), func(path []arc, w weight) { mean += w.Div(total).Float64() * value(path) })
				m.paths(0, 0, nil, semiring.NewScaled(1), func(path []arc, w weight) {
					for _, a := range path {
						want[a.part] += w.Div(total).Float64() * (value(path) - mean)
					}
				})
			}
			sum, err := layers.Along(m, &s, func(_ int, a *layers.Arcs, _, covariance []float64) {
				for k, part := range a.Part {
					got[part] += covariance[k]
				}
			})
			near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12+1e-15*offset }
			if err != nil || !relative(sum, total) || !slices.EqualFunc(got, want, near) {
				t.Fatalf("seed %d, offset %g: total %v, %v, want %v; covariances %v, want %v", seed, offset, sum, err, total, got, want)
			}
		})
	}
}

// A sum without an inverse is an error, without any calls of count.
func TestNotFinite(t *testing.T) {
	for _, x := range []float64{math.Inf(1), math.NaN()} {
		m := &machine{arcs: [][][]arc{{{{to: 1, weight: semiring.NewScaled(x)}}}}}
		var s layers.Scratch
		if _, err := layers.Counts(m, &s, func(int, *layers.Arcs, []float64) { t.Error("counted") }); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("counts of %v: error %v, want semiring.ErrNotFinite", x, err)
		}
		if _, err := layers.Along(m, &s, func(int, *layers.Arcs, []float64, []float64) { t.Error("counted") }); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("derivatives of %v: error %v, want semiring.ErrNotFinite", x, err)
		}
	}
}

// All lists the arcs between the second and the last but one layer, and the start and final
// weights.
func TestAll(t *testing.T) {
	one, two, three, four := semiring.NewScaled(1), semiring.NewScaled(2), semiring.NewScaled(3), semiring.NewScaled(4)
	m := &machine{arcs: [][][]arc{
		{{{to: 2, weight: two}}},
		{{{to: 1, part: 5, weight: one}, {to: 2, part: 6, weight: three}}, {}},
		{{{to: 1, weight: four}}},
	}}
	all, start, final, err := layers.All(m)
	if err != nil || !slices.Equal(all.Row, []int32{0, 2, 2, 2}) || !slices.Equal(all.To, []int32{1, 2}) || !slices.Equal(all.Part, []int32{5, 6}) ||
		!slices.Equal(start, []weight{{}, two}) || !slices.Equal(final, []weight{{}, {}, four}) {
		t.Errorf("%+v, starts %v, ends %v, %v", all, start, final, err)
	}
}
