package phylo

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/models/phylo/msa"
)

// What is selected for a smaller tree is as probable as all rows under a tree with the other
// species, whose cells are missing.
func TestSelect(t *testing.T) {
	whole := must(ParseTree("((a:.1,x:.7):.05,(b:.2,c:.3):.05);"))
	part := must(ParseTree("(a:.15,(b:.2,c:.3):.05);"))
	r := fsttest.Rand(1)
	a := randomAlignment(r, whole, 30)
	a.Remarks = []string{"read"}
	s := part.Select(a)
	if !slices.Equal(s.Species, []string{"a", "b", "c"}) || !slices.Equal(s.Remarks, []string{"read", "species of the alignment that the tree lacks are left out: x"}) {
		t.Errorf("%v, %v", s.Species, s.Remarks)
	}
	if whole.Select(a) != a || len(a.Species) != 4 || len(a.Remarks) != 1 {
		t.Error("nothing is to be left out, or the alignment has changed")
	}
	hidden := a.Clone()
	for j := range hidden.Rows[hidden.Row("x")] {
		hidden.Rows[hidden.Row("x")][j] = msa.Missing
	}
	logProb := func(tree *Tree, a *msa.Alignment) float64 {
		m := must(NewColumns(tree, HKY85([4]float64{.3, .2, .1, .4})))
		return must(must(m.Likelihood(a)).LogProb(t.Context(), m.Theta, 0))
	}
	if got, want := logProb(part, s), logProb(whole, hidden); math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("ln P = %g, want %g", got, want)
	}
	// A species that the alignment lacks stays an error.
	m := must(NewColumns(whole, JC69()))
	if _, err := m.Likelihood(whole.Select(s)); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	if _, err := must(NewColumns(part, JC69())).Likelihood(a); !contains(err, "Tree.Select") {
		t.Error(err)
	}
}
