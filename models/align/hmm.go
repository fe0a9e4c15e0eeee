package align

import (
	"fmt"

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
	of    []*hmmBlocks // by the number of hidden words
}

// hmmBlocks are what sentences of one length share: the transitions by class, which
// make a block where there is one class, and the block of the ends.
type hmmBlocks struct {
	cells  [][]weight
	blocks []*trellis.Block // inside and at the end
}

func newHMM(j *jumps, null nullRate) *hmm { return &hmm{jumps: j, null: null} }

func (h *hmm) prepare(n, _ int) error {
	for len(h.of) <= n {
		h.of = append(h.of, nil)
	}
	if h.of[n] != nil {
		return nil
	}
	b := &hmmBlocks{cells: h.jumps.matrices(n, 1-h.null.of(n))}
	inside, err := newBlock(n+1, n+1, b.cells[0])
	if err != nil {
		return err
	}
	end, err := newBlock(n+1, 1, h.jumps.ends(n))
	if err != nil {
		return err
	}
	b.blocks = []*trellis.Block{inside, end}
	h.of[n] = b
	return nil
}

func (h *hmm) size() int { return h.jumps.size() }

func (h *hmm) layout(hidden, seen int) layout {
	width := hidden + 1
	return layout{first: width + 1, stride: width, nodes: (seen+1)*width + 1}
}

func (h *hmm) visit(v *view, s *scratch) (float64, error) {
	blocks, err := h.blocks(v, s)
	if err != nil {
		return 0, err
	}
	h.layers(v, s)
	for n := range s.uses {
		s.uses[n] = resized(s.uses[n], blocks[n].NumCells())
		clear(s.uses[n])
	}
	total, err := s.run(v, blocks, s.stay, s.uses)
	if err != nil {
		return 0, err
	}
	copy(v.fromNull, s.stayed)
	return total.Log(), nil
}

func (h *hmm) count(counts []float64, v *view, s *scratch) {
	s.row = resized(s.row, v.hidden)
	h.jumps.count(counts, s.uses[0], s.uses[1], v.class, s.row)
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

// blocks returns the blocks of a sentence. With word classes each has its own.
func (h *hmm) blocks(v *view, s *scratch) ([]*trellis.Block, error) {
	shared := h.of[v.hidden]
	if h.jumps.classes == 1 {
		return shared.blocks, nil
	}
	width := v.hidden + 1
	s.matrix = resized(s.matrix, width*width)
	copy(s.matrix[:width], shared.cells[0])
	for i, class := range v.class {
		lo, hi := (i+1)*width, (i+2)*width
		copy(s.matrix[lo:hi], shared.cells[class][lo:hi])
	}
	own := s.own[v.hidden]
	if own == nil {
		var err error
		if own, err = newBlock(width, width, s.matrix); err != nil {
			return nil, err
		}
		s.own[v.hidden] = own
	} else if err := own.SetWeights(s.matrix); err != nil {
		return nil, fmt.Errorf("align: %w", err)
	}
	s.blocks[0], s.blocks[1] = own, shared.blocks[1]
	return s.blocks[:], nil
}
