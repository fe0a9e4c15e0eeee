package cascade_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// pathsOf returns for each pair of strings the sum over the paths of f with up to arcs arcs, one
// after the other.
func pathsOf(t testing.TB, p *em.Params, f cascade.Stage, theta []float64, arcs int) map[[2]string]float64 {
	t.Helper()
	g, err := cascade.Instantiate(p, f, theta, semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	sums := map[[2]string]float64{}
	for path := range oracle.Paths(g.Graph(), arcs) {
		var pair [2]string
		for _, e := range path.Arcs {
			for side, l := range [2]int32{g.In()[e], g.Out()[e]} {
				if l != fst.Epsilon {
					pair[side] += string('0' + l)
				}
			}
		}
		sums[pair] += path.Weight
	}
	return sums
}

// joined returns the sums over all strings between a and b.
func joined(a, b map[[2]string]float64) map[[2]string]float64 {
	sums := map[[2]string]float64{}
	for l, v := range a {
		for r, w := range b {
			if l[1] == r[0] {
				sums[[2]string{l[0], r[1]}] += v * w
			}
		}
	}
	return sums
}

// lightMachine returns a random machine over 0, 1, 2 on both sides, with cycles, and weights so
// small that paths of 7 arcs are long enough.
func lightMachine(t testing.TB, params *em.Params, rng *rand.Rand) cascade.Stage {
	t.Helper()
	const states = 2
	b, weights := fst.NewBuilder(params.Space()), params.Group(fmt.Sprint("light ", len(params.Groups())), 5+states, em.Fixed{})
	start := make([]float64, weights.Len())
	for s := range states {
		b.SetFinal(b.AddState(), weights.Weight(s))
		start[s] = .2 + .5*rng.Float64()
	}
	b.AddStart(0, expr.One)
	for e := states; e < weights.Len(); e++ {
		b.AddArc(rng.Int32N(states), fst.Arc[expr.W]{In: rng.Int32N(3), Out: rng.Int32N(3), Weight: weights.Weight(e), To: rng.Int32N(states)})
		start[e] = .002 + .01*rng.Float64()
	}
	weights.SetStart(start)
	return freeze(t, b)
}

// longPaths allows for paths of more than 7 arcs, which are not enumerated: in 400 trials they
// add at most 4e-19 to a weight, or a millionth of it.
const longPaths = 1e-17

// TestBetween compares the marginal of the string between two machines of a cascade with all
// paths of the machines, which have ε on both sides and cycles.
func TestBetween(t *testing.T) {
	checked, nonempty := 0, 0
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 25))
		params := em.NewParams()
		problem := cascade.Problem{Params: params}
		for range 2 + rng.IntN(2) {
			problem.Stages = append(problem.Stages, lightMachine(t, params, rng))
		}
		if rng.IntN(2) == 0 {
			problem.Branches = [][]cascade.Stage{{lightMachine(t, params, rng)}}
		}
		theta := params.Start()
		relation := func(chain []cascade.Stage) map[[2]string]float64 {
			all := pathsOf(t, params, chain[0], theta, 7)
			for _, f := range chain[1:] {
				all = joined(all, pathsOf(t, params, f, theta, 7))
			}
			return all
		}
		// The sides X, Y and the branch: a string or unknown.
		var x cascade.Example
		var known [3]*string
		know := func(tape int, side *cascade.Side) {
			if rng.IntN(3) > 0 {
				return
			}
			s := ""
			for range rng.IntN(3) {
				s += string('1' + rune(rng.IntN(2)))
			}
			known[tape] = &s
			var labels []int32
			for _, r := range s {
				labels = append(labels, r-'0')
			}
			*side = cascade.Labels(labels...)
		}
		allows := func(tape int, s string) bool { return known[tape] == nil || *known[tape] == s }
		know(0, &x.X)
		know(1, &x.Y)
		branch := map[[2]string]float64(nil)
		if problem.Branches != nil {
			x.Branches = make([]cascade.Side, 1)
			know(2, &x.Branches[0])
			branch = relation(problem.Branches[0])
		}
		k := 1 + rng.IntN(len(problem.Stages)-1)
		before, after := map[string]float64{}, map[string]float64{}
		for pair, w := range relation(problem.Stages[:k]) {
			if allows(0, pair[0]) {
				before[pair[1]] += w
			}
		}
		beyond := map[string]float64{} // of Y
		for pair, w := range branch {
			if allows(2, pair[1]) {
				beyond[pair[0]] += w
			}
		}
		for pair, w := range relation(problem.Stages[k:]) {
			if allows(1, pair[1]) {
				if branch != nil {
					w *= beyond[pair[1]]
				}
				after[pair[0]] += w
			}
		}
		got, err := cascade.Marginal(problem, x, cascade.Between(k), theta)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, z := range [][]int32{{}, {1}, {2}, {1, 1}, {1, 2}, {2, 1}, {2, 2}} {
			s := ""
			for _, l := range z {
				s += string('0' + l)
			}
			want := before[s] * after[s]
			w, err := fst.Weight(got, z, z, nil)
			if err != nil || !(math.Abs(w.Float64()-want) <= 1e-6*want+longPaths) {
				t.Errorf("seed %d: %q behind machine %d has the weight %v (%v), want %g", seed, s, k-1, w, err, want)
			}
			checked++
			if want > 0 && len(z) > 0 {
				nonempty++
			}
		}
	}
	t.Logf("%d strings, %d of them possible and not empty", checked, nonempty)
	if nonempty < checked/10 {
		t.Error("too few strings are possible")
	}
}

// TestNotBetween: for a missing tape the error lists the existing ones.
func TestNotBetween(t *testing.T) {
	params := em.NewParams()
	g := params.Group("g", 1, em.Fixed{})
	keep := fst.OneState(params.Space(), expr.One, fst.Arc[expr.W]{In: 1, Out: 1, Weight: g.Weight(0)})
	chain := cascade.Problem{Params: params, Stages: []cascade.Stage{keep, keep}}
	for says, c := range map[string]struct {
		problem cascade.Problem
		tape    int
	}{
		"the tape Between(0) of a cascade of 2 machines":                                 {chain, cascade.Between(0)},
		"the tape Between(2) of a cascade":                                               {chain, cascade.Between(2)},
		"tape 2 of 2; the string between two machines of the cascade is cascade.Between": {chain, 2},
		"tape -2 of a tree": {cascade.Problem{Params: params, Edges: []cascade.Edge{{From: 0, To: 1, Machines: chain.Stages}}}, cascade.Between(1)},
	} {
		_, err := cascade.Marginal(c.problem, cascade.Example{}, c.tape, params.Start())
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", says, err)
		}
		wantIn(t, err, says)
	}
	if cascade.Between(-3) != cascade.Between(0) {
		t.Errorf("Between(-3) is a tape")
	}
}
