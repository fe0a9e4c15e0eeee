package cfg

import (
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Superset returns a machine that accepts all strings of the grammar. Calls within a component that
// is not linear may be nested to any depth, but are distinguished only up to the given depth, where
// depth 0 distinguishes no calls. For its weights see the package comment. A greater depth never
// adds other strings and usually removes some.
//
// The machine is lazy, as fst.Replace makes it; fst.Expand freezes it. It has a state per state of
// a right-hand side and sequence of calls from one component to another, or of up to depth calls
// within one. These may be exponentially many. Err wraps ErrGrammar for a negative depth, and
// semiring.ErrLimit if no range of consecutive unused labels is long enough for nonterminals times
// depths. Superset takes O(depth) times the size of the grammar, and the size of every component
// once for each member that is called from outside it; if depth is not 0, for each member.
func (g *Grammar[W]) Superset(depth int) fst.Machine[W] {
	return g.approximate("Superset", depth, g.joined)
}

// Subset returns a machine of the derivations in which calls within a component that is not linear
// are nested at most depth deep; depth 0 excludes such calls. Machine, errors and complexity are as
// for Superset.
func (g *Grammar[W]) Subset(depth int) fst.Machine[W] {
	return g.approximate("Subset", depth, func(n int32, name naming) (*fst.FST[W], error) {
		return g.relabeled(n, func(m int32) (int32, bool) {
			return name(m, 0), g.of[m] != g.of[n]
		})
	})
}

// naming returns the label of nonterminal n at a level. The level is the number of nested calls
// within its component.
type naming func(n int32, level int) int32

// approximate returns the network of nonterminals at levels, with the machines of deepest
// at the last level, or a failed machine.
func (g *Grammar[W]) approximate(op string, depth int, deepest func(int32, naming) (*fst.FST[W], error)) fst.Machine[W] {
	m, err := g.network(depth, deepest)
	if err != nil {
		return fst.Failed(g.ring, nested.Errorf("cfg: %s: %w", op, err))
	}
	return m
}

func (g *Grammar[W]) network(depth int, deepest func(int32, naming) (*fst.FST[W], error)) (fst.Machine[W], error) {
	levels := int64(depth) + 1
	if depth < 0 {
		return nil, fmt.Errorf("%w: depth %d, want 0 or more", ErrGrammar, depth)
	}
	first, ok := g.unused(levels, int64(len(g.parts)))
	if !ok {
		return nil, fmt.Errorf("%w: no labels for %d nonterminals at %d depths", semiring.ErrLimit, len(g.parts), levels)
	}
	name := func(n int32, level int) int32 { return first + n*int32(levels) + int32(level) }
	parts := map[int32]fst.Machine[W]{}
	for n, c := range g.of {
		n, last, bottom := int32(n), depth, deepest
		if c.linear {
			last, bottom = 0, g.joined
		}
		for level := range last {
			f, err := g.relabeled(n, func(m int32) (int32, bool) {
				if g.of[m] == c {
					return name(m, level+1), true
				}
				return name(m, 0), true
			})
			if err != nil {
				return nil, err
			}
			parts[name(n, level)] = f
		}
		if last == 0 && !g.entered[n] {
			continue // it is never called
		}
		f, err := bottom(n, name)
		if err != nil {
			return nil, err
		}
		parts[name(n, last)] = f
	}
	return fst.Replace(parts[name(g.start, 0)], parts, &fst.Calls{Depth: len(parts) + 1}), nil
}

// unused returns the first of a·b consecutive labels that the grammar does not use: above its own
// labels if possible, otherwise between them. It returns false if there is no such range.
func (g *Grammar[W]) unused(a, b int64) (first int32, ok bool) {
	above := int64(math.MaxInt32) + 1
	for i := len(g.used) - 1; i >= -1; i-- {
		below := int64(fst.Epsilon)
		if i >= 0 {
			below = int64(g.used[i])
		}
		if room := above - below - 1; room > 0 && a <= room/b {
			return int32(below + 1), true
		}
		above = below
	}
	return 0, false
}

// relabeled returns the machine of n with the nonterminals renamed, and without the calls whose
// keep is false.
func (g *Grammar[W]) relabeled(n int32, name func(m int32) (label int32, keep bool)) (*fst.FST[W], error) {
	f := g.parts[n]
	b := fst.NewBuilder(g.ring)
	b.AllowZero()
	b.AddStates(f.NumStates())
	for _, s := range f.AppendStarts(nil) {
		b.AddStart(s.State, s.Weight)
	}
	var arcs []fst.Arc[W]
	for s := range int32(f.NumStates()) {
		b.SetFinal(s, f.Final(s))
		arcs = f.AppendArcs(arcs[:0], s)
		for _, a := range arcs {
			keep := true
			if m, ok := g.numbers[a.Out]; ok {
				a.Out, keep = name(m)
			}
			if keep {
				b.AddArc(s, a)
			}
		}
	}
	b.SetSymbols(f.InSymbols(), f.OutSymbols())
	return b.Freeze()
}

// joined returns the machine of the component of nonterminal n, entered by a call of n. Every
// member has one copy of its machine, which all calls within the component enter. If the component
// is linear, the end of a call is the end of all its callers, so the final weight of the caller's
// right-hand side is multiplied into the call. Otherwise the end of a nonterminal continues after
// any call of it.
func (g *Grammar[W]) joined(n int32, name naming) (*fst.FST[W], error) {
	c, ring := g.of[n], g.ring
	parts := g.machines(c)
	b := fst.NewBuilder(ring)
	b.AllowZero()
	first, end := map[int32]int32{}, map[int32]int32{} // states of members
	for _, m := range c.members {
		first[m] = b.AddStates(parts[m].NumStates())
		if !c.linear {
			end[m] = b.AddState()
		}
	}
	call := func(from int32, m int32, w W) {
		for _, s := range parts[m].AppendStarts(nil) {
			b.AddArc(from, fst.Arc[W]{To: first[m] + s.State, Weight: ring.Times(w, s.Weight)})
		}
	}
	var arcs []fst.Arc[W]
	for _, m := range c.members {
		f := parts[m]
		for s := range int32(f.NumStates()) {
			from, final := first[m]+s, f.Final(s)
			switch {
			case c.linear:
				b.SetFinal(from, final)
			case !ring.IsZero(final):
				b.AddArc(from, fst.Arc[W]{To: end[m], Weight: final})
			}
			arcs = f.AppendArcs(arcs[:0], s)
			for _, a := range arcs {
				called, isCall := g.numbers[a.Out]
				switch {
				case isCall && g.of[called] == c && c.linear:
					call(from, called, ring.Times(a.Weight, f.Final(a.To)))
					continue
				case isCall && g.of[called] == c:
					call(from, called, a.Weight)
					b.AddArc(end[called], fst.Arc[W]{To: first[m] + a.To, Weight: ring.One()})
					continue
				case isCall:
					a.Out = name(called, 0)
				}
				a.To += first[m]
				b.AddArc(from, a)
			}
		}
	}
	for _, s := range parts[n].AppendStarts(nil) {
		b.AddStart(first[n]+s.State, s.Weight)
	}
	if !c.linear {
		b.SetFinal(end[n], ring.One())
	}
	b.SetSymbols(parts[n].InSymbols(), parts[n].OutSymbols())
	f, err := b.Freeze()
	if err != nil || !c.turned {
		return f, err
	}
	return fst.Reverse(f, nil)
}
