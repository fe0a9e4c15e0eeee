package em_test

import (
	"context"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// TestNil: what is nil is refused where it is given, with its name.
func TestNil(t *testing.T) {
	for says, do := range map[string]func(){
		"em: Group: nil law":                         func() { em.NewParams().Group("g", 2, nil) },
		"em: Conditional: nil law":                   func() { em.Conditional(em.NewParams(), "g", coin(t), nil) },
		"em: Joint: nil law":                         func() { em.Joint(em.NewParams(), "g", coin(t), (*em.LogLinear)(nil)) },
		"em: Joint: nil machine":                     func() { em.Joint[bool](em.NewParams(), "g", nil, em.Multinomial{}) },
		"em: Joint: nil parameters":                  func() { em.Joint(nil, "g", coin(t), em.Multinomial{}) },
		"em: Normalize: nil machine":                 func() { em.Normalize[bool](nil) },
		"em: Set: nil acceptor":                      func() { em.Set(nil) },
		"em: Derivations.Likelihood: nil parameters": func() { em.Derivations{}.Likelihood(nil) },
		"em: Instantiate: nil ring": func() {
			p := em.NewParams()
			f, _ := em.Joint(p, "g", coin(t), em.Multinomial{})
			em.Instantiate[float64](p, f, p.Start(), nil)
		},
		"em: LogLikelihood: nil likelihood": func() { em.LogLikelihood(context.Background(), nil, nil) },
		"em: Totals: nil context":           func() { em.Problem{}.Totals(nil, nil, em.Data{}) }, //lint:ignore SA1012 it is the test
		"em: Fit: nil likelihood":           func() { em.Fit(context.Background(), nil, nil) },
		"em: Fit: nil context": func() {
			p := em.NewParams()
			f, _ := em.Joint(p, "g", coin(t), em.Multinomial{})
			l, err := em.Problem{Params: p, Cascade: []*fst.FST[weight]{f}}.Likelihood(em.Data{Examples: []em.Example{{X: em.Labels(1)}}})
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
