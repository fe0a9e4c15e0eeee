package frames

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// listed is a machine of listed arcs.
type listed struct {
	arcs   [][]graph.Arc[semiring.ScaledFloat]
	starts []graph.Start[semiring.ScaledFloat]
	final  []semiring.ScaledFloat
}

func (m *listed) Semiring() semiring.Semiring[semiring.ScaledFloat] { return semiring.Scaled{} }
func (m *listed) AppendStarts(dst []graph.Start[semiring.ScaledFloat]) []graph.Start[semiring.ScaledFloat] {
	return append(dst, m.starts...)
}
func (m *listed) Final(s int32) semiring.ScaledFloat { return m.final[s] }
func (m *listed) AppendArcs(dst []graph.Arc[semiring.ScaledFloat], s int32) []graph.Arc[semiring.ScaledFloat] {
	return append(dst, m.arcs[s]...)
}

// written returns the machine as a Graph.
func (m *listed) written(t *testing.T, symbols int) *Graph {
	t.Helper()
	var arcs []Arc
	w := Weights{Initial: make([]semiring.ScaledFloat, len(m.arcs)), Final: m.final}
	for s, out := range m.arcs {
		for _, a := range out {
			arcs = append(arcs, Arc{From: int32(s), To: a.To, Symbol: a.In - 1})
			w.Arc = append(w.Arc, a.Weight)
		}
	}
	for _, start := range m.starts {
		w.Initial[start.State] = w.Initial[start.State].Add(start.Weight)
	}
	g, err := New(len(m.arcs), symbols, arcs)
	if err == nil {
		err = g.SetWeights(w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// ε arcs of a random machine.
const (
	withoutEpsilon = iota
	acyclicEpsilon
	cyclicEpsilon
)

// random returns a machine in which the weights of the arcs and the end of each state sum to 1.
func random(r *rand.Rand, states, symbols, epsilon int) *listed {
	m := &listed{arcs: make([][]graph.Arc[semiring.ScaledFloat], states), final: make([]semiring.ScaledFloat, states)}
	for s := range states {
		out := []graph.Arc[semiring.ScaledFloat]{}
		p, sum := []float64{r.Float64()}, 0.0
		for range 1 + r.IntN(2*symbols) {
			a := graph.Arc[semiring.ScaledFloat]{In: 1 + r.Int32N(int32(symbols)), Out: r.Int32N(3), To: r.Int32N(int32(states))}
			if epsilon != withoutEpsilon && r.IntN(3) == 0 && (epsilon == cyclicEpsilon || s+1 < states) {
				if a.In = 0; epsilon == acyclicEpsilon {
					a.To = int32(s+1) + r.Int32N(int32(states-s-1))
				}
			}
			out, p = append(out, a), append(p, r.Float64())
		}
		for _, x := range p {
			sum += x
		}
		m.final[s] = semiring.NewScaled(p[0] / sum)
		for i := range out {
			out[i].Weight = semiring.NewScaled(p[i+1] / sum)
		}
		m.arcs[s] = out
	}
	m.starts = []graph.Start[semiring.ScaledFloat]{
		{State: 0, Weight: semiring.NewScaled(.25)}, {State: r.Int32N(int32(states)), Weight: semiring.NewScaled(.5)},
		{State: 0, Weight: semiring.NewScaled(.25)}}
	return m
}

// peaky returns emissions similar to a network's: one symbol of a frame has nearly all weight.
func peaky(t *testing.T, r *rand.Rand, frames, symbols int, sharpness float64) *Emissions {
	t.Helper()
	s := make([]float64, frames*symbols)
	for i := range s {
		s[i] = sharpness * r.NormFloat64()
	}
	e, err := Scores(frames, symbols, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// searched returns the search of all of e.
func searched(t *testing.T, m graph.Implicit[semiring.ScaledFloat], e *Emissions, o *BeamOptions) *Beam {
	t.Helper()
	b, err := NewBeam(t.Context(), m, e.Symbols(), o)
	if err == nil {
		err = b.Push(t.Context(), e)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// enumerated returns the sum and the greatest weight of the paths from a state, by following
// each of them. ε arcs must be acyclic.
func (m *listed) enumerated(e *Emissions, state int32, read int) (sum, best float64) {
	if read == e.Frames() {
		sum = m.final[state].Float64()
		best = sum
	}
	for _, a := range m.arcs[state] {
		w, next := a.Weight.Float64(), read
		if a.In != 0 {
			if read == e.Frames() {
				continue
			}
			w, next = w*e.Weight(read, int(a.In)-1).Float64(), read+1
		}
		s, b := m.enumerated(e, a.To, next)
		sum, best = sum+w*s, max(best, w*b)
	}
	return sum, best
}

func near(a, b, tolerance float64) bool { return a == b || math.Abs(a-b) <= tolerance }

// Without limits the search is exact: its sums and best paths are those of all paths, one by
// one, and of the written product.
func TestBeamExact(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		symbols := 1 + r.IntN(4)
		m := random(r, 1+r.IntN(5), symbols, int(seed%3))
		e := peaky(t, r, 1+r.IntN(4), symbols, 2)
		g := m.written(t, symbols)
		want, err := g.PathSum(e, new(Scratch))
		if err != nil {
			t.Fatal(err)
		}
		if seed%3 != cyclicEpsilon {
			sum, best := 0.0, 0.0
			for _, start := range m.starts {
				s, b := m.enumerated(e, start.State, 0)
				sum, best = sum+start.Weight.Float64()*s, max(best, start.Weight.Float64()*b)
			}
			if !near(math.Log(sum), want.Log(), 1e-12) {
				t.Fatalf("seed %d: %v, want %v", seed, want.Log(), math.Log(sum))
			}
			if got := searched(t, m, e, &BeamOptions{Best: true}).Kept(); !near(got, math.Log(best), 1e-12) {
				t.Errorf("seed %d: best path %v, want %v", seed, got, math.Log(best))
			}
		}
		b := searched(t, m, e, nil)
		x, err := b.Lattice()
		if err != nil {
			t.Fatal(err)
		}
		z, err := graph.PathSum(x.Graph)
		if err != nil {
			t.Fatal(err)
		}
		if !near(b.Kept(), want.Log(), 1e-12) || !near(z.Log(), want.Log(), 1e-12) || !math.IsInf(b.Lost(), -1) {
			t.Errorf("seed %d: kept %v, lattice %v, lost %v; want %v", seed, b.Kept(), z.Log(), b.Lost(), want.Log())
		}
		m.starts = m.starts[1:2]
		path, err := m.written(t, symbols).BestPath(e, new(Scratch))
		if err != nil {
			t.Fatal(err)
		}
		if got := searched(t, m, e, &BeamOptions{Best: true}).Kept(); !near(got, path.Weight.Log(), 1e-12) {
			t.Errorf("seed %d: best path %v, want %v", seed, got, path.Weight.Log())
		}
	}
}

// Kept and Lost of a narrow search bracket the sum, and the best path.
func TestBeamBrackets(t *testing.T) {
	dropped := 0
	for seed := range trials.Seeds(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		symbols := 2 + r.IntN(3)
		m := random(r, 3+r.IntN(5), symbols, int(seed%3))
		e := peaky(t, r, 1+r.IntN(12), symbols, 3*r.Float64())
		if seed%2 == 1 { // at most one path per string, of any weights up to 1
			for s, out := range m.arcs {
				kept := out[:0]
				used := make([]bool, symbols+1)
				for _, a := range out {
					if a.In != 0 && !used[a.In] {
						used[a.In] = true
						a.Weight = semiring.NewScaled(1 - .2*r.Float64())
						kept = append(kept, a)
					}
				}
				m.arcs[s], m.final[s] = kept, semiring.NewScaled(1)
			}
			m.starts = m.starts[:1]
		}
		exact := searched(t, m, e, nil).Kept()
		for _, o := range []BeamOptions{{Width: 1}, {Width: 2}, {Margin: .5}, {Margin: 2, Width: 3}, {Margin: 3}} {
			o.FutureBound.PerString = seed%2 == 1
			for _, o.Best = range []bool{false, true} {
				exact := exact
				if o.Best {
					exact = searched(t, m, e, &BeamOptions{Best: true}).Kept()
				}
				b := searched(t, m, e, &o)
				kept, lost := b.Kept(), b.Lost()
				upper := math.Log(math.Exp(kept) + math.Exp(lost))
				if o.Best {
					upper = max(kept, lost)
				}
				if kept > exact+1e-12 || upper < exact-1e-12 {
					t.Errorf("seed %d, %+v: %v is not within %v and %v", seed, o, exact, kept, upper)
				}
				if lost > math.Inf(-1) {
					dropped++
				}
				x, err := b.Lattice()
				if err != nil {
					t.Fatal(err)
				}
				if z, err := graph.PathSum(x.Graph); err != nil || !near(z.Log(), kept, 1e-12) {
					t.Errorf("seed %d, %+v: the lattice weighs %v, kept %v, %v", seed, o, z.Log(), kept, err)
				}
			}
		}
	}
	if dropped < 100 {
		t.Errorf("states were dropped in %d searches only", dropped)
	}
}

// The pieces in which frames arrive make no difference, and neither do sweeps.
func TestBeamPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	m := random(r, 40, 6, acyclicEpsilon)
	e := peaky(t, r, 200, 6, 4)
	o := &BeamOptions{Width: 8, Margin: 6}
	want := searched(t, m, e, o)
	lattice, err := want.Lattice()
	if err != nil {
		t.Fatal(err)
	}
	for trial := range 5 {
		b, err := NewBeam(t.Context(), m, 6, o)
		if err != nil {
			t.Fatal(err)
		}
		for lo := 0; lo < 200; {
			hi := min(lo+1+r.IntN(1+trial*20), 200)
			if err := b.Push(t.Context(), e.Slice(lo, hi)); err != nil {
				t.Fatal(err)
			}
			if lo = hi; trial%2 == 1 {
				b.sweep()
			}
		}
		got, err := b.Lattice()
		if err != nil {
			t.Fatal(err)
		}
		if b.Kept() != want.Kept() || b.Lost() != want.Lost() || !reflect.DeepEqual(got.State, lattice.State) ||
			!reflect.DeepEqual(got.Out, lattice.Out) || !reflect.DeepEqual(got.Graph.To(), lattice.Graph.To()) {
			t.Errorf("trial %d: another result in pieces", trial)
		}
	}
	// Every state of the lattice leads to the last layer.
	row := lattice.Graph.Row()
	for s, frames := range lattice.Frames {
		if frames < 200 && row[s] == row[s+1] {
			t.Fatalf("state %d after frame %d has no way on", s, frames)
		}
	}
}

// Forget keeps the sums, and Shared finds the state that all paths pass.
func TestBeamForget(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	m := random(r, 30, 5, cyclicEpsilon)
	e := peaky(t, r, 150, 5, 4)
	o := &BeamOptions{Width: 10}
	want := searched(t, m, e, o)
	b, err := NewBeam(t.Context(), m, 5, o)
	if err != nil {
		t.Fatal(err)
	}
	for lo := 0; lo < 150; lo += 10 {
		if err := b.Push(t.Context(), e.Slice(lo, lo+10)); err != nil {
			t.Fatal(err)
		}
		if lo >= 50 {
			if err := b.Forget(lo-20, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	x, err := b.Lattice()
	if err != nil {
		t.Fatal(err)
	}
	z, err := graph.PathSum(x.Graph)
	if err != nil || b.First() != 120 || x.Frames[0] != 120 || b.Kept() != want.Kept() || b.Lost() != want.Lost() || !near(z.Log(), want.Kept(), 1e-11) {
		t.Errorf("lattice from frame %d: %v, kept %v, lost %v, want %v and %v; %v", b.First(), z.Log(), b.Kept(), b.Lost(), want.Kept(), want.Lost(), err)
	}
	if n := b.Size().Nodes; n != len(x.State) {
		t.Errorf("%d nodes, want %d", n, len(x.State))
	}
	// A chain passes each of its states.
	chain := &listed{arcs: make([][]graph.Arc[semiring.ScaledFloat], 4), final: make([]semiring.ScaledFloat, 4)}
	one := semiring.NewScaled(1)
	for _, a := range []struct{ from, to int32 }{{0, 1}, {1, 1}, {1, 2}, {2, 2}, {1, 3}, {3, 3}} {
		chain.arcs[a.from] = append(chain.arcs[a.from], graph.Arc[semiring.ScaledFloat]{In: 1, To: a.to, Weight: one})
	}
	chain.starts = []graph.Start[semiring.ScaledFloat]{{Weight: one}}
	ones, err := Probabilities(5, 1, []float64{1, 1, 1, 1, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b = searched(t, chain, ones, nil)
	b.Drop(func(state int32) bool { return state != 3 })
	if at, ok := b.Shared(); at != 1 || !ok {
		t.Errorf("shared after frame %d, %v; want 1", at, ok)
	}
	if lost := math.Exp(b.Lost()); !near(lost, 4, 1e-12) { // 4 times to leave state 1
		t.Errorf("lost %v, want 4", lost)
	}
}

// Forget with a choice of states leaves the paths through them, and counts the others as lost.
func TestBeamForgetChoice(t *testing.T) {
	for seed := range trials.Seeds(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := random(r, 6, 3, int(seed%3))
		e := peaky(t, r, 40, 3, 1)
		for _, best := range []bool{false, true} {
			b := searched(t, m, e, &BeamOptions{Best: best})
			total := b.Kept()
			x, err := b.Lattice()
			if err != nil {
				t.Fatal(err)
			}
			odd := func(state int32) bool { return state%2 == 1 }
			// The lattice, without the even states after frame 20.
			weight := append([]semiring.ScaledFloat(nil), x.Graph.Weights()...)
			row, to := x.Graph.Row(), x.Graph.To()
			for s := range x.State {
				for k := row[s]; k < row[s+1]; k++ {
					if at := to[k]; x.Frames[at] == 20 && !odd(x.State[at]) && x.In[k] != 0 {
						weight[k] = semiring.ScaledFloat{}
					}
				}
			}
			g, err := x.Graph.WithWeights(weight, x.Graph.Starts(), x.Graph.Finals())
			if err != nil {
				t.Fatal(err)
			}
			want, err := graph.PathSum(g)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Forget(20, odd); err != nil {
				t.Fatal(err)
			}
			if seed%3 == withoutEpsilon && !near(b.Kept(), want.Log(), 1e-11) {
				t.Errorf("seed %d: kept %v, want %v", seed, b.Kept(), want.Log())
			}
			upper := math.Log(math.Exp(b.Kept()) + math.Exp(b.Lost()))
			if best {
				upper = max(b.Kept(), b.Lost())
			}
			if b.Kept() > total+1e-11 || upper < total-1e-11 {
				t.Errorf("seed %d: %v is not within %v and %v", seed, total, b.Kept(), upper)
			}
			if x, err = b.Lattice(); err != nil {
				t.Fatal(err)
			}
			if z, err := graph.PathSum(x.Graph); err != nil || !near(z.Log(), b.Kept(), 1e-11) || len(x.State) != b.Size().Nodes {
				t.Errorf("seed %d: the lattice weighs %v, kept %v, %v", seed, z.Log(), b.Kept(), err)
			}
			if err := b.Push(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Renumber changes the numbers of states and no result.
func TestBeamRenumber(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 5))
	m := random(r, 20, 4, withoutEpsilon)
	e := peaky(t, r, 90, 4, 3)
	b := searched(t, m, e, &BeamOptions{Width: 5})
	kept, lost := b.Kept(), b.Lost()
	other := &listed{arcs: make([][]graph.Arc[semiring.ScaledFloat], 20), final: make([]semiring.ScaledFloat, 20)}
	swap := func(s int32) int32 { return 19 - s }
	for s, out := range m.arcs {
		for _, a := range out {
			a.To = swap(a.To)
			other.arcs[19-s] = append(other.arcs[19-s], a)
		}
		other.final[19-s] = m.final[s]
	}
	b = searched(t, m, e.Slice(0, 40), &BeamOptions{Width: 5})
	*m = *other
	if err := b.Renumber(swap); err != nil {
		t.Fatal(err)
	}
	if err := b.Push(t.Context(), e.Slice(40, 90)); err != nil {
		t.Fatal(err)
	}
	if b.Kept() != kept || b.Lost() != lost {
		t.Errorf("kept %v, lost %v; want %v, %v", b.Kept(), b.Lost(), kept, lost)
	}
}

// A heuristic that is exact lets a width of 1 find the best path.
func TestBeamHeuristic(t *testing.T) {
	one := semiring.NewScaled(1)
	scaled := semiring.NewScaled
	m := &listed{arcs: [][]graph.Arc[semiring.ScaledFloat]{
		{{In: 1, To: 1, Weight: scaled(.9)}, {In: 1, To: 2, Weight: scaled(.1)}},
		{{In: 1, To: 3, Weight: scaled(.01)}},
		{{In: 1, To: 3, Weight: one}}, nil},
		starts: []graph.Start[semiring.ScaledFloat]{{Weight: one}}, final: []semiring.ScaledFloat{{}, {}, {}, one}}
	e, err := Probabilities(2, 1, []float64{1, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ahead := []float64{.1, .01, 1, 1}
	for _, h := range []func(int32) semiring.ScaledFloat{nil, func(s int32) semiring.ScaledFloat { return scaled(ahead[s]) }} {
		want := .009
		if h != nil {
			want = .1
		}
		if b := searched(t, m, e, &BeamOptions{Width: 1, Heuristic: h}); !near(math.Exp(b.Kept()), want, 1e-15) {
			t.Errorf("kept %v, want %v", math.Exp(b.Kept()), want)
		}
	}
}

// Ten minutes of frames take the memory of a few seconds if the beginning is forgotten.
func TestBeamLong(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 6))
	m := random(r, 200, 8, withoutEpsilon)
	e := peaky(t, r, 1000, 8, 4)
	b, err := NewBeam(t.Context(), m, 8, &BeamOptions{Width: 20, FutureBound: FutureBound{PerString: true}})
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for range trials.Serial(60) {
		if err := b.Push(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		most = max(most, b.Size().Nodes)
		if err := b.Forget(b.Frames()-100, nil); err != nil {
			t.Fatal(err)
		}
	}
	if most > 20*1200 {
		t.Errorf("%d nodes at a time", most)
	}
	if kept := b.Kept(); !(kept < -10_000) || math.IsInf(kept, 0) {
		t.Errorf("kept %v", kept)
	}
}

func TestBeamErrors(t *testing.T) {
	one := semiring.NewScaled(1)
	e, err := Probabilities(2, 2, []float64{.5, .5, .5, .5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	loop := func(a ...graph.Arc[semiring.ScaledFloat]) *listed {
		return &listed{arcs: [][]graph.Arc[semiring.ScaledFloat]{a}, starts: []graph.Start[semiring.ScaledFloat]{{Weight: one}}, final: []semiring.ScaledFloat{one}}
	}
	read := graph.Arc[semiring.ScaledFloat]{In: 1, Weight: one}
	for _, x := range []struct {
		name string
		m    *listed
		o    BeamOptions
		want error
	}{
		{"negative width", loop(read), BeamOptions{Width: -1}, nested.ErrInvalid},
		{"NaN margin", loop(read), BeamOptions{Margin: math.NaN()}, nested.ErrInvalid},
		{"infinite bound", loop(read), BeamOptions{FutureBound: FutureBound{State: math.Inf(1)}}, nested.ErrInvalid},
		{"unknown label", loop(graph.Arc[semiring.ScaledFloat]{In: 3, Weight: one}), BeamOptions{}, semiring.ErrShape},
		{"negative weight", loop(graph.Arc[semiring.ScaledFloat]{In: 1, Weight: one.Neg()}), BeamOptions{}, semiring.ErrNegative},
		{"NaN weight", loop(graph.Arc[semiring.ScaledFloat]{In: 1, Weight: semiring.NewScaled(math.NaN())}), BeamOptions{}, semiring.ErrNotFinite},
		{"divergent ε", loop(read, graph.Arc[semiring.ScaledFloat]{Weight: one}), BeamOptions{}, semiring.ErrDiverges},
		{"nodes", loop(read), BeamOptions{MaxNodes: 2}, semiring.ErrLimit},
	} {
		b, err := NewBeam(t.Context(), x.m, 2, &x.o)
		if err == nil {
			if err = b.Push(t.Context(), e); err != nil && b.Push(t.Context(), e) != err {
				t.Errorf("%s: another error the second time", x.name)
			}
		}
		if !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", x.name, err, x.want)
		}
	}
	b := searched(t, loop(read), e, nil)
	three, err := Probabilities(1, 3, []float64{.5, .25, .25}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Push(t.Context(), three); !errors.Is(err, semiring.ErrShape) {
		t.Error(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Push(done, e); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// No path: an empty result, and no error.
	none := loop(graph.Arc[semiring.ScaledFloat]{In: 1, Weight: one})
	none.final[0] = semiring.ScaledFloat{}
	if b := searched(t, none, e, nil); !math.IsInf(b.Kept(), -1) || !math.IsInf(b.Lost(), -1) {
		t.Error(b.Kept(), b.Lost())
	}
}

// choosy is a machine that leaves out all arcs that it may.
type choosy struct {
	*listed
	left int
}

func (m *choosy) AppendChosen(dst []graph.Arc[semiring.ScaledFloat], s int32, emission []semiring.ScaledFloat, least semiring.ScaledFloat) ([]graph.Arc[semiring.ScaledFloat], semiring.ScaledFloat) {
	var lost semiring.ScaledFloat
	for _, a := range m.arcs[s] {
		if w := a.Weight.Mul(emission[a.In-1]); w.Cmp(least) < 0 {
			lost = lost.Add(w)
			m.left++
		} else {
			dst = append(dst, a)
		}
	}
	return dst, lost
}

// A machine that leaves out arcs gives bounds that hold, and without limits it makes all arcs.
// Streams of it are cut and renumbered as others are.
func TestBeamChooser(t *testing.T) {
	left := 0
	for seed := range trials.Seeds(60) {
		r := rand.New(rand.NewPCG(seed, 14))
		plain := random(r, 3+r.IntN(40), 5, withoutEpsilon)
		e := peaky(t, r, 1+r.IntN(60), 5, 3*r.Float64())
		exact := searched(t, plain, e, nil).Kept()
		m := &choosy{listed: plain}
		if b := searched(t, m, e, nil); !near(b.Kept(), exact, 1e-11) || !math.IsInf(b.Lost(), -1) {
			t.Errorf("seed %d: kept %v, lost %v, want %v", seed, b.Kept(), b.Lost(), exact)
		}
		for _, o := range []BeamOptions{{Width: 1}, {Width: 2}, {Margin: 2}, {Width: 4, Margin: 3}} {
			b, err := NewBeam(t.Context(), m, 5, &o)
			if err != nil {
				t.Fatal(err)
			}
			for lo := range e.Frames() {
				if err := b.Push(t.Context(), e.Slice(lo, lo+1)); err != nil {
					t.Fatal(err)
				}
				switch lo % 20 {
				case 7:
					b.Drop(func(state int32) bool { return state > 0 })
				case 13:
					if err := b.Forget(lo, func(state int32) bool { return state%3 > 0 }); err != nil {
						t.Fatal(err)
					}
				case 19:
					if err := b.Renumber(func(state int32) int32 { return state }); err != nil {
						t.Fatal(err)
					}
				}
			}
			upper := semiring.ScaledFromLog(b.Kept()).Add(semiring.ScaledFromLog(b.Lost())).Log()
			if b.Kept() > exact+1e-11 || upper < exact-1e-11 {
				t.Errorf("seed %d, %+v: %v is not within %v and %v", seed, o, exact, b.Kept(), upper)
			}
			n := 0
			for range b.Nodes {
				n++
			}
			if n != b.Size().Nodes {
				t.Errorf("seed %d, %+v: %d nodes, want %d", seed, o, n, b.Size().Nodes)
			}
		}
		left += m.left
	}
	if left == 0 {
		t.Error("no arc was left out")
	}
}
