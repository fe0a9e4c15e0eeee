package em

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Graphs are examples whose lattices need no composition, as a model can write them
// down: see NewGraphs.
type Graphs struct {
	// Examples is the number of examples.
	Examples int
	// Graph returns the graph of all derivations of example i; its path sum is the
	// example's probability. The weights are expressions of the Space of the Params.
	// It is called by several goroutines at once, in the first E step and, for
	// graphs that CacheBytes has no room for, in each; so are Weight and Name. It
	// must return an equal graph each time, and may use it again when the same
	// goroutine calls next.
	Graph func(i int) (*graph.Graph[expr.W], error)
	// Weight says how often example i was seen, a finite number ≥ 0 (nil: once). No
	// graph is asked for where it is 0.
	Weight func(i int) float64
	// Name is for errors and reports (nil: its number).
	Name func(i int) string
	// Underivable says what to do with examples of probability 0 (default Fail).
	Underivable Policy
	// CacheBytes is the memory that graphs may take from one iteration to the next,
	// 8 bytes per arc and 4 per state (default 1 GiB; negative: none). It does not
	// change a bit of the result.
	CacheBytes int64
}

// NewGraphs returns the likelihood of graphs as a function of the parameters p: the sum
// of the ln of their path sums. No graph is asked for yet. Graphs with cycles are
// allowed. The error, for what makes no sense, wraps ErrInvalid.
func NewGraphs(p *Params, graphs Graphs) (*Lattices, error) {
	if p == nil || graphs.Graph == nil {
		return nil, fmt.Errorf("em: %w: no parameters or no function that makes graphs", ErrInvalid)
	}
	if err := CheckWeights(graphs.Examples, graphs.skipped); err != nil {
		return nil, err
	}
	if graphs.Underivable != Fail && graphs.Underivable != Skip {
		return nil, fmt.Errorf("em: %w: unknown policy %d", ErrInvalid, graphs.Underivable)
	}
	weights := make([]float64, graphs.Examples)
	for i := range weights {
		weights[i] = graphs.weight(i)
	}
	data := Data{Underivable: graphs.Underivable, CacheBytes: graphs.CacheBytes}.complete()
	return newLattices(Problem{Params: p}, data, &graphs, weights), nil
}

func (x *Graphs) weight(i int) float64 {
	if x.Weight == nil {
		return 1
	}
	return x.Weight(i)
}

// skipped returns example i as it is called if it is skipped.
func (x *Graphs) skipped(i int) Skipped {
	s := Skipped{Index: i, Weight: x.weight(i)}
	if x.Name != nil {
		s.Name = x.Name(i)
	}
	return s
}

// copy returns the lattices of s, which are those of graphs, in the way of build.
func (b *builder) copy(s *shard, graphs *Graphs) (*lattices, error) {
	space := b.t.problem.Params.space
	b.space = space.Fork()
	return b.fill(s, func(i int) (Skipped, func() (bool, error)) {
		return graphs.skipped(i), func() (bool, error) {
			g, err := graphs.Graph(i)
			if err != nil {
				return false, err
			}
			if g == nil || g.Ring() != semiring.Semiring[expr.W](space) {
				return false, fmt.Errorf("%w: there is no graph, or its weights are not of the Params' Space", ErrInvalid)
			}
			return batch.AppendGraph(&b.batch, g)
		}
	})
}
