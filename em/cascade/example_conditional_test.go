package cascade_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// A machine that keeps a letter or makes capitals of the whole word. Weights are any
// positive numbers; divided by their sums for each input, they are probabilities.
func ExampleNormalizeConditional() {
	const a, A = 'a', 'A'
	b := fst.NewBuilder(semiring.Real{})
	keep, shout := b.AddState(), b.AddState()
	b.AddStart(keep, 3)
	b.AddStart(shout, 1)
	b.AddArc(keep, fst.Arc[float64]{In: a, Out: a, Weight: 5, To: keep})
	b.AddArc(shout, fst.Arc[float64]{In: a, Out: A, Weight: 5, To: shout})
	b.SetFinal(keep, 2)
	b.SetFinal(shout, 2)
	f, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	p := cascade.NormalizeConditional(f, nil)
	lattice, err := fst.Expand(fst.Compose(fst.FromString(semiring.Real{}, []int32{a, a}), p), nil)
	if err != nil {
		log.Fatal(err)
	}
	for path := range lattice.Paths() {
		fmt.Printf("%s %g\n", string(path.Out), path.Weight)
	}
	// Output:
	// aa 0.75
	// AA 0.25
}

// Weights of 1 and 3 divided by their sum.
func ExampleNormalize() {
	weights := fst.FromArcs(semiring.Real{}, map[int32]float64{1: 1}, []fst.Arc[float64]{
		{In: 'a', Out: 'a', Weight: 1, To: 1}, {In: 'b', Out: 'b', Weight: 3, To: 1},
	})
	p, err := fst.Expand(cascade.Normalize(weights), nil)
	if err != nil {
		log.Fatal(err)
	}
	for path := range p.Paths() {
		fmt.Printf("%s %g\n", string(path.Out), path.Weight)
	}
	// Output:
	// a 0.25
	// b 0.75
}

// A channel that may insert: a coin says whether a c comes in; what is read becomes a or b.
// For three words the coin was thrown seven times, and one c came in.
func ExampleConditional() {
	plain := fst.OneState(semiring.Boolean{}, true, fst.Arc[bool]{In: 'a', Out: 'a', Weight: true},
		fst.Arc[bool]{In: 'a', Out: 'b', Weight: true}, fst.Arc[bool]{Out: 'c', Weight: true})
	params := em.NewParams()
	result, err := cascade.Problem{Params: params, Stages: []cascade.Stage{
		cascade.Conditional(params, "channel", plain, em.Multinomial{}),
	}}.Fit(context.Background(), cascade.Pairs([][2]string{{"a", "a"}, {"a", "ca"}, {"a", "b"}}), nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(result.Theta) {
		fmt.Printf("%s %.2f\n", name, p)
	}
	// Output:
	// channel/0/insert[yes] 0.14
	// channel/0/insert[no] 0.86
	// channel/0/ε[ε:c] 1.00
	// channel/0/a[a:a] 0.67
	// channel/0/a[a:b] 0.33
}

// The arcs and the end of a state should sum to 1. Here they do not, and it is said where.
func ExampleMarkovianJoint() {
	machine := fst.OneState(semiring.Real{}, .3, fst.Arc[float64]{In: 'a', Out: 'a', Weight: .6})
	report, err := cascade.MarkovianJoint(machine, 1e-9)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Err())
	// Output: cascade: machine is not Markovian: the weights of state 0 sum to 0.9 (the first of 1)
}
