package merge_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
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
	var data []em.Example
	for _, s := range strings {
		data = append(data, em.Example{X: em.Labels(s...)})
	}
	return merge.Run(ctx, tree, merge.Alone(em.Data{Examples: data}), opts)
}

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
	var events []merge.Event
	r, err := learn(t, context.Background(), data, &merge.Options{Moves: merge.Fold, Observer: func(e merge.Event) { events = append(events, e) }})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(r.Posterior) || len(r.Posterior) < 2 {
		t.Errorf("posterior %v", r.Posterior)
	}
	if n := len(events); n != len(r.Posterior)-1 || events[n-1].Posterior != r.Posterior[n] || events[n-1].States != r.Counts.NumStates() {
		t.Errorf("%d events for %v", n, r.Posterior)
	}
	if n := r.Counts.NumStates(); n > 3 {
		t.Errorf("%d states", n)
	}
	ring := semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{})
	f, err := em.Instantiate(r.Params, r.Stage, r.Theta, ring)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for n := range 30 {
		c, err := fst.Compose[semiring.ScaledFloat](fst.FromString(ring, slices.Repeat([]int32{1, 2}, n+1)), f)
		if err != nil {
			t.Fatal(err)
		}
		l, err := fst.Expand[semiring.ScaledFloat](c, 0)
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
	if _, err := merge.Tree([][]int32{{-1}}); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("error %v", err)
	}
}

func TestSameBits(t *testing.T) {
	data := irregular()
	var want *merge.Result
	for _, workers := range []int{1, 2, 7} {
		r, err := learn(t, context.Background(), data, &merge.Options{Moves: merge.Fold, Workers: workers, Prior: &merge.Prior{State: 2, Parameter: 1}})
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
	whole, err := learn(t, context.Background(), irregular(), &merge.Options{Moves: merge.Fold, Observer: func(e merge.Event) { states = append(states, e.States) }})
	if err != nil || !slices.IsSorted(whole.Posterior) || len(states) < 3 {
		t.Fatalf("posterior %v, error %v", whole.Posterior, err)
	}
	r, err := learn(t, context.Background(), irregular(), &merge.Options{Moves: merge.Fold, Least: states[1]})
	if err != nil || r.Counts.NumStates() != states[1] || len(r.Posterior) != 3 {
		t.Errorf("%d states after %v, error %v", r.Counts.NumStates(), r.Posterior, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err = learn(t, ctx, irregular(), &merge.Options{Moves: merge.Fold, Observer: func(e merge.Event) {
		if e.Changes == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Posterior) != 3 {
		t.Errorf("canceled: %+v, %v", r, err)
	}
	for name, o := range map[string]merge.Options{
		"candidates": {Candidates: -1}, "iterations": {Iterations: -1}, "states": {Least: -1}, "prior": {Prior: &merge.Prior{State: math.NaN()}},
	} {
		if _, err := learn(t, context.Background(), repeated(2), &o); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
