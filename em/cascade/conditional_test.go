package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// TestNormalizeConditionalByEnumeration: over the parameters and over ordinary rings, ⟦f⟧(x, y)
// is divided by its sum over y.
func TestNormalizeConditionalByEnumeration(t *testing.T) {
	ambiguous := 0
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 21))
		params := em.NewParams()
		g := params.Group("g", 6, strengths{})
		f := acyclicMachine(t, params, g, rng)
		theta := params.Random(rng)
		want := enumerate(t, params, f, theta)
		n := cascade.NormalizeConditional(f, nil)
		compare := func(kind string, got sums) {
			t.Helper()
			if len(got.pair) != len(want.pair) {
				t.Fatalf("seed %d, %s: %d pairs of strings, want %d", seed, kind, len(got.pair), len(want.pair))
			}
			for pair, p := range want.pair {
				if q := p / want.input[pair[0]]; !closeTo(got.pair[pair], q, 1e-11) {
					t.Errorf("seed %d, %s: %v has %g, want %g", seed, kind, pair, got.pair[pair], q)
				}
			}
			for x, p := range got.input {
				if !closeTo(p, 1, 1e-12) {
					t.Errorf("seed %d, %s: %s has %g over all outputs", seed, kind, x, p)
				}
			}
			ambiguous += len(want.pair) - len(want.input)
		}
		compare("expressions", enumerate(t, params, n, theta))

		compare("real", enumerate(t, params, cascade.Constants(params, normalized(t, params, f, theta, semiring.Real{})), theta))
		compare("log", enumerate(t, params, cascade.Constants(params, normalized(t, params, f, theta, semiring.Log{})), theta))
	}
	if ambiguous < 1000 {
		t.Errorf("only %d outputs compete", ambiguous)
	}
}

// normalized returns f at theta over ring, normalized there.
func normalized[W any](t testing.TB, params *em.Params, f *fst.FST[weight], theta []float64, ring semiring.Semiring[W]) *fst.FST[W] {
	t.Helper()
	m, err := cascade.Instantiate(params, f, theta, ring)
	if err != nil {
		t.Fatal(err)
	}
	n, err := fst.Expand(cascade.NormalizeConditional(m, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// twins is a random machine with cycles that has a conditional normalization: its input is the
// input of a deterministic machine with several copies of each state. Each copy has a potential,
// a parameter. An arc between copies has the weight of the deterministic arc times the potential
// of its end, divided by the potential of its beginning. So cycles of the same labels have the
// same weight. Some states insert.
func twins(t testing.TB, params *em.Params, g *em.Group, rng *rand.Rand) *fst.FST[weight] {
	k := params.Space()
	m := fst.NewBuilder(k)
	pick := func() weight { return g.Weight(rng.IntN(g.Len())) }
	over := func(a, b weight) weight { w, _ := k.RDiv(a, b); return w }
	const states, labels = 3, 2
	var copies [states][]int32
	potential := map[int32]weight{}
	for q := range copies {
		for range 1 + rng.IntN(2) {
			s := m.AddState()
			copies[q] = append(copies[q], s)
			potential[s] = pick()
		}
	}
	for q := range copies {
		stop, insert := pick(), pick()
		inserts := rng.IntN(2) == 0
		for i, s := range copies[q] {
			m.SetFinal(s, over(stop, potential[s]))
			if q == 0 && (i == 0 || rng.IntN(2) == 0) {
				m.AddStart(s, k.Times(pick(), potential[s]))
			}
			if inserts {
				m.AddArc(s, arc(epsilon, 1+rng.Int32N(2), insert, s))
			}
		}
		for in := int32(1); in <= labels; in++ {
			w, to := pick(), copies[rng.IntN(states)]
			if q == 0 && in == 1 {
				to = copies[0]
			}
			every, parallel := rng.IntN(2) == 0, 1+rng.IntN(2)
			for i, s := range copies[q] {
				for j, r := range to {
					for range parallel {
						if every || j == i%len(to) {
							m.AddArc(s, arc(in, rng.Int32N(3), k.Times(w, over(potential[r], potential[s])), r))
						}
					}
				}
			}
		}
	}
	return freeze(t, m)
}

// TestNormalizeConditionalCycles: every x of an infinite language is normalized, as it would be
// separately.
func TestNormalizeConditionalCycles(t *testing.T) {
	read, split := 0, 0
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 22))
		params := em.NewParams()
		g := params.Group("g", 6, strengths{})
		f := twins(t, params, g, rng)
		n := cascade.NormalizeConditional(f, nil)
		theta := make([]float64, params.Len())
		for i := range theta {
			theta[i] = .1 + .8*rng.Float64()
		}
		problem := cascade.Problem{Params: params}
		sum := func(m cascade.Stage, in, out []int32) float64 {
			return numeric(t, problem, theta, []cascade.Stage{m}, in, out)
		}
		for range 6 {
			in, out := append([]int32{}, randomLabels(rng, 12)...), append([]int32{}, randomLabels(rng, 6)...)
			z := sum(f, in, nil)
			if z == 0 {
				continue
			}
			read++
			if got := sum(n, in, nil); !closeTo(got, 1, 1e-12) {
				t.Errorf("seed %d: %v has %.15g over all outputs", seed, in, got)
			}
			got, want := sum(n, in, out), sum(f, in, out)/z
			if !closeTo(got, want, 1e-12) {
				t.Errorf("seed %d: %v to %v has %g, want %g", seed, in, out, got, want)
			}
			if want > 0 && want < 1 {
				split++
			}
		}
	}
	if read < 100 || split < 50 {
		t.Errorf("only %d inputs were read, %d pairs of them neither certain nor impossible", read, split)
	}
}

// TestNormalizeConditionalHiddenMiddle: a stage after another one, with both of its sides hidden:
// the likelihood by enumeration of the hidden strings, the counts as observed minus predicted
// ones, and both against finite differences.
func TestNormalizeConditionalHiddenMiddle(t *testing.T) {
	hidden := 0
	for seed := range trials.Seeds(25) {
		rng := rand.New(rand.NewPCG(seed, 23))
		params := em.NewParams()
		first, second := params.Group("first", 4, strengths{}), params.Group("second", 5, strengths{})
		g, h := acyclicMachine(t, params, first, rng), acyclicMachine(t, params, second, rng)
		n := cascade.NormalizeConditional(h, nil)
		theta := params.Random(rng)
		front, back := enumerate(t, params, g, theta), enumerate(t, params, h, theta)
		pair := map[[2]string]float64{}
		middles := map[[2]string]int{}
		for xu, p := range front.pair {
			for uy, q := range back.pair {
				if xu[1] == uy[0] {
					pair[[2]string{xu[0], uy[1]}] += p * q / back.input[uy[0]]
					middles[[2]string{xu[0], uy[1]}]++
				}
			}
		}
		var data []cascade.Example
		want := 0.
		for range 30 {
			in, out := randomLabels(rng, 2), randomLabels(rng, 2)
			xy := [2]string{fmt.Sprint(in), fmt.Sprint(out)}
			if pair[xy] == 0 {
				continue
			}
			x := cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...), Weight: em.Times(.5 + rng.Float64())}
			data = append(data, x)
			want += x.Weight.Float64() * math.Log(pair[xy])
			hidden += middles[xy] - 1
		}
		if len(data) == 0 {
			continue
		}
		l := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{g, n}}, cascade.Data{Examples: data})
		q := em.Query{Theta: theta}
		e, err := l.Expect(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !closeTo(e.LogLikelihood, want, 1e-10) {
			t.Errorf("seed %d: log likelihood %.12g, want %.12g", seed, e.LogLikelihood, want)
		}
		predicted := predict(t, params, []cascade.Stage{g, h}, theta, data)
		for i := range second.Len() {
			if got := e.Counts[first.Len()+i]; !closeTo(got, predicted[first.Len()+i], 1e-9) {
				t.Errorf("seed %d: count of parameter %d is %.12g, observed less predicted %.12g", seed, i, got, predicted[first.Len()+i])
			}
		}
		checkGradient(t, seed, l, q)
		checkCurvature(t, seed, rng, l, q)
	}
	if hidden < 30 {
		t.Errorf("only %d hidden strings compete", hidden)
	}
}

// predict returns Σᵢ Σ_u P(u | xᵢ, yᵢ)·(E[uses | u, yᵢ] − E[uses | u]) of the parameters of the
// second machine, normalized for each u. It enumerates u, and takes the expectations for one
// string at a time.
func predict(t *testing.T, params *em.Params, ms []cascade.Stage, theta []float64, data []cascade.Example) []float64 {
	t.Helper()
	problem := cascade.Problem{Params: params, Stages: ms[1:]}
	expect := func(x, y cascade.Side) *em.Expectations {
		e, err := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{X: x, Y: y}}, Underivable: em.Skip}).Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	total := make([]float64, params.Len())
	for _, x := range data {
		var weights []float64
		var uses [][]float64
		sum := 0.
		for _, u := range shortStrings() {
			side := cascade.Labels(u...)
			front := likelihood(t, cascade.Problem{Params: params, Stages: ms[:1]}, cascade.Data{Examples: []cascade.Example{{X: x.X, Y: side}}, Underivable: em.Skip})
			p, err := front.Expect(context.Background(), em.Query{Theta: theta})
			if err != nil {
				t.Fatal(err)
			}
			observed := expect(side, x.Y)
			if len(p.Skipped)+len(observed.Skipped) > 0 {
				continue
			}
			all := expect(side, cascade.Side{})
			w := math.Exp(p.LogLikelihood + observed.LogLikelihood - all.LogLikelihood)
			floats.Sub(observed.Counts, all.Counts)
			weights, uses, sum = append(weights, w), append(uses, observed.Counts), sum+w
		}
		for i, w := range weights {
			floats.AddScaled(total, x.Weight.Float64()*w/sum, uses[i])
		}
	}
	return total
}

// shortStrings returns all possible inputs and outputs of an acyclicMachine: the strings over 1
// and 2 of up to 4 labels.
func shortStrings() [][]int32 {
	all := [][]int32{{}}
	for i := 0; i < len(all) && len(all[i]) < 4; i++ {
		for label := int32(1); label <= 2; label++ {
			all = append(all, append(slices.Clone(all[i]), label))
		}
	}
	return all
}

// TestNormalizeConditionalErrors: impossible divisions are errors.
func TestNormalizeConditionalErrors(t *testing.T) {
	loop := func(w float64) *fst.FST[float64] {
		m := fst.NewBuilder(semiring.Real{})
		s := m.AddState()
		m.AddStart(s, 1)
		m.SetFinal(s, 1)
		m.AddArc(s, fst.Arc[float64]{In: epsilon, Out: 1, Weight: w, To: s})
		f, err := m.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if err := fst.Err(cascade.NormalizeConditional(loop(1), nil)); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("infinitely many outputs: %v", err)
	}
	series := cascade.NormalizeConditional(loop(.5), nil)
	if z, err := fst.PathSum(series, nil); err != nil || !closeTo(z, 1, 1e-15) {
		t.Errorf("a geometric series has %g (%v)", z, err)
	}
	real := semiring.Real{}
	empty, err := fst.NewBuilder(real).Freeze()
	if err != nil {
		t.Fatal(err)
	}
	if f, err := fst.Expand(cascade.NormalizeConditional(empty, nil), nil); err != nil || f.NumStates() != 0 {
		t.Errorf("no string at all: %v", err)
	}
	pairs := semiring.LeftString{}
	if err := fst.Err(cascade.NormalizeConditional(fst.FromString(pairs, []int32{1}), nil)); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring that is not commutative: %v", err)
	}
	best, err := semiring.KBest(semiring.Tropical{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := fst.Err(cascade.NormalizeConditional(fst.FromString(best, []int32{1}), nil)); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without division: %v", err)
	}
	counts := semiring.Semiring[*big.Int](semiring.Counting{})
	one := fst.FromString(counts, []int32{1})
	twice := fst.Map(one, counts, func(*big.Int) *big.Int { return big.NewInt(2) })
	if err := fst.Err(cascade.NormalizeConditional(twice, nil)); !errors.Is(err, em.ErrParameter) {
		t.Errorf("a whole number without an inverse: %v", err)
	}
	wantIn(t, fst.Err(cascade.NormalizeConditional(fst.Union(one, one), nil)), "no common divisor", "the sum 2")

	// ε-cycles of parameters diverge only at evaluation.
	params := em.NewParams()
	f, _ := insertions(t, params)
	n := cascade.NormalizeConditional(f, nil)
	l := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{n}}, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1), Y: cascade.Labels(1)}}})
	if _, err := l.Expect(context.Background(), em.Query{Theta: []float64{1, 1, 1, 1}}); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("a cycle of weight 1: %v", err)
	}
}
