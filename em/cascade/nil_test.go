package cascade_test

import (
	"context"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// TestNil: what is nil is refused where it is given, with its name.
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
		"cascade: Both: nil parameters":                   func() { cascade.Both(nil, cascade.Side{}, cascade.Side{}) },
		"cascade: Pattern: nil parameters":                func() { cascade.Pattern(nil, nil) },
		"cascade: Hamming: nil parameters":                func() { cascade.Hamming(nil, expr.One, nil, nil) },
		"cascade: Set: nil acceptor":                      func() { cascade.Set(nil) },
		"cascade: Derivations.Likelihood: nil parameters": func() { cascade.Derivations{}.Likelihood(nil) },
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
