package ctc

import (
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/semiring/frames"
)

// Posterior is the distribution of the frames of each label of a text, over all paths of the text
// through emissions. It assumes that the frames of a label follow each other, as they do in the
// topologies of this package.
type Posterior struct {
	// LogTotal is ln of the sum over all paths.
	LogTotal float64

	labels      []int32
	frames      int
	first, held []float64 // labels × frames
}

// First returns, per frame, the probability that it is the first frame of label i of the text.
// The probabilities sum to 1. The slice must not be modified.
func (p *Posterior) First(i int) []float64 { return p.first[i*p.frames : (i+1)*p.frames] }

// Occupancy returns, per frame, the probability that it belongs to label i of the text. The sum is
// the expected number of its frames. The slice must not be modified.
func (p *Posterior) Occupancy(i int) []float64 { return p.held[i*p.frames : (i+1)*p.frames] }

// Last appends to dst, per frame, the probability that it is the last frame of label i of the
// text. It is computed from differences of First and Occupancy, so its absolute error is a few
// roundings.
func (p *Posterior) Last(dst []float64, i int) []float64 {
	first, held := p.First(i), p.Occupancy(i)
	for t, x := range held {
		if t+1 < p.frames {
			x = max(0, x-(held[t+1]-first[t+1])) // in both frames
		}
		dst = append(dst, x)
	}
	return dst
}

// Segments returns the frames of each label by the posterior: from the median of its first frame
// to the median of its last. Segments do not overlap. LogProb stays 0.
func (p *Posterior) Segments() []Segment {
	segments := make([]Segment, len(p.labels))
	var last []float64
	next := 0 // the first free frame; medians are later except for ties and rounding
	for i, label := range p.labels {
		last = p.Last(last[:0], i)
		s := Segment{Label: label, First: max(next, median(p.First(i)))}
		s.Last = max(s.First, median(last))
		s.Confidence = p.within(i, s.First, s.Last)
		next, segments[i] = s.Last+1, s
	}
	return segments
}

// median returns the first frame up to which half of a distribution lies.
func median(x []float64) int {
	sum := 0.0
	for t, p := range x {
		if sum += p; sum >= .5 {
			return t
		}
	}
	return len(x) - 1
}

// within returns the probability that label i occupies at least one frame of lo, …, hi: it holds
// the first of them, or begins later.
func (p *Posterior) within(i, lo, hi int) float64 {
	sum := p.Occupancy(i)[lo]
	for _, x := range p.First(i)[lo+1 : hi+1] {
		sum += x
	}
	return min(1, sum) // the events exclude each other: more is rounding
}

// posterior returns the posterior of a text whose graph has a path through e.
//
// The graph is read again with a column for each label that a frame may belong to, for its first
// frame and for later ones, and one for each column of blanks. Then γ is the posterior.
func (c *compiled) posterior(e *frames.Emissions, labels []int32, blank int) (*Posterior, error) {
	type column struct {
		label  int
		first  bool
		symbol int32
	}
	number, arcs := map[column]int32{}, make([]frames.Arc, len(c.arcs))
	var columns []column
	for k, a := range c.arcs {
		arcs[k] = a
		if a.Symbol == frames.Epsilon {
			continue
		}
		x := column{symbol: a.Symbol}
		x.label, x.first = c.belongs(int32(k), blank)
		n, ok := number[x]
		if !ok {
			n = int32(len(columns))
			number[x] = n
			columns = append(columns, x)
		}
		arcs[k].Symbol = n
	}
	logs := make([]float64, 0, e.Frames()*len(columns))
	for t := range e.Frames() {
		for _, x := range columns {
			logs = append(logs, e.Log(t, int(x.symbol)))
		}
	}
	wide, err := frames.LogProbabilities(e.Frames(), len(columns), logs, &frames.Options{Unnormalized: true})
	if err != nil {
		return nil, err
	}
	g, err := frames.New(len(c.state), len(columns), arcs)
	if err != nil {
		return nil, err
	}
	if err := g.SetWeights(c.weights); err != nil {
		return nil, err
	}
	gamma := logs // is copied in wide
	clear(gamma)
	total, err := g.Counts(wide, 1, frames.Parts{}, gamma, new(frames.Scratch))
	if err != nil {
		return nil, err
	}
	n := len(labels) * e.Frames()
	p := &Posterior{total.Log(), labels, e.Frames(), make([]float64, n), make([]float64, n)}
	for t := range e.Frames() {
		for j, x := range columns {
			if x.label < 0 {
				continue
			}
			at := x.label*e.Frames() + t
			p.held[at] += gamma[t*len(columns)+j]
			if x.first {
				p.first[at] += gamma[t*len(columns)+j]
			}
		}
	}
	if err := clamp.Probabilities(p.held); err != nil {
		return nil, err
	}
	return p, clamp.Probabilities(p.first)
}
