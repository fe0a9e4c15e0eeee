package batch_test

import (
	"math"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
)

// chart is the forest of all binary trees over a sentence, with symbols for the nodes
// and a weight for every rule A → B C and every A → word.
func chart(length, symbols int, word func(position int) int32) *forest.Forest[int32] {
	edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []int32{}
	first := make([][]int32, length+1) // node of span (i, j) and symbol 0
	for i := range first {
		first[i] = make([]int32, length+1)
	}
	rule := func(a, b, c int) int32 { return int32(2 + (a*symbols+b)*symbols + c) }
	lexicon := rule(symbols, 0, 0)
	for width := 1; width <= length; width++ {
		for i := 0; i+width <= length; i++ {
			j := i + width
			first[i][j] = int32(len(edge) - 1)
			for a := range symbols {
				if width == 1 {
					tail, weight = append(tail, int32(len(tails))), append(weight, lexicon+word(i)*int32(symbols)+int32(a))
				}
				for k := i + 1; k < j; k++ {
					for b := range symbols {
						for c := range symbols {
							tails = append(tails, first[i][k]+int32(b), first[k][j]+int32(c))
							tail, weight = append(tail, int32(len(tails))), append(weight, rule(a, b, c))
						}
					}
				}
				edge = append(edge, int32(len(weight)))
			}
		}
	}
	f, err := forest.New(handles{}, edge, tail, tails, weight, []forest.Root[int32]{{Node: first[0][length], Weight: 1}})
	if err != nil {
		panic(err)
	}
	return f
}

// BenchmarkBatchCharts counts the rules in the charts of sentences of 20 words.
func BenchmarkBatchCharts(b *testing.B) {
	const symbols, words = 4, 50
	r := graphtest.Rand(1)
	var items batch.Batch
	var forests []*forest.Forest[int32]
	for range 16 {
		f := chart(20, symbols, func(int) int32 { return r.Int32N(words) })
		forests = append(forests, f)
		batch.AppendForest(&items, f)
	}
	numbers := make([]float64, 2+symbols*symbols*symbols+symbols*words)
	table := make([]semiring.ScaledFloat, len(numbers))
	for k := range table {
		numbers[k] = r.Float64() / 16
		table[k] = semiring.NewScaled(numbers[k])
	}
	numbers[1], table[1] = 1, semiring.NewScaled(1)
	count := make([]float64, len(table))
	var scratch batch.Scratch
	run := func(name string, pass func()) {
		b.Run(name, func(b *testing.B) {
			pass() // scratch grows
			b.ReportAllocs()
			defer benchtime.Per(b, items.NumEdges(), "edge")()
			for b.Loop() {
				pass() // a loop in here would be slowed down by b.Loop
			}
		})
	}
	run("Counts", func() {
		for g := range items.Len() {
			items.Counts(g, table, 1, count, &scratch)
		}
	})
	var flat []*flatForest
	for _, f := range forests {
		flat = append(flat, flatten(f))
	}
	total, _ := items.Counts(0, table, 1, count, &scratch)
	if got := flat[0].counts(numbers, count); math.Abs(got/total.Float64()-1) > 1e-11 {
		b.Errorf("total %v by hand, %v otherwise", got, total)
	}
	run("Counts/hand", func() {
		for _, f := range flat {
			f.counts(numbers, count)
		}
	})
	var tree []int32
	run("BestTree", func() {
		for g := range items.Len() {
			tree, _, _ = items.Best(g, table, tree[:0], &scratch)
		}
	})
	var again batch.Batch
	run("Append", func() {
		again.Reset()
		for _, f := range forests {
			batch.AppendForest(&again, f)
		}
	})
}

// flatForest is a chart for the textbook inside and outside passes in float64, which
// sentences of some hundred words would underflow.
type flatForest struct {
	edge, k, left, right []int32
	root                 int32
	inside, outside      []float64
}

func flatten(f *forest.Forest[int32]) *flatForest {
	n := int32(f.NumNodes()) // stands for a missing tail
	h := &flatForest{edge: f.Edges(), k: f.Weights(), root: f.Roots()[0].Node, inside: make([]float64, n+1), outside: make([]float64, n+1)}
	for e := range int32(f.NumEdges()) {
		tails := append(append([]int32(nil), f.Tails(e)...), n, n)
		h.left, h.right = append(h.left, tails[0]), append(h.right, tails[1])
	}
	return h
}

func (h *flatForest) counts(table, count []float64) float64 {
	x, out := h.inside, h.outside
	last := len(x) - 2
	x[last+1] = 1
	for v := range last + 1 {
		lo, hi := h.edge[v], h.edge[v+1]
		k, left, right := h.k[lo:hi], h.left[lo:hi], h.right[lo:hi]
		sum := 0.0
		for e := range k {
			sum += table[k[e]] * x[left[e]] * x[right[e]]
		}
		x[v] = sum
	}
	clear(out)
	out[h.root] = 1 / x[h.root]
	for v := last; v >= 0; v-- {
		lo, hi := h.edge[v], h.edge[v+1]
		k, left, right := h.k[lo:hi], h.left[lo:hi], h.right[lo:hi]
		for e := range k {
			l, r := left[e], right[e]
			w := out[v] * table[k[e]]
			out[l] += w * x[r]
			out[r] += w * x[l]
			count[k[e]] += w * x[l] * x[r]
		}
	}
	return x[h.root]
}
