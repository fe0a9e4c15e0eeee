package frames

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Scratch is working storage for the methods of a Graph. Its zero value is ready for use; one
// goroutine uses it at a time, for any number of graphs and emissions.
type Scratch struct{}

// SetWeights sets all weights, which are copied. The error wraps semiring.ErrShape for slices of
// other lengths than the graph's states and arcs, semiring.ErrNegative and
// semiring.ErrNotFinite for a weight that is no finite number ≥ 0, and semiring.ErrDiverges if a
// cycle of ε arcs has no sum.
func (g *Graph) SetWeights(w Weights) error {
	if len(w.Initial) != g.states || len(w.Arc) != len(g.arcs) || len(w.Final) != g.states {
		return nested.Errorf("frames: %w: weights of %d starts, %d arcs and %d ends for %d states and %d arcs",
			semiring.ErrShape, len(w.Initial), len(w.Arc), len(w.Final), g.states, len(g.arcs))
	}
	copy(g.w.Initial, w.Initial)
	copy(g.w.Arc, w.Arc)
	copy(g.w.Final, w.Final)
	return nil
}

// PathSum returns Z, the sum over all paths, 0 if there is none.
func (g *Graph) PathSum(e *Emissions, s *Scratch) (semiring.ScaledFloat, error) {
	product, _, err := g.Written(e)
	if err != nil {
		return semiring.ScaledFloat{}, err
	}
	return graph.PathSum(product)
}

// Counts returns Z, the sum over all paths. It adds weight times the expected uses of the parts
// of the graph to uses, and weight times γ_t(v), the probability that frame t is read as symbol
// v, to gamma: frames × symbols numbers, frame by frame, or nil. γ is ∂ ln Z/∂ ln E[t][v], and
// sums to 1 in each frame. If Z is 0, nothing is added.
func (g *Graph) Counts(e *Emissions, weight float64, uses Parts, gamma []float64, s *Scratch) (semiring.ScaledFloat, error) {
	product, arc, err := g.Written(e)
	if err != nil {
		return semiring.ScaledFloat{}, err
	}
	if gamma != nil && len(gamma) != len(e.log) {
		panic(fmt.Sprintf("frames: Counts: %d numbers for %d frames of %d symbols", len(gamma), e.frames, e.symbols))
	}
	p, err := graph.Posteriors(product)
	if err != nil || p.Total.IsZero() {
		return semiring.ScaledFloat{}, err
	}
	row := product.Row()
	for state := range product.NumStates() {
		t, q := state/g.states, state%g.states
		for k := row[state]; k < row[state+1]; k++ {
			if uses.Arc != nil {
				uses.Arc[arc[k]] += weight * p.Arc[k]
			}
			if v := g.arcs[arc[k]].Symbol; gamma != nil && v != Epsilon {
				gamma[t*e.symbols+int(v)] += weight * p.Arc[k]
			}
		}
		if uses.Final != nil && t == e.frames {
			uses.Final[q] += weight * p.Final[state]
		}
	}
	if uses.Initial != nil {
		for k, start := range product.Starts() {
			uses.Initial[start.State] += weight * p.Start[k]
		}
	}
	return p.Total, nil
}

// Path is a path of a Graph through emissions.
type Path struct {
	Start  int32                // its first state; −1 if there is no path
	Arcs   []int32              // its arcs in the graph, ε arcs included, in order
	Frames []int32              // per arc: the frame that it reads, or of an ε arc the number of frames read before
	Weight semiring.ScaledFloat // 0 if there is no path
}

// BestPath returns the path of the greatest weight; of several, the same one each time.
func (g *Graph) BestPath(e *Emissions, s *Scratch) (Path, error) {
	product, arc, err := g.Written(e)
	if err != nil {
		return Path{}, err
	}
	best, err := graph.BestPath(product.WithSemiring(semiring.Viterbi{}))
	if err != nil || best.Start < 0 {
		return Path{Start: -1}, err
	}
	path := Path{Start: best.Start, Weight: best.Weight}
	frame := int32(0)
	for _, k := range best.Arcs {
		path.Arcs, path.Frames = append(path.Arcs, arc[k]), append(path.Frames, frame)
		if g.arcs[arc[k]].Symbol != Epsilon {
			frame++
		}
	}
	return path, nil
}
