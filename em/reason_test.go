package em_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// An example without a derivation says which of its labels no arc has, by name if it has
// one, on every way to sum and on every tape; and nothing if each label is somewhere.
func TestReasons(t *testing.T) {
	p := em.NewParams()
	g := p.Group("change", 3, em.Multinomial{})
	b := fst.NewBuilder(p.Space())
	s := b.AddState()
	b.AddStart(s, p.Space().One())
	b.SetFinal(s, g.Weight(2))
	b.AddArc(s, fst.Arc[expr.W]{In: 1, Out: 2, Weight: g.Weight(0), To: s})
	b.AddArc(s, fst.Arc[expr.W]{In: 2, Out: 1, Weight: g.Weight(1), To: s})
	b.SetSymbols(fst.NewSymbols("a", "b", "c"), nil)
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	cascade := em.Problem{Params: p, Cascade: []em.Stage{f}}
	branches := em.Problem{Params: p, Cascade: []em.Stage{f}, Branches: [][]em.Stage{{f}}}
	for _, c := range []struct {
		problem em.Problem
		x       em.Example
		want    string
	}{
		{cascade, em.Example{X: em.Labels(1, 3), Y: em.Labels(2, 2), Name: "third"}, `example 0 (third): label "c" at position 1 of X is read by no arc`},
		{cascade, em.Example{X: em.Labels(1, 4), Y: em.Labels(2, 2)}, `example 0: label 4 at position 1 of X is read by no arc`},
		{cascade, em.Example{X: em.Labels(1), Y: em.Labels(3)}, `example 0: label 3 at position 0 of Y is written by no arc`},
		{cascade, em.Example{X: em.Labels(1), Y: em.Labels(1)}, `example 0`},
		{branches, em.Example{Branches: []em.Side{em.Labels(2, 1, 7)}}, `example 0: label 7 at position 2 of branch 0 is written by no arc`},
		{branches, em.Example{Y: em.Labels(3), Branches: []em.Side{em.Labels(2)}}, `example 0: label 3 at position 0 of Y is written by no arc`},
	} {
		for _, way := range []em.Way{em.ByLattice, em.ByBlocks} {
			l, err := c.problem.Likelihood(em.Data{Examples: []em.Example{c.x}, Way: way})
			if errors.Is(err, em.ErrInvalid) && way != em.ByLattice {
				continue // not all problems have blocks
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = em.Fit(t.Context(), l, nil)
			if err == nil || !errors.Is(err, em.ErrUnderivable) || !strings.HasSuffix(err.Error(), "the first is "+c.want) {
				t.Errorf("%v: %v, want %s", way, err, c.want)
			}
		}
	}
	good := em.Example{X: em.Labels(1), Y: em.Labels(2)}
	l, err := cascade.Likelihood(em.Data{Examples: []em.Example{good, {X: em.Labels(9)}}, Underivable: em.Skip, Way: em.ByLattice})
	if err != nil {
		t.Fatal(err)
	}
	r, err := em.Fit(t.Context(), l, nil)
	if err != nil || !slices.ContainsFunc(r.Skipped, func(s em.Skipped) bool { return s.Reason == "label 9 at position 0 of X is read by no arc" }) {
		t.Errorf("%v, %v", r, err)
	}
}
