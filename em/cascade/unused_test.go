package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// choice is a model of one letter, a or b, by a group of two; calls of drop make unused machines.
type choice struct {
	params  *em.Params
	g       *em.Group
	machine *fst.FST[expr.W]
}

// newChoice makes the model and an unused machine: never, before or after its own.
func newChoice(t *testing.T, when string) choice {
	t.Helper()
	c := choice{params: em.NewParams()}
	c.g = c.params.Group("g", 2, em.Multinomial{})
	if when == "before" {
		c.drop(t)
	}
	b := fst.NewBuilder(c.params.Space())
	b.AddStates(2)
	b.AddStart(0, expr.One)
	b.SetFinal(1, expr.One)
	for i, label := range "ab" {
		b.AddArc(0, fst.Arc[expr.W]{In: label, Out: label, Weight: c.g.Weight(i), To: 1})
	}
	var err error
	if c.machine, err = b.Freeze(); err != nil {
		t.Fatal(err)
	}
	if when == "after" {
		c.drop(t)
	}
	return c
}

// drop makes a machine whose sum diverges if the first parameter is at least ½.
func (c choice) drop(t *testing.T) {
	t.Helper()
	space := c.params.Space()
	two := space.Times(space.Const(semiring.NewScaled(2)), c.g.Weight(0))
	loop := fst.OneState(space, expr.One, fst.Arc[expr.W]{In: 'a', Out: 'a', Weight: two})
	if _, err := fst.Expand(cascade.Normalize(loop), nil); err != nil {
		t.Fatal(err)
	}
}

func (c choice) problem() cascade.Problem {
	return cascade.Problem{Params: c.params, Stages: []cascade.Stage{c.machine}}
}

// nineToOne returns nine examples a and one b.
func nineToOne() cascade.Data {
	d := cascade.Inputs("a", "b")
	d.Examples[0].Weight = em.Times(9)
	return d
}

// Fit ends at the maximum, for any machines that were made and dropped.
func TestUnusedDoesNotMove(t *testing.T) {
	// The accuracy of SGD is limited by its steps.
	within := map[em.Method]float64{em.EM{}: 1e-6, em.LBFGS{}: 1e-6, em.SGD{}: .1, em.Squarem{}: 1e-6}
	for method, near := range within {
		plain := newChoice(t, "never")
		want, err := plain.problem().Fit(context.Background(), nineToOne(), &em.Options{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(want.LogLikelihood-(9*math.Log(.9)+math.Log(.1))) > near {
			t.Errorf("%v: %g, want the maximum", method, want.LogLikelihood)
		}
		for _, when := range []string{"before", "after"} {
			got, err := newChoice(t, when).problem().Fit(context.Background(), nineToOne(), &em.Options{Method: method})
			if err != nil {
				t.Errorf("%v, %s: %v", method, when, err)
				continue
			}
			if !slices.Equal(got.Theta, want.Theta) || got.LogLikelihood != want.LogLikelihood {
				t.Errorf("%v, %s: %v %v, want %v %v", method, when, got.Theta, got.LogLikelihood, want.Theta, want.LogLikelihood)
			}
		}
	}
}

// likelihoodsOf returns one likelihood of each kind.
func likelihoodsOf(t *testing.T, c choice) map[string]em.Likelihood {
	t.Helper()
	all := map[string]em.Likelihood{}
	add := func(name string, l em.Likelihood, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = l
	}
	p := c.problem()
	for _, way := range []cascade.Strategy{cascade.ByLattice, cascade.ByBlocks} {
		d := nineToOne()
		d.Strategy = way
		l, err := p.Likelihood(d)
		add("lattices "+way.String(), l, err)
	}
	d := nineToOne()
	d.Pruning = &cascade.Pruning{Beam: .5}
	l, err := p.Likelihood(d)
	add("within", l, err)
	streamed := nineToOne()
	streamed.Stream = cascade.Sequence(func(yield func(cascade.Example, error) bool) {
		for _, x := range nineToOne().Examples {
			if !yield(x, nil) {
				return
			}
		}
	})
	streamed.Examples = nil
	l, err = p.Likelihood(streamed)
	add("stream", l, err)
	// A set that has its own weight, besides the machine's.
	set := fst.OneState(c.params.Space(), expr.One, fst.Arc[expr.W]{In: 'a', Out: 'a', Weight: c.g.Weight(1)})
	sets := cascade.Data{Examples: []cascade.Example{{X: cascade.Set(set)}, {X: cascade.Text("b")}}}
	l, err = p.Likelihood(sets)
	add("sets", l, err)
	conditional, err := p.ConditionalLikelihood(cascade.Pairs([][2]string{{"a", "a"}, {"b", "b"}}))
	add("conditional", conditional, err)
	normalized, err := p.NormalizedLikelihood(nineToOne())
	add("normalized", normalized, err)
	corpus, err := p.Corpus(nineToOne())
	add("corpus", corpus, err)
	graphs := cascade.Derivations{Examples: 2, Weight: func(i int) float64 { return []float64{9, 1}[i] },
		Graph: func(i int) (*graph.Graph[expr.W], error) {
			return graph.New(c.params.Space(), []int32{0, 1, 1}, []int32{1}, []expr.W{c.g.Weight(i)}, []graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One})
		}}
	l, err = graphs.Likelihood(c.params)
	add("graphs", l, err)
	template := cascade.NewTemplate(1)
	shared := oneLeaf(t, template, template.Param(0))
	forests := cascade.Derivations{Examples: 2, Weight: graphs.Weight,
		Forest: func(i int) (*forest.Forest[expr.W], error) { return oneLeaf(t, c.params.Space(), c.g.Weight(i)), nil }}
	l, err = forests.Likelihood(c.params)
	add("forests", l, err)
	forests.Forest = func(int) (*forest.Forest[expr.W], error) { return shared, nil }
	forests.Arguments = func(i int, dst []expr.W) ([]expr.W, error) { return append(dst, c.g.Weight(i)), nil }
	l, err = forests.Likelihood(c.params)
	add("templates", l, err)
	return all
}

// oneLeaf returns the forest of one tree: an edge of a weight.
func oneLeaf(t *testing.T, space *expr.Space, w expr.W) *forest.Forest[expr.W] {
	t.Helper()
	f, err := forest.New(space, []int32{0, 1}, []int32{0, 0}, nil, []expr.W{w}, []forest.Root[expr.W]{{Node: 0, Weight: expr.One}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every likelihood has the same bits with and without the dropped machine, for each kind of E
// step that it supports, and the same fingerprint.
func TestUnusedInLikelihoods(t *testing.T) {
	theta := []float64{.9, .1}
	step := func(l em.Likelihood, q em.Query) string {
		e, err := l.Expect(context.Background(), q)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%x %x %x", e.LogLikelihood, e.Counts, e.Curvature)
	}
	queries := map[string]em.Query{
		"marginal": {Theta: theta}, "viterbi": {Theta: theta, EStep: em.Viterbi},
		"tempered": {Theta: theta, Temperature: .5}, "curved": {Theta: theta, Tangent: []float64{1, -1}},
	}
	want := likelihoodsOf(t, newChoice(t, "never"))
	for _, when := range []string{"before", "after"} {
		for name, l := range likelihoodsOf(t, newChoice(t, when)) {
			for kind, q := range queries {
				a, b := step(want[name], q), step(l, q)
				if a != b || strings.Contains(b, "NaN") || kind == "marginal" && strings.Contains(b, ":") {
					t.Errorf("%s, %s, %s: %s, want %s", when, name, kind, b, a)
				}
			}
			var x, y bytes.Buffer
			want[name].Fingerprint(&x)
			l.Fingerprint(&y)
			if !bytes.Equal(x.Bytes(), y.Bytes()) {
				t.Errorf("%s, %s: another fingerprint", when, name)
			}
		}
	}
}

// Functions of a θ, and saved models, are not affected by the dropped machine.
func TestUnusedElsewhere(t *testing.T) {
	theta := []float64{.9, .1}
	saved := map[string]string{}
	for _, when := range []string{"never", "before", "after"} {
		c := newChoice(t, when)
		f, err := cascade.Instantiate(c.params, c.machine, theta, semiring.Real{})
		if err != nil {
			t.Fatalf("%s: Instantiate: %v", when, err)
		}
		if w := f.Graph().Weights(); w[0] != .9 {
			t.Errorf("%s: weights %v", when, w)
		}
		m, err := cascade.Marginal(c.problem(), nineToOne().Examples[0], 0, theta)
		if err != nil {
			t.Fatalf("%s: Marginal: %v", when, err)
		}
		if sum, err := fst.PathSum(m, nil); err != nil || sum.Float64() != .9 {
			t.Errorf("%s: marginal %v %v", when, sum, err)
		}
		totals, err := c.problem().Totals(context.Background(), theta, nineToOne())
		if err != nil || totals[0].Log != math.Log(.9) {
			t.Errorf("%s: Totals %v %v", when, totals, err)
		}
		model := cascade.NewModel(c.problem())
		model.Theta = theta
		var text bytes.Buffer
		if err := model.Save(&text); err != nil {
			t.Fatalf("%s: Save: %v", when, err)
		}
		saved[when] = text.String()
		if _, err := cascade.Load(&text); err != nil {
			t.Errorf("%s: Load: %v", when, err)
		}
	}
	if saved["before"] != saved["never"] || saved["after"] != saved["never"] {
		t.Errorf("saved files differ:\n%s\n%s\n%s", saved["never"], saved["before"], saved["after"])
	}
}

// An interrupted run is resumed in a program that makes and drops other machines.
func TestUnusedCheckpoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(context.Background())
	o := func() *em.Options { return &em.Options{Method: em.LBFGS{}, Checkpoint: file} }
	first := o()
	first.Observer = func(em.Event) { cancel() }
	if _, err := newChoice(t, "never").problem().Fit(ctx, nineToOne(), first); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	want, err := newChoice(t, "never").problem().Fit(context.Background(), nineToOne(), &em.Options{Method: em.LBFGS{}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := newChoice(t, "before").problem().Fit(context.Background(), nineToOne(), o())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Theta, want.Theta) {
		t.Errorf("%v, want %v", got.Theta, want.Theta)
	}
}

// If composition makes the expression without a value again, it belongs to the model, and the
// error names it.
func TestUnusedMetAgain(t *testing.T) {
	for _, within := range []*cascade.Pruning{nil, {Beam: .5}} {
		for _, when := range []string{"never", "before", "after"} {
			c := newChoice(t, when)
			space := c.params.Space()
			two := space.Times(space.Const(semiring.NewScaled(2)), c.g.Weight(0))
			// The machine takes an ε:ε loop, any number of times, before its letter.
			loop := fst.OneState(space, expr.One, fst.Arc[expr.W]{Weight: two}, fst.Arc[expr.W]{In: 'a', Out: 'a', Weight: expr.One})
			p := cascade.Problem{Params: c.params, Stages: []cascade.Stage{loop, c.machine}}
			d := cascade.Pairs([][2]string{{"a", "a"}})
			d.Pruning = within
			l, err := p.Likelihood(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range []em.EStep{em.Marginal, em.Viterbi} {
				_, err = l.Expect(context.Background(), em.Query{Theta: []float64{.9, .1}, EStep: step})
				if !errors.Is(err, semiring.ErrDiverges) {
					t.Errorf("%s, %v: error %v, want ErrDiverges", when, step, err)
				}
			}
			if _, err := cascade.Marginal(p, d.Examples[0], 1, []float64{.9, .1}); err != nil && !errors.Is(err, semiring.ErrDiverges) {
				t.Errorf("%s: Marginal: %v", when, err)
			}
		}
	}
}

// A set that is a separate machine without a value is named.
func TestUnusedIsUsedBySet(t *testing.T) {
	c := newChoice(t, "before")
	space := c.params.Space()
	star, _ := space.Star(space.Times(space.Const(semiring.NewScaled(2)), c.g.Weight(0)))
	set := fst.OneState(space, expr.One, fst.Arc[expr.W]{In: 'a', Out: 'a', Weight: star})
	l, err := c.problem().Likelihood(cascade.Data{Examples: []cascade.Example{{X: cascade.Set(set)}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Expect(context.Background(), em.Query{Theta: []float64{.9, .1}})
	if !errors.Is(err, semiring.ErrDiverges) || !strings.Contains(err.Error(), "star(") {
		t.Errorf("error %v, want ErrDiverges that names the star", err)
	}
	// Likewise a graph that uses it.
	d := cascade.Derivations{Examples: 1, Graph: func(int) (*graph.Graph[expr.W], error) {
		return graph.New(space, []int32{0, 1, 1}, []int32{1}, []expr.W{star}, []graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One})
	}}
	if l, err = d.Likelihood(c.params); err != nil {
		t.Fatal(err)
	}
	_, err = l.Expect(context.Background(), em.Query{Theta: []float64{.9, .1}})
	if !errors.Is(err, semiring.ErrDiverges) || !strings.Contains(err.Error(), "star(") {
		t.Errorf("error %v, want ErrDiverges that names the star", err)
	}
}
