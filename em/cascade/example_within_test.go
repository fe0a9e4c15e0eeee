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

// Train on the derivations within a beam, and know what that leaves out: the log likelihood of
// all lies between two bounds, of each example and of all together.
func ExampleWithin() {
	var arcs []fst.Arc[float64]
	for in := range int32(4) { // 0 is ε
		for out := range int32(4) {
			if w := .02; in != 0 || out != 0 {
				if in == out {
					w = .24
				}
				arcs = append(arcs, fst.Arc[float64]{In: in, Out: out, Weight: w})
			}
		}
	}
	plain := fst.OneState(semiring.Real{}, .1, arcs...)
	params := em.NewParams()
	edits := cascade.Joint(params, "edits", plain, em.Dirichlet{Alpha: 1.5})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{edits}}
	data := []cascade.Example{
		{X: cascade.Labels(1, 2, 3, 1), Y: cascade.Labels(1, 2, 1), Name: "first"},
		{X: cascade.Labels(3, 3, 2, 1, 2), Y: cascade.Labels(3, 2, 2, 2), Name: "second"},
	}
	for _, beam := range []float64{.2, .02, 1e-4} {
		part, err := problem.Likelihood(cascade.Data{Examples: data, Within: &cascade.Within{Beam: beam}})
		if err != nil {
			log.Fatal(err)
		}
		r, err := em.Fit(context.Background(), part, &em.Options{ChooseEvery: 1, Iterations: 4, Tolerance: -1})
		if err != nil {
			log.Fatal(err)
		}
		e, err := part.Expect(context.Background(), em.Query{Theta: r.Theta, Choose: true, Bounds: true})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("beam %g: %.2f to %.2f;", beam, e.LogLikelihood, e.LogLikelihood+e.Gap)
		for _, x := range e.Bounds {
			fmt.Printf(" %s %.2f to %.2f", x.Name, x.Lower, x.Upper)
		}
		fmt.Println()
	}
	// Output:
	// beam 0.2: -21.65 to -21.35; first -9.82 to -9.70 second -11.83 to -11.65
	// beam 0.02: -21.77 to -21.61; first -9.87 to -9.81 second -11.90 to -11.80
	// beam 0.0001: -21.86 to -21.86; first -9.93 to -9.93 second -11.93 to -11.93
}
