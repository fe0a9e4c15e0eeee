package frames

import (
	"cmp"
	"math"
	"slices"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Epsilon is the Symbol of an arc that reads no frame.
const Epsilon = -1

// Arc leads from state From to state To and reads Symbol, from 0 to the number of symbols − 1, in
// one frame; if Symbol is Epsilon, it reads no frame.
type Arc struct{ From, To, Symbol int32 }

// Weights are the weights of a Graph: one per state for starting there, one per arc, and one per
// state for ending there.
type Weights struct{ Initial, Arc, Final []semiring.ScaledFloat }

// Parts holds a number for every part of a Graph: its starts, arcs and ends. If a slice is nil,
// its numbers are not computed.
type Parts struct {
	Initial []float64 // per state: for starting there
	Arc     []float64 // per arc
	Final   []float64 // per state: for ending there
}

// Graph is an acceptor of symbols; it may have cycles and ε arcs. Its methods compute sums over
// the paths that read one symbol in each frame of emissions. The weight of a path is
//
//	initial(q₀) · arc(e₁) ⋯ arc(e_n) · final(q_n) · Π E[t][symbol read in frame t].
//
// It is safe for concurrent use, except for SetWeights.
type Graph struct {
	states, symbols int
	arcs            []Arc
	w               Weights
	layout
	sums, maxima *weighing // of all paths, and of the best one; maxima may be sums
	stars        []star    // of the knots
	// ε arcs inside knots, if there are any.
	inside   *graph.Graph[semiring.ScaledFloat]
	knotArcs []int32 // per arc of inside: its number
	reach    reach
}

// New returns a graph of states 0, 1, …, states−1 with the given arcs, which are copied. Several
// arcs may have the same states and symbol. All weights are 0 until SetWeights is called.
//
// The error wraps semiring.ErrShape for a state or a symbol out of range, and semiring.ErrLimit
// if there are too many for int32.
func New(states, symbols int, arcs []Arc) (*Graph, error) {
	if states <= 0 || symbols <= 0 {
		return nil, nested.Errorf("frames: %w: %d states and %d symbols", semiring.ErrShape, states, symbols)
	}
	if states > math.MaxInt32 || symbols > math.MaxInt32 || len(arcs) > math.MaxInt32 {
		return nil, nested.Errorf("frames: %w: %d states, %d symbols and %d arcs", semiring.ErrLimit, states, symbols, len(arcs))
	}
	for k, a := range arcs {
		if a.From < 0 || int(a.From) >= states || a.To < 0 || int(a.To) >= states || a.Symbol < Epsilon || int(a.Symbol) >= symbols {
			return nil, nested.Errorf("frames: %w: arc %d from state %d to state %d of %d reads symbol %d of %d",
				semiring.ErrShape, k, a.From, a.To, states, a.Symbol, symbols)
		}
	}
	n := len(arcs)
	g := &Graph{states: states, symbols: symbols, arcs: slices.Clone(arcs), w: Weights{
		Initial: make([]semiring.ScaledFloat, states),
		Arc:     make([]semiring.ScaledFloat, n),
		Final:   make([]semiring.ScaledFloat, states),
	}}
	if err := g.compile(); err != nil {
		return nil, nested.Errorf("frames: %w", err)
	}
	none, last := []int32{int32(states)}, []int32{-1}
	g.reach = reach{none, last, none, last}
	return g, nil
}

// NumStates returns the number of states.
func (g *Graph) NumStates() int { return g.states }

// NumArcs returns the number of arcs.
func (g *Graph) NumArcs() int { return len(g.arcs) }

// NumSymbols returns the number of symbols.
func (g *Graph) NumSymbols() int { return g.symbols }

// Product returns the product of g and e, state by state and arc by arc, for queries that Graph
// does not support, such as the best k paths and other rings. State (t, q), in which t frames
// have been read, has the number t·states + q. arc has the number in g of each of its arcs. It
// takes frames × arcs of memory.
//
// The error wraps semiring.ErrShape if e and g have different numbers of symbols.
func (g *Graph) Product(e *Emissions) (product *graph.Graph[semiring.ScaledFloat], arc []int32, err error) {
	if err := g.check(e); err != nil {
		return nil, nil, err
	}
	order := make([]int32, len(g.arcs))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(g.arcs[a].From, g.arcs[b].From) })
	states := (e.frames + 1) * g.states
	row, to := make([]int32, 1, states+1), []int32(nil)
	var weight []semiring.ScaledFloat
	for t := range e.frames + 1 {
		k := 0
		for q := range int32(g.states) {
			for ; k < len(order) && g.arcs[order[k]].From == q; k++ {
				a, w, next := g.arcs[order[k]], g.w.Arc[order[k]], t
				if a.Symbol != Epsilon {
					if t == e.frames {
						continue
					}
					w, next = w.Mul(e.Weight(t, int(a.Symbol))), t+1
				}
				to, weight, arc = append(to, int32(next*g.states)+a.To), append(weight, w), append(arc, order[k])
			}
			row = append(row, int32(len(to)))
		}
	}
	var starts []graph.Start[semiring.ScaledFloat]
	for q, w := range g.w.Initial {
		if !w.IsZero() {
			starts = append(starts, graph.Start[semiring.ScaledFloat]{State: int32(q), Weight: w})
		}
	}
	final := make([]semiring.ScaledFloat, states)
	copy(final[e.frames*g.states:], g.w.Final)
	product, err = graphs.New(semiring.Scaled{}, row, to, weight, starts, final)
	return product, arc, err
}

func (g *Graph) check(e *Emissions) error {
	if e.symbols != g.symbols {
		return nested.Errorf("frames: %w: emissions of %d symbols for a graph of %d", semiring.ErrShape, e.symbols, g.symbols)
	}
	return nil
}
