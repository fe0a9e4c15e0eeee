package forest_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

var cyclic = foresttest.Shape{Nodes: 7, Edges: 4, Tails: 3, Roots: 3, Zero: .1}

func scaledOf(f *forest.Forest[float64]) *forest.Forest[semiring.ScaledFloat] {
	return forest.Map(f, semiring.Scaled{}, semiring.NewScaled)
}

func logOf(f *forest.Forest[float64]) *forest.Forest[semiring.LogProb] {
	return forest.Map(f, semiring.Log{}, func(w float64) semiring.LogProb { return semiring.LogProb(math.Log(w)) })
}

// Inside weights against a fixpoint in 200-bit arithmetic. Forests whose numbers grow
// without limit diverge; those that are too slow for the oracle are nearly critical.
func TestCyclicInside(t *testing.T) {
	summed, diverged, recursive := 0, 0, 0
	for seed := range trials.Seeds(trials.Serial[uint64](1500)) {
		r := graphtest.Rand(seed)
		f := foresttest.Cyclic(r, cyclic, []float64{.2, .4, .6, .8, 1, 1.5}[seed%6])
		want, ok := oracle.Fixpoint(f, 200, 3000)
		if f.Cyclic() {
			recursive++
		}
		real, err := forest.Inside(f)
		if err != nil {
			if !errors.Is(err, semiring.ErrDiverges) && !errors.Is(err, semiring.ErrInaccurate) || ok {
				t.Fatalf("seed %d: %v; converges: %v", seed, err, ok)
			}
			diverged++
			continue
		}
		if !ok {
			continue // too slow for the oracle, or it found that some number is above 2^64
		}
		scaled, log := must(forest.Inside(scaledOf(f))), must(forest.Inside(logOf(f)))
		for v, x := range want {
			w, _ := x.Float64()
			for name, got := range map[string]float64{"Real": real[v], "Scaled": scaled[v].Float64(), "Log": math.Exp(float64(log[v]))} {
				if !(math.Abs(got-w) <= 1e-12*w) {
					t.Fatalf("seed %d: node %d in %s: %v, want %v", seed, v, name, got, w)
				}
			}
		}
		summed++
	}
	if summed < recursive/3 || diverged < recursive/50 {
		t.Errorf("of %d forests with cycles, %d have sums and %d diverge", recursive, summed, diverged)
	}
}

// Close to criticality: X → X X with p, and else a word, has the sum 1 below ½ and
// (1−p)/p above. At ½ itself no rounding can tell that it has a sum.
func TestCyclicCritical(t *testing.T) {
	tree := func(p, q float64) *forest.Forest[float64] {
		return must(forest.New(semiring.Real{}, []int32{0, 2}, []int32{0, 2, 2}, []int32{0, 0}, []float64{p, q},
			[]forest.Root[float64]{{Node: 0, Weight: 1}}))
	}
	for _, x := range []struct {
		p, q, want float64
		err        error
	}{
		{.3, .7, 1, nil}, {.7, .3, .3 / .7, nil}, {.5 - 1e-3, .5 + 1e-3, 1, nil}, {.5 + 1e-4, .5 - 1e-4, (.5 - 1e-4) / (.5 + 1e-4), nil},
		{.5 - 1e-6, .5 + 1e-6, 1, semiring.ErrInaccurate}, {.5, .5, 1, semiring.ErrDiverges},
		{.5, .5 + 1e-15, 1, semiring.ErrDiverges}, {.5, .6, 0, semiring.ErrDiverges}, {1, 1, 0, semiring.ErrDiverges}, {3, 0, 0, nil},
	} {
		got, err := forest.TreeSum(tree(x.p, x.q))
		if !errors.Is(err, x.err) || err == nil && math.Abs(got-x.want) > 1e-10 {
			t.Errorf("%v and %v: sum %v, error %v; want %v, %v", x.p, x.q, got, err, x.want, x.err)
		}
	}
	// Linear: X → X with p, as a graph's loop, with all digits however close to 1.
	unary := func(p float64) (float64, error) {
		return forest.TreeSum(must(forest.New(semiring.Real{}, []int32{0, 2}, []int32{0, 1, 1}, []int32{0}, []float64{p, 1},
			[]forest.Root[float64]{{Node: 0, Weight: 1}})))
	}
	if got, err := unary(1 - 0x1p-40); err != nil || got != 0x1p40 {
		t.Errorf("1/(1 − p) is %v, %v", got, err)
	}
	if _, err := unary(1); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want ErrDiverges", err)
	}
}

// Where a cycle is not on a tree, nothing of it matters; for Inside it does if its nodes have
// derivations.
func TestCyclicUnused(t *testing.T) {
	// 0: a word. 1: from 1 with 2, or from 0; no root needs it. 2: from 2 alone.
	f := must(forest.New(semiring.Real{}, []int32{0, 1, 3, 4, 6}, []int32{0, 0, 1, 2, 3, 4, 5}[:7],
		[]int32{1, 0, 2, 0, 2}, []float64{.5, 2, 1, 5, .5, 1}, []forest.Root[float64]{{Node: 3, Weight: 1}}))
	if got := must(forest.TreeSum(f)); got != .25 {
		t.Errorf("tree sum %v, want .25", got)
	}
	if p, err := forest.Posteriors(f); err != nil || p.Total != .25 || p.Node[0] != 1 || p.Node[1] != 0 || p.Node[2] != 0 {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := forest.Inside(f); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want ErrDiverges", err)
	}
}

// moments adds up trees: their number of uses of everything, and products of two.
type moments struct {
	total, entropy float64
	root, edge     []float64
	withParts      [][]float64
}

func enumerate(f *forest.Forest[float64], least float64) moments {
	n := len(f.Roots()) + f.NumEdges()
	m := moments{root: make([]float64, len(f.Roots())), edge: make([]float64, f.NumEdges()), withParts: make([][]float64, n)}
	for i := range m.withParts {
		m.withParts[i] = make([]float64, n)
	}
	for root, tree := range oracle.LikelyTrees(f, least) {
		m.total += tree.Weight
		m.entropy -= tree.Weight * math.Log(tree.Weight)
		uses := make([]float64, n)
		uses[root]++
		for _, e := range tree.Edges {
			uses[len(f.Roots())+int(e)]++
		}
		for i, a := range uses {
			if a == 0 {
				continue
			}
			if i < len(m.root) {
				m.root[i] += tree.Weight * a
			} else {
				m.edge[i-len(m.root)] += tree.Weight * a
			}
			for j, b := range uses {
				m.withParts[i][j] += tree.Weight * a * b
			}
		}
	}
	for _, list := range append(m.withParts, m.root, m.edge) {
		for i := range list {
			list[i] /= m.total
		}
	}
	m.entropy = m.entropy/m.total + math.Log(m.total)
	return m
}

// Everything about the distribution of trees against enumeration.
func TestCyclicEnumeration(t *testing.T) {
	within := func(a, b float64) bool { return math.Abs(a-b) <= 1e-10*(1+math.Abs(b)) }
	tried := 0
	for seed := range trials.Seeds(trials.Serial[uint64](150)) {
		r := graphtest.Rand(seed)
		f := foresttest.Cyclic(r, foresttest.Shape{Nodes: 4, Edges: 3, Tails: 3, Roots: 2, Zero: .1}, .006)
		least := 1e-16 // what trees add nothing below, in proportion to the sum
		if total := must(forest.TreeSum(f)); total > 0 && total < 1e-2 {
			continue // too many trees
		} else if total > 0 {
			least *= total
		}
		want := enumerate(f, least)
		if !f.Cyclic() || want.total == 0 {
			continue
		}
		tried++
		for name, p := range map[string]*forest.Posterior[semiring.ScaledFloat]{
			"Scaled": must(forest.Posteriors(scaledOf(f))),
		} {
			if !within(p.Total.Float64(), want.total) {
				t.Fatalf("seed %d: %s total %v, want %v", seed, name, p.Total, want.total)
			}
			checkSlices(t, name+" edge", p.Edge, want.edge, within)
			checkSlices(t, name+" root", p.Root, want.root, within)
		}
		real, log := must(forest.Posteriors(f)), must(forest.Posteriors(logOf(f)))
		checkSlices(t, "Real edge", real.Edge, want.edge, within)
		checkSlices(t, "Log edge", log.Edge, want.edge, within)
		_, through, err := forest.Through(f)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for e, w := range through {
			if !within(w, want.edge[e]*want.total) {
				t.Fatalf("seed %d: through edge %d: %v, want %v", seed, e, w, want.edge[e]*want.total)
			}
		}
		if got := must(forest.Entropy(f)); !within(got, want.entropy) {
			t.Fatalf("seed %d: entropy %v, want %v", seed, got, want.entropy)
		}
		checkTilt(t, r, f, want, within)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if tried < int(trials.Serial[uint64](150))/3 {
		t.Errorf("only %d forests with cycles and trees", tried)
	}
}

// checkTilt compares a product with the matrix of covariances.
func checkTilt(t *testing.T, r *rand.Rand, f *forest.Forest[float64], want moments, within func(a, b float64) bool) {
	t.Helper()
	v := forest.Parts{Root: make([]float64, len(f.Roots())), Edge: make([]float64, f.NumEdges())}
	var all []float64
	for _, list := range [][]float64{v.Root, v.Edge} {
		for i := range list {
			list[i] = r.NormFloat64()
		}
		all = append(all, list...)
	}
	got := must(forest.HessianVector(f, v))
	means := append(append([]float64(nil), want.root...), want.edge...)
	for i, x := range append(append([]float64(nil), got.Root...), got.Edge...) {
		sum := 0.0
		for j, b := range all {
			sum += (want.withParts[i][j] - means[i]*means[j]) * b
		}
		if !within(x, sum) {
			t.Errorf("covariance with part %d is %v, want %v", i, x, sum)
		}
	}
}

// Hessian products of forests with strong cycles are differences of posteriors.
func TestCyclicHessianDifference(t *testing.T) {
	tried := 0
	for seed := range trials.Seeds(trials.Serial[uint64](300)) {
		r := graphtest.Rand(seed)
		f := foresttest.Cyclic(r, cyclic, .4)
		p, err := forest.Posteriors(scaledOf(f))
		if err != nil || !f.Cyclic() || p.Total.IsZero() {
			continue
		}
		largest := 0.0
		for _, n := range p.Node {
			largest = max(largest, n)
		}
		if largest > 20 {
			continue // differences are no good this close to divergence
		}
		tried++
		v := make([]float64, f.NumEdges())
		for e := range v {
			v[e] = r.NormFloat64()
		}
		tilted := func(eps float64) []float64 {
			w := append([]float64(nil), f.Weights()...)
			for e := range w {
				w[e] *= math.Exp(eps * v[e])
			}
			return must(forest.Posteriors(must(f.WithWeights(w, f.Roots())))).Edge
		}
		const h = 1e-4
		got, a, b, c, d := must(forest.HessianVector(f, forest.Parts{Edge: v})).Edge, tilted(h), tilted(-h), tilted(2*h), tilted(-2*h)
		for e, x := range got {
			want := (8*(a[e]-b[e]) - (c[e] - d[e])) / (12 * h)
			if math.Abs(x-want) > 1e-6*(1+math.Abs(want))*largest {
				t.Fatalf("seed %d: edge %d: %v, want %v", seed, e, x, want)
			}
		}
	}
	if tried < int(trials.Serial[uint64](300))/4 {
		t.Errorf("only %d forests", tried)
	}
}

// A graph with cycles is a forest with cycles.
func TestCyclicGraphIsUnaryForest(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%3], .3+.69*r.Float64())
		f, _ := foresttest.Unary(g)
		if got, want := must(forest.TreeSum(f)), must(graph.PathSum(g)); !near(got, want) {
			t.Fatalf("seed %d: tree sum %v, path sum %v", seed, got, want)
		}
		want, p := must(graph.Posteriors(g)), must(forest.Posteriors(f))
		checkSlices(t, "posterior state", p.Node, want.State, near)
		checkSlices(t, "posterior start", p.Root, want.Start, near)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
