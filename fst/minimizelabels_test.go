package fst_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// An arc that writes on one label what it reads on it is as small as it gets.
func TestMinimizeKeepsLabels(t *testing.T) {
	f := arcsOf(t, costs, []int32{1}, [4]int32{0, 1, 12, 25})(weights[semiring.Cost](0))
	got := must(fst.Minimize(f, nil))(t)
	if got.NumStates() != 2 || got.NumArcs() != 1 {
		t.Errorf("%d states and %d arcs, want 2 and 1:\n%s", got.NumStates(), got.NumArcs(), got)
	}
	if same, err := fst.Equivalent(f, got, nil); !same || err != nil {
		t.Errorf("equivalent: %v, %v", same, err)
	}
	// Two states write the same but for what they write at first: 1 reads 3 and writes nothing,
	// 2 reads 3 and writes 5, and the arcs to them have room for it.
	late := arcsOf(t, costs, []int32{3}, [4]int32{0, 1, 1, 5}, [4]int32{0, 2, 2, 0}, [4]int32{1, 3, 3, 0}, [4]int32{2, 3, 3, 5})(weights[semiring.Cost](0, 0, 0, 0))
	if got := must(fst.Minimize(late, nil))(t); got.NumStates() != 3 || got.NumArcs() != 3 {
		t.Errorf("%d states and %d arcs, want 3 and 3:\n%s", got.NumStates(), got.NumArcs(), got)
	} else if same, err := fst.Equivalent(late, got, nil); !same || err != nil {
		t.Errorf("with other arcs: %v, %v", same, err)
	}
}

// transducer returns a random deterministic transducer with copies of its states, which write the
// same or, every other time, what they like.
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
				continue // acyclic, or less
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

// late returns f behind two states with the same arcs to it, of which one is entered by an arc that
// writes 5 and the other writes 5 on the arcs that leave it: they are one state if labels move.
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

// shifted returns f, which writes no label but 1, with some labels moved before a state, so that
// copies of a state differ in what they still have to write.
func shifted(r *rand.Rand, f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
	before := make([]int32, f.NumStates()) // how many labels are moved before a state: 0 or 1
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

// written returns f with labels up to most for outputs.
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

// A minimal transducer is no larger than what it is made of, has its relation, reads ε only if
// that does, and is minimal.
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
		// States that can be told apart without moving labels.
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

// OpenFst's fstminimize makes acceptors as small, and transducers no smaller unless they come to
// read ε.
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
		// Of the total weight, which OpenFst leaves on the first arcs, nothing is left.
		acceptor := must(fst.PushWeights(fsttest.Frozen(fst.ProjectIn(f)), fst.TowardInitial, nil))(t)
		acceptor = must(acceptor.WithWeights(acceptor.Graph().Weights(), []fst.Start[semiring.Cost]{{State: acceptor.AppendStarts(nil)[0].State}}, acceptor.Graph().Finals()))(t)
		x.write(t, "a", acceptor)
		if got, want := must(fst.Minimize(acceptor, nil))(t), x.result(t, "fstminimize", "a"); got.NumStates() != want.NumStates() {
			t.Fatalf("seed %d: an acceptor of %d states, fstminimize has %d", seed, got.NumStates(), want.NumStates())
		}
	}
}
