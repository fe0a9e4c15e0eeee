package cascade_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// TestSoftErrors names the label, the column and the example.
func TestSoftErrors(t *testing.T) {
	g := guess{labels: []int32{1, 2, 3}, weight: [][]float64{{.2, .3, .5}}}
	e := g.emissions(t)
	for want, labels := range map[string][]int32{
		"2 labels for 3 columns":                           {1, 2},
		"label 0 of column 1, want labels > 0":             {1, 0, 2},
		"label 4 of column 2 is the label of column 0 too": {4, 5, 4},
	} {
		side := cascade.Soft(e, labels)
		if err := side.Err(); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v", err)
		} else {
			wantIn(t, err, "cascade: Soft: ", want)
		}
		problem, _, _ := randomProblem(t, rand.New(rand.NewPCG(1, 2)))
		_, err := problem.Likelihood(cascade.Data{Examples: []cascade.Example{{}, {X: side, Name: "second"}}})
		wantIs(t, err, em.ErrInvalid)
		wantIn(t, err, "second", want)
	}
	problem, _ := seenProblem(t, rand.New(rand.NewPCG(1, 3)), false)
	l := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{X: cascade.Soft(e, nil), Name: "large"}}, Strategy: cascade.ByLattice, LatticeLimit: 4})
	_, err := l.Expect(t.Context(), em.Query{Theta: problem.Params.Start()})
	wantIs(t, err, semiring.ErrLimit)
	wantIn(t, err, "large", "X: ", "more than 4 states and arcs for 1 frames of 3 labels")
	if side := cascade.Soft(e, nil); side.String() != "a soft string of 1 frames" || side.Unknown() {
		t.Errorf("a side called %v", side)
	} else if _, ok := side.Labels(); ok {
		t.Error("a soft string is a string")
	}
	defer func() {
		if got := fmt.Sprint(recover()); got != "cascade: Soft: nil emissions" {
			t.Errorf("panic %q", got)
		}
	}()
	cascade.Soft(nil, nil)
}

// TestForeignColumns: labels without arcs in the machine are an error if the machine has no label
// of the side. Otherwise the reason why an example has no derivation names the frame.
func TestForeignColumns(t *testing.T) {
	params := em.NewParams()
	k, w := params.Space(), params.Group("g", 2, em.Multinomial{})
	b := fst.NewBuilder(k)
	b.AddStates(3)
	b.AddStart(0, k.One())
	b.AddArc(0, arc(1, 11, w.Weight(0), 1))
	b.AddArc(1, arc(2, 12, w.Weight(1), 2))
	b.SetFinal(2, k.One())
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, b)}}
	soft := func(labels []int32, weight ...[]float64) cascade.Side { return guess{labels, weight}.side(t) }
	for _, x := range []cascade.Example{{X: soft([]int32{11, 12}, []float64{1, 1})}, {Y: soft([]int32{1, 2}, []float64{1, 1})}} {
		x.Name = "odd"
		_, err := problem.Likelihood(cascade.Data{Examples: []cascade.Example{x}})
		wantIs(t, err, em.ErrInvalid)
		wantIn(t, err, "odd", "all columns of ", "by no arc")
		_, err = cascade.Marginal(problem, x, 0, params.Start())
		wantIs(t, err, em.ErrInvalid)
		x.Weight = em.Times(0)
		if _, err := problem.Likelihood(cascade.Data{Examples: []cascade.Example{x, {X: cascade.Labels(1, 2)}}}); err != nil {
			t.Errorf("an example of weight 0: %v", err)
		}
	}
	for _, c := range []struct {
		x    cascade.Example
		want string
	}{
		{cascade.Example{X: soft([]int32{1, 2, 3}, []float64{1, 0, 0}, []float64{0, 0, 2})}, "every label with a weight in frame 1 of X is read by no arc, the best one is 3"},
		{cascade.Example{Y: soft([]int32{11, 12}, []float64{1, 1})}, "the cascade writes all of Y, but cannot end there"},
		{cascade.Example{Y: soft([]int32{11, 12}, []float64{1, 1}, []float64{1, 0})}, "the cascade writes only the beginning of Y, before frame 1 of 2"},
		{cascade.Example{X: soft([]int32{1, 2}, []float64{0, 1}, []float64{1, 1})}, "machine 0 of the cascade reads only the beginning of X, before frame 0 of 2"},
		{cascade.Example{X: soft([]int32{1, 2}, []float64{1, 1}, []float64{1, 1}, []float64{1, 1})}, "machine 0 of the cascade reads only the beginning of X, before frame 2 of 3"},
		{cascade.Example{X: soft([]int32{1, 2}, []float64{1, 1}, []float64{1, 1}), Y: cascade.Labels(11, 11)}, "the cascade writes for X only the beginning of Y, before label 11 at position 1"},
	} {
		for _, way := range []cascade.Strategy{cascade.ByLattice, cascade.ByBlocks} {
			_, err := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{c.x}, Strategy: way}).Expect(t.Context(), em.Query{Theta: params.Start()})
			wantIs(t, err, em.ErrUnderivable)
			wantIn(t, err, c.want)
		}
	}
}

// TestSoftDiverges: if the hidden string opposite a soft one is unbounded, the error names it,
// and the example.
func TestSoftDiverges(t *testing.T) {
	params := em.NewParams()
	k, g := params.Space(), params.Group("g", 2, em.Multinomial{})
	b := fst.NewBuilder(k)
	b.AddStart(b.AddState(), k.One())
	b.SetFinal(0, k.One())
	b.AddArc(0, arc(1, epsilon, g.Weight(0), 0)) // dropped
	b.AddArc(0, arc(2, epsilon, g.Weight(1), 0))
	b.AddArc(0, arc(1, 1, g.Weight(0), 0))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, b)}}
	x := cascade.Example{Y: guess{[]int32{1, 2}, [][]float64{{.5, .5}}}.side(t), Name: "open"}
	for _, way := range []cascade.Strategy{cascade.ByLattice, cascade.ByBlocks} {
		_, err := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{x}, Strategy: way}).Expect(t.Context(), em.Query{Theta: params.Start()})
		wantIs(t, err, semiring.ErrDiverges)
		wantIn(t, err, "open", "the sum over all strings of X is not bounded")
	}
}
