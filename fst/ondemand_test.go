package fst_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Results on demand equal eager results, for a frozen machine and for others. For an untrimmed
// machine, only the relation is the same.
func TestOnDemand(t *testing.T) {
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		f := weighted(r, reals, acceptors(r), func() float64 { return .11*r.Float64() - .03 })
		want := must(fst.Expand(fst.RemoveEpsilon(f), nil))(t)
		for what, m := range map[string]fst.Machine[float64]{"frozen": f, "trimmed": opaque(must(fst.Connect(f, nil))(t)), "whole": opaque(f)} {
			lazy := fst.RemoveEpsilon(m)
			got := must(fst.Expand(opaque(lazy), nil))(t)
			if fst.Err(lazy) != nil || what != "whole" && (got.NumStates() != want.NumStates() || got.NumArcs() != want.NumArcs()) {
				t.Fatalf("seed %d, %s: %d states and %d arcs, want %d and %d: %v", seed, what, got.NumStates(), got.NumArcs(), want.NumStates(), want.NumArcs(), fst.Err(lazy))
			}
			noEpsilon(t, seed, got)
			sameWeights(t, seed, "ε-removal, "+what, got, f)
		}
	}
	ended := 0
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		f := acceptor(r, reals, acceptors(r), func() float64 { return .04 * float64(1-r.IntN(3)) })
		for what, m := range map[string]fst.Machine[float64]{"frozen": f, "trimmed": opaque(must(fst.Connect(f, nil))(t)), "whole": opaque(f)} {
			lazy := fst.Determinize(m, small)
			got, failed := fst.Expand(lazy, nil)
			want, err := fst.Expand(fst.Determinize(f, small), nil)
			if errors.Is(failed, semiring.ErrLimit) && (errors.Is(err, semiring.ErrLimit) || what == "whole") {
				continue // not twins, perhaps among states that do not reach the end
			}
			got, want, ended = must(got, failed)(t), must(want, err)(t), ended+1
			if what != "whole" && !must(fst.Isomorphic(got, want, nil))(t) {
				t.Fatalf("seed %d, %s: not isomorphic", seed, what)
			}
			deterministic(t, seed, got)
			sameWeights(t, seed, "determinization, "+what, got, f)
		}
	}
	if ended < 120 {
		t.Errorf("determinization ended for %d machines", ended)
	}
}

// opaque returns m as a machine of unknown type.
func opaque[W any](m fst.Machine[W]) fst.Machine[W] { return fsttest.Opaque[W]{Machine: m} }

// Lazy machines, with ε-cycles through their parts, give the same result as their frozen forms;
// weights keep their order in products.
func TestRemoveEpsilonOnDemandOfLazyMachines(t *testing.T) {
	ring := semiring.Semiring[series](keyed{fsttest.Traces{Max: 5}})
	for seed := range trials.Seeds(40) {
		r := fsttest.Rand(seed)
		letters := 0
		shape := shapes(r)
		shape.Acyclic, shape.Plain = false, false // or a closure may have cycles without letters
		f, g := fsttest.New(r, ring, shape, &letters), fsttest.New(r, ring, shape, &letters)
		m := fst.Machine[series](fst.Concat(fst.Star(f), opaque(g)))
		lazy := fst.RemoveEpsilon(m)
		got := must(fst.Expand(lazy, nil))(t)
		if fst.Err(lazy) != nil {
			t.Fatalf("seed %d: %v", seed, fst.Err(lazy))
		}
		noEpsilon(t, seed, got)
		check(t, seed, "closure", got, fsttest.RelationOf(must(fst.Expand(fst.Concat(fst.Star(f), g), nil))(t)))

		shape = acceptors(r)
		x := weighted(r, reals, shape, func() float64 { return .2 * r.Float64() })
		y := weighted(r, reals, shape, func() float64 { return .2 * r.Float64() })
		c := fst.ProjectIn(fst.Compose(x, y))
		plain := fst.RemoveEpsilon(c)
		h := must(fst.Expand(plain, nil))(t)
		if fst.Err(plain) != nil {
			t.Fatalf("seed %d: %v", seed, fst.Err(plain))
		}
		noEpsilon(t, seed, h)
		sameWeights(t, seed, "composition", h, must(fst.Expand(c, nil))(t))
	}
}

// For a machine without a deterministic form, only the visited part is created.
func TestOnDemandErrors(t *testing.T) {
	f := noTwins(t, .5, .25, false)
	lazy := fst.Determinize(f, small)
	s := fst.FromString(reals, []int32{1, 2, 2, 2, 4})
	if w := must(fst.PathSum(fst.Compose(s, lazy), nil))(t); w != 1./64 || fst.Err(lazy) != nil {
		t.Errorf("the weight of %v is %v: %v", s.In(), w, fst.Err(lazy))
	}
	if err := fst.Err(fst.Determinize(fst.FromString(bags, []int32{1}), nil)); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without division: %v", err)
	}
	for what, m := range map[string]fst.Machine[float64]{"frozen": f, "lazy": opaque(f)} {
		lazy := fst.Determinize(m, small)
		name := map[string]string{"frozen": "states 1 and 2", "lazy": "states 10 and 17"}[what]
		if _, err := fst.Expand(lazy, nil); !errors.Is(err, fst.ErrTwins) || err != fst.Err(lazy) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v, want %s in it", what, err, fst.Err(lazy), name)
		}
	}
	pair := fst.Determinize(opaque(fst.FromPair(reals, []int32{1, 2}, []int32{1, 3})), nil)
	if _, err := fst.Expand(pair, nil); !errors.Is(err, fst.ErrInvalid) || !strings.Contains(err.Error(), "state 10 reads 2 and writes 3") {
		t.Errorf("a transducer: %v, %v", err, fst.Err(pair))
	}
}

func TestRemoveEpsilonOnDemandErrors(t *testing.T) {
	loop := must(fst.Expand(fst.Star(fst.FromString(reals, []int32{0})), nil))(t)
	for what, m := range map[string]fst.Machine[float64]{"frozen": loop, "lazy": fst.Star(fst.FromString(reals, []int32{0}))} {
		lazy := fst.RemoveEpsilon(m)
		if _, err := fst.Expand(lazy, nil); !errors.Is(err, semiring.ErrDiverges) || err != fst.Err(lazy) {
			t.Errorf("a divergent cycle, %s: %v, %v", what, err, fst.Err(lazy))
		}
		both := fst.Determinize(fst.RemoveEpsilon(m), nil)
		if _, err := fst.Expand(both, nil); !errors.Is(err, semiring.ErrDiverges) || err != fst.Err(both) {
			t.Errorf("a divergent cycle in an operand, %s: %v, %v", what, err, fst.Err(both))
		}
	}
	// A ring without sums of cycles suffices if the cycles have an arc of weight Zero.
	for w, ok := range map[float64]bool{0: true, .5: false} {
		b := fst.NewBuilder(plainReals{})
		b.AllowZero()
		b.AddStates(2)
		b.AddStart(0, 1)
		b.AddArc(0, fst.Arc[float64]{To: 1, Weight: 1})
		b.AddArc(1, fst.Arc[float64]{To: 0, Weight: w})
		b.SetFinal(1, 1)
		f := must(b.Freeze())(t)
		for what, m := range map[string]fst.Machine[float64]{"frozen": f, "lazy": opaque(f)} {
			lazy := fst.RemoveEpsilon(m)
			if _, err := fst.Expand(lazy, nil); ok && err != nil || !ok && !errors.Is(err, semiring.ErrCapability) {
				t.Errorf("a ring that sums no cycles and one with an arc of weight %v, %s: %v", w, what, err)
			}
		}
	}
	for _, ring := range []semiring.Semiring[semiring.Word]{semiring.LeftString{}, semiring.RightString{}} {
		f := fst.FromString(ring, []int32{1, 0})
		if _, err := fst.Expand(fst.RemoveEpsilon(f), nil); !errors.Is(err, semiring.ErrCapability) {
			t.Errorf("%T: %v", ring, err)
		}
		for _, m := range []fst.Machine[semiring.Word]{f, opaque(f)} {
			if err := fst.Err(fst.RemoveEpsilon(m)); !errors.Is(err, semiring.ErrCapability) {
				t.Errorf("%T, lazily: %v", ring, err)
			}
		}
	}
}

// The states reached by ε-arcs, and the result, may be infinite; both have limits.
func TestRemoveEpsilonOnDemandLimits(t *testing.T) {
	for limit, ok := range map[int]bool{21: true, 20: false} { // 11 states and 10 arcs
		got, err := fst.Expand(must(fst.RemoveEpsilonWithin(chain{10}, limit))(t), nil)
		switch {
		case !ok && (!errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), "from state 5 ")):
			t.Errorf("too long a chain: %v", err)
		case ok && (err != nil || got.NumStates() != 1 || got.Final(0) != 10):
			t.Errorf("a chain: %v: %v", err, got)
		}
	}
	for limit, ok := range map[int]bool{42: true, 41: false} {
		lazy := must(fst.RemoveEpsilonWithin(fst.Union(chain{10}, chain{10}), limit))(t)
		if _, err := fst.Expand(lazy, nil); ok && err != nil || !ok && !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("two chains, of at most %d states and arcs: %v", limit, err)
		}
	}
	// The limit of an expansion bounds the states reached by ε-arcs, and does not affect a
	// later attempt.
	short := fst.RemoveEpsilon(chain{100})
	if _, err := fst.Expand(short, &fst.Options{Limit: 200}); !errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), "from state 5 ") || fst.Err(short) != nil {
		t.Errorf("a chain of 201 states and arcs within 200: %v, %v", err, fst.Err(short))
	}
	if f := must(fst.Expand(short, &fst.Options{Limit: 201}))(t); f.NumStates() != 1 || f.Final(0) != 100 {
		t.Errorf("a chain of 201 states and arcs: %s", f)
	}
	lazy := must(fst.RemoveEpsilonWithin(chain{1 << 30}, 10_000))(t)
	if f := must(fst.Expand(opaque(lazy), nil))(t); f.NumArcs() != 0 || !errors.Is(fst.Err(lazy), semiring.ErrLimit) {
		t.Errorf("an endless chain: %v", fst.Err(lazy))
	}
	for what, lazy := range map[string]fst.Machine[semiring.Cost]{
		"ε-removal":       must(fst.RemoveEpsilonWithin(endless{}, 1000))(t),
		"determinization": fst.Determinize(endless{}, &fst.Options{Limit: 1000}),
	} {
		f := must(fst.Expand(opaque(lazy), nil))(t)
		if n := f.NumStates() + f.NumArcs(); n < 300 || n > 1000 || !errors.Is(fst.Err(lazy), semiring.ErrLimit) {
			t.Errorf("%s of an endless machine: %d states and arcs: %v", what, n, fst.Err(lazy))
		}
	}
	if _, err := fst.Expand(fst.RemoveEpsilon(endless{}), &fst.Options{Limit: 1000}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("all of an endless machine: %v", err)
	}
}

// chain has length arcs ε:ε of cost 1 in sequence, starting from state 5.
type chain struct{ length int32 }

func (chain) Semiring() semiring.Semiring[semiring.Cost] { return costs }
func (chain) AppendStarts(dst []fst.Start[semiring.Cost]) []fst.Start[semiring.Cost] {
	return append(dst, fst.Start[semiring.Cost]{State: 5})
}
func (c chain) Final(s int32) semiring.Cost {
	if s == 5+c.length {
		return costs.One()
	}
	return costs.Zero()
}
func (c chain) AppendArcs(dst []fst.Arc[semiring.Cost], s int32) []fst.Arc[semiring.Cost] {
	if s < 5+c.length {
		dst = append(dst, fst.Arc[semiring.Cost]{To: s + 1, Weight: 1})
	}
	return dst
}

// Infinite machines are optimized as far as they are visited.
func TestOnDemandOfEndlessMachines(t *testing.T) {
	type machine = fst.Machine[semiring.Cost]
	doubled := fst.Map(machine(endless{}), costs, func(w semiring.Cost) semiring.Cost { return 2 * w })
	either := fst.Union(doubled, endless{}) // each string has two paths
	plain := fst.RemoveEpsilon(fst.Star(either))
	all := fst.Determinize(plain, nil)
	// Strings of n pairs cost n. There are 2ⁿ⁻¹ such strings, the compositions of n.
	costsOf := []semiring.Cost{0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4}
	seen, n := map[string]bool{}, 0
	for p, err := range graph.Search(t.Context(), all, nil) {
		if n == len(costsOf) {
			break
		}
		var in []int32
		for _, a := range p.Arcs {
			in = append(in, a.In)
		}
		if x := fsttest.String(in...); err != nil || p.Weight != costsOf[n] || seen[x] {
			t.Fatalf("string %d, %s, costs %v, want %v, and came before: %t, %v", n, x, p.Weight, costsOf[n], seen[x], err)
		} else {
			seen[x] = true
		}
		n++
	}
	if n < len(costsOf) || fst.Err(all) != nil {
		t.Errorf("%d strings: %v", n, fst.Err(all))
	}
}

// Operations on parameters commute with assigning values to them.
func TestOptimizeExpressions(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		space := expr.New()
		n := int32(0)
		shape := acceptors(r)
		f := acceptor(r, space, shape, func() expr.W { n++; return space.Param(n - 1) })
		theta := make([]semiring.ScaledFloat, n)
		for i := range theta {
			theta[i] = semiring.NewScaled(.02 + .06*r.Float64())
		}
		noEps := must(fst.Expand(fst.RemoveEpsilon(f), nil))(t)
		pushed := must(fst.PushWeights(f, fst.TowardInitial, nil))(t)
		results := map[string]*fst.FST[expr.W]{"ε-removal": noEps, "pushing": pushed}
		if shape.Acyclic {
			results["determinization"] = must(fst.Expand(fst.Determinize(f, nil), nil))(t)
			results["minimization"] = must(fst.Minimize(results["determinization"], nil))(t)
		}
		values := must(space.Evaluate(nil, theta))(t)
		value := func(f *fst.FST[expr.W]) *fst.FST[float64] {
			return fsttest.Frozen(fst.Map(f, reals, func(w expr.W) float64 { return values[w].Float64() }))
		}
		for what, g := range results {
			sameWeights(t, seed, what, value(g), value(f))
		}
	}
}

// Optimize keeps the relation; acyclic acceptors become minimal.
func TestOptimize(t *testing.T) {
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		real := acceptor(r, reals, shape, func() float64 { return .05 * float64(1+r.IntN(3)) })
		got := must(fst.Optimize(real, small))(t)
		sameWeights(t, seed, "real", got, real)
		if shape.Acyclic {
			deterministic(t, seed, got)
			if n := moore(t, got); got.NumStates() != n && got.NumStates() > 0 {
				t.Fatalf("seed %d: %d states, want %d", seed, got.NumStates(), n)
			}
		}
		cost := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(3)) })
		small := must(fst.Optimize(cost, small))(t)
		noEpsilon(t, seed, small)
		sameWeights(t, seed, "tropical", small, cost)
	}
	if _, err := fst.Optimize(fst.FromString(bags, []int32{1}), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without division: %v", err)
	}
}
