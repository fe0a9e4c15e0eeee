package channel_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// source returns a fixed machine of strings over 1, 2, 3.
func source(t testing.TB, p *em.Params) *fst.FST[expr.W] {
	t.Helper()
	k := p.Space()
	b := fst.NewBuilder(k)
	s := b.AddState()
	b.AddStart(s, k.One())
	for i, w := range []float64{.3, .2, .1} {
		b.AddArc(s, fst.Arc[expr.W]{In: int32(i + 1), Out: int32(i + 1), Weight: k.Const(semiring.NewScaled(w)), To: s})
	}
	b.SetFinal(s, k.Const(semiring.NewScaled(.4)))
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// branching returns a model of a hidden string over 1, 2, 3 that a channel and a cascade
// of two garble, with random parameters.
func branching(t testing.TB, rng *rand.Rand) *channel.Model {
	t.Helper()
	p := em.NewParams()
	first := spread(t, p, []int32{1, 2, 3}, []int32{1, 2})
	second := spread(t, p, []int32{1, 2, 3}, []int32{1, 2})
	m := channel.NewBranching(p, []cascade.Stage{source(t, p)},
		[]cascade.Stage{first}, []cascade.Stage{second, spelling(t, p)})
	for i, g := range p.Groups() {
		if i != 0 && i != 5 { // insertions stay rare, so that short strings suffice
			em.Multinomial{}.Random(g.In(m.Theta), rng)
		}
	}
	return m
}

// TestBranching: the hidden string is found by what all branches say of it, and its
// probability with them is the product.
func TestBranching(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 3 {
		m := branching(t, rng)
		d, err := m.Predictor(nil)
		if err != nil {
			t.Fatal(err)
		}
		parts := make([]*channel.Model, 3)
		for i, stages := range append([][]cascade.Stage{m.Stages}, m.Branches...) {
			parts[i] = channel.New(m.Params, stages...)
			parts[i].Theta = m.Theta
		}
		for _, z := range [][][]int32{{{1, 2}, {5, 6}}, {{1, 2}, nil}, {{}, {7}}} {
			q := channel.Query{Branches: z}
			together := func(y []int32) float64 {
				p := total(t, parts[0], y, y)
				for b, z := range z {
					if z != nil {
						p *= total(t, parts[1+b], y, z)
					}
				}
				return p
			}
			got, err := d.Best(q, channel.Target, 4)
			if err != nil {
				t.Fatal(err)
			}
			hidden := all([]int32{1, 2, 3}, 4)
			check(t, "hidden", got, hidden, together)
			if source, err := d.Best(q, channel.Source, 4); err != nil || !reflect.DeepEqual(source, got) {
				t.Errorf("the source, which is the hidden string, is %v, not %v (%v)", source, got, err)
			}
			for _, y := range hidden[:20] {
				logp, err := d.LogProb(channel.Query{Target: y, Branches: z})
				if want := math.Log(together(y)); err != nil || math.Abs(logp-want) > 1e-12 && logp != want {
					t.Errorf("%v with %v has ln p %g, want %g (%v)", y, z, logp, want, err)
				}
			}
		}
		if _, err := d.LogProb(channel.Query{Branches: [][]int32{{1}}}); !errors.Is(err, channel.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
	}
}

// TestBranchingFit: training raises the likelihood of what comes out of the branches.
func TestBranchingFit(t *testing.T) {
	m := branching(t, rand.New(rand.NewPCG(8, 8)))
	var data []cascade.Example
	for _, z := range [][2][]int32{{{1, 2}, {5, 6}}, {{2}, {6}}, {{1, 1}, {5, 5}}} {
		data = append(data, cascade.Example{Branches: []cascade.Side{cascade.Labels(z[0]...), cascade.Labels(z[1]...)}})
	}
	r, err := m.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, z := range [][][]int32{{{1, 2}, {5, 6}}, {{2}, {6}}, {{1, 1}, {5, 5}}} {
		logp, err := d.LogProb(channel.Query{Branches: z})
		if err != nil {
			t.Fatal(err)
		}
		sum += logp
	}
	if last := r.Last(); sum < last-1e-9 || last < r.Objective[0]+1 {
		t.Errorf("ln p %g after an objective from %g to %g", sum, r.Objective[0], last)
	}
}

// TestLoad: a model that was saved answers as before, in many goroutines.
func TestLoad(t *testing.T) {
	m := branching(t, rand.New(rand.NewPCG(9, 9)))
	var text bytes.Buffer
	if err := m.Save(&text); err != nil {
		t.Fatal(err)
	}
	loaded, err := channel.Load(&text)
	if err != nil {
		t.Fatal(err)
	}
	answers := func(m *channel.Model) (got [4][]nbest.Candidate) {
		d, err := m.Predictor(&channel.PredictorOptions{Prune: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for i := range got {
			group.Go(func() {
				var err error
				got[i], err = d.Best(channel.Query{Branches: [][]int32{{1, 2, 1, 1}, {5, 6, 7}}}, channel.Target, 10)
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		return got
	}
	before, after := answers(m), answers(loaded)
	for i := range before {
		if len(before[0]) != 10 || !reflect.DeepEqual(before[i], before[0]) || !reflect.DeepEqual(after[i], before[0]) {
			t.Errorf("answers %v, then %v", before[i], after[i])
		}
	}
	tree := cascade.NewModel(cascade.Problem{Params: m.Params, Edges: []cascade.Edge{{From: 0, To: 1, Machines: m.Stages}}})
	text.Reset()
	if err := tree.Save(&text); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"{}", text.String()} {
		if _, err := channel.Load(bytes.NewBufferString(bad)); !errors.Is(err, em.ErrFormat) {
			t.Errorf("error %v, want ErrFormat", err)
		}
	}
}

// TestPrune: without unlikely arcs candidates have less, and LogProb has all.
func TestPrune(t *testing.T) {
	p := em.NewParams()
	m := channel.New(p, spread(t, p, []int32{1, 2, 3}, []int32{1, 2}))
	predictors := make([]*channel.Predictor, 2)
	for i, o := range []*channel.PredictorOptions{nil, {Prune: .06}} {
		d, err := m.Predictor(o)
		if err != nil {
			t.Fatal(err)
		}
		predictors[i] = d
	}
	x := []int32{1, 2}
	full, err := predictors[0].Forward().Best(context.Background(), x, 3)
	if err != nil {
		t.Fatal(err)
	}
	pruned, err := predictors[1].Forward().Best(context.Background(), x, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pruned {
		exact, err := predictors[1].Forward().LogProb(x, pruned[i].Labels)
		if err != nil || pruned[i].LogProb > exact-1e-6 || math.Abs(exact-math.Log(total(t, m, x, pruned[i].Labels))) > 1e-12 || full[i].LogProb < pruned[i].LogProb {
			t.Errorf("%v is %g exactly (%v), %v without pruning", pruned[i], exact, err, full[i])
		}
	}
	if _, err := m.Predictor(&channel.PredictorOptions{Prune: math.NaN()}); !errors.Is(err, channel.ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
}

// TestLong: a word of 10⁴ symbols has candidates, those of the best paths; the lattice of
// a pair of them is too large.
func TestLong(t *testing.T) {
	p := em.NewParams()
	m := channel.New(p, spread(t, p, []int32{1, 2, 3}, []int32{1, 2}))
	d, err := m.Predictor(&channel.PredictorOptions{Work: 20000, Limit: 200000})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]int32, 10000)
	for i := range x {
		x[i] = int32(1 + i%3)
	}
	got, err := d.Forward().Best(context.Background(), x, 2)
	if err != nil || len(got) != 2 || math.IsInf(got[1].LogProb, 0) || got[0].LogProb < got[1].LogProb {
		t.Fatalf("%d candidates (%v)", len(got), err)
	}
	if _, err := d.Forward().LogProb(x, got[0].Labels); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want ErrLimit", err)
	}
}

// TestFitConditional: where the table rejects some of what the channel writes, the
// conditional likelihood counts what is accepted alone, and training raises it.
func TestFitConditional(t *testing.T) {
	p := em.NewParams()
	middle := []int32{1, 2}
	m := channel.New(p, spread(t, p, []int32{1, 2, 3}, middle), spelling(t, p))
	var data []cascade.Example
	for _, w := range [][2][]int32{{{1}, {5}}, {{2}, {6}}, {{3, 1}, {7, 5}}, {{3}, {5, 6}}} {
		data = append(data, cascade.Example{X: cascade.Labels(w[0]...), Y: cascade.Labels(w[1]...)})
	}
	d, err := m.Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, w := range [][2][]int32{{{1}, {5}}, {{2}, {6}}, {{3, 1}, {7, 5}}, {{3}, {5, 6}}} {
		joint, err := d.LogProb(channel.Query{Source: w[0], Target: w[1]})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := d.LogProb(channel.Query{Source: w[0]})
		if err != nil {
			t.Fatal(err)
		}
		want += joint - alone
	}
	r, err := m.FitConditional(context.Background(), cascade.Data{Examples: data}, &em.Options{Iterations: 10, Method: em.LBFGS{}})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Objective[0]-want) > 1e-9 || r.Last() < want+1 {
		t.Errorf("objective %v, want one from %g", r.Objective, want)
	}
}
