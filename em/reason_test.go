package em_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
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
		{cascade, em.Example{X: em.Labels(1), Y: em.Labels(1)}, `example 0: the cascade writes for X only the beginning of Y, before label 1 at position 0`},
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

// TestStuck: where all labels are somewhere and no derivation is, the reason is how far the
// strings of a cascade or an edge can be read and written together.
func TestStuck(t *testing.T) {
	p := em.NewParams()
	machine := func(pairs ...[2]string) em.Stage {
		var paths []fst.Path[bool]
		for _, pair := range pairs {
			paths = append(paths, fst.Path[bool]{In: []rune(pair[0]), Out: []rune(pair[1]), Weight: true})
		}
		f, err := fst.StringMap(semiring.Boolean{}, paths)
		if err != nil {
			t.Fatal(err)
		}
		c, err := em.Constants(p, f)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	words := machine([2]string{"ab", "cd"}, [2]string{"ba", "dc"}, [2]string{"b", "d"})
	doubled := machine([2]string{"aa", "dd"})
	other := machine([2]string{"cc", "x"}, [2]string{"d", "y"})
	never, err := em.Constants(p, must(fst.FromArcs(semiring.Boolean{}, nil, []fst.Arc[bool]{{In: 'a', Out: 'a', Weight: true}})))
	if err != nil {
		t.Fatal(err)
	}
	one := func(stages ...em.Stage) em.Problem { return em.Problem{Params: p, Cascade: stages} }
	branch := em.Problem{Params: p, Cascade: []em.Stage{words}, Branches: [][]em.Stage{{other}}}
	tree := em.Problem{Params: p, Edges: []em.Edge{{From: 0, To: 1, Machines: []em.Stage{words}}, {From: 2, To: 1, Machines: []em.Stage{words}}}}
	set := must(em.Constants(p, must(fst.StringMap(semiring.Boolean{}, []fst.Path[bool]{{In: []rune("cc"), Out: []rune("cc"), Weight: true}}))))
	for _, c := range []struct {
		problem em.Problem
		x       em.Example
		want    string
	}{
		{one(doubled), em.Example{X: em.Text("aa"), Y: em.Text("d")}, "the cascade writes for X all of Y, but cannot end there"},
		{one(words), em.Example{X: em.Text("ab"), Y: em.Text("cdd")}, "the cascade writes for X only the beginning of Y, before label 'd' (100) at position 2"},
		{one(words), em.Example{Y: em.Text("cc")}, "the cascade writes only the beginning of Y, before label 'c' (99) at position 1"},
		{one(words), em.Example{X: em.Text("aba")}, "machine 0 of the cascade reads only the beginning of X, before label 'a' (97) at position 2"},
		{one(words), em.Example{X: em.Text("a")}, "machine 0 of the cascade reads all of X, but cannot end there"},
		{one(words, other), em.Example{X: em.Text("ba")}, "machine 1 of the cascade reads nothing of what the machine in front of it writes for X"},
		{one(words, never), em.Example{Y: em.Text("a")}, "machine 1 of the cascade has no path from a start to an end"},
		{one(words), em.Example{X: em.Text("ab"), Y: em.Set(set)}, "the cascade writes nothing of what is known of Y for X"},
		{one(words.Inverse()), em.Example{X: em.Set(set)}, "machine 0 of the cascade reads nothing of what is known of X"},
		{branch, em.Example{Y: em.Text("d"), X: em.Text("b"), Branches: []em.Side{em.Text("x")}}, "branch 0 writes for Y only the beginning of branch 0, before label 'x' (120) at position 0"},
		{tree, em.Example{Tapes: []em.Side{{}, em.Text("cd"), em.Text("b")}}, "edge 1 (tape 2 to 1) writes for tape 2 only the beginning of tape 1, before label 'c' (99) at position 0"},
		{branch, em.Example{X: em.Text("ab"), Branches: []em.Side{em.Text("y")}}, ""}, // each edge has a derivation
	} {
		l, err := c.problem.Likelihood(em.Data{Examples: []em.Example{c.x}, Way: em.ByLattice})
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
	f := must(em.Conditional(p, "f", must(fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{In: 'a', Out: 'b', Weight: 1})), em.Multinomial{}))
	for want, data := range map[string]em.Data{
		`the first is example 1 ("aé" and "b"): label 'é' (233) at position 1 of X is read by no arc`: em.Pairs([][2]string{{"a", "b"}, {"aé", "b"}}),
		`the first is example 0 ("x"): label 'x' (120) at position 0 of X is read by no arc`:          em.Inputs("x", "a"),
		`the first is example 0 ("x"): label 'x' (120) at position 0 of Y is written by no arc`:       em.Outputs("x"),
	} {
		l := must(em.Problem{Params: p, Cascade: []em.Stage{f}}.Likelihood(data))
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
	ab := must(em.Constants(p, must(fst.StringMap(semiring.Real{}, []fst.Path[float64]{{In: []rune("a"), Out: []rune("b"), Weight: 1}}))))
	star := em.Problem{Params: p, Cascade: []em.Stage{ab}, Branches: [][]em.Stage{{ab.Inverse()}}, Names: []string{"spelling", "sound", "echo"}}
	tree := em.Problem{Params: p, Edges: []em.Edge{{From: 0, To: 1, Machines: []em.Stage{ab}}}, Names: []string{"spelling", "sound"}}
	for _, c := range []struct {
		problem em.Problem
		x       em.Example
		want    string
	}{
		{star, em.Example{X: em.Text("c"), Branches: []em.Side{{}}}, "label 'c' (99) at position 0 of spelling is read by no arc"},
		{star, em.Example{X: em.Text("a"), Y: em.Text("bb"), Branches: []em.Side{{}}}, "the cascade from spelling to sound writes for spelling only the beginning of sound, before label 'b' (98) at position 1"},
		{star, em.Example{Y: em.Text("b"), Branches: []em.Side{em.Text("aa")}}, "the branch to echo writes for sound only the beginning of echo, before label 'a' (97) at position 1"},
		{tree, em.Example{Tapes: []em.Side{em.Text("a"), em.Text("bb")}}, "edge 0 (spelling to sound) writes for spelling only the beginning of sound, before label 'b' (98) at position 1"},
	} {
		_, err := em.LogLikelihood(t.Context(), likelihood(t, c.problem, em.Data{Examples: []em.Example{c.x}}), nil)
		if !errors.Is(err, em.ErrUnderivable) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	star.Names = star.Names[:2]
	_, err := star.Likelihood(em.Data{Examples: make([]em.Example, 1)})
	if !errors.Is(err, em.ErrInvalid) {
		t.Errorf("too few names: %v", err)
	}
	wantIn(t, err, "2 Names for 3 tapes")
}
