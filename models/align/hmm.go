package align

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// hmm is the hidden Markov model of one direction (Vogel, Ney and Tillmann 1996): the
// position that a word comes from depends on where the last word came from that did not
// come from NULL. A word from NULL leaves that position as it is (Och and Ney 2003, with
// half as many states): the path stays at its node.
//
// The trellis has a layer of the state before the sentence, one per word seen, and the
// end.
type hmm struct {
	jumps *jumps
	null  nullRate
}

func (h *hmm) size() int { return h.jumps.size() }

func (h *hmm) layout(hidden, seen int) layout {
	width := hidden + 1
	return layout{first: width + 1, stride: width, nodes: (seen+1)*width + 1}
}

func (h *hmm) visit(v *view, s *scratch) (weight, int, error) {
	blocks, err := h.blocks(v, s)
	if err != nil {
		return weight{}, 0, nested.Errorf("align: %w", err)
	}
	h.layers(v, s)
	for n := range s.uses {
		s.uses[n] = resized(s.uses[n], blocks[n].NumCells())
		clear(s.uses[n])
	}
	total, err := s.run(v, blocks, s.stay, s.uses)
	if err != nil {
		return weight{}, 0, err
	}
	copy(v.fromNull, s.stayed)
	return total, s.trellis.NumArcs(), nil
}

func (h *hmm) count(counts []float64, v *view, s *scratch, weight float64) {
	s.row = resized(s.row, v.hidden)
	h.jumps.count(counts, s.uses[0], s.uses[1], v.class, s.row, weight)
}

// layers describes the trellis to s and fills in the nodes that are no links.
func (h *hmm) layers(v *view, s *scratch) {
	width := v.hidden + 1
	s.initial, s.steps, s.stay = resized(s.initial, width), resized(s.steps, v.seen+1), resized(s.stay, v.seen+1)
	clear(s.initial)
	s.initial[0] = semiring.NewScaled(1)
	clear(s.steps)
	s.steps[v.seen] = 1
	for i := range width {
		v.emit[i] = 1
	}
	null := h.null.of(v.hidden)
	for j, p := range v.null {
		v.emit[(j+1)*width] = 0
		s.stay[j] = semiring.NewScaled(null * p)
	}
	v.emit[(v.seen+1)*width] = 1
	s.stay[v.seen] = weight{}
}

// blocks returns the matrices of a sentence: inside, which the words have a say in, and at
// the end.
func (h *hmm) blocks(v *view, s *scratch) ([]*trellis.Block, error) {
	n := v.hidden
	width := n + 1
	s.cells = resized(s.cells, width*width+width)
	inside, ends := s.cells[:width*width], s.cells[width*width:]
	h.jumps.transitions(inside, n, v.class, 1-h.null.of(n))
	if err := s.blocks[0].Reset(width, width, inside); err != nil {
		return nil, err
	}
	h.jumps.ends(ends)
	return s.blocks, s.blocks[1].Reset(width, 1, ends)
}
