package forest_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/internal/erased"
)

// small is the shape of forests whose trees can be counted; shapes has it with edges
// of at most one, two and four tails.
var (
	small  = foresttest.Shape{Nodes: 8, Edges: 20, Tails: 4, Roots: 3, Trees: 40, Zero: .05}
	shapes = func() (s [3]foresttest.Shape) {
		for i, tails := range []int{1, 2, 4} {
			s[i] = small
			s[i].Tails = tails
		}
		return s
	}()
)

func unit(r *rand.Rand) float64 { return r.Float64() }

// near allows for the rounding of sums of positive terms.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-11*max(math.Abs(a), math.Abs(b))
}

func nearScaled(a, b semiring.ScaledFloat) bool {
	return a == b || semiring.Scaled{}.Dist(a, b) <= 1e-11
}

// must returns x; an error would be a failure of the test itself.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func checkSlices[W any](t *testing.T, what string, got, want []W, same func(a, b W) bool) {
	t.Helper()
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%s weights %v, want %v", what, got, want)
	}
}

// checkSums compares with enumeration in any ring.
func checkSums[W any](t *testing.T, f *forest.Forest[W], same func(a, b W) bool) {
	t.Helper()
	if got, want := must(forest.TreeSum(f)), oracle.TreeSum(f); !same(got, want) {
		t.Errorf("tree sum %v, want %v", got, want)
	}
	inside := oracle.Inside(f)
	checkSlices(t, "inside", must(forest.Inside(f)), inside, same)
	nodes, edges, _ := oracle.Through(f)
	gotNodes, gotEdges, err := forest.Through(f)
	if err != nil {
		t.Fatal(err)
	}
	checkSlices(t, "through node", gotNodes, nodes, same)
	checkSlices(t, "through edge", gotEdges, edges, same)
	in, out, err := forest.Outside(f)
	if err != nil {
		if !errors.Is(err, semiring.ErrCapability) || semiring.LawsOf(f.Ring()).Has(semiring.Commutative) || unaryOnly(f) {
			t.Error(err)
		}
		return
	}
	checkSlices(t, "inside", in, inside, same)
	checkSlices(t, "outside", out, outsideByTrees(f), same)
}

func unaryOnly[W any](f *forest.Forest[W]) bool {
	for e := range int32(f.NumEdges()) {
		if len(f.Tails(e)) > 1 {
			return false
		}
	}
	return true
}

// outsideByTrees computes the outside weight of a node by a new edge for it, of weight One
// and without tails. It is the sum of the trees with one occurrence of that edge: everywhere
// else in the tree the node is derived as before.
func outsideByTrees[W any](f *forest.Forest[W]) []W {
	ring := f.Ring()
	out := make([]W, f.NumNodes())
	for v := range int32(len(out)) {
		out[v] = ring.Zero()
		var derive func(weight W, marked bool, open []int32)
		derive = func(weight W, marked bool, open []int32) {
			if len(open) == 0 {
				if marked {
					out[v] = ring.Plus(out[v], weight)
				}
				return
			}
			u, rest := open[0], open[1:]
			if u == v && !marked {
				derive(weight, true, rest)
			}
			for e := f.Edges()[u]; e < f.Edges()[u+1]; e++ {
				derive(ring.Times(weight, f.Weights()[e]), marked, slices.Concat(f.Tails(e), rest))
			}
		}
		for _, root := range f.Roots() {
			derive(root.Weight, false, []int32{root.Node})
		}
	}
	return out
}

// tryRing checks n random forests over a ring.
func tryRing[W any](t *testing.T, ring semiring.Semiring[W], n uint64, weight func(*rand.Rand) W, same func(a, b W) bool) {
	t.Helper()
	trees := 0
	for seed := range trials.Seeds(n) {
		f := foresttest.New(graphtest.Rand(seed), ring, shapes[seed%3], weight)
		checkSums(t, f, same)
		if !ring.IsZero(must(forest.TreeSum(f))) {
			trees++
		}
		if t.Failed() {
			t.Fatalf("%T, seed %d", ring, seed)
		}
	}
	if trees < int(n)/4 {
		t.Errorf("%T: only %d of %d forests have a tree", ring, trees, n)
	}
}

// tryErased is tryRing for a ring whose weights are erased, so that what is tested is not
// compiled once more for each ring.
func tryErased[W any](t *testing.T, ring semiring.Semiring[W], n uint64, weight func(*rand.Rand) W, same func(a, b W) bool) {
	t.Helper()
	tryRing(t, erased.Bulk(ring), n, func(r *rand.Rand) any { return weight(r) },
		func(a, b any) bool { return same(erased.Weight[W](a), erased.Weight[W](b)) })
}

func equal[W comparable](a, b W) bool { return a == b }

func TestSums(t *testing.T) {
	tryRing(t, semiring.Real{}, 600, unit, near)
	tryRing(t, semiring.Scaled{}, 600, func(r *rand.Rand) semiring.ScaledFloat {
		return semiring.ScaledFromLog(3000 * (r.Float64() - .5))
	}, nearScaled)
	tryRing(t, semiring.Log{}, 600, func(r *rand.Rand) semiring.LogProb { return semiring.LogProb(math.Log(r.Float64())) },
		func(a, b semiring.LogProb) bool { return a == b || math.Abs(float64(a-b)) < 1e-11 })
	tryErased(t, semiring.Tropical{}, 600, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(9)) }, equal)
	tryErased(t, semiring.Viterbi{}, 300, func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(r.Float64()) }, nearScaled)
	tryErased(t, semiring.Boolean{}, 300, func(r *rand.Rand) bool { return r.IntN(4) > 0 }, equal)
	tryErased(t, semiring.Counting{}, 300, func(r *rand.Rand) *big.Int { return big.NewInt(int64(r.IntN(3))) },
		func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
}

func TestSumsInDerivedRings(t *testing.T) {
	product := semiring.Product(semiring.Real{}, semiring.Tropical{})
	tryErased(t, product, 300, func(r *rand.Rand) semiring.Pair[float64, semiring.Cost] {
		return semiring.Pair[float64, semiring.Cost]{First: r.Float64(), Second: semiring.Cost(r.IntN(9))}
	}, func(a, b semiring.Pair[float64, semiring.Cost]) bool {
		return near(a.First, b.First) && a.Second == b.Second
	})

	scalar := semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
	tryErased(t, scalar, 300, func(r *rand.Rand) semiring.Expected[float64, float64] {
		return semiring.Expected[float64, float64]{P: r.Float64(), V: r.Float64()}
	}, func(a, b semiring.Expected[float64, float64]) bool { return near(a.P, b.P) && near(a.V, b.V) })

	// Vectors whose storage the kernel reuses.
	dense := semiring.Expectation(semiring.Real{}, semiring.Dense(semiring.Real{}, 2))
	tryErased(t, dense, 300, func(r *rand.Rand) semiring.Expected[float64, []float64] {
		return semiring.Expected[float64, []float64]{P: r.Float64(), V: []float64{r.Float64(), r.Float64()}}
	}, func(a, b semiring.Expected[float64, []float64]) bool {
		return near(a.P, b.P) && (len(a.V) == 0 || len(b.V) == 0 || near(a.V[0], b.V[0]) && near(a.V[1], b.V[1]))
	})
}

// matrices is the ring of 2×2 matrices of integers, which do not commute.
type matrices struct{}

type matrix [2][2]int64

func (matrices) Zero() matrix { return matrix{} }
func (matrices) One() matrix  { return matrix{{1, 0}, {0, 1}} }

func (matrices) Plus(a, b matrix) (c matrix) {
	for i := range c {
		for j := range c {
			c[i][j] = a[i][j] + b[i][j]
		}
	}
	return c
}

func (matrices) Times(a, b matrix) (c matrix) {
	for i := range c {
		for j := range c {
			c[i][j] = a[i][0]*b[0][j] + a[i][1]*b[1][j]
		}
	}
	return c
}

func (matrices) IsZero(a matrix) bool { return a == matrix{} }

// languages is the ring of finite sets of strings with union and concatenation.
type languages struct{}

type language = map[string]bool

func (languages) Zero() language { return nil }
func (languages) One() language  { return language{"": true} }

func (languages) Plus(a, b language) language {
	c := language{}
	maps.Copy(c, a)
	maps.Copy(c, b)
	return c
}

func (languages) Times(a, b language) language {
	c := language{}
	for x := range a {
		for y := range b {
			c[x+y] = true
		}
	}
	return c
}

func (languages) IsZero(a language) bool { return len(a) == 0 }

func TestSumsOfWeightsThatDoNotCommute(t *testing.T) {
	tryErased(t, matrices{}, 1500, func(r *rand.Rand) matrix {
		return matrix{{r.Int64N(3) - 1, r.Int64N(3) - 1}, {r.Int64N(3) - 1, r.Int64N(3) - 1}}
	}, equal)
	tryErased(t, languages{}, 600, func(r *rand.Rand) language {
		return language{fmt.Sprintf("%c", 'a'+rune(r.IntN(26))): true}
	}, func(a, b language) bool { return len(a)+len(b) == 0 || reflect.DeepEqual(a, b) })
}

func TestOutsideNeedsCommutativity(t *testing.T) {
	f, err := forest.New(erased.Of(matrices{}), []int32{0, 1, 2}, []int32{0, 0, 2}, []int32{0, 0}, make([]any, 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := forest.Outside(f); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}

// A product that overflows beside a node without a derivation is infinity times 0. The node
// has no part in the sum, which is 1.
func TestOverflowBesideADeadNode(t *testing.T) {
	f := must(forest.New(semiring.Real{}, []int32{0, 0, 1, 3}, []int32{0, 0, 0, 2}, []int32{1, 0},
		[]float64{1e200, 1, 1e200}, []forest.Root[float64]{{Node: 2, Weight: 1}}))
	if sum, err := forest.TreeSum(f); err != nil || sum != 1 {
		t.Errorf("tree sum %v, error %v, want 1", sum, err)
	}
	want := []float64{0, 1e200, 1}
	if inside, err := forest.Inside(f); err != nil || !slices.EqualFunc(inside, want, near) {
		t.Errorf("inside weights %v, error %v, want %v", inside, err, want)
	}
	if p, err := forest.Posteriors(f); err != nil || p.Total != 1 || !slices.Equal(p.Edge, []float64{0, 1, 0}) {
		t.Errorf("posteriors %v, error %v, want 1 for edge 1 alone", p, err)
	}
	// Node 0 would be used beside the overflow: its outside weight, 1e400, is in no float64.
	if _, out, err := forest.Outside(f); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("outside weights %v, error %v, want semiring.ErrNotFinite", out, err)
	}
	if nodes, edges, err := forest.Through(f); err != nil || !slices.Equal(edges, []float64{0, 1, 0}) || nodes[2] != 1 {
		t.Errorf("through nodes %v, edges %v, error %v, want 1 for edge 1 alone", nodes, edges, err)
	}
}

// Sums in Real are those in Scaled, or an error that wraps semiring.ErrNotFinite if one of
// these is out of range: with great weights, nodes without a derivation, and cycles. With
// small weights as well, products underflow, but nothing is infinite or not a number, and
// posteriors are as in Scaled.
func TestRealIsScaledOrAnError(t *testing.T) {
	compared, refused := 0, 0
	for seed := range trials.Seeds(3000) {
		r := graphtest.Rand(seed)
		shape := shapes[seed%3]
		shape.Zero = .3
		f := foresttest.New(r, semiring.Real{}, shape, unit)
		if seed%4 == 0 {
			f = foresttest.Cyclic(r, shape, .5)
		}
		factors, underflow := []float64{1e300, 1e200}, seed%2 == 0
		if underflow {
			factors = append(factors, 1e-200, 1e-300)
		}
		for e := range f.Weights() {
			if r.IntN(3) == 0 {
				f.Weights()[e] *= factors[r.IntN(len(factors))]
			}
		}
		check := func(what string, got []float64, err error, want []semiring.ScaledFloat, errScaled error) {
			t.Helper()
			inRange := errScaled == nil
			for _, w := range want {
				inRange = inRange && !math.IsInf(w.Float64(), 0)
			}
			switch {
			case err != nil && inRange && !underflow:
				t.Errorf("seed %d: %s: error %v, in Scaled %v", seed, what, err, want)
			case err != nil && errScaled == nil && !errors.Is(err, semiring.ErrNotFinite):
				t.Errorf("seed %d: %s: error %v, want semiring.ErrNotFinite", seed, what, err)
			case err == nil && errScaled != nil:
				t.Errorf("seed %d: %s %v, in Scaled the error %v", seed, what, got, errScaled)
			case err != nil:
				refused++
			default:
				compared++
				for i, w := range want {
					if x := w.Float64(); got[i]-got[i] != 0 || !underflow && !near(got[i], x) {
						t.Errorf("seed %d: %s: %v, in Scaled %v", seed, what, got[i], x)
					}
				}
			}
		}
		scaled := forest.Map(f, semiring.Scaled{}, semiring.NewScaled)
		sum, err := forest.TreeSum(f)
		sumScaled, errScaled := forest.TreeSum(scaled)
		check("tree sum", []float64{sum}, err, []semiring.ScaledFloat{sumScaled}, errScaled)
		inside, err := forest.Inside(f)
		insideScaled, errScaled := forest.Inside(scaled)
		check("inside", inside, err, insideScaled, errScaled)
		in, out, err := forest.Outside(f)
		inScaled, outScaled, errScaled := forest.Outside(scaled)
		check("outside", append(in, out...), err, append(inScaled, outScaled...), errScaled)
		nodes, edges, err := forest.Through(f)
		nodesScaled, edgesScaled, errScaled := forest.Through(scaled)
		check("through", append(nodes, edges...), err, append(nodesScaled, edgesScaled...), errScaled)
		p, err := forest.Posteriors(f)
		pScaled, errScaled := forest.Posteriors(scaled)
		if errScaled != nil {
			check("posteriors", nil, err, nil, errScaled)
			continue
		}
		if err != nil {
			check("posteriors", nil, err, []semiring.ScaledFloat{pScaled.Total}, nil)
			continue
		}
		check("total", []float64{p.Total}, nil, []semiring.ScaledFloat{pScaled.Total}, nil)
		for e, x := range pScaled.Edge {
			if !(math.Abs(p.Edge[e]-x) <= 1e-9) {
				t.Errorf("seed %d: posterior of edge %d %v, in Scaled %v", seed, e, p.Edge[e], x)
			}
		}
	}
	if compared == 0 || refused == 0 {
		t.Errorf("%d compared, %d out of range", compared, refused)
	}
}

// A ring over Real is not summed again, as its parts may be anything; a sum that is not a
// number is an error. Over Scaled it is right.
func TestOverflowInDerivedRings(t *testing.T) {
	type number = semiring.Expected[float64, float64]
	f := must(forest.New(semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{})), []int32{0, 0, 1, 3}, []int32{0, 0, 0, 2}, []int32{1, 0},
		[]number{{P: 1e200}, {P: 1, V: 2}, {P: 1e200}}, []forest.Root[number]{{Node: 2, Weight: number{P: 1}}}))
	if sum, err := forest.TreeSum(f); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("tree sum %v, error %v, want semiring.ErrNotFinite", sum, err)
	}
	if inside, err := forest.Inside(f); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("inside weights %v, error %v, want semiring.ErrNotFinite", inside, err)
	}
	type scaled = semiring.Expected[semiring.ScaledFloat, semiring.ScaledFloat]
	exact := forest.Map(f, semiring.Expectation(semiring.Scaled{}, semiring.Scalar(semiring.Scaled{})),
		func(w number) scaled { return scaled{P: semiring.NewScaled(w.P), V: semiring.NewScaled(w.V)} })
	if sum, err := forest.TreeSum(exact); err != nil || sum.P.Float64() != 1 || sum.V.Float64() != 2 {
		t.Errorf("tree sum %v, error %v, want 1 and 2", sum, err)
	}
}
