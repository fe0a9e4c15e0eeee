package convex_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
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

// A relation that is not transitive is repaired by adding the implied pairs.
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

// survey is the answers of six people to three questions. Three of them are of one kind, and
// three of another.
var survey = [][]int{{1, 1, 1}, {1, 1, 1}, {1, 1, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}}

// kinds returns the problem of finding the kinds: a hidden variable with the answers as children.
func kinds() *convex.Problem {
	variables := []convex.Variable{{Name: "kind", States: 2}}
	for question := range 3 {
		v := convex.Variable{Parents: []int{0}, States: 2}
		for _, answers := range survey {
			v.Values = append(v.Values, answers[question])
		}
		variables = append(variables, v)
	}
	problem, err := convex.NewProblem(variables, nil, .5)
	if err != nil {
		log.Fatal(err)
	}
	return problem
}

// What is the loss of labels, and which parameters do they have? These are the true kinds, and
// others that cut across.
func ExampleProblem_Complete() {
	problem := kinds()
	for _, labels := range [][]int{{0, 0, 0, 1, 1, 1}, {0, 1, 0, 1, 0, 1}} {
		c, err := problem.Complete([][]int{labels})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("loss %.1f, P(yes to the first question | kind 0) = %.2f\n", c.Objective, math.Exp(c.Tables[1].LogProb.At(0, 1)))
	}
	// Output:
	// loss 11.5, P(yes to the first question | kind 0) = 0.85
	// loss 15.9, P(yes to the first question | kind 0) = 0.62
}

// Relations rounded to labels: who is of the same kind as the first?
func ExampleProblem_Round() {
	problem := kinds()
	relaxed, err := convex.Splitting{}.Solve(context.Background(), problem)
	if err != nil {
		log.Fatal(err)
	}
	rounded, err := problem.Round(relaxed.Relations, convex.Rounding{Rand: rand.NewPCG(1, 1)})
	if err != nil {
		log.Fatal(err)
	}
	for i, kind := range rounded.Labels[0] {
		fmt.Printf("%.2f %t\n", relaxed.Relations[0].At(0, i), kind == rounded.Labels[0][0])
	}
	// Output:
	// 1.00 true
	// 1.00 true
	// 0.85 true
	// 0.42 false
	// 0.61 false
	// 0.42 false
}

// The objective at the relation of given labels is their loss; the gradient shows which people
// should be in the same class, in this case the third and the first.
func ExampleProblem_Value() {
	problem := kinds()
	relation, err := problem.Relation(0, []int{0, 0, 1, 1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	lower, upper, gradient, err := problem.Value([]*convex.Relation{relation})
	if err != nil {
		log.Fatal(err)
	}
	first, third := relation.Row[0], relation.Row[2]
	fmt.Printf("%.2f to %.2f; to join them lowers it: %t\n", lower, upper, gradient[0].At(first, third) < 0)
	// Output: 13.01 to 13.01; to join them lowers it: true
}

// Vectors of two correlated components, made independent with variances of 1.
func ExampleWhiten() {
	white, err := convex.Whiten([][]float64{{1, 1}, {2, 3}, {3, 2}, {6, 6}})
	if err != nil {
		log.Fatal(err)
	}
	var xx, xy, yy float64
	for _, v := range white {
		xx, xy, yy = xx+v[0]*v[0]/4, xy+v[0]*v[1]/4, yy+v[1]*v[1]/4
	}
	fmt.Printf("%.2f %.2f %.2f\n", xx, math.Abs(xy), yy)
	// Output: 0.75 0.00 0.75
}

// EM continues from the labels: the same model as a problem of package em, built by hand. For a
// bayes.Network, bayes.Network.Relax and bayes.Model.Polish do all this in two calls.
func ExamplePolish() {
	params := em.NewParams()
	kind := params.Group("kind", 2, em.Dirichlet{Alpha: 1.5})
	arcs := make([][]fst.Arc[expr.W], 7) // a start, and three questions for each kind
	for k := range 2 {
		first := int32(1 + 3*k)
		arcs[0] = append(arcs[0], fst.Arc[expr.W]{Weight: kind.Weight(k), To: first})
		for q := range int32(3) {
			answer := params.Group(fmt.Sprintf("answer %d of kind %d", q, k), 2, em.Dirichlet{Alpha: 1.5})
			next := first + q + 1
			if q == 2 {
				next = 7
			}
			for a := range int32(2) {
				arcs[first+q] = append(arcs[first+q], fst.Arc[expr.W]{In: a + 1, Out: a + 1, Weight: answer.Weight(int(a)), To: next})
			}
		}
	}
	machine := fst.FromArcs(params.Space(), map[int32]expr.W{7: expr.One}, arcs...)
	var data cascade.Data
	for _, a := range survey {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(int32(a[0]+1), int32(a[1]+1), int32(a[2]+1))})
	}
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}.Likelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	theta := func(tables []convex.Table) ([]float64, error) { // kind, then the answers of each kind
		var theta []float64
		for k := range 2 {
			theta = append(theta, math.Exp(tables[0].LogProb.At(0, k)))
		}
		for k := range 2 {
			for q := range 3 {
				for a := range 2 {
					theta = append(theta, math.Exp(tables[1+q].LogProb.At(k, a)))
				}
			}
		}
		return theta, nil
	}
	s, err := kinds().Fit(context.Background(), convex.Fitting{
		Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)},
		Polish:   &convex.Polish{Likelihood: likelihood, Theta: theta},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, log posterior %.2f\n", s.Polished.Status, s.Polished.Objective[len(s.Polished.Objective)-1])
	// Output: converged, log posterior -16.04
}

// The weights of the relaxed model classify new answers, with more confidence than tables that are
// trained on the labels.
func ExampleProblem_Weights() {
	problem := kinds()
	s, err := problem.Fit(context.Background(), convex.Fitting{Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)}})
	if err != nil {
		log.Fatal(err)
	}
	weights, err := problem.Weights(s.Relaxed.Relations, s.Rounded.Labels)
	if err != nil {
		log.Fatal(err)
	}
	first := s.Rounded.Labels[0][0] // the kind of the first row
	for _, tables := range [][]convex.Table{weights, s.Rounded.Tables} {
		score := make([]float64, 2)
		for k := range score {
			score[k] = tables[0].LogProb.At(0, k)
			for q, a := range []int{0, 0, 1} { // new answers
				score[k] += tables[1+q].LogProb.At(k, a)
			}
		}
		fmt.Printf("of the first kind with probability %.2f\n", math.Exp(score[first]-floats.LogSumExp(score)))
	}
	// Output:
	// of the first kind with probability 0.01
	// of the first kind with probability 0.05
}

// A kernel in place of vectors: rows are alike as far as they are near to each other.
func ExampleVariable_gram() {
	at := []float64{0, .2, .4, 5, 5.1, 5.4}
	kernel := make([][]float64, len(at))
	for i, x := range at {
		for _, y := range at {
			kernel[i] = append(kernel[i], 9*math.Exp(-(x-y)*(x-y)))
		}
	}
	problem, err := convex.NewProblem([]convex.Variable{{Name: "group", States: 2}, {Name: "place", Parents: []int{0}, Gram: kernel}}, nil, .5)
	if err != nil {
		log.Fatal(err)
	}
	s, err := problem.Fit(context.Background(), convex.Fitting{Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Rounded.Labels[0])
	// Output: [0 0 0 1 1 1]
}

// A hidden cause and its hidden effect, each with two signs: no labels of both have a loss below the
// bound.
func ExampleResult() {
	values := func(text string) (x []int) {
		for _, r := range text {
			x = append(x, int(r-'0'))
		}
		return x
	}
	problem, err := convex.NewProblem([]convex.Variable{
		{Name: "cause", States: 2},
		{Name: "effect", States: 2, Parents: []int{0}},
		{Name: "sign of the cause", States: 2, Parents: []int{0}, Values: values("00001111")},
		{Name: "another", States: 2, Parents: []int{0}, Values: values("00011111")},
		{Name: "sign of the effect", States: 2, Parents: []int{1}, Values: values("00000111")},
		{Name: "another", States: 2, Parents: []int{1}, Values: values("00001111")},
	}, nil, .5)
	if err != nil {
		log.Fatal(err)
	}
	s, err := problem.Fit(context.Background(), convex.Fitting{Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)}})
	if err != nil {
		log.Fatal(err)
	}
	r := s.Relaxed
	fmt.Printf("%v: all labels have at least %.1f, these %.1f\n", r.Status, r.LabelsLower, s.Rounded.Objective)
	fmt.Printf("marginal EM has at least %.1f\n", r.MarginalLower)
	// Output:
	// converged: all labels have at least 15.6, these 18.3
	// marginal EM has at least 4.5
}

// Uncertain labels. With uniform labels nothing is learnt: 6·4 values of ln 2 each.
func ExampleProblem_CompleteSoft() {
	problem := kinds()
	for _, p := range []float64{1, .9, .5} { // of the right kind
		soft := mat.NewDense(len(survey), 2, nil)
		for i := range survey {
			soft.Set(i, i/3, p)
			soft.Set(i, 1-i/3, 1-p)
		}
		c, err := problem.CompleteSoft([]*mat.Dense{soft})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f: loss %.1f\n", p, c.Objective)
	}
	// Output:
	// 1.0: loss 11.5
	// 0.9: loss 13.5
	// 0.5: loss 16.6
}
