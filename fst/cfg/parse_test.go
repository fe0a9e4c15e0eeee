package cfg_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// looseRules returns random rules, including unary, empty and recursive ones. The weights of rules
// that may lead to infinitely many derivations are small.
func looseRules(r *rand.Rand) []cfg.Rule[float64] {
	rules := []cfg.Rule[float64]{{Left: start, Right: []int32{1 + r.Int32N(2)}, Weight: r.Float64()}}
	for _, left := range []int32{start, start + 1} {
		rules = append(rules, cfg.Rule[float64]{Left: left, Right: []int32{1 + r.Int32N(2)}, Weight: r.Float64()})
		for range 1 + r.IntN(4) {
			rule := cfg.Rule[float64]{Left: left, Weight: r.Float64()}
			for range r.IntN(4) {
				x := []int32{1, 2, start, start + 1}[r.IntN(4)]
				if rule.Right = append(rule.Right, x); x >= start {
					rule.Weight *= .15
				}
			}
			rules = append(rules, rule)
		}
	}
	return rules
}

// looseLattice returns a machine of three states with parallel arcs, arcs without labels, and
// arcs that lead back, of little weight.
func looseLattice(r *rand.Rand) *fst.FST[float64] {
	b := fst.NewBuilder(semiring.Real{})
	b.AddStates(3)
	b.AddStart(0, r.Float64())
	b.AddStart(r.Int32N(3), r.Float64())
	b.SetFinal(2, r.Float64())
	b.SetFinal(r.Int32N(3), r.Float64())
	for range 4 + r.IntN(5) {
		from, to, w := r.Int32N(3), r.Int32N(3), r.Float64()
		if to <= from {
			w *= 1e-6
		}
		b.AddArc(from, fst.Arc[float64]{In: r.Int32N(3), Out: 7, To: to, Weight: w})
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return f
}

// latticeWeights returns the weights of the strings of a lattice, without strings of negligible
// weight.
func latticeWeights(f *fst.FST[float64], length int) map[string]float64 {
	weights := map[string]float64{}
	var walk func(s int32, sofar string, w float64)
	walk = func(s int32, sofar string, w float64) {
		if w < 1e-16 || len(sofar) > length {
			return
		}
		weights[sofar] += w * f.Final(s)
		for _, a := range f.AppendArcs(nil, s) {
			next := sofar
			if a.In != 0 {
				next += string(rune('a' + a.In - 1))
			}
			walk(a.To, next, w*a.Weight)
		}
	}
	for _, s := range f.AppendStarts(nil) {
		walk(s.State, "", s.Weight)
	}
	return weights
}

// The sum over all parses equals the sum over strings of the product of both weights; the words of
// a tree are the string that it derives.
func TestParse(t *testing.T) {
	const length = 6
	cyclic, some := 0, 0
	n := trials.Serial[uint64](25)
	for seed := range trials.Seeds(n) {
		r := rand.New(rand.NewPCG(seed, 5))
		rules := looseRules(r)
		g, err := cfg.FromRules(semiring.Real{}, start, terminals, rules)
		if err != nil {
			continue // a nonterminal without rules
		}
		lattice := looseLattice(r)
		derived := newBrute(semiring.Real{}, length, rules).weights(start, 30)
		want := 0.0
		for s, w := range latticeWeights(lattice, length) {
			want += w * derived[s]
		}
		p, err := g.Parse(lattice, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := forest.TreeSum(p.Forest)
		if errors.Is(err, semiring.ErrDiverges) {
			continue
		}
		if err != nil || math.Abs(got-want) > 1e-10*(want+1e-3) {
			t.Fatalf("seed %d: parses weigh %v, %v, want %v\n%v", seed, got, err, want, rules)
		}
		if p.Forest.Cyclic() {
			cyclic++
		}
		if got == 0 {
			continue
		}
		some++
		sampler, err := forest.NewSampler(p.Forest)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		tree := sampler.Sample(rand.NewPCG(seed, 6))
		words := p.Words(tree.Edges)
		var leaves []int32
		var visit func(n *cfg.Node)
		visit = func(n *cfg.Node) {
			if n.Terminal {
				leaves = append(leaves, n.Label)
			}
			var right []int32
			for _, c := range n.Children {
				right = append(right, c.Label)
				visit(c)
			}
			if !n.Terminal && !slices.ContainsFunc(rules, func(r cfg.Rule[float64]) bool { return r.Left == n.Label && slices.Equal(r.Right, right) }) {
				t.Fatalf("seed %d: %d → %v is no rule", seed, n.Label, right)
			}
		}
		visit(p.Tree(tree.Edges))
		if !slices.Equal(leaves, words) {
			t.Fatalf("seed %d: leaves %v, words %v", seed, leaves, words)
		}
	}
	if cyclic < int(n)/4 || some < int(n)/4 {
		t.Errorf("only %d cyclic forests, and %d with a tree", cyclic, some)
	}
}

func TestParseErrors(t *testing.T) {
	ring := semiring.Real{}
	g, err := cfg.FromRules(ring, start, terminals, []cfg.Rule[float64]{{Left: start, Right: []int32{start}, Weight: 1}, {Left: start, Right: []int32{1}, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	one := fst.FromString(ring, []int32{1})
	p, err := g.Parse(one, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := forest.TreeSum(p.Forest); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want ErrDiverges", err)
	}
	if _, err := g.Parse(one, &fst.Options{Limit: 3}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want ErrLimit", err)
	}
	if p, err = g.Parse(fst.FromString(ring, []int32{2}), nil); err != nil || p.Tree(nil) != nil {
		t.Errorf("%v, %v", p, err)
	}
	if total, err := forest.TreeSum(p.Forest); err != nil || total != 0 {
		t.Errorf("total %v, %v", total, err)
	}
}

// Noisy brackets: each may have been misread with probability .1. The intended string is one that
// the grammar allows.
func ExampleGrammar_Parse() {
	const open, shut, S = 1, 2, 3
	ring := semiring.Viterbi{}
	p := semiring.NewScaled
	g, err := cfg.FromRules(ring, S, []int32{open, shut}, []cfg.Rule[semiring.ScaledFloat]{
		{Left: S, Right: []int32{open, S, shut}, Weight: p(.3)},
		{Left: S, Right: []int32{S, S}, Weight: p(.2)},
		{Left: S, Weight: p(.5)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	seen := "(()(()"
	b := fst.NewBuilder(ring)
	b.AddStates(len(seen) + 1)
	b.AddStart(0, ring.One())
	b.SetFinal(int32(len(seen)), ring.One())
	for i, c := range seen {
		for label, symbol := range map[int32]rune{open: '(', shut: ')'} {
			w := p(.1)
			if symbol == c {
				w = p(.9)
			}
			b.AddArc(int32(i), fst.Arc[semiring.ScaledFloat]{In: label, Out: label, To: int32(i + 1), Weight: w})
		}
	}
	lattice, err := b.Freeze()
	if err != nil {
		fmt.Println(err)
		return
	}
	parses, err := g.Parse(lattice, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := forest.BestTree(parses.Forest)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, label := range parses.Words(best.Edges) {
		fmt.Print(string(" ()"[label]))
	}
	fmt.Printf(" %.3g\n", best.Weight.Float64())
	// Output:
	// (()()) 7.97e-05
}
