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

// The relation with other labels, which may become ε, is the relation of the relabeled paths.
func TestRelabel(t *testing.T) {
	turn := func(label int32) int32 { return []int32{2, 0, 1}[label] }
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, traces, fsttest.Shape{States: 4, Arcs: 6, Labels: 2, Epsilon: .3, Acyclic: true}, &letters)
		f = f.WithSymbols(fst.NewSymbols("a", "b"), fst.NewSymbols("a", "b"))
		g := must(fst.Expand(fst.Relabel(f, nil, turn), nil))(t)
		if !slices.Equal(g.In(), f.In()) || g.InSymbols() != f.InSymbols() || g.OutSymbols() != nil {
			t.Fatalf("seed %d: the input tape changed, or names stayed", seed)
		}
		for e, label := range f.Out() {
			if g.Out()[e] != turn(label) {
				t.Fatalf("seed %d: label %d became %d", seed, label, g.Out()[e])
			}
		}
		there := must(fst.Expand(fst.Relabel(f, turn, turn), nil))(t)
		back := must(fst.Expand(fst.Relabel(there, func(l int32) int32 { return turn(turn(l)) }, func(l int32) int32 { return turn(turn(l)) }), nil))(t)
		if d := fsttest.Diff(fsttest.RelationOf(back), fsttest.RelationOf(f)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		if d := fsttest.Diff(fsttest.RelationOf(must(fst.Expand(fst.Relabel(g, turn, nil), nil))(t)), fsttest.RelationOf(there)); d != "" {
			t.Fatalf("seed %d: tape by tape: %s", seed, d)
		}
	}
	if _, err := fst.Expand(fst.Relabel(fst.FromString(reals, []int32{1}), nil, func(int32) int32 { return -1 }), nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a negative label: %v", err)
	}
}

// shuffled returns f with its states in random order.
func shuffled[W any](t *testing.T, r *rand.Rand, f *fst.FST[W]) *fst.FST[W] {
	position := make([]int32, f.NumStates())
	for s, p := range r.Perm(len(position)) {
		position[s] = int32(p)
	}
	return must(fst.Renumber(f, position, nil))(t)
}

func TestTopSort(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		letters := 0
		shape := shapes(r)
		f := shuffled(t, r, fsttest.New(r, traces, shape, &letters))
		g, err := fst.TopSort(f, nil)
		if errors.Is(err, fst.ErrCyclic) {
			if shape.Acyclic {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		g = must(g, err)(t)
		for s := range int32(g.NumStates()) {
			for _, a := range g.AppendArcs(nil, s) {
				if a.To <= s {
					t.Fatalf("seed %d: an arc from %d to %d", seed, s, a.To)
				}
			}
		}
		check(t, seed, "topological order", g, fsttest.RelationOf(f))
	}
	for _, position := range [][]int32{{0}, {0, 0}, {1, 2}, {-1, 0}} {
		if _, err := fst.Renumber(fst.FromString(reals, []int32{1}), position, nil); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("positions %v: %v", position, err)
		}
	}
}

// A machine is isomorphic to itself in another order, and not to a machine with another weight,
// label or state.
func TestIsomorphic(t *testing.T) {
	differ := 0
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		a := must(fst.Connect(original(r, reals, .25, .125), nil))(t)
		b := must(fst.ArcSortOut(shuffled(t, r, a), nil))(t)
		if !must(fst.Isomorphic(a, b, nil))(t) {
			t.Fatalf("seed %d: a machine is not isomorphic to itself", seed)
		}
		c, ok := altered(t, b)
		if !ok {
			continue
		}
		differ++
		d := must(fst.Expand(fst.Concat(b, fst.FromString(reals, nil)), nil))(t)
		for i, x := range []*fst.FST[float64]{c, d, fsttest.Frozen(fst.ProjectIn(must(fst.Connect(original(r, reals, .5), nil))(t)))} {
			if must(fst.Isomorphic(a, x, nil))(t) || must(fst.Isomorphic(x, a, nil))(t) {
				t.Fatalf("seed %d: a machine is isomorphic to another, %d", seed, i)
			}
		}
	}
	if differ < 50 {
		t.Errorf("%d machines were altered", differ)
	}
	if _, err := fst.Isomorphic(noTwins(t, 1, 1, false), noTwins(t, 1, 1, false), nil); !errors.Is(err, fst.ErrNondeterministic) {
		t.Errorf("two arcs of the same labels: %v", err)
	}
	two := must(fst.Expand(fst.Union(fst.FromString(reals, nil), fst.FromString(reals, nil)), nil))(t)
	if _, err := fst.Isomorphic(two, two, nil); !errors.Is(err, fst.ErrNondeterministic) {
		t.Errorf("two starts: %v", err)
	}
	plain := fst.FromString(plainReals{}, nil)
	if _, err := fst.Isomorphic(plain, plain, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without a metric: %v", err)
	}
}

var allParts = []fst.ArcParts{fst.Labels, fst.Weights, fst.Labels | fst.Weights}

// Decoding is the inverse of encoding, and encoded machines have no other labels or weights.
func TestCodec(t *testing.T) {
	ring := semiring.Semiring[series](keyed{fsttest.Traces{Max: 5}})
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, ring, shapes(r), &letters)
		for _, parts := range allParts {
			c := must(fst.NewCodec(ring, parts))(t)
			g := must(c.Encode(f, nil))(t)
			for s := range int32(g.NumStates()) {
				for _, a := range g.AppendArcs(nil, s) {
					if a.In == fst.Epsilon || parts&fst.Labels != 0 && a.In != a.Out || parts&fst.Weights != 0 && a.Weight[""] != 1 {
						t.Fatalf("seed %d: parts %b of an arc are encoded as %v", seed, parts, a)
					}
				}
				if w := g.Final(s); parts&fst.Weights != 0 && len(w) > 0 && w[""] != 1 {
					t.Fatalf("seed %d: final weight %v", seed, w)
				}
			}
			check(t, seed, "decoded", must(c.Decode(g, nil))(t), fsttest.RelationOf(f))
		}
	}
}

// Encoded transducers can be determinized and minimized even if they are not functional or
// their states are not twins. Equal arcs of two machines get equal labels.
func TestCodecDeterminize(t *testing.T) {
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		f := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(3)) })
		c := must(fst.NewCodec(costs, fst.Labels|fst.Weights))(t)
		g := must(fst.Expand(fst.Determinize(must(c.Encode(f, nil))(t), nil), nil))(t)
		g = must(fst.Minimize(g, nil))(t)
		sameWeights(t, seed, "decoded", must(c.Decode(g, nil))(t), f)
	}
	c := must(fst.NewCodec(costs, fst.Labels))(t)
	a := must(c.Encode(fst.FromPair(costs, []int32{1, 2}, []int32{3, 3}), nil))(t)
	b := must(c.Encode(fst.FromPair(costs, []int32{2, 2}, []int32{3, 4}), nil))(t)
	if a.In()[1] != b.In()[0] || a.In()[0] == b.In()[1] {
		t.Errorf("codes %v and %v", a.In(), b.In())
	}
}

func TestCodecErrors(t *testing.T) {
	if _, err := fst.NewCodec(traces, fst.Weights); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("weights without keys: %v", err)
	}
	c := must(fst.NewCodec(traces, fst.Labels))(t)
	if _, err := c.Decode(fst.FromString(traces, []int32{1}), nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a label of another codec: %v", err)
	}
	for _, do := range []func(fst.Machine[series], *fst.Options) (*fst.FST[series], error){c.Encode, c.Decode} {
		if _, err := do(fst.FromString(bags, nil), nil); !errors.Is(err, fst.ErrMismatch) {
			t.Errorf("another ring: %v", err)
		}
	}
}
