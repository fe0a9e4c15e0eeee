package convex_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/convex"
)

// thinned returns naive Bayes of rows with cells of the features left out, and an effect of the
// first feature, which is absent where that is.
func thinned(rng *rand.Rand, rows int) []convex.Variable {
	x, _ := sampled(rng, rows, 3, 2, 2)
	v := naiveBayes(x, 2, []int{2, 2, 2})
	effect := convex.Variable{Name: "effect", States: 2, Parents: []int{1, 2}}
	for i := range rows {
		effect.Values = append(effect.Values, rng.IntN(2))
		for j := 1; j < 4; j++ {
			if rng.IntN(3) == 0 {
				v[j].Values[i] = convex.Absent
			}
		}
		if v[1].Values[i] == convex.Absent || v[2].Values[i] == convex.Absent {
			effect.Values[i] = convex.Absent
		}
	}
	return append(v, effect)
}

// Absent cells: no labels have a lesser loss than the relaxed minimum, and at the relation of
// labels the terms of observed variables equal their losses.
func TestAbsent(t *testing.T) {
	const rows = 9
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 21))
		id := convex.Variable{Name: "id", States: rows, Parents: []int{0}} // by which no rows are merged
		for i := range rows {
			id.Values = append(id.Values, i)
		}
		v := thinned(rng, rows)
		p, few := newProblem(t, append(v, id), nil, .5), newProblem(t, []convex.Variable{v[0], id}, nil, .5)
		of := func(p *convex.Problem, labels []int) (loss, value float64) {
			done, err := p.Complete([][]int{labels})
			if err != nil {
				t.Fatal(err)
			}
			m, err := p.Relation(0, labels)
			if err != nil {
				t.Fatal(err)
			}
			lower, upper, _, err := p.Value([]*convex.Relation{m})
			if err != nil || math.Abs(upper-lower) > 1e-6 {
				t.Fatalf("seed %d: values %v and %v (%v)", seed, lower, upper, err)
			}
			return done.Objective, lower
		}
		r := solve(t, convex.Splitting{Gap: 1e-4}, p)
		for labeling := range 1 << rows {
			labels := make([]int, rows)
			for i := range labels {
				labels[i] = labeling >> i & 1
			}
			loss, value := of(p, labels)
			without, least := of(few, labels)
			if got, want := value-least, loss-without; math.Abs(got-want) > 1e-5 {
				t.Fatalf("seed %d: terms of observed variables are %v at labels, want %v", seed, got, want)
			}
			if loss < r.Lower-1e-8 || r.Status != convex.Converged {
				t.Fatalf("seed %d: labels have the loss %v, below the bound %v; %v", seed, loss, r.Lower, r.Status)
			}
		}
	}
}

// A variable that is absent everywhere changes nothing, and a cell that is absent costs less than
// either value.
func TestAbsentEverywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 22))
	x, labels := sampled(rng, 20, 3, 2, 2)
	v := naiveBayes(x, 2, []int{2, 2, 2})
	loss := func(v []convex.Variable) float64 {
		done, err := newProblem(t, v, nil, 1).Complete([][]int{labels})
		if err != nil {
			t.Fatal(err)
		}
		return done.Objective
	}
	s := convex.Splitting{Gap: 1e-6, Iterations: 5000}
	a := solve(t, s, newProblem(t, v, nil, 1))
	more := append(slices.Clone(v), convex.Variable{States: 3, Parents: []int{0}, Values: slices.Repeat([]int{convex.Absent}, 20)})
	b := solve(t, s, newProblem(t, more, nil, 1))
	if math.Abs(a.Upper-b.Upper) > 1e-4 || math.Abs(loss(v)-loss(more)) > 1e-12 {
		t.Errorf("minimum %v and loss %v, without the variable %v and %v", b.Upper, loss(more), a.Upper, loss(v))
	}
	cells := func(value int) []convex.Variable {
		c := slices.Clone(v)
		c[2].Values = slices.Clone(v[2].Values)
		c[2].Values[5] = value
		return c
	}
	if least := min(loss(cells(0)), loss(cells(1))); loss(cells(convex.Absent)) >= least {
		t.Errorf("without a cell the loss is %v, with it at least %v", loss(cells(convex.Absent)), least)
	}
}
