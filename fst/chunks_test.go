package fst_test

import (
	"math"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
)

// A machine that fills several chunks of arcs, with labels of all widths in turn, has
// them all after expansion, also in an arena that is used again.
func TestExpandManyArcs(t *testing.T) {
	arena := fst.NewArena(reals)
	for _, arcs := range []int{8191, 8192, 8193, 3 * 8192, 40_000} {
		r := fsttest.Rand(uint64(arcs))
		b := fst.NewBuilder(reals)
		n := int32(arcs / 10)
		b.AddStates(int(n))
		b.AddStart(0, 1)
		b.SetFinal(n-1, 1)
		top := []int32{math.MaxUint8, math.MaxUint8 + 1, math.MaxUint16, math.MaxUint16 + 1, math.MaxInt32}
		for i := range arcs {
			s := int32(i) % n
			a := fst.Arc[float64]{In: r.Int32N(100), Out: r.Int32N(1000), To: r.Int32N(s + 1), Weight: r.Float64()}
			if i < int(n)-1 {
				a.To = s + 1 // every state is met, in this order
			}
			if r.IntN(10_000) == 0 {
				a.In, a.Out = top[r.IntN(len(top))], top[r.IntN(len(top))]
			}
			b.AddArc(s, a)
		}
		f := must(b.Freeze())(t)
		opaque := fsttest.Opaque[float64]{Machine: f}
		arena.Reset()
		for what, g := range map[string]*fst.FST[float64]{
			"frozen": must(fst.Expand(f, nil))(t), "opaque": must(fst.Expand(opaque, nil))(t),
			"arena": must(arena.Expand(opaque, nil))(t),
		} {
			if same, err := fst.Equal(f, g, nil); err != nil || !same || g.NumArcs() != arcs {
				t.Errorf("%d arcs, %s: %d arcs, equal is %v (%v)", arcs, what, g.NumArcs(), same, err)
			}
		}
	}
}
