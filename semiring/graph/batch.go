package graph

import (
	"maps"
	"slices"
	"unsafe"

	"example.org/pathsum/semiring"
)

// Batch holds many small graphs, a shard of lattices say, in one concatenation of
// compressed rows: eight bytes per arc and four per state. The weight of an arc is
// an index into a table of numbers that the caller brings along, so that one batch
// serves any number of weightings; index 0 is for the number 0 and index 1 for the
// number 1.
//
// Every graph is trimmed and has one source and one sink. Its states are numbered
// from the sink, 0, to the source, in reverse topological order (of its components,
// if there is a cycle): backward passes come first and read memory forward.
// The zero value is an empty batch. Append needs exclusive access; all other
// methods may be called by several goroutines at once.
type Batch struct {
	first []int32 // graph g has states first[g], …, first[g+1]−1
	row   []int32 // the arcs of state s are arcs[row[s]:row[s+1]]
	arcs  []batchArc
	loops map[int32]*topology // of the graphs that are not in topological order
	build *assembler          // scratch of Append
}

// batchArc is an arc to the state number to of its graph with weight table[k].
type batchArc struct{ to, k int32 }

// Len returns the number of graphs.
func (b *Batch) Len() int { return max(0, len(b.first)-1) }

// NumArcs returns the number of arcs of all graphs.
func (b *Batch) NumArcs() int { return len(b.arcs) }

// NumStates returns the number of states of all graphs.
func (b *Batch) NumStates() int { return max(0, len(b.row)-1) }

// Bytes returns the memory that the graphs occupy, without Append's scratch and
// what is cached for graphs with cycles.
func (b *Batch) Bytes() int {
	return 4*(cap(b.first)+cap(b.row)) + int(unsafe.Sizeof(batchArc{}))*cap(b.arcs)
}

// Clone returns a copy of b that has no spare capacity. To fill batches of exact
// size, append to one, clone it, reset it, and go on.
func (b *Batch) Clone() *Batch {
	exact := func(s []int32) []int32 { return append(make([]int32, 0, len(s)), s...) }
	return &Batch{
		first: exact(b.first),
		row:   exact(b.row),
		arcs:  append(make([]batchArc, 0, len(b.arcs)), b.arcs...),
		loops: maps.Clone(b.loops),
	}
}

// Reset removes all graphs and keeps the storage.
func (b *Batch) Reset() {
	b.first, b.row, b.arcs = b.first[:0], b.row[:0], b.arcs[:0]
	clear(b.loops)
}

// graph returns the rows and arcs of graph g. Entries of row count from the first
// arc of the batch.
func (b *Batch) graph(g int) (row []int32, arcs []batchArc) {
	return b.row[b.first[g] : b.first[g+1]+1], b.arcs
}

// cyclic returns graph g, which has a cycle and topology t, with weights from
// table, over a ring of ScaledFloat.
func (b *Batch) cyclic(g int, t *topology, table []semiring.ScaledFloat, ring semiring.Semiring[semiring.ScaledFloat]) *Graph[semiring.ScaledFloat] {
	row, arcs := b.graph(g)
	arcs = arcs[row[0]:row[len(row)-1]]
	one := semiring.NewScaled(1)
	c := &Graph[semiring.ScaledFloat]{
		ring:     ring,
		topology: t,
		weight:   make([]semiring.ScaledFloat, len(arcs)),
		starts:   []Start[semiring.ScaledFloat]{{int32(t.NumStates() - 1), one}},
		final:    make([]semiring.ScaledFloat, t.NumStates()),
	}
	for e, a := range arcs {
		c.weight[e] = table[a.k]
	}
	c.final[0] = one
	return c
}

// addLoop notes that the states of the last graph have no topological order. They
// may have one although the graph had a cycle, which has been trimmed away; where the
// states then happen not to be in it, the graph is treated like one with a cycle.
func (b *Batch) addLoop() {
	g := b.Len() - 1
	row, arcs := b.graph(g)
	base, end := row[0], row[len(row)-1]
	own, to := slices.Clone(row), make([]int32, 0, end-base)
	for i := range own {
		own[i] -= base
	}
	for _, a := range arcs[base:end] {
		to = append(to, a.to)
	}
	if sinkFirst(own, to) {
		return
	}
	if b.loops == nil {
		b.loops = make(map[int32]*topology)
	}
	b.loops[int32(g)] = new(topology)
	*b.loops[int32(g)] = newTopology(own, to)
}

// sinkFirst reports whether every arc leads to a state of a smaller number.
func sinkFirst(row, to []int32) bool {
	for s := range len(row) - 1 {
		for _, t := range to[row[s]:row[s+1]] {
			if int(t) >= s {
				return false
			}
		}
	}
	return true
}
