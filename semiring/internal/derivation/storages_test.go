package derivation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// storage is a way to store derivations. The tests of this package compare the functions of
// packages graph and forest with enumerations of paths and trees.
type storage struct {
	name   string
	empty  error                         // for machines without a derivation
	finite func(r *rand.Rand) *structure // one with finitely many derivations
	cyclic func(r *rand.Rand) *structure // one that may have a cycle
}

// structure is a graph or forest whose weights may be replaced. Numbers of parts are one slice:
// entries, options, ends.
type structure struct {
	sizes    [3]int
	weights  []float64
	weighted func(ring string, w []semiring.ScaledFloat) machine
	outcomes func(w []float64) []outcome // for cyclic ones only some
	// pruned returns the derivations that PrunePosterior leaves, with the parts of the whole, and
	// the numbers of entries and options left.
	pruned func(least float64) (left []outcome, sizes [2]int, err error)
}

// outcome is a derivation. Its key does not distinguish several entries of a node.
type outcome struct {
	mass float64
	uses []float64
	key  string
}

// values are vectors of numbers of entries, options and ends.
type values struct {
	dim  int
	rows [3]semiring.Rows
}

// machine is a graph or a forest with weights in some ring.
type machine interface {
	total() (semiring.ScaledFloat, error)
	along(v []float64) (uses, derivatives []float64, err error)
	hessianVector(v []float64) ([]float64, error)
	mean(v values) ([]float64, error)
	covariance(v values) ([]float64, *mat.SymDense, error)
	entropy() (float64, error)
	crossEntropy(q machine) (float64, error)
	kullbackLeibler(q machine) (float64, error)
	sampler() (func(src rand.Source) (key string, mass semiring.ScaledFloat), error)
}

// rings are the rings in which masses are given.
var rings = []string{"Real", "Scaled", "Log", "Expectation"}

type expected = semiring.Expected[float64, float64]

var storages = []*storage{
	{
		name:  "graph",
		empty: graph.ErrNoPath,
		finite: func(r *rand.Rand) *structure {
			shape := graphtest.Shape{States: 8, Arcs: 16, Acyclic: true, Starts: 4, Finals: .4, Zero: .1}
			return ofGraph(graphtest.New(r, semiring.Real{}, shape, (*rand.Rand).Float64), 8)
		},
		cyclic: func(r *rand.Rand) *structure {
			shape := graphtest.Shape{States: 8, Arcs: 16, Starts: 3, Finals: .5, Zero: .05}
			return ofGraph(graphtest.Substochastic(r, shape, .5+.4*r.Float64()), 4)
		},
	},
	{
		name:  "forest",
		empty: forest.ErrNoTree,
		finite: func(r *rand.Rand) *structure {
			shape := foresttest.Shape{Nodes: 8, Edges: 16, Tails: 1 + r.IntN(4), Roots: 3, Trees: 30, Zero: .1}
			return ofForest(foresttest.New(r, semiring.Real{}, shape, (*rand.Rand).Float64))
		},
		cyclic: func(r *rand.Rand) *structure {
			shape := foresttest.Shape{Nodes: 6, Edges: 3, Tails: 1 + r.IntN(3), Roots: 2, Zero: .05}
			return ofForest(foresttest.Cyclic(r, shape, .3))
		},
	},
}

// must returns x where an error would be a failure of the test itself.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func normal(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// mapped returns f of every element.
func mapped[A, B any](x []A, f func(A) B) []B {
	y := make([]B, len(x))
	for i := range x {
		y[i] = f(x[i])
	}
	return y
}

// in returns the structure with its own weights in a ring.
func (s *structure) in(ring string) machine {
	return s.weighted(ring, mapped(s.weights, semiring.NewScaled))
}

func (s *structure) parts() int { return len(s.weights) }

// kinds splits numbers of all parts by kind; a kind with only zeros is omitted.
func (s *structure) kinds(x []float64) (k [3][]float64) {
	lo := 0
	for i, n := range s.sizes {
		if part := x[lo : lo+n]; slices.ContainsFunc(part, func(x float64) bool { return x != 0 }) {
			k[i] = part
		}
		lo += n
	}
	return k
}

// scalars returns x as values of one component.
func (s *structure) scalars(x []float64) values {
	v, lo := values{dim: 1}, 0
	for i, n := range s.sizes {
		v.rows[i] = semiring.Scalars(x[lo : lo+n])
		lo += n
	}
	return v
}

func toLog(x semiring.ScaledFloat) semiring.LogProb { return semiring.LogProb(x.Log()) }

func same(x semiring.ScaledFloat) semiring.ScaledFloat { return x }

func fromLog(x semiring.LogProb) semiring.ScaledFloat { return semiring.ScaledFromLog(float64(x)) }

func toExpected(x semiring.ScaledFloat) expected { return expected{P: x.Float64(), V: 1} }

func fromExpected(x expected) semiring.ScaledFloat { return semiring.NewScaled(x.P) }

func expectation() semiring.Semiring[expected] {
	return semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
}

// ofGraph returns the structure of a graph; outcomes are its paths of up to maxArcs arcs.
func ofGraph(g *graph.Graph[float64], maxArcs int) *structure {
	s := &structure{sizes: [3]int{len(g.Starts()), g.NumArcs(), g.NumStates()}}
	starts := mapped(g.Starts(), func(x graph.Start[float64]) float64 { return x.Weight })
	s.weights = slices.Concat(starts, g.Weights(), g.Finals())
	s.pruned = func(least float64) ([]outcome, [2]int, error) { return pruneGraph(s, g, least) }
	s.outcomes = func(w []float64) []outcome { return paths(weightedGraph(g, w), maxArcs) }
	s.weighted = func(ring string, w []semiring.ScaledFloat) machine {
		h := weightedGraph(graph.Map(g, semiring.Scaled{}, semiring.NewScaled), w)
		switch ring {
		case "Real":
			return graphOf[float64]{graph.Map(h, semiring.Real{}, semiring.ScaledFloat.Float64), s, semiring.NewScaled}
		case "Log":
			return graphOf[semiring.LogProb]{graph.Map(h, semiring.Log{}, toLog), s, fromLog}
		case "Expectation":
			return graphOf[expected]{graph.Map(h, expectation(), toExpected), s, fromExpected}
		case "Viterbi":
			return graphOf[semiring.ScaledFloat]{graph.Map(h, semiring.Viterbi{}, same), s, nil}
		}
		return graphOf[semiring.ScaledFloat]{h, s, same}
	}
	return s
}

// weightedGraph returns g with the weights w of all parts.
func weightedGraph[W any](g *graph.Graph[W], w []W) *graph.Graph[W] {
	n := len(g.Starts())
	starts := slices.Clone(g.Starts())
	for i := range starts {
		starts[i].Weight = w[i]
	}
	return must(g.WithWeights(w[n:n+g.NumArcs()], starts, w[n+g.NumArcs():]))
}

// paths lists the paths of g of up to maxArcs arcs.
func paths(g *graph.Graph[float64], maxArcs int) (all []outcome) {
	arcs := len(g.Starts())
	finals := arcs + g.NumArcs()
	for i, start := range g.Starts() {
		for path := range oracle.Paths(must(g.WithWeights(g.Weights(), []graph.Start[float64]{start}, g.Finals())), maxArcs) {
			uses, s := make([]float64, finals+g.NumStates()), path.Start
			uses[i] = 1
			for _, e := range path.Arcs {
				uses[arcs+int(e)]++
				s = g.To()[e]
			}
			uses[finals+int(s)] = 1
			all = append(all, outcome{path.Weight, uses, fmt.Sprint(path.Start, path.Arcs)})
		}
	}
	return all
}

// pruneGraph is structure.pruned for a graph.
func pruneGraph(s *structure, g *graph.Graph[float64], least float64) (left []outcome, sizes [2]int, err error) {
	p, err := graph.PrunePosterior(g, least)
	if err != nil {
		return nil, sizes, err
	}
	starts, arcs := len(p.Start), len(p.Arc)
	for _, x := range paths(p.Graph, 8) {
		uses := make([]float64, s.parts())
		for i, n := range x.uses {
			switch {
			case i < starts:
				uses[p.Start[i]] = n
			case i < starts+arcs:
				uses[s.sizes[0]+int(p.Arc[i-starts])] = n
			default:
				uses[s.sizes[0]+s.sizes[1]+int(p.State[i-starts-arcs])] = n
			}
		}
		left = append(left, outcome{x.mass, uses, ""})
	}
	return left, [2]int{len(p.Graph.Starts()), p.Graph.NumArcs()}, nil
}

// graphOf is a graph as a machine.
type graphOf[W any] struct {
	g    *graph.Graph[W]
	s    *structure
	mass func(W) semiring.ScaledFloat
}

func (m graphOf[W]) parts(x []float64) graph.Parts {
	k := m.s.kinds(x)
	return graph.Parts{Start: k[0], Arc: k[1], Final: k[2]}
}

func (m graphOf[W]) values(v values) graph.Values {
	return graph.Values{Dim: v.dim, Start: v.rows[0], Arc: v.rows[1], Final: v.rows[2]}
}

func (m graphOf[W]) total() (semiring.ScaledFloat, error) {
	z, err := graph.PathSum(m.g)
	return m.mass(z), err
}

func (m graphOf[W]) along(v []float64) (uses, derivatives []float64, err error) {
	p, x, err := graph.PosteriorsAlong(m.g, m.parts(v))
	if err != nil {
		return nil, nil, err
	}
	return slices.Concat(p.Start, p.Arc, p.Final), slices.Concat(x.Start, x.Arc, x.Final), nil
}

func (m graphOf[W]) hessianVector(v []float64) ([]float64, error) {
	x, err := graph.HessianVector(m.g, m.parts(v))
	return slices.Concat(x.Start, x.Arc, x.Final), err
}

func (m graphOf[W]) mean(v values) ([]float64, error) { return graph.Mean(m.g, m.values(v)) }

func (m graphOf[W]) covariance(v values) ([]float64, *mat.SymDense, error) {
	return graph.Covariance(m.g, m.values(v))
}

func (m graphOf[W]) entropy() (float64, error) { return graph.Entropy(m.g) }

func (m graphOf[W]) crossEntropy(q machine) (float64, error) {
	return graph.CrossEntropy(m.g, q.(graphOf[W]).g)
}

func (m graphOf[W]) kullbackLeibler(q machine) (float64, error) {
	return graph.KullbackLeibler(m.g, q.(graphOf[W]).g)
}

func (m graphOf[W]) sampler() (func(src rand.Source) (string, semiring.ScaledFloat), error) {
	s, err := graph.NewSampler(m.g)
	return func(src rand.Source) (string, semiring.ScaledFloat) {
		p := s.Sample(src)
		return fmt.Sprint(p.Start, p.Arcs), m.mass(p.Weight)
	}, err
}

// ofForest returns the structure of a forest; outcomes are its trees, the likely ones if it is
// cyclic.
func ofForest(f *forest.Forest[float64]) *structure {
	s := &structure{sizes: [3]int{len(f.Roots()), f.NumEdges(), 0}}
	s.weights = slices.Concat(mapped(f.Roots(), func(x forest.Root[float64]) float64 { return x.Weight }), f.Weights())
	s.pruned = func(least float64) ([]outcome, [2]int, error) { return pruneForest(s, f, least) }
	s.outcomes = func(w []float64) []outcome { return trees(weightedForest(f, w)) }
	s.weighted = func(ring string, w []semiring.ScaledFloat) machine {
		h := weightedForest(forest.Map(f, semiring.Scaled{}, semiring.NewScaled), w)
		switch ring {
		case "Real":
			return forestOf[float64]{forest.Map(h, semiring.Real{}, semiring.ScaledFloat.Float64), s, semiring.NewScaled}
		case "Log":
			return forestOf[semiring.LogProb]{forest.Map(h, semiring.Log{}, toLog), s, fromLog}
		case "Expectation":
			return forestOf[expected]{forest.Map(h, expectation(), toExpected), s, fromExpected}
		case "Viterbi":
			return forestOf[semiring.ScaledFloat]{forest.Map(h, semiring.Viterbi{}, same), s, nil}
		}
		return forestOf[semiring.ScaledFloat]{h, s, same}
	}
	return s
}

// weightedForest returns f with the weights w of all parts.
func weightedForest[W any](f *forest.Forest[W], w []W) *forest.Forest[W] {
	roots := slices.Clone(f.Roots())
	for i := range roots {
		roots[i].Weight = w[i]
	}
	return must(f.WithWeights(w[len(roots):], roots))
}

// trees lists the trees of f, the likely ones if it is cyclic.
func trees(f *forest.Forest[float64]) (all []outcome) {
	list := oracle.Trees(f)
	if f.Cyclic() { // the same trees for all entries of a root
		ones := slices.Clone(f.Roots())
		for i := range ones {
			ones[i].Weight = 1
		}
		list = oracle.LikelyTrees(must(f.WithWeights(f.Weights(), ones)), 1e-4)
	}
	for root, tree := range list {
		uses := make([]float64, len(f.Roots())+f.NumEdges())
		uses[root] = 1
		for _, e := range tree.Edges {
			uses[len(f.Roots())+int(e)]++
		}
		mass := tree.Weight
		if f.Cyclic() {
			mass *= f.Roots()[root].Weight
		}
		all = append(all, outcome{mass, uses, fmt.Sprint(tree.Root, tree.Edges)})
	}
	return all
}

// pruneForest is structure.pruned for a forest.
func pruneForest(s *structure, f *forest.Forest[float64], least float64) (left []outcome, sizes [2]int, err error) {
	p, err := forest.PrunePosterior(f, least)
	if err != nil {
		return nil, sizes, err
	}
	for _, x := range trees(p.Forest) {
		uses := make([]float64, s.parts())
		for i, n := range x.uses {
			if i < len(p.Root) {
				uses[p.Root[i]] = n
			} else {
				uses[s.sizes[0]+int(p.Edge[i-len(p.Root)])] = n
			}
		}
		left = append(left, outcome{x.mass, uses, ""})
	}
	return left, [2]int{len(p.Forest.Roots()), p.Forest.NumEdges()}, nil
}

// forestOf is a forest as a machine.
type forestOf[W any] struct {
	f    *forest.Forest[W]
	s    *structure
	mass func(W) semiring.ScaledFloat
}

func (m forestOf[W]) parts(x []float64) forest.Parts {
	k := m.s.kinds(x)
	return forest.Parts{Root: k[0], Edge: k[1]}
}

func (m forestOf[W]) values(v values) forest.Values {
	return forest.Values{Dim: v.dim, Root: v.rows[0], Edge: v.rows[1]}
}

func (m forestOf[W]) total() (semiring.ScaledFloat, error) {
	z, err := forest.TreeSum(m.f)
	return m.mass(z), err
}

func (m forestOf[W]) along(v []float64) (uses, derivatives []float64, err error) {
	p, x, err := forest.PosteriorsAlong(m.f, m.parts(v))
	if err != nil {
		return nil, nil, err
	}
	return slices.Concat(p.Root, p.Edge), slices.Concat(x.Root, x.Edge), nil
}

func (m forestOf[W]) hessianVector(v []float64) ([]float64, error) {
	x, err := forest.HessianVector(m.f, m.parts(v))
	return slices.Concat(x.Root, x.Edge), err
}

func (m forestOf[W]) mean(v values) ([]float64, error) { return forest.Mean(m.f, m.values(v)) }

func (m forestOf[W]) covariance(v values) ([]float64, *mat.SymDense, error) {
	return forest.Covariance(m.f, m.values(v))
}

func (m forestOf[W]) entropy() (float64, error) { return forest.Entropy(m.f) }

func (m forestOf[W]) crossEntropy(q machine) (float64, error) {
	return forest.CrossEntropy(m.f, q.(forestOf[W]).f)
}

func (m forestOf[W]) kullbackLeibler(q machine) (float64, error) {
	return forest.KullbackLeibler(m.f, q.(forestOf[W]).f)
}

func (m forestOf[W]) sampler() (func(src rand.Source) (string, semiring.ScaledFloat), error) {
	s, err := forest.NewSampler(m.f)
	return func(src rand.Source) (string, semiring.ScaledFloat) {
		t := s.Sample(src)
		return fmt.Sprint(t.Root, t.Edges), m.mass(t.Weight)
	}, err
}

// near allows for the rounding of sums of positive terms.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-11*max(math.Abs(a), math.Abs(b))
}
