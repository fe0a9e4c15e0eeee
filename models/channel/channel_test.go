package channel_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

var start = channel.FertilityStart{Delete: .1, One: .6, Two: .3, Insert: .05}

func spread(t testing.TB, p *em.Params, in, out []int32) *fst.FST[expr.W] {
	t.Helper()
	c, err := channel.NewFertility(p, fmt.Sprintf("spread %d", len(p.Groups())), in, out, start, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Machine
}

// total returns the path sum of x ∘ the model, or with it ∘ y.
func total(t *testing.T, m *channel.Model, x, y []int32) float64 {
	t.Helper()
	k := semiring.Real{}
	var f fst.Machine[float64] = fst.FromString(k, x)
	for _, s := range m.Stages {
		g, err := cascade.Instantiate(m.Params, s, m.Theta, k)
		if err != nil {
			t.Fatal(err)
		}
		f = fst.Compose(f, g)
	}
	if y != nil {
		f = fst.Compose(f, fst.FromString(k, y))
	}
	sum, err := fst.PathSum(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestFertilityIsConditional: outputs of any input have total probability 1, and a
// single symbol comes out with the probabilities of the start.
func TestFertilityIsConditional(t *testing.T) {
	p := em.NewParams()
	m := channel.New(p, spread(t, p, []int32{1, 2, 3}, []int32{1, 2}))
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		x := make([]int32, rng.IntN(5))
		for i := range x {
			x[i] = 1 + rng.Int32N(3)
		}
		if got := total(t, m, x, nil); math.Abs(got-1) > 1e-12 {
			t.Errorf("outputs of %v sum to %g", x, got)
		}
		m.Theta = p.Random(rng)
	}
	m.Theta = p.Start()
	i := start.Insert
	for _, c := range []struct {
		y    []int32
		want float64
	}{
		{[]int32{}, (1 - i) * (1 - i) * .1},
		{[]int32{1}, (1 - i) * (1 - i) * (.6/2 + 2*i/2*.1)},
		{[]int32{2, 1}, (1 - i) * (1 - i) * (.3/4 + 2*i/2*.6/2 + 3*(i/2)*(i/2)*.1)},
	} {
		if got := total(t, m, []int32{3}, c.y); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("P(%v | 3) is %g, want %g", c.y, got, c.want)
		}
	}
}

// TestFertilityGroups: all probability on one parameter of a symbol makes the output
// that the groups' description says.
func TestFertilityGroups(t *testing.T) {
	p := em.NewParams()
	out := []int32{11, 12, 13}
	c, err := channel.NewFertility(p, "spread", []int32{5, 6}, out, start, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m := channel.New(p, c.Machine)
	n := len(out)
	for parameter, want := range map[int][]int32{0: {}, 1 + 2: {13}, 1 + n + n*1 + 2: {12, 13}} {
		m.Theta = p.Start()
		copy(c.Coin.In(m.Theta), []float64{0, 1})
		g := c.Symbols[1].In(m.Theta)
		clear(g)
		g[parameter] = 1
		if got := total(t, m, []int32{6}, want); math.Abs(got-1) > 1e-12 {
			t.Errorf("parameter %d: P(%v | 6) is %g, want 1", parameter, want, got)
		}
	}
}

// spelling returns a fixed stage that writes 1 as 5, 2 as 6 and 12 as 7 or 56.
func spelling(t testing.TB, p *em.Params) *fst.FST[expr.W] {
	t.Helper()
	b := fst.NewBuilder(p.Space())
	s, after1 := b.AddState(), b.AddState()
	b.AddStart(s, expr.One)
	b.SetFinal(s, expr.One)
	b.AddArc(s, fst.Arc[expr.W]{In: 1, Out: 5, Weight: expr.One, To: s})
	b.AddArc(s, fst.Arc[expr.W]{In: 2, Out: 6, Weight: expr.One, To: s})
	b.AddArc(s, fst.Arc[expr.W]{In: 1, Weight: expr.One, To: after1})
	b.AddArc(after1, fst.Arc[expr.W]{In: 2, Out: 7, Weight: expr.One, To: s})
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDecode compares both directions of decoding with the exact probabilities
// of all short strings.
func TestDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 5 {
		p := em.NewParams()
		in, middle := []int32{1, 2, 3}, []int32{1, 2}
		m := channel.New(p, spread(t, p, in, middle), spelling(t, p))
		for i, g := range p.Groups() {
			if i > 1 { // insertions stay rare, so that short strings suffice
				em.Multinomial{}.Random(g.In(m.Theta), rng)
			}
		}
		d, err := m.Predictor(nil)
		if err != nil {
			t.Fatal(err)
		}
		x := []int32{1 + rng.Int32N(3), 1 + rng.Int32N(3)}
		got, err := d.Forward().Best(context.Background(), x, 5)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "outputs", got, all([]int32{5, 6, 7}, 5), func(y []int32) float64 { return total(t, m, x, y) })
	}
}

// all returns all strings over labels up to a length.
func all(labels []int32, n int) [][]int32 {
	out := [][]int32{{}}
	for from := 0; n > 0; n-- {
		to := len(out)
		for _, s := range out[from:to] {
			for _, l := range labels {
				out = append(out, append(s[:len(s):len(s)], l))
			}
		}
		from = to
	}
	return out
}

// check wants got to be the best of strings, with their probabilities; strings
// that are equally good may come in any order.
func check(t *testing.T, what string, got []nbest.Candidate, strings [][]int32, prob func([]int32) float64) {
	t.Helper()
	var want []float64
	for _, s := range strings {
		want = append(want, math.Log(prob(s)))
	}
	slices.SortFunc(want, func(a, b float64) int { return cmp.Compare(b, a) })
	seen := map[string]bool{}
	for i, c := range got {
		key := fmt.Sprint(c.Labels)
		if own := math.Log(prob(c.Labels)); seen[key] || math.Abs(c.LogProb-own) > 1e-9 || math.Abs(own-want[i]) > 1e-9 {
			t.Errorf("%s: number %d is %v of ln P %g, want one of %g", what, i, c, own, want[i])
		}
		seen[key] = true
	}
}

// TestSources: with a source model the cascade is decoded backward.
func TestSources(t *testing.T) {
	p := em.NewParams()
	m := channel.New(p, source(t, p), spread(t, p, []int32{1, 2, 3}, []int32{1, 2}))
	d, err := m.Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Backward().Best(context.Background(), []int32{1, 2}, 4)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "sources", got, all([]int32{1, 2, 3}, 4), func(x []int32) float64 { return total(t, m, x, []int32{1, 2}) })
}

// TestTrainAndDecode learns a substitution from pairs and uses it.
func TestTrainAndDecode(t *testing.T) {
	p := em.NewParams()
	m := channel.New(p, spread(t, p, []int32{1, 2, 3}, []int32{1, 2, 3}))
	rng := rand.New(rand.NewPCG(9, 9))
	becomes := map[int32][]int32{1: {2}, 2: {3, 1}, 3: {3}}
	var data []cascade.Example
	for range 200 {
		var x, y []int32
		for range 1 + rng.IntN(4) {
			l := 1 + rng.Int32N(3)
			x, y = append(x, l), append(y, becomes[l]...)
		}
		data = append(data, cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...)})
	}
	r, err := m.Fit(context.Background(), cascade.Data{Examples: data}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Theta, r.Theta) {
		t.Error("the model does not have the result's parameters")
	}
	d, err := m.Predictor(&channel.PredictorOptions{Prune: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	got, err := d.Forward().Best(ctx, []int32{1, 2, 3, 2}, 1)
	if err != nil || len(got) == 0 || !slices.Equal(got[0].Labels, []int32{2, 3, 1, 3, 3, 1}) {
		t.Errorf("decoded %v (%v)", got, err)
	}
	if got, err = d.Forward().Best(ctx, []int32{1, 4}, 3); !errors.Is(err, nbest.ErrUnknown) {
		t.Errorf("unknown symbol decoded as %v (%v)", got, err)
	}
}

// ε is not a symbol of a string, and an arc that weighs as much as Prune says is kept.
func TestBounds(t *testing.T) {
	p := em.NewParams()
	m := channel.New(p, spread(t, p, []int32{1}, []int32{1}))
	d, err := m.Predictor(&channel.PredictorOptions{Prune: (1 - start.Insert) * start.One})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []channel.Query{{Source: []int32{1, 0}}, {Target: []int32{0}}} {
		if _, err := d.Best(q, channel.Source, 1); !errors.Is(err, nbest.ErrUnknown) {
			t.Errorf("%+v: error %v, want ErrUnknown", q, err)
		}
	}
	list, err := d.Best(channel.Query{Source: []int32{1}}, channel.Target, 2)
	if err != nil || len(list) != 1 || !slices.Equal(list[0].Labels, []int32{1}) {
		t.Errorf("%v, %v, want [1] alone", list, err)
	}
}
