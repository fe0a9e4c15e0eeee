package cells

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/trellis"
)

// tape is the way of pairs of one known and one unknown string. The
// cascade is condensed to an acceptor of the known string, without ε: the hidden steps of the
// machines between two of its labels are one expression. So the derivations of a string
// are paths of a trellis whose layers are the states, and each step uses the block of
// its label. The first step leads from one node to the initial states, and the
// last from the final states to one node.
type tape struct {
	known  Kind                  // Input or Output
	number keytable.Table[int32] // the acceptor's labels: number n has block firstLabel + n

	blocks   []*trellis.Block
	place    []places
	handle   []expr.W    // per cell
	tangents [][]float64 // per block and cell; nil without second derivatives

	related func() []*trellis.Block // the same with weights 1, for cells that may have a weight
}

// places describes the layout of the cells of a block.
type places struct {
	first, cells int     // the index of the first cell, and the number of cells
	cols         int32   // the number of columns
	row, col     []int32 // of a sparse block, as for trellis.NewSparseBlock
}

// The blocks of a tape: the starts of paths, the ends of paths, and one block for each label.
const (
	beginBlock = iota
	endBlock
	firstLabel
)

// place is the position of a cell.
type place struct{ block, row, col int32 }

// newTape makes blocks of an acceptor of the known string, and returns the expressions of their
// cells. merged reports whether a cell may stand for several arcs.
func newTape(known Kind, space *expr.Space, f *fst.FST[expr.W], limit int) (_ way, cells []expr.W, merged bool, err error) {
	t := &tape{known: known}
	g, states := f.Graph(), int32(f.NumStates())
	for _, l := range f.In() {
		t.number.Number(l)
	}
	entries := make([]entry[place], 0, f.NumArcs()+len(g.Starts())+int(states))
	begin, double := starts(space, f)
	for s := range states {
		entries = append(entries, entry[place]{place{beginBlock, 0, s}, begin[s]}, entry[place]{place{endBlock, s, 0}, g.Finals()[s]})
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			entries = append(entries, entry[place]{place{firstLabel + t.number.Find(f.In()[e]), s, g.To()[e]}, g.Weights()[e]})
		}
	}
	entries, merged = combine(space, entries, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	size := 0
	for block := range int32(firstLabel + len(t.number.Keys())) {
		n := slices.IndexFunc(entries, func(e entry[place]) bool { return e.place.block != block })
		if n < 0 {
			n = len(entries)
		}
		rows, cols := states, states
		switch block {
		case beginBlock:
			rows = 1
		case endBlock:
			cols = 1
		}
		if cells, err = t.add(cells, rows, cols, entries[:n]); err != nil {
			return nil, nil, false, err
		}
		// A sparse block also takes memory for its rows and columns, though less per row.
		if size += int(rows+cols) / 8; size+len(cells) > limit {
			return nil, nil, false, fmt.Errorf("%w: %d cells, %d rows and columns", semiring.ErrLimit, len(cells), 8*size)
		}
		entries = entries[n:]
	}
	t.handle, t.related = cells, sync.OnceValue(t.relate)
	return t, cells, merged || double, nil
}

// denseCells is the number of cells of a matrix that take as much time as one cell of a sparse
// block. sparseArcs is the number of arcs of a lattice that take as much time as one such cell.
const denseCells, sparseArcs = 4.6, 2

// add appends a block, and its cells to the cells of earlier blocks. It stores all cells of a
// matrix if that takes less time.
func (t *tape) add(cells []expr.W, rows, cols int32, entries []entry[place]) ([]expr.W, error) {
	p := places{first: len(cells), cols: cols}
	if float64(rows)*float64(cols) <= denseCells*float64(len(entries)) {
		p.cells = int(rows) * int(cols)
		cells = append(cells, make([]expr.W, p.cells)...) // expr.Zero
		for _, e := range entries {
			cells[p.first+p.cell(e.place.row, e.place.col)] = e.weight
		}
	} else {
		p.cells = len(entries)
		p.row = make([]int32, rows+1)
		for _, e := range entries {
			p.row[e.place.row+1]++
			p.col = append(p.col, e.place.col)
			cells = append(cells, e.weight)
		}
		for i := range rows {
			p.row[i+1] += p.row[i]
		}
	}
	b, err := p.block(make([]semiring.ScaledFloat, p.cells))
	t.blocks, t.place = append(t.blocks, b), append(t.place, p)
	return cells, err
}

// cell returns the index in the block of a cell that exists.
func (p *places) cell(i, j int32) int {
	if p.row == nil {
		return int(i)*int(p.cols) + int(j)
	}
	lo := p.row[i]
	n, _ := slices.BinarySearch(p.col[lo:p.row[i+1]], j)
	return int(lo) + n
}

// block returns the block with the given weights of its cells.
func (p *places) block(weight []semiring.ScaledFloat) (*trellis.Block, error) {
	if p.row == nil {
		return trellis.NewBlock(p.cells/int(p.cols), int(p.cols), weight)
	}
	return trellis.NewSparseBlock(len(p.row)-1, int(p.cols), p.row, p.col, weight)
}

// relate returns blocks with weight 1 for cells that may have a weight.
func (t *tape) relate() []*trellis.Block {
	var blocks []*trellis.Block
	weights := ones(t.handle)
	for n := range t.place {
		p := &t.place[n]
		b, err := p.block(weights[p.first : p.first+p.cells])
		if err != nil {
			panic(fmt.Sprintf("cells: a block that was made once: %v", err))
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// labels returns the known string.
func (t *tape) labels(x Strings) []int32 {
	if t.known == Input {
		return x.In
	}
	return x.Out
}

func (t *tape) visited(x Strings) float64 {
	steps, ok := t.steps(nil, x)
	if !ok {
		return 0
	}
	// Rows of sparse blocks that no path has reached are skipped.
	n := 0.0
	reached, next := []bool{true}, []bool(nil)
	for _, b := range steps {
		p := &t.place[b]
		next = append(next[:0], make([]bool, p.cols)...)
		if p.row == nil {
			n += sparseArcs / denseCells * float64(p.cells)
			for j := range next {
				next[j] = true
			}
		} else {
			n += sparseArcs * float64(p.reach(next, reached))
		}
		reached, next = next, reached
	}
	return n
}

// reach marks the columns that paths through reached rows of a sparse block lead to, and
// returns the number of cells of these rows.
func (p *places) reach(cols, rows []bool) (cells int) {
	for i, on := range rows {
		if !on {
			continue
		}
		row := p.col[p.row[i]:p.row[i+1]]
		for _, j := range row {
			cols[j] = true
		}
		cells += len(row)
	}
	return cells
}

// steps appends the blocks of x to dst. It returns false if one of its labels has no block.
func (t *tape) steps(dst []int32, x Strings) ([]int32, bool) {
	dst = append(dst, beginBlock)
	for _, l := range t.labels(x) {
		n := t.number.Find(l)
		if n < 0 {
			return dst, false
		}
		dst = append(dst, firstLabel+n)
	}
	return append(dst, endBlock), true
}

func (t *tape) begin(values []semiring.ScaledFloat, tangents []float64, _ float64) error {
	t.tangents = t.tangents[:0]
	for n, b := range t.blocks {
		lo := t.place[n].first
		if err := b.SetWeights(values[lo : lo+b.NumCells()]); err != nil {
			return err
		}
		if tangents != nil {
			t.tangents = append(t.tangents, tangents[lo:lo+b.NumCells()])
		}
	}
	return nil
}

func (t *tape) hire() Summer {
	n := len(t.blocks)
	s := &tapeSummer{tape: t, curvature: make([][]float64, n), counts: make([][]float64, n), counted: make([]bool, n)}
	s.uses.Reset(t.blocks)
	return s
}
