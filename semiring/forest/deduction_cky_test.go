package forest_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// cnf is a grammar of lexical, unary and binary rules over the nonterminals 0, 1, …, of
// which 0 is the start symbol. A unary rule has a child of a larger number than its
// parent.
type cnf struct {
	lexical [][]float64   // by nonterminal and word
	unary   [][]rewrite   // by child
	binary  [][][]rewrite // by left and right child
}

// rewrite is a rule of the nonterminal parent for the symbols it is listed under.
type rewrite struct {
	parent int32
	p      float64
}

func newCNF(nonterminals, words int) *cnf {
	g := &cnf{unary: make([][]rewrite, nonterminals)}
	for range nonterminals {
		g.lexical = append(g.lexical, make([]float64, words))
		g.binary = append(g.binary, make([][]rewrite, nonterminals))
	}
	return g
}

// randomCNF returns a grammar in which every nonterminal may be every word with the
// given probability.
func randomCNF(r *rand.Rand, nonterminals, words int, lexical float64, unary, binary int) *cnf {
	g := newCNF(nonterminals, words)
	for _, p := range g.lexical {
		for w := range p {
			if r.Float64() < lexical {
				p[w] = r.Float64()
			}
		}
	}
	for range unary {
		a, b := r.IntN(nonterminals), r.IntN(nonterminals)
		if a < b {
			g.unary[b] = append(g.unary[b], rewrite{int32(a), r.Float64()})
		}
	}
	for range binary {
		b, c := r.IntN(nonterminals), r.IntN(nonterminals)
		g.binary[b][c] = append(g.binary[b][c], rewrite{int32(r.IntN(nonterminals)), r.Float64() / 20})
	}
	return g
}

// cell is the item “x derives the words i … j−1”.
type cell struct{ x, i, j int32 }

// deduction returns the rules of g: the CKY algorithm.
func (g *cnf) deduction() *forest.Deduction[cell, float64] {
	d := forest.NewDeduction[cell](semiring.Real{})
	d.Rule("unary", func(b cell) {
		for _, r := range g.unary[b.x] {
			d.Derive(cell{r.parent, b.i, b.j}, r.p, b)
		}
	})
	forest.Join(d, "binary",
		func(b cell) (int32, bool) { return b.j, true },
		func(c cell) (int32, bool) { return c.i, true },
		func(b, c cell) {
			for _, r := range g.binary[b.x][c.x] {
				d.Derive(cell{r.parent, b.i, c.j}, r.p, b, c)
			}
		})
	return d
}

// parse runs the rules of g on a sentence.
func (g *cnf) parse(d *forest.Deduction[cell, float64], words []int) (*forest.Chart[cell, float64], error) {
	for i, w := range words {
		for x := range g.lexical {
			d.Derive(cell{int32(x), int32(i), int32(i) + 1}, g.lexical[x][w])
		}
	}
	return d.Run(cell{0, 0, int32(len(words))})
}

// inside is the CKY algorithm as loops: it returns [i][j][x], the probability that x
// derives the words i … j−1.
func (g *cnf) inside(words []int) [][][]float64 {
	n := len(words)
	in := make([][][]float64, n)
	for i := range in {
		in[i] = make([][]float64, n+1)
		for j := range in[i] {
			in[i][j] = make([]float64, len(g.lexical))
		}
	}
	for width := 1; width <= n; width++ {
		for i := 0; i+width <= n; i++ {
			j := i + width
			for x := range g.lexical {
				if width == 1 {
					in[i][j][x] = g.lexical[x][words[i]]
				}
			}
			for k := i + 1; k < j; k++ {
				for b := range g.binary {
					for c, rules := range g.binary[b] {
						for _, r := range rules {
							in[i][j][r.parent] += r.p * in[i][k][b] * in[k][j][c]
						}
					}
				}
			}
			for b := len(g.unary) - 1; b >= 0; b-- { // children first
				for _, r := range g.unary[b] {
					in[i][j][r.parent] += r.p * in[i][j][b]
				}
			}
		}
	}
	return in
}

// trees returns the weights of all trees by which x derives the words.
func (g *cnf) trees(x int32, words []int) (weights []float64) {
	if p := g.lexical[x][words[0]]; len(words) == 1 && p != 0 {
		weights = append(weights, p)
	}
	for b, rules := range g.unary {
		for _, r := range rules {
			if r.parent == x {
				for _, w := range g.trees(int32(b), words) {
					weights = append(weights, r.p*w)
				}
			}
		}
	}
	for b := range g.binary {
		for c, rules := range g.binary[b] {
			for _, r := range rules {
				if r.parent != x {
					continue
				}
				for k := 1; k < len(words); k++ {
					right := g.trees(int32(c), words[k:])
					for _, v := range g.trees(int32(b), words[:k]) {
						for _, w := range right {
							weights = append(weights, r.p*v*w)
						}
					}
				}
			}
		}
	}
	return weights
}

func sentence(r *rand.Rand, n, words int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = r.IntN(words)
	}
	return s
}

// agrees reports whether a and b agree to 1e-11.
func agrees(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(math.Abs(a), math.Abs(b)) }

// The CKY algorithm against its loops.
func TestDeductionCKY(t *testing.T) {
	parsed := 0
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		x := 1 + r.IntN(5)
		g := randomCNF(r, x, 3, .7, r.IntN(5), 1+r.IntN(4*x))
		d := g.deduction()
		for range 3 {
			words := sentence(r, 1+r.IntN(8), 3)
			c, err := g.parse(d, words)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			want := g.inside(words)
			got := must(forest.Inside(c.Forest))
			for v, item := range c.Items {
				if w := want[item.i][item.j][item.x]; !agrees(got[v], w) {
					t.Fatalf("seed %d: %+v has the probability %v, want %v", seed, item, got[v], w)
				}
			}
			total := want[0][len(words)][0]
			if got := must(forest.TreeSum(c.Forest)); !agrees(got, total) {
				t.Fatalf("seed %d: total %v, want %v", seed, got, total)
			}
			if total != 0 {
				parsed++
			}
		}
	}
	if parsed < 300 {
		t.Errorf("only %d sentences parsed", parsed)
	}
}

// Total, number and best of the trees of short sentences, by enumeration.
func TestDeductionCKYTrees(t *testing.T) {
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		x := 1 + r.IntN(3)
		g := randomCNF(r, x, 2, .8, r.IntN(4), 1+r.IntN(3*x))
		words := sentence(r, 1+r.IntN(4), 2)
		c, err := g.parse(g.deduction(), words)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		weights := g.trees(0, words)
		total, best := 0., 0.
		for _, w := range weights {
			total += w
			best = max(best, w)
		}
		if got := must(forest.TreeSum(c.Forest)); !agrees(got, total) {
			t.Errorf("seed %d: total %v, want %v", seed, got, total)
		}
		count := forest.Map(c.Forest, semiring.Counting{}, func(float64) *big.Int { return big.NewInt(1) })
		if got := must(forest.TreeSum(count)); got.Cmp(big.NewInt(int64(len(weights)))) != 0 {
			t.Errorf("seed %d: %v trees, want %d", seed, got, len(weights))
		}
		tree, err := forest.BestTree(forest.Map(c.Forest, semiring.Viterbi{}, semiring.NewScaled))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := tree.Weight.Float64(); !agrees(got, best) {
			t.Errorf("seed %d: best tree %v, want %v", seed, got, best)
		}
		if len(tree.Edges) > 0 {
			if want := (cell{0, 0, int32(len(words))}); c.Head(tree.Edges[0]) != want {
				t.Errorf("seed %d: the best tree derives %v, want %v", seed, c.Head(tree.Edges[0]), want)
			}
			i := int32(0) // its leaves are the words from left to right
			for _, e := range tree.Edges {
				if c.Rule(e) != "" {
					continue
				}
				if leaf := c.Head(e); leaf.i != i || leaf.j != i+1 || c.Forest.Weights()[e] != g.lexical[leaf.x][words[i]] {
					t.Errorf("seed %d: leaf %d is %+v", seed, i, leaf)
				}
				i++
			}
		}
	}
}
