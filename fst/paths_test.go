package fst_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Over traces, which name every arc of a path, the paths up to some length are the relation of
// the machine.
func TestPaths(t *testing.T) {
	const most = 5
	for seed := range uint64(200) {
		r := fsttest.Rand(seed)
		letters := 0
		shape := shapes(r)
		shape.Plain = true // the length of a trace is the length of its path
		f := fsttest.New(r, traces, shape, &letters)
		got := fsttest.Relation{}
		last := 0
		for p := range f.Paths() {
			n := -1
			for trace := range p.Weight {
				n = len(trace)
			}
			if n < 0 || n > most { // dropped by the ring, or of maximum length
				break
			}
			if n < last {
				t.Fatalf("seed %d: a path of %d arcs after one of %d", seed, n, last)
			}
			last = n
			if slices.Contains(p.In, fst.Epsilon) || slices.Contains(p.Out, fst.Epsilon) {
				t.Fatalf("seed %d: ε among the labels %v:%v", seed, p.In, p.Out)
			}
			got.Add(fsttest.Pair{In: fsttest.String(p.In...), Out: fsttest.String(p.Out...)}, p.Weight)
		}
		if d := fsttest.Diff(got, fsttest.RelationOf(f)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

// A chain has one path. Finding it takes time and memory proportional to its length.
func TestPathsOfChain(t *testing.T) {
	const n = 100_000
	f := fst.FromString(traces, slices.Repeat([]int32{7}, n))
	count := 0
	for p := range f.Paths() {
		count++
		if len(p.In) != n || len(p.Out) != n {
			t.Errorf("path of %d:%d labels, want %d", len(p.In), len(p.Out), n)
		}
	}
	if count != 1 {
		t.Errorf("%d paths, want 1", count)
	}
	for range fst.FromPair(traces, []int32{1}, nil).Paths() {
		count++
	}
	if count != 2 {
		t.Error("a machine of one arc has not one path")
	}
}

func TestPathsOfNothing(t *testing.T) {
	b := fst.NewBuilder(traces)
	for range must(b.Freeze())(t).Paths() {
		t.Error("a machine without states has a path")
	}
	b.AddStates(2)
	b.AddStart(0, traces.One())
	b.AddArc(0, fst.Arc[series]{To: 0, Weight: traces.One()})
	for range must(b.Freeze())(t).Paths() {
		t.Error("a machine without final states has a path")
	}
}

// costsOf returns the costs of all paths of an acyclic machine, ascending.
func costsOf(f *fst.FST[semiring.Cost]) []semiring.Cost {
	var all []semiring.Cost
	for p := range f.Paths() {
		all = append(all, p.Weight)
	}
	slices.Sort(all)
	return all
}

// The machine of the best paths has exactly their costs, each once. Its strings have the same
// costs as in the whole machine.
func TestShortestPaths(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := fsttest.Rand(seed)
		f := weighted(r, costs, acceptors(r), func() semiring.Cost { return semiring.Cost(1 + r.IntN(50)) })
		n := r.IntN(12)
		var want []semiring.Cost
		for p := range must(graph.BestPaths(f.Graph()))(t) {
			if len(want) == n {
				break
			}
			want = append(want, p.Weight)
		}
		got := must(fst.ShortestPaths(f, n, nil))(t)
		if x := costsOf(got); !slices.Equal(x, want) {
			t.Fatalf("seed %d: paths cost %v, want %v", seed, x, want)
		}
		w := fsttest.NewWeigher(f)
		if n == 1 && len(want) == 1 {
			for p := range got.Paths() {
				if w.Weight(p.In, p.Out) != p.Weight {
					t.Fatalf("seed %d: the best path %v costs something else", seed, p)
				}
			}
		}
		a := fsttest.Frozen(fst.ProjectIn(f))
		seen := map[string]bool{}
		last, count := semiring.Cost(math.Inf(-1)), 0
		w = fsttest.NewWeigher(a)
		for p := range must(fst.ShortestStrings(a, n, nil))(t).Paths() {
			if s := fsttest.String(p.In...); seen[s] || w.Weight(p.In, p.In) != p.Weight {
				t.Fatalf("seed %d: string %v at cost %v", seed, p.In, p.Weight)
			} else {
				seen[s] = true
			}
			last, count = max(last, p.Weight), count+1
		}
		for _, x := range fsttest.Strings(3, 4) { // none of the others is better
			if c := w.Weight(x, x); c < last && !seen[fsttest.String(x...)] {
				t.Fatalf("seed %d: %v costs %v and is not there; the last of %d costs %v", seed, x, c, count, last)
			}
		}
	}
	if _, err := fst.ShortestPaths(fst.FromString(reals, nil), 1, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without order: %v", err)
	}
	if _, err := fst.ShortestStrings(fst.FromString(semiring.Counting{}, nil), 1, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without order or probabilities: %v", err)
	}
}

// In a machine of probabilities, strings have the same weights as in the whole machine, and
// omitted strings have at most these weights.
func TestShortestStringsSum(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		shape.Acyclic = true
		f := weighted(r, reals, shape, func() float64 { return r.Float64() })
		a, n := fsttest.Frozen(fst.ProjectIn(f)), r.IntN(6)
		w := fsttest.NewWeigher(a)
		found, least := map[string]bool{}, math.Inf(1)
		for p := range must(fst.ShortestStrings(f, n, nil))(t).Paths() {
			k, want := fsttest.String(p.In...), w.Weight(p.In, p.In)
			if found[k] || !slices.Equal(p.In, p.Out) || math.Abs(p.Weight-want) > 1e-12*want {
				t.Fatalf("seed %d: %v has %v, want %v", seed, p.In, p.Weight, want)
			}
			found[k], least = true, min(least, p.Weight)
		}
		if len(found) < n {
			least = 0
		}
		if len(found) > n {
			t.Fatalf("seed %d: %d strings, want %d", seed, len(found), n)
		}
		for p := range a.Paths() {
			if x := w.Weight(p.In, p.In); n > 0 && x > least*(1+1e-9) && !found[fsttest.String(p.In...)] {
				t.Fatalf("seed %d: %v of %v is missing after %v", seed, p.In, x, least)
			}
		}
	}
}

// Random paths are paths of the machine, and their frequencies match their weights.
func TestSampler(t *testing.T) {
	r := fsttest.Rand(1)
	b := fst.NewBuilder(reals)
	b.AllowZero()
	b.AddStates(2)
	b.AddStart(0, 2)
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 2, To: 1, Weight: .75})
	b.AddArc(0, fst.Arc[float64]{In: 3, Out: 0, To: 1, Weight: .25})
	b.AddArc(0, fst.Arc[float64]{In: 3, Out: 0, To: 1, Weight: 0})
	b.SetFinal(1, 1)
	f := must(b.Freeze())(t)
	for p, g := range map[float64]*fst.FST[float64]{.75: f, .5: must(fst.Uniform(f, nil))(t)} {
		z := must(fst.NewSampler(g, nil))(t)
		n, first := 10000, 0
		for range n {
			if x := z.Sample(r); slices.Equal(x.In, []int32{1}) && slices.Equal(x.Out, []int32{2}) {
				first++
			} else if !slices.Equal(x.In, []int32{3}) || len(x.Out) > 0 {
				t.Fatalf("no path: %v", x)
			}
		}
		if d := math.Abs(float64(first) - p*float64(n)); d > 5*math.Sqrt(p*(1-p)*float64(n)) {
			t.Errorf("%d of %d paths, want %v of them", first, n, p)
		}
	}
	if _, err := fst.NewSampler(fst.FromString(bags, nil), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without probabilities: %v", err)
	}
}

// followed returns all paths of an acyclic machine, with their states, in any order.
func followed(f *fst.FST[semiring.Cost]) (all []fst.Path[semiring.Cost]) {
	ring := f.Semiring()
	var follow func(p fst.Path[semiring.Cost])
	follow = func(p fst.Path[semiring.Cost]) {
		s := p.States[len(p.States)-1]
		if w := ring.Times(p.Weight, f.Final(s)); !ring.IsZero(w) {
			end := p
			end.Weight = w
			all = append(all, end)
		}
		for _, a := range f.AppendArcs(nil, s) {
			next := fst.Path[semiring.Cost]{
				In: slices.Clone(p.In), Out: slices.Clone(p.Out),
				Weight: ring.Times(p.Weight, a.Weight), States: append(slices.Clone(p.States), a.To),
			}
			if a.In != fst.Epsilon {
				next.In = append(next.In, a.In)
			}
			if a.Out != fst.Epsilon {
				next.Out = append(next.Out, a.Out)
			}
			follow(next)
		}
	}
	starts := map[int32]semiring.Cost{} // several starts at a state count once
	for _, s := range f.AppendStarts(nil) {
		if w, ok := starts[s.State]; ok {
			s.Weight = ring.Plus(w, s.Weight)
		}
		starts[s.State] = s.Weight
	}
	for s, w := range starts {
		follow(fst.Path[semiring.Cost]{Weight: w, States: []int32{s}})
	}
	return all
}

// The best paths are the first of all paths by weight, with the same arcs and states as in
// package graph.
func TestBestPaths(t *testing.T) {
	several := 0
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		f := weighted(r, costs, fsttest.Shape{States: 6, Arcs: 12, Labels: 2, Epsilon: .3, Acyclic: true}, func() semiring.Cost { return semiring.Cost(r.IntN(9)) })
		all := followed(f)
		slices.SortFunc(all, func(p, q fst.Path[semiring.Cost]) int { return cmp.Compare(p.Weight, q.Weight) })
		left := map[string]int{}
		for _, p := range all {
			left[fmt.Sprint(p)]++
		}
		n := r.IntN(len(all) + 3)
		got := must(fst.BestPaths(f, n, nil))(t)
		if len(got) != min(n, len(all)) {
			t.Fatalf("seed %d: %d paths, want %d of %d", seed, len(got), n, len(all))
		}
		for i, p := range got {
			if x := fmt.Sprint(p); p.Weight != all[i].Weight || left[x] == 0 {
				t.Fatalf("seed %d, path %d: %s, want one of weight %v that is left", seed, i, x, all[i].Weight)
			} else {
				left[x]--
			}
		}
		if len(got) > 1 {
			several++
		}
		i := 0
		for p := range must(graph.BestPaths(f.Graph()))(t) {
			if i == len(got) {
				break
			}
			states := []int32{p.Start}
			for _, e := range p.Arcs {
				states = append(states, f.Graph().To()[e])
			}
			if !slices.Equal(states, got[i].States) || p.Weight != got[i].Weight {
				t.Fatalf("seed %d, path %d: %v, want states %v and weight %v", seed, i, got[i], states, p.Weight)
			}
			i++
		}
		// A lazy machine has the same states as its frozen form.
		lazy := opaque(f)
		if x, y := fmt.Sprint(must(fst.BestPaths(lazy, n, nil))(t)), fmt.Sprint(must(fst.BestPaths(must(fst.Expand(lazy, nil))(t), n, nil))(t)); x != y {
			t.Fatalf("seed %d: a lazy machine has %s, want %s", seed, x, y)
		}
	}
	if several < 50 {
		t.Errorf("%d lists of several paths", several)
	}
}

func TestBestPathsErrors(t *testing.T) {
	if _, err := fst.BestPaths(fst.FromString(reals, []int32{1}), 1, nil); !errors.Is(err, semiring.ErrCapability) || !strings.HasPrefix(err.Error(), "fst: BestPaths(2 states and 1 arc): ") {
		t.Errorf("a ring without order: %v", err)
	}
	if _, err := fst.BestPaths(opaque(fst.FromString(costs, []int32{1})), 1, &fst.Options{Limit: 2}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("3 states and arcs within 2: %v", err)
	}
	for _, n := range []int{0, -1} {
		if paths, err := fst.BestPaths(fst.FromString(costs, nil), n, nil); len(paths) > 0 || err != nil {
			t.Errorf("%d paths: %v, %v", n, paths, err)
		}
	}
}
