package cascade_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// observation is a side, with the data that an oracle needs.
type observation struct {
	side   cascade.Side
	string []int32
	set    *fst.FST[weight]
	known  bool // as a string
}

// observe returns a random observation of a tape: unknown, a string, a finite set, or a set with
// cycles.
func observe(t testing.TB, params *em.Params, g *em.Group, rng *rand.Rand) observation {
	switch rng.IntN(5) {
	case 0:
		return observation{}
	case 1, 2:
		s := randomLabels(rng, 2)
		return observation{side: cascade.Labels(s...), string: s, known: true}
	case 3:
		f := randomMachine(t, params, g, rng, 2, 5)
		a, err := fst.Expand(fst.ProjectIn(f), nil)
		if err != nil {
			t.Fatal(err)
		}
		return observation{side: cascade.Set(a), set: a}
	}
	k := params.Space()
	b := fst.NewBuilder(k)
	b.AddStates(3)
	b.AddStart(0, k.One())
	for s := range int32(3) {
		b.SetFinal(s, g.Weight(rng.IntN(g.Len())))
		for range 2 {
			if s < 2 {
				l := int32(rng.IntN(3))
				b.AddArc(s, arc(l, l, g.Weight(rng.IntN(g.Len())), s+1+int32(rng.IntN(2-int(s)))))
			}
		}
	}
	f := freeze(t, b)
	return observation{side: cascade.Set(f), set: f}
}

// randomTree returns a tree of two to five tapes with one or two machines at each edge, the
// observations of the tapes, and a θ.
func randomTree(t testing.TB, rng *rand.Rand) (cascade.Problem, []observation, []float64) {
	params := em.NewParams()
	g := params.Group("g", 6, em.Fixed{})
	problem := cascade.Problem{Params: params}
	tapes := 2 + rng.IntN(4)
	names := rng.Perm(tapes)
	for v := 1; v < tapes; v++ {
		e := cascade.Edge{From: names[rng.IntN(v)], To: names[v]}
		if rng.IntN(2) == 0 {
			e.From, e.To = e.To, e.From
		}
		for range 1 + rng.IntN(2) {
			e.Machines = append(e.Machines, randomMachine(t, params, g, rng, 1+rng.IntN(3), 6+rng.IntN(8)))
		}
		problem.Edges = append(problem.Edges, e)
	}
	rng.Shuffle(len(problem.Edges), func(i, j int) {
		problem.Edges[i], problem.Edges[j] = problem.Edges[j], problem.Edges[i]
	})
	var seen []observation
	for range tapes {
		seen = append(seen, observe(t, params, g, rng))
	}
	theta := make([]float64, params.Len())
	for i := range theta {
		theta[i] = .02 + .1*rng.Float64()
	}
	return problem, seen, theta
}

// overStrings returns Σ Π of the edges' weights over all strings of up to length labels on the
// hidden tapes; weights are the images of expressions.
func overStrings[W any](t *testing.T, ring semiring.Semiring[W], image func(weight) W, problem cascade.Problem, seen []observation, length int) W {
	t.Helper()
	all := fsttest.Strings(2, length)
	on := make([][][]int32, len(seen)) // per tape, the strings
	own := make([][]W, len(seen))      // their weights by the tape's observation
	for v, o := range seen {
		on[v] = all
		if o.known {
			on[v] = [][]int32{o.string}
		}
		var z *fsttest.Weigher[W]
		if o.set != nil {
			z = fsttest.NewWeigher(fsttest.Frozen(fst.Map(o.set, ring, image)))
		}
		for _, s := range on[v] {
			w := ring.One()
			if z != nil {
				w = z.Weight(s, s)
			}
			own[v] = append(own[v], w)
		}
	}
	between := make([]func(i, j int) W, len(problem.Edges))
	for n, e := range problem.Edges {
		m := fst.Machine[W](fsttest.Frozen(fst.Map(e.Machines[0], ring, image)))
		for _, next := range e.Machines[1:] {
			m = fst.Compose(m, fsttest.Frozen(fst.Map(next, ring, image)))
		}
		z, known := fsttest.NewWeigher(fsttest.Frozen(m)), map[[2]int]W{}
		between[n] = func(i, j int) W {
			w, ok := known[[2]int{i, j}]
			if !ok {
				w = z.Weight(on[e.From][i], on[e.To][j])
				known[[2]int{i, j}] = w
			}
			return w
		}
	}
	// The part beyond an edge is summed up once for each string before it.
	done := map[[2]int]W{}
	var below func(v, i, by int) W
	below = func(v, i, by int) W {
		w, ok := done[[2]int{v, i}]
		if ok {
			return w
		}
		w = own[v][i]
		for n, e := range problem.Edges {
			if n == by || e.From != v && e.To != v {
				continue
			}
			sum := ring.Zero()
			if e.From == v {
				for j := range on[e.To] {
					sum = ring.Plus(sum, ring.Times(between[n](i, j), below(e.To, j, n)))
				}
			} else {
				for j := range on[e.From] {
					sum = ring.Plus(sum, ring.Times(between[n](j, i), below(e.From, j, n)))
				}
			}
			w = ring.Times(w, sum)
		}
		done[[2]int{v, i}] = w
		return w
	}
	total := ring.Zero()
	for i := range on[0] {
		total = ring.Plus(total, below(0, i, -1))
	}
	return total
}

func tapes(seen []observation) []cascade.Side {
	var sides []cascade.Side
	for _, o := range seen {
		sides = append(sides, o.side)
	}
	return sides
}

// TestTrees compares the likelihood of random trees of random machines, their counts and
// their best derivations with sums over all strings on the tapes.
func TestTrees(t *testing.T) {
	checked, hidden, cyclic := 0, 0, 0
	for seed := range trials.Seeds(trials.Serial[uint64](60)) {
		rng := rand.New(rand.NewPCG(seed, 21))
		problem, seen, theta := randomTree(t, rng)
		free := 0
		for _, o := range seen {
			if !o.known {
				free++
			}
		}
		if free > 2 && seed%4 > 0 || free > 3 {
			continue // too much for the oracle
		}
		for i := range theta {
			theta[i] *= .2 // so that few labels are enough
		}
		params := problem.Params
		dense := semiring.Dense(semiring.Real{}, params.Len())
		ring := semiring.Expectation(semiring.Real{}, dense)
		type pair = semiring.Expected[float64, []float64]
		values, err := expr.Map(params.Space(), ring, func(i int32) pair {
			v := make([]float64, params.Len())
			v[i] = theta[i]
			return pair{P: theta[i], V: v}
		}, func(c semiring.ScaledFloat) pair { return pair{P: c.Float64(), V: make([]float64, params.Len())} })
		if err != nil {
			t.Fatal(err)
		}
		const length = 4
		number := semiring.Real{}
		sum := func(length int) float64 {
			return overStrings(t, number, func(h weight) float64 { return values[h].P }, problem, seen, length)
		}
		l := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{Tapes: tapes(seen), Weight: em.Times(2)}}, Underivable: em.Skip})
		e, err := l.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		total, short := sum(length), sum(length-1)
		if total == 0 {
			if len(e.Skipped) != 1 {
				t.Errorf("seed %d: not skipped", seed)
			}
			continue
		}
		if total-short > 1e-9*total {
			continue // longer strings matter, too
		} else if short != total {
			cyclic++
		}
		want := overStrings(t, ring, func(h weight) pair { return values[h] }, problem, seen, length)
		checked++
		if free > 0 {
			hidden++
		}
		if got := e.LogLikelihood / 2; math.Abs(got-math.Log(want.P)) > 1e-10*math.Abs(got) {
			t.Errorf("seed %d: log likelihood %.15g, want %.15g", seed, got, math.Log(want.P))
		}
		for i, got := range e.Counts {
			c := 0.
			if want.V != nil {
				c = 2 * want.V[i] / want.P
			}
			if !closeTo(got, c, 1e-9) {
				t.Errorf("seed %d: count %d is %.15g, want %.15g", seed, i, got, c)
			}
		}
		best := semiring.Viterbi{}
		max := overStrings(t, best, func(h weight) semiring.ScaledFloat { return semiring.NewScaled(values[h].P) }, problem, seen, length)
		e, err = l.Expect(context.Background(), em.Query{Theta: theta, EStep: em.Viterbi})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := e.LogLikelihood / 2; math.Abs(got-max.Log()) > 1e-10*math.Abs(got) {
			t.Errorf("seed %d: best derivation %.15g, want %.15g", seed, got, max.Log())
		}
	}
	t.Logf("%d trees checked, %d with hidden strings, %d of them of any length", checked, hidden, cyclic)
	if checked == 0 || checked > 10 && (cyclic == 0 || hidden == cyclic) { // a few may be of one kind
		t.Error("too few of a kind")
	}
}

// TestMarginals compares the marginal of the string of a tape with sums over all strings of the
// other tapes, in trees that may be cut elsewhere.
func TestMarginals(t *testing.T) {
	checked, cut, known := 0, 0, 0
	for seed := range trials.Seeds(trials.Serial[uint64](100)) {
		rng := rand.New(rand.NewPCG(seed, 24))
		problem, seen, theta := randomTree(t, rng)
		for i := range theta {
			theta[i] *= .2
		}
		values, err := problem.Params.Space().Evaluate(nil, problem.Params.Values(theta))
		if err != nil {
			t.Fatal(err)
		}
		tape, strings := rng.IntN(len(seen)), 0
		for v, o := range seen {
			if o.known && v != tape {
				strings++
			}
		}
		if len(seen)-strings > 2 {
			continue // too much for the oracle
		}
		f, err := cascade.Marginal(problem, cascade.Example{Tapes: tapes(seen), Weight: em.Times(7)}, tape, theta)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		z := fsttest.NewWeigher(f)
		for _, s := range fsttest.Strings(2, 1) {
			o := seen[tape]
			if o.known && !slices.Equal(o.string, s) {
				if got := z.Weight(s, s); !got.IsZero() {
					t.Errorf("seed %d: %v has the weight %v, but another string is known", seed, s, got)
				}
				continue
			}
			fixed := slices.Clone(seen)
			fixed[tape] = observation{string: s, set: o.set, known: true}
			sum := func(length int) float64 {
				return overStrings(t, semiring.Real{}, func(h weight) float64 { return values[h].Float64() }, problem, fixed, length)
			}
			want := sum(4)
			if want-sum(3) > 1e-9*want {
				continue // longer strings matter, too
			}
			if got := z.Weight(s, s).Float64(); math.Abs(got-want) > 1e-10*want {
				t.Errorf("seed %d: %v on tape %d has the weight %g, want %g", seed, s, tape, got, want)
			}
			checked++
			if strings > 1 {
				cut++
			}
			if o.known {
				known++
			}
		}
	}
	t.Logf("%d strings checked, %d in trees with several strings known, %d known themselves", checked, cut, known)
	if checked == cut || cut == 0 || known == 0 {
		t.Error("too few of a kind")
	}
}

// TestTreesAreLikelihoods: gradients, curvature, bits and vectors of queries.
func TestTreesAreLikelihoods(t *testing.T) {
	for seed := range trials.Seeds(15) {
		rng := rand.New(rand.NewPCG(seed, 22))
		problem, seen, theta := randomTree(t, rng)
		data := []cascade.Example{{Tapes: tapes(seen)}}
		for range 3 {
			rng.Shuffle(len(seen), func(i, j int) { seen[i], seen[j] = seen[j], seen[i] })
			data = append(data, cascade.Example{Tapes: tapes(seen), Weight: em.Times(.5 + rng.Float64())})
		}
		l := likelihood(t, problem, cascade.Data{Examples: data, Underivable: em.Skip})
		q := em.Query{Theta: theta, Temperature: []float64{1, .7, 1.5}[rng.IntN(3)]}
		checkGradient(t, seed, l, q)
		checkCurvature(t, seed, rng, l, q)
		likelihoodtest.Check(t, l, q)
	}
}

// TestShortForms: the likelihoods of a cascade and of its branches equal the likelihoods of the
// corresponding tree.
func TestShortForms(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 23))
		short, data, theta := randomProblem(t, rng)
		g := short.Params.Groups()[0]
		for range rng.IntN(3) {
			short.Branches = append(short.Branches, []cascade.Stage{randomMachine(t, short.Params, g, rng, 2, 8)})
		}
		// The same tapes with other numbers, X and Y last.
		n := len(short.Branches)
		tree := cascade.Problem{Params: short.Params, Edges: []cascade.Edge{{From: n + 1, To: n, Machines: short.Stages}}}
		for b, ms := range short.Branches {
			tree.Edges = append(tree.Edges, cascade.Edge{From: n, To: b, Machines: ms})
		}
		var same []cascade.Example
		for i := range data {
			for range n {
				data[i].Branches = append(data[i].Branches, cascade.Labels(randomLabels(rng, 2)...))
			}
			same = append(same, cascade.Example{Tapes: append(slices.Clone(data[i].Branches), data[i].Y, data[i].X), Weight: data[i].Weight})
		}
		a := likelihood(t, short, cascade.Data{Examples: data, Underivable: em.Skip})
		b := likelihood(t, tree, cascade.Data{Examples: same, Underivable: em.Skip})
		x, err := a.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		y, err := b.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		if !closeTo(x.LogLikelihood, y.LogLikelihood, 1e-12) || len(x.Skipped) != len(y.Skipped) {
			t.Errorf("seed %d: log likelihood %g as a tree, want %g", seed, y.LogLikelihood, x.LogLikelihood)
		}
		for i := range x.Counts {
			if !closeTo(x.Counts[i], y.Counts[i], 1e-11) {
				t.Errorf("seed %d: count %d is %g as a tree, want %g", seed, i, y.Counts[i], x.Counts[i])
			}
		}
	}
}
