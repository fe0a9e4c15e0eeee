package batch_test

import (
	"fmt"
	"math"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
)

const bases = 4

// phylogeny is a random binary tree of taxa: nodes 0, …, taxa−1 are the taxa, the
// others have two children each, the last one is the root. The branch above node v has
// the substitution matrix p[v].
type phylogeny struct {
	taxa     int
	children [][2]int // of node taxa+i
	p        [][bases][bases]float64
	prior    [bases]float64
}

func randomPhylogeny(taxa int) *phylogeny {
	r := graphtest.Rand(1)
	t := &phylogeny{taxa: taxa, p: make([][bases][bases]float64, 2*taxa-1), prior: [bases]float64{.3, .2, .2, .3}}
	open := r.Perm(taxa)
	for len(open) > 1 {
		// Join two of those that have waited longest, as a tree of little depth does.
		i := 1 + r.IntN(min(4, len(open)-1))
		a, b := open[0], open[i]
		open[i] = open[1]
		open = append(open[2:], taxa+len(t.children))
		t.children = append(t.children, [2]int{a, b})
	}
	for v := range t.p {
		stay := math.Exp(-.2 * r.Float64()) // Jukes and Cantor 1969
		for a := range bases {
			for b := range bases {
				t.p[v][a][b] = (1 - stay) / bases
			}
			t.p[v][a][a] += stay
		}
	}
	return t
}

// columns draws columns from the tree itself, as indicators by taxon and base.
func (t *phylogeny) columns(lanes int) [][]float64 {
	r := graphtest.Rand(2)
	leaf := make([][]float64, bases*t.taxa)
	for i := range leaf {
		leaf[i] = make([]float64, lanes)
	}
	draw := func(p [bases]float64) int {
		u := r.Float64()
		for a, x := range p {
			if u -= x; u < 0 {
				return a
			}
		}
		return bases - 1
	}
	state := make([]int, 2*t.taxa-1)
	for lane := range lanes {
		state[len(state)-1] = draw(t.prior)
		for i := len(t.children) - 1; i >= 0; i-- {
			for _, c := range t.children[i] {
				state[c] = draw(t.p[c][state[t.taxa+i]])
			}
		}
		for v := range t.taxa {
			leaf[bases*v+state[v]][lane] = 1
		}
	}
	return leaf
}

// forest has, per node of the tree, a node for each base, and one for each base at the
// upper end of the branch. Each entry of each matrix has its own weight.
func (t *phylogeny) forest() (f *forest.Forest[int32], leaves []int32, table []semiring.ScaledFloat) {
	edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []int32{}
	table = []semiring.ScaledFloat{{}, semiring.NewScaled(1)}
	node := func() int32 { edge = append(edge, int32(len(weight))); return int32(len(edge) - 2) }
	add := func(w int32, to ...int32) {
		tails = append(tails, to...)
		tail, weight = append(tail, int32(len(tails))), append(weight, w)
	}
	var lower, upper [][bases]int32
	for v := range t.p {
		var low, up [bases]int32
		for a := range bases {
			if v >= t.taxa {
				c := t.children[v-t.taxa]
				add(1, upper[c[0]][a], upper[c[1]][a])
			}
			low[a] = node()
			if v < t.taxa {
				leaves = append(leaves, low[a])
			}
		}
		for a := 0; a < bases && v < len(t.p)-1; a++ {
			for b := range bases {
				add(int32(len(table)), low[b])
				table = append(table, semiring.NewScaled(t.p[v][a][b]))
			}
			up[a] = node()
		}
		lower, upper = append(lower, low), append(upper, up)
	}
	var roots []forest.Root[int32]
	for a := range bases {
		roots = append(roots, forest.Root[int32]{Node: lower[len(lower)-1][a], Weight: int32(len(table))})
		table = append(table, semiring.NewScaled(t.prior[a]))
	}
	f, err := forest.New(handles{}, edge, tail, tails, weight, roots)
	if err != nil {
		panic(err)
	}
	return f, leaves, table
}

// pruning is Felsenstein's (1981): conditional likelihoods of one column from the taxa
// to the root, rescaled at every node; it returns the logarithm of the likelihood.
func (t *phylogeny) pruning(column [][bases]float64, low [][bases]float64) float64 {
	copy(low, column)
	scale := 0.0
	for i, c := range t.children {
		left, right := &low[c[0]], &low[c[1]]
		pl, pr := &t.p[c[0]], &t.p[c[1]]
		top := 0.0
		x := &low[t.taxa+i]
		for a := range bases {
			l, r := 0.0, 0.0
			for b := range bases {
				l += pl[a][b] * left[b]
				r += pr[a][b] * right[b]
			}
			x[a] = l * r
			top = max(top, x[a])
		}
		if top < 1e-100 {
			for a := range x {
				x[a] /= top
			}
			scale += math.Log(top)
		}
	}
	sum := 0.0
	for a, x := range low[len(low)-1] {
		sum += t.prior[a] * x
	}
	return scale + math.Log(sum)
}

func TestLanesPruning(t *testing.T) {
	for _, taxa := range []int{5, 300, 3000} {
		const lanes = 40
		tree := randomPhylogeny(taxa)
		leaf := tree.columns(lanes)
		f, leaves, table := tree.forest()
		l, err := batch.NewLanes(f, leaves)
		if err != nil {
			t.Fatal(err)
		}
		total, count := make([]semiring.ScaledFloat, lanes), make([]float64, len(table))
		if err := l.Counts(table, leaf, 0, lanes, nil, count, total, new(batch.LanesScratch)); err != nil {
			t.Fatal(err)
		}
		low := make([][bases]float64, 2*taxa-1)
		for lane := range lanes {
			if want := tree.pruning(columnOf(leaf, lane), low); math.Abs(total[lane].Log()-want) > 1e-11*math.Abs(want) {
				t.Fatalf("%d taxa, lane %d: ln total %v, want %v", taxa, lane, total[lane].Log(), want)
			}
		}
		// Each branch is used once in every lane.
		for v := range 2*taxa - 2 {
			sum := 0.0
			for _, c := range count[2+v*bases*bases:][:bases*bases] {
				sum += c
			}
			if math.Abs(sum-lanes) > 1e-9 {
				t.Fatalf("%d taxa: branch %d is used %v times in %d lanes", taxa, v, sum, lanes)
			}
		}
	}
}

func columnOf(leaf [][]float64, lane int) [][bases]float64 {
	column := make([][bases]float64, len(leaf)/bases)
	for i, x := range leaf {
		column[i/bases][i%bases] = x[lane]
	}
	return column
}

// BenchmarkLanes evaluates a tree for 1000 columns; ns per edge and lane.
func BenchmarkLanes(b *testing.B) {
	const lanes = 1000
	for _, taxa := range []int{100, 3000} {
		tree := randomPhylogeny(taxa)
		leaf := tree.columns(lanes)
		f, leaves, table := tree.forest()
		l, err := batch.NewLanes(f, leaves)
		if err != nil {
			b.Fatal(err)
		}
		total, count := make([]semiring.ScaledFloat, lanes), make([]float64, len(table))
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%d/%s", taxa, name), func(b *testing.B) {
				f() // scratch grows
				b.ReportAllocs()
				defer benchtime.Per(b, l.NumEdges()*lanes, "edge/lane")()
				for b.Loop() {
					f()
				}
			})
		}
		var scratch batch.LanesScratch
		run("TreeSums", func() { l.TreeSums(table, leaf, 0, lanes, total, &scratch) })
		var columns [][][bases]float64
		for lane := range lanes {
			columns = append(columns, columnOf(leaf, lane))
		}
		low := make([][bases]float64, 2*taxa-1)
		run("TreeSums/hand", func() {
			for _, c := range columns {
				tree.pruning(c, low)
			}
		})
		run("Counts", func() { l.Counts(table, leaf, 0, lanes, nil, count, total, &scratch) })
	}
}

// BenchmarkLanesBatch has a forest per column, whose edges at the taxa have weights 0
// or 1.
func BenchmarkLanesBatch(b *testing.B) {
	const lanes = 50
	tree := randomPhylogeny(100)
	leaf := tree.columns(lanes)
	f, leaves, table := tree.forest()
	l, err := batch.NewLanes(f, leaves)
	if err != nil {
		b.Fatal(err)
	}
	items := columnForests(f, leaves, leaf)
	count := make([]float64, len(table))
	var scratch batch.Scratch
	defer benchtime.Per(b, l.NumEdges()*lanes, "edge/lane")()
	for b.Loop() {
		for g := range items.Len() {
			items.Counts(g, table, 1, count, &scratch)
		}
	}
}

// columnForests returns a batch of f with an edge for every leaf that is 1.
func columnForests(f *forest.Forest[int32], leaves []int32, leaf [][]float64) *batch.Batch {
	var items batch.Batch
	for lane := range leaf[0] {
		present := map[int32]bool{}
		for i, v := range leaves {
			present[v] = leaf[i][lane] == 1
		}
		edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []int32{}
		for v := range int32(f.NumNodes()) {
			for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
				tails = append(tails, f.Tails(e)...)
				tail, weight = append(tail, int32(len(tails))), append(weight, f.Weights()[e])
			}
			if present[v] {
				tail, weight = append(tail, int32(len(tails))), append(weight, 1)
			}
			edge = append(edge, int32(len(weight)))
		}
		g, err := forest.New(handles{}, edge, tail, tails, weight, f.Roots())
		if err != nil {
			panic(err)
		}
		batch.AppendForest(&items, g)
	}
	return &items
}
