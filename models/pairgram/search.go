package pairgram

import (
	"math"

	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// search is the lazy machine x ∘ C ∘ N of a source x, the chunks and their n-gram model:
// its states are the number of symbols read, the number of insertions since the last of
// them, and the context. In and Out of an arc are the chunk. It leaves out arcs that are
// worse than the best one out of their state by more than margin. A beam would drop most of
// them at once: insertions above all, which have layers of their own.
//
// fst.Compose of the three has the same paths where nothing is left out. It asks the n-grams
// chunk by chunk, not for all chunks with the same source, and cannot leave out arcs.
type search struct {
	*Model
	length     int // of x
	source     pieces
	insertions int
	margin     float64

	places places // layers, which order states by the symbols read and then by insertions
	next   []ngram.Successor
	groups []group
}

// set makes s the machine of x, in the storage that it has.
func (s *search) set(m *Model, o *PredictorOptions, x []int32) {
	s.Model, s.length, s.insertions, s.margin = m, len(x), o.Insertions, o.Margin
	s.source.reach = 0
	for _, size := range m.chunks.sizes {
		s.source.reach = max(s.source.reach, size.Source)
	}
	s.source.read(x, m.chunks.source.find)
	s.places.Reset()
}

// Semiring, AppendStarts, Final and AppendArcs implement graph.Implicit.
func (s *search) Semiring() semiring.Semiring[semiring.ScaledFloat] { return semiring.Scaled{} }

func (s *search) AppendStarts(dst []graph.Start[semiring.ScaledFloat]) []graph.Start[semiring.ScaledFloat] {
	return append(dst, graph.Start[semiring.ScaledFloat]{State: s.places.enter(0, s.grams.Start()), Weight: semiring.NewScaled(1)})
}

func (s *search) Final(state int32) semiring.ScaledFloat {
	layer, context := s.places.place(state)
	if s.stage(int(layer)) < s.length {
		return semiring.ScaledFloat{}
	}
	return history{s.grams}.End(context)
}

func (s *search) AppendArcs(dst []graph.Arc[semiring.ScaledFloat], state int32) []graph.Arc[semiring.ScaledFloat] {
	at, context := s.places.place(state)
	each := int32(s.insertions + 1) // layers for each symbol
	read := int(at / each)
	s.next, s.groups = s.next[:0], s.groups[:0]
	// The best chunk mostly reads something: what is far behind it need not be collected.
	for a := min(s.source.reach, s.length-read); a >= 0; a-- {
		layer := int32(read+a) * each
		if a == 0 {
			if layer = at + 1; layer%each == 0 {
				continue
			}
		}
		from := read
		if s.reversed {
			from = s.length - read - a
		}
		if piece := s.source.at(from, a); piece >= 0 && s.ranges[piece].lo < s.ranges[piece].hi {
			s.next = s.grams.AppendSuccessors(s.next, context, s.ranges[piece].lo, s.ranges[piece].hi, s.margin)
			s.groups = append(s.groups, group{layer, len(s.next)})
		}
	}
	least := math.Inf(-1)
	for _, n := range s.next {
		least = max(least, n.LogProb-s.margin)
	}
	i := 0
	for _, g := range s.groups {
		for ; i < g.end; i++ {
			if n := &s.next[i]; n.LogProb >= least && !math.IsInf(n.LogProb, -1) {
				dst = append(dst, graph.Arc[semiring.ScaledFloat]{
					In: n.Symbol, Out: n.Symbol, To: s.places.enter(g.layer, n.Next), Weight: semiring.ScaledFromLog(n.LogProb),
				})
			}
		}
	}
	return dst
}

// group is the successors, up to number end, that lead to a layer.
type group struct {
	layer int32
	end   int
}

// layer returns the layer of a state.
func (s *search) layer(state int32) int {
	layer, _ := s.places.place(state)
	return int(layer)
}

// stage returns the number of symbols that were read in a layer.
func (s *search) stage(layer int) int { return layer / (s.insertions + 1) }
