package fst_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// same compares two machines arc by arc.
func same(t *testing.T, seed uint64, got, want *fst.FST[series]) {
	t.Helper()
	text := func(f *fst.FST[series]) string {
		g := f.Graph()
		return fmt.Sprint(g.Row(), f.In(), f.Out(), g.To(), g.Weights(), g.Starts(), g.Finals())
	}
	if g, w := text(got), text(want); g != w {
		t.Fatalf("seed %d: got %s\nwant %s", seed, g, w)
	}
}

// An Arena makes the same machines as the functions, from frozen, lazy and foreign operands and
// from its own machines.
func TestArenaMakesTheSame(t *testing.T) {
	arena := fst.NewArena(bags)
	for seed := range trials.Seeds(400) {
		r := fsttest.Rand(seed)
		letters := 0
		arena.Reset()
		x := []int32{1 + r.Int32N(2), 1 + r.Int32N(2)}
		a, b := fsttest.New(r, bags, shapes(r), &letters), fsttest.New(r, bags, shapes(r), &letters)
		for range 2 { // more than the first machine of each kind
			got := arena.Compose(arena.String(x), a)
			want := fst.Compose(fst.FromString(bags, x), a)
			if r.IntN(2) == 0 {
				same(t, seed, must(arena.Expand(got, nil))(t), must(fst.Expand(want, nil))(t))
			}
			left, wantLeft := fst.Machine[series](got), fst.Machine[series](want)
			if r.IntN(2) == 0 {
				left, wantLeft = must(arena.Expand(got, nil))(t), must(fst.Expand(want, nil))(t)
			}
			foreign := fsttest.Opaque[series]{Machine: b}
			got = arena.Compose(left, foreign)
			want = fst.Compose(wantLeft, foreign)
			same(t, seed, must(arena.Expand(got, nil))(t), must(fst.Expand(want, nil))(t))
			same(t, seed, must(arena.Expand(foreign, nil))(t), must(fst.Expand(foreign, nil))(t))
		}
	}
}

func TestArenaString(t *testing.T) {
	arena := fst.NewArena(bags)
	for _, x := range [][]int32{{3, 1, 2}, {}, {1}} {
		same(t, 0, arena.String(x), fst.FromString(bags, x))
	}
	got := arena.Compose(arena.String([]int32{1, 2}), arena.String([]int32{1, 2}))
	if d := fsttest.Diff(fsttest.RelationOf(got), fsttest.Relation{{In: "ab", Out: "ab"}: bags.One()}); d != "" {
		t.Error(d)
	}
}

func TestArenaErrors(t *testing.T) {
	free := fst.NewArena(traces)
	s := free.String([]int32{1})
	if err := fst.Err(free.Compose(s, s)); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring that is not commutative: %v", err)
	}
	arena := fst.NewArena(bags)
	other := fst.FromString(fsttest.Bags{Max: 2}, []int32{1})
	if err := fst.Err(arena.Compose(arena.String(nil), other)); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("another ring: %v", err)
	}
	if err := fst.Err(arena.Compose(other, other)); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("other rings: %v", err)
	}
	if _, err := arena.Expand(arena.String([]int32{1, 2, 3}), &fst.Options{Limit: 6}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("7 states and arcs: %v", err)
	}
	arena.SetSemiring(other.Semiring())
	if got := must(arena.Expand(arena.Compose(arena.String([]int32{1}), other), nil))(t); got.NumArcs() != 1 {
		t.Errorf("%d arcs over the new ring", got.NumArcs())
	}
}

// In the steady state there are no allocations, including the graph.
func TestArenaDoesNotAllocate(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AddStates(1)
	b.AddStart(0, 1)
	b.SetFinal(0, 1)
	for in := range int32(10) {
		for out := range int32(10) {
			if in+out > 0 {
				b.AddArc(0, fst.Arc[float64]{In: in, Out: out, Weight: .5})
			}
		}
	}
	channel := must(b.Freeze())(t)
	arena := fst.NewArena(reals)
	var strings [][]int32
	for n := range int32(20) {
		strings = append(strings, slices.Repeat([]int32{1 + n%9, 1 + n%2}, int(n%7)))
	}
	i := 0
	lattice := func() {
		arena.Reset()
		i++
		c := arena.Compose(arena.String(strings[i%len(strings)]), channel)
		c = arena.Compose(c, arena.String(strings[7*i%len(strings)]))
		if _, err := arena.Expand(c, nil); err != nil {
			t.Fatal(err)
		}
		// In the other direction: the expanded machine is an operand.
		mid, err := arena.Expand(arena.Compose(channel, arena.String(strings[i%len(strings)])), nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := arena.Expand(arena.Compose(channel, mid), nil)
		if err != nil || f.Graph().NumStates() == 0 {
			t.Fatal(err)
		}
	}
	for range 2 * len(strings) {
		lattice()
	}
	if n := testing.AllocsPerRun(2*len(strings), lattice); n > 0 {
		t.Errorf("%g allocations for a lattice", n)
	}
}

func TestArenaGraphs(t *testing.T) {
	arena := fst.NewArena(reals)
	for n := range 5 {
		arena.Reset()
		f := arena.String(slices.Repeat([]int32{2}, n))
		g := must(f.WithWeights(slices.Repeat([]float64{.5}, n), []fst.Start[float64]{{State: 0, Weight: 1}}, f.Graph().Finals()))(t)
		for _, test := range []struct {
			g    *graph.Graph[float64]
			want float64
		}{{f.Graph(), 1}, {g.Graph(), 1 / float64(int(1)<<n)}} {
			if got := must(graph.PathSum(test.g))(t); got != test.want {
				t.Errorf("string of %d labels: path sum %g, want %g", n, got, test.want)
			}
		}
	}
}

// The memory of a failed composition is reused by the next one.
func TestArenaAfterFailures(t *testing.T) {
	arena := fst.NewArena(reals)
	word, other := fst.FromString(reals, []int32{1, 2}), fst.FromString(plain, []int32{1, 2})
	for range 3 {
		arena.Reset()
		for range 2 {
			bad := arena.Compose(arena.String([]int32{1, 2}), other)
			if _, err := arena.Expand(arena.Compose(bad, word), nil); !errors.Is(err, fst.ErrMismatch) || err != bad.Err() {
				t.Errorf("another ring: %v, want %v", err, bad.Err())
			}
			good := arena.Compose(arena.Compose(arena.String([]int32{1, 2}), word), word)
			if f := must(arena.Expand(good, nil))(t); f.NumStates() != 3 || f.NumArcs() != 2 || good.Err() != nil {
				t.Errorf("%d states and %d arcs, want 3 and 2: %v", f.NumStates(), f.NumArcs(), good.Err())
			}
		}
	}
}

// Goroutines share frozen machines, regardless of which one needs their indexes first. This
// test is mainly for the race detector.
func TestFrozenMachinesAreShared(t *testing.T) {
	for seed := range uint64(20) {
		r := fsttest.Rand(seed)
		letters := 0
		a, b := fsttest.New(r, bags, shapes(r), &letters), fsttest.New(r, bags, shapes(r), &letters)
		want := fsttest.Join(bags, fsttest.RelationOf(a), fsttest.RelationOf(b))
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				left := a
				if i%2 == 0 {
					left = a.WithSemiring(bags)
				}
				c := fst.Compose(left, b)
				if d := fsttest.Diff(fsttest.RelationOf(c), want); d != "" {
					t.Errorf("seed %d: %s", seed, d)
				}
				must(fst.ArcSortIn(left, nil))(t)
				must(fst.Connect(left, nil))(t)
			})
		}
		wg.Wait()
	}
}

// A machine that fills several chunks of arcs, with labels of all widths in turn, has all its
// arcs after expansion, also in a reused Arena.
func TestExpandManyArcs(t *testing.T) {
	arena := fst.NewArena(reals)
	for _, arcs := range []int{8191, 8192, 8193, 3 * 8192, 40_000} {
		r := fsttest.Rand(uint64(arcs))
		b := fst.NewBuilder(reals)
		n := int32(arcs / 10)
		b.AddStates(int(n))
		b.AddStart(0, 1)
		b.SetFinal(n-1, 1)
		top := []int32{math.MaxUint8, math.MaxUint8 + 1, math.MaxUint16, math.MaxUint16 + 1, math.MaxInt32}
		for i := range arcs {
			s := int32(i) % n
			a := fst.Arc[float64]{In: r.Int32N(100), Out: r.Int32N(1000), To: r.Int32N(s + 1), Weight: r.Float64()}
			if i < int(n)-1 {
				a.To = s + 1 // every state is visited, in order
			}
			if r.IntN(10_000) == 0 {
				a.In, a.Out = top[r.IntN(len(top))], top[r.IntN(len(top))]
			}
			b.AddArc(s, a)
		}
		f := must(b.Freeze())(t)
		opaque := fsttest.Opaque[float64]{Machine: f}
		arena.Reset()
		for what, g := range map[string]*fst.FST[float64]{
			"frozen": must(fst.Expand(f, nil))(t), "opaque": must(fst.Expand(opaque, nil))(t),
			"arena": must(arena.Expand(opaque, nil))(t),
		} {
			if same, err := fst.Equal(f, g, nil); err != nil || !same || g.NumArcs() != arcs {
				t.Errorf("%d arcs, %s: %d arcs, equal is %v (%v)", arcs, what, g.NumArcs(), same, err)
			}
		}
	}
}
