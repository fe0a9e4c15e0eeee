package forest_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// derivation is an edge, described by its items. Weights are distinct or Zero.
type derivation struct {
	Rule   string
	Head   int
	Weight float64
	Tails  []int
}

// system is a random set of rules over the items 0 … items−1: what is given, and what
// follows from an item, and from two of them that agree in left and right.
type system struct {
	items       int
	given       []derivation
	unary       [][]derivation
	left, right []int // keys by item; negative: cannot be that antecedent
	joined      map[[2]int][]derivation
}

func randomSystem(r *rand.Rand) *system {
	s := &system{items: 1 + r.IntN(7), joined: make(map[[2]int][]derivation)}
	weight := 0.
	draw := func(rule string, n int, antecedents ...int) (list []derivation) {
		for range r.IntN(n + 1) {
			weight++
			x := derivation{rule, r.IntN(s.items), weight, append([]int{}, antecedents...)}
			if r.IntN(8) == 0 {
				x.Weight = 0
			}
			for range r.IntN(3) - 1 {
				x.Tails = append(x.Tails, r.IntN(s.items))
			}
			if r.IntN(4) == 0 { // a side condition
				x.Tails = x.Tails[min(len(x.Tails), 1):]
			}
			r.Shuffle(len(x.Tails), func(i, j int) { x.Tails[i], x.Tails[j] = x.Tails[j], x.Tails[i] })
			list = append(list, x)
		}
		return list
	}
	s.given = append(draw("", 4), derivation{Head: r.IntN(s.items), Weight: .5, Tails: []int{}})
	for a := range s.items {
		s.unary = append(s.unary, draw("unary", 1, a))
		s.left = append(s.left, r.IntN(3)-1)
		s.right = append(s.right, r.IntN(3)-1)
		for b := range s.items {
			s.joined[[2]int{a, b}] = draw("join", 1, a, b)
		}
	}
	if r.IntN(2) == 0 { // acyclic
		for _, list := range append(append(s.unary, s.given), mapValues(s)...) {
			for i := range list {
				if slices.ContainsFunc(list[i].Tails, func(u int) bool { return u >= list[i].Head }) {
					list[i].Weight = 0
				}
			}
		}
	}
	return s
}

func mapValues(s *system) (lists [][]derivation) {
	for _, list := range s.joined {
		lists = append(lists, list)
	}
	return lists
}

// closure applies the rules to all items again and again until nothing changes. It
// returns the derivations and which items, and pairs, the rules were applied to.
func (s *system) closure() (all []derivation, applied map[string]bool) {
	derived := make([]bool, s.items)
	isDerived := func(v int) bool { return derived[v] }
	for {
		var lists [][]derivation
		lists = append(lists, s.given)
		applied = make(map[string]bool)
		for a := range s.items {
			if !derived[a] {
				continue
			}
			applied[fmt.Sprint(a)] = true
			lists = append(lists, s.unary[a])
			for b := range s.items {
				if derived[b] && s.left[a] >= 0 && s.left[a] == s.right[b] {
					applied[fmt.Sprint(a, b)] = true
					lists = append(lists, s.joined[[2]int{a, b}])
				}
			}
		}
		before := slices.Clone(derived)
		all = nil
		for _, x := range slices.Concat(lists...) {
			if x.Weight != 0 && !slices.ContainsFunc(x.Tails, func(u int) bool { return !isDerived(u) }) {
				all = append(all, x)
				derived[x.Head] = true
			}
		}
		if slices.Equal(before, derived) {
			return all, applied
		}
	}
}

// below returns the derivations that a goal depends on, and the items on cycles there.
func (s *system) below(all []derivation, goals []int) (useful []derivation, cyclic map[int]bool) {
	depends := make([][]bool, s.items) // transitive
	for v := range depends {
		depends[v] = make([]bool, s.items)
	}
	for range s.items {
		for _, x := range all {
			for _, u := range x.Tails {
				depends[x.Head][u] = true
				for v := range s.items {
					depends[x.Head][v] = depends[x.Head][v] || depends[u][v]
				}
			}
		}
	}
	needed := func(v int) bool {
		return slices.ContainsFunc(goals, func(g int) bool { return g == v || depends[g][v] })
	}
	cyclic = make(map[int]bool)
	for _, x := range all {
		if needed(x.Head) {
			useful = append(useful, x)
			if depends[x.Head][x.Head] {
				cyclic[x.Head] = true
			}
		}
	}
	return useful, cyclic
}

// deduction returns s as a deduction, and counts how often its rules are applied.
func (s *system) deduction() (d *forest.Deduction[int, float64], applied map[string]int) {
	d = forest.NewDeduction[int](semiring.Real{})
	applied = make(map[string]int)
	derive := func(list []derivation) {
		for _, x := range list {
			d.Derive(x.Head, x.Weight, x.Tails...)
		}
	}
	d.Rule("unary", func(a int) {
		applied[fmt.Sprint(a)]++
		derive(s.unary[a])
	})
	forest.Join(d, "join",
		func(a int) (int, bool) { return s.left[a], s.left[a] >= 0 },
		func(b int) (int, bool) { return s.right[b], s.right[b] >= 0 },
		func(a, b int) {
			applied[fmt.Sprint(a, b)]++
			derive(s.joined[[2]int{a, b}])
		})
	return d, applied
}

// derivations reads a chart.
func derivations(c *forest.Chart[int, float64]) (list []derivation) {
	for v, item := range c.Items {
		for e := c.Forest.Edges()[v]; e < c.Forest.Edges()[v+1]; e++ {
			x := derivation{c.Rule(e), item, c.Forest.Weights()[e], []int{}}
			for _, u := range c.Forest.Tails(e) {
				x.Tails = append(x.Tails, c.Items[u])
			}
			list = append(list, x)
		}
	}
	return list
}

// Random rules of one and two antecedents, with further tails and side conditions,
// against closure by trying everything.
func TestDeductionRandom(t *testing.T) {
	cycles, edges := 0, 0
	for seed := range trials.Seeds(5000) {
		r := graphtest.Rand(seed)
		s := randomSystem(r)
		goals := []int{r.IntN(s.items), r.IntN(s.items)}[:1+r.IntN(2)]
		all, applied := s.closure()
		want, cyclic := s.below(all, goals)

		d, count := s.deduction()
		for run := range 2 { // the second in used storage
			clear(count)
			for _, x := range s.given {
				d.Derive(x.Head, x.Weight, x.Tails...)
			}
			c, err := d.Run(goals...)
			for key, n := range count {
				if n != 1 || !applied[key] {
					t.Fatalf("seed %d: a rule was applied %d times to %s; may it be: %v", seed, n, key, applied[key])
				}
			}
			if len(count) != len(applied) {
				t.Fatalf("seed %d: %d applications, want %d", seed, len(count), len(applied))
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if c.Forest.Cyclic() != (len(cyclic) > 0) {
				t.Fatalf("seed %d: cyclic is %v, want cycles through %v", seed, c.Forest.Cyclic(), cyclic)
			}
			if len(cyclic) > 0 {
				cycles++
			}
			got := derivations(c)
			edges += len(got)
			byWeight := func(a, b derivation) int { return int(2*a.Weight) - int(2*b.Weight) }
			slices.SortFunc(got, byWeight)
			slices.SortFunc(want, byWeight)
			if diff := cmp.Diff(want, got); len(want) > 0 && diff != "" {
				t.Fatalf("seed %d, run %d: %s", seed, run, diff)
			}
			for v := range c.Items {
				for e := c.Forest.Edges()[v]; e < c.Forest.Edges()[v+1]; e++ {
					for _, u := range c.Forest.Tails(e) {
						if int(u) >= v && !(cyclic[c.Items[u]] && cyclic[c.Items[v]]) {
							t.Fatalf("seed %d: node %d has the tail %d", seed, v, u)
						}
					}
				}
			}
			roots := 0
			for _, root := range c.Forest.Roots() {
				if !slices.Contains(goals, c.Items[root.Node]) || root.Weight != 1 {
					t.Fatalf("seed %d: root %v stands for %v", seed, root, c.Items[root.Node])
				}
				roots++
			}
			for _, g := range goals {
				if slices.ContainsFunc(want, func(x derivation) bool { return x.Head == g }) {
					roots--
				}
			}
			if roots != 0 {
				t.Fatalf("seed %d: %d roots too many", seed, roots)
			}
		}
	}
	if cycles < 100 || edges < 10000 {
		t.Errorf("only %d cyclic systems and %d edges tested", cycles, edges)
	}
}

// The same calls make the same chart, also in large runs.
func TestDeductionDeterministic(t *testing.T) {
	run := func() *forest.Chart[cell, float64] {
		r := graphtest.Rand(5)
		g := randomCNF(r, 4, 3, .7, 3, 40)
		c, err := g.parse(g.deduction(), []int{0, 1, 2, 2, 1, 0, 0})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a, b := run(), run()
	if a.Forest.NumEdges() < 1000 {
		t.Errorf("only %d edges", a.Forest.NumEdges())
	}
	if diff := cmp.Diff(a, b, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Error(diff)
	}
}

// counter derives 1, 2, 3, … from 0.
func counter() *forest.Deduction[int, float64] {
	d := forest.NewDeduction[int](semiring.Real{})
	d.Rule("successor", func(a int) { d.Derive(a+1, 1, a) })
	return d
}

// fibonacci derives each number from the two before it, from 0 and 1 up to *last.
func fibonacci(last *int) *forest.Deduction[int, float64] {
	d := forest.NewDeduction[int](semiring.Real{})
	forest.Join(d, "sum",
		func(a int) (int, bool) { return a + 1, true },
		func(b int) (int, bool) { return b, true },
		func(a, b int) {
			if b < *last {
				d.Derive(b+1, 1, a)
				d.Derive(b+1, 1, b)
			}
		})
	return d
}

// runFibonacci returns the tree sum of item last, which is a Fibonacci number.
func runFibonacci(tb testing.TB, d *forest.Deduction[int, float64], last int) float64 {
	d.Derive(0, 1)
	d.Derive(1, 1)
	c, err := d.Run(last)
	if err != nil {
		tb.Fatal(err)
	}
	return must(forest.TreeSum(c.Forest))
}

// Short and long runs that reuse each other's storage.
func TestDeductionAfterLongRun(t *testing.T) {
	var last int
	d := fibonacci(&last)
	for _, last = range []int{5, 1000, 5, 5, 1000, 2, 300, 5} {
		a, b := 1., 1.
		for range last - 1 {
			a, b = b, a+b
		}
		if sum := runFibonacci(t, d, last); !agrees(sum, b) {
			t.Errorf("%d numbers: %v, want %v", last, sum, b)
		}
	}
}

func TestDeductionLimits(t *testing.T) {
	d := counter()
	d.MaxItems = 1000
	d.Derive(0, 1)
	_, err := d.Run(5)
	if want := `forest: limit exceeded: 1000 items, and now 1000 by rule "successor"`; !errors.Is(err, semiring.ErrLimit) || err.Error() != want {
		t.Errorf("error %v, want %v", err, want)
	}
	d.MaxEdges = 10
	d.Derive(0, 1)
	_, err = d.Run(5)
	if want := `forest: limit exceeded: 10 edges with 10 tails by rule "successor"`; !errors.Is(err, semiring.ErrLimit) || err.Error() != want {
		t.Errorf("error %v, want %v", err, want)
	}
	for item := range 1001 { // without edges
		d.Derive(item, 1, item+1)
	}
	if _, err := d.Run(0); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
	// A limit that is reached is forgotten with the run.
	if c, err := d.Run(0); err != nil || c.Forest.NumNodes() != 0 {
		t.Errorf("run without axioms: %v", err)
	}
}

func TestDeductionEmpty(t *testing.T) {
	d := forest.NewDeduction[string](semiring.Real{})
	d.Rule("any", func(a string) { d.Derive(a+a, 0, a) })
	d.Derive("a", 1)
	d.Derive("b", 0)
	d.Derive("c", 1, "d")
	c, err := d.Run("b", "c", "aa", "missing")
	if err != nil {
		t.Fatal(err)
	}
	if f := c.Forest; f.NumNodes() != 0 || f.NumEdges() != 0 || len(f.Roots()) != 0 || len(c.Items) != 0 {
		t.Errorf("%d nodes, want none", f.NumNodes())
	}
}

// A cycle that no goal depends on does no harm; a goal given twice counts twice.
func TestDeductionUnusedCycle(t *testing.T) {
	d := forest.NewDeduction[string](semiring.Real{})
	d.Derive("a", .5)
	d.Derive("b", 1, "a", "a")
	d.Derive("loop", 1, "b")
	d.Derive("loop", 1, "loop")
	c, err := d.Run("b", "b")
	if err != nil {
		t.Fatal(err)
	}
	want := []forest.Root[float64]{{Node: 1, Weight: 1}, {Node: 1, Weight: 1}}
	if diff := cmp.Diff(want, c.Forest.Roots()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int32{0, 0}, c.Forest.Tails(1)); diff != "" {
		t.Error(diff)
	}
	d.Derive("a", .5, "a")
	d.Derive("a", .5)
	if c, err = d.Run("a"); err != nil || must(forest.TreeSum(c.Forest)) != 1 {
		t.Errorf("%v, %v", c, err)
	}
}

func TestDeductionMisuse(t *testing.T) {
	for name, inside := range map[string]func(d *forest.Deduction[int, float64]){
		"forest: Run within a rule":             func(d *forest.Deduction[int, float64]) { d.Run(0) },
		"forest: a rule is added within a rule": func(d *forest.Deduction[int, float64]) { d.Rule("late", func(int) {}) },
	} {
		d := counter()
		d.Rule("wrong", func(int) { inside(d) })
		d.Derive(0, 1)
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("panic %v, want %s", got, name)
				}
			}()
			d.Run(0)
		}()
	}
}

// An item that does not equal itself would be a new one each time that it is named.
func TestDeductionRefusesItemsUnlikeThemselves(t *testing.T) {
	d := forest.NewDeduction[float64](semiring.Real{})
	d.Derive(math.NaN(), 1)
	d.Derive(2, 1, math.NaN())
	if _, err := d.Run(2); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("error %v, want semiring.ErrNotFinite", err)
	}
}
