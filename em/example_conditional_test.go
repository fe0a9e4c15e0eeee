package em_test

import (
	"fmt"
	"log"

	"example.org/pathsum/em"
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
	p, err := em.NormalizeConditional(f, nil)
	if err != nil {
		log.Fatal(err)
	}
	aa, err := fst.Compose(fst.FromString(semiring.Real{}, []int32{a, a}), p)
	if err != nil {
		log.Fatal(err)
	}
	lattice, err := fst.Expand(aa, 0)
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
