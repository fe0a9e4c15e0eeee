package fst_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// automaton returns a random deterministic acceptor with few different weights, cyclic
// or not, in which each state has copies that are as good.
func automaton[W any](r *rand.Rand, ring semiring.Semiring[W], weights ...W) *fst.FST[W] {
	return copied(r, original(r, ring, weights...))
}

// copied returns f with copies of its states; an arc leads from each to one of them.
func copied[W any](r *rand.Rand, f *fst.FST[W]) *fst.FST[W] {
	copies := 1 + r.Int32N(3)
	b := fst.NewBuilder(f.Semiring())
	b.AddStates(f.NumStates() * int(copies))
	for _, s := range f.AppendStarts(nil) {
		b.AddStart(s.State*copies+r.Int32N(copies), s.Weight)
	}
	for s := range int32(f.NumStates()) {
		for c := s * copies; c < (s+1)*copies; c++ {
			b.SetFinal(c, f.Final(s))
			for _, a := range f.AppendArcs(nil, s) {
				a.To = a.To*copies + r.Int32N(copies)
				b.AddArc(c, a)
			}
		}
	}
	g, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return g
}

// original returns an automaton without copies.
func original[W any](r *rand.Rand, ring semiring.Semiring[W], weights ...W) *fst.FST[W] {
	n := 1 + r.Int32N(6)
	acyclic := r.IntN(2) == 0
	labels := 1 + r.Int32N(3)
	b := fst.NewBuilder(ring)
	b.AddStates(int(n))
	b.AddStart(r.Int32N(n), ring.One())
	for s := range n {
		for l := int32(1); l <= labels; l++ {
			to := r.Int32N(n)
			if r.IntN(4) == 0 || acyclic && to <= s {
				continue
			}
			b.AddArc(s, fst.Arc[W]{In: l, Out: l, To: to, Weight: weights[r.IntN(len(weights))]})
		}
		if r.IntN(3) == 0 || s == n-1 {
			b.SetFinal(s, weights[0])
		}
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return f
}

// moore returns the number of states of f that can be told apart, after pushing.
func moore[W any](t *testing.T, f *fst.FST[W]) int {
	return futures(t, must(fst.PushWeights(f, fst.TowardInitial, nil))(t))
}

func TestMinimize(t *testing.T) {
	cyclic, smaller := 0, 0
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		real := automaton(r, reals, .25, .25, .125)
		got := must(fst.Minimize(real, nil))(t)
		deterministic(t, seed, got)
		sameWeights(t, seed, "real", got, real)
		if want := moore(t, real); got.NumStates() != want && got.NumStates() > 0 {
			t.Fatalf("seed %d: %d states, want %d", seed, got.NumStates(), want)
		}
		if _, ok := got.Graph().TopologicalOrder(); !ok {
			cyclic++
		}
		if got.NumStates() < must(fst.Connect(real, nil))(t).NumStates() {
			smaller++
		}
		cost := automaton(r, costs, 0, 0, 1)
		got2 := must(fst.Minimize(cost, nil))(t)
		sameWeights(t, seed, "tropical", got2, cost)
		if want := moore(t, cost); got2.NumStates() != want && got2.NumStates() > 0 {
			t.Fatalf("seed %d: %d states, want %d", seed, got2.NumStates(), want)
		}
	}
	if cyclic < 20 || smaller < 20 {
		t.Errorf("%d machines are cyclic, %d became smaller", cyclic, smaller)
	}
}

// Transducers keep their relation.
func TestMinimizeTransducers(t *testing.T) {
	for seed := range trials.Seeds(150) {
		r := fsttest.Rand(seed)
		f := must(fst.DeterminizeBest(readers(r), nil))(t)
		got := must(fst.Minimize(f, nil))(t)
		deterministic(t, seed, got)
		sameWeights(t, seed, "transducer", got, f)
		sameWeights(t, seed, "again", must(fst.Minimize(got, nil))(t), f)
	}
}

func TestMinimizeErrors(t *testing.T) {
	two := must(fst.Expand(fst.Union(fst.FromString(reals, []int32{1}), fst.FromString(reals, []int32{1})), nil))(t)
	if _, err := fst.Minimize(two, nil); !errors.Is(err, fst.ErrNondeterministic) {
		t.Errorf("two initial states: %v", err)
	}
	if _, err := fst.Minimize(noTwins(t, 1, 1, false), nil); !errors.Is(err, fst.ErrNondeterministic) {
		t.Errorf("two arcs of one label: %v", err)
	}
	if _, err := fst.Minimize(fst.FromString(bags, []int32{1}), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without division: %v", err)
	}
	empty := must(fst.NewBuilder(reals).Freeze())(t)
	if f := must(fst.Minimize(empty, nil))(t); f.NumStates() != 0 {
		t.Errorf("the empty machine has %d states", f.NumStates())
	}
}
