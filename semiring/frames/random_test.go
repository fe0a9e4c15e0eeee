package frames_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

type weight = semiring.ScaledFloat

// machine is a graph with its weights.
type machine struct {
	*frames.Graph
	states, symbols int
	arcs            []frames.Arc
	weights         frames.Weights
}

func newMachine(t testing.TB, states, symbols int, arcs []frames.Arc, w frames.Weights) *machine {
	t.Helper()
	g, err := frames.New(states, symbols, arcs)
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{g, states, symbols, arcs, w}
	m.set(t)
	return m
}

func (m *machine) set(t testing.TB) {
	t.Helper()
	if err := m.SetWeights(m.weights); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) parts() frames.Parts {
	return frames.Parts{Initial: make([]float64, m.states), Arc: make([]float64, len(m.arcs)), Final: make([]float64, m.states)}
}

// shape describes random machines. Weights are e^±spread; weights of ε arcs are less than 1.
type shape struct {
	states, symbols, arcs int
	epsilon               float64 // share of ε arcs
	spread                float64
	acyclic               bool // ε arcs lead to greater numbers
}

func (s shape) machine(t testing.TB, r *rand.Rand) *machine {
	factor := func() weight {
		if r.IntN(10) == 0 {
			return weight{}
		}
		return semiring.ScaledFromLog(s.spread * (2*r.Float64() - 1))
	}
	var arcs []frames.Arc
	var w frames.Weights
	for range s.arcs {
		a := frames.Arc{From: r.Int32N(int32(s.states)), To: r.Int32N(int32(s.states)), Symbol: r.Int32N(int32(s.symbols))}
		x := factor()
		if r.Float64() < s.epsilon {
			a.Symbol = frames.Epsilon
			if s.acyclic {
				a.From, a.To = min(a.From, a.To), max(a.From, a.To)
				if a.From == a.To {
					continue
				}
			} else {
				x = semiring.ScaledFromLog(-s.spread * r.Float64()).Mul(semiring.NewScaled(.9 / float64(s.arcs)))
			}
		}
		arcs, w.Arc = append(arcs, a), append(w.Arc, x)
	}
	for range s.states {
		w.Initial, w.Final = append(w.Initial, factor()), append(w.Final, factor())
	}
	return newMachine(t, s.states, s.symbols, arcs, w)
}

// chain is the machine of CTC that reads labels, with the blank as last symbol.
func chain(t testing.TB, symbols int, labels []int32) *machine {
	blank := int32(symbols - 1)
	n := 2*len(labels) + 1
	symbol := func(q int) int32 {
		if q%2 == 0 {
			return blank
		}
		return labels[q/2]
	}
	one := semiring.NewScaled(1)
	w := frames.Weights{Initial: make([]weight, n+1), Final: make([]weight, n+1)}
	w.Initial[0], w.Final[n], w.Final[n-1] = one, one, one
	arcs := []frames.Arc{{From: 0, To: 1, Symbol: symbol(0)}}
	if n > 1 {
		arcs = append(arcs, frames.Arc{From: 0, To: 2, Symbol: symbol(1)})
	}
	for q := range n {
		arcs = append(arcs, frames.Arc{From: int32(q + 1), To: int32(q + 1), Symbol: symbol(q)})
		if q+1 < n {
			arcs = append(arcs, frames.Arc{From: int32(q + 1), To: int32(q + 2), Symbol: symbol(q + 1)})
		}
		if q+2 < n && q%2 == 1 && symbol(q) != symbol(q+2) {
			arcs = append(arcs, frames.Arc{From: int32(q + 1), To: int32(q + 3), Symbol: symbol(q + 2)})
		}
	}
	for range arcs {
		w.Arc = append(w.Arc, one)
	}
	return newMachine(t, n+1, symbols, arcs, w)
}

// noise returns scores with the standard deviation given, a tenth of them −Inf if holes.
func noise(t testing.TB, r *rand.Rand, n, symbols int, deviation float64, holes bool) *frames.Emissions {
	x := make([]float64, n*symbols)
	for i := range x {
		if x[i] = deviation * r.NormFloat64(); holes && i%symbols != 0 && r.IntN(10) == 0 {
			x[i] = math.Inf(-1)
		}
	}
	return scores(t, n, symbols, x, nil)
}

func scores(t testing.TB, n, symbols int, x []float64, o *frames.Options) *frames.Emissions {
	t.Helper()
	e, err := frames.Scores(n, symbols, x, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// peaky returns scores of a recognizer that is certain of some labels, each in two frames with
// blanks between, as far as there are frames. The others have scores lower by depth.
func peaky(t testing.TB, r *rand.Rand, n, symbols int, labels []int32, depth float64) *frames.Emissions {
	x := make([]float64, n*symbols)
	for i := range n {
		v := symbols - 1
		if k := i * len(labels) / n; len(labels) > 0 && (i+1)*len(labels)/n != k {
			v = int(labels[k])
		}
		for j := range symbols {
			x[i*symbols+j] = r.NormFloat64() - depth
		}
		x[i*symbols+v] = 0
	}
	return scores(t, n, symbols, x, nil)
}

// masked returns e with lower scores for a third of the symbols, in most of the frames.
func masked(t testing.TB, r *rand.Rand, e *frames.Emissions, depth float64) *frames.Emissions {
	n, symbols := e.Frames(), e.Symbols()
	x := make([]float64, n*symbols)
	for i := range x {
		if x[i] = e.Log(i/symbols, i%symbols); i%symbols%3 == 1 && r.IntN(4) > 0 {
			x[i] -= depth
		}
	}
	return scores(t, n, symbols, x, nil)
}

func randomLabels(r *rand.Rand, n, symbols int) []int32 {
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = r.Int32N(int32(symbols - 1))
	}
	return labels
}

func apart(a, b weight) float64 { return semiring.Scaled{}.Dist(a, b) }
