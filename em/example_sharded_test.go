package em_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"

	"example.org/pathsum/em"
)

// bloodGroups contains the number of people with each blood group, and genotypes the pairs of
// alleles that cause it. θ is the frequency of each allele.
var (
	bloodGroups = []float64{186, 38, 13, 284} // A, B, AB, O
	genotypes   = [][][2]int{{{0, 0}, {0, 2}, {2, 0}}, {{1, 1}, {1, 2}, {2, 1}}, {{0, 1}, {1, 0}}, {{2, 2}}}
)

// A custom likelihood: which genes cause the blood groups of 521 people? Alleles A and B
// hide O. Sharded requires the expected counts of one example, here a blood group. Fit does the
// rest, and all its methods apply.
func ExampleSharded() {
	params := em.NewParams()
	alleles := params.Group("alleles", 3, em.Multinomial{})
	likelihood := em.Sharded[em.Query, struct{}]{
		Package: "blood", Params: params, Cut: em.NewCut(len(bloodGroups)),
		Fingerprint: func(w io.Writer) { fmt.Fprint(w, bloodGroups) },
		Weight:      func(group int) float64 { return bloodGroups[group] },
		Sum: func(_ *struct{}, q em.Query, group int, weight float64, t *em.Tally) (float64, error) {
			p, sum := alleles.In(q.Theta), 0.
			for _, g := range genotypes[group] {
				sum += p[g[0]] * p[g[1]]
			}
			for _, g := range genotypes[group] {
				for _, allele := range g {
					t.Counts[allele] += weight * p[g[0]] * p[g[1]] / sum
				}
			}
			return math.Log(sum), nil
		},
	}.Likelihood()
	result, err := em.Fit(context.Background(), likelihood, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("A %.3f, B %.3f, O %.3f\n", result.Theta[0], result.Theta[1], result.Theta[2])
	// Output: A 0.214, B 0.050, O 0.736
}
