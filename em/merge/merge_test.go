package merge_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/em/merge"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// learn merges the tree of the strings.
func learn(t testing.TB, ctx context.Context, strings [][]int32, opts *merge.Options) (*merge.Result, error) {
	t.Helper()
	tree, err := merge.Tree(strings)
	if err != nil {
		t.Fatal(err)
	}
	var data []cascade.Example
	for _, s := range strings {
		data = append(data, cascade.Example{X: cascade.Labels(s...)})
	}
	return merge.Run(ctx, tree, merge.SingleStage(cascade.Data{Examples: data}), opts)
}

// last returns the last element.
func last(x []float64) float64 { return x[len(x)-1] }

// repeated returns the strings (1 2)ⁿ for n = 1 … top, short ones more often.
func repeated(top int) [][]int32 {
	var out [][]int32
	for n := 1; n <= top; n++ {
		for range 1 << (top - n) {
			out = append(out, slices.Repeat([]int32{1, 2}, n))
		}
	}
	return out
}

// irregular returns random strings in which a label often follows itself.
func irregular() [][]int32 {
	rng := rand.New(rand.NewPCG(3, 3))
	var out [][]int32
	for range 40 {
		s := []int32{1 + rng.Int32N(3)}
		for rng.IntN(5) > 0 {
			next := s[len(s)-1]
			if rng.IntN(3) == 0 {
				next = 1 + rng.Int32N(3)
			}
			s = append(s, next)
		}
		out = append(out, s)
	}
	return out
}

// TestRepetition: from (ab)ⁿ it learns the machine of (ab)⁺ with three states, and the
// posterior never falls.
func TestRepetition(t *testing.T) {
	data := repeated(6)
	changes := 0
	r, err := learn(t, context.Background(), data, &merge.Options{Moves: merge.Fold, Accepted: func(c merge.Change) {
		if changes++; c.Move != merge.Fold || len(c.Posterior) != changes+1 || !(last(c.Posterior) > c.Posterior[changes-1]) || !(c.LogLikelihood < 0) {
			t.Errorf("change %d: %v, log posteriors %v", changes, c.Move, c.Posterior)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(r.Posterior) || len(r.Posterior) < 2 {
		t.Errorf("posterior %v", r.Posterior)
	}
	if changes != len(r.Posterior)-1 {
		t.Errorf("%d changes for %v", changes, r.Posterior)
	}
	if n := r.Counts.NumStates(); n > 3 {
		t.Errorf("%d states", n)
	}
	ring := semiring.Scaled{}
	f, err := cascade.Instantiate(r.Params, r.Stage, r.Theta, ring)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for n := range 30 {
		c := fst.Compose(fst.FromString(ring, slices.Repeat([]int32{1, 2}, n+1)), f)
		l, err := fst.Expand(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := graph.PathSum(l.Graph())
		if err != nil {
			t.Fatal(err)
		}
		sum += p.Float64()
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("strings of the form (ab)⁺ have %g of the mass", sum)
	}
}

// TestTree: the tree has a state for each prefix and the counts of the strings.
func TestTree(t *testing.T) {
	f, err := merge.Tree([][]int32{{1, 2}, {1}, {1, 2}, {}, {2}})
	if err != nil {
		t.Fatal(err)
	}
	if f.NumStates() != 4 || f.NumArcs() != 3 {
		t.Errorf("%d states, %d arcs", f.NumStates(), f.NumArcs())
	}
	total := 0.0
	for s := range int32(4) {
		total += f.Final(s)
	}
	if a := f.AppendArcs(nil, 0); total != 5 || a[0].Weight != 3 || a[1].Weight != 1 {
		t.Errorf("%g strings, arcs %v", total, a)
	}
	for _, label := range []int32{-1, 0} {
		if _, err := merge.Tree([][]int32{{1}, {2, label}}); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("label %d: error %v", label, err)
		}
	}
}

func TestSameBits(t *testing.T) {
	data := irregular()
	var want *merge.Result
	for _, workers := range []int{1, 2, 7} {
		r, err := learn(t, context.Background(), data, &merge.Options{Moves: merge.Fold, Options: em.Options{Workers: workers}, Prior: &merge.Prior{State: 2, Parameter: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = r
		}
		if !slices.Equal(r.Posterior, want.Posterior) || !slices.Equal(r.Theta, want.Theta) {
			t.Errorf("%d workers: other bits", workers)
		}
	}
}

func TestEnds(t *testing.T) {
	var states []int
	whole, err := learn(t, context.Background(), irregular(), &merge.Options{Moves: merge.Fold, Accepted: func(c merge.Change) { states = append(states, c.Counts.NumStates()) }})
	if err != nil || !slices.IsSorted(whole.Posterior) || len(states) < 3 {
		t.Fatalf("posterior %v, error %v", whole.Posterior, err)
	}
	r, err := learn(t, context.Background(), irregular(), &merge.Options{Moves: merge.Fold, MinStates: states[1]})
	if err != nil || r.Counts.NumStates() != states[1] || len(r.Posterior) != 3 {
		t.Errorf("%d states after %v, error %v", r.Counts.NumStates(), r.Posterior, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err = learn(t, ctx, irregular(), &merge.Options{Moves: merge.Fold, Accepted: func(c merge.Change) {
		if len(c.Posterior) == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Posterior) != 3 {
		t.Errorf("canceled: %+v, %v", r, err)
	}
	for name, o := range map[string]merge.Options{
		"candidates": {Candidates: -1}, "iterations": {Options: em.Options{Iterations: -1}}, "states": {MinStates: -1}, "prior": {Prior: &merge.Prior{State: math.NaN()}},
	} {
		if _, err := learn(t, context.Background(), repeated(2), &o); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestNobodyLeftOut: at any cost of parameters, no change leaves an example without a derivation,
// even if the data skip underivable examples.
func TestNobodyLeftOut(t *testing.T) {
	data := cascade.Data{Underivable: em.Skip}
	for _, s := range repeated(3) {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(s...)})
	}
	data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(3, 3)})
	tree, err := merge.Tree([][]int32{{1, 2, 1, 2, 1, 2}, {1, 2}, {1, 2, 1, 2}, {3, 3}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := merge.Run(t.Context(), tree, merge.SingleStage(data), &merge.Options{Prior: &merge.Prior{State: 50, Parameter: 50}, Moves: merge.Drop | merge.Merge})
	if err != nil {
		t.Fatal(err)
	}
	e, err := r.Model.Likelihood(data)
	if err != nil {
		t.Fatal(err)
	}
	found, err := e.Expect(t.Context(), em.Query{Theta: r.Theta})
	if err != nil || len(found.Skipped) > 0 || r.Counts.NumStates() > 2 {
		t.Errorf("%d states, skipped %v, error %v", r.Counts.NumStates(), found.Skipped, err)
	}
}

// TestSettings: invalid settings are errors.
func TestSettings(t *testing.T) {
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1)}, {X: cascade.Labels(1)}}}
	tree, err := merge.Tree([][]int32{{1, 1}, {1}})
	if err != nil {
		t.Fatal(err)
	}
	mistake := errors.New("a mistake")
	calls := 0
	for name, c := range map[string]struct {
		setting merge.Setting
		opts    merge.Options
		want    error
	}{
		"error": {func(*em.Params, cascade.Stage) (cascade.Problem, cascade.Data, error) {
			return cascade.Problem{}, data, mistake
		}, merge.Options{}, mistake},
		"other parameters": {func(*em.Params, cascade.Stage) (cascade.Problem, cascade.Data, error) {
			return cascade.Problem{Params: em.NewParams()}, data, nil
		}, merge.Options{}, em.ErrInvalid},
		"more parameters": {func(p *em.Params, f cascade.Stage) (cascade.Problem, cascade.Data, error) {
			calls++
			p.Group("more", calls, em.Multinomial{})
			return cascade.Problem{Params: p, Stages: []cascade.Stage{f}}, data, nil
		}, merge.Options{}, em.ErrInvalid},
		"underivable": {merge.SingleStage(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(2)}}}), merge.Options{}, em.ErrUnderivable},
		"sparse law":  {merge.SingleStage(data), merge.Options{Law: em.Dirichlet{Alpha: .5}}, em.ErrInvalid},
		"no source":   {merge.SingleStage(data), merge.Options{Moves: merge.Split}, em.ErrInvalid},
		"moves":       {merge.SingleStage(data), merge.Options{Moves: 1 << 7}, em.ErrInvalid},
		"beam":        {merge.SingleStage(data), merge.Options{Beam: -1}, em.ErrInvalid},
	} {
		if _, err := merge.Run(t.Context(), tree, c.setting, &c.opts); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	if s := (merge.Merge | merge.Drop | 1<<6).String(); s != "merge|drop|Moves(64)" {
		t.Errorf("moves are called %q", s)
	}
}

// TestConditional: the output of a conditional stage for a symbol depends on the previous symbol,
// and it inserts at most one symbol after each. Its four states remember both.
func TestConditional(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var data cascade.Data
	for range 300 {
		var x, y []int32
		last := int32(1)
		for range 2 + rng.IntN(5) {
			a := 1 + rng.Int32N(2)
			out := a
			if last == 2 {
				out = 3 - a
			}
			if y = append(y, out); rng.IntN(4) == 0 {
				y = append(y, 3)
			}
			x, last = append(x, a), a
		}
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...)})
	}
	b := fst.NewBuilder(reals)
	s := b.AddState()
	b.AddStart(s, 1)
	b.SetFinal(s, 1)
	for out := int32(1); out <= 3; out++ {
		for in := range int32(3) {
			b.AddArc(s, fst.Arc[float64]{In: in, Out: out, To: s, Weight: 1})
		}
	}
	r, err := merge.Run(t.Context(), freeze(t, b), merge.SingleStage(data), &merge.Options{Normalization: merge.Conditional,
		Law: em.Dirichlet{Alpha: 1.001}, Prior: &merge.Prior{State: 5, Parameter: 5}, Options: em.Options{Rand: rand.NewPCG(1, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Counts.NumStates(); n != 4 {
		t.Errorf("%d states, log posteriors %v", n, r.Posterior)
	}
}
