package cascade_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// stageMakers lists all functions that make a machine of expressions from one of numbers,
// directly or from constants.
var stageMakers = map[string]func(p *em.Params, m fst.Machine[float64]) cascade.Stage{
	"Joint": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.Joint(p, "m", m, em.Multinomial{})
	},
	"Conditional": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.Conditional(p, "m", m, em.Multinomial{})
	},
	"JointLogLinear": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.JointLogLinear(p, "m", m, byArc, em.LogLinearOptions{})
	},
	"ConditionalLogLinear": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.ConditionalLogLinear(p, "m", m, byArc, em.LogLinearOptions{})
	},
	"GlobalLogLinear": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.GlobalLogLinear(p, "m", m, byArc, em.LogLinearOptions{})
	},
	"Constants": cascade.Constants[float64],
	"Power": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.Power(cascade.Constants(p, m), p.Space().Const(semiring.NewScaled(2)))
	},
	"Normalize": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.Normalize(cascade.Constants(p, m))
	},
	"Normalize numbers": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.Constants(p, cascade.Normalize(m))
	},
	"NormalizeConditional": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.NormalizeConditional(cascade.Constants(p, m), nil)
	},
	"NormalizeConditional numbers": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return cascade.Constants(p, cascade.NormalizeConditional(m, nil))
	},
	"Compose": func(p *em.Params, m fst.Machine[float64]) cascade.Stage {
		return fst.Compose(cascade.Joint(p, "m", m, em.Multinomial{}), cascade.Constants(p, m))
	},
}

// sideMakers lists all functions that make a side from a machine.
var sideMakers = map[string]func(p *em.Params, m cascade.Stage) cascade.Side{
	"Set": func(_ *em.Params, m cascade.Stage) cascade.Side { return cascade.Set(m) },
	"Intersect, first": func(p *em.Params, m cascade.Stage) cascade.Side {
		return cascade.Intersect(p, cascade.Set(m), cascade.Text("a"))
	},
	"Intersect, second": func(p *em.Params, m cascade.Stage) cascade.Side {
		return cascade.Intersect(p, cascade.Labels(1), cascade.Set(m))
	},
	"Intersect, with nothing": func(p *em.Params, m cascade.Stage) cascade.Side {
		return cascade.Intersect(p, cascade.Set(m), cascade.Side{})
	},
	"Intersect, with a failure": func(p *em.Params, m cascade.Stage) cascade.Side {
		return cascade.Intersect(p, cascade.Set(m), cascade.Pattern(p, nil, 0))
	},
}

// problemUses lists all functions of a problem that return the errors of its stages and sides.
var problemUses = map[string]func(t *testing.T, p cascade.Problem, x cascade.Example) error{
	"Likelihood": func(_ *testing.T, p cascade.Problem, x cascade.Example) error {
		_, err := p.Likelihood(one(x))
		return err
	},
	"ConditionalLikelihood": func(_ *testing.T, p cascade.Problem, x cascade.Example) error {
		_, err := p.ConditionalLikelihood(one(x))
		return err
	},
	"NormalizedLikelihood": func(_ *testing.T, p cascade.Problem, x cascade.Example) error {
		_, err := p.NormalizedLikelihood(one(x))
		return err
	},
	"Fit": func(t *testing.T, p cascade.Problem, x cascade.Example) error {
		_, err := p.Fit(t.Context(), one(x), nil)
		return err
	},
	"Model.Fit": func(t *testing.T, p cascade.Problem, x cascade.Example) error {
		m := cascade.NewModel(p)
		_, err := m.Fit(t.Context(), one(x), nil)
		return err
	},
	"Corpus": func(_ *testing.T, p cascade.Problem, x cascade.Example) error {
		_, err := p.Corpus(one(x))
		return err
	},
	"Totals": func(t *testing.T, p cascade.Problem, x cascade.Example) error {
		_, err := p.Totals(t.Context(), p.Params.Start(), one(x))
		return err
	},
	"Marginal": func(_ *testing.T, p cascade.Problem, x cascade.Example) error {
		_, err := cascade.Marginal(p, x, 1, p.Params.Start())
		return err
	},
}

func one(x cascade.Example) cascade.Data { return cascade.Data{Examples: []cascade.Example{x}} }

// TestFailedStages: functions that make a stage or a side of a failed machine pass its error on
// unchanged and add no parameters. Uses of the problem then return the error, once.
func TestFailedStages(t *testing.T) {
	cause := errors.New("there is no such file")
	checkUses := func(what string, p cascade.Problem, x cascade.Example) {
		t.Helper()
		for use, do := range problemUses {
			err := do(t, p, x)
			if !errors.Is(err, cause) || strings.Count(err.Error(), cause.Error()) != 1 {
				t.Errorf("%s, %s: error %v, want %v once", what, use, err, cause)
			}
		}
	}
	for name, stage := range stageMakers {
		params := em.NewParams()
		failed := stage(params, fst.Failed(real(semiring.Real{}), cause))
		if err := fst.Err(failed); err != cause {
			t.Errorf("%s: error %v, want %v", name, err, cause)
		}
		if params.Len() != 0 || len(params.Groups()) != 0 {
			t.Errorf("%s: there are %d parameters", name, params.Len())
		}
		if failed.Semiring() != semiring.Semiring[weight](params.Space()) {
			t.Errorf("%s: a failed machine over %T", name, failed.Semiring())
		}
		good := cascade.Constants(params, editMachine(t, 1))
		checkUses(name, cascade.Problem{Params: params, Stages: []cascade.Stage{good, failed}}, cascade.Example{})
		branched := cascade.Problem{Params: params, Stages: []cascade.Stage{good}, Branches: [][]cascade.Stage{{failed}}}
		checkUses(name+" in a branch", branched, cascade.Example{Branches: make([]cascade.Side, 1)})
		for what, do := range map[string]func() error{
			"Save": func() error {
				m := cascade.NewModel(branched)
				return m.Save(new(bytes.Buffer))
			},
			"Instantiate": func() error {
				_, err := cascade.Instantiate(params, failed, nil, semiring.Real{})
				return err
			},
		} {
			if err := do(); !errors.Is(err, cause) || strings.Count(err.Error(), cause.Error()) != 1 {
				t.Errorf("%s, %s: error %v, want %v once", name, what, err, cause)
			}
		}
		tree := cascade.Problem{Params: params, Edges: []cascade.Edge{{From: 0, To: 1, Machines: []cascade.Stage{failed}}}}
		if _, err := tree.Likelihood(one(cascade.Example{})); !errors.Is(err, cause) {
			t.Errorf("%s in an edge: error %v, want %v", name, err, cause)
		}
	}
	for name, side := range sideMakers {
		params := em.NewParams()
		failed := side(params, fst.Failed(params.Space(), cause))
		if err := failed.Err(); err != cause {
			t.Errorf("%s: error %v, want %v", name, err, cause)
		}
		if failed.Unknown() || failed.String() != cause.Error() {
			t.Errorf("%s: absent %v, printed %q", name, failed.Unknown(), failed)
		}
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{cascade.Constants(params, editMachine(t, 1))}}
		checkUses(name, problem, cascade.Example{X: failed, Name: "torn"})
		checkUses(name, problem, cascade.Example{Y: failed})
		_, err := problem.Likelihood(one(cascade.Example{Y: failed, Name: "torn"}))
		wantIn(t, err, "example 0 (torn)")
	}
	for name, check := range map[string]func(fst.Machine[float64], float64) (*cascade.Markovian, error){
		"MarkovianJoint": cascade.MarkovianJoint[float64], "MarkovianConditional": cascade.MarkovianConditional[float64],
	} {
		if _, err := check(fst.Failed(real(semiring.Real{}), cause), 0); !errors.Is(err, cause) {
			t.Errorf("%s: error %v, want %v", name, err, cause)
		}
	}
}

// TestStageErrors: the first use of a stage returns the stage's own error, which names the
// function.
func TestStageErrors(t *testing.T) {
	params := em.NewParams()
	loss := params.Group("loss", 1, em.Fixed{})
	for says, stage := range map[string]cascade.Stage{
		"Joint: bad parameter: group m/0": cascade.Joint(params, "m", fst.OneState(real(semiring.Real{}), 1, fst.Arc[float64]{In: 1, Out: 1, Weight: -1}), em.Multinomial{}),
		"Constants: ":                     cascade.Constants(params, fst.FromString(semiring.LeftString{}, []int32{1})),
		"Power: invalid input: the value": cascade.Power(cascade.Constants(params, coin(t)), params.Space().Zero()),
		"Hamming: ":                       cascade.Hamming(params, loss.Weight(0), []int32{1}, []int32{-3}),
		"Normalize: ":                     cascade.Constants(params, cascade.Normalize(editMachine(t, 1))),
		"NormalizeConditional: ":          cascade.Constants(params, cascade.NormalizeConditional(fst.FromString(semiring.LeftString{}, nil), nil)),
		"GlobalLogLinear: bad parameter: prior with sigma": cascade.GlobalLogLinear(params, "g", coin(t), func(int32, *fst.Arc[bool]) []em.Feature { return nil }, em.LogLinearOptions{Sigma: -1}),
	} {
		own := fst.Err(stage)
		if own == nil {
			t.Errorf("%s: no error", says)
			continue
		}
		_, err := cascade.Problem{Params: params, Stages: []cascade.Stage{stage}}.Likelihood(one(cascade.Example{}))
		if !errors.Is(err, own) {
			t.Errorf("%s: error %v, want %v", says, err, own)
		}
		wantIn(t, err, "machine 0 of the cascade: ", says)
	}
}

// TestLazyStages: a composition as a stage trains to the same bits as its expanded machine, in a
// cascade, in a branch and in a tree, also the second time.
func TestLazyStages(t *testing.T) {
	trained := 0
	for seed := range trials.Seeds(20) {
		fitted := func(expand bool) []*em.Result {
			rng := rand.New(rand.NewPCG(seed, 91))
			params := em.NewParams()
			front := cascade.Joint(params, "front", plainMachine(t, rng, false), em.Dirichlet{Alpha: 1.1})
			back := cascade.Conditional(params, "back", plainMachine(t, rng, true), em.Multinomial{})
			both := []cascade.Stage{fst.Compose(front, back), fst.Invert(back)}
			if expand {
				for i := range both {
					both[i] = fsttest.Frozen(both[i])
				}
			}
			known := cascade.Data{Underivable: em.Skip}
			for range 6 {
				known.Examples = append(known.Examples, cascade.Example{X: cascade.Labels(randomLabels(rng, 3)...), Y: cascade.Labels(randomLabels(rng, 3)...)})
			}
			branched, tree := known, known
			branched.Examples, tree.Examples = slices.Clone(known.Examples), nil
			for i, x := range known.Examples {
				branched.Examples[i].Branches = []cascade.Side{cascade.Labels(randomLabels(rng, 3)...)}
				tree.Examples = append(tree.Examples, cascade.Example{Tapes: []cascade.Side{x.X, x.Y}})
			}
			var results []*em.Result
			for range 2 {
				for _, c := range []struct {
					problem cascade.Problem
					data    cascade.Data
				}{
					{cascade.Problem{Params: params, Stages: both[:1]}, known},
					{cascade.Problem{Params: params, Stages: both[:1], Branches: [][]cascade.Stage{both[1:]}}, branched},
					{cascade.Problem{Params: params, Edges: []cascade.Edge{{From: 0, To: 1, Machines: both[:1]}}}, tree},
				} {
					r, err := c.problem.Fit(t.Context(), c.data, &em.Options{Iterations: 5, Tolerance: -1})
					if err != nil && !errors.Is(err, em.ErrUnderivable) {
						t.Fatalf("seed %d: %v", seed, err)
					}
					results = append(results, r)
				}
			}
			return results
		}
		want, got := fitted(true), fitted(false)
		for i := range want {
			if want[i] != nil {
				trained++
			}
			if !sameBits(got[i], want[i]) {
				t.Errorf("seed %d, problem %d: the result %+v, of the expansion %+v", seed, i, got[i], want[i])
			}
		}
		for i := range 3 {
			if !sameBits(got[i], got[i+3]) {
				t.Errorf("seed %d, problem %d: another result the second time", seed, i)
			}
		}
	}
	if trained < 100 {
		t.Errorf("only %d problems were trained", trained)
	}
}

// TestNilStages: a nil stage is named, also one inside an interface.
func TestNilStages(t *testing.T) {
	params := em.NewParams()
	good := cascade.Constants(params, editMachine(t, 1))
	for _, missing := range []cascade.Stage{nil, (*fst.FST[weight])(nil)} {
		for says, p := range map[string]cascade.Problem{
			"machine 1 of the cascade is nil": {Stages: []cascade.Stage{good, missing}},
			"machine 0 of branch 1 is nil":    {Stages: []cascade.Stage{good}, Branches: [][]cascade.Stage{{good}, {missing}}},
			"machine 0 of edge 0":             {Edges: []cascade.Edge{{From: 0, To: 1, Machines: []cascade.Stage{missing}}}},
		} {
			p.Params = params
			_, err := p.Likelihood(one(cascade.Example{Branches: make([]cascade.Side, len(p.Branches))}))
			wantIs(t, err, em.ErrInvalid)
			wantIn(t, err, says, "is nil")
		}
	}
}

// TestProblemFit: Fit is em.Fit of the likelihood, with all options, and has its errors.
func TestProblemFit(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	for _, o := range []*em.Options{nil, {Iterations: 3}, {Method: em.LBFGS{}, Iterations: 4}, {Restarts: 2, Rand: rand.NewPCG(1, 2), Iterations: 2}} {
		got, err := problem.Fit(t.Context(), cascade.Data{Examples: data}, o)
		if err != nil {
			t.Fatal(err)
		}
		if o != nil && o.Rand != nil {
			o.Rand = rand.NewPCG(1, 2)
		}
		want, err := em.Fit(t.Context(), likelihood(t, problem, cascade.Data{Examples: data}), o)
		if err != nil {
			t.Fatal(err)
		}
		if !sameBits(got, want) {
			t.Errorf("options %+v: the result %+v, want %+v", o, got, want)
		}
	}
	_, err := problem.Fit(t.Context(), cascade.Data{Examples: data}, &em.Options{Iterations: -1})
	wantIs(t, err, em.ErrInvalid)
	_, err = problem.Fit(t.Context(), cascade.Data{}, nil)
	wantIs(t, err, em.ErrInvalid)
	_, err = cascade.Problem{}.Fit(t.Context(), cascade.Data{Examples: data}, nil)
	wantIs(t, err, em.ErrInvalid)
}
