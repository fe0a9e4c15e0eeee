package forest_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/erased"
)

// A finite-state acceptor is a deduction whose items are states: an item says that the
// state has a path to the end, and the last item, −1, that there is a path from a start.
// Weights come before tails, so paths are multiplied from left to right.
func acceptor[W any](g *graph.Graph[W]) *forest.Deduction[int32, W] {
	type arc struct {
		from   int32
		weight W
	}
	into := make([][]arc, g.NumStates())
	for s := range int32(g.NumStates()) {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			into[g.To()[e]] = append(into[g.To()[e]], arc{s, g.Weights()[e]})
		}
	}
	d := forest.NewDeduction[int32](g.Ring())
	d.Rule("arc", func(s int32) {
		if s < 0 {
			return
		}
		for _, a := range into[s] {
			d.Derive(a.from, a.weight, s)
		}
	})
	d.Rule("start", func(s int32) {
		for _, start := range g.Starts() {
			if start.State == s {
				d.Derive(-1, start.Weight, s)
			}
		}
	})
	for s, w := range g.Finals() {
		d.Derive(int32(s), w)
	}
	return d
}

// tryAcceptors compares acceptors as deductions with path sums, weights being small
// integers, so that both are exact. An acceptor with a cycle on a path diverges as a forest
// as it does as a graph. It returns how many there were.
func tryAcceptors[W comparable](t *testing.T, ring semiring.Semiring[W], shape graphtest.Shape, weight func(r *rand.Rand) W) (cyclic int) {
	for seed := range trials.Seeds(500) {
		g := graphtest.New(graphtest.Rand(seed), ring, shape, weight)
		want, diverges := graph.PathSum(g)
		c, err := acceptor(g).Run(-1)
		if diverges != nil && err == nil && !shape.Acyclic {
			if _, err := forest.TreeSum(c.Forest); !errors.Is(err, semiring.ErrDiverges) {
				t.Fatalf("%T, seed %d: error %v, want ErrDiverges", ring, seed, err)
			}
			cyclic++
			continue
		}
		if err != nil || diverges != nil {
			t.Fatalf("%T, seed %d: errors %v and %v", ring, seed, err, diverges)
		}
		if got := must(forest.TreeSum(c.Forest)); got != want {
			t.Fatalf("%T, seed %d: total %v, want %v", ring, seed, got, want)
		}
	}
	return cyclic
}

func TestDeductionAcceptor(t *testing.T) {
	shape := graphtest.Shape{States: 7, Arcs: 12, Starts: 3, Finals: .3, Zero: .1}
	number := func(r *rand.Rand) float64 { return float64(1 + r.IntN(3)) }
	if cyclic := tryAcceptors(t, semiring.Real{}, shape, number); cyclic < 50 {
		t.Errorf("only %d acceptors with cycles", cyclic)
	}
	shape.Acyclic = true
	tryAcceptors(t, semiring.Real{}, shape, number)
	tryAcceptors(t, erased.Of(matrices{}), shape, func(r *rand.Rand) any {
		return matrix{{r.Int64N(3), r.Int64N(3)}, {r.Int64N(3), r.Int64N(3)}}
	})
}

// bracket is the item “the words i … j−1 are a constituent”.
type bracket struct{ i, j int }

// ccm returns the constituent-context model of Klein & Manning (2002): the binary
// bracketings of n words, weighed by their spans.
func ccm(space *expr.Space, ps *parameters, n int) *forest.Deduction[bracket, expr.W] {
	spans := properSpans(n)
	d := forest.NewDeduction[bracket](space)
	forest.Join(d, "constituent",
		func(a bracket) (int, bool) { return a.j, true },
		func(b bracket) (int, bool) { return b.i, true },
		func(a, b bracket) {
			phi := expr.One
			if p, ok := spans(a.i, b.j); ok {
				phi = space.Param(ps.number(p))
			}
			d.Derive(bracket{a.i, b.j}, phi, a, b)
		})
	for i := range n {
		d.Derive(bracket{i, i + 1}, expr.One)
	}
	return d
}

// ccmLoops is the same sum as loops over a chart.
func ccmLoops(ps *parameters, n int) complex128 {
	spans := properSpans(n)
	var I [9][9]complex128
	for width := 1; width <= n; width++ {
		for i := 0; i+width <= n; i++ {
			j := i + width
			if width == 1 {
				I[i][j] = 1
			}
			for k := i + 1; k < j; k++ {
				I[i][j] += I[i][k] * I[k][j]
			}
			if p, ok := spans(i, j); ok {
				I[i][j] *= ps.value(p)
			}
		}
	}
	return I[0][n]
}

func TestDeductionCCM(t *testing.T) {
	for seed := range trials.Seeds(40) {
		n := 1 + int(seed%8)
		space, ps := expr.New(), newParameters(graphtest.Rand(seed))
		c, err := ccm(space, ps, n).Run(bracket{0, n})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkExpectations(t, space, ps, c.Forest, func() complex128 { return ccmLoops(ps, n) })
		catalan := new(big.Int).Binomial(2*int64(n)-2, int64(n)-1)
		catalan.Div(catalan, big.NewInt(int64(n)))
		if got := numTrees(c.Forest); got.Cmp(catalan) != 0 {
			t.Errorf("%v bracketings of %d words, want %v", got, n, catalan)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// variables is the greatest number of variables.
const variables = 6

// assignment gives some of the variables a value, the others have −1.
type assignment [variables]int8

var nothing = assignment{-1, -1, -1, -1, -1, -1}

// restrict returns the part of a for the variables in scope.
func (a assignment) restrict(scope []int) assignment {
	b := nothing
	for _, v := range scope {
		b[v] = a[v]
	}
	return b
}

// factor is a table over the values of the variables in its scope.
type factor struct {
	scope []int
	value map[assignment]float64
}

// network is a factor graph; variable v has values 0 … size[v]−1.
type network struct {
	size    []int8
	factors []factor
}

// assignments calls visit with all assignments to scope.
func (n *network) assignments(scope []int, visit func(a assignment)) {
	var fill func(a assignment, rest []int)
	fill = func(a assignment, rest []int) {
		if len(rest) == 0 {
			visit(a)
			return
		}
		for x := range n.size[rest[0]] {
			a[rest[0]] = x
			fill(a, rest[1:])
		}
	}
	fill(nothing, scope)
}

func randomNetwork(r *rand.Rand) *network {
	n := new(network)
	for range 1 + r.IntN(variables) {
		n.size = append(n.size, int8(1+r.IntN(3)))
	}
	for range 1 + r.IntN(6) {
		f := factor{value: make(map[assignment]float64)}
		f.scope = r.Perm(len(n.size))[:r.IntN(min(3, len(n.size))+1)]
		n.assignments(f.scope, func(a assignment) {
			if r.IntN(6) != 0 {
				f.value[a] = r.Float64()
			}
		})
		n.factors = append(n.factors, f)
	}
	return n
}

// bucket is a step of variable elimination: it multiplies its factors and the messages
// of earlier buckets, and sums over its variable.
type bucket struct {
	variable []int // one, or none in the last bucket
	factors  []factor
	from     []int // the buckets that send it a message
	scope    []int // of its message, without its variable
}

// buckets returns the steps of elimination in the order of the variables.
func (n *network) buckets() []bucket {
	last := len(n.size)
	buckets := make([]bucket, last+1)
	first := func(scope []int) int { return slices.Min(append([]int{last}, scope...)) }
	for _, f := range n.factors {
		b := first(f.scope)
		buckets[b].factors = append(buckets[b].factors, f)
	}
	for i := range buckets {
		b := &buckets[i]
		scopes := make(map[int]bool)
		for _, f := range b.factors {
			for _, v := range f.scope {
				scopes[v] = true
			}
		}
		for _, j := range b.from {
			for _, v := range buckets[j].scope {
				scopes[v] = true
			}
		}
		if i == last {
			break
		}
		b.variable = []int{i}
		for v := range last {
			if v != i && scopes[v] {
				b.scope = append(b.scope, v)
			}
		}
		to := &buckets[first(b.scope)]
		to.from = append(to.from, i)
	}
	return buckets
}

// message is an item: the entry of the message of a bucket for an assignment to its
// scope. An entry that is asked for is an item of its own.
type message struct {
	asked  bool
	bucket int
	values assignment
}

// elimination returns the elimination of all variables, from the last message down: an
// entry that is asked for asks for what it is the sum of.
func (n *network) elimination() (d *forest.Deduction[message, float64], goal message) {
	buckets := n.buckets()
	d = forest.NewDeduction[message](semiring.Real{})
	d.Rule("eliminate", func(m message) {
		if !m.asked {
			return
		}
		b := &buckets[m.bucket]
		n.assignments(b.variable, func(a assignment) {
			for _, v := range b.scope {
				a[v] = m.values[v]
			}
			weight := 1.
			for _, f := range b.factors {
				weight *= f.value[a.restrict(f.scope)]
			}
			var tails []message
			for _, from := range b.from {
				tail := message{bucket: from, values: a.restrict(buckets[from].scope)}
				tails = append(tails, tail)
				tail.asked = true
				d.Derive(tail, 1)
			}
			d.Derive(message{bucket: m.bucket, values: m.values}, weight, tails...)
		})
	})
	d.Derive(message{asked: true, bucket: len(n.size), values: nothing}, 1)
	return d, message{bucket: len(n.size), values: nothing}
}

// Variable elimination against the sum over all assignments.
func TestDeductionElimination(t *testing.T) {
	widest := 0
	for seed := range trials.Seeds(500) {
		n := randomNetwork(graphtest.Rand(seed))
		all := make([]int, len(n.size))
		for v := range all {
			all[v] = v
		}
		total, best := 0., 0.
		n.assignments(all, func(a assignment) {
			weight := 1.
			for _, f := range n.factors {
				weight *= f.value[a.restrict(f.scope)]
			}
			total += weight
			best = max(best, weight)
		})
		d, goal := n.elimination()
		c, err := d.Run(goal)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := must(forest.TreeSum(c.Forest)); !agrees(got, total) {
			t.Fatalf("seed %d: total %v, want %v", seed, got, total)
		}
		viterbi := forest.Map(c.Forest, semiring.Viterbi{}, semiring.NewScaled)
		if got := must(forest.TreeSum(viterbi)).Float64(); !agrees(got, best) {
			t.Fatalf("seed %d: best assignment %v, want %v", seed, got, best)
		}
		for e := range int32(c.Forest.NumEdges()) {
			widest = max(widest, len(c.Forest.Tails(e)))
		}
	}
	if widest < 3 {
		t.Errorf("no edge has more than %d tails", widest)
	}
}
