package rx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/fst/rx"
)

// tree is an expression that the oracles can look into.
type tree struct {
	op     string
	kids   []*tree
	name   string   // symbol, definition or group
	set    string   // members of a class
	coin   string   // of a probability; "" for a number
	number float64  // a probability or a weight
	lo, hi int      // of a repetition
	labels []string // of the alternatives of a choice

	direction   rewrite.Direction // of rules, whose kids are in threes
	application rewrite.Application
	match       rewrite.Match
	tossed      bool // a coin decides whether rules are applied

	known map[[2]string]float64 // weights of pairs of strings
	rest  *tree                 // a concatenation without its first part
}

// expr returns t as an expression.
func (t *tree) expr() rx.Expr {
	var es []rx.Expr
	for _, k := range t.kids {
		es = append(es, k.expr())
	}
	p := rx.Number(t.number)
	if t.coin != "" {
		p = rx.Coin(t.coin)
	}
	switch t.op {
	case "symbol":
		return rx.Symbol(t.name)
	case "class":
		var spans []rx.Span
		for _, r := range t.set {
			spans = append(spans, rx.One(string(r)))
		}
		return rx.OneOf(spans...)
	case "weight":
		return rx.Weight(p)
	case "concat":
		return rx.Concat(es...)
	case "union":
		return rx.Union(es[0], es[1:]...)
	case "probUnion":
		return rx.ProbUnion(p, es[0], es[1])
	case "probStar":
		return rx.ProbStar(p, es[0])
	case "choice":
		var as []rx.Alternative
		for i, e := range es {
			as = append(as, rx.Alternative{Name: t.labels[i], Expr: e})
		}
		return rx.Choice(t.name, as...)
	case "repeat":
		return rx.Repeat(es[0], t.lo, t.hi)
	case "cross":
		return rx.Cross(es[0], es[1])
	case "compose":
		return rx.Compose(es[0], es[1:]...)
	case "ref":
		return rx.Ref(t.name)
	case "inv":
		return rx.Invert(es[0])
	case "in":
		return rx.ProjectIn(es[0])
	case "out":
		return rx.ProjectOut(es[0])
	case "rev":
		return rx.Reverse(es[0])
	case "intersect":
		return rx.Intersect(es[0], es[1:]...)
	case "subtract":
		return rx.Subtract(es[0], es[1])
	case "complement":
		return rx.Complement(es[0])
	case "edge":
		return rx.Edge()
	case "rules":
		var rules []rx.Rule
		for r := range slices.Chunk(es, 3) {
			rules = append(rules, rx.Rule{Change: r[0], Left: r[1], Right: r[2]})
		}
		m := rx.RewriteOptions{Direction: t.direction, Application: t.application, Match: t.match}
		if t.tossed {
			m.Coin = &p
		}
		return rx.Rewrite(m, rules...)
	}
	panic(t.op)
}

// grower makes random trees over the alphabet a b.
type grower struct {
	rng *rand.Rand
	// composes allows compositions and projections, which not every ring or oracle
	// can follow; their operands are finite.
	composes bool
	// sets allows intersections, differences and, where there may be infinitely many
	// strings, complements.
	sets bool
	// rules allows rewrite rules where there may be infinitely many strings.
	rules bool
	// numbers are allowed as probabilities and weights, beside coins.
	numbers bool
	names   int  // of definitions made so far
	wide    bool // there is a repetition of many times
	// refer, if not nil, returns a reference to something of at most this depth.
	refer func(depth int, acceptor, finite bool) *tree
	// bounded reports whether t can be repeated any number of times.
	bounded func(t *tree) bool
}

func (g *grower) letter() string { return string("ab"[g.rng.IntN(2)]) }

// toss gives t a probability.
func (g *grower) toss(t *tree) *tree {
	if g.numbers && g.rng.IntN(2) == 0 {
		t.number = float64(g.rng.IntN(5)) / 4
		return t
	}
	t.coin = fmt.Sprintf("λ%d", g.rng.IntN(3))
	return t
}

// grow returns a tree of at most the given depth; acceptor and finite are required properties of
// it.
func (g *grower) grow(depth int, acceptor, finite bool) *tree {
	kid := func() *tree { return g.grow(depth-1, acceptor, finite) }
	kids := func(n int) (ts []*tree) {
		for range n {
			ts = append(ts, kid())
		}
		return ts
	}
	if depth == 0 || g.rng.IntN(10) == 0 {
		return g.leaf(acceptor)
	}
	if g.sets && acceptor && g.rng.IntN(3) == 0 {
		if !finite && g.rng.IntN(2) == 0 {
			return &tree{op: "complement", kids: kids(1)}
		}
		return &tree{op: []string{"intersect", "subtract"}[g.rng.IntN(2)], kids: kids(2)}
	}
	if g.rules && !acceptor && !finite && g.rng.IntN(6) == 0 {
		return g.rewriting()
	}
	switch n := g.rng.IntN(14); n {
	case 0, 1:
		return &tree{op: "concat", kids: kids(2 + g.rng.IntN(2))}
	case 2:
		return &tree{op: "union", kids: kids(2 + g.rng.IntN(2))}
	case 3:
		return g.toss(&tree{op: "probUnion", kids: kids(2)})
	case 4, 5:
		if finite {
			break
		}
		if t := g.toss(&tree{op: "probStar", kids: kids(1)}); g.bounded(t) {
			return t
		}
	case 6:
		t := &tree{op: "choice", name: "δ", labels: []string{"x", "y"}, kids: kids(2)}
		if g.rng.IntN(2) == 0 {
			t.labels = []string{"y", "x"}
		}
		return t
	case 7:
		if depth == 1 && !g.wide { // many final states
			g.wide = true
			return &tree{op: "repeat", hi: 6, kids: []*tree{{op: "symbol", name: g.letter()}}}
		}
		return &tree{op: "repeat", lo: g.rng.IntN(2), hi: 1 + g.rng.IntN(2), kids: kids(1)}
	case 8:
		if finite {
			break
		}
		again := &tree{op: "concat", kids: []*tree{g.toss(&tree{op: "weight"}), kid()}}
		if t := (&tree{op: "repeat", lo: g.rng.IntN(3), hi: rx.Unlimited, kids: []*tree{again}}); g.bounded(t) {
			return t
		}
	case 9:
		if acceptor {
			break
		}
		return &tree{op: "cross", kids: []*tree{g.grow(depth-1, true, finite), g.grow(depth-1, true, finite)}}
	case 10:
		return &tree{op: []string{"inv", "rev"}[g.rng.IntN(2)], kids: kids(1)}
	case 11:
		if g.refer != nil {
			return g.refer(depth-1, acceptor, finite)
		}
	case 12, 13:
		if !g.composes || depth > 3 {
			break
		}
		if n == 12 {
			return &tree{op: []string{"in", "out"}[g.rng.IntN(2)], kids: []*tree{g.grow(1, false, true)}}
		}
		return &tree{op: "compose", kids: []*tree{g.grow(1, acceptor, true), g.grow(1, acceptor, true)}}
	}
	return g.leaf(acceptor)
}

// rewriting returns one rule or two.
func (g *grower) rewriting() *tree {
	t := &tree{op: "rules", direction: rewrite.Direction(g.rng.IntN(3)), application: rewrite.Application(g.rng.IntN(2)), match: rewrite.Match(g.rng.IntN(3))}
	if t.application == rewrite.Optional && g.rng.IntN(2) == 0 {
		t.tossed = true
		g.toss(t)
	}
	context := func(atEdge func(kids ...*tree) []*tree) *tree {
		switch k := g.grow(1, true, false); g.rng.IntN(5) {
		case 0:
			return &tree{op: "concat", kids: atEdge(k, &tree{op: "edge"})}
		case 1, 2:
			return &tree{op: "concat"}
		default:
			return k
		}
	}
	for range 1 + g.rng.IntN(2) {
		left := context(func(kids ...*tree) []*tree { slices.Reverse(kids); return kids })
		right := context(func(kids ...*tree) []*tree { return kids })
		t.kids = append(t.kids, g.grow(1, false, true), left, right)
	}
	return t
}

func (g *grower) leaf(acceptor bool) *tree {
	switch g.rng.IntN(8) {
	case 0:
		return &tree{op: "concat"}
	case 1:
		return &tree{op: "class", set: []string{"a", "ab"}[g.rng.IntN(2)]}
	case 2:
		return g.toss(&tree{op: "weight"})
	case 3, 4, 5:
		if acceptor {
			break
		}
		t := &tree{op: "cross"}
		for range 2 {
			text := &tree{op: "concat"}
			for range g.rng.IntN(3) {
				text.kids = append(text.kids, &tree{op: "symbol", name: g.letter()})
			}
			t.kids = append(t.kids, text)
		}
		return t
	}
	return &tree{op: "symbol", name: g.letter()}
}
