package fst_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// drawn is a weight of a ring with a value: mass p, and p·v.
type drawn[W any] struct {
	ring semiring.Semiring[W]
	of   func(p, v float64) W
}

type valued = semiring.Expected[float64, float64]

var (
	expectations = drawn[valued]{
		semiring.Expectation(reals, semiring.Scalar(reals)),
		func(p, v float64) valued { return valued{P: p, V: p * v} },
	}
	vectors = drawn[semiring.Expected[float64, semiring.SparseVector[float64]]]{
		semiring.Expectation(reals, semiring.Sparse(reals)),
		func(p, v float64) semiring.Expected[float64, semiring.SparseVector[float64]] {
			return semiring.Expected[float64, semiring.SparseVector[float64]]{P: p, V: semiring.SparseVector[float64]{Index: []int32{3}, Value: []float64{p * v}}}
		},
	}
	powers = drawn[semiring.Polynomial[float64]]{
		semiring.Series(reals, 4),
		func(p, v float64) semiring.Polynomial[float64] { return semiring.Polynomial[float64]{p, p * v} },
	}
	masses = drawn[float64]{reals, func(p, _ float64) float64 { return p }}
)

// Cancellation in the weights of derived rings leaves residues of rounding: comparisons treat
// 1e-17 as 0 relative to a mass of 1. Machines have the same sizes as over Real.
func TestResiduesOfDerivedRings(t *testing.T) {
	t.Run("real", func(t *testing.T) { checkResidues(t, masses) })
	t.Run("expectation", func(t *testing.T) { checkResidues(t, expectations) })
	t.Run("sparse", func(t *testing.T) { checkResidues(t, vectors) })
	t.Run("series", func(t *testing.T) { checkResidues(t, powers) })
}

func checkResidues[W any](t *testing.T, d drawn[W]) {
	unequal, unlimited, wide, large := 0, 0, 0, 0
	for seed := range trials.Seeds(3000) {
		r := fsttest.Rand(seed)
		draw := func() W { // half of the arcs have no value, so the cancelled value is the only one
			return d.of(.05+.4*r.Float64(), float64(r.IntN(2))*(3*r.Float64()-1))
		}
		// One state: when pushed, its weights are divided by the cancelled sum.
		b := fst.NewBuilder(d.ring)
		s := b.AddState()
		b.AddStart(s, d.ring.One())
		b.SetFinal(s, draw())
		b.AddArc(s, fst.Arc[W]{In: 1, Out: 1, Weight: draw(), To: s})
		one := must(b.Freeze())(t)
		pushed := must(fst.PushWeights(one, fst.TowardInitial, nil))(t)
		if !must(fst.Equivalent(one, pushed, nil))(t) {
			unequal++
		}
		twins := twinsOf(t, d.ring, draw)
		switch small, err := fst.Expand(fst.Determinize(twins, &fst.Options{Limit: 10000}), nil); {
		case err != nil:
			unlimited++
		case small.NumStates() != 2:
			wide++
		}
		if copied := copies(t, d.ring, draw); must(fst.Minimize(copied, nil))(t).NumStates() != 2 {
			large++
		}
	}
	if unequal+unlimited+wide+large > 0 {
		t.Errorf("of 3000: %d not equivalent to what was pushed, %d determinized without end, %d to more than 2 states, %d minimized to more than 2",
			unequal, unlimited, wide, large)
	}
}

// twinsOf returns a machine with twins: two states after a first arc, whose loops have the same
// weight. Determinization merges them.
func twinsOf[W any](t *testing.T, ring semiring.Semiring[W], draw func() W) *fst.FST[W] {
	b := fst.NewBuilder(ring)
	start, left, right := b.AddState(), b.AddState(), b.AddState()
	b.AddStart(start, ring.One())
	loop, another := draw(), draw()
	for _, s := range []int32{left, right} {
		b.AddArc(start, fst.Arc[W]{In: 1, Out: 1, Weight: draw(), To: s})
		b.AddArc(s, fst.Arc[W]{In: 2, Out: 2, Weight: loop, To: s})
		b.AddArc(s, fst.Arc[W]{In: 3, Out: 3, Weight: another, To: s})
		b.SetFinal(s, draw())
	}
	return must(b.Freeze())(t)
}

// copies returns a deterministic machine of three states. The last two are equal after pushing:
// the weights of one are divided by a factor that its incoming arcs have instead.
func copies[W any](t *testing.T, ring semiring.Semiring[W], draw func() W) *fst.FST[W] {
	b := fst.NewBuilder(ring)
	start, left, right := b.AddState(), b.AddState(), b.AddState()
	b.AddStart(start, ring.One())
	factor, loop, final := draw(), draw(), draw()
	b.AddArc(start, fst.Arc[W]{In: 1, Out: 1, Weight: draw(), To: left})
	b.AddArc(start, fst.Arc[W]{In: 2, Out: 2, Weight: draw(), To: right})
	b.AddArc(left, fst.Arc[W]{In: 1, Out: 1, Weight: loop, To: left})
	b.AddArc(right, fst.Arc[W]{In: 1, Out: 1, Weight: loop, To: right})
	b.SetFinal(left, final)
	b.SetFinal(right, ring.Times(factor, final))
	return must(b.Freeze())(t)
}

// twoWays is a transducer with two paths that read 1 2 and write 3 4, with these weights.
func twoWays[W any](t *testing.T, ring semiring.Semiring[W], a, b W) *fst.FST[W] {
	x := fst.NewBuilder(ring)
	s := x.AddStates(4)
	x.AddStart(s, ring.One())
	x.AddArc(s, fst.Arc[W]{In: 1, Out: 3, Weight: a, To: s + 1})
	x.AddArc(s, fst.Arc[W]{In: 1, Out: 3, Weight: b, To: s + 2})
	x.AddArc(s+1, fst.Arc[W]{In: 2, Out: 4, Weight: a, To: s + 3})
	x.AddArc(s+2, fst.Arc[W]{In: 2, Out: 4, Weight: b, To: s + 3})
	x.SetFinal(s+3, ring.One())
	return must(x.Freeze())(t)
}

// withoutDivision is a ring whose weights cannot be divided.
type withoutDivision struct{ semiring.Semiring[float64] }

// TestErrorsOfTransducers: errors describe the user's ring and weights, instead of the internal
// ones of operations on transducers.
func TestErrorsOfTransducers(t *testing.T) {
	small := twoWays(t, reals, 1, 1e-200)
	plain := twoWays[float64](t, withoutDivision{reals}, 0.5, 0.25)
	for _, operation := range []struct {
		name string
		of   func(f *fst.FST[float64]) error
	}{
		{"Determinize", func(f *fst.FST[float64]) error { return fst.Err(fst.Determinize(f, nil)) }},
		{"DeterminizeAll", func(f *fst.FST[float64]) error { _, err := fst.DeterminizeAll(f, nil); return err }},
		{"Disambiguate", func(f *fst.FST[float64]) error { _, err := fst.Disambiguate(f, nil); return err }},
	} {
		if err := operation.of(plain); !errors.Is(err, semiring.ErrCapability) || !strings.Contains(err.Error(), ": fst_test.withoutDivision does not implement semiring.Divider") {
			t.Errorf("%s: without division: %v", operation.name, err)
		}
		err := operation.of(small)
		text := "is {4 0}, out of the range of semiring.Real"
		if operation.name == "DeterminizeAll" { // a path of weight Zero is not a path
			text = strings.Replace(text, "{4 0}", "[]", 1)
		}
		if !errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: out of range: %v", operation.name, err)
		}
	}
}

// arcsOf returns a machine with a start 0 and these arcs.
func arcsOf[W any](t *testing.T, ring semiring.Semiring[W], finals []int32, arcs ...[4]int32) func(weight func(i int) W) *fst.FST[W] {
	t.Helper()
	return func(weight func(i int) W) *fst.FST[W] {
		b := fst.NewBuilder(ring)
		states := int32(0)
		for _, a := range arcs {
			states = max(states, a[0]+1, a[1]+1)
		}
		b.AddStates(int(states))
		b.AddStart(0, ring.One())
		for i, a := range arcs {
			b.AddArc(a[0], fst.Arc[W]{To: a[1], In: a[2], Out: a[3], Weight: weight(i)})
		}
		for _, s := range finals {
			b.SetFinal(s, ring.One())
		}
		return must(b.Freeze())(t)
	}
}

func weights[W any](w ...W) func(i int) W { return func(i int) W { return w[i] } }

// Three states that are not twins, where each string has two paths to final states: residuals
// grow from the first step on, and the error comes long before the limit.
func TestDeterminizeEndsEarlyWithoutTwins(t *testing.T) {
	acceptor := [][4]int32{{0, 1, 1, 1}, {0, 2, 1, 1}, {1, 1, 1, 1}, {2, 2, 1, 1}}
	three := arcsOf(t, costs, []int32{1, 2}, acceptor...)(weights[semiring.Cost](1, 11, 1, 11))
	prob := arcsOf(t, reals, []int32{1, 2}, acceptor...)(weights(.5, .25, .5, .25))
	longer := arcsOf(t, costs, []int32{1, 2}, [4]int32{0, 1, 1, 1}, [4]int32{0, 2, 1, 1}, // cycles of two labels
		[4]int32{1, 3, 1, 1}, [4]int32{3, 1, 2, 2}, [4]int32{2, 4, 1, 1}, [4]int32{4, 2, 2, 2})(weights[semiring.Cost](0, 0, 1, 1, 1, 2))
	writing := arcsOf(t, costs, []int32{3}, [4]int32{0, 1, 1, 1}, [4]int32{0, 2, 1, 1}, [4]int32{1, 1, 2, 1}, [4]int32{2, 2, 2, 0},
		[4]int32{1, 3, 3, 3}, [4]int32{2, 3, 4, 4})(weights[semiring.Cost](0, 0, 0, 0, 0, 0))
	star := must(fst.Expand(fst.OneState(costs, 0, fst.Arc[semiring.Cost]{In: 1, Out: 2}, fst.Arc[semiring.Cost]{In: 1, Out: 3}), nil))(t)
	for _, x := range []struct {
		what string
		do   func(o *fst.Options) error
	}{
		{"costs", func(o *fst.Options) error { return second(determinized(three, o)) }},
		{"probabilities", func(o *fst.Options) error { return second(determinized(prob, o)) }},
		{"cycles of two labels", func(o *fst.Options) error { return second(determinized(longer, o)) }},
		{"outputs", func(o *fst.Options) error { return second(determinized(writing, o)) }},
		{"all of (a:b|a:c)*", func(o *fst.Options) error { return second(fst.DeterminizeAll(star, o)) }},
		{"one path of two", func(o *fst.Options) error { return second(fst.Disambiguate(three, o)) }},
	} {
		for _, o := range []*fst.Options{nil, {Limit: 80_000}, {Limit: 1_000_000}} {
			var err error
			memtest.Bound(t, 1<<20, 8, func() { err = x.do(o) }) // long before the limit
			if !errors.Is(err, fst.ErrTwins) || !errors.Is(err, semiring.ErrLimit) || len(err.Error()) > 400 {
				t.Errorf("%s: %.400v, want ErrTwins", x.what, err)
			}
		}
	}
	// If only a few states are visited, determinization succeeds.
	lazy := fst.Determinize[semiring.Cost](three, nil)
	long := fst.FromString(costs, make([]int32, 3000))
	for i := range long.In() {
		long.In()[i] = 1
	}
	if w, err := fst.Weight(lazy, long.In(), long.In(), nil); w != 3000 || err != nil {
		t.Errorf("a string of 3000 labels costs %v, %v", w, err)
	}
}

// Determinizations that terminate are never rejected, however large they are: acyclic machines,
// twins, and machines with states that are not twins, where another path is better.
func TestDeterminizeStillEnds(t *testing.T) {
	ended, endless := 0, 0
	for seed := range trials.Seeds(400) {
		r := fsttest.Rand(seed)
		n := 2 + r.Int32N(5)
		b := fst.NewBuilder(costs)
		b.AddStates(int(n))
		b.AddStart(0, 0)
		for range 2 * n {
			label := 1 + r.Int32N(2)
			b.AddArc(r.Int32N(n), fst.Arc[semiring.Cost]{In: label, Out: label, To: r.Int32N(n), Weight: semiring.Cost(r.IntN(3))})
		}
		b.SetFinal(n-1, 0)
		f := must(b.Freeze())(t)
		eager, err := determinized(f, &fst.Options{Limit: 30_000})
		// If states are created on demand, non-termination is not detected early.
		lazy := fst.Determinize[semiring.Cost](f, &fst.Options{Limit: 30_000})
		states, arcs, late := walk(lazy)
		switch {
		case (err == nil) != (late == nil):
			t.Fatalf("seed %d: %v, but state by state %v, of\n%s", seed, err, late, f)
		case err == nil:
			ended++
			if eager.NumStates() != states || eager.NumArcs() != arcs {
				t.Fatalf("seed %d: %d states and %d arcs, state by state %d and %d", seed, eager.NumStates(), eager.NumArcs(), states, arcs)
			}
		case strings.Contains(err.Error(), "without an end"):
			endless++
		}
	}
	if ended < 100 || endless < 5 {
		t.Errorf("%d determinizations end and %d are known not to", ended, endless)
	}
}

// walk visits all reachable states of a machine.
func walk(m fst.Machine[semiring.Cost]) (states, arcs int, err error) {
	seen := map[int32]bool{}
	var open []int32
	meet := func(s int32) {
		if !seen[s] {
			seen[s] = true
			open = append(open, s)
		}
	}
	for _, s := range m.AppendStarts(nil) {
		meet(s.State)
	}
	for len(open) > 0 && fst.Err(m) == nil {
		s := open[len(open)-1] // out of order
		open = open[:len(open)-1]
		all := m.AppendArcs(nil, s)
		arcs += len(all)
		for _, a := range all {
			meet(a.To)
		}
	}
	return len(seen), arcs, fst.Err(m)
}

// The remainders of a state count towards the limit while they are being created.
func TestDeterminizeAllCountsWords(t *testing.T) {
	// State 0 accumulates many words and has arcs for many labels.
	b := fst.NewBuilder(costs)
	b.AddStates(2)
	b.AddStart(0, 0)
	for out := range int32(2) {
		b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 1 + out, To: 0, Weight: semiring.Cost(out)})
	}
	for label := int32(2); label < 2000; label++ {
		b.AddArc(0, fst.Arc[semiring.Cost]{In: label, Out: label, To: 1})
	}
	b.SetFinal(1, 0)
	f := must(b.Freeze())(t)
	for _, limit := range []int{10_000, 100_000, 1_000_000} {
		memtest.Bound(t, limit, 300, func() {
			if _, err := fst.DeterminizeAll(f, &fst.Options{Limit: limit}); !errors.Is(err, semiring.ErrLimit) {
				t.Errorf("limit %d: %v", limit, err)
			}
		})
	}
}

// Words are ordered by their labels.
func TestWordCompare(t *testing.T) {
	ordered := []semiring.Word{
		{}, semiring.NewWord(), semiring.NewWord(1), semiring.NewWord(1, 1), semiring.NewWord(1, 300), semiring.NewWord(2), semiring.NewWord(255), semiring.NewWord(256), semiring.NewWord(1<<31 - 1),
	}
	for i, v := range ordered {
		for j, w := range ordered {
			if got, want := v.Compare(w), i-j; (got < 0) != (want < 0) || (got > 0) != (want > 0) {
				t.Errorf("%v compared to %v is %d", v, w, got)
			}
		}
	}
}
