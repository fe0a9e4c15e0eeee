package align

import (
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// hmm is the hidden Markov model of one direction (Vogel, Ney and Tillmann 1996): the position that
// a word comes from depends on the position of the last word that did not come from NULL. A word
// from NULL keeps this position (Och and Ney 2003, with half as many states): the path stays at its
// node.
//
// The trellis has a layer for the state before the sentence, one per observed word, and one for the
// end. Between two layers is the matrix of the jumps for the class of the next observed word.
type hmm struct {
	jumps *jumps
	null  nullRate
}

func (h *hmm) size() int { return h.jumps.probabilities() }

func (h *hmm) layout(hidden, seen int) layout {
	width := hidden + 1
	return layout{first: width + 1, stride: width, nodes: (seen+1)*width + 1}
}

func (h *hmm) visit(v *view, s *scratch) (weight, int, error) {
	h.layers(v, s)
	blocks, err := h.blocks(v, s)
	if err != nil {
		return weight{}, 0, nested.Errorf("align: %w", err)
	}
	total, err := s.run(v, blocks)
	if err != nil {
		return weight{}, 0, err
	}
	copy(v.fromNull, s.stayed)
	return total, s.trellis.NumArcs(), nil
}

func (h *hmm) count(counts []float64, v *view, s *scratch, weight float64) {
	last := len(s.seen)
	s.factors = resized(s.factors, last+1)
	for block := range s.factors {
		u := &s.factors[block]
		u.weights, u.divided, u.direct = s.uses.Factors(block)
	}
	h.jumps.count(counts, s.factors, v.hidden, v.class, s.seen, weight)
	h.jumps.countEnds(counts, s.factors[last], v.hidden+1, weight)
}

// layers describes the trellis to s, with the classes of the observed words, and sets the nodes
// that are not links.
func (h *hmm) layers(v *view, s *scratch) {
	width := v.hidden + 1
	s.initial, s.steps, s.stay = resized(s.initial, width), resized(s.steps, v.seen+1), resized(s.stay, v.seen+1)
	clear(s.initial)
	s.initial[0] = semiring.NewScaled(1)
	s.seen = s.seen[:0]
	for j := range v.seen {
		class := int32(0)
		if v.classSeen != nil {
			class = v.classSeen[j]
		}
		n := slices.Index(s.seen, class)
		if n < 0 {
			n = len(s.seen)
			s.seen = append(s.seen, class)
		}
		s.steps[j] = int32(n)
	}
	s.steps[v.seen] = int32(len(s.seen))
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

// blocks returns the matrices of a sentence: for each class of observed words, and for the end.
func (h *hmm) blocks(v *view, s *scratch) ([]*trellis.Block, error) {
	n := v.hidden
	width := n + 1
	last := len(s.seen)
	for len(s.blocks) <= last {
		s.blocks = append(s.blocks, new(trellis.Block))
	}
	move := 1 - h.null.of(n)
	least, most := h.jumps.within(n, move)
	square := width * width
	s.cells = resized(s.cells, last*square+width)
	h.jumps.transitions(s.cells[:last*square], n, v.class, s.seen, move)
	for k, b := range s.blocks[:last] {
		if err := b.ResetWithin(width, width, s.cells[k*square:][:square], least, most); err != nil {
			return nil, err
		}
	}
	ends := s.cells[last*square:]
	h.jumps.ends(ends)
	return s.blocks[:last+1], s.blocks[last].ResetWithin(width, 1, ends, least, most)
}
