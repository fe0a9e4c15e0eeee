package pairgram

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// lattice is the graph of the ways to cut a pair into chunks: state 0 is its beginning,
// the last one its end, and every arc, a chunk, leads to a state of a greater number.
type lattice struct {
	row, to, chunk []int32
}

// numStates returns the number of states.
func (l *lattice) numStates() int { return len(l.row) - 1 }

// lattice returns all ways to cut the pair into chunks of c: the machine x ∘ C ∘ y,
// where C is the machine of one state whose arcs are the chunks. States are the pairs of
// positions, row by row; some may be on no path. fst.Compose would lose the numbers of the
// chunks, which are on neither tape.
func (c *Chunks) lattice(r *reader, x, y []int32) *lattice {
	r.x.read(x, c.source.find)
	r.y.read(y, c.target.find)
	rows, columns := len(x)+1, len(y)+1
	l := &lattice{row: make([]int32, 1, rows*columns+1)}
	arcs := make([]int32, 2*rows*columns*len(c.sizes))
	l.to, l.chunk = arcs[:0:len(arcs)/2], arcs[len(arcs)/2:][:0]
	for i := range rows {
		for j := range columns {
			for _, s := range c.sizes {
				if i+s.Source >= rows || j+s.Target >= columns {
					continue
				}
				if n := c.number.get(r.x.at(i, s.Source), r.y.at(j, s.Target)); n > 0 {
					l.to = append(l.to, int32((i+s.Source)*columns+j+s.Target))
					l.chunk = append(l.chunk, n)
				}
			}
			l.row = append(l.row, int32(len(l.to)))
		}
	}
	return l
}

// weigh returns the graph of l whose arcs have the weight of their chunk.
func weigh[W any](l *lattice, ring semiring.Semiring[W], weight []W) (*graph.Graph[W], error) {
	w := make([]W, len(l.chunk))
	for e, n := range l.chunk {
		w[e] = weight[n-1]
	}
	final := make([]W, l.numStates())
	zero := ring.Zero()
	for s := range final {
		final[s] = zero
	}
	final[len(final)-1] = ring.One()
	return graph.New(ring, l.row, l.to, w, []graph.Start[W]{{State: 0, Weight: ring.One()}}, final)
}

// reversed returns l read from the end: the lattice of the reversed strings.
func (l *lattice) reversed() *lattice {
	n, arcs := int32(l.numStates()), len(l.to)
	r := &lattice{row: make([]int32, n+1), to: make([]int32, arcs), chunk: make([]int32, arcs)}
	for _, t := range l.to {
		r.row[n-t]++ // the arcs of state n−1−t end there
	}
	for s := range n {
		r.row[s+1] += r.row[s]
	}
	next := slices.Clone(r.row)
	for s := range n {
		for e := l.row[s]; e < l.row[s+1]; e++ {
			at := &next[n-1-l.to[e]]
			r.to[*at], r.chunk[*at] = n-1-s, l.chunk[e]
			*at++
		}
	}
	return r
}

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
// same storage: as that is deterministic, states of the lattice are split, no more. It is
// fst.Compose of the two, bit by bit: with n-grams it takes 25 µs a pair, lattice
// included, and fst.Compose 68 (BenchmarkExpansion).
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
	return machines.ScaledGraphs.New(semiring.Scaled{}, x.row, x.to, x.weight, start, x.final)
}

// places numbers the states of a composition: one of what a source is read by, and a
// context.
type places struct{ keytable.Table[uint64] }

// enter returns the number of a place, a new one if it has none.
func (p *places) enter(at, context int32) int32 {
	n, _ := p.Number(keytable.Pair(at, context))
	return n
}

// place returns place number n.
func (p *places) place(n int32) (at, context int32) { return keytable.Unpair(p.Keys()[n]) }
