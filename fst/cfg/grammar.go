package cfg

import (
	"errors"
	"maps"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// ErrGrammar is returned, wrapped, for an invalid grammar.
var ErrGrammar = errors.New("bad grammar")

// Grammar is a weighted context-free grammar. It is immutable, and goroutines may share
// it.
type Grammar[W any] struct {
	ring    semiring.Semiring[W]
	start   int32           // the number of a nonterminal
	numbers map[int32]int32 // of nonterminals, by label
	parts   []*fst.FST[W]   // by number, trimmed
	of      []*component    // by number
	entered []bool          // by number: called from outside its component
	used    []int32         // labels, ascending
}

// component is a set of nonterminals that derive each other.
type component struct {
	members []int32 // numbers
	// linear is whether all calls within the component stand last in their right-hand sides, or all
	// stand first if turned is true. A component that is not recursive has no such calls and is
	// both.
	linear, turned bool
}

// New returns the grammar of strings that start derives, with a machine of right-hand sides for
// every nonterminal. An arc whose output label is a nonterminal is a call, whatever its input; any
// other label is a terminal.
//
// The error wraps ErrGrammar if start has no machine or ε has one, fst.ErrMismatch if
// rings or symbols differ, and semiring.ErrCapability for a ring that is not
// commutative. Machines that are not frozen are expanded, with the errors of fst.Expand.
// O(states + arcs).
func New[W any](start int32, parts map[int32]fst.Machine[W]) (*Grammar[W], error) {
	g := &Grammar[W]{numbers: map[int32]int32{}}
	if parts[start] == nil {
		return nil, nested.Errorf("cfg: %w: the nonterminal %d to start with has no machine", ErrGrammar, start)
	}
	for _, label := range slices.Sorted(maps.Keys(parts)) {
		m := parts[label]
		if label <= fst.Epsilon || m == nil {
			return nil, nested.Errorf("cfg: %w: nonterminal %d with the machine %v, want a positive label and a machine", ErrGrammar, label, m)
		}
		f, err := fst.Connect(m, nil)
		if err != nil {
			return nil, nested.Errorf("cfg: nonterminal %d: %w", label, err)
		}
		g.numbers[label] = int32(len(g.parts))
		g.parts = append(g.parts, f)
		g.used = slices.Concat(g.used, []int32{label}, f.In(), f.Out())
		slices.Sort(g.used)
		g.used = slices.Compact(g.used)
	}
	all := make([]fst.Machine[W], len(g.parts))
	for i, f := range g.parts {
		all[i] = f
	}
	if err := fst.Err(fst.Union(all[0], all[1:]...)); err != nil { // their rings or symbols differ
		return nil, nested.Errorf("cfg: %w", err)
	}
	g.ring, g.start = g.parts[0].Semiring(), g.numbers[start]
	if err := semiring.RequireCommutative(g.ring); err != nil {
		return nil, nested.Errorf("cfg: %w", err)
	}
	g.decompose()
	return g, nil
}

// decompose finds the components.
func (g *Grammar[W]) decompose() {
	calls := simple.NewDirectedGraph()
	for n := range g.parts {
		calls.AddNode(simple.Node(n))
	}
	for n, f := range g.parts {
		for _, label := range f.Out() {
			if m, ok := g.numbers[label]; ok && int(m) != n {
				calls.SetEdge(simple.Edge{F: simple.Node(n), T: simple.Node(m)})
			}
		}
	}
	g.of = make([]*component, len(g.parts))
	var all []*component
	for _, nodes := range topo.TarjanSCC(calls) {
		c := new(component)
		all = append(all, c)
		for _, n := range nodes {
			c.members = append(c.members, int32(n.ID()))
			g.of[n.ID()] = c
		}
		slices.Sort(c.members)
	}
	for _, c := range all {
		if c.linear = g.callsLast(c); !c.linear {
			c.turned = true
			c.linear = g.callsLast(c)
			c.turned = c.linear
		}
	}
	g.entered = make([]bool, len(g.parts))
	g.entered[g.start] = true
	for n, f := range g.parts {
		for _, label := range f.Out() {
			if m, ok := g.numbers[label]; ok && g.of[m] != g.of[n] {
				g.entered[m] = true
			}
		}
	}
}

// machines returns the machines of the members of c, by number, reversed if c is turned.
func (g *Grammar[W]) machines(c *component) map[int32]*fst.FST[W] {
	all := map[int32]*fst.FST[W]{}
	for _, n := range c.members {
		all[n] = g.parts[n]
		if c.turned {
			f, err := fst.Reverse(g.parts[n], nil)
			if err != nil {
				panic(err.Error()) // the ring is commutative
			}
			all[n] = f
		}
	}
	return all
}

// callsLast reports whether all calls within c end their right-hand sides.
func (g *Grammar[W]) callsLast(c *component) bool {
	for _, f := range g.machines(c) {
		row := f.Graph().Row()
		for e, label := range f.Out() {
			to := f.Graph().To()[e]
			if g.within(c, label) && (row[to] < row[to+1] || g.ring.IsZero(f.Final(to))) {
				return false
			}
		}
	}
	return true
}

// within reports whether label is a nonterminal of c.
func (g *Grammar[W]) within(c *component, label int32) bool {
	n, ok := g.numbers[label]
	return ok && g.of[n] == c
}

// StronglyRegular reports whether all components are linear, so that Superset and Subset have the
// strings of the grammar and their weights. A grammar that is not strongly regular may still have a
// regular set of strings; whether it does is undecidable.
func (g *Grammar[W]) StronglyRegular() bool {
	return !slices.ContainsFunc(g.of, func(c *component) bool { return !c.linear })
}

// Rule is Left → Right with a weight. Left is a nonterminal, and so are the labels in
// Right that are Left of some rule; an empty Right derives ε.
type Rule[W any] struct {
	Left   int32
	Right  []int32
	Weight W
}

// FromRules returns the grammar of rules. Equal rules add their weights; a rule that weighs
// Zero is left out. The error wraps ErrGrammar, and names the rule, for a label in a
// right-hand side that is neither in terminals nor has rules, or is both, and for a label
// that is not positive. It wraps fst.ErrInvalid for a weight that is not a number. Other
// errors are as for New. O(labels).
func FromRules[W any](ring semiring.Semiring[W], start int32, terminals []int32, rules []Rule[W]) (*Grammar[W], error) {
	nonnil.Check("cfg: FromRules", "ring", ring)
	terminal := map[int32]bool{}
	for _, label := range terminals {
		terminal[label] = true
	}
	sides := map[int32]*side[W]{}
	for _, r := range rules {
		if sides[r.Left] == nil {
			sides[r.Left] = newSide(ring)
		}
		sides[r.Left].add(r)
	}
	for i, r := range rules {
		if terminal[r.Left] {
			return nil, nested.Errorf("cfg: %w: rule %d rewrites the terminal %d", ErrGrammar, i, r.Left)
		}
		for _, label := range r.Right {
			if label <= fst.Epsilon || !terminal[label] && sides[label] == nil {
				return nil, nested.Errorf("cfg: %w: rule %d: label %d is not a terminal and has no rules", ErrGrammar, i, label)
			}
		}
	}
	parts := map[int32]fst.Machine[W]{}
	for left, x := range sides {
		x.SetFinal(0, x.empty)
		f, err := x.Freeze()
		if err != nil {
			return nil, nested.Errorf("cfg: nonterminal %d: %w", left, err)
		}
		parts[left] = f
	}
	return New(start, parts)
}

// side is the machine of the right-hand sides of a nonterminal. A rule's weight is on its first
// arc, so a path that enters the rule has its weight, wherever the path leaves it.
type side[W any] struct {
	*fst.Builder[W]
	ring  semiring.Semiring[W]
	empty W // the weight of ε
}

func newSide[W any](ring semiring.Semiring[W]) *side[W] {
	x := &side[W]{fst.NewBuilder(ring), ring, ring.Zero()}
	x.AllowZero()
	x.AddStates(2)
	x.AddStart(0, ring.One())
	x.SetFinal(1, ring.One())
	return x
}

func (x *side[W]) add(r Rule[W]) {
	if len(r.Right) == 0 {
		x.empty = x.ring.Plus(x.empty, r.Weight)
		return
	}
	from, w := int32(0), r.Weight
	for i, label := range r.Right {
		to := int32(1)
		if i < len(r.Right)-1 {
			to = x.AddState()
		}
		x.AddArc(from, fst.Arc[W]{In: label, Out: label, To: to, Weight: w})
		from, w = to, x.ring.One()
	}
}
