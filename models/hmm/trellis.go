package hmm

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// lattice makes the trellises of sequences, one at a time, in reused storage; it belongs to one
// goroutine.
type lattice[O any] struct {
	m       *Model[O]
	trellis trellis.Trellis
	scratch trellis.Scratch
	steps   []int32
	nodes   [][]semiring.ScaledFloat
	store   []semiring.ScaledFloat // storage of node weights that are not shared
}

// shared holds the data that the trellises of all sequences share: the weights and the block made
// from them.
type shared[O any] struct {
	*weights[O]
	block []*trellis.Block
}

func share[O any](w *weights[O]) (*shared[O], error) {
	n := len(w.initial)
	b, err := trellis.NewBlock(n, n, w.cells)
	if err != nil {
		return nil, nested.Errorf("hmm: %w", err)
	}
	return &shared[O]{w, []*trellis.Block{b}}, nil
}

// of returns the trellis of a sequence, valid until the next call.
func (l *lattice[O]) of(w *shared[O], s *Sequence[O]) (*trellis.Trellis, error) {
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
	return &l.trellis, l.trellis.Reset(w.initial, w.block, steps, nodes, w.final)
}

// layer returns the node weights at position t: the densities of the observation in the states
// that are possible, nil if all are 1.
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
