package em_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

type real = semiring.Semiring[float64]

// plainMachine returns a random machine in which every state is final and reads
// both input symbols, but for some, with insertions, that only insert before they come to such a
// state.
func plainMachine(t *testing.T, rng *rand.Rand, insertions bool) *fst.FST[float64] {
	m := fst.NewBuilder(real(semiring.Real{}))
	n, inserting := int32(1+rng.IntN(4)), int32(0)
	for range n {
		m.SetFinal(m.AddState(), .1+rng.Float64())
	}
	if insertions {
		inserting = rng.Int32N(3)
	}
	m.AddStart(0, 1)
	to := func(s, in, to int32) {
		m.AddArc(s, fst.Arc[float64]{In: in, Out: rng.Int32N(3), Weight: .1 + rng.Float64(), To: to})
	}
	add := func(s, in int32) { to(s, in, rng.Int32N(n+inserting)) }
	for range inserting {
		s := m.AddState()
		for range 1 + rng.IntN(3) {
			to(s, epsilon, rng.Int32N(n))
		}
	}
	for s := range n {
		for in := int32(1); in <= 2; in++ {
			for range 1 + rng.IntN(3) {
				add(s, in)
			}
		}
		if insertions && rng.IntN(2) == 0 {
			add(s, epsilon)
			add(s, epsilon)
		}
	}
	f, err := m.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestJointSumsToOne and TestConditionalSumsToOne: at random θ the parameterized
// machine is a distribution over pairs, or over outputs for every input.
func TestJointSumsToOne(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		params := em.NewParams()
		f, err := em.Joint(params, "f", plainMachine(t, rng, true), em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		checkJoint(t, seed, params, f, params.Random(rng))
	}
}

// checkJoint asserts that all pairs of strings together have weight 1.
func checkJoint(t *testing.T, seed uint64, params *em.Params, f *fst.FST[weight], theta []float64) {
	t.Helper()
	m, err := em.Instantiate(params, f, theta, real(semiring.Real{}))
	if err != nil {
		t.Fatal(err)
	}
	if total, err := graph.PathSum(m.Graph()); err != nil || !closeTo(total, 1, 1e-9) {
		t.Errorf("seed %d: total %g (%v)", seed, total, err)
	}
}

// checkConditional asserts that all outputs of a random input together have weight 1.
func checkConditional(t *testing.T, seed uint64, params *em.Params, f *fst.FST[weight], theta []float64, rng *rand.Rand) {
	t.Helper()
	m, err := em.Instantiate(params, f, theta, real(semiring.Real{}))
	if err != nil {
		t.Fatal(err)
	}
	in := randomLabels(rng, 4)
	l, err := fst.Expand(compose(t, fst.FromString(m.Semiring(), in), m), 0)
	if err != nil {
		t.Fatal(err)
	}
	if total, err := graph.PathSum(l.Graph()); err != nil || !closeTo(total, 1, 1e-9) {
		t.Errorf("seed %d: outputs of %v have total %g (%v)", seed, in, total, err)
	}
}

func TestConditionalSumsToOne(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		params := em.NewParams()
		f, err := em.Conditional(params, "f", plainMachine(t, rng, seed%2 == 0), em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		theta := params.Random(rng)
		for range 5 {
			checkConditional(t, seed, params, f, theta, rng)
		}
	}
}

// TestWhatOnlyInserts: where a state can do nothing else, nothing is kept for it, whatever the
// law, before training and after.
func TestWhatOnlyInserts(t *testing.T) {
	m := must(fst.FromArcs(real(semiring.Real{}), map[int32]float64{0: 1},
		[]fst.Arc[float64]{{In: 'u', Out: 'm', Weight: 1, To: 1}},
		[]fst.Arc[float64]{{In: epsilon, Out: 'm', Weight: .5}, {In: epsilon, Out: 'n', Weight: .5}}))
	for _, law := range []em.Law{em.Multinomial{}, em.Dirichlet{Alpha: 2}} {
		params := em.NewParams()
		f := must(em.Conditional(params, "f", m, law))
		if got := params.Len(); got != 3 {
			t.Errorf("%v: %d parameters, want those of three arcs", law, got)
		}
		model := em.NewModel(em.Problem{Params: params, Cascade: []em.Stage{f}})
		result := must(model.Fit(t.Context(), em.Pairs([][2]string{{"u", "mm"}, {"uu", "mnmm"}}), nil))
		for _, theta := range [][]float64{params.Start(), result.Theta} {
			trained := must(em.Instantiate(params, f, theta, real(semiring.Real{})))
			lattice := must(fst.Compose(fst.FromString(real(semiring.Real{}), []rune("uu")), trained))
			if total := must(fst.PathSum(lattice, 0)); !closeTo(total, 1, 1e-12) {
				t.Errorf("%v: the outputs sum to %g", law, total)
			}
		}
	}
}

// TestStartIsTheMachine: the machine's own weights, where they are normalized
// already, are the start.
func TestStartIsTheMachine(t *testing.T) {
	m := fst.NewBuilder(real(semiring.Real{}))
	s := m.AddState()
	m.AddStart(s, 1)
	m.AddArc(s, fst.Arc[float64]{In: 1, Out: 2, Weight: .25, To: s})
	m.AddArc(s, fst.Arc[float64]{In: 2, Out: 2, Weight: .25, To: s})
	m.SetFinal(s, .5)
	f, err := m.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	params := em.NewParams()
	joint, err := em.Joint(params, "f", f, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := em.Instantiate(params, joint, params.Start(), real(semiring.Real{}))
	if err != nil {
		t.Fatal(err)
	}
	if same, err := fst.Equal(back, f, &fst.Options{Delta: 1e-15}); err != nil || !same {
		t.Errorf("the start is %v\n%s\nwant\n%s", err, back, f)
	}
	if got := params.Name(0); got != "f/0[1:2]" {
		t.Errorf("parameter 0 is called %s", got)
	}
}

// TestInstantiateForeign: a machine of other Params is refused, even where these have as many
// parameters and expressions.
func TestInstantiateForeign(t *testing.T) {
	var machines []*fst.FST[expr.W]
	var tables []*em.Params
	for range 2 {
		p := em.NewParams()
		g := p.Group("coin", 2, em.Multinomial{})
		f, err := fst.OneState(p.Space(), g.Weight(1), fst.Arc[expr.W]{In: 1, Out: 1, Weight: g.Weight(0)})
		if err != nil {
			t.Fatal(err)
		}
		machines, tables = append(machines, f), append(tables, p)
	}
	theta := []float64{.75, .25}
	if _, err := em.Instantiate(tables[0], machines[1], theta, semiring.Real{}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
	if _, err := em.Instantiate(tables[0], machines[0], theta, semiring.Real{}); err != nil {
		t.Error(err)
	}
}
