package rx_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// closed adds closures to a ring of traces.
type closed struct {
	semiring.Semiring[fsttest.Series]
	semiring.Reverser[fsttest.Series]
	commutative semiring.Laws
}

func (c closed) Laws() semiring.Laws { return c.commutative }

func (c closed) Star(w fsttest.Series) (fsttest.Series, bool) {
	if w[""] != 0 {
		return nil, false
	}
	sum := c.One()
	for power := w; !c.IsZero(power); power = c.Times(power, w) {
		sum = c.Plus(sum, power)
	}
	return sum, true
}

// keyed can compare weights, which makes machines smaller.
type keyed struct{ closed }

func (keyed) AppendKey(dst []byte, w fsttest.Series, _ float64) []byte {
	for _, trace := range slices.Sorted(maps.Keys(w)) {
		dst = fmt.Appendf(dst, "%d %q ", w[trace], trace)
	}
	return dst
}

// turned reads bags, which have no order, backwards.
type turned struct{}

func (turned) Reverse(w fsttest.Series) fsttest.Series { return w }

// letters gives every side of every coin and every alternative its own letter.
func letters(name string) []fsttest.Series {
	first := map[string]int{"λ0": 0, "λ1": 2, "λ2": 4, "δ": 6}[name]
	return []fsttest.Series{fsttest.Letter(first), fsttest.Letter(first + 1)}
}

// algebra is the oracle that follows the definitions: it computes relations.
type algebra struct {
	ring     closed
	over     semiring.Semiring[fsttest.Series] // of the machines: ring, keyed or not
	machines map[string]fsttest.Relation
}

func (o *algebra) relation(t *tree) fsttest.Relation {
	ring := o.ring
	var rs []fsttest.Relation
	scaled := func(w fsttest.Series, r fsttest.Relation) fsttest.Relation {
		return fsttest.Product(ring, fsttest.Relation{{}: w}, r)
	}
	var p []fsttest.Series
	if t.coin != "" {
		p = letters(t.coin)
	}
	if t.op == "choice" {
		p = letters(t.name)
	}
	for _, k := range t.kids {
		rs = append(rs, o.relation(k))
	}
	mapped := func(pair func(p fsttest.Pair) fsttest.Pair) fsttest.Relation {
		r := fsttest.Relation{}
		for p, w := range rs[0] {
			r.Add(pair(p), w)
		}
		return r
	}
	switch t.op {
	case "symbol":
		return fsttest.Relation{{In: t.name, Out: t.name}: ring.One()}
	case "class":
		r := fsttest.Relation{}
		for _, c := range t.set {
			r.Add(fsttest.Pair{In: string(c), Out: string(c)}, ring.One())
		}
		return r
	case "weight":
		return fsttest.Relation{{}: p[0]}
	case "concat":
		r := fsttest.Unit(ring)
		for _, x := range rs {
			r = fsttest.Product(ring, r, x)
		}
		return r
	case "union":
		r := fsttest.Relation{}
		for _, x := range rs {
			r = fsttest.Sum(r, x)
		}
		return r
	case "probUnion":
		return fsttest.Sum(scaled(p[0], rs[0]), scaled(p[1], rs[1]))
	case "choice":
		if t.labels[0] == "y" {
			p = []fsttest.Series{p[1], p[0]}
		}
		return fsttest.Sum(scaled(p[0], rs[0]), scaled(p[1], rs[1]))
	case "probStar":
		return fsttest.Product(ring, o.powers(scaled(p[0], rs[0]), 0, rx.Unlimited), fsttest.Relation{{}: p[1]})
	case "repeat":
		return o.powers(rs[0], t.lo, t.hi)
	case "cross":
		r := fsttest.Relation{}
		for x, u := range rs[0] {
			for y, v := range rs[1] {
				r.Add(fsttest.Pair{In: x.In, Out: y.In}, ring.Times(u, v))
			}
		}
		return r
	case "compose":
		return fsttest.Join(ring, rs[0], rs[1])
	case "ref":
		if r, ok := o.machines[t.name]; ok {
			return r
		}
		return rs[0]
	case "inv":
		return mapped(func(p fsttest.Pair) fsttest.Pair { return fsttest.Pair{In: p.Out, Out: p.In} })
	case "in":
		return mapped(func(p fsttest.Pair) fsttest.Pair { return fsttest.Pair{In: p.In, Out: p.In} })
	case "out":
		return mapped(func(p fsttest.Pair) fsttest.Pair { return fsttest.Pair{In: p.Out, Out: p.Out} })
	case "rev":
		return fsttest.Reversed(ring, rs[0])
	}
	panic(t.op)
}

// powers returns the sum of the powers of r from lo to hi.
func (o *algebra) powers(r fsttest.Relation, lo, hi int) fsttest.Relation {
	sum, power := fsttest.Relation{}, fsttest.Unit(o.ring)
	for n := 0; len(power) > 0 && (n <= hi || hi == rx.Unlimited); n++ {
		if n >= lo {
			sum = fsttest.Sum(sum, power)
		}
		power = fsttest.Product(o.ring, power, r)
	}
	return sum
}

// refer defines something and returns a reference to it.
func refer(t *testing.T, g *grower, c *rx.Compiler[fsttest.Series], o *algebra, depth int, acceptor, finite bool) *tree {
	g.names++
	name := fmt.Sprintf("d%d", g.names)
	r := &tree{op: "ref", name: name}
	define := func(f *fst.FST[fsttest.Series]) *tree {
		o.machines[name] = fsttest.RelationOf(f)
		if err := c.DefineMachine(name, f); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if !acceptor && !finite && g.rng.IntN(2) == 0 {
		shape := fsttest.Shape{States: 3, Arcs: 4, Labels: 2, Epsilon: .4, Plain: g.rng.IntN(2) == 0}
		return define(fsttest.New(g.rng, o.over, shape, new(int)))
	}
	k := g.grow(depth, acceptor, finite)
	if g.rng.IntN(2) == 0 {
		return define(must(c.Compile(k.expr()))(t))
	}
	r.kids = []*tree{k}
	if err := c.Define(name, k.expr()); err != nil {
		t.Fatal(err)
	}
	return r
}

// Every path occurs once, with its weights in order, also over a ring that is not commutative and
// with closures of ε.
func TestRelations(t *testing.T) {
	const longest = 3 // trace
	traces := closed{fsttest.Traces{Max: longest}, fsttest.Traces{Max: longest}, 0}
	bags := closed{fsttest.Bags{Max: longest}, turned{}, semiring.Commutative}
	for seed := range trials.Seeds(1500) {
		ring, g := traces, &grower{rng: fsttest.Rand(seed), bounded: func(*tree) bool { return true }}
		if seed%2 == 1 {
			ring, g.composes = bags, true
		}
		oracle := &algebra{ring, ring, map[string]fsttest.Relation{}}
		if seed%4 >= 2 {
			oracle.over = keyed{ring}
		}
		c := rx.NewCompiler(oracle.over, fst.NewSymbols("a", "b"))
		c.Groups = rx.Weights(func(name string, _ []string) []fsttest.Series { return letters(name) })
		must(c.Compile(rx.MustParse("{δ: x = () | y = ()}")))(t) // the order of its alternatives
		g.refer = func(depth int, acceptor, finite bool) *tree { return refer(t, g, c, oracle, depth, acceptor, finite) }
		tree := g.grow(3, false, false)
		e := tree.expr()
		want := oracle.relation(tree)

		f, err := c.Compile(e)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, e, err)
		}
		if diff := fsttest.Diff(fsttest.RelationOf(f), want); diff != "" {
			t.Fatalf("seed %d: %s: %s", seed, e, diff)
		}
		if again, err := rx.Parse(e.String()); err != nil || !again.Equal(e) {
			t.Fatalf("seed %d: %s was read as %s (%v)", seed, e, again, err)
		}
	}
}
