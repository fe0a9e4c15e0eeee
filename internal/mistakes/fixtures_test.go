package mistakes

import (
	"context"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/semiring"
)

// own is a user-defined ring that does not declare its laws.
type own struct{}

func (own) Zero() float64              { return 0 }
func (own) One() float64               { return 1 }
func (own) Plus(a, b float64) float64  { return a + b }
func (own) Times(a, b float64) float64 { return a * b }
func (own) IsZero(a float64) bool      { return a == 0 }

func first[T any](_ T, err error) error { return err }

// used returns the error of a machine, as its user gets it.
func used[W any](m fst.Machine[W]) error { return first(fst.Expand(m, nil)) }

// echo returns a machine that copies a and b.
func echo[W any](ring semiring.Semiring[W]) *fst.FST[W] {
	return fsttest.Frozen(fst.OneState(ring, ring.One(), fst.Arc[W]{In: 'a', Out: 'a', Weight: ring.One()}, fst.Arc[W]{In: 'b', Out: 'b', Weight: ring.One()}))
}

// trained returns the error of Fit for examples and a machine with three choices at one state.
func trained(opts *em.Options, examples ...cascade.Example) error {
	params := em.NewParams()
	stage := cascade.Joint(params, "channel", echo(semiring.Boolean{}), em.Multinomial{})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{stage}}
	return first(problem.Fit(context.Background(), cascade.Data{Examples: examples}, opts))
}

// constant is a machine of one state that writes a for a with a weight.
func constant(params *em.Params, weight float64) cascade.Stage {
	return cascade.Constants(params, fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 'a', Out: 'a', Weight: weight}))
}

func applied(f *fst.FST[float64], text string) error {
	for _, err := range fst.ApplyText(f, text, nil) {
		if err != nil {
			return err
		}
	}
	return nil
}

func paths[W any](f *fst.FST[W]) error {
	return first(fst.ShortestPaths(f, 1, nil))
}

func states(n int) error {
	params := em.NewParams()
	emission, err := hmm.NewDiscrete(params, "face", 6, make([]int, n), em.Multinomial{})
	if err != nil {
		return err
	}
	m, err := hmm.New(params, hmm.Topology{States: n}, em.Multinomial{}, emission)
	if err != nil {
		return err
	}
	return first(m.Fit(context.Background(), []hmm.Sequence[int32]{{Observations: []int32{0, 1, 2}}}, nil))
}

// hidden returns a model over params whose emission is over its.
func hidden(params, its *em.Params, t hmm.Topology) (*hmm.Model[int32], error) {
	emission, err := hmm.NewDiscrete(its, "face", 6, hmm.Each(t.States), em.Multinomial{})
	if err != nil {
		return nil, err
	}
	return hmm.New(params, t, em.Multinomial{}, emission)
}

// rain is a network of one variable.
func rain() *bayes.Network {
	n, err := bayes.ReadBIF(strings.NewReader(`variable rain { type discrete [ 2 ] { yes, no }; } probability ( rain ) { table 0.2, 0.8; }`), "rain.bif")
	if err != nil {
		panic(err)
	}
	return n
}

// alone returns the machine m of a text, with the symbols that the text names.
func alone(text string) (*fst.FST[semiring.Cost], error) {
	c, err := rx.Load(semiring.Tropical{}, text)
	if err != nil {
		return nil, err
	}
	return c.Machine("m")
}

// composed composes the machines m of two texts.
func composed(first, second string) error {
	a, err := alone(first)
	if err != nil {
		return err
	}
	b, err := alone(second)
	if err != nil {
		return err
	}
	return used(fst.Compose(a, b))
}

func compiled(text, name string) error {
	c := rx.NewCompiler(semiring.Tropical{}, fst.RuneSymbols("ab"))
	if err := c.Load(text); err != nil {
		return err
	}
	return first(c.Machine(name))
}
