package align

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

type (
	weight  = semiring.ScaledFloat
	trellis = graph.Trellis[weight]

	scaledBlock = graph.Block[weight]
)

// positions is the part of a model that says where a word comes from, in one
// direction, at fixed parameters. It is shared by goroutines.
type positions interface {
	// size returns the number of parameters.
	size() int
	// prepare gets ready for sentences of so many hidden and seen words. It must
	// have been called for them before visit is, by one goroutine.
	prepare(hidden, seen int) error
	// visit finds the posteriors of a sentence, with storage of its own in s, and adds
	// the expected uses of the parameters to counts, unless that is nil.
	visit(c *cells, out *links, s *scratch, counts []float64) error
}

// scratch is working storage of one goroutine and one direction.
type scratch struct {
	trellis *trellis
	graph   graph.TrellisScratch[weight]
	initial []weight
	steps   []int32
	nodes   [][]weight
	store   []weight
	stay    []weight
	node    []float64
	uses    [2][]float64         // of the blocks' cells
	own     map[int]*scaledBlock // by the number of hidden words
	blocks  [2]*scaledBlock
	matrix  []weight
	row     []float64
}

func newScratch() *scratch {
	t, err := graph.NewTrellis(semiring.Scaled{}, []weight{semiring.NewScaled(1)}, nil, nil, nil, nil)
	if err != nil {
		panic(err) // one node is a trellis
	}
	return &scratch{trellis: t, own: map[int]*scaledBlock{}}
}
