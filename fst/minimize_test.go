package fst_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// automaton returns a random deterministic acceptor with few different weights, cyclic or not,
// in which each state has equivalent copies.
func automaton[W any](r *rand.Rand, ring semiring.Semiring[W], weights ...W) *fst.FST[W] {
	return copied(r, original(r, ring, weights...))
}

// copied returns f with copies of its states; each arc leads to one of the copies of its
// target.
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

// moore returns the number of distinguishable states of f, after pushing.
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

// A machine with a single arc, which reads one label and writes one label, is already minimal.
func TestMinimizeKeepsLabels(t *testing.T) {
	f := arcsOf(t, costs, []int32{1}, [4]int32{0, 1, 12, 25})(weights[semiring.Cost](0))
	got := must(fst.Minimize(f, nil))(t)
	if got.NumStates() != 2 || got.NumArcs() != 1 {
		t.Errorf("%d states and %d arcs, want 2 and 1:\n%s", got.NumStates(), got.NumArcs(), got)
	}
	if same, err := fst.Equivalent(f, got, nil); !same || err != nil {
		t.Errorf("equivalent: %v, %v", same, err)
	}
	// Two states differ only in the prefix of their outputs: 1 reads 3 and writes nothing, 2
	// reads 3 and writes 5. Moving 5 to the arc into 2, which writes nothing, merges them.
	late := arcsOf(t, costs, []int32{3}, [4]int32{0, 1, 1, 5}, [4]int32{0, 2, 2, 0}, [4]int32{1, 3, 3, 0}, [4]int32{2, 3, 3, 5})(weights[semiring.Cost](0, 0, 0, 0))
	if got := must(fst.Minimize(late, nil))(t); got.NumStates() != 3 || got.NumArcs() != 3 {
		t.Errorf("%d states and %d arcs, want 3 and 3:\n%s", got.NumStates(), got.NumArcs(), got)
	} else if same, err := fst.Equivalent(late, got, nil); !same || err != nil {
		t.Errorf("with other arcs: %v, %v", same, err)
	}
}

// transducer returns a random deterministic transducer with copies of its states, whose outputs
// are equal or, in every other case, random.
func transducer(seed uint64) *fst.FST[semiring.Cost] {
	r := fsttest.Rand(seed)
	n := 3 + r.Int32N(3)
	b := fst.NewBuilder(costs)
	b.AddStates(int(n))
	b.AddStart(0, 0)
	for s := range n {
		for l := int32(1); l <= 2; l++ {
			to := r.Int32N(n)
			if seed%2 == 0 && to <= s || r.IntN(5) == 0 {
				continue // no arc, or no arc back in an acyclic machine
			}
			b.AddArc(s, fst.Arc[semiring.Cost]{In: l, Out: l, To: to, Weight: semiring.Cost(r.IntN(3) / 2)})
		}
		if s == n-1 || r.IntN(5) == 0 {
			b.SetFinal(s, 0)
		}
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	switch seed % 3 {
	case 0:
		return written(r, copied(r, f), 1+r.Int32N(2))
	case 1:
		return copied(r, written(r, f, 2))
	}
	return late(r, shifted(r, copied(r, written(r, f, 1))))
}

// late returns f preceded by two states with the same arcs into it. One is entered by an arc
// that writes 5, the other writes 5 on its own arcs: they are merged if labels move.
func late(r *rand.Rand, f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
	b := fst.NewBuilder(f.Semiring())
	b.AddStates(f.NumStates() + 3)
	for s := range int32(f.NumStates()) {
		b.SetFinal(s, f.Final(s))
		for _, a := range f.AppendArcs(nil, s) {
			b.AddArc(s, a)
		}
	}
	start := int32(f.NumStates())
	early, later := start+1, start+2
	b.AddStart(start, 0)
	b.AddArc(start, fst.Arc[semiring.Cost]{In: 1, Out: 5, To: early})
	b.AddArc(start, fst.Arc[semiring.Cost]{In: 2, To: later})
	for in := range 1 + r.Int32N(2) {
		a := fst.Arc[semiring.Cost]{In: 1 + in, To: r.Int32N(start), Weight: semiring.Cost(r.IntN(3) / 2)}
		b.AddArc(early, a)
		a.Out = 5
		b.AddArc(later, a)
	}
	g, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return g
}

// shifted returns f, whose only output label is 1, with some labels moved before a state, so
// that copies of a state differ in their pending output.
func shifted(r *rand.Rand, f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
	before := make([]int32, f.NumStates()) // number of labels moved before a state: 0 or 1
	for s := range before {
		if costs.IsZero(f.Final(int32(s))) && int32(s) != f.AppendStarts(nil)[0].State {
			before[s] = r.Int32N(2)
		}
	}
	b := fst.NewBuilder(f.Semiring())
	for again := true; again; {
		again = false
		b = fst.NewBuilder(f.Semiring())
		b.AddStates(f.NumStates())
		for _, s := range f.AppendStarts(nil) {
			b.AddStart(s.State, s.Weight)
		}
		for s := range int32(f.NumStates()) {
			b.SetFinal(s, f.Final(s))
			for _, a := range f.AppendArcs(nil, s) {
				a.Out += before[a.To] - before[s]
				if a.Out < 0 || a.Out > 1 {
					before[a.To], before[s], a.Out, again = 0, 0, 0, true
				}
				b.AddArc(s, a)
			}
		}
	}
	g, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return g
}

// written returns f with random output labels up to most.
func written(r *rand.Rand, f *fst.FST[semiring.Cost], most int32) *fst.FST[semiring.Cost] {
	b := fst.NewBuilder(f.Semiring())
	b.AddStates(f.NumStates())
	for _, s := range f.AppendStarts(nil) {
		b.AddStart(s.State, s.Weight)
	}
	for s := range int32(f.NumStates()) {
		b.SetFinal(s, f.Final(s))
		for _, a := range f.AppendArcs(nil, s) {
			a.Out = r.Int32N(most + 1)
			b.AddArc(s, a)
		}
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return f
}

// A minimal transducer is at most as large as the original, has its relation, reads ε only if
// the original does, and is minimal.
func TestMinimizeIsSmaller(t *testing.T) {
	moved, smaller := 0, 0
	for seed := range trials.Seeds(300) {
		f := transducer(seed)
		got := must(fst.Minimize(f, nil))(t)
		trim := must(fst.Connect(f, nil))(t)
		if got.NumStates() > trim.NumStates() || got.NumArcs() > trim.NumArcs() || slices.Contains(got.In(), fst.Epsilon) {
			t.Fatalf("seed %d: %d states and %d arcs of %d and %d:\n%s\nof\n%s", seed, got.NumStates(), got.NumArcs(), trim.NumStates(), trim.NumArcs(), got, trim)
		}
		sameWeights(t, seed, "transducer", got, f)
		if same, err := fst.Equivalent(f, got, nil); !same || err != nil {
			t.Fatalf("seed %d: equivalent: %v, %v\n%s\nof\n%s", seed, same, err, got, trim)
		}
		// The number of states that are distinguishable without moving labels.
		pushed := must(fst.PushWeights(f, fst.TowardInitial, nil))(t)
		if pushed.NumStates() == 0 {
			continue
		}
		if n := futures(t, pushed); got.NumStates() < n {
			moved++
		} else if got.NumStates() > n {
			t.Fatalf("seed %d: %d states, %d can be told apart", seed, got.NumStates(), n)
		}
		if got.NumStates() < trim.NumStates() {
			smaller++
		}
		again := must(fst.Minimize(got, nil))(t)
		if again.NumStates() != got.NumStates() || again.NumArcs() != got.NumArcs() {
			t.Fatalf("seed %d: %d states again become %d", seed, got.NumStates(), again.NumStates())
		}
	}
	if moved < 50 || smaller < 50 {
		t.Errorf("%d machines are smaller by moving labels, %d at all", moved, smaller)
	}
}

// OpenFst's fstminimize makes acceptors equally small, and transducers smaller only if they
// then read ε.
func TestOpenFstMinimizesTransducers(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(40) {
		f := must(fst.Connect(transducer(seed), nil))(t)
		if f.NumStates() == 0 {
			continue
		}
		x.write(t, "f", f)
		want := x.result(t, "fstminimize", "f")
		got := must(fst.Minimize(f, nil))(t)
		agree(t, seed, "fstminimize", got, want, false)
		if !slices.Contains(want.In(), fst.Epsilon) && got.NumStates() > want.NumStates() {
			t.Fatalf("seed %d: %d states, fstminimize has %d\n%s\nand\n%s", seed, got.NumStates(), want.NumStates(), got, want)
		}
		// Drop the total weight, which OpenFst leaves on the first arcs.
		acceptor := must(fst.PushWeights(fsttest.Frozen(fst.ProjectIn(f)), fst.TowardInitial, nil))(t)
		acceptor = must(acceptor.WithWeights(acceptor.Graph().Weights(), []fst.Start[semiring.Cost]{{State: acceptor.AppendStarts(nil)[0].State}}, acceptor.Graph().Finals()))(t)
		x.write(t, "a", acceptor)
		if got, want := must(fst.Minimize(acceptor, nil))(t), x.result(t, "fstminimize", "a"); got.NumStates() != want.NumStates() {
			t.Fatalf("seed %d: an acceptor of %d states, fstminimize has %d", seed, got.NumStates(), want.NumStates())
		}
	}
}
