package grid_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/grid"
)

func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		states int
		arc    grid.Arc
	}{
		"no states":        {0, grid.Arc{X: 1}},
		"from":             {2, grid.Arc{From: 2, X: 1}},
		"to":               {2, grid.Arc{To: -1, X: 1}},
		"negative symbol":  {2, grid.Arc{X: -1, Y: 1}},
		"neither advances": {2, grid.Arc{From: 0, To: 1}},
	} {
		if _, err := grid.New(c.states, []grid.Arc{c.arc}); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
		}
	}
	m, err := grid.New(2, []grid.Arc{{X: 1}})
	if err != nil {
		t.Fatal(err)
	}
	one, two := scaled(1), scaled(1, 1)
	for _, w := range []grid.Weights{{two, two, two}, {one, one, two}, {two, one, one}, {}} {
		if err := m.SetWeights(w); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%v: error %v, want semiring.ErrShape", w, err)
		}
	}
	if _, _, err := m.Graph(make([]int32, 1<<16), make([]int32, 1<<16), new(grid.Scratch)); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
}

func scaled(x ...float64) []weight {
	w := make([]weight, len(x))
	for i, a := range x {
		w[i] = semiring.NewScaled(a)
	}
	return w
}

// newRelation returns a machine of one state.
func newRelation(t *testing.T, initial, final float64, w []weight, arcs ...grid.Arc) *relation {
	f := &relation{states: 1, arcs: arcs, weights: grid.Weights{Initial: scaled(initial), Arc: w, Final: scaled(final)}}
	var err error
	if f.machine, err = grid.New(1, arcs); err != nil {
		t.Fatal(err)
	}
	if err := f.machine.SetWeights(f.weights); err != nil {
		t.Fatal(err)
	}
	return f
}

// A weight that is infinite or not a number does not matter if no path uses it.
func TestNotFinite(t *testing.T) {
	for _, bad := range []float64{math.Inf(1), math.NaN()} {
		f := newRelation(t, 1, 1, scaled(bad, .5), grid.Arc{X: 1}, grid.Arc{X: 2})
		got := f.zeros()
		total, err := f.machine.Counts([]int32{2}, nil, 1, got, new(grid.Scratch))
		if err != nil || total.Float64() != .5 || !slices.Equal(got.Arc, []float64{0, 1}) {
			t.Errorf("%v: total %v, %v, counts %v", bad, total, err, got)
		}
	}
	f := newRelation(t, 1, 1, scaled(math.NaN()), grid.Arc{X: 1})
	if _, err := f.machine.HessianVector([]int32{1}, nil, f.zeros(), 1, f.zeros(), f.zeros(), new(grid.Scratch)); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("error %v, want semiring.ErrNotFinite", err)
	}
	if _, _, _, err := f.machine.BestPath(nil, []int32{1}, nil, new(grid.Scratch)); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("error %v, want semiring.ErrNotFinite", err)
	}
}

// Without an arc, and with empty strings, paths start and end.
func TestEmpty(t *testing.T) {
	var s grid.Scratch
	f := newRelation(t, .5, .25, nil)
	got := f.zeros()
	total, err := f.machine.Counts(nil, nil, 2, got, &s)
	if err != nil || total.Float64() != .125 || got.Initial[0] != 2 || got.Final[0] != 2 {
		t.Errorf("total %v, %v, counts %v", total, err, got)
	}
	path, start, w, err := f.machine.BestPath(nil, nil, nil, &s)
	if err != nil || len(path) > 0 || start != 0 || w.Float64() != .125 {
		t.Errorf("best path %v from %d weighs %v, %v", path, start, w, err)
	}
	for _, x := range [][]int32{{1}, {0}, {-1}, {math.MaxInt32}} { // symbols that it lacks
		for _, y := range [][]int32{nil, {1}} {
			total, err := f.machine.Counts(x, y, 1, got, &s)
			if err != nil || !total.IsZero() || !f.machine.PathSum(x, y, &s).IsZero() || got.Initial[0] != 2 {
				t.Errorf("%v and %v: total %v, %v, counts %v", x, y, total, err, got)
			}
		}
	}
}

// Strings of a thousand symbols, far beyond the range of float64, are as those of their
// graph, whether numbers do or weights that lie too far apart, and whatever rows are kept.
func TestLong(t *testing.T) {
	for name, spread := range map[string]float64{"near": 1, "far": 500} {
		t.Run(name, func(t *testing.T) {
			for _, states := range []int32{1, 2} {
				f, r := editor(states), graphtest.Rand(3)
				for k := range f.weights.Arc {
					f.weights.Arc[k] = f.weights.Arc[k].Mul(semiring.ScaledFromLog(-spread * r.Float64()))
				}
				if err := f.machine.SetWeights(f.weights); err != nil {
					t.Fatal(err)
				}
				data := words(1, 400/int(states))
				f.x, f.y = data[0], data[1]
				var s grid.Scratch
				total, want := f.posteriors(t, &s)
				near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1e-9, a, b) }
				var first grid.Parts
				for n, nodes := range []int{1 << 30, 100} {
					f.machine.Segment(nodes)
					got := f.zeros()
					sum, err := f.machine.Counts(f.x, f.y, 1, got, &s)
					if err != nil || math.Abs(sum.Log()-total.Log()) > 1e-10 {
						t.Fatalf("total %v, %v, want %v", sum, err, total)
					}
					if !slices.EqualFunc(got.Arc, want, near) {
						t.Fatal("posteriors are not those of the graph")
					}
					if path := f.machine.PathSum(f.x, f.y, &s); path != sum {
						t.Errorf("path sum %v, want %v", path, sum)
					}
					if n == 0 {
						first = got
					} else if !nearParts(got, first, func(a, b float64) bool { return a == b }) {
						t.Error("other counts if fewer rows are kept")
					}
				}
			}
		})
	}
}

// A machine with many symbols has no table of all their pairs.
func TestManySymbols(t *testing.T) {
	var s grid.Scratch
	r := graphtest.Rand(5)
	for states := range int32(2) {
		states++
		f := &relation{states: int(states)}
		const symbols = 400
		for range 3000 {
			a := grid.Arc{From: r.Int32N(states), To: r.Int32N(states), X: r.Int32N(symbols), Y: r.Int32N(symbols)}
			if a.X%7 == 0 {
				a.X = 0
			}
			if a.Y%7 == 0 {
				a.Y = 0
			}
			if a.X+a.Y == 0 {
				a.Y = 1
			}
			f.arcs = append(f.arcs, a)
			f.weights.Arc = append(f.weights.Arc, semiring.NewScaled(r.Float64()))
		}
		f.weights.Initial, f.weights.Final = scaled(.5, 1)[:states], scaled(1, .5)[:states]
		var err error
		if f.machine, err = grid.New(f.states, f.arcs); err != nil {
			t.Fatal(err)
		}
		if err := f.machine.SetWeights(f.weights); err != nil {
			t.Fatal(err)
		}
		paths := 0
		for range 40 {
			f.x, f.y = nil, nil
			for range 4 { // of arcs that there are
				a := f.arcs[r.IntN(len(f.arcs))]
				if a.X > 0 {
					f.x = append(f.x, a.X)
				}
				if a.Y > 0 {
					f.y = append(f.y, a.Y)
				}
			}
			got := f.zeros()
			total, err := f.machine.Counts(f.x, f.y, 1, got, &s)
			if err != nil || !nearRelative(total, f.total()) || !nearParts(got, f.counts(1), nearCount) {
				t.Fatalf("%v and %v: total %v, %v, want %v; counts %v", f.x, f.y, total, err, f.total(), got)
			}
			if !total.IsZero() {
				paths++
			}
		}
		if paths < 10 {
			t.Errorf("only %d pairs have a path", paths)
		}
	}
}

// The mean of V makes no difference, however great it is: the covariance with a constant
// per symbol read is 0.
func TestHessianVectorOfConstant(t *testing.T) {
	f, data := editor(2), words(1, 100)
	v, count, change := f.zeros(), f.zeros(), f.zeros()
	for k, a := range f.arcs {
		if a.X > 0 {
			v.Arc[k] = 1e6
		}
	}
	for _, nodes := range []int{1 << 30, 100} {
		f.machine.Segment(nodes)
		if _, err := f.machine.HessianVector(data[0], data[1], v, 1, count, change, new(grid.Scratch)); err != nil {
			t.Fatal(err)
		}
	}
	for k, x := range change.Arc {
		if math.Abs(x) > 1e-8 {
			t.Fatalf("arc %d: covariance %v, want 0", k, x)
		}
	}
}

// What all arcs of a symbol add to V makes no difference, and the magnitude of V none but a
// factor. A sum by numbers is one by weights, to which an arc leads that no path uses. An unlikely
// arc has a derivative as accurate as others. In the grids of longer strings numbers reach the end
// of the range of float64.
func TestHessianVectorInvariants(t *testing.T) {
	const unlikely = 5
	var s grid.Scratch
	for _, size := range []struct {
		states int32
		length int
	}{{1, 60}, {2, 60}, {1, 300}, {2, 200}} {
		states := size.states
		f, data, r := editor(states), words(1, size.length), graphtest.Rand(7)
		f.weights.Arc[unlikely] = semiring.NewScaled(1e-100)
		unused := len(f.arcs)
		f.arcs, f.weights.Arc = append(f.arcs, grid.Arc{X: 30, Y: 30}), append(f.weights.Arc, semiring.NewScaled(1))
		var err error
		if f.machine, err = grid.New(f.states, f.arcs); err != nil {
			t.Fatal(err)
		}
		v := f.zeros()
		for _, x := range [][]float64{v.Initial, v.Arc, v.Final} {
			for k := range x {
				x[k] = math.Round(r.NormFloat64()*0x1p20) * 0x1p-20
			}
		}
		product := func(v grid.Parts) grid.Parts {
			change := f.zeros()
			if err := f.machine.SetWeights(f.weights); err != nil {
				t.Fatal(err)
			}
			if _, err := f.machine.HessianVector(data[0], data[1], v, 1, grid.Parts{}, change, &s); err != nil {
				t.Fatal(err)
			}
			return change
		}
		want := product(v)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1, math.Abs(b)) }

		raised, zeros := f.zeros(), f.zeros()
		for k, a := range f.arcs {
			raised.Arc[k] = v.Arc[k]
			if a.X > 0 {
				raised.Arc[k] += 1e6
			}
			if a.Y > 0 {
				raised.Arc[k] -= 3e6
			}
		}
		for q := range raised.Initial {
			raised.Initial[q], raised.Final[q] = v.Initial[q]+1e6, v.Final[q]-1e6
		}
		if got := product(raised); !nearParts(got, want, near) {
			t.Errorf("%d states: another product where V has a great mean", states)
		}

		for _, factor := range []float64{0x1p-300, 0x1p300} {
			times := func(p grid.Parts, factor float64) grid.Parts {
				q := f.zeros()
				for k, x := range p.Arc {
					q.Arc[k] = x * factor
				}
				for k := range p.Initial {
					q.Initial[k], q.Final[k] = p.Initial[k]*factor, p.Final[k]*factor
				}
				return q
			}
			if got := times(product(times(v, factor)), 1/factor); !nearParts(got, want, near) {
				t.Errorf("%d states: another product where V is %g times as great", states, factor)
			}
		}

		f.weights.Arc[unused] = semiring.ScaledFromLog(3000)
		got := product(v)
		if !nearParts(got, want, near) || !nearParts(product(zeros), zeros, near) {
			t.Errorf("%d states: another product by weights", states)
		}
		if x, y := got.Arc[unlikely], want.Arc[unlikely]; math.Abs(x-y) > 1e-9*math.Abs(y) || y == 0 || math.Abs(y) > 1e-90 {
			t.Errorf("%d states: %v by weights for an unlikely arc, %v by numbers", states, x, y)
		}
	}
}
