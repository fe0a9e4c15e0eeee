package trellis_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// entries are indices into a table, and the weights that they stand for.
type entries struct {
	index  []int32
	weight []semiring.ScaledFloat
}

// randomEntries returns n indices below 12, some of them 0.
func randomEntries(r *rand.Rand, n int) entries {
	e := entries{make([]int32, n), make([]semiring.ScaledFloat, n)}
	for i := range e.index {
		if r.IntN(8) > 0 {
			e.index[i] = 1 + r.Int32N(11)
		}
	}
	return e
}

func (e entries) weigh(table []semiring.ScaledFloat) {
	for i, k := range e.index {
		e.weight[i] = table[k]
	}
}

// indexed is a trellis whose weights are entries of a table.
type indexed struct {
	trellis.Trellis
	sizes                []int
	steps                []int32
	initial, final, stay entries   // empty: all are 1, no path stays
	nodes                []entries // per layer, empty: all are 1
	block                []*trellis.Block
	cells                []entries // per block
	places               [][]cell  // per block, of its cells
}

// newIndexed has up to steps steps between layers of at most three nodes, blocks that are
// shared, and any of the optional parts missing. Where paths stay in the last step it has final
// weights only if stayToEnd is true: the uses of these are not among the counts.
func newIndexed(r *rand.Rand, steps int, stayToEnd bool) *indexed {
	t := &indexed{sizes: []int{1 + r.IntN(3)}}
	t.initial = randomEntries(r, t.sizes[0])
	for range r.IntN(steps + 1) {
		rows, b := t.sizes[len(t.sizes)-1], len(t.block)
		cols := 1 + r.IntN(3)
		for n, at := range t.places {
			if last := at[len(at)-1]; int(last.row) == rows-1 && r.IntN(2) == 0 {
				b, cols = n, int(last.col)+1
			}
		}
		if b == len(t.block) {
			make, cells := randomBlock(r, rows, cols)
			if corner := (cell{int32(rows - 1), int32(cols - 1)}); len(cells) == 0 || cells[len(cells)-1] != corner {
				make, cells = fullBlock(rows, cols)
			}
			e := randomEntries(r, len(cells))
			t.block, t.cells, t.places = append(t.block, make(e.weight)), append(t.cells, e), append(t.places, cells)
		}
		t.steps, t.sizes = append(t.steps, int32(b)), append(t.sizes, cols)
	}
	if r.IntN(2) == 0 {
		t.stay = randomEntries(r, len(t.steps))
		for n := range t.steps {
			if t.sizes[n] != t.sizes[n+1] {
				t.stay.index[n] = 0
			}
		}
	}
	var nodes [][]semiring.ScaledFloat
	t.nodes = make([]entries, len(t.sizes))
	for layer, n := range t.sizes {
		if r.IntN(4) > 0 {
			t.nodes[layer] = randomEntries(r, n)
		}
		nodes = append(nodes, t.nodes[layer].weight)
	}
	if n := len(t.stay.index); r.IntN(2) == 0 && (stayToEnd || n == 0 || t.stay.index[n-1] == 0) {
		t.final = randomEntries(r, t.sizes[len(t.sizes)-1])
	}
	if err := t.Reset(t.initial.weight, t.block, t.steps, nodes, t.final.weight); err != nil {
		panic(err)
	}
	if err := t.SetStay(t.stay.weight); err != nil {
		panic(err)
	}
	return t
}

// fullBlock is a block with all cells.
func fullBlock(rows, cols int) (make func(w []semiring.ScaledFloat) *trellis.Block, cells []cell) {
	for n := range int32(rows * cols) {
		cells = append(cells, cell{n / int32(cols), n % int32(cols)})
	}
	return func(w []semiring.ScaledFloat) *trellis.Block { return must(trellis.NewBlock(rows, cols, w)) }, cells
}

func (t *indexed) weigh(table []semiring.ScaledFloat) error {
	for _, e := range append([]entries{t.initial, t.final, t.stay}, t.nodes...) {
		e.weigh(table)
	}
	for b, e := range t.cells {
		e.weigh(table)
		if err := t.block[b].SetWeights(e.weight); err != nil {
			return err
		}
	}
	return nil
}

// arrive calls visit with the entries of node i of a layer, the final weight excepted.
func (t *indexed) arrive(layer, i int, visit func(k int32)) {
	if layer == 0 {
		visit(t.initial.index[i])
	}
	if e := t.nodes[layer].index; e != nil {
		visit(e[i])
	}
}

// end calls visit with the entry of the final weight of node i.
func (t *indexed) end(i int, visit func(k int32)) {
	if t.final.index != nil {
		visit(t.final.index[i])
	}
}

// cell returns the cell of block b that leads from node i to node j, −1 if it does not exist.
func (t *indexed) cell(b int32, i, j int) int {
	n, ok := slices.BinarySearchFunc(t.places[b], cell{int32(i), int32(j)}, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	if !ok {
		return -1
	}
	return n
}

// appendEntries appends the entries of a path as BestPath writes it.
func (t *indexed) appendEntries(way, path []int32) []int32 {
	visit := func(k int32) { way = append(way, k) }
	i := int(path[0])
	t.arrive(0, i, visit)
	for n, to := range path[1:] {
		if to < 0 {
			visit(t.stay.index[n])
			continue
		}
		visit(t.cells[t.steps[n]].index[t.cell(t.steps[n], i, int(to))])
		i = int(to)
		t.arrive(n+1, i, visit)
	}
	t.end(i, visit)
	return way
}

// ways returns the entries of all paths.
func (t *indexed) ways() (ways [][]int32, ok bool) {
	if len(t.steps) > 4 {
		return nil, false
	}
	var follow func(path []int32, i int)
	follow = func(path []int32, i int) {
		n := len(path) - 1
		if n == len(t.steps) {
			if way := t.appendEntries(nil, path); !slices.Contains(way, 0) {
				ways = append(ways, way)
			}
			return
		}
		for j := range t.sizes[n+1] {
			if t.cell(t.steps[n], i, j) >= 0 {
				follow(append(slices.Clone(path), int32(j)), j)
			}
		}
		if t.stay.index != nil && t.stay.index[n] != 0 {
			follow(append(slices.Clone(path), int32(^i)), i)
		}
	}
	for i := range t.sizes[0] {
		follow([]int32{int32(i)}, i)
	}
	return ways, true
}

// partsScratch is working storage for queries of a trellis of entries.
type partsScratch struct {
	trellis.Scratch
	in, out trellis.Parts
	path    []int32
	entries []int32
}

// parts returns zeros for the parts of t.
func (t *indexed) parts(p *trellis.Parts) trellis.Parts {
	zeros := func(x []float64, n int) []float64 {
		if cap(x) < n {
			return make([]float64, n)
		}
		clear(x[:n])
		return x[:n]
	}
	p.Node, p.Stay = zeros(p.Node, t.NumNodes()), zeros(p.Stay, len(t.steps))
	for len(p.Block) < len(t.block) {
		p.Block = append(p.Block, nil)
	}
	p.Block = p.Block[:len(t.block)]
	for b, e := range t.cells {
		p.Block[b] = zeros(p.Block[b], len(e.index))
	}
	return *p
}

// each calls visit with every part and each of the entries that its weight is made of.
func (t *indexed) each(p trellis.Parts, visit func(x *float64, k int32)) {
	node := 0
	for layer, n := range t.sizes {
		for i := range n {
			x := &p.Node[node+i]
			t.arrive(layer, i, func(k int32) { visit(x, k) })
			if layer == len(t.steps) {
				t.end(i, func(k int32) { visit(x, k) })
			}
		}
		node += n
	}
	for n, k := range t.stay.index {
		visit(&p.Stay[n], k)
	}
	for b, e := range t.cells {
		for n, k := range e.index {
			visit(&p.Block[b][n], k)
		}
	}
}

func (t *indexed) counts(weight float64, count []float64, s *partsScratch) (semiring.ScaledFloat, error) {
	out := t.parts(&s.out)
	total, err := t.Counts(weight, out, &s.Scratch)
	t.each(out, func(x *float64, k int32) { count[k] += *x })
	return total, err
}

func (t *indexed) along(v []float64, weight float64, count, change []float64, s *partsScratch) (semiring.ScaledFloat, error) {
	_, failed := t.counts(weight, count, s)
	in, out := t.parts(&s.in), t.parts(&s.out)
	t.each(in, func(x *float64, k int32) { *x += v[k] })
	total, err := t.HessianVector(in, weight, out, &s.Scratch)
	t.each(out, func(x *float64, k int32) { change[k] += *x })
	if (failed == nil) != (err == nil) {
		return total, fmt.Errorf("derivatives: %v, but counts: %v", err, failed)
	}
	return total, err
}

func (t *indexed) best(dst []int32, s *partsScratch) ([]int32, semiring.ScaledFloat, error) {
	path, weight, err := t.BestPath(s.path[:0], &s.Scratch)
	if s.path = path; len(path) == 0 {
		return dst, weight, err
	}
	s.entries = t.appendEntries(s.entries[:0], path)
	for _, k := range s.entries {
		if k != 1 {
			dst = append(dst, k)
		}
	}
	return dst, weight, err
}

func TestIndexedTrellises(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[partsScratch]{
		New: func(r *rand.Rand, steps int) (*sumtest.Machine[partsScratch], bool) {
			t := newIndexed(r, steps, false)
			ways, ok := t.ways()
			return &sumtest.Machine[partsScratch]{
				Ways: t.ways, Weigh: t.weigh,
				Sum:    func(s *partsScratch) (semiring.ScaledFloat, error) { return t.PathSum(&s.Scratch), nil },
				Counts: t.counts, Along: t.along, Best: t.best,
			}, len(ways) > 0 || !ok
		},
		Small: 4, Large: 30, Entries: 12,
	})
}
