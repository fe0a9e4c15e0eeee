package fst_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// costsOf returns the costs of all paths of an acyclic machine, ascending.
func costsOf(f *fst.FST[semiring.Cost]) []semiring.Cost {
	var all []semiring.Cost
	for p := range f.Paths() {
		all = append(all, p.Weight)
	}
	slices.Sort(all)
	return all
}

// The machine of the best paths has their costs, each once, and no others; their
// strings have the costs that the whole machine gives them.
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
		for _, x := range fsttest.Strings(3, 4) { // none is better
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

// Of a machine of probabilities the strings have what the whole machine gives them, and
// none that is left out has more.
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

// Random paths are paths, and as frequent as their weights say.
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
