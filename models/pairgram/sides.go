package pairgram

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// Sources returns the transducer from sources to the numbers of chunks: it reads a string and
// writes each sequence of chunks whose sources it is, once and with weight 1. A chunk's number
// comes with its last symbol; one without a source writes where it is, as often as it likes.
//
// It is for models of one side of the chunks. Under cascade.Conditional it is p(chunks | source), a
// cascade with Targets turned round, by FST.Inverse, then writes targets. Two directions meet in
// the chunks, which agree.Exact trains them to agree on. O(symbols of the chunks) states and arcs.
func (c *Chunks) Sources() *fst.FST[float64] {
	return c.side(func(x Chunk) []int32 { return x.Source })
}

// Targets returns the transducer from targets to the numbers of chunks: Sources for the other
// side.
func (c *Chunks) Targets() *fst.FST[float64] {
	return c.side(func(x Chunk) []int32 { return x.Target })
}

// side returns the transducer from what chunks have on a side to their numbers: a trie, from whose
// ends it goes on at the root.
func (c *Chunks) side(of func(Chunk) []int32) *fst.FST[float64] {
	b := fst.NewBuilder(semiring.Real{})
	root := b.AddState()
	b.AddStart(root, 1)
	b.SetFinal(root, 1)
	type step struct{ from, symbol int32 }
	inside := map[step]int32{}
	for i, x := range c.all {
		end := fst.Arc[float64]{Out: int32(i + 1), To: root, Weight: 1}
		at := root
		if s := of(x); len(s) > 0 {
			last := len(s) - 1
			for _, symbol := range s[:last] {
				next, ok := inside[step{at, symbol}]
				if !ok {
					next = b.AddState()
					inside[step{at, symbol}] = next
					b.AddArc(at, fst.Arc[float64]{In: symbol, To: next, Weight: 1})
				}
				at = next
			}
			end.In = s[last]
		}
		b.AddArc(at, end)
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err.Error()) // 2³¹ symbols; those of chunks are positive
	}
	return f
}
