package forest_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// flat is a binary forest as a hand-written loop has it: leaves, then nodes with rows
// of edges; edge e has the tails left[e] and right[e].
type flat struct {
	leaves      int
	row         []int32
	left, right []int32
	weight      []float64
}

// binaryForest returns a random forest of a million edges, and the same for loops: 1000 leaves,
// then 10^5 nodes of 10 edges on average, with tails among all earlier nodes. The inside weight
// of each is between 1/2 and 3/2, so float64 suffices.
var binaryForest = sync.OnceValues(func() (*forest.Forest[semiring.ScaledFloat], flat) {
	const leaves, nodes, edges = 1000, 100_000, 1_000_000
	r := graphtest.Rand(1)
	l := flat{leaves: leaves, row: make([]int32, nodes+1)}
	for v := range nodes {
		l.row[1+v] = 1
	}
	for range edges - nodes {
		l.row[1+r.IntN(nodes)]++
	}
	edge, tail, tails := make([]int32, 0, leaves+nodes+1), []int32{}, []int32{}
	weight := make([]semiring.ScaledFloat, 0, leaves+edges)
	for v := range int32(leaves) {
		edge, tail = append(edge, v), append(tail, 0)
		weight = append(weight, semiring.NewScaled(1))
	}
	inside := make([]float64, leaves+nodes)
	for v := range inside {
		inside[v] = 1
	}
	for v := range int32(nodes) {
		edge = append(edge, leaves+l.row[v])
		degree := l.row[v+1]
		l.row[v+1] += l.row[v]
		sum := 0.0
		for range degree {
			x, y, w := r.Int32N(leaves+v), r.Int32N(leaves+v), 2*r.Float64()/float64(degree)
			sum += w
			w /= inside[x] * inside[y]
			l.left, l.right, l.weight = append(l.left, x), append(l.right, y), append(l.weight, w)
			tail, tails = append(tail, int32(len(tails))), append(tails, x, y)
		}
		inside[leaves+v] = .5 + r.Float64()
		for e := l.row[v]; e < l.row[v+1]; e++ {
			l.weight[e] *= inside[leaves+v] / sum
			weight = append(weight, semiring.NewScaled(l.weight[e]))
		}
	}
	edge, tail = append(edge, leaves+edges), append(tail, 2*edges)
	f, err := forest.New(semiring.Scaled{}, edge, tail, tails, weight,
		[]forest.Root[semiring.ScaledFloat]{{Node: leaves + nodes - 1, Weight: semiring.NewScaled(1)}})
	if err != nil {
		panic(err)
	}
	return f, l
})

func (l *flat) inside(x []float64) {
	for v := range l.leaves {
		x[v] = 1
	}
	for v := range len(l.row) - 1 {
		lo, hi := l.row[v], l.row[v+1]
		left, right, weight := l.left[lo:hi], l.right[lo:hi], l.weight[lo:hi]
		right, weight = right[:len(left)], weight[:len(left)]
		sum := 0.0
		for e, u := range left {
			sum += weight[e] * x[u] * x[right[e]]
		}
		x[l.leaves+v] = sum
	}
}

// outside adds up outside weights from the root, the last node; p takes the
// posteriors of edges if it is not nil.
func (l *flat) outside(out, x, p []float64) {
	clear(out)
	out[len(out)-1] = 1 / x[len(x)-1]
	for v := len(l.row) - 2; v >= 0; v-- {
		lo, hi := l.row[v], l.row[v+1]
		left, right, weight := l.left[lo:hi], l.right[lo:hi], l.weight[lo:hi]
		right, weight = right[:len(left)], weight[:len(left)]
		o := out[l.leaves+v]
		for e, i := range left {
			j, w := right[e], o*weight[e]
			out[i] += w * x[j]
			out[j] += w * x[i]
			if p != nil {
				p[int(lo)+e] = w * x[i] * x[j]
			}
		}
	}
}

func BenchmarkInside(b *testing.B) {
	f, l := binaryForest()
	b.Run("hand", func(b *testing.B) {
		x := make([]float64, f.NumNodes())
		defer benchtime.Per(b, f.NumEdges(), "edge")()
		for b.Loop() {
			l.inside(x)
		}
	})
	must(forest.Inside(f)) // what depends on topology alone is known from here on
	b.Run("scaled", func(b *testing.B) {
		defer benchtime.Per(b, f.NumEdges(), "edge")()
		for b.Loop() {
			must(forest.Inside(f))
		}
	})
	real := forest.Map(f, semiring.Real{}, semiring.ScaledFloat.Float64)
	b.Run("real", func(b *testing.B) {
		defer benchtime.Per(b, f.NumEdges(), "edge")()
		for b.Loop() {
			must(forest.Inside(real))
		}
	})
}

func BenchmarkOutside(b *testing.B) {
	f, l := binaryForest()
	b.Run("hand", func(b *testing.B) {
		x, out := make([]float64, f.NumNodes()), make([]float64, f.NumNodes())
		defer benchtime.Per(b, f.NumEdges(), "edge")()
		for b.Loop() {
			l.inside(x)
			l.outside(out, x, nil)
		}
	})
	if _, _, err := forest.Outside(f); err != nil {
		b.Fatal(err)
	}
	b.Run("scaled", func(b *testing.B) {
		defer benchtime.Per(b, f.NumEdges(), "edge")()
		for b.Loop() {
			if _, _, err := forest.Outside(f); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPosteriors(b *testing.B) {
	f, l := binaryForest()
	b.Run("hand", func(b *testing.B) {
		x, out, p := make([]float64, f.NumNodes()), make([]float64, f.NumNodes()), make([]float64, len(l.weight))
		defer benchtime.Per(b, f.NumEdges(), "edge")()
		for b.Loop() {
			l.inside(x)
			l.outside(out, x, p)
		}
	})
	if _, err := forest.Posteriors(f); err != nil {
		b.Fatal(err)
	}
	b.Run("scaled", func(b *testing.B) {
		defer benchtime.Per(b, f.NumEdges(), "edge")()
		for b.Loop() {
			if _, err := forest.Posteriors(f); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBestTrees enumerates the 10^5 best trees of a parse forest: spans of 30
// words, five nonterminals, every split of a span into two.
func BenchmarkBestTrees(b *testing.B) {
	const words, kinds, trees = 30, 5, 100_000
	r := graphtest.Rand(1)
	var edge, tail, tails []int32
	var weight []semiring.Cost
	node := func(from, to, kind int) int32 { // spans in order of their ends, then short to long
		return int32((to*(to-1)/2+to-1-from)*kinds + kind)
	}
	for to := 1; to <= words; to++ {
		for from := to - 1; from >= 0; from-- {
			for range kinds {
				edge = append(edge, int32(len(weight)))
				if from == to-1 {
					tail, weight = append(tail, int32(len(tails))), append(weight, semiring.Cost(r.Float64()))
				}
				for split := from + 1; split < to; split++ {
					tail, weight = append(tail, int32(len(tails))), append(weight, semiring.Cost(r.Float64()))
					tails = append(tails, node(from, split, r.IntN(kinds)), node(split, to, r.IntN(kinds)))
				}
			}
		}
	}
	edge, tail = append(edge, int32(len(weight))), append(tail, int32(len(tails)))
	f, err := forest.New(semiring.Tropical{}, edge, tail, tails, weight,
		[]forest.Root[semiring.Cost]{{Node: node(0, words, 0)}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/trees, "ns/tree")
	}()
	for b.Loop() {
		best, err := forest.BestTrees(f)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for range best {
			if n++; n == trees {
				break
			}
		}
		if n < trees {
			b.Fatalf("%d trees", n)
		}
	}
}

// ladder returns a forest of n cycles, one above the other, of size nodes each: every node
// is derived from the next ones of its cycle, by two edges of two tails and one of one, and
// from the cycle below or from nothing.
func ladder(tb testing.TB, n, size int) *forest.Forest[semiring.ScaledFloat] {
	tb.Helper()
	edge, tail, tails, weight := []int32{0, 1}, []int32{0, 0}, []int32{}, []semiring.ScaledFloat{semiring.NewScaled(1)}
	add := func(w float64, nodes ...int) {
		for _, u := range nodes {
			tails = append(tails, int32(u))
		}
		tail, weight = append(tail, int32(len(tails))), append(weight, semiring.NewScaled(w))
	}
	for c := range n {
		first := 1 + c*size
		for i := range size {
			next, second := first+(i+1)%size, first+(i+2)%size
			add(.2, next, second)
			add(.1, next, next)
			add(.2, next)
			add(.4)
			add(.1, max(0, first-size))
			edge = append(edge, int32(len(weight)))
		}
	}
	f, err := forest.New(semiring.Scaled{}, edge, tail, tails, weight, []forest.Root[semiring.ScaledFloat]{{Node: int32(n * size), Weight: semiring.NewScaled(1)}})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// Nanoseconds per edge of forests that consist of cycles.
func BenchmarkCycles(b *testing.B) {
	for _, size := range []int{1, 4, 64, 1024} {
		f := ladder(b, 4096/size, size)
		for name, ask := range map[string]func() error{
			"Inside":     func() error { _, err := forest.Inside(f); return err },
			"Posteriors": func() error { _, err := forest.Posteriors(f); return err },
		} {
			b.Run(fmt.Sprintf("%s/size=%d", name, size), func(b *testing.B) {
				for b.Loop() {
					if err := ask(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(f.NumEdges()), "ns/edge")
			})
		}
	}
}

// BenchmarkCKY times the rules of CKY, and passes over the forest that they build, beside
// loops over a chart that do the same: a sentence of 35 words, 20 nonterminals, 400 binary
// rules.
func BenchmarkCKY(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	g := randomCNF(r, 20, 50, 1, 0, 400)
	words := sentence(r, 35, 50)
	d := g.deduction()
	c, err := g.parse(d, words)
	if err != nil {
		b.Fatal(err)
	}
	scaled := forest.Map(c.Forest, semiring.Scaled{}, semiring.NewScaled)
	total, l := must(forest.TreeSum(c.Forest)), newLoops(g).inside(words)
	for _, x := range []struct {
		name string
		run  func() error
	}{
		{"build/again", func() error {
			_, err := g.parse(d, words)
			return err
		}},
		{"build/first", func() error {
			_, err := g.parse(g.deduction(), words)
			return err
		}},
		{"inside/loops", func() error { return l.inside(words).check(total) }},
		{"inside/Real", func() error { return l.check(must(forest.TreeSum(c.Forest))) }},
		{"inside/Scaled", func() error { return l.check(must(forest.TreeSum(scaled)).Float64()) }},
		{"posteriors/loops", func() error {
			l.inside(words).outside()
			return l.check(total)
		}},
		{"posteriors/Real", func() error {
			_, err := forest.Posteriors(c.Forest)
			return err
		}},
		{"posteriors/Scaled", func() error {
			_, err := forest.Posteriors(scaled)
			return err
		}},
	} {
		b.Run(x.name, func(b *testing.B) {
			defer benchtime.Per(b, c.Forest.NumEdges(), "edge")()
			for b.Loop() {
				if err := x.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDeductionAfterLongRun times runs of a thousand items after one of a million.
func BenchmarkDeductionAfterLongRun(b *testing.B) {
	for _, long := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprint(long), func(b *testing.B) {
			last := long
			d := fibonacci(&last)
			runFibonacci(b, d, last)
			last = 1000
			defer benchtime.Per(b, last, "item")()
			for b.Loop() {
				runFibonacci(b, d, last)
			}
		})
	}
}

// loops is CKY by hand: a flat chart, a flat list of rules.
type loops struct {
	n, x    int // words and nonterminals
	lexical [][]float64
	rules   []struct {
		a, b, c int
		p       float64
	}
	in, out []float64 // [i][j][x]
	count   []float64 // by rule
}

func newLoops(g *cnf) *loops {
	l := &loops{x: len(g.lexical), lexical: g.lexical}
	for b := range g.binary {
		for c, rules := range g.binary[b] {
			for _, r := range rules {
				l.rules = append(l.rules, struct {
					a, b, c int
					p       float64
				}{int(r.parent), b, c, r.p})
			}
		}
	}
	return l
}

func (l *loops) at(chart []float64, i, j int) []float64 {
	begin := (i*(l.n+1) + j) * l.x
	return chart[begin : begin+l.x]
}

func (l *loops) inside(words []int) *loops {
	l.n = len(words)
	l.in = make([]float64, l.n*(l.n+1)*l.x)
	for i, w := range words {
		for x, p := range l.lexical {
			l.at(l.in, i, i+1)[x] = p[w]
		}
	}
	for width := 2; width <= l.n; width++ {
		for i := 0; i+width <= l.n; i++ {
			a := l.at(l.in, i, i+width)
			for k := i + 1; k < i+width; k++ {
				b, c := l.at(l.in, i, k), l.at(l.in, k, i+width)
				for r := range l.rules {
					rule := &l.rules[r]
					a[rule.a] += rule.p * b[rule.b] * c[rule.c]
				}
			}
		}
	}
	return l
}

func (l *loops) outside() {
	l.out = make([]float64, len(l.in))
	l.count = make([]float64, len(l.rules))
	l.at(l.out, 0, l.n)[0] = 1 / l.at(l.in, 0, l.n)[0]
	for width := l.n; width >= 2; width-- {
		for i := 0; i+width <= l.n; i++ {
			a := l.at(l.out, i, i+width)
			for k := i + 1; k < i+width; k++ {
				b, c := l.at(l.in, i, k), l.at(l.in, k, i+width)
				outB, outC := l.at(l.out, i, k), l.at(l.out, k, i+width)
				for r := range l.rules {
					rule := &l.rules[r]
					w := a[rule.a] * rule.p
					left, right := b[rule.b], c[rule.c]
					outB[rule.b] += w * right
					outC[rule.c] += w * left
					l.count[r] += w * left * right
				}
			}
		}
	}
}

// check compares another total with the total of the chart.
func (l *loops) check(total float64) error {
	if z := l.at(l.in, 0, l.n)[0]; !agrees(total, z) {
		return fmt.Errorf("total %v, want %v", total, z)
	}
	return nil
}
