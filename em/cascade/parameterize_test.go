package cascade_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

type real = semiring.Semiring[float64]

// plainMachine returns a random machine in which every state is final and reads both input
// symbols. With insertions, some states only insert before they reach such a state.
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
		f := cascade.Joint(params, "f", plainMachine(t, rng, true), em.Multinomial{})
		checkJoint(t, seed, params, f, params.Random(rng))
	}
}

// checkJoint asserts that all pairs of strings together have weight 1.
func checkJoint(t *testing.T, seed uint64, params *em.Params, f cascade.Stage, theta []float64) {
	t.Helper()
	m, err := cascade.Instantiate(params, f, theta, real(semiring.Real{}))
	if err != nil {
		t.Fatal(err)
	}
	if total, err := graph.PathSum(m.Graph()); err != nil || !closeTo(total, 1, 1e-9) {
		t.Errorf("seed %d: total %g (%v)", seed, total, err)
	}
}

// checkConditional asserts that all outputs of a random input together have weight 1.
func checkConditional(t *testing.T, seed uint64, params *em.Params, f cascade.Stage, theta []float64, rng *rand.Rand) {
	t.Helper()
	m, err := cascade.Instantiate(params, f, theta, real(semiring.Real{}))
	if err != nil {
		t.Fatal(err)
	}
	in := randomLabels(rng, 4)
	if total, err := fst.PathSum(fst.Compose(fst.FromString(m.Semiring(), in), m), nil); err != nil || !closeTo(total, 1, 1e-9) {
		t.Errorf("seed %d: outputs of %v have total %g (%v)", seed, in, total, err)
	}
}

func TestConditionalSumsToOne(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		params := em.NewParams()
		f := cascade.Conditional(params, "f", plainMachine(t, rng, seed%2 == 0), em.Multinomial{})
		theta := params.Random(rng)
		for range 5 {
			checkConditional(t, seed, params, f, theta, rng)
		}
	}
}

// TestWhatOnlyInserts: a state that only inserts reserves no probability for other choices, under
// any law, before training and after.
func TestWhatOnlyInserts(t *testing.T) {
	m := fst.FromArcs(real(semiring.Real{}), map[int32]float64{0: 1},
		[]fst.Arc[float64]{{In: 'u', Out: 'm', Weight: 1, To: 1}},
		[]fst.Arc[float64]{{In: epsilon, Out: 'm', Weight: .5}, {In: epsilon, Out: 'n', Weight: .5}})
	for _, law := range []em.Law{em.Multinomial{}, em.Dirichlet{Alpha: 2}} {
		params := em.NewParams()
		f := cascade.Conditional(params, "f", m, law)
		if got := params.Len(); got != 3 {
			t.Errorf("%v: %d parameters, want those of three arcs", law, got)
		}
		model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{f}})
		result := must(model.Fit(t.Context(), cascade.Pairs([][2]string{{"u", "mm"}, {"uu", "mnmm"}}), nil))
		for _, theta := range [][]float64{params.Start(), result.Theta} {
			trained := must(cascade.Instantiate(params, f, theta, real(semiring.Real{})))
			lattice := fst.Compose(fst.FromString(real(semiring.Real{}), []rune("uu")), trained)
			if total := must(fst.PathSum(lattice, nil)); !closeTo(total, 1, 1e-12) {
				t.Errorf("%v: the outputs sum to %g", law, total)
			}
		}
	}
}

// TestStartIsTheMachine: if the machine's own weights are normalized, they are the start.
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
	joint := cascade.Joint(params, "f", f, em.Multinomial{})
	back, err := cascade.Instantiate(params, joint, params.Start(), real(semiring.Real{}))
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

// TestInstantiateForeign: a machine of other Params is an error, even if these have the same
// number of parameters and expressions.
func TestInstantiateForeign(t *testing.T) {
	var machines []cascade.Stage
	var tables []*em.Params
	for range 2 {
		p := em.NewParams()
		g := p.Group("coin", 2, em.Multinomial{})
		f := fst.OneState(p.Space(), g.Weight(1), fst.Arc[expr.W]{In: 1, Out: 1, Weight: g.Weight(0)})
		machines, tables = append(machines, f), append(tables, p)
	}
	theta := []float64{.75, .25}
	if _, err := cascade.Instantiate(tables[0], machines[1], theta, semiring.Real{}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
	if _, err := cascade.Instantiate(tables[0], machines[0], theta, semiring.Real{}); err != nil {
		t.Error(err)
	}
}

// raggedMachine returns a random machine with states of all kinds: they stop, read one symbol or
// both, insert, or combine several of these, and some lead to no final state.
func raggedMachine(t *testing.T, rng *rand.Rand) *fst.FST[float64] {
	m := fst.NewBuilder(real(semiring.Real{}))
	n := int32(2 + rng.IntN(4))
	m.AddStates(int(n))
	for range 1 + rng.IntN(2) {
		m.AddStart(rng.Int32N(n), .1+rng.Float64())
	}
	for s := range n {
		kind := 1 + rng.IntN(15)
		if kind&1 != 0 {
			m.SetFinal(s, .1+rng.Float64())
		}
		for in := range int32(3) { // 0 inserts
			for range rng.IntN(3) * (kind >> (in + 1) & 1) {
				out := 1 + rng.Int32N(2)
				m.AddArc(s, fst.Arc[float64]{In: in, Out: out, Weight: .1 + rng.Float64(), To: rng.Int32N(n)})
			}
		}
	}
	f, err := m.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// walk follows all paths of f through in, or through any input if joint, step by step. It returns
// the mass that has stopped at the end, and whether a state was reached that could not continue.
// So it is an oracle without sums of series.
func walk(f *fst.FST[float64], in []int32, joint bool) (stopped float64, stuck bool) {
	type place struct {
		state int32
		at    int
	}
	here := map[place]float64{}
	for _, s := range f.AppendStarts(nil) {
		if s.Weight != 0 {
			here[place{s.State, 0}] += s.Weight
		}
	}
	for step, mass := 0, 1.0; mass > 1e-12 && step < 4000; step++ {
		next := map[place]float64{}
		for p, m := range here {
			end := f.Final(p.state)
			inserts, reads := 0, end != 0 && (joint || p.at == len(in))
			if reads {
				stopped += m * end
			}
			does := end != 0 // whether s does more than insert
			for _, a := range f.AppendArcs(nil, p.state) {
				to := place{a.To, p.at}
				switch {
				case a.Weight == 0:
					continue
				case a.In == epsilon:
					inserts++
				default:
					does = true
					if !joint && (p.at == len(in) || a.In != in[p.at]) {
						continue
					}
					reads = true
					if !joint {
						to.at++
					}
				}
				next[to] += m * a.Weight
			}
			stuck = stuck || !reads && (does || inserts == 0)
		}
		here, mass = next, 0
		for _, x := range next {
			mass += x
		}
	}
	return stopped, stuck
}

// TestParameterizedSums: Joint and Conditional, with any law, sum to 1 wherever documented, at
// the start, at random θ and after training with a prior, on machines of all kinds. Elsewhere
// they sum to the result of walk, and never to more.
func TestParameterizedSums(t *testing.T) {
	named := func(state int32, a *fst.Arc[float64]) []em.Feature {
		if a == nil {
			return []em.Feature{{Name: "stop"}}
		}
		return []em.Feature{{Name: string('0' + a.Out)}, {Name: string('a' + a.To)}}
	}
	type maker func(*em.Params, *fst.FST[float64]) cascade.Stage
	for name, c := range map[string]struct {
		joint bool
		make  maker
	}{
		"joint": {true, func(p *em.Params, f *fst.FST[float64]) cascade.Stage {
			return cascade.Joint(p, "f", f, em.Dirichlet{Alpha: 2})
		}},
		"joint, log-linear": {true, func(p *em.Params, f *fst.FST[float64]) cascade.Stage {
			return cascade.JointLogLinear(p, "f", f, named, em.LogLinearOptions{Sigma: 1})
		}},
		"conditional": {false, func(p *em.Params, f *fst.FST[float64]) cascade.Stage {
			return cascade.Conditional(p, "f", f, em.Dirichlet{Alpha: 2})
		}},
		"conditional, log-linear": {false, func(p *em.Params, f *fst.FST[float64]) cascade.Stage {
			return cascade.ConditionalLogLinear(p, "f", f, named, em.LogLinearOptions{Sigma: 1})
		}},
	} {
		promised, lost, trained := 0, 0, 0
		for seed := range trials.Seeds(60) {
			rng := rand.New(rand.NewPCG(seed, 7))
			plain := raggedMachine(t, rng)
			if must(fst.Connect(plain, nil)).NumStates() == 0 {
				continue
			}
			params := em.NewParams()
			f := c.make(params, plain)
			check := func(what string, theta []float64) {
				m, err := cascade.Instantiate(params, f, theta, real(semiring.Real{}))
				if err != nil {
					t.Fatalf("%s, seed %d, %s: %v", name, seed, what, err)
				}
				inputs := [][]int32{{}, {1}, {2}, {1, 2}, {2, 1, 1}, {1, 1}}
				if c.joint {
					inputs = inputs[:1]
				}
				for _, in := range inputs {
					var of fst.Machine[float64] = m
					if !c.joint {
						of = fst.Compose(fst.FromString(m.Semiring(), in), m)
					}
					got, err := fst.PathSum(of, nil)
					if err != nil {
						t.Fatalf("%s, seed %d, %s: %v: %v", name, seed, what, in, err)
					}
					want, stuck := walk(m, in, c.joint)
					if !stuck {
						promised++
						want = 1
					} else if want < 1-1e-6 {
						lost++
					}
					if !closeTo(got, want, 1e-6) || got > 1+1e-9 {
						t.Errorf("%s, seed %d, %s: input %v sums to %.9g, want %.9g", name, seed, what, in, got, want)
					}
				}
			}
			check("start", params.Start())
			random := params.Random(rng)
			check("random θ", random)
			data := sampled(t, params, f, random, rng)
			if len(data) == 0 {
				continue
			}
			trained++
			r, err := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Start: random, Iterations: 5})
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			check("trained", r.Theta)
		}
		if promised < 100 || !c.joint && lost < 100 || trained < 20 {
			t.Errorf("%s: only %d sums were promised, %d lost mass, %d machines trained", name, promised, lost, trained)
		}
	}
}

// sampled returns pairs drawn from f at theta.
func sampled(t *testing.T, params *em.Params, f cascade.Stage, theta []float64, rng *rand.Rand) (data []cascade.Example) {
	m, err := cascade.Instantiate(params, f, theta, real(semiring.Real{}))
	if err != nil {
		t.Fatal(err)
	}
	s, err := fst.NewSampler(m, nil)
	if err != nil {
		return nil // cycles that sum to too much
	}
	for range 5 {
		if path := s.Sample(rng); len(path.In)+len(path.Out) < 20 {
			data = append(data, cascade.Example{X: cascade.Labels(path.In...), Y: cascade.Labels(path.Out...)})
		}
	}
	return data
}

// TestConditionalWithoutCoin: a state that neither reads nor stops has no coin, so that it loses
// no mass under any law: "each u writes two letters", trained with a prior.
func TestConditionalWithoutCoin(t *testing.T) {
	plain := fst.FromArcs(real(semiring.Real{}), map[int32]float64{0: 1},
		[]fst.Arc[float64]{{In: 'u', Out: 'm', Weight: 1, To: 1}},
		[]fst.Arc[float64]{{Out: 'm', Weight: .5}, {Out: 'n', Weight: .5}})
	params := em.NewParams()
	f := cascade.Conditional(params, "f", plain, em.Dirichlet{Alpha: 2})
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{f}})
	if _, err := model.Fit(context.Background(), cascade.Pairs([][2]string{{"u", "mm"}, {"uu", "mnmm"}}), nil); err != nil {
		t.Fatal(err)
	}
	trained, err := cascade.Instantiate(params, f, model.Theta, real(semiring.Real{}))
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	// Of three letters two were m, and the prior adds one to each count.
	for out, want := range map[string]float64{"mm": .6, "mn": .4} {
		w, err := fst.Weight(trained, []rune("u"), []rune(out), nil)
		if err != nil || !closeTo(w, want, 1e-9) {
			t.Errorf("u → %s has %g (%v), want %g", out, w, err, want)
		}
		total += w
	}
	if !closeTo(total, 1, 1e-12) {
		t.Errorf("the outputs of u sum to %g", total)
	}
	if _, ok := params.Lookup("f/1/insert[no]"); ok {
		t.Error("there is a coin where nothing reads and nothing stops")
	}
}

// TestOneName: two machines of one name would have parameters with the same names.
func TestOneName(t *testing.T) {
	plain := plainMachine(t, rand.New(rand.NewPCG(1, 0)), true)
	features := func(int32, *fst.Arc[float64]) []em.Feature { return []em.Feature{{Name: "one"}} }
	for name, parameterize := range map[string]func(*em.Params, string) cascade.Stage{
		"Joint": func(p *em.Params, name string) cascade.Stage {
			return cascade.Joint(p, name, plain, em.Multinomial{})
		},
		"Conditional": func(p *em.Params, name string) cascade.Stage {
			return cascade.Conditional(p, name, plain, em.Multinomial{})
		},
		"JointLogLinear": func(p *em.Params, name string) cascade.Stage {
			return cascade.JointLogLinear(p, name, plain, features, em.LogLinearOptions{})
		},
		"GlobalLogLinear": func(p *em.Params, name string) cascade.Stage {
			return cascade.GlobalLogLinear(p, name, plain, features, em.LogLinearOptions{})
		},
	} {
		params := em.NewParams()
		if err := fst.Err(parameterize(params, "f")); err != nil {
			t.Fatal(err)
		}
		if err := fst.Err(parameterize(params, "f/g")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		err := fst.Err(parameterize(params, "f"))
		if !errors.Is(err, em.ErrParameter) {
			t.Errorf("%s, the same name twice: %v", name, err)
			continue
		}
		wantIn(t, err, "the group f", `give this machine another name than "f"`)
	}
}
