package pairgram

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// histories is a deterministic acceptor of chunks, whose states, the contexts, know the
// last of them.
type histories interface {
	// Start returns the context at the beginning.
	Start() int32
	// Step returns the context after a chunk and the weight of going there.
	Step(context, chunk int32) (int32, semiring.ScaledFloat)
	// End returns the weight of stopping.
	End(context int32) semiring.ScaledFloat
}

// maxExpansion bounds the states of an expansion.
const maxExpansion = 1 << 22

// expansion composes lattices with an acceptor of histories, one after the other in the
// same storage: as that is deterministic, states of the lattice are split, no more.
type expansion struct {
	states         places // of the lattice, and contexts
	row, to, chunk []int32
	weight, final  []semiring.ScaledFloat
}

// expand returns the composition of l and h, valid until the next call. State 0 is the
// beginning; what states and arcs stand for is in x.
func (x *expansion) expand(l *lattice, h histories) (*graph.Graph[semiring.ScaledFloat], error) {
	x.states.Reset()
	x.row = append(x.row[:0], 0)
	x.to, x.chunk, x.weight, x.final = x.to[:0], x.chunk[:0], x.weight[:0], x.final[:0]
	end := int32(l.numStates() - 1)
	x.states.enter(0, h.Start())
	for s := 0; s < len(x.states.Keys()); s++ {
		at, context := x.states.place(int32(s))
		for e := l.row[at]; e < l.row[at+1]; e++ {
			next, weight := h.Step(context, l.chunk[e])
			x.to = append(x.to, x.states.enter(l.to[e], next))
			x.chunk = append(x.chunk, l.chunk[e])
			x.weight = append(x.weight, weight)
		}
		x.row = append(x.row, int32(len(x.to)))
		final := semiring.ScaledFloat{}
		if at == end {
			final = h.End(context)
		}
		x.final = append(x.final, final)
		if len(x.states.Keys()) > maxExpansion {
			return nil, fmt.Errorf("%w: more than %d states that know the chunks before", semiring.ErrLimit, maxExpansion)
		}
	}
	start := []graph.Start[semiring.ScaledFloat]{{State: 0, Weight: semiring.NewScaled(1)}}
	return graph.New[semiring.ScaledFloat](semiring.Scaled{}, x.row, x.to, x.weight, start, x.final)
}
