package graph_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/erased"
)

// All functions of this package agree about a graph, in every ring that has the required
// capabilities: the path sum by β, α and all pairs, the best paths by BestPaths and Search, the
// part of an unlimited beam. On acyclic graphs they agree with enumeration, and so do posteriors.
func TestAgreement(t *testing.T) {
	scaled, cost := semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{}), semiring.Semiring[semiring.Cost](semiring.Tropical{})
	real, word := semiring.Semiring[float64](semiring.Real{}), semiring.Semiring[semiring.Word](semiring.LeftString{})
	expectation := semiring.Expectation(scaled, semiring.Scalar(scaled))
	type expected = semiring.Expected[semiring.ScaledFloat, semiring.ScaledFloat]
	type costs = semiring.Pair[semiring.Cost, semiring.Cost]
	lex := ring(semiring.Lex(cost, cost))

	mass := func(r *rand.Rand) float64 { return .3 * r.Float64() }
	small := func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(mass(r)) }
	tiny := func(r *rand.Rand) semiring.ScaledFloat {
		return semiring.ScaledFloat{Mant: r.Float64() + .1, Exp: int64(-r.IntN(40000) * r.IntN(2))}
	}
	price := func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(3)) }
	label := func(r *rand.Rand) semiring.Word {
		return semiring.NewWord([]int32{int32(r.IntN(2)), 1}[:r.IntN(3)]...)
	}
	value := func(r *rand.Rand) expected { return expected{P: small(r), V: small(r).Neg()} }

	typedAgreement(t, "Real", real, mass)
	typedAgreement(t, "Scaled", scaled, tiny)
	typedAgreement(t, "Log", semiring.Log{}, func(r *rand.Rand) semiring.LogProb {
		return semiring.LogProb(-1 - 2000*r.Float64())
	})
	typedAgreement(t, "Tropical", cost, price)
	typedAgreement(t, "Viterbi", semiring.Viterbi{}, tiny)
	typedAgreement(t, "Bottleneck", semiring.Bottleneck{}, func(r *rand.Rand) semiring.Width {
		return semiring.Width(r.IntN(4))
	})
	typedAgreement(t, "Boolean", semiring.Boolean{}, func(r *rand.Rand) bool { return r.IntN(2) == 0 })
	agreement(t, "Counting", semiring.Counting{}, func(r *rand.Rand) *big.Int { return big.NewInt(int64(r.IntN(3))) })
	agreement(t, "LeftString", word, label)
	agreement(t, "RightString", semiring.RightString{}, label)
	agreement(t, "Gallic", semiring.Gallic(cost), func(r *rand.Rand) semiring.Pair[semiring.Word, semiring.Cost] {
		return semiring.Pair[semiring.Word, semiring.Cost]{First: label(r), Second: price(r)}
	})
	agreement(t, "KBest", ring(semiring.KBest(cost, 3)), func(r *rand.Rand) semiring.Ranked[semiring.Cost] {
		c := price(r)
		return semiring.Ranked[semiring.Cost]{c, c + price(r)}
	})
	agreement(t, "KBest of Lex", ring(semiring.KBest(lex, 3)), func(r *rand.Rand) semiring.Ranked[costs] {
		return semiring.Ranked[costs]{{First: price(r), Second: price(r)}}
	})
	agreement(t, "Series", semiring.Series(real, 4), func(r *rand.Rand) semiring.Polynomial[float64] {
		return semiring.Polynomial[float64]{mass(r), r.Float64()}
	})
	agreement(t, "Series of Expectation", semiring.Series(expectation, 3), func(r *rand.Rand) semiring.Polynomial[expected] {
		return semiring.Polynomial[expected]{value(r), value(r)}
	})
	agreement(t, "Product", semiring.Product(real, semiring.Boolean{}), func(r *rand.Rand) semiring.Pair[float64, bool] {
		return semiring.Pair[float64, bool]{First: mass(r), Second: r.IntN(2) == 0}
	})
	agreement(t, "Lex", lex, func(r *rand.Rand) costs { return costs{First: 1 + price(r), Second: price(r) - 1} })
	agreement(t, "Lex of sums", ring(semiring.Lex(cost, semiring.Log{})), func(r *rand.Rand) semiring.Pair[semiring.Cost, semiring.LogProb] {
		return semiring.Pair[semiring.Cost, semiring.LogProb]{First: price(r), Second: semiring.LogProb(-3 - r.Float64())}
	})
	typedAgreement(t, "Expectation", expectation, value)
	agreement(t, "Expectation of vectors", semiring.Expectation(scaled, semiring.Dense(scaled, 3)), func(r *rand.Rand) semiring.Expected[semiring.ScaledFloat, []semiring.ScaledFloat] {
		return semiring.Expected[semiring.ScaledFloat, []semiring.ScaledFloat]{P: small(r), V: []semiring.ScaledFloat{{}, semiring.NewScaled(r.Float64()), scaled.One()}}
	})
	type expected2 = semiring.Expected2[semiring.ScaledFloat, semiring.ScaledFloat, semiring.ScaledFloat, semiring.ScaledFloat]
	agreement(t, "Expectation2", ring(semiring.Expectation2(scaled, semiring.ScalarProduct(scaled))), func(r *rand.Rand) expected2 {
		return expected2{P: small(r), R: small(r), S: small(r), T: small(r)}
	})
	agreement(t, "ViterbiExpectation", semiring.ViterbiExpectation(scaled, semiring.Scalar(scaled)), func(r *rand.Rand) semiring.Pair[semiring.ScaledFloat, expected] {
		w := value(r)
		return semiring.Pair[semiring.ScaledFloat, expected]{First: w.P, Second: w}
	})
	agreement(t, "matrices", matrices{}, func(r *rand.Rand) matrix {
		return matrix{.1 * r.Float64(), .2 * r.Float64(), .3 * r.Float64(), .1}
	})
}

// agreement is TestAgreement in one ring. The weights are erased, so the tested code is compiled
// once for all rings except rings with algorithms of their own.
func agreement[W any](t *testing.T, name string, ring semiring.Semiring[W], weight func(r *rand.Rand) W) {
	typedAgreement(t, name, erased.Bulk(ring), func(r *rand.Rand) any { return weight(r) })
}

// typedAgreement is agreement for weights of their own type.
func typedAgreement[W any](t *testing.T, name string, ring semiring.Semiring[W], weight func(r *rand.Rand) W) {
	metric, err := semiring.Require[semiring.Metric[W]](ring)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range trials.Seeds(150) {
		r := graphtest.Rand(seed)
		for _, shape := range []graphtest.Shape{
			{States: 6, Arcs: 9, Starts: 3, Finals: .4, Zero: .15, Acyclic: true},
			{States: 5, Arcs: 8, Starts: 3, Finals: .4, Zero: .15},
		} {
			g := graphtest.New(r, ring, shape, weight)
			same := func(what string, got, want W) {
				if !(metric.Dist(got, want) <= 1e-9) {
					t.Fatalf("%s, seed %d: %s %v, want %v", name, seed, what, got, want)
				}
			}
			total, err := graph.PathSum(g)
			if err != nil && !errors.Is(err, semiring.ErrDiverges) && !errors.Is(err, semiring.ErrCapability) {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if err != nil {
				continue
			}
			sumsAgree(t, g, total, same)
			if shape.Acyclic {
				same("path sum", total, oracle.PathSum(g, shape.States))
				posteriorsAgree(t, g, total)
			}
			bestAgree(t, g, total, same)
		}
	}
}

// sumsAgree computes the path sum in all ways that the ring allows.
func sumsAgree[W any](t *testing.T, g *graph.Graph[W], total W, same func(what string, got, want W)) {
	ring := g.Ring()
	sum := ring.Zero()
	if beta, err := graph.Backward(g); err == nil {
		for _, start := range g.Starts() {
			sum = ring.Plus(sum, ring.Times(start.Weight, beta[start.State]))
		}
		same("by β", sum, total)
	}
	if alpha, err := graph.Forward(g); err == nil {
		sum = ring.Zero()
		for s, w := range g.Finals() {
			sum = ring.Plus(sum, ring.Times(alpha[s], w))
		}
		same("by α", sum, total)
	}
	if all, err := graph.AllPairs(g); err == nil {
		sum = ring.Zero()
		for _, start := range g.Starts() {
			for s, w := range g.Finals() {
				sum = ring.Plus(sum, ring.Times(start.Weight, ring.Times(all[start.State][s], w)))
			}
		}
		same("by all pairs", sum, total)
	}
}

// posteriorsAgree compares posteriors and a beam without limits with all paths of an
// acyclic graph.
func posteriorsAgree[W any](t *testing.T, g *graph.Graph[W], total W) {
	ring := g.Ring()
	prober, ok := semiring.As[semiring.Probabilistic[W]](ring)
	if !ok {
		return
	}
	p, err := graph.Posteriors(g)
	if err != nil {
		t.Fatalf("%T: %v", ring, err)
	}
	through := make([]W, g.NumArcs())
	for e := range through {
		through[e] = ring.Zero()
	}
	for path := range oracle.Paths(g, g.NumStates()) {
		for _, e := range path.Arcs {
			through[e] = ring.Plus(through[e], path.Weight)
		}
	}
	log := prober.Log(total)
	for e, w := range through {
		want, precision := 0., 1e-9
		if !ring.IsZero(total) {
			want = math.Exp(prober.Log(w) - log)
			precision += 0x1p-50 * math.Abs(log) // the precision of want
		}
		if !(math.Abs(p.Arc[e]-want) <= precision) {
			t.Fatalf("%T: posterior of arc %d %v, want %v", ring, e, p.Arc[e], want)
		}
	}
	part, err := graph.Beam(t.Context(), &implicit[W]{g: g}, nil)
	if err != nil {
		t.Fatalf("%T: %v", ring, err)
	}
	beam, err := graph.PathSum(part.Graph)
	if err != nil || prober.Log(beam) != log && !(math.Abs(prober.Log(beam)-log) <= 1e-9*max(1, math.Abs(log))) {
		t.Fatalf("%T: beam %v, %v, want %v", ring, beam, err, total)
	}
}

// bestAgree compares the best paths, if the ring is Ordered.
func bestAgree[W any](t *testing.T, g *graph.Graph[W], total W, same func(what string, got, want W)) {
	if _, ok := semiring.As[semiring.Ordered[W]](g.Ring()); !ok {
		return
	}
	best, err := graph.BestPath(g)
	if err != nil {
		t.Fatal(err)
	}
	same("best path", best.Weight, total)
	paths, err := graph.BestPaths(g)
	if err != nil {
		t.Fatal(err)
	}
	const k = 30
	var weights []W
	for p := range paths {
		if weights = append(weights, p.Weight); len(weights) == k {
			break
		}
	}
	n := 0
	for p, err := range graph.Search(t.Context(), &implicit[W]{g: g}, &graph.SearchOptions[W]{MaxStates: 5000}) {
		if errors.Is(err, graph.ErrOrder) || errors.Is(err, semiring.ErrLimit) {
			return // widths and costs better than One, or too many free cycles
		}
		if err != nil || n == len(weights) {
			t.Fatalf("path %d of %d: %v", n, len(weights), err)
		}
		same("search", p.Weight, weights[n])
		if n++; n == k {
			return
		}
	}
	if n != len(weights) {
		t.Fatalf("search finds %d paths, want %d", n, len(weights))
	}
}
