package fst_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// deterministic fails the test if f has several starts or a state has two arcs that read the
// same label other than ε.
func deterministic[W any](t *testing.T, seed uint64, f *fst.FST[W]) {
	t.Helper()
	if n := len(f.AppendStarts(nil)); n > 1 {
		t.Fatalf("seed %d: %d starts", seed, n)
	}
	for s := range int32(f.NumStates()) {
		seen := map[int32]bool{}
		for _, a := range f.AppendArcs(nil, s) {
			if seen[a.In] {
				t.Fatalf("seed %d: two arcs of state %d read %d", seed, s, a.In)
			}
			seen[a.In] = true
		}
	}
}

// small limits the time of determinizations that do not terminate.
var small = &fst.Options{Limit: 3000}

// recosted returns f with random costs.
func recosted(r *rand.Rand, f *fst.FST[float64]) *fst.FST[semiring.Cost] {
	return fsttest.Frozen(fst.Map(f, costs, func(w float64) semiring.Cost {
		if w == 0 {
			return costs.Zero()
		}
		return semiring.Cost(r.IntN(1 + r.IntN(3)))
	}))
}

// Acceptors keep their weights, acyclic or not, including negative ones. Non-termination is
// reported, and only for cyclic machines.
func TestDeterminizeAcceptors(t *testing.T) {
	ended, cyclic := 0, 0
	for seed := range trials.Seeds(120) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		// The weights are small enough for cycles of ε-arcs to have sums, for any arcs of a
		// state.
		weights := []float64{.04, .08, .08, .08}
		f := acceptor(r, reals, shape, func() float64 { return weights[r.IntN(1+int(seed%4))] - .02*float64(seed%3) })
		got, err := fst.Expand(fst.Determinize(f, small), nil)
		_, acyclic := f.Graph().TopologicalOrder()
		if errors.Is(err, semiring.ErrLimit) && !acyclic {
			continue
		}
		f2 := recosted(r, f)
		if ended++; !acyclic {
			cyclic++
		}
		got = must(got, err)(t)
		deterministic(t, seed, got)
		sameWeights(t, seed, "real", got, f)
		if got, err := fst.Expand(fst.Determinize(f2, small), nil); err == nil {
			deterministic(t, seed, got)
			sameWeights(t, seed, "tropical", got, f2)
		} else if acyclic {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if ended < 60 || cyclic < 10 {
		t.Errorf("%d machines, %d of them cyclic, were determinized", ended, cyclic)
	}
}

func TestDeterminizeTransducers(t *testing.T) {
	testTransducers(t, determinized[semiring.Cost], fst.DeterminizeBest[semiring.Cost], deterministic[semiring.Cost])
}

// testTransducers tests that functional transducers keep their relation, that others are
// rejected, and that best returns the best paths of the others. check fails the test if a
// result does not have the required form.
func testTransducers(t *testing.T, all, best func(fst.Machine[semiring.Cost], *fst.Options) (*fst.FST[semiring.Cost], error), check func(*testing.T, uint64, *fst.FST[semiring.Cost])) {
	t.Helper()
	var ended, refused int
	for seed := range trials.Seeds(400) {
		f := readers(fsttest.Rand(seed))
		relation := bestOutputs(f)
		functional := true
		for _, outputs := range relation {
			functional = functional && len(outputs) <= 1
		}
		got, err := all(f, nil)
		if !functional {
			if refused++; !errors.Is(err, fst.ErrNotFunctional) {
				t.Fatalf("seed %d: %v\n%s", seed, err, f)
			}
		} else {
			ended++
			got = must(got, err)(t)
			check(t, seed, got)
			if x := bestOutputs(got); !maps.EqualFunc(x, relation, maps.Equal[map[string]semiring.Cost]) {
				t.Fatalf("seed %d: %v, want %v", seed, x, relation)
			}
		}
		bestOnly := must(best(f, nil))(t)
		check(t, seed, bestOnly)
		x := bestOutputs(bestOnly)
		for in, outputs := range relation {
			least := slices.Min(slices.Collect(maps.Values(outputs)))
			for out, w := range x[in] {
				if c, ok := outputs[out]; !ok || c != least || w != least {
					t.Fatalf("seed %d: %s is written as %s, cost %v, want cost %v\n%s", seed, in, out, w, least, f)
				}
			}
		}
		if len(x) != len(relation) {
			t.Fatalf("seed %d: %d strings are read, want %d", seed, len(x), len(relation))
		}
	}
	if ended < 100 || refused < 50 {
		t.Errorf("%d transducers taken, %d refused", ended, refused)
	}
}

// readers returns a random acyclic transducer that reads on every arc.
func readers(r *rand.Rand) *fst.FST[semiring.Cost] {
	n := 2 + r.IntN(5)
	b := fst.NewBuilder(costs)
	b.AddStates(n)
	b.AddStart(0, 0)
	for range r.IntN(2*n + 1) {
		p, q := r.Int32N(int32(n)), r.Int32N(int32(n))
		if p != q {
			b.AddArc(min(p, q), fst.Arc[semiring.Cost]{In: 1 + r.Int32N(2), Out: r.Int32N(3), To: max(p, q), Weight: semiring.Cost(r.IntN(4))})
		}
	}
	for s := range int32(n) {
		if s == int32(n)-1 || r.IntN(4) == 0 {
			b.SetFinal(s, semiring.Cost(r.IntN(2)))
		}
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return f
}

// bestOutputs returns the cost of every output of every input.
func bestOutputs(f *fst.FST[semiring.Cost]) map[string]map[string]semiring.Cost {
	all := map[string]map[string]semiring.Cost{}
	for p := range f.Paths() {
		in, out := fsttest.String(p.In...), fsttest.String(p.Out...)
		if all[in] == nil {
			all[in] = map[string]semiring.Cost{}
		}
		if w, ok := all[in][out]; !ok || p.Weight < w {
			all[in][out] = p.Weight
		}
	}
	return all
}

// Cyclic transducers: the outputs of twins may be delayed indefinitely.
func TestDeterminizeCyclicTransducer(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AddStates(3)
	b.AddStart(0, 1)
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 1, To: 1, Weight: .5})
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: fst.Epsilon, To: 2, Weight: .25})
	b.AddArc(1, fst.Arc[float64]{In: 1, Out: 1, To: 1, Weight: .5})
	b.AddArc(2, fst.Arc[float64]{In: 1, Out: 1, To: 2, Weight: .5})
	b.AddArc(1, fst.Arc[float64]{In: 2, Out: 2, To: 0, Weight: .25})
	b.AddArc(2, fst.Arc[float64]{In: 3, Out: 3, To: 0, Weight: .25})
	b.SetFinal(0, 1)
	f := must(b.Freeze())(t)
	got := must(fst.Expand(fst.Determinize(f, small), nil))(t)
	deterministic(t, 0, got)
	sameWeights(t, 0, "transducer", got, f)
}

// noTwins returns a machine with two loops with these weights.
func noTwins(t *testing.T, u, v float64, outputs bool) *fst.FST[float64] {
	b := fst.NewBuilder(reals)
	b.AddStates(4)
	b.AddStart(0, 1)
	for i, w := range []float64{u, v} {
		s := int32(1 + i)
		in := fst.Arc[float64]{In: 1, Out: 1, To: s, Weight: 1}
		loop := fst.Arc[float64]{In: 2, Out: 2, To: s, Weight: w}
		if outputs {
			loop.Out = int32(i)
		}
		b.AddArc(0, in)
		b.AddArc(s, loop)
		b.AddArc(s, fst.Arc[float64]{In: int32(3 + i), Out: int32(3 + i), To: 3, Weight: 1})
	}
	b.SetFinal(3, 1)
	return must(b.Freeze())(t)
}

// Pending output counts towards the limit, as for disambiguation.
func TestDeterminizeBoundsOutputs(t *testing.T) {
	b := fst.NewBuilder(costs)
	b.AddStates(4)
	b.AddStart(0, 0)
	for s := range int32(2) { // reads 1ⁿ2 or 1ⁿ3 and writes 1ⁿ or 2ⁿ
		b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 1 + s, To: 1 + s})
		b.AddArc(1+s, fst.Arc[semiring.Cost]{In: 1, Out: 1 + s, To: 1 + s})
		b.AddArc(1+s, fst.Arc[semiring.Cost]{In: 2 + s, To: 3})
	}
	b.SetFinal(3, 0)
	f := must(b.Freeze())(t)
	for what, determinize := range map[string]func(fst.Machine[semiring.Cost], *fst.Options) (*fst.FST[semiring.Cost], error){
		"functional": determinized[semiring.Cost], "best": fst.DeterminizeBest[semiring.Cost], "all": fst.DeterminizeAll[semiring.Cost],
	} {
		memory := memtest.Allocated(func() {
			if _, err := determinize(f, &fst.Options{Limit: 30_000}); !errors.Is(err, semiring.ErrLimit) {
				t.Errorf("%s: two outputs that grow: %v", what, err)
			}
		})
		if memory > 10<<20 {
			t.Errorf("%s: %d bytes were allocated within a limit of 30000", what, memory)
		}
	}
}

func TestDeterminizeErrors(t *testing.T) {
	for what, f := range map[string]*fst.FST[float64]{"weights": noTwins(t, .5, .25, false), "outputs": noTwins(t, .5, .5, true)} {
		_, err := fst.Expand(fst.Determinize(f, small), nil)
		if !errors.Is(err, semiring.ErrLimit) || !errors.Is(err, fst.ErrTwins) || !strings.Contains(err.Error(), "states 1 and 2") {
			t.Errorf("loops of different %s: %v", what, err)
		}
	}
	if _, err := fst.Expand(fst.Determinize(noTwins(t, .5, .5, false), small), nil); err != nil {
		t.Errorf("twins: %v", err)
	}
	// Two paths to the end, one of which writes more.
	b := fst.NewBuilder(costs)
	b.SetSymbols(fst.NewSymbols("a", "b"), nil)
	b.AddStates(4)
	b.AddStart(0, 0)
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 1, To: 1})
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 1, To: 2})
	b.AddArc(1, fst.Arc[semiring.Cost]{In: 2, Out: 2, To: 3})
	b.AddArc(2, fst.Arc[semiring.Cost]{In: 2, To: 3})
	b.SetFinal(3, 0)
	f := must(b.Freeze())(t)
	_, err := fst.Expand(fst.Determinize(f, nil), nil)
	for _, part := range []string{`"a" "b"`, "[0 1 3]", "[0 2 3]", "1_2"} {
		if !errors.Is(err, fst.ErrNotFunctional) || !strings.Contains(fmt.Sprint(err), part) {
			t.Fatalf("two outputs: %v, want %s in it", err, part)
		}
	}
	if _, err := fst.DeterminizeBest(noTwins(t, 1, 1, true), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("the best of a ring without order: %v", err)
	}
	if _, err := fst.Expand(fst.Determinize(fst.FromString(bags, []int32{1}), nil), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without division: %v", err)
	}
	words := fst.FromString(semiring.LeftString{}, []int32{1})
	if _, err := fst.Expand(fst.Determinize(words, nil), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring that distributes from one side: %v", err)
	}
	empty := must(fst.NewBuilder(reals).Freeze())(t)
	if f := must(fst.Expand(fst.Determinize(empty, nil), nil))(t); f.NumStates() != 0 {
		t.Errorf("the empty machine has %d states", f.NumStates())
	}
}

// All outputs of a transducer are kept, with their weights, and no state has two arcs that read
// the same label other than ε.
func TestDeterminizeAll(t *testing.T) {
	several := 0
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		f := readers(r)
		got := must(fst.DeterminizeAll(f, nil))(t)
		relation := bestOutputs(f)
		if x := bestOutputs(got); !maps.EqualFunc(x, relation, maps.Equal[map[string]semiring.Cost]) {
			t.Fatalf("seed %d: %v, want %v", seed, x, relation)
		}
		for _, outputs := range relation {
			if len(outputs) > 1 {
				several++
				break
			}
		}
		g := fsttest.Frozen(fst.Map(f, reals, func(semiring.Cost) float64 { return float64(1+r.IntN(4)) / 8 }))
		sums := must(fst.DeterminizeAll(g, nil))(t)
		sameWeights(t, seed, "real", sums, g)
		for s := range int32(sums.NumStates()) {
			seen := map[int32]bool{}
			for _, a := range sums.AppendArcs(nil, s) {
				if a.In != fst.Epsilon && seen[a.In] {
					t.Fatalf("seed %d: two arcs of state %d read %d", seed, s, a.In)
				}
				seen[a.In] = true
			}
		}
	}
	if several < 15 {
		t.Errorf("%d transducers had several outputs", several)
	}
	if _, err := fst.DeterminizeAll(noTwins(t, .5, .5, true), small); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("outputs of unbounded length: %v", err)
	}
}
