package cfg

import "example.org/pathsum/fst"

// joined returns the machine of the component of nonterminal n, entered by a call of n.
// Every member has one copy of its machine, which all calls within the component enter.
// If these are the last of their right-hand sides, where they end all is ended, with the
// weight with which the right-hand side of the call would have ended; otherwise whatever
// ends a call of a nonterminal goes on behind any call of it.
func (g *Grammar[W]) joined(n int32, name naming) (*fst.FST[W], error) {
	c, ring := g.of[n], g.ring
	parts := g.machines(c)
	b := fst.NewBuilder(ring)
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
	return fst.Reverse(f)
}
