package batch_test

import (
	"math"
	"testing"

	"example.org/pathsum/internal/benchdata"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/graph"
)

// handles is the ring of the handles of pairs, as far as Append needs one: 0 is
// Zero, 1 is One.
type handles = sumtest.Handles

func readPairs(tb testing.TB) [][2][]int32 {
	lines := benchdata.Strings(tb, "pairs.txt")
	var pairs [][2][]int32
	for i := 0; i+1 < len(lines); i += 2 {
		pairs = append(pairs, [2][]int32{lines[i], lines[i+1]})
	}
	return pairs
}

// edits is the handle of the edit a:c, 0 being the empty string.
func edits(a, c int32) int32 { return 27*a + c + 1 }

// editLattice is the graph of all edit sequences that make y of x.
func editLattice(tb testing.TB, x, y []int32) *graph.Graph[int32] {
	n, m := len(x), len(y)
	row, to, weight := []int32{0}, []int32{}, []int32{}
	at := func(i, j int) int32 { return int32(i*(m+1) + j) }
	for i := 0; i <= n; i++ {
		for j := 0; j <= m; j++ {
			if i < n {
				to, weight = append(to, at(i+1, j)), append(weight, edits(x[i], 0))
			}
			if j < m {
				to, weight = append(to, at(i, j+1)), append(weight, edits(0, y[j]))
			}
			if i < n && j < m {
				to, weight = append(to, at(i+1, j+1)), append(weight, edits(x[i], y[j]))
			}
			row = append(row, int32(len(to)))
		}
	}
	final := make([]int32, len(row)-1)
	final[len(final)-1] = 1
	g, err := graph.New(handles{}, row, to, weight, []graph.Start[int32]{{State: 0, Weight: 1}}, final)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func pairBatch(tb testing.TB) *batch.Batch {
	var b batch.Batch
	for _, p := range readPairs(tb) {
		if ok, err := batch.AppendGraph(&b, editLattice(tb, p[0], p[1])); !ok || err != nil {
			tb.Fatal(ok, err)
		}
	}
	return b.Clone()
}

func TestPairsKnownAnswer(t *testing.T) {
	if !benchdata.DefaultSeed(t) {
		t.Skip("the inputs are not of the default seed")
	}
	b := pairBatch(t)
	theta := make([]float64, 731)
	for i := range theta {
		theta[i] = 1. / 728
	}
	table := make([]semiring.ScaledFloat, len(theta))
	count := make([]float64, len(theta))
	var scratch batch.Scratch
	want := map[int]float64{0: -594525.740745671, 9: -405809.066198}
	for iteration := range 10 {
		for k, x := range theta {
			table[k] = semiring.NewScaled(x)
		}
		table[0], table[1] = semiring.ScaledFloat{}, semiring.NewScaled(1)
		clear(count)
		logL := 0.0
		for g := range b.Len() {
			total, err := b.Counts(g, table, 1, count, &scratch)
			if err != nil {
				t.Fatal(err)
			}
			logL += total.Log()
		}
		if w, ok := want[iteration]; ok && math.Abs(logL/w-1) > 1e-11 {
			t.Errorf("iteration %d: ln L = %.9f, want %.9f", iteration, logL, w)
		}
		sum := 0.0
		for _, c := range count[2:] {
			sum += c
		}
		for k := range theta {
			theta[k] = count[k] / sum
		}
	}
}

func BenchmarkBatchPairs(b *testing.B) {
	items := pairBatch(b)
	table := make([]semiring.ScaledFloat, 731)
	for k := range table {
		table[k] = semiring.NewScaled(1. / 728)
	}
	table[0], table[1] = semiring.ScaledFloat{}, semiring.NewScaled(1)
	count := make([]float64, len(table))
	var scratch batch.Scratch
	b.ReportAllocs()
	defer perArc(b, items.NumEdges())()
	for b.Loop() {
		for g := range items.Len() {
			items.Counts(g, table, 1, count, &scratch)
		}
	}
}

func BenchmarkAppendPairs(b *testing.B) {
	var lattices []*graph.Graph[int32]
	arcs := 0
	for _, p := range readPairs(b)[:32] { // few, as a machine just expanded is in the cache
		g := editLattice(b, p[0], p[1])
		lattices, arcs = append(lattices, g), arcs+g.NumArcs()
	}
	var items batch.Batch
	b.ReportAllocs()
	defer perArc(b, arcs)()
	for b.Loop() {
		items.Reset()
		for _, g := range lattices {
			batch.AppendGraph(&items, g)
		}
	}
}

// cipherLattice is the graph of all decipherments of a line under a bigram model: a
// state per position and letter, and an arc to every letter of the next position,
// with its own weight for every pair of letters and enciphered letter.
func cipherLattice(tb testing.TB, line []int32) *graph.Graph[int32] {
	const letters = 26
	handle := func(a, b, c int32) int32 { return 2 + (a*(letters+1)+b)*letters + c }
	row, to, weight := []int32{0}, []int32{}, []int32{}
	add := func(a, first int32, c int32) {
		for b := range int32(letters) {
			to, weight = append(to, first+b), append(weight, handle(a, b, c))
		}
		row = append(row, int32(len(to)))
	}
	add(letters, 1, line[0]-1)
	for i := 1; i < len(line); i++ {
		for a := range int32(letters) {
			add(a, int32(1+letters*i), line[i]-1)
		}
	}
	final := make([]int32, len(row)-1+letters)
	for a := range int32(letters) {
		row = append(row, int32(len(to)))
		final[len(final)-letters+int(a)] = handle(a, letters, 0)
	}
	g, err := graph.New(handles{}, row, to, weight, []graph.Start[int32]{{State: 0, Weight: 1}}, final)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func BenchmarkBatchCipher(b *testing.B) {
	var items batch.Batch
	for _, line := range benchdata.Strings(b, "cipher.txt") {
		if len(line) == 0 || items.Len() == 64 {
			continue
		}
		if ok, err := batch.AppendGraph(&items, cipherLattice(b, line)); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
	r := graphtest.Rand(1)
	table := make([]semiring.ScaledFloat, 2+27*27*26)
	for k := range table {
		table[k] = semiring.NewScaled(r.Float64() / 26)
	}
	count := make([]float64, len(table))
	var scratch batch.Scratch
	b.ReportAllocs()
	defer perArc(b, items.NumEdges())()
	for b.Loop() {
		for g := range items.Len() {
			items.Counts(g, table, 1, count, &scratch)
		}
	}
}
