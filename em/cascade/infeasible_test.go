package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// cyclicPairs returns data for a cyclicModel.
func cyclicPairs() cascade.Data {
	var data cascade.Data
	for i, pair := range [][2][]int32{{{1}, {1}}, {{1, 1}, {1, 2}}, {{1}, {2, 2}}, {{1, 2, 1}, {2, 1}}, {{1, 2}, {2, 2, 2}}, {{}, {}}} {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(pair[0]...), Y: cascade.Labels(pair[1]...), Weight: em.Times(float64(1 + i%3))})
	}
	return data
}

// TestInfeasibleStarts: starts at which Z diverges are named, and the best of the others wins,
// also in a resumed run. If all starts are infeasible, Fit returns their error.
func TestInfeasibleStarts(t *testing.T) {
	problem, _ := cyclicModel(t) // whose starts are drawn from exp(normal)
	l := differences(t, problem, cyclicPairs())[1]
	for _, m := range []em.Method{em.EM{}, em.LBFGS{}, em.SGD{}, em.Anneal{}} {
		infeasible := 0
		for seed := range trials.Seeds(2) {
			o := em.Options{Method: m, Restarts: 40, Iterations: 12, Start: []float64{3, 3, 3, 3}, Prune: em.Prune{After: 2}}
			o.Rand = rand.NewPCG(seed, 1)
			r, err := em.Fit(context.Background(), l, &o)
			if err != nil {
				if !errors.Is(err, semiring.ErrDiverges) {
					t.Errorf("%v: %v", m, err)
				}
				continue
			}
			for i, s := range r.Starts {
				if (s.Status == em.Infeasible) != strings.Contains(s.Reason, "diverges") {
					t.Errorf("%v: start %d is %v for the reason %q", m, i, s.Status, s.Reason)
				}
				if s.Status == em.Infeasible {
					infeasible++
				}
			}
			if r.Starts[0].Status != em.Infeasible || r.Starts[r.Start].Status == em.Infeasible || len(r.Theta) == 0 || r.Status == em.Infeasible {
				t.Errorf("%v: start %d has won, %v: %+v", m, r.Start, r.Status, r.Starts)
			}
			ctx, cancel := context.WithCancel(context.Background())
			o.Checkpoint, o.Rand, o.Observer = filepath.Join(t.TempDir(), "state"), rand.NewPCG(seed, 1), func(e em.Event) {
				if e.Iteration == 1 && e.Step != em.InfeasibleStep {
					cancel()
				}
			}
			if r, err := em.Fit(ctx, l, &o); !errors.Is(err, context.Canceled) || r.Status != em.Canceled {
				t.Errorf("%v: no break: %v", m, err)
			}
			o.Rand, o.Observer = rand.NewPCG(seed, 1), nil
			again, err := em.Fit(context.Background(), l, &o)
			if err != nil || !slices.Equal(again.Theta, r.Theta) || fmt.Sprint(again.Starts) != fmt.Sprint(r.Starts) {
				t.Errorf("%v: another result after a break: %v", m, err)
			}
		}
		if infeasible < 4 {
			t.Errorf("%v: only %d starts were infeasible", m, infeasible)
		}
		if _, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: []float64{3, 3, 3, 3}}); !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("%v: error %v, want ErrDiverges", m, err)
		}
	}
}

// TestScaledStarts: by default the strengths of a log-linear machine with loops start at 1, and
// random ones are of the same size. They are scaled down until Z is finite, with an event for the
// observer, and every method reaches the same optimum.
func TestScaledStarts(t *testing.T) {
	params := em.NewParams()
	cyclic, _ := cyclicModel(t)
	f := cascade.GlobalLogLinear(params, "g", fst.Map(cyclic.Stages[0], semiring.Boolean{}, func(weight) bool { return true }),
		func(s int32, e *fst.Arc[bool]) []em.Feature {
			if e == nil {
				return nil
			}
			return []em.Feature{{Name: fmt.Sprint(s, e.In, e.Out)}, {Name: "any"}}
		}, em.LogLinearOptions{Sigma: 3})
	machine := cascade.Normalize(f)
	problem := func(f cascade.Stage) cascade.Problem {
		return cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
	}
	difference := differences(t, problem(f), cyclicPairs())[1]
	best := math.NaN()
	for _, c := range []struct {
		l      em.Likelihood
		m      em.Method
		within float64
	}{{difference, em.EM{}, 0}, {difference, em.LBFGS{}, 1e-4}, {difference, em.SGD{}, .5}, {difference, em.Anneal{}, 1e-4}, {likelihood(t, problem(machine), cyclicPairs()), em.LBFGS{}, 1e-4}} {
		told := map[int]int{}
		o := em.Options{Method: c.m, Restarts: 3, Rand: rand.NewPCG(1, 2), Iterations: 3000, Tolerance: 1e-10, Observer: func(e em.Event) {
			if e.Step == em.InfeasibleStep {
				told[e.Start]++
				if !math.IsInf(e.Objective, -1) || !math.IsNaN(e.Gain) || len(e.Theta) == 0 || e.Iteration != 0 {
					t.Errorf("event %+v", e)
				}
			}
		}}
		r, err := em.Fit(context.Background(), c.l, &o)
		if err != nil {
			t.Errorf("%v: %v", c.m, err)
			continue
		}
		if told[0] == 0 || len(told) < 2 {
			t.Errorf("%v: the observer was told of %v", c.m, told)
		}
		for i, s := range r.Starts {
			if s.Status == em.Infeasible {
				t.Errorf("%v: start %d is infeasible: %s", c.m, i, s.Reason)
			}
		}
		if got := last(r); math.IsNaN(best) {
			best = got
		} else if math.Abs(got-best) > c.within {
			t.Errorf("%T, %v: objective %.8f, want %.8f", c.l, c.m, got, best)
		}
		if _, err := em.Fit(context.Background(), c.l, &em.Options{Method: c.m, Start: params.Start()}); !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("%v: from a start that the caller chose: error %v, want ErrDiverges", c.m, err)
		}
	}
}

// last returns the last objective.
func last(r *em.Result) float64 { return r.Last() }

// TestSGDBacksOff: steps of stochastic gradients to a θ where Z diverges are halved, and each
// pass still visits each minibatch.
func TestSGDBacksOff(t *testing.T) {
	trials.SkipUnderRace(t)
	problem, _ := cyclicModel(t)
	data := cyclicPairs()
	l := differences(t, problem, data)[1]
	start := []float64{.1, .1, .1, .1}
	want, err := em.Fit(context.Background(), l, &em.Options{Method: em.LBFGS{}, Start: start, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	for _, average := range []bool{false, true} {
		rejected, visited := 0, 0
		r, err := em.Fit(context.Background(), l, &em.Options{Method: em.SGD{Rate: 6, Average: average, Shards: 2}, Start: start, Iterations: 20000, Tolerance: -1,
			Observer: func(e em.Event) {
				switch e.Step {
				case em.RejectedStep:
					rejected++
				default:
					visited += e.Examples
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if rejected == 0 {
			t.Error("no step was too long")
		}
		if want := 6 + 2*(20000-1-rejected); visited != want {
			t.Errorf("%d examples visited in %d iterations of which %d were rejected, want %d", visited, r.Iterations(), rejected, want)
		}
		e, err := l.Expect(context.Background(), em.Query{Theta: r.Theta})
		if err != nil || e.LogLikelihood < last(want)-.01 {
			t.Errorf("average %v: %g (%v), want %g", average, e.LogLikelihood, err, last(want))
		}
	}
}

// TestAnnealRaises: the loop of a hidden string has a mass above 1 at a low β. Annealing raises β
// until sums exist, reports it, and ends at the result of EM.
func TestAnnealRaises(t *testing.T) {
	params := em.NewParams()
	g := params.Group("g", 7, em.Multinomial{})
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(s, g.Weight(6))
	for i, out := range []int32{1, 2, epsilon, epsilon, epsilon, epsilon} {
		m.AddArc(s, arc(int32(i), out, g.Weight(i), s))
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
	data := []cascade.Example{{Y: cascade.Labels(1, 2, 1)}, {Y: cascade.Labels(1)}, {X: cascade.Labels(4, 1, 3), Y: cascade.Labels(2)}}
	failed, first := []float64(nil), 0.0
	r := fit(t, problem, data, &em.Options{Method: em.Anneal{}, Iterations: 2000, Tolerance: 1e-13, Observer: func(e em.Event) {
		switch {
		case e.Step == em.InfeasibleStep:
			failed = append(failed, e.Temperature)
		case e.Iteration == 0:
			first = e.Temperature
		}
	}})
	if len(failed) < 3 || !slices.Equal(failed[:3], []float64{.1, .2, .4}) || first != .8 {
		t.Errorf("no sums at β = %v, the first at %g", failed, first)
	}
	want := fit(t, problem, data, &em.Options{Iterations: 2000, Tolerance: 1e-13})
	if math.Abs(last(r)-last(want)) > 1e-6 {
		t.Errorf("objective %.9f, EM comes to %.9f", last(r), last(want))
	}
}

// The reason for an example without a derivation names its labels without an arc, by symbols if
// there are any, for every way and on every tape. There is no reason if each label has an arc.
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
		for _, way := range []cascade.Strategy{cascade.ByLattice, cascade.ByBlocks} {
			l, err := c.problem.Likelihood(cascade.Data{Examples: []cascade.Example{c.x}, Strategy: way})
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
	l, err := chain.Likelihood(cascade.Data{Examples: []cascade.Example{good, {X: cascade.Labels(9)}}, Underivable: em.Skip, Strategy: cascade.ByLattice})
	if err != nil {
		t.Fatal(err)
	}
	r, err := em.Fit(t.Context(), l, nil)
	if err != nil || !slices.ContainsFunc(r.Skipped, func(s em.Skipped) bool { return s.Reason == "label 9 at position 0 of X is read by no arc" }) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestStuck: if all labels have arcs but there is no derivation, the reason is the longest prefix
// of the strings of a cascade or an edge that can be read and written together.
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
		{one(words, other), cascade.Example{X: cascade.Text("ba")}, "machine 1 of the cascade cannot read any output of the machine before it for X"},
		{one(words, never), cascade.Example{Y: cascade.Text("a")}, "machine 1 of the cascade has no path from a start to an end"},
		{one(words), cascade.Example{X: cascade.Text("ab"), Y: cascade.Set(set)}, "the cascade cannot write the evidence for Y for X"},
		{one(fst.Invert(words)), cascade.Example{X: cascade.Set(set)}, "machine 0 of the cascade cannot read the evidence for X"},
		{branch, cascade.Example{Y: cascade.Text("d"), X: cascade.Text("b"), Branches: []cascade.Side{cascade.Text("x")}}, "branch 0 writes for Y only the beginning of branch 0, before label 'x' (120) at position 0"},
		{tree, cascade.Example{Tapes: []cascade.Side{{}, cascade.Text("cd"), cascade.Text("b")}}, "edge 1 (tape 2 to 1) writes for tape 2 only the beginning of tape 1, before label 'c' (99) at position 0"},
		{branch, cascade.Example{X: cascade.Text("ab"), Branches: []cascade.Side{cascade.Text("y")}}, ""}, // each edge has a derivation
	} {
		l, err := c.problem.Likelihood(cascade.Data{Examples: []cascade.Example{c.x}, Strategy: cascade.ByLattice})
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

// TestTextsAreNames: examples made from texts are named by them.
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

// TestTapeNames: messages name tapes, and the edges between them, by the Names of a Problem.
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
