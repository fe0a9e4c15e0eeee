package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

func TestBadStart(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	n := problem.Params.Len()
	start := func(change func([]float64)) []float64 {
		theta := problem.Params.Start()
		change(theta)
		return theta
	}
	for says, theta := range map[string][]float64{
		"all parameters are zero":  make([]float64, n),
		"channel[3] is NaN":        start(func(v []float64) { v[3] = math.NaN() }),
		"channel[0] is -1":         start(func(v []float64) { v[0] = -1 }),
		"channel[34] is +Inf":      start(func(v []float64) { v[34] = math.Inf(1) }),
		"parameters sum to":        start(func(v []float64) { v[1] += .1 }),
		"2 values for 35 paramete": {.5, .5},
	} {
		_, err := problem.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Start: theta})
		if !errors.Is(err, em.ErrParameter) {
			t.Errorf("error %v, want ErrParameter", err)
		}
		wantIn(t, err, says)
	}
}

func TestBadOptions(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	for says, opts := range map[string]em.Options{
		"iterations":           {Iterations: -1},
		"temperature NaN":      {Temperature: math.NaN()},
		"temperature -1":       {Temperature: -1},
		"tolerance":            {Tolerance: math.NaN()},
		"-2 restarts":          {Restarts: -2},
		"source of randomness": {Restarts: 2},
		"workers":              {Workers: -1},
		"unknown EStep(9)":     {EStep: 9},
	} {
		_, err := problem.Fit(context.Background(), cascade.Data{Examples: data}, &opts)
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		wantIn(t, err, says)
	}
}

func TestBadProblem(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	other, _ := noisyProblem(t, em.Multinomial{})
	with := func(e cascade.Example) []cascade.Example { return append(data[:2:2], e) }
	for says, c := range map[string]struct {
		problem cascade.Problem
		data    []cascade.Example
	}{
		"no examples":            {problem, nil},
		"Stages is empty":        {cascade.Problem{Params: problem.Params}, data},
		"machine 0":              {cascade.Problem{Params: problem.Params, Stages: other.Stages}, data},
		"is nil":                 {cascade.Problem{Params: problem.Params, Stages: []cascade.Stage{nil}}, data},
		"example 2 has weight":   {problem, with(cascade.Example{Weight: em.Times(-1)})},
		"example 2 (x): label 0": {problem, with(cascade.Example{Name: "x", X: cascade.Labels(1, 0)})},
		"example 2: the weights": {problem, with(cascade.Example{X: cascade.Set(anything(t, other.Params, 1))})},
	} {
		_, err := c.problem.Fit(context.Background(), cascade.Data{Examples: c.data}, nil)
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		wantIn(t, err, says)
	}
}

// TestUnderivable: examples without a derivation fail the run or are listed by name, if the
// machines exclude them and if a parameter is zero.
func TestUnderivable(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	data[7] = cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(99), Name: "unknown symbol"}
	data[250] = cascade.Example{X: cascade.Labels(2), Y: cascade.Side{}}
	start := problem.Params.Start()
	for i := 2*6 - 1; i < 3*6-1; i++ { // no arc reads symbol 2
		start[i], start[0] = 0, start[0]+start[i]
	}
	opts := &em.Options{Start: start, Iterations: 4}
	set := cascade.Data{Examples: data}
	_, err := problem.Fit(context.Background(), set, opts)
	if !errors.Is(err, em.ErrUnderivable) {
		t.Fatalf("error %v, want ErrUnderivable", err)
	}
	wantIn(t, err, "of 300 examples")

	set.Underivable = em.Skip
	r, err := problem.Fit(context.Background(), set, opts)
	if err != nil {
		t.Fatal(err)
	}
	structural, zero := 0, 0
	for i, s := range r.Skipped {
		if i > 0 && r.Skipped[i-1].Index >= s.Index {
			t.Errorf("skipped examples out of order: %v, %v", r.Skipped[i-1], s)
		}
		if s.Structural {
			structural++
			if s.Index != 7 || s.String() != "example 7 (unknown symbol): label 'c' (99) at position 0 of Y is written by no arc" {
				t.Errorf("skipped %v", s)
			}
		} else {
			zero++
		}
	}
	if structural != 1 || zero == 0 {
		t.Errorf("%d structural, %d of probability zero", structural, zero)
	}
}

func TestBadData(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	for says, d := range map[string]cascade.Data{
		"unknown policy":   {Examples: data, Underivable: 7},
		"lattice limit -5": {Examples: data, LatticeLimit: -5},
	} {
		_, err := problem.Likelihood(d)
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		wantIn(t, err, says)
	}
}

func TestLatticeLimit(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	few := cascade.Data{Examples: data, LatticeLimit: 100, Strategy: cascade.ByLattice}
	_, err := problem.Fit(context.Background(), few, nil)
	if !errors.Is(err, semiring.ErrLimit) {
		t.Fatalf("error %v, want ErrLimit", err)
	}
	wantIn(t, err, "lattice of example")
	few.Strategy = cascade.BySize // examples go without lattices if possible
	e, err := likelihood(t, problem, few).Expect(context.Background(), em.Query{Theta: problem.Params.Start()})
	if err != nil || e.WithoutLattice != len(data) {
		t.Errorf("%d of %d examples without a lattice, error %v", e.WithoutLattice, len(data), err)
	}
}

// TestNil: a nil argument panics with its name.
func TestNil(t *testing.T) {
	for says, do := range map[string]func(){
		"em: Group: nil law":                              func() { em.NewParams().Group("g", 2, nil) },
		"cascade: Conditional: nil law":                   func() { cascade.Conditional(em.NewParams(), "g", coin(t), nil) },
		"cascade: Joint: nil law":                         func() { cascade.Joint(em.NewParams(), "g", coin(t), (*em.LogLinear)(nil)) },
		"cascade: Joint: nil machine":                     func() { cascade.Joint[bool](em.NewParams(), "g", nil, em.Multinomial{}) },
		"cascade: Joint: nil parameters":                  func() { cascade.Joint(nil, "g", coin(t), em.Multinomial{}) },
		"cascade: Normalize: nil machine":                 func() { cascade.Normalize[bool](nil) },
		"cascade: NormalizeConditional: nil machine":      func() { cascade.NormalizeConditional[bool](nil, nil) },
		"cascade: Constants: nil machine":                 func() { cascade.Constants(em.NewParams(), (*fst.FST[bool])(nil)) },
		"cascade: Power: nil machine":                     func() { cascade.Power(nil, expr.One) },
		"cascade: MarkovianJoint: nil machine":            func() { cascade.MarkovianJoint[float64](nil, 0) },
		"cascade: Intersect: nil parameters":              func() { cascade.Intersect(nil, cascade.Side{}, cascade.Side{}) },
		"cascade: Pattern: nil parameters":                func() { cascade.Pattern(nil, nil) },
		"cascade: Hamming: nil parameters":                func() { cascade.Hamming(nil, expr.One, nil, nil) },
		"cascade: Set: nil acceptor":                      func() { cascade.Set(nil) },
		"cascade: Derivations.Likelihood: nil parameters": func() { cascade.Derivations{}.Likelihood(nil) },
		"cascade: Derivations.Sampled: nil parameters":    func() { cascade.Derivations{}.Sampled(nil, cascade.Sampling{Draws: 1}) },
		"cascade: Instantiate: nil ring": func() {
			p := em.NewParams()
			f := cascade.Joint(p, "g", coin(t), em.Multinomial{})
			cascade.Instantiate[float64](p, f, p.Start(), nil)
		},
		"em: LogLikelihood: nil likelihood": func() { em.LogLikelihood(context.Background(), nil, nil) },
		"cascade: Problem.Fit: nil context": func() { cascade.Problem{}.Fit(nil, cascade.Data{}, nil) },    //lint:ignore SA1012 it is the test
		"cascade: Totals: nil context":      func() { cascade.Problem{}.Totals(nil, nil, cascade.Data{}) }, //lint:ignore SA1012 it is the test
		"em: Fit: nil likelihood":           func() { em.Fit(context.Background(), nil, nil) },
		"em: Fit: nil context": func() {
			p := em.NewParams()
			f := cascade.Joint(p, "g", coin(t), em.Multinomial{})
			l, err := cascade.Problem{Params: p, Stages: []cascade.Stage{f}}.Likelihood(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1)}}})
			if err != nil {
				t.Fatal(err)
			}
			em.Fit(nil, l, nil) //lint:ignore SA1012 it is the test
		},
	} {
		func() {
			defer func() {
				if got := recover(); got != says {
					t.Errorf("%v, want %s", got, says)
				}
			}()
			do()
		}()
	}
}

// coin is a machine of one state that accepts strings over one label.
func coin(t testing.TB) *fst.FST[bool] {
	b := fst.NewBuilder(semiring.Boolean{})
	s := b.AddState()
	b.AddStart(s, true)
	b.SetFinal(s, true)
	b.AddArc(s, fst.Arc[bool]{In: 1, Out: 1, Weight: true, To: s})
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A saved model with two groups of one name is invalid.
func TestLoadGroupsOfOneName(t *testing.T) {
	p := em.NewParams()
	g, h := p.Group("one", 2, em.Multinomial{}), p.Group("two", 1, em.Multinomial{})
	f := fst.OneState(p.Space(), h.Weight(0), fst.Arc[expr.W]{In: 'a', Out: 'a', Weight: g.Weight(0)})
	model := cascade.NewModel(cascade.Problem{Params: p, Stages: []cascade.Stage{f}})
	var text bytes.Buffer
	if err := model.Save(&text); err != nil {
		t.Fatal(err)
	}
	twice := strings.Replace(text.String(), `"two"`, `"one"`, 1)
	if _, err := cascade.Load(strings.NewReader(twice)); !errors.Is(err, em.ErrFormat) || !strings.Contains(err.Error(), "one") {
		t.Errorf("error %v, want ErrFormat that names the group", err)
	}
}

// A symbol with the name of a coin makes an error, not a second group of the same name.
func TestSymbolNamedAsCoin(t *testing.T) {
	names := fst.NewSymbols()
	insert, a := names.Add("insert"), names.Add("a")
	m, err := fst.Expand(fst.OneState(semiring.Boolean{}, true,
		fst.Arc[bool]{Out: a, Weight: true}, fst.Arc[bool]{In: insert, Out: a, Weight: true}, fst.Arc[bool]{In: a, Out: a, Weight: true}), nil)
	if err != nil {
		t.Fatal(err)
	}
	m = m.WithSymbols(names, names)
	_, err = fst.Expand(cascade.Conditional(em.NewParams(), "channel", m, em.Multinomial{}), nil)
	if !errors.Is(err, em.ErrParameter) || !strings.Contains(err.Error(), "channel/0/insert") {
		t.Errorf("error %v, want ErrParameter that names the group", err)
	}
}

// TestArcNames: labels are named by the machine's table. Without one they are characters, if all
// labels of the tape except ε are, and otherwise numbers.
func TestArcNames(t *testing.T) {
	letters := fst.RuneSymbols("a-c")
	for _, c := range []struct {
		symbols *fst.Symbols
		other   fst.Arc[bool] // besides a:b
		want    []string
	}{
		{nil, fst.Arc[bool]{In: 'c', Out: fst.Epsilon}, []string{"m/0[a:b]", "m/0[c:ε]"}},
		{nil, fst.Arc[bool]{In: 1, Out: 'ß'}, []string{"m/0[97:b]", "m/0[1:ß]"}},
		{nil, fst.Arc[bool]{In: ' ', Out: 2_000_000}, []string{"m/0[97:98]", "m/0[32:2000000]"}},
		{letters, fst.Arc[bool]{In: 'c', Out: 'd'}, []string{"m/0[a:b]", "m/0[c:100]"}},
	} {
		c.other.Weight = true
		plain := must(fst.Expand(fst.OneState(semiring.Boolean{}, true, fst.Arc[bool]{In: 'a', Out: 'b', Weight: true}, c.other), nil)).WithSymbols(c.symbols, c.symbols)
		params := em.NewParams()
		if err := fst.Err(cascade.Joint(params, "m", plain, em.Multinomial{})); err != nil {
			t.Fatal(err)
		}
		var got []string
		for name := range params.Named(params.Start()) {
			got = append(got, name)
		}
		if want := append(c.want, "m/0[stop]"); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
