package fst_test

import (
	"errors"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
)

// identities are equations between operations that hold for any three machines with sums.
var identities = []struct {
	name        string
	left, right func(o algebra, a, b, c realMachine) realMachine
	acceptors   bool // the equation only holds for acceptors
}{
	{"composition is associative",
		func(o algebra, a, b, c realMachine) realMachine { return o.compose(o.compose(a, b), c) },
		func(o algebra, a, b, c realMachine) realMachine { return o.compose(a, o.compose(b, c)) }, false},
	{"composition distributes over union, from the right",
		func(o algebra, a, b, c realMachine) realMachine { return o.compose(o.union(a, b), c) },
		func(o algebra, a, b, c realMachine) realMachine { return o.union(o.compose(a, c), o.compose(b, c)) }, false},
	{"composition distributes over union, from the left",
		func(o algebra, a, b, c realMachine) realMachine { return o.compose(a, o.union(b, c)) },
		func(o algebra, a, b, c realMachine) realMachine { return o.union(o.compose(a, b), o.compose(a, c)) }, false},
	{"an inverted composition",
		func(o algebra, a, b, c realMachine) realMachine { return fsttest.Frozen(fst.Invert(o.compose(a, b))) },
		func(o algebra, a, b, c realMachine) realMachine {
			return o.compose(fsttest.Frozen(fst.Invert(b)), fsttest.Frozen(fst.Invert(a)))
		}, false},
	{"a reversed composition",
		func(o algebra, a, b, c realMachine) realMachine { return o.reverse(o.compose(a, b)) },
		func(o algebra, a, b, c realMachine) realMachine { return o.compose(o.reverse(a), o.reverse(b)) }, false},
	{"a reversed concatenation",
		func(o algebra, a, b, c realMachine) realMachine { return o.reverse(o.concat(a, b)) },
		func(o algebra, a, b, c realMachine) realMachine { return o.concat(o.reverse(b), o.reverse(a)) }, false},
	{"reverse of reverse",
		func(o algebra, a, b, c realMachine) realMachine { return o.reverse(o.reverse(a)) },
		func(o algebra, a, b, c realMachine) realMachine { return a }, false},
	{"a reversed closure",
		func(o algebra, a, b, c realMachine) realMachine { return o.reverse(o.star(a)) },
		func(o algebra, a, b, c realMachine) realMachine { return o.star(o.reverse(a)) }, false},
	{"a closure unrolled",
		func(o algebra, a, b, c realMachine) realMachine { return o.star(a) },
		func(o algebra, a, b, c realMachine) realMachine { return o.optional(o.concat(a, o.star(a))) }, false},
	{"plus",
		func(o algebra, a, b, c realMachine) realMachine { return o.plus(a) },
		func(o algebra, a, b, c realMachine) realMachine { return o.concat(o.star(a), a) }, false},
	{"concatenation distributes over union",
		func(o algebra, a, b, c realMachine) realMachine { return o.concat(a, o.union(b, c)) },
		func(o algebra, a, b, c realMachine) realMachine { return o.union(o.concat(a, b), o.concat(a, c)) }, false},
	{"the closure of a union",
		func(o algebra, a, b, c realMachine) realMachine { return o.star(o.union(a, b)) },
		func(o algebra, a, b, c realMachine) realMachine {
			return o.concat(o.star(a), o.star(o.concat(b, o.star(a))))
		}, false},
	{"projections of the inverse",
		func(o algebra, a, b, c realMachine) realMachine {
			return fsttest.Frozen(fst.ProjectOut(fst.Invert(a)))
		},
		func(o algebra, a, b, c realMachine) realMachine { return fsttest.Frozen(fst.ProjectIn(a)) }, false},
	{"a composition with all strings",
		func(o algebra, a, b, c realMachine) realMachine { return o.compose(a, o.all()) },
		func(o algebra, a, b, c realMachine) realMachine { return a }, false},
	{"intersection commutes",
		func(o algebra, a, b, c realMachine) realMachine { return o.intersect(a, b) },
		func(o algebra, a, b, c realMachine) realMachine { return o.intersect(b, a) }, true},
	{"a difference is an intersection with a complement",
		func(o algebra, a, b, c realMachine) realMachine { return o.subtract(a, b) },
		func(o algebra, a, b, c realMachine) realMachine { return o.intersect(a, o.complement(b)) }, true},
	{"De Morgan, of a union",
		func(o algebra, a, b, c realMachine) realMachine { return o.complement(o.union(a, b)) },
		func(o algebra, a, b, c realMachine) realMachine { return o.intersect(o.complement(a), o.complement(b)) }, true},
	{"De Morgan, of an intersection",
		func(o algebra, a, b, c realMachine) realMachine { return o.complement(o.intersect(a, b)) },
		func(o algebra, a, b, c realMachine) realMachine {
			return o.complement(o.complement(o.union(o.complement(a), o.complement(b))))
		}, true},
	{"the parts of a difference",
		func(o algebra, a, b, c realMachine) realMachine { return a },
		func(o algebra, a, b, c realMachine) realMachine {
			return o.union(o.subtract(a, b), o.intersect(a, o.complement(o.complement(b))))
		}, true},
	{"encoded and decoded",
		func(o algebra, a, b, c realMachine) realMachine {
			codec := must(fst.NewCodec(reals, fst.Labels|fst.Weights))(o.t)
			f := must(fst.Expand(fst.Determinize(must(codec.Encode(a, nil))(o.t), nil), nil))(o.t)
			return must(codec.Decode(f, nil))(o.t)
		},
		func(o algebra, a, b, c realMachine) realMachine { return a }, false},
	{"ε-removal", func(o algebra, a, b, c realMachine) realMachine {
		return must(fst.Expand(fst.RemoveEpsilon(a), nil))(o.t)
	},
		func(o algebra, a, b, c realMachine) realMachine { return a }, false},
	{"weights toward the beginning", func(o algebra, a, b, c realMachine) realMachine {
		return must(fst.PushWeights(a, fst.TowardInitial, nil))(o.t)
	},
		func(o algebra, a, b, c realMachine) realMachine { return a }, false},
	{"weights toward the end", func(o algebra, a, b, c realMachine) realMachine {
		return must(fst.PushWeights(a, fst.TowardFinal, nil))(o.t)
	},
		func(o algebra, a, b, c realMachine) realMachine { return a }, false},
	{"optimization", func(o algebra, a, b, c realMachine) realMachine { return must(fst.Optimize(a, nil))(o.t) },
		func(o algebra, a, b, c realMachine) realMachine { return a }, false},
	{"determinization and minimization, if they end",
		func(o algebra, a, b, c realMachine) realMachine {
			f, err := fst.Expand(fst.Determinize(fst.RemoveEpsilon(a), small), nil)
			if err != nil {
				return a
			}
			return must(fst.Minimize(f, nil))(o.t)
		},
		func(o algebra, a, b, c realMachine) realMachine { return a }, true},
}

type realMachine = *fst.FST[float64]

// algebra makes frozen machines, and fails the test on errors.
type algebra struct{ t *testing.T }

func (o algebra) compose(a, b realMachine) realMachine {
	return must(fst.Expand(fst.Compose(a, b), nil))(o.t)
}
func (o algebra) intersect(a, b realMachine) realMachine {
	return must(fst.Expand(fst.Intersect(a, b), nil))(o.t)
}
func (o algebra) subtract(a, b realMachine) realMachine {
	return must(fst.Expand(fst.Difference(a, b, nil), nil))(o.t)
}
func (o algebra) union(a, b realMachine) realMachine {
	return must(fst.Expand(fst.Union(a, b), nil))(o.t)
}
func (o algebra) concat(a, b realMachine) realMachine {
	return must(fst.Expand(fst.Concat(a, b), nil))(o.t)
}
func (o algebra) star(a realMachine) realMachine { return must(fst.Expand(fst.Star(a), nil))(o.t) }
func (o algebra) plus(a realMachine) realMachine { return must(fst.Expand(fst.Plus(a), nil))(o.t) }
func (o algebra) optional(a realMachine) realMachine {
	return must(fst.Expand(fst.Optional(a), nil))(o.t)
}
func (o algebra) reverse(a realMachine) realMachine { return must(fst.Reverse(a, nil))(o.t) }
func (o algebra) complement(a realMachine) realMachine {
	return must(fst.Expand(fst.Complement(a, []int32{1, 2}, nil), nil))(o.t)
}
func (o algebra) all() realMachine {
	return must(rx.NewCompiler(reals, fst.NewSymbols("a", "b")).Compile(rx.MustParse(".*")))(o.t).WithSymbols(nil, nil)
}

// The identities of the algebra, compared for each pair of strings, on cyclic machines with
// ε-cycles in a ring that is not idempotent.
func TestIdentities(t *testing.T) {
	for seed := range trials.Seeds(12) {
		r := fsttest.Rand(seed)
		shape := func() fsttest.Shape {
			return fsttest.Shape{States: 3, Arcs: 5, Labels: 2, Epsilon: .4, Plain: r.IntN(3) > 0}
		}
		// The weights are so small that all cycles, also in compositions, have sums.
		draw := func() float64 { return .02 + .06*r.Float64() }
		a, b, c := weighted(r, reals, shape(), draw), weighted(r, reals, shape(), draw), weighted(r, reals, shape(), draw)
		o := algebra{t}
		// The closure of a machine with weight One for the empty pair has no sum.
		scaled := func(f realMachine) realMachine {
			starts := f.AppendStarts(nil)
			for i := range starts {
				starts[i].Weight *= .1
			}
			return must(f.WithWeights(f.Graph().Weights(), starts, f.Graph().Finals()))(t)
		}
		a, b, c = scaled(a), scaled(b), scaled(c)
		for _, x := range identities {
			u, v, w := a, b, c
			if x.acceptors {
				u, v, w = fsttest.Frozen(fst.ProjectIn(a)), fsttest.Frozen(fst.ProjectOut(b)), fsttest.Frozen(fst.ProjectIn(c))
			}
			relative(t, seed, x.name, x.left(o, u, v, w), x.right(o, u, v, w))
		}
	}
}

// relative fails the test if the weights of a pair of strings in two machines differ by more
// than 1e-9 relative to their size.
func relative(t *testing.T, seed uint64, what string, got, want realMachine) {
	t.Helper()
	dist := func(a, b float64) float64 {
		if a == b {
			return 0
		}
		return max(a-b, b-a) / max(a, b, -a, -b)
	}
	if d := fsttest.DiffWeights(got, want, 2, 3, dist, 1e-9); d != "" {
		t.Fatalf("seed %d, %s: %s\n%s\n%s", seed, what, d, got, want)
	}
}

// Machines with different symbol tables cannot be combined by any operation.
func TestSymbolMismatch(t *testing.T) {
	word := func(names ...string) realMachine {
		return fst.FromString(reals, []int32{1, 2}).WithSymbols(fst.NewSymbols(names...), fst.NewSymbols(names...))
	}
	a, b := word("a", "b"), word("b", "a")
	compiler := rx.NewCompiler(reals, fst.NewSymbols("a", "b"))
	lazy := fst.Match(a, fst.Matching{Rest: 9})
	for name, err := range map[string]error{
		"lazy difference": fst.Err(fst.Difference(lazy, b, nil)),
		"union":           fst.Err(fst.Union(a, b)),
		"concat":          fst.Err(fst.Concat(a, b)),
		"compose":         fst.Err(fst.Compose(a, b)),
		"intersect":       fst.Err(fst.Intersect(a, b)),
		"difference":      fst.Err(fst.Difference(a, b, nil)),
		"replace":         fst.Err(fst.Replace(a, map[int32]fst.Machine[float64]{1: b}, nil)),
		"rewrite":         second(rewrite.Compile([]rewrite.Rule[float64]{{Change: a, Left: b}}, &rewrite.Options[float64]{Alphabet: []int32{1, 2}})),
		"grammar":         second(cfg.New(5, map[int32]fst.Machine[float64]{5: a, 6: b})),
		"rx":              compiler.DefineMachine("b", b),
	} {
		if !errors.Is(err, fst.ErrMismatch) {
			t.Errorf("%s: error %v, want %v", name, err, fst.ErrMismatch)
		}
	}
	same := word("a", "b")
	for name, err := range map[string]error{
		"union": fst.Err(fst.Union(a, same)), "compose": fst.Err(fst.Compose(a, same)),
		"difference": fst.Err(fst.Difference(a, same, nil)), "rx": compiler.DefineMachine("same", same),
	} {
		if err != nil {
			t.Errorf("%s of equal tables: %v", name, err)
		}
	}
	if err := fst.Err(fst.Compose(a, same.WithSymbols(same.InSymbols(), fst.NewSymbols("x", "y")))); err != nil {
		t.Errorf("tables that do not meet: %v", err)
	}
}

// Machines can be composed if one table contains all names of the other, and the result is the
// same as with one table for both. Other tables do not fit, in either order.
func TestSymbolsFit(t *testing.T) {
	all := fst.RuneSymbols("a-z")
	changed := fst.RuneSymbols("ab") // the same names as in all, except one
	if err := changed.Set("c", 'd'); err != nil {
		t.Fatal(err)
	}
	ε := fst.NewSymbols()
	for _, test := range []struct {
		what        string
		left, right *fst.Symbols
		fits        bool
	}{
		{"equal", all, fst.RuneSymbols("a-z"), true},
		{"fewer", fst.RuneSymbols("abc"), all, true},
		{"none", nil, all, true},
		{"each has others", fst.RuneSymbols("a-n"), fst.RuneSymbols("b-z"), false},
		{"nothing in common", fst.RuneSymbols("ab"), fst.RuneSymbols("cd"), false},
		{"one label with two names", fst.NewSymbols("a"), fst.NewSymbols("b", "c"), false},
		{"one name with two labels", changed, all, false},
		{"no name but ε", ε, all, false},
		{"two without names", ε, fst.NewSymbols(), true},
		{"no name at all", new(fst.Symbols), all, false},
	} {
		for _, pair := range [2][2]*fst.Symbols{{test.left, test.right}, {test.right, test.left}} {
			r, letter := fsttest.Rand(7), 0
			a, b := fsttest.New(r, bags, shapes(r), &letter), fsttest.New(r, bags, shapes(r), &letter)
			c := fst.Compose(a.WithSymbols(nil, pair[0]), b.WithSymbols(pair[1], nil))
			err := fst.Err(c)
			if !test.fits {
				if !errors.Is(err, fst.ErrMismatch) {
					t.Errorf("%s: error %v, want %v", test.what, err, fst.ErrMismatch)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", test.what, err)
				continue
			}
			if d := fsttest.Diff(fsttest.RelationOf(c), fsttest.Join(bags, fsttest.RelationOf(a), fsttest.RelationOf(b))); d != "" {
				t.Errorf("%s: %s", test.what, d)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }
