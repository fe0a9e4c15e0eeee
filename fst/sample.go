package fst

import (
	"math/rand/v2"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// PathOf returns a path of f.Graph() as one of f.
func (f *FST[W]) PathOf(p graph.Path[W]) Path[W] {
	path := Path[W]{Weight: p.Weight}
	for _, e := range p.Arcs {
		path.In = appendLabel(path.In, f.arcs.in[e])
		path.Out = appendLabel(path.Out, f.arcs.out[e])
	}
	return path
}

// Sampler draws random paths of one machine, each with probability weight / total. It
// is immutable, and so safe for concurrent use as long as every goroutine has its own
// source of random numbers.
type Sampler[W any] struct {
	f     *FST[W]
	paths *graph.Sampler[W]
}

// NewSampler returns a sampler of f, whose weights must be probabilities that ⊕ adds.
// It takes a backward pass; errors are those of graph.NewSampler. For random paths of
// any machine, whatever its weights, take a sampler of Uniform.
func NewSampler[W any](f *FST[W]) (*Sampler[W], error) {
	nonnil.Check("fst: NewSampler", "machine", f)
	paths, err := graph.NewSampler(f.Graph())
	if err != nil {
		return nil, err
	}
	return &Sampler[W]{f, paths}, nil
}

// Sample draws a path: see graph.Sampler.
func (s *Sampler[W]) Sample(r *rand.Rand) Path[W] { return s.f.PathOf(s.paths.Sample(r)) }

// Uniform returns Connect(f) with probabilities for weights, by which a path goes on at
// random: all starts are equally likely, and at each state all arcs and, if it is
// final, to end there. Any ring will do. O(states + arcs).
func Uniform[W any](f *FST[W]) *FST[float64] {
	nonnil.Check("fst: Uniform", "machine", f)
	f = Connect(f)
	g := mapFrozen(f, semiring.Semiring[float64](semiring.Real{}), func(W) float64 { return 0 })
	weight, final := make([]float64, f.NumArcs()), make([]float64, f.NumStates())
	row := f.labels.row
	for s, w := range f.final {
		p := 1 / float64(row[s+1]-row[s])
		if !f.ring.IsZero(w) {
			p = 1 / float64(row[s+1]-row[s]+1)
			final[s] = p
		}
		for e := row[s]; e < row[s+1]; e++ {
			weight[e] = p
		}
	}
	starts := make([]Start[float64], len(f.starts))
	for i, s := range f.starts {
		starts[i] = Start[float64]{State: s.State, Weight: 1 / float64(len(starts))}
	}
	g, err := g.WithWeights(weight, starts, final)
	if err != nil {
		panic(err.Error()) // they are for this machine
	}
	return g
}
