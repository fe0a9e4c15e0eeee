package align

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

type weight = semiring.ScaledFloat

// positions is the part of a model that says where a word comes from, in one
// direction, at fixed parameters. It is shared by goroutines.
type positions interface {
	// size returns the number of parameters.
	size() int
	// prepare gets ready for sentences with these numbers of words. It must
	// have been called for them before visit is, by one goroutine.
	prepare(hidden, seen int) error
	// layout returns the layout of the trellis of a sentence.
	layout(hidden, seen int) layout
	// visit finds the posteriors of a sentence and returns ln of the path sum.
	visit(v *view, s *scratch) (logP float64, err error)
	// count adds the expected uses of the parameters in the sentence last visited with
	// a scratch that counts.
	count(counts []float64, v *view, s *scratch)
}

// layout says which nodes of a trellis are links: the link of hidden word i and seen word j
// is node first + j·stride + i.
type layout struct{ first, stride, nodes int }

// view is what the model of one direction sees of a sentence, I hidden words, one of
// which, or NULL, each of the J words seen comes from, and what it finds.
type view struct {
	hidden, seen int
	layout
	emit  []float64 // per node; visit fills in those that are no links
	null  []float64 // J
	class []int32   // I, of the hidden words; nil: one class

	node, fromNull []float64 // posteriors: per node, 0 before; J, of NULL
}

// resize makes room for a sentence of a model; node becomes 0.
func (v *view) resize(m positions, hidden, seen int) {
	v.hidden, v.seen, v.layout = hidden, seen, m.layout(hidden, seen)
	v.emit, v.node = resized(v.emit, v.nodes), resized(v.node, v.nodes)
	v.null, v.fromNull = resized(v.null, seen), resized(v.fromNull, seen)
	clear(v.node)
}

// links returns the part of v, one number per node, that belongs to seen word j.
func (v *view) links(node []float64, j int) []float64 {
	at := v.first + j*v.stride
	return node[at : at+v.hidden]
}

// scratch is working storage of one goroutine and one direction.
type scratch struct {
	trellis trellis.Trellis
	sums    trellis.Scratch
	initial []weight
	steps   []int32
	stay    []weight
	stayed  []float64              // per step: posterior of staying
	uses    [][]float64            // of the blocks' cells; nil if nothing is counted
	own     map[int]*trellis.Block // by the number of hidden words
	blocks  [2]*trellis.Block
	matrix  []weight
	row     []float64
}

func newScratch() *scratch { return &scratch{own: map[int]*trellis.Block{}} }

// run sums the paths of the trellis that s describes, with the nodes and stays of v.
func (s *scratch) run(v *view, blocks []*trellis.Block, stay []weight, uses [][]float64) (weight, error) {
	err := s.trellis.Reset(s.initial, blocks, s.steps, nil, nil)
	if err == nil {
		err = s.trellis.SetStay(stay)
	}
	if err == nil {
		err = s.trellis.SetNumbers(v.emit)
	}
	s.stayed = resized(s.stayed, len(s.steps))
	clear(s.stayed)
	var total weight
	if err == nil {
		total, err = s.trellis.Counts(1, trellis.Parts{Node: v.node, Stay: s.stayed, Block: uses}, &s.sums)
	}
	if err != nil {
		return total, fmt.Errorf("align: %w", err)
	}
	return total, nil
}

func newBlock(rows, cols int, cells []weight) (*trellis.Block, error) {
	b, err := trellis.NewBlock(rows, cols, cells)
	if err != nil {
		return nil, fmt.Errorf("align: %w", err)
	}
	return b, nil
}
