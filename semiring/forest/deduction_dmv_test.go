package forest_test

import (
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// parameter is one of a grammar's. There are "root" of a tag x, and "stop" and "go" of a head x
// on a side, with or without an argument there. "attach" is of a tag y to a head x on a side,
// "span" of the words x … y−1.
type parameter struct {
	what     string
	x, y     int
	side     side
	adjacent bool
}

type side int8

const (
	leftward side = iota
	rightward
)

// parameters is a table of parameters with random values, made as they are asked for.
type parameters struct {
	*rand.Rand
	index map[parameter]int32
	theta []complex128
}

func newParameters(r *rand.Rand) *parameters {
	return &parameters{r, make(map[parameter]int32), nil}
}

func (ps *parameters) number(p parameter) int32 {
	i, ok := ps.index[p]
	if !ok {
		i = int32(len(ps.theta))
		ps.index[p] = i
		ps.theta = append(ps.theta, complex(.1+ps.Float64(), 0))
	}
	return i
}

func (ps *parameters) value(p parameter) complex128 { return ps.theta[ps.number(p)] }

// spanWeight returns the parameter that is the weight of the span of the words i … j−1, if any.
type spanWeight func(i, j int) (parameter, bool)

func noSpans(i, j int) (parameter, bool) { return parameter{}, false }

// properSpans are the spans of two or more words, except the span of all n words.
func properSpans(n int) spanWeight {
	return func(i, j int) (parameter, bool) {
		return parameter{what: "span", x: i, y: j}, j-i > 1 && j-i < n
	}
}

// headed is an item of a chart of dependency trees: the words i … j−1, with the head h.
// Open is a head with arguments to its right only that may take more of them; shut takes
// no more there; whole takes none on either side. Top is the whole sentence.
type headed struct {
	part    part
	i, j, h int
}

type part uint8

const (
	open part = iota
	shut
	whole
	top
)

// dmv returns the dependency model with valence of Klein & Manning (2004), times the
// weights of spans: a sentence of tags as a deduction. Heads take their arguments from
// the inside out, those to the right first, so that every tree has one derivation.
func dmv(space *expr.Space, ps *parameters, tag []int, spans spanWeight) *forest.Deduction[headed, expr.W] {
	param := func(p parameter) expr.W { return space.Param(ps.number(p)) }
	attach := func(to, arg headed, s side, adjacent bool, i, j int) expr.W {
		w := space.Times(
			param(parameter{what: "go", x: tag[to.h], side: s, adjacent: adjacent}),
			param(parameter{what: "attach", x: tag[to.h], y: tag[arg.h], side: s}))
		if p, ok := spans(i, j); ok {
			w = space.Times(w, param(p))
		}
		return w
	}
	d := forest.NewDeduction[headed](space)
	forest.Join(d, "attach right",
		func(a headed) (int, bool) { return a.j, a.part == open },
		func(arg headed) (int, bool) { return arg.i, arg.part == whole },
		func(a, arg headed) {
			d.Derive(headed{open, a.h, arg.j, a.h}, attach(a, arg, rightward, a.j == a.h+1, a.i, arg.j), a, arg)
		})
	forest.Join(d, "attach left",
		func(arg headed) (int, bool) { return arg.j, arg.part == whole },
		func(b headed) (int, bool) { return b.i, b.part == shut },
		func(arg, b headed) {
			d.Derive(headed{shut, arg.i, b.j, b.h}, attach(b, arg, leftward, b.i == b.h, arg.i, b.j), arg, b)
		})
	d.Rule("stop", func(a headed) {
		switch a.part {
		case open:
			p := parameter{what: "stop", x: tag[a.h], side: rightward, adjacent: a.j == a.h+1}
			d.Derive(headed{shut, a.i, a.j, a.h}, param(p), a)
		case shut:
			p := parameter{what: "stop", x: tag[a.h], side: leftward, adjacent: a.i == a.h}
			d.Derive(headed{whole, a.i, a.j, a.h}, param(p), a)
		}
	})
	d.Rule("root", func(a headed) {
		if a.part == whole && a.i == 0 && a.j == len(tag) {
			d.Derive(headed{part: top}, param(parameter{what: "root", x: tag[a.h]}), a)
		}
	})
	for h := range tag {
		d.Derive(headed{open, h, h + 1, h}, expr.One)
	}
	return d
}

// dmvLoops is the same sum as loops over a chart.
func dmvLoops(ps *parameters, tag []int, spans spanWeight) complex128 {
	n := len(tag)
	phi := func(i, j int) complex128 {
		if p, ok := spans(i, j); ok {
			return ps.value(p)
		}
		return 1
	}
	choice := func(what string, h int, s side, adjacent bool) complex128 {
		return ps.value(parameter{what: what, x: tag[h], side: s, adjacent: adjacent})
	}
	attach := func(h, a int, s side) complex128 {
		return ps.value(parameter{what: "attach", x: tag[h], y: tag[a], side: s})
	}
	var A [9][9]complex128       // [h][j]
	var B, S [9][9][9]complex128 // [i][j][h]
	for width := 1; width <= n; width++ {
		for i := 0; i+width <= n; i++ {
			j := i + width
			if width == 1 {
				A[i][j] = 1
			}
			for k := i + 1; k < j; k++ { // head i
				for a := k; a < j; a++ {
					A[i][j] += A[i][k] * choice("go", i, rightward, k == i+1) * attach(i, a, rightward) * S[k][j][a] * phi(i, j)
				}
			}
			B[i][j][i] = A[i][j] * choice("stop", i, rightward, j == i+1)
			for h := i + 1; h < j; h++ {
				for k := i + 1; k <= h; k++ {
					for a := i; a < k; a++ {
						B[i][j][h] += S[i][k][a] * choice("go", h, leftward, k == h) * attach(h, a, leftward) * B[k][j][h] * phi(i, j)
					}
				}
			}
			for h := i; h < j; h++ {
				S[i][j][h] = B[i][j][h] * choice("stop", h, leftward, i == h)
			}
		}
	}
	z := complex128(0)
	for h := range n {
		z += S[0][n][h] * ps.value(parameter{what: "root", x: tag[h]})
	}
	return z
}

// dmvTrees is the same sum over all arrays of heads that are projective trees, each
// weighed by the story that the model tells.
func dmvTrees(ps *parameters, tag []int, spans spanWeight) (sum complex128) {
	n := len(tag)
	head := make([]int, n) // −1: the root
	var fill func(i int)
	fill = func(i int) {
		if i == n {
			sum += dmvTree(ps, tag, head, spans)
			return
		}
		for head[i] = -1; head[i] < n; head[i]++ {
			fill(i + 1)
		}
	}
	fill(0)
	return sum
}

// dmvTree returns the weight of a tree, 0 if it is not a tree or not projective.
func dmvTree(ps *parameters, tag, head []int, spans spanWeight) complex128 {
	n := len(tag)
	used := make([]bool, n)
	// generate returns the weight of all below h, and its extent; 0 if it has a gap.
	var generate func(h int) (w complex128, i, j int)
	generate = func(h int) (complex128, int, int) {
		if used[h] {
			return 0, h, h + 1
		}
		used[h] = true
		w, i, j := complex128(1), h, h+1
		for _, s := range []side{rightward, leftward} {
			adjacent := true
			for step := 1; step < n; step++ {
				a := h + step
				if s == leftward {
					a = h - step
				}
				if a < 0 || a >= n || head[a] != h {
					continue
				}
				below, from, to := generate(a)
				if s == rightward && from != j || s == leftward && to != i {
					return 0, i, j
				}
				i, j = min(i, from), max(j, to)
				w *= below * ps.value(parameter{what: "go", x: tag[h], side: s, adjacent: adjacent}) *
					ps.value(parameter{what: "attach", x: tag[h], y: tag[a], side: s})
				if p, ok := spans(i, j); ok {
					w *= ps.value(p)
				}
				adjacent = false
			}
			w *= ps.value(parameter{what: "stop", x: tag[h], side: s, adjacent: adjacent})
		}
		return w, i, j
	}
	roots, weight := 0, complex128(0)
	for h := range head {
		if head[h] == -1 {
			w, i, j := generate(h)
			if i == 0 && j == n {
				weight = w * ps.value(parameter{what: "root", x: tag[h]})
			}
			roots++
		}
	}
	if roots != 1 {
		return 0
	}
	return weight
}

func TestDeductionDMV(t *testing.T) {
	for seed := range trials.Seeds(40) {
		r := graphtest.Rand(seed)
		tag := sentence(r, 1+r.IntN(8), 3)
		for name, spans := range map[string]spanWeight{"DMV": noSpans, "DMV and CCM": properSpans(len(tag))} {
			space, ps := expr.New(), newParameters(graphtest.Rand(seed))
			c, err := dmv(space, ps, tag, spans).Run(headed{part: top})
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if len(tag) < 6 {
				if a, b := dmvLoops(ps, tag, spans), dmvTrees(ps, tag, spans); cmplx.Abs(a-b) > 1e-12*cmplx.Abs(a) {
					t.Fatalf("%s, seed %d: the two oracles say %v and %v", name, seed, a, b)
				}
			}
			checkExpectations(t, space, ps, c.Forest, func() complex128 { return dmvLoops(ps, tag, spans) })
			// There are (3n−2 choose n−1)/n projective trees.
			n := int64(len(tag))
			want := new(big.Int).Binomial(3*n-2, n-1)
			want.Div(want, big.NewInt(n))
			if got := numTrees(c.Forest); got.Cmp(want) != 0 {
				t.Errorf("%s, seed %d: %v trees of %d words, want %v", name, seed, got, n, want)
			}
			if t.Failed() {
				t.Fatalf("%s, seed %d", name, seed)
			}
		}
	}
}

// numTrees returns the number of trees of f.
func numTrees(f *forest.Forest[expr.W]) *big.Int {
	return must(forest.TreeSum(forest.Map(f, semiring.Counting{}, func(expr.W) *big.Int { return big.NewInt(1) })))
}

// checkExpectations compares the tree sum of f, and the expected uses of the
// parameters, with an oracle for the sum and its derivatives by complex steps.
func checkExpectations(t *testing.T, space *expr.Space, ps *parameters, f *forest.Forest[expr.W], oracle func() complex128) {
	t.Helper()
	theta := make([]semiring.ScaledFloat, len(ps.theta))
	for p, x := range ps.theta {
		theta[p] = semiring.NewScaled(real(x))
	}
	values, err := space.Evaluate(nil, theta)
	if err != nil {
		t.Fatal(err)
	}
	post, err := forest.Posteriors(forest.Map(f, semiring.Scaled{}, func(w expr.W) semiring.ScaledFloat { return values[w] }))
	if err != nil {
		t.Fatal(err)
	}
	if want := real(oracle()); !agrees(post.Total.Float64(), want) {
		t.Errorf("total %v, want %v", post.Total.Float64(), want)
	}
	count, uses := make([]float64, space.Len()), make([]float64, len(theta))
	for e, w := range f.Weights() {
		count[w] += post.Edge[e]
	}
	space.Backpropagate(values, count, uses)
	for p, i := range ps.index {
		const step = 1e-20
		x := ps.theta[i]
		ps.theta[i] = x * complex(1, step)
		want := imag(cmplx.Log(oracle())) / step
		ps.theta[i] = x
		if d := uses[i] - want; d < -1e-11 || d > 1e-11 {
			t.Errorf("expected uses of %v: %v, want %v", p, uses[i], want)
		}
	}
}
