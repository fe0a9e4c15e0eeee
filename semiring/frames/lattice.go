package frames

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Lattice is the part of a product of emissions and a machine that a Beam keeps. Its states
// are in the order of the frames.
type Lattice struct {
	// Graph has weights that include the emissions. Its ring is semiring.Scaled, and semiring.Viterbi
	// by BeamOptions.Best.
	Graph *graph.Graph[semiring.ScaledFloat]
	// State and Frames are, per state of Graph, the state of the machine and the number of frames
	// read before it. An arc that reads a symbol from state s reads frame Frames[s].
	State, Frames []int32
	In, Out       []int32 // per arc of Graph: its labels
}

// Lattice returns the paths that are kept, as they end after the last frame. All paths to states
// of the last frame are in it; those in states that are not final have weight 0. It is a copy.
// O(nodes and arcs of the lattice). The error wraps semiring.ErrLimit if there are too many arcs.
func (b *Beam) Lattice() (*Lattice, error) {
	if b.err != nil {
		return nil, b.err
	}
	b.sweep()
	arcs := 0
	for t := range b.layers {
		arcs += len(b.layers[t].links)
	}
	x := &Lattice{State: make([]int32, 0, b.nodes), Frames: make([]int32, 0, b.nodes),
		In: make([]int32, arcs), Out: make([]int32, arcs)}
	row := make([]int32, b.nodes+1)
	offset := make([]int32, len(b.layers))
	for t := range b.layers {
		offset[t] = int32(len(x.State))
		for _, state := range b.layers[t].state {
			x.State, x.Frames = append(x.State, state), append(x.Frames, int32(b.first+t))
		}
	}
	b.links(offset, func(from, _ int32, _ *link) { row[from+1]++ })
	for s := range b.nodes {
		row[s+1] += row[s]
	}
	next := append([]int32(nil), row...)
	to, weight := make([]int32, arcs), make([]semiring.ScaledFloat, arcs)
	b.links(offset, func(from, end int32, k *link) {
		i := next[from]
		next[from]++
		to[i], weight[i], x.In[i], x.Out[i] = end, k.weight, k.in, k.out
	})
	final := make([]semiring.ScaledFloat, b.nodes)
	end := offset[len(offset)-1]
	for n, state := range b.layers[len(b.layers)-1].state {
		final[int(end)+n] = b.m.Final(state)
	}
	for n, w := range final[end:] {
		if err := check(w); err != nil {
			return nil, nested.Errorf("frames: beam: state %d: final weight: %w", x.State[int(end)+n], err)
		}
	}
	var err error
	x.Graph, err = graph.New(b.ring(), row, to, weight, append(b.starts[:0:0], b.starts...), final)
	if err != nil {
		return nil, nested.Errorf("frames: beam: %w", err)
	}
	return x, nil
}

// links calls yield for each arc of the lattice, with its states.
func (b *Beam) links(offset []int32, yield func(from, to int32, k *link)) {
	for t := range b.layers {
		links := b.layers[t].links
		for i := range links {
			k := &links[i]
			from := offset[t]
			if k.in != 0 {
				from = offset[t-1]
			}
			yield(from+k.from, offset[t]+k.to, k)
		}
	}
}
