package merge

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
)

// Tree returns the prefix tree acceptor of strings of labels > 0: every prefix is a state. The
// weight of an arc or final state is the number of strings that use it. The error wraps
// fst.ErrInvalid for other labels and contains the string's index and the position. Tree takes
// time in proportion to the number of labels.
func Tree(strings [][]int32) (*fst.FST[float64], error) {
	type step struct{ from, label int32 }
	child := map[step]int32{}
	b := fst.NewBuilder(real)
	root := b.AddState()
	arcs := []fst.Arc[float64]{{}} // into every state
	from, final := []int32{-1}, []float64{0}
	for i, s := range strings {
		here := root
		for k, l := range s {
			if l <= 0 {
				return nil, nested.Errorf("merge: Tree: %w: string %d has the label %d at position %d, want labels > 0", fst.ErrInvalid, i, l, k)
			}
			next, ok := child[step{here, l}]
			if !ok {
				next = b.AddState()
				child[step{here, l}] = next
				arcs = append(arcs, fst.Arc[float64]{In: l, Out: l, To: next})
				from, final = append(from, here), append(final, 0)
			}
			arcs[next].Weight++
			here = next
		}
		final[here]++
	}
	b.AddStart(root, 1)
	for s := range arcs[1:] {
		b.AddArc(from[s+1], arcs[s+1])
	}
	for s, w := range final {
		b.SetFinal(int32(s), w)
	}
	return b.Freeze()
}
