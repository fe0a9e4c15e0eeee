package convex_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.org/pathsum/convex"
)

// Eight people answered three questions; of what two kinds are they?
func Example() {
	ctx := context.Background()
	answers := [][]int{
		{1, 1, 1}, {1, 1, 1}, {1, 1, 0}, {1, 0, 1},
		{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 0},
	}
	variables := []convex.Variable{{Name: "kind", States: 2}}
	for question := range 3 {
		v := convex.Variable{Parents: []int{0}, States: 2}
		for _, a := range answers {
			v.Values = append(v.Values, a[question])
		}
		variables = append(variables, v)
	}
	problem, err := convex.NewProblem(variables, nil, .5)
	if err != nil {
		log.Fatal(err)
	}
	s, err := problem.Fit(ctx, convex.Fitting{
		Solver:   convex.Splitting{Gap: 1e-4},
		Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)},
	})
	if err != nil {
		log.Fatal(err)
	}
	r := s.Relaxed
	fmt.Printf("%v: any labels have a loss of at least %.2f\n", r.Status, r.Lower)
	fmt.Printf("these have %.2f: %v\n", s.Rounded.Objective, s.Rounded.Labels[0])
	fmt.Printf("alike: first and second %.2f, third %.2f, last %.2f\n", r.Relations[0].At(0, 1), r.Relations[0].At(0, 2), r.Relations[0].At(0, 7))
	// Output:
	// converged: any labels have a loss of at least 12.64
	// these have 15.66: [0 0 0 0 1 1 1 1]
	// alike: first and second 1.00, third 0.88, last 0.40
}

// Of 200 rows relations are found between 40 groups first, and then between all.
func ExampleSplitting_rows() {
	rng := rand.New(rand.NewPCG(1, 1))
	variables := []convex.Variable{{Name: "kind", States: 2}}
	for range 10 {
		variables = append(variables, convex.Variable{Parents: []int{0}, States: 2})
	}
	for range 200 {
		kind := rng.IntN(2)
		for i := 1; i < len(variables); i++ {
			answer := kind
			if rng.Float64() < .2 {
				answer = 1 - kind
			}
			variables[i].Values = append(variables[i].Values, answer)
		}
	}
	problem, err := convex.NewProblem(variables, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	r, err := convex.Splitting{Rows: 40, Gap: .05}.Solve(context.Background(), problem)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := problem.Round(r.Relations, convex.Rounding{Rand: rand.NewPCG(1, 1)})
	if err != nil {
		log.Fatal(err)
	}
	distinct := len(r.Relations[0].Weight)
	fmt.Println(distinct > 40, r.Gap() <= .05, r.LabelsLower < labels.Objective)
	// Output: true true true
}

// A relation that is not transitive is repaired by adding what follows from it.
func ExampleClosure() {
	r := [][]bool{
		{true, true, false, false},
		{false, true, true, false},
		{false, false, true, false},
		{false, false, false, true},
	}
	closed, err := convex.Closure(r)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := convex.Labels(closed)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [0 0 0 1]
}
