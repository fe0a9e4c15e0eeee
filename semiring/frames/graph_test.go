package frames_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
	"example.org/pathsum/semiring/graph"
)

func scaled(x ...float64) []weight {
	w := make([]weight, len(x))
	for i, a := range x {
		w[i] = semiring.NewScaled(a)
	}
	return w
}

func TestRefusesGraphs(t *testing.T) {
	for name, c := range map[string]struct {
		states, symbols int
		arc             frames.Arc
	}{
		"no states":  {0, 1, frames.Arc{}},
		"no symbols": {1, 0, frames.Arc{Symbol: frames.Epsilon}},
		"from":       {2, 1, frames.Arc{From: 2}},
		"to":         {2, 1, frames.Arc{To: -1}},
		"symbol":     {2, 1, frames.Arc{Symbol: 1}},
		"no symbol":  {2, 1, frames.Arc{Symbol: -2}},
	} {
		if _, err := frames.New(c.states, c.symbols, []frames.Arc{c.arc}); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: %v, want semiring.ErrShape", name, err)
		}
	}
}

func TestRefusesWeights(t *testing.T) {
	g, err := frames.New(2, 1, []frames.Arc{{From: 0, To: 1, Symbol: frames.Epsilon}, {From: 1, To: 0, Symbol: frames.Epsilon}, {From: 1, To: 1}})
	if err != nil {
		t.Fatal(err)
	}
	right := func() frames.Weights {
		return frames.Weights{Initial: scaled(1, 0), Arc: scaled(.5, .5, .5), Final: scaled(0, 1)}
	}
	if err := g.SetWeights(right()); err != nil {
		t.Fatal(err)
	}
	e := scores(t, 3, 1, make([]float64, 3), nil)
	want, err := g.PathSum(e, new(frames.Scratch))
	if err != nil || want.IsZero() {
		t.Fatal(want, err)
	}
	for name, c := range map[string]struct {
		change func(w *frames.Weights)
		want   error
		text   string
	}{
		"starts":    {func(w *frames.Weights) { w.Initial = w.Initial[:1] }, semiring.ErrShape, "1 starts"},
		"arcs":      {func(w *frames.Weights) { w.Arc = nil }, semiring.ErrShape, "0 arcs"},
		"ends":      {func(w *frames.Weights) { w.Final = scaled(1, 1, 1) }, semiring.ErrShape, "3 ends"},
		"negative":  {func(w *frames.Weights) { w.Arc[2] = semiring.NewScaled(-1) }, semiring.ErrNegative, "arc 2"},
		"NaN":       {func(w *frames.Weights) { w.Final[1] = semiring.NewScaled(math.NaN()) }, semiring.ErrNotFinite, "the end at state 1"},
		"infinite":  {func(w *frames.Weights) { w.Initial[0] = semiring.NewScaled(math.Inf(1)) }, semiring.ErrNotFinite, "the start at state 0"},
		"too great": {func(w *frames.Weights) { w.Arc[2] = semiring.ScaledFromLog(1e11) }, semiring.ErrLimit, "arc 2"},
		"divergent": {func(w *frames.Weights) { w.Arc[0], w.Arc[1] = semiring.NewScaled(2), semiring.NewScaled(.5) }, semiring.ErrDiverges, "state"},
	} {
		w := right()
		c.change(&w)
		if err := g.SetWeights(w); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v with %q", name, err, c.want, c.text)
		}
	}
	if again, err := g.PathSum(e, new(frames.Scratch)); again != want || err != nil {
		t.Errorf("after errors the sum is %v, %v, want %v", again, err, want)
	}
}

// TestNoPath checks that counts are unchanged if there is no path, also before SetWeights.
func TestNoPath(t *testing.T) {
	g, err := frames.New(2, 1, []frames.Arc{{From: 0, To: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var s frames.Scratch
	e := scores(t, 3, 1, make([]float64, 3), nil)
	check := func(when string) {
		t.Helper()
		uses, gamma := frames.Parts{Arc: []float64{7}}, []float64{1, 2, 3}
		total, err := g.Counts(e, 1, uses, gamma, &s)
		sum, err2 := g.PathSum(e, &s)
		path, err3 := g.BestPath(e, &s)
		if err := errors.Join(err, err2, err3); err != nil || !total.IsZero() || !sum.IsZero() || path.Start != -1 || !path.Weight.IsZero() {
			t.Errorf("%s: %v, %v, %v, %v", when, total, sum, path, err)
		}
		if uses.Arc[0] != 7 || !slices.Equal(gamma, []float64{1, 2, 3}) {
			t.Errorf("%s: counts were added: %v, %v", when, uses, gamma)
		}
	}
	check("before SetWeights")
	if err := g.SetWeights(frames.Weights{Initial: scaled(1, 0), Arc: scaled(1), Final: scaled(0, 1)}); err != nil {
		t.Fatal(err)
	}
	check("three frames for one arc")
	if _, err := g.PathSum(scores(t, 1, 2, make([]float64, 2), nil), &s); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("two symbols for one: %v", err)
	}
}

// TestExtreme checks products of millions of the greatest and the least weights.
func TestExtreme(t *testing.T) {
	const n = 1 << 20
	great := semiring.ScaledFloat{Mant: 1, Exp: 1 << 23}
	for name, x := range map[string]weight{"great": great, "small": semiring.NewScaled(1).Div(great)} {
		m := newMachine(t, 1, 1, []frames.Arc{{From: 0, To: 0}},
			frames.Weights{Initial: scaled(1), Arc: []weight{x}, Final: scaled(1)})
		e := scores(t, n, 1, make([]float64, n), nil)
		total, err := m.PathSum(e, new(frames.Scratch))
		if err != nil || math.Abs(total.Log()/(n*x.Log())-1) > 1e-12 {
			t.Errorf("%s: %v, %v", name, total, err)
		}
	}
}

// TestWrittenNumbers checks the states and arcs of the product.
func TestWrittenNumbers(t *testing.T) {
	m := newMachine(t, 2, 2, []frames.Arc{{From: 1, To: 1, Symbol: 1}, {From: 0, To: 1, Symbol: frames.Epsilon}, {From: 0, To: 0, Symbol: 0}},
		frames.Weights{Initial: scaled(1, 0), Arc: scaled(.5, 1, 1), Final: scaled(0, 1)})
	e, err := frames.Probabilities(1, 2, []float64{.25, .75}, nil)
	if err != nil {
		t.Fatal(err)
	}
	product, arc, err := m.Product(e)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(arc, []int32{1, 2, 0, 1}) || !slices.Equal(product.To(), []int32{1, 2, 3, 3}) || product.NumStates() != 4 {
		t.Errorf("arcs %v to %v of %d states", arc, product.To(), product.NumStates())
	}
	if z, err := graph.PathSum(product); err != nil || math.Abs(z.Float64()-(.25+.375)) > 1e-15 {
		t.Error(z, err)
	}
	if _, _, err := m.Product(scores(t, 1, 3, make([]float64, 3), nil)); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("three symbols for two: %v", err)
	}
}
