package batch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
)

// lanesScratch is working storage for queries of one lane.
type lanesScratch struct {
	batch.LanesScratch
	multiplicity []float64
	count        [][]float64
	total        []semiring.ScaledFloat
}

// room makes room for n lanes.
func (s *lanesScratch) room(n int) {
	if len(s.total) == n {
		return
	}
	s.multiplicity, s.total = make([]float64, n), make([]semiring.ScaledFloat, n)
	s.count = make([][]float64, tableSize)
	for k := range s.count {
		s.count[k] = make([]float64, n)
	}
}

// mostLeaves have an entry of the table, from tableSize on.
const mostLeaves = 4

// lanes returns how to make a Lanes, of which one lane answers: by Counts, or by
// CountsByLane. The others have values of all magnitudes, and many zeros.
func lanes(byLane bool) func(r *rand.Rand, size int) (*sumtest.Machine[lanesScratch], bool) {
	return func(r *rand.Rand, size int) (*sumtest.Machine[lanesScratch], bool) {
		f, n := handleForest(r, size), 1+r.IntN(5)
		if r.IntN(50) == 0 {
			n += 300
		}
		lane := r.IntN(n)
		var leaves []int32
		for v := range int32(f.NumNodes()) {
			if f.Edges()[v] == f.Edges()[v+1] && len(leaves) < mostLeaves {
				leaves = append(leaves, v)
			}
		}
		r.Shuffle(len(leaves), func(i, j int) { leaves[i], leaves[j] = leaves[j], leaves[i] })
		l := must(batch.NewLanes(f, leaves))
		leaf := make([][]float64, len(leaves))
		for i := range leaf {
			leaf[i] = make([]float64, n)
			for j := range leaf[i] {
				leaf[i][j] = math.Exp2(1000*(2*r.Float64()-1)) * float64(r.IntN(4)/2)
			}
		}
		ways := func() ([][]int32, bool) {
			return sumtest.Trees(f, func(v int32) int32 {
				if i := slices.Index(leaves, v); i >= 0 {
					return int32(tableSize + i)
				}
				return 0
			}, 1000, most)
		}
		var table []semiring.ScaledFloat
		m := &sumtest.Machine[lanesScratch]{
			Ways: ways,
			Weigh: func(t []semiring.ScaledFloat) error {
				table = t[:tableSize]
				for i := range leaf {
					leaf[i][lane] = t[tableSize+i].Float64()
				}
				return nil
			},
			Sum: func(s *lanesScratch) (semiring.ScaledFloat, error) {
				s.room(n)
				err := l.TreeSums(table, leaf, 0, n, s.total, &s.LanesScratch)
				return s.total[lane], err
			},
			Counts: func(weight float64, count []float64, s *lanesScratch) (semiring.ScaledFloat, error) {
				s.room(n)
				s.multiplicity[lane] = weight
				err := l.Counts(table, leaf, 0, n, s.multiplicity, count[:tableSize], s.total, &s.LanesScratch)
				s.multiplicity[lane] = 0
				return s.total[lane], err
			},
		}
		if byLane {
			m.Counts = func(weight float64, count []float64, s *lanesScratch) (semiring.ScaledFloat, error) {
				s.room(n)
				for k := range s.count {
					clear(s.count[k])
				}
				err := l.CountsByLane(table, leaf, 0, n, s.count, s.total, &s.LanesScratch)
				for k := range s.count {
					count[k] += weight * s.count[k][lane]
				}
				return s.total[lane], err
			}
		}
		list, ok := ways()
		return m, len(list) > 0 || !ok
	}
}

func checkLanes(t *testing.T, byLane bool) {
	sumtest.Check(t, sumtest.Storage[lanesScratch]{
		New: lanes(byLane), Small: 7, Large: 14, Entries: tableSize + mostLeaves, Counted: tableSize,
		Negative: semiring.ErrNegative, Undefined: true,
	})
}

func TestLanes(t *testing.T)        { checkLanes(t, false) }
func TestCountsByLane(t *testing.T) { checkLanes(t, true) }
