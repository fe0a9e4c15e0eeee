package hmm

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// lattice makes the trellises of sequences, one at a time, in storage that it uses
// again; it belongs to one goroutine.
type lattice[O any] struct {
	m       *Model[O]
	trellis *graph.Trellis[semiring.ScaledFloat]
	scratch graph.TrellisScratch[semiring.ScaledFloat]
	steps   []int32
	nodes   [][]semiring.ScaledFloat
	store   []semiring.ScaledFloat // of node weights that are not shared
}

// shared is what the trellises of all sequences have in common: the weights and the
// block made of them.
type shared[O any] struct {
	*weights[O]
	ring  semiring.Semiring[semiring.ScaledFloat]
	block []*graph.Block[semiring.ScaledFloat]
}

func share[O any](w *weights[O], ring semiring.Semiring[semiring.ScaledFloat]) (*shared[O], error) {
	n := len(w.initial)
	b, err := graph.NewBlock(ring, n, n, w.cells)
	if err != nil {
		return nil, fmt.Errorf("hmm: %w", err)
	}
	return &shared[O]{w, ring, []*graph.Block[semiring.ScaledFloat]{b}}, nil
}

// of returns the trellis of a sequence, valid until the next call.
func (l *lattice[O]) of(w *shared[O], s *Sequence[O]) (*graph.Trellis[semiring.ScaledFloat], error) {
	n, length := l.m.topology.States, len(s.Observations)
	if cap(l.nodes) < length {
		l.nodes = make([][]semiring.ScaledFloat, length)
		l.steps = make([]int32, length) // all 0: there is one block
		l.store = make([]semiring.ScaledFloat, length*n)
	}
	nodes := l.nodes[:length]
	for t, o := range s.Observations {
		nodes[t] = l.layer(w, s, t, o, l.store[t*n:(t+1)*n])
	}
	steps := l.steps[:length-1]
	if l.trellis != nil && l.trellis.Ring() == w.ring {
		return l.trellis, l.trellis.Reset(w.initial, w.block, steps, nodes, w.final)
	}
	var err error
	l.trellis, err = graph.NewTrellis(w.ring, w.initial, w.block, steps, nodes, w.final)
	return l.trellis, err
}

// layer returns the node weights at position t: the densities of the observation in
// the states that are possible, nil for 1 everywhere.
func (l *lattice[O]) layer(w *shared[O], s *Sequence[O], t int, o O, dst []semiring.ScaledFloat) []semiring.ScaledFloat {
	var v []semiring.ScaledFloat
	if !l.m.emission.Missing(o) {
		v = w.densities.Of(o, dst)
		if w.beta != 1 {
			for i, x := range v {
				dst[i] = x.Pow(w.beta)
			}
			v = dst
		}
	}
	if s.States == nil || s.States[t] < 0 {
		return v
	}
	here := semiring.NewScaled(1)
	if v != nil {
		here = v[s.States[t]]
	}
	clear(dst)
	dst[s.States[t]] = here
	return dst
}
