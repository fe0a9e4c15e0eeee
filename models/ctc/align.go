package ctc

import (
	"fmt"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// Aligner finds the frames of the labels of a text: forced alignment. Several goroutines may use
// it.
type Aligner struct {
	*reader
	arenas sync.Pool
}

// NewAligner returns an aligner by a topology. The error is as for NewLoss. It also wraps
// ErrInvalid for a custom topology that writes a label without reading a frame.
func NewAligner(t Topology) (*Aligner, error) {
	r, err := newReader("NewAligner", t)
	if err != nil {
		return nil, err
	}
	if r.column != nil {
		f, err := machines.Scaled.Expand(r.machine, nil)
		if err != nil {
			return nil, nested.Errorf("ctc: topology: %w", err)
		}
		for k, label := range f.Out() {
			if label != fst.Epsilon && r.column[k] < 0 {
				return nil, nested.Errorf("ctc: topology: %w: label %d is written without a frame being read, and so has no place", ErrInvalid, label)
			}
		}
	}
	a := &Aligner{reader: r}
	a.arenas.New = func() any { return machines.Scaled.NewArena(semiring.Scaled{}) }
	return a, nil
}

// Segment is the frames of a label.
type Segment struct {
	Label int32
	// First and Last are the first and the last frame, from 0.
	First, Last int
	// LogProb is ln of the product of the weights of the columns read in these frames.
	LogProb float64
	// Confidence is the probability that the label occupies at least one of these frames, given
	// the text.
	Confidence float64
}

// Alignment is a path of a text through emissions.
type Alignment struct {
	// LogProb is ln of the weight of the path, blanks included. LogTotal is ln of the sum over
	// all paths of the text.
	LogProb, LogTotal float64
	// Segments has the frames of each label of the text, in their order. Blanks have no segment.
	Segments []Segment
	// Columns has the column that is read in each frame.
	Columns []int32
}

// Align returns the best path of a text of labels, with a confidence for each label. The choice
// among paths of equal weight is deterministic.
//
// If no path reads the emissions as the text the error wraps em.ErrUnderivable, and also
// ErrTooShort if there are too few frames. It wraps semiring.ErrShape for emissions with another
// number of columns, and ErrInvalid for labels that the topology does not write. It takes
// O(frames × labels) time and memory.
func (a *Aligner) Align(e *frames.Emissions, labels []int32) (*Alignment, error) {
	c, al, err := a.best(e, labels)
	if err != nil {
		return nil, nested.Errorf("ctc: %w", err)
	}
	p, err := c.posterior(e, labels, a.of.Blank)
	if err != nil {
		return nil, nested.Errorf("ctc: %w", err)
	}
	al.LogTotal = p.LogTotal
	for i := range al.Segments {
		s := &al.Segments[i]
		s.Confidence = p.within(i, s.First, s.Last)
	}
	return al, nil
}

// Best is Align without LogTotal and the confidences, which stay 0: use it for recordings so long
// that a number per frame and label does not fit in memory.
func (a *Aligner) Best(e *frames.Emissions, labels []int32) (*Alignment, error) {
	_, al, err := a.best(e, labels)
	if err != nil {
		return nil, nested.Errorf("ctc: %w", err)
	}
	return al, nil
}

// Posteriors returns the distributions of the frames of each label over all paths of a text.
// Errors, time and memory are as for Align.
func (a *Aligner) Posteriors(e *frames.Emissions, labels []int32) (*Posterior, error) {
	c, _, err := a.best(e, labels)
	if err != nil {
		return nil, nested.Errorf("ctc: %w", err)
	}
	p, err := c.posterior(e, labels, a.of.Blank)
	if err != nil {
		return nil, nested.Errorf("ctc: %w", err)
	}
	return p, nil
}

// best returns the graph of a text and its best path.
func (a *Aligner) best(e *frames.Emissions, labels []int32) (*compiled, *Alignment, error) {
	c, err := a.graph(e, labels)
	if err != nil {
		return nil, nil, err
	}
	path, err := c.graph.BestPath(e, new(frames.Scratch))
	if err != nil {
		return nil, nil, err
	}
	if path.Start < 0 {
		return nil, nil, c.stuckText(e, labels)
	}
	al := &Alignment{LogProb: path.Weight.Log(), Segments: make([]Segment, len(labels)), Columns: make([]int32, e.Frames())}
	for i, label := range labels {
		al.Segments[i].Label = label
	}
	for i, k := range path.Arcs {
		read := c.arcs[k]
		if read.Symbol == frames.Epsilon {
			continue
		}
		t := int(path.Frames[i])
		al.Columns[t] = read.Symbol
		label, first := c.belongs(k, a.of.Blank)
		if label < 0 {
			continue
		}
		s := &al.Segments[label]
		if first {
			s.First = t
		}
		s.Last = t
		s.LogProb += e.Log(t, int(read.Symbol))
	}
	return c, al, nil
}

// graph checks its arguments and returns the graph of a text.
func (a *Aligner) graph(e *frames.Emissions, labels []int32) (*compiled, error) {
	switch {
	case e == nil:
		return nil, fmt.Errorf("%w: no emissions", ErrInvalid)
	case e.Symbols() != a.of.Symbols:
		return nil, fmt.Errorf("%w: emissions of %d columns for a topology of %d", semiring.ErrShape, e.Symbols(), a.of.Symbols)
	}
	if err := a.checkText(labels); err != nil {
		return nil, err
	}
	if a.isStandard() {
		return a.chain(labels)
	}
	arena := a.arenas.Get().(machines.Arena[semiring.ScaledFloat])
	defer a.arenas.Put(arena)
	arena.Reset()
	return a.text(arena, labels)
}

// belongs returns the position of the label to which the frame of arc k belongs, −1 for the
// blank, and whether it is the label's first frame.
func (c *compiled) belongs(k int32, blank int) (label int, first bool) {
	read := c.arcs[k]
	if int(read.Symbol) == blank {
		return -1, false
	}
	before, after := c.state[read.From][1], c.state[read.To][1]
	return int(after) - 1, after > before
}

// Word is a word of labels.
type Word struct {
	// Segments are the segments of its labels, in the storage of the argument of Words.
	Segments []Segment
	// First and Last are the first frame of its first label and the last frame of its last label.
	First, Last int
	// LogProb is the sum over the labels, and Confidence the least confidence of a label.
	LogProb, Confidence float64
}

// Words groups the segments of labels into words, which are separated by the label separator. It
// omits empty words.
func Words(segments []Segment, separator int32) []Word {
	var words []Word
	lo := 0
	for hi := range len(segments) + 1 {
		if hi < len(segments) && segments[hi].Label != separator {
			continue
		}
		if lo < hi {
			w := Word{Segments: segments[lo:hi:hi], First: segments[lo].First, Last: segments[hi-1].Last, Confidence: 1}
			for _, s := range w.Segments {
				w.LogProb += s.LogProb
				w.Confidence = min(w.Confidence, s.Confidence)
			}
			words = append(words, w)
		}
		lo = hi + 1
	}
	return words
}
