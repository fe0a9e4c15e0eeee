package cascade_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
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
	chain := cascade.Problem{Params: p, Stages: []cascade.Stage{f}}
	branches := cascade.Problem{Params: p, Stages: []cascade.Stage{f}, Branches: [][]cascade.Stage{{f}}}
	for _, c := range []struct {
		problem cascade.Problem
		x       cascade.Example
		want    string
	}{
		{chain, cascade.Example{X: cascade.Labels(1, 3), Y: cascade.Labels(2, 2), Name: "third"}, `example 0 (third): label "c" at position 1 of X is read by no arc`},
		{chain, cascade.Example{X: cascade.Labels(1, 4), Y: cascade.Labels(2, 2)}, `example 0: label 4 at position 1 of X is read by no arc`},
		{chain, cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(3)}, `example 0: label 3 at position 0 of Y is written by no arc`},
		{chain, cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(1)}, `example 0: the cascade writes for X only the beginning of Y, before label 1 at position 0`},
		{branches, cascade.Example{Branches: []cascade.Side{cascade.Labels(2, 1, 7)}}, `example 0: label 7 at position 2 of branch 0 is written by no arc`},
		{branches, cascade.Example{Y: cascade.Labels(3), Branches: []cascade.Side{cascade.Labels(2)}}, `example 0: label 3 at position 0 of Y is written by no arc`},
	} {
		for _, way := range []cascade.Way{cascade.ByLattice, cascade.ByBlocks} {
			l, err := c.problem.Likelihood(cascade.Data{Examples: []cascade.Example{c.x}, Way: way})
			if errors.Is(err, em.ErrInvalid) && way != cascade.ByLattice {
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
	good := cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(2)}
	l, err := chain.Likelihood(cascade.Data{Examples: []cascade.Example{good, {X: cascade.Labels(9)}}, Underivable: em.Skip, Way: cascade.ByLattice})
	if err != nil {
		t.Fatal(err)
	}
	r, err := em.Fit(t.Context(), l, nil)
	if err != nil || !slices.ContainsFunc(r.Skipped, func(s em.Skipped) bool { return s.Reason == "label 9 at position 0 of X is read by no arc" }) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestStuck: where all labels are somewhere and no derivation is, the reason is how far the
// strings of a cascade or an edge can be read and written together.
func TestStuck(t *testing.T) {
	p := em.NewParams()
	machine := func(pairs ...[2]string) cascade.Stage {
		var paths []fst.Path[bool]
		for _, pair := range pairs {
			paths = append(paths, fst.Path[bool]{In: []rune(pair[0]), Out: []rune(pair[1]), Weight: true})
		}
		f := fst.StringMap(semiring.Boolean{}, paths)
		c := cascade.Constants(p, f)
		return c
	}
	words := machine([2]string{"ab", "cd"}, [2]string{"ba", "dc"}, [2]string{"b", "d"})
	doubled := machine([2]string{"aa", "dd"})
	other := machine([2]string{"cc", "x"}, [2]string{"d", "y"})
	never := cascade.Constants(p, fst.FromArcs(semiring.Boolean{}, nil, []fst.Arc[bool]{{In: 'a', Out: 'a', Weight: true}}))
	one := func(chain ...cascade.Stage) cascade.Problem { return cascade.Problem{Params: p, Stages: chain} }
	branch := cascade.Problem{Params: p, Stages: []cascade.Stage{words}, Branches: [][]cascade.Stage{{other}}}
	tree := cascade.Problem{Params: p, Edges: []cascade.Edge{{From: 0, To: 1, Machines: []cascade.Stage{words}}, {From: 2, To: 1, Machines: []cascade.Stage{words}}}}
	set := cascade.Constants(p, fst.StringMap(semiring.Boolean{}, []fst.Path[bool]{{In: []rune("cc"), Out: []rune("cc"), Weight: true}}))
	for _, c := range []struct {
		problem cascade.Problem
		x       cascade.Example
		want    string
	}{
		{one(doubled), cascade.Example{X: cascade.Text("aa"), Y: cascade.Text("d")}, "the cascade writes for X all of Y, but cannot end there"},
		{one(words), cascade.Example{X: cascade.Text("ab"), Y: cascade.Text("cdd")}, "the cascade writes for X only the beginning of Y, before label 'd' (100) at position 2"},
		{one(words), cascade.Example{Y: cascade.Text("cc")}, "the cascade writes only the beginning of Y, before label 'c' (99) at position 1"},
		{one(words), cascade.Example{X: cascade.Text("aba")}, "machine 0 of the cascade reads only the beginning of X, before label 'a' (97) at position 2"},
		{one(words), cascade.Example{X: cascade.Text("a")}, "machine 0 of the cascade reads all of X, but cannot end there"},
		{one(words, other), cascade.Example{X: cascade.Text("ba")}, "machine 1 of the cascade reads nothing of what the machine in front of it writes for X"},
		{one(words, never), cascade.Example{Y: cascade.Text("a")}, "machine 1 of the cascade has no path from a start to an end"},
		{one(words), cascade.Example{X: cascade.Text("ab"), Y: cascade.Set(set)}, "the cascade writes nothing of what is known of Y for X"},
		{one(fst.Invert(words)), cascade.Example{X: cascade.Set(set)}, "machine 0 of the cascade reads nothing of what is known of X"},
		{branch, cascade.Example{Y: cascade.Text("d"), X: cascade.Text("b"), Branches: []cascade.Side{cascade.Text("x")}}, "branch 0 writes for Y only the beginning of branch 0, before label 'x' (120) at position 0"},
		{tree, cascade.Example{Tapes: []cascade.Side{{}, cascade.Text("cd"), cascade.Text("b")}}, "edge 1 (tape 2 to 1) writes for tape 2 only the beginning of tape 1, before label 'c' (99) at position 0"},
		{branch, cascade.Example{X: cascade.Text("ab"), Branches: []cascade.Side{cascade.Text("y")}}, ""}, // each edge has a derivation
	} {
		l, err := c.problem.Likelihood(cascade.Data{Examples: []cascade.Example{c.x}, Way: cascade.ByLattice})
		if err != nil {
			t.Fatal(err)
		}
		want := "the first is example 0"
		if c.want != "" {
			want += ": " + c.want
		}
		_, err = em.Fit(t.Context(), l, nil)
		if !errors.Is(err, em.ErrUnderivable) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestTextsAreNames: examples that are made of texts are called by them.
func TestTextsAreNames(t *testing.T) {
	p := em.NewParams()
	f := cascade.Conditional(p, "f", fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 'a', Out: 'b', Weight: 1}), em.Multinomial{})
	for want, data := range map[string]cascade.Data{
		`the first is example 1 ("aé" and "b"): label 'é' (233) at position 1 of X is read by no arc`: cascade.Pairs([][2]string{{"a", "b"}, {"aé", "b"}}),
		`the first is example 0 ("x"): label 'x' (120) at position 0 of X is read by no arc`:          cascade.Inputs("x", "a"),
		`the first is example 0 ("x"): label 'x' (120) at position 0 of Y is written by no arc`:       cascade.Outputs("x"),
	} {
		l := must(cascade.Problem{Params: p, Stages: []cascade.Stage{f}}.Likelihood(data))
		if _, err := em.Fit(t.Context(), l, nil); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestTapeNames: messages call tapes and what is between them by the names of a Problem.
func TestTapeNames(t *testing.T) {
	p := em.NewParams()
	ab := cascade.Constants(p, fst.StringMap(semiring.Real{}, []fst.Path[float64]{{In: []rune("a"), Out: []rune("b"), Weight: 1}}))
	star := cascade.Problem{Params: p, Stages: []cascade.Stage{ab}, Branches: [][]cascade.Stage{{fst.Invert(ab)}}, Names: []string{"spelling", "sound", "echo"}}
	tree := cascade.Problem{Params: p, Edges: []cascade.Edge{{From: 0, To: 1, Machines: []cascade.Stage{ab}}}, Names: []string{"spelling", "sound"}}
	for _, c := range []struct {
		problem cascade.Problem
		x       cascade.Example
		want    string
	}{
		{star, cascade.Example{X: cascade.Text("c"), Branches: []cascade.Side{{}}}, "label 'c' (99) at position 0 of spelling is read by no arc"},
		{star, cascade.Example{X: cascade.Text("a"), Y: cascade.Text("bb"), Branches: []cascade.Side{{}}}, "the cascade from spelling to sound writes for spelling only the beginning of sound, before label 'b' (98) at position 1"},
		{star, cascade.Example{Y: cascade.Text("b"), Branches: []cascade.Side{cascade.Text("aa")}}, "the branch to echo writes for sound only the beginning of echo, before label 'a' (97) at position 1"},
		{tree, cascade.Example{Tapes: []cascade.Side{cascade.Text("a"), cascade.Text("bb")}}, "edge 0 (spelling to sound) writes for spelling only the beginning of sound, before label 'b' (98) at position 1"},
	} {
		_, err := em.LogLikelihood(t.Context(), likelihood(t, c.problem, cascade.Data{Examples: []cascade.Example{c.x}}), nil)
		if !errors.Is(err, em.ErrUnderivable) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	star.Names = star.Names[:2]
	_, err := star.Likelihood(cascade.Data{Examples: make([]cascade.Example, 1)})
	if !errors.Is(err, em.ErrInvalid) {
		t.Errorf("too few names: %v", err)
	}
	wantIn(t, err, "2 Names for 3 tapes")
}
