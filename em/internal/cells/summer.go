package cells

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// tapeSummer is the summer of a tape.
type tapeSummer struct {
	*tape
	steps   []int32
	trellis trellis.Trellis
	scratch trellis.Scratch
	path    []int32
	uses    trellis.Uses // of the cells
	// Per block, or nil if not needed: derivatives of uses, and uses on best paths.
	curvature, counts [][]float64
	counted           []bool // per block: whether some count is nonzero
}

// single is the start and the end weight of all paths.
var single = []semiring.ScaledFloat{{Mant: 1}}

func (s *tapeSummer) Sum(x Strings, weight float64, best bool) (total semiring.ScaledFloat, arcs int64, err error) {
	var ok bool
	if s.steps, ok = s.tape.steps(s.steps[:0], x); !ok {
		return total, 0, nil
	}
	t := &s.trellis
	if err := t.Reset(single, s.blocks, s.steps, nil, nil); err != nil {
		return total, 0, err
	}
	switch {
	case best:
		total, err = s.best(weight)
	case len(s.tangents) > 0:
		s.room(s.curvature)
		if _, err = t.HessianVector(trellis.Parts{Block: s.tangents}, weight, trellis.Parts{Block: s.curvature}, &s.scratch); err != nil {
			break
		}
		fallthrough
	default:
		total, err = s.uses.Counts(t, weight, trellis.Parts{}, &s.scratch)
	}
	return total, int64(t.NumArcs()), err
}

// best counts the cells of the best path.
func (s *tapeSummer) best(weight float64) (total semiring.ScaledFloat, err error) {
	s.path, total, err = s.trellis.BestPath(s.path[:0], &s.scratch)
	if err != nil || total.IsZero() {
		return total, err
	}
	s.room(s.counts)
	for n, b := range s.steps {
		s.counted[b] = true
		s.counts[b][s.place[b].cell(s.path[n], s.path[n+1])] += weight
	}
	return total, nil
}

// room allocates zeros for the blocks of the steps that have no vector yet.
func (s *tapeSummer) room(x [][]float64) {
	for _, b := range s.steps {
		if x[b] == nil {
			x[b] = make([]float64, s.blocks[b].NumCells())
		}
	}
}

func (s *tapeSummer) Drain(run Run) {
	at := func(b int) int32 { return int32(s.place[b].first) }
	for b, counted := range s.counted {
		if counted {
			run(at(b), s.counts[b], nil)
			clear(s.counts[b])
		}
	}
	clear(s.counted)
	s.uses.Drain(func(b int, counts []float64) {
		if len(s.tangents) == 0 {
			run(at(b), counts, nil)
			return
		}
		run(at(b), counts, s.curvature[b])
		clear(s.curvature[b])
	})
}

func (s *tapeSummer) Relates(x Strings) bool {
	var ok bool
	if s.steps, ok = s.tape.steps(s.steps[:0], x); !ok {
		return false
	}
	if err := s.trellis.Reset(single, s.related(), s.steps, nil, nil); err != nil {
		panic(fmt.Sprintf("cells: a trellis that was made once: %v", err))
	}
	return !s.trellis.PathSum(&s.scratch).IsZero()
}
