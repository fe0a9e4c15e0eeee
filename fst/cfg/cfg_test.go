package cfg_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

const length = 5 // of the strings that are compared

func must[T any](x T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// same fails the test if a machine's weights differ from the oracle's.
func same[W any](t *testing.T, what string, m fst.Machine[W], b *brute[W], want map[string]W) {
	t.Helper()
	dist := must(semiring.Require[semiring.Metric[W]](b.ring))(t).Dist
	f := must(fst.Connect(m, nil))(t)
	if err := fst.Err(m); err != nil {
		t.Fatal(err)
	}
	weigher := fsttest.NewWeigher(f)
	for _, labels := range fsttest.Strings(2, length) {
		s := fsttest.String(labels...)
		w, ok := want[s]
		if !ok {
			w = b.ring.Zero()
		}
		if got := weigher.Weight(labels, labels); !(dist(got, w) <= 1e-9) {
			t.Fatalf("%s: %q has weight %v, want %v\n%v\n%s", what, s, got, w, b.rules, f)
		}
	}
}

// Labels up to 2³¹−1 still leave room for the labels of calls.
func TestGreatLabels(t *testing.T) {
	great := []int32{0, 1, 2, 1_000, math.MaxInt32 - 1, math.MaxInt32}
	name := func(label int32) int32 { return great[label] }
	reals := semiring.Real{}
	grammar := func(name func(int32) int32) *cfg.Grammar[float64] {
		a, b, s, x := name(1), name(2), name(4), name(5)
		return must(cfg.FromRules(reals, s, []int32{a, b}, []cfg.Rule[float64]{
			{Left: s, Right: []int32{a, x, b}, Weight: .5}, {Left: s, Weight: .5}, {Left: x, Right: []int32{s, s}, Weight: .25}, {Left: x, Right: []int32{a}, Weight: .75},
		}))(t)
	}
	small, large := grammar(func(label int32) int32 { return label }), grammar(name)
	for depth := range 3 {
		want, got := must(fst.Expand(small.Subset(depth), nil))(t), must(fst.Expand(large.Subset(depth), nil))(t)
		if ok, err := fst.Equal(got, must(fst.Expand(fst.Relabel(want, name, name), nil))(t), nil); err != nil || !ok {
			t.Errorf("depth %d: another machine (%v)", depth, err)
		}
	}
}

// Superset(0) equals the grammar of Mohri and Nederhof's rules; Subset has the derivations that are
// not too deep; and with greater depth both approach the grammar.
func TestApproximations(t *testing.T) {
	costs := semiring.Tropical{}
	kinds := map[bool]int{}
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		rules := randomRules(r, func() semiring.Cost { return semiring.Cost(r.IntN(16)) / 8 })
		g := must(cfg.FromRules(costs, start, terminals, rules))(t)
		b := newBrute(costs, length, rules)
		kinds[g.StronglyRegular()]++
		entry := int32(start)
		if linear := linear(rules, reaches(rules), start); !linear {
			entry = copied(start, start)
		}
		mohri := newBrute(costs, length, transformed(costs, rules))
		same(t, fmt.Sprintf("seed %d, superset", seed), g.Superset(0), b, mohri.weights(entry, 60))
		for depth := range 3 {
			what := fmt.Sprintf("seed %d, depth %d", seed, depth)
			less := newBrute(costs, length, leveled(rules, depth, func(int32) (int32, bool) { return 0, false }))
			same(t, what+", subset", g.Subset(depth), b, less.weights(start, 30))
		}
		exact := b.weights(start, 30)
		more := make([]*fsttest.Weigher[semiring.Cost], 3)
		for depth := range more {
			more[depth] = fsttest.NewWeigher(must(fst.Connect(g.Superset(depth), nil))(t))
		}
		for _, labels := range fsttest.Strings(2, 4) {
			w, ok := exact[fsttest.String(labels...)]
			if !ok {
				w = costs.Zero()
			}
			for depth := len(more) - 1; depth >= 0; depth-- {
				x := more[depth].Weight(labels, labels)
				if x > w || g.StronglyRegular() && x != w {
					t.Fatalf("seed %d: %v costs %v in Superset(%d), %v nearer to the grammar\n%v", seed, labels, x, depth, w, rules)
				}
				w = x
			}
		}
	}
	if kinds[true] < 10 || kinds[false] < 10 {
		t.Errorf("%v are strongly regular", kinds)
	}
}

// If a grammar is strongly regular, sums over all derivations and over derivations of a depth are
// exact.
func TestSums(t *testing.T) {
	reals := semiring.Real{}
	regular := 0
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		rules := randomRules(r, func() float64 { return .02 + .1*r.Float64() })
		g := must(cfg.FromRules(reals, start, terminals, rules))(t)
		b := newBrute(reals, length, rules)
		if g.StronglyRegular() {
			regular++
			exact := b.weights(start, 40)
			same(t, fmt.Sprintf("seed %d, superset", seed), g.Superset(0), b, exact)
			same(t, fmt.Sprintf("seed %d, subset", seed), g.Subset(0), b, exact)
		}
		less := newBrute(reals, length, leveled(rules, 1, func(int32) (int32, bool) { return 0, false }))
		same(t, fmt.Sprintf("seed %d, subset of depth 1", seed), g.Subset(1), b, less.weights(start, 40))
	}
	if regular < 10 {
		t.Errorf("%d are strongly regular", regular)
	}
}

// Right-hand sides may be regular sets, and relations.
func TestNetworks(t *testing.T) {
	truths := semiring.Boolean{}
	word := func(labels ...int32) *fst.FST[bool] { return fst.FromString(truths, labels) }
	// S → a S b | T*, where T reads a and writes b
	b := fst.NewBuilder(truths)
	b.AddStates(5)
	b.AddStart(0, true)
	b.AddArc(0, fst.Arc[bool]{In: 1, Out: 1, To: 1, Weight: true})
	b.AddArc(1, fst.Arc[bool]{In: 0, Out: 11, To: 2, Weight: true})
	b.AddArc(2, fst.Arc[bool]{In: 2, Out: 2, To: 3, Weight: true})
	b.AddArc(0, fst.Arc[bool]{To: 4, Weight: true})
	b.AddArc(4, fst.Arc[bool]{In: 0, Out: 12, To: 4, Weight: true})
	b.SetFinal(3, true)
	b.SetFinal(4, true)
	g := must(cfg.New(11, map[int32]fst.Machine[bool]{11: must(b.Freeze())(t), 12: fst.FromPair(truths, []int32{1}, []int32{2})}))(t)
	for depth := range 3 {
		w := fsttest.NewWeigher(must(fst.Expand(g.Superset(depth), nil))(t))
		for _, x := range []struct {
			in, out string
			want    bool
		}{
			{"", "", true}, {"ab", "ab", true}, {"a", "b", true}, {"aab", "abb", true}, {"aabb", "aabb", true},
			{"b", "b", depth < 1}, {"aab", "aab", depth < 2}, {"abb", "abb", depth < 2}, {"aabbb", "aabbb", true}, {"ba", "ba", false},
		} {
			if got := w.Weight(numbers(x.in), numbers(x.out)); got != x.want {
				t.Errorf("depth %d: (%s, %s) is %v", depth, x.in, x.out, got)
			}
		}
	}
	if _, err := cfg.New(11, map[int32]fst.Machine[bool]{11: word(1).WithSymbols(fst.NewSymbols("a"), nil), 12: word(1).WithSymbols(fst.NewSymbols("b"), nil)}); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("other symbols: %v", err)
	}
}

func numbers(s string) []int32 {
	labels := fst.RuneLabels(s)
	for i := range labels {
		labels[i] -= 'a' - 1
	}
	return labels
}

func TestErrors(t *testing.T) {
	reals := semiring.Real{}
	type rules = []cfg.Rule[float64]
	for _, x := range []struct {
		rules rules
		want  error
		says  string
	}{
		{rules{{start, []int32{1, start, start}, 1}}, nil, ""},
		{rules{{start, []int32{start, 1}, 1}, {start, nil, 1}}, nil, ""},
		{rules{{start, []int32{12}, 1}}, cfg.ErrGrammar, "rule 0: label 12 is not a terminal and has no rules"},
		{rules{{start, nil, 1}, {start, []int32{1, 0}, 1}}, cfg.ErrGrammar, "rule 1: label 0"},
		{rules{{start, nil, 1}, {1, []int32{2}, 1}}, cfg.ErrGrammar, "rule 1 rewrites the terminal 1"},
		{rules{{12, nil, 1}}, cfg.ErrGrammar, "11 to start with has no machine"},
		{rules{{start, nil, 1}, {-3, nil, 1}}, cfg.ErrGrammar, "nonterminal -3"},
		{rules{{start, nil, math.NaN()}}, fst.ErrInvalid, "nonterminal 11"},
		{nil, cfg.ErrGrammar, "has no machine"},
	} {
		_, err := cfg.FromRules(reals, start, terminals, x.rules)
		if !errors.Is(err, x.want) || err != nil && !strings.Contains(err.Error(), x.says) {
			t.Errorf("%v: %v, want %v: %s", x.rules, err, x.want, x.says)
		}
	}
	traces := semiring.Semiring[fsttest.Series](fsttest.Traces{Max: 3})
	if _, err := cfg.New(1, map[int32]fst.Machine[fsttest.Series]{1: fst.FromString(traces, nil)}); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring that does not commute: %v", err)
	}
	g := must(cfg.FromRules(reals, start, terminals, rules{{start, []int32{1, start, 2}, 1}, {start, nil, 1}}))(t)
	if err := fst.Err(g.Superset(-1)); !errors.Is(err, cfg.ErrGrammar) {
		t.Errorf("depth -1: %v", err)
	}
	if err := fst.Err(g.Subset(math.MaxInt32 - 5)); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a great depth: %v", err)
	}
	if _, err := fst.Expand(g.Superset(100), &fst.Options{Limit: 50}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a small limit: %v", err)
	}
}

// The grammar of aⁿbⁿ, from above and from below.
func Example() {
	truths := semiring.Boolean{}
	const a, b, S = 1, 2, 3
	g, err := cfg.FromRules(truths, S, []int32{a, b}, []cfg.Rule[bool]{
		{Left: S, Right: []int32{a, S, b}, Weight: true},
		{Left: S, Weight: true},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println("strongly regular:", g.StronglyRegular())
	for _, depth := range []int{0, 1, 2} {
		fmt.Printf("depth %d: %v above, %v below\n", depth, short(g.Superset(depth)), short(g.Subset(depth)))
	}
	// Output:
	// strongly regular: false
	// depth 0: [ a b aa ab bb aaa aab abb bbb] above, [] below
	// depth 1: [ ab aab abb] above, [ ab] below
	// depth 2: [ ab] above, [ ab] below
}

// short returns the strings of up to three letters.
func short(m fst.Machine[bool]) []string {
	f, err := fst.Optimize(m, nil)
	if err != nil {
		panic(err)
	}
	var all []string
	for p := range f.Paths() {
		if len(p.In) > 3 {
			break
		}
		all = append(all, fsttest.String(p.In...))
	}
	return all
}

// Machines that have failed are rejected with their own error.
func TestFailedMachines(t *testing.T) {
	reals := semiring.Real{}
	bad := fst.OneState(reals, 1, fst.Arc[float64]{To: 1, Weight: 1})
	if _, err := cfg.New(start, map[int32]fst.Machine[float64]{start: bad}); !errors.Is(err, fst.Err(bad)) || !strings.HasPrefix(err.Error(), "cfg: nonterminal 11: OneState: ") {
		t.Errorf("a part: %v", err)
	}
	g := must(cfg.FromRules(reals, start, terminals, []cfg.Rule[float64]{{Left: start, Right: []int32{1}, Weight: 1}}))(t)
	if _, err := g.Parse(bad, nil); !errors.Is(err, fst.Err(bad)) || !strings.HasPrefix(err.Error(), "cfg: Parse: OneState: ") {
		t.Errorf("a lattice: %v", err)
	}
	if _, err := g.Parse(fst.Star(fst.FromString(reals, []int32{1})), &fst.Options{Limit: 2}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a lattice that is expanded: %v", err)
	}
	negative := g.Subset(-1)
	if _, err := fst.Expand(negative, nil); !errors.Is(err, cfg.ErrGrammar) || err != fst.Err(negative) || !strings.HasPrefix(err.Error(), "cfg: Subset: ") {
		t.Errorf("a negative depth: %v", err)
	}
}
