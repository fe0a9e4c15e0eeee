package pairgram

import (
	"slices"

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
// positions, row by row; some may be on no path.
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
