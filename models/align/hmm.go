package align

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// hmm is the hidden Markov model of one direction (Vogel, Ney and Tillmann 1996): the
// position that a word comes from depends on that of the last word that did not come
// from NULL. A word from NULL leaves that position as it is (Och and Ney 2003, with
// half as many states): the path stays at its node.
type hmm struct {
	jumps *jumps
	null  nullRate
	of    []*hmmBlocks // by the number of hidden words
}

// hmmBlocks are what sentences of one length share: the transitions by class, which
// make a block where there is one class, and the block of the ends.
type hmmBlocks struct {
	cells  [][]weight
	blocks []*scaledBlock // inside and at the end
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
	b.blocks = []*scaledBlock{inside, end}
	h.of[n] = b
	return nil
}

func newBlock(rows, cols int, cells []weight) (*scaledBlock, error) {
	b, err := graph.NewBlock(semiring.Scaled{}, rows, cols, cells)
	if err != nil {
		return nil, fmt.Errorf("align: %w", err)
	}
	return b, nil
}

func (h *hmm) size() int { return h.jumps.size() }

// visit runs the trellis: the state before the sentence, then a layer per word seen,
// and the end.
func (h *hmm) visit(c *cells, out *links, s *scratch, counts []float64) error {
	n := c.hidden
	width := n + 1
	s.layers(c, h.null.of(n))
	blocks, err := h.blocks(c, s)
	if err != nil {
		return err
	}
	if err := s.trellis.Reset(s.initial, blocks, s.steps, s.nodes, nil); err != nil {
		return fmt.Errorf("align: %w", err)
	}
	if err := s.trellis.SetStay(s.stay); err != nil {
		return fmt.Errorf("align: %w", err)
	}
	s.node = resized(s.node, s.trellis.NumNodes())
	clear(s.node)
	var uses [][]float64
	if counts != nil {
		s.uses[0], s.uses[1] = resized(s.uses[0], width*width), resized(s.uses[1], width)
		clear(s.uses[0])
		clear(s.uses[1])
		uses = s.uses[:]
	}
	total, err := s.trellis.Counts(1, s.node, uses, &s.graph)
	if err != nil {
		return fmt.Errorf("align: %w", err)
	}
	out.logP = total.Log()
	copy(out.null, s.graph.Stays())
	for j := range c.seen {
		copy(out.emit[j*n:(j+1)*n], s.node[(j+1)*width+1:])
	}
	if counts != nil {
		s.row = resized(s.row, n)
		h.jumps.count(counts, uses[0], uses[1], c.class, s.row)
	}
	return nil
}

// blocks returns the blocks of a sentence. With word classes each has its own.
func (h *hmm) blocks(c *cells, s *scratch) ([]*scaledBlock, error) {
	shared := h.of[c.hidden]
	if h.jumps.classes == 1 {
		return shared.blocks, nil
	}
	width := c.hidden + 1
	s.matrix = resized(s.matrix, width*width)
	copy(s.matrix[:width], shared.cells[0])
	for i, class := range c.class {
		lo, hi := (i+1)*width, (i+2)*width
		copy(s.matrix[lo:hi], shared.cells[class][lo:hi])
	}
	own := s.own[c.hidden]
	if own == nil {
		var err error
		if own, err = newBlock(width, width, s.matrix); err != nil {
			return nil, err
		}
		s.own[c.hidden] = own
	} else if err := own.SetWeights(s.matrix); err != nil {
		return nil, fmt.Errorf("align: %w", err)
	}
	s.blocks[0], s.blocks[1] = own, shared.blocks[1]
	return s.blocks[:], nil
}

// layers sets the weights of a trellis with these emissions.
func (s *scratch) layers(c *cells, null float64) {
	width := c.hidden + 1
	s.initial, s.store = resized(s.initial, width), resized(s.store, c.seen*width)
	s.steps, s.stay, s.nodes = resized(s.steps, c.seen+1), resized(s.stay, c.seen+1), resized(s.nodes, c.seen+2)
	clear(s.initial)
	s.initial[0] = semiring.NewScaled(1)
	clear(s.steps)
	s.nodes[0] = nil
	for j := range c.seen {
		v := s.store[j*width : (j+1)*width]
		v[0] = weight{}
		for i, p := range c.emit[j*c.hidden : (j+1)*c.hidden] {
			v[i+1] = semiring.NewScaled(p)
		}
		s.nodes[j+1] = v
		s.stay[j] = semiring.NewScaled(null * c.null[j])
	}
	s.nodes[c.seen+1], s.steps[c.seen], s.stay[c.seen] = nil, 1, weight{}
}
