package align

import (
	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

type weight = semiring.ScaledFloat

// positionLaw is the law of the parameters of a kind of positions in one direction.
type positionLaw interface {
	em.Law
	// size returns the number of parameters.
	size() int
	// at returns the positions with parameters p.
	at(p []float64, null nullRate) positions
	// onto returns the parameters for sentences of other shapes.
	onto(other *shapes, p []float64) []float64
}

// positions is the distribution, in one direction and at fixed parameters, of the positions that
// words come from. Goroutines share it.
type positions interface {
	// layout returns the layout of the trellis of a sentence.
	layout(hidden, seen int) layout
	// visit computes the posteriors of a sentence and returns the path sum and the number of arcs.
	visit(v *view, s *scratch) (total weight, arcs int, err error)
	// size returns the number of counts.
	size() int
	// count adds weight times the counts of the last visited sentence, which was visited with a
	// counting scratch.
	count(counts []float64, v *view, s *scratch, weight float64)
}

// layout locates the links among the nodes of a trellis: the link of hidden word i and observed
// word j is node first + j·stride + i.
type layout struct{ first, stride, nodes int }

// view contains a sentence in one direction and its posteriors. Each of the J observed words comes
// from one of the I hidden words or from NULL.
type view struct {
	hidden, seen int
	layout
	emit      []float64 // per node; visit sets the nodes that are not links
	null      []float64 // J
	class     []int32   // I, of the hidden words; nil: one class
	classSeen []int32   // J, of the observed words

	node, fromNull []float64 // posteriors: per node, initially 0; J, of NULL
}

// resize makes room for a sentence of a model and clears node.
func (v *view) resize(m positions, hidden, seen int) {
	v.hidden, v.seen, v.layout = hidden, seen, m.layout(hidden, seen)
	v.emit, v.node = resized(v.emit, v.nodes), resized(v.node, v.nodes)
	v.null, v.fromNull = resized(v.null, seen), resized(v.fromNull, seen)
	clear(v.node)
}

// links returns the part of node, one number per node, that belongs to observed word j.
func (v *view) links(node []float64, j int) []float64 {
	at := v.first + j*v.stride
	return node[at : at+v.hidden]
}

// strides returns the distance of links in an array E×F, given the direction of v: between
// consecutive hidden words of one observed word, and between consecutive observed words of one
// hidden word.
func (v *view) strides(d int) (hidden, seen int) {
	if d == fe {
		return 1, v.hidden
	}
	return v.seen, 1
}

// emissions sets the emissions of the links from src, E×F, given the direction of v.
func (v *view) emissions(src []float64, d int) {
	hidden, seen := v.strides(d)
	for j := range v.seen {
		at := j * seen
		links := v.links(v.emit, j)
		for i := range links {
			links[i] = src[at]
			at += hidden
		}
	}
}

// posteriors sets dst to the posteriors of the links, E×F, given the direction of v.
func (v *view) posteriors(dst []float64, d int) {
	hidden, seen := v.strides(d)
	for j := range v.seen {
		at := j * seen
		for _, p := range v.links(v.node, j) {
			dst[at] = p
			at += hidden
		}
	}
}

// scratch is working storage of one goroutine and one direction.
type scratch struct {
	trellis trellis.Trellis
	sums    trellis.Scratch
	initial []weight
	steps   []int32
	stay    []weight
	stayed  []float64 // per step: posterior of staying
	blocks  []*trellis.Block
	cells   []float64
	counts  bool
	uses    trellis.Uses // of the blocks' cells, if it counts
	factors []uses       // per block
	seen    []int32      // the classes of observed words that have a block
	row     []float64
}

// newScratch returns a scratch; counts selects whether it counts the uses of parameters.
func newScratch(counts bool) *scratch {
	return &scratch{counts: counts}
}

// run sums the paths of the trellis that s describes, with the nodes of v.
func (s *scratch) run(v *view, blocks []*trellis.Block) (weight, error) {
	err := s.trellis.Reset(s.initial, blocks, s.steps, nil, nil)
	if err == nil {
		err = s.trellis.SetStay(s.stay)
	}
	if err == nil {
		err = s.trellis.SetNumbers(v.emit)
	}
	s.stayed = resized(s.stayed, len(s.steps))
	clear(s.stayed)
	sum := trellis.Parts{Node: v.node, Stay: s.stayed}
	var total weight
	switch {
	case err != nil:
	case s.counts:
		s.uses.Reset(blocks)
		total, err = s.uses.Counts(&s.trellis, 1, sum, &s.sums)
	default:
		total, err = s.trellis.Counts(1, sum, &s.sums)
	}
	if err != nil {
		return total, nested.Errorf("align: %w", err)
	}
	return total, nil
}

// equal is the law of Model 1, which has no parameters: all positions are equally probable.
type equal struct{ em.Fixed }

func (equal) size() int { return 0 }

func (equal) at(_ []float64, null nullRate) positions { return &independent{null: null} }

func (equal) onto(*shapes, []float64) []float64 { return nil }

// places is the distribution, of Model 2 in one direction, over the position of the hidden word if
// a word does not come from NULL, given its own position and the lengths of both sides.
type places interface {
	// row sets p to the distribution for position j of seen positions.
	row(p []float64, j, seen int)
	// count adds weight times the posteriors of a sentence to the counts.
	count(counts []float64, v *view, weight float64)
}

// independent is a model in which the positions that words come from do not depend on each other:
// IBM Models 1 and 2 (Brown et al. 1993). Its trellis has a layer per observed word, which contains
// NULL and the hidden words, and all paths go through a single node between two layers.
type independent struct {
	null   nullRate
	places places // nil: all positions are equally probable
	counts int    // of places
}

func (m *independent) size() int { return m.counts }

func (m *independent) layout(hidden, seen int) layout {
	return layout{first: 1, stride: hidden + 1, nodes: seen * (hidden + 1)}
}

func (m *independent) visit(v *view, s *scratch) (weight, int, error) {
	null := m.null.of(v.hidden)
	own := (1 - null) / float64(v.hidden)
	s.row = resized(s.row, v.hidden)
	v.node, v.emit = v.emit, v.node // weights become posteriors
	for j, p := range v.null {
		v.node[j*v.stride] = null * p
		links := v.links(v.node, j)
		if m.places == nil {
			for i := range links {
				links[i] *= own
			}
			continue
		}
		m.places.row(s.row, j, v.seen)
		for i, p := range s.row {
			links[i] *= (1 - null) * p
		}
	}
	total, err := trellis.Independent(v.node, v.stride)
	if err != nil {
		return total, 0, nested.Errorf("align: %w", err)
	}
	for j := range v.fromNull {
		v.fromNull[j] = v.node[j*v.stride]
	}
	return total, v.nodes, nil
}

func (m *independent) count(counts []float64, v *view, _ *scratch, weight float64) {
	if m.places != nil {
		m.places.count(counts, v, weight)
	}
}

// nullRate is the probability that a word comes from NULL in any sentence. The zero rate means
// 1/(n+1) in a sentence of n hidden words.
type nullRate float64

func (r nullRate) of(n int) float64 {
	if r == 0 {
		return 1 / float64(n+1)
	}
	return float64(r)
}
