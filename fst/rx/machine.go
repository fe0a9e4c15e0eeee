package rx

import "example.org/pathsum/fst"

// embed returns the fragment that is f.
func (b *builder[W]) embed(f *fst.FST[W]) (fragment[W], error) {
	x := b.epsilon(b.ring.Zero())
	if b.left < f.NumStates()+f.NumArcs() {
		return x, b.tooLarge()
	}
	first := int32(len(b.states))
	for range f.NumStates() {
		b.state()
	}
	for s := range int32(f.NumStates()) {
		for _, a := range f.AppendArcs(nil, s) {
			a.To += first
			b.arc(first+s, a)
		}
		w := f.Final(s)
		if len(b.states[first+s].arcs) > 0 || !b.one(w) {
			b.end(&x, first+s, w)
			continue
		}
		if x.sink < 0 {
			x.sink = first + s
		} else {
			b.join(first+s, x.sink)
		}
	}
	for _, s := range f.AppendStarts(nil) {
		b.copy(x.start, s.Weight, b.states[first+s.State].arcs)
		x.null = b.ring.Plus(x.null, b.ring.Times(s.Weight, f.Final(s.State)))
	}
	return x, nil
}

// freeze returns the machine of x, states in the order in which a breadth-first
// search finds them.
func (b *builder[W]) freeze(x fragment[W]) (*fst.FST[W], error) {
	m := fst.NewBuilder(b.ring)
	m.SetSymbols(b.alphabet, b.alphabet)
	final := make([]W, len(b.states))
	for s := range final {
		final[s] = b.ring.Zero()
	}
	final[x.start] = x.null
	if x.sink >= 0 {
		final[x.sink] = b.ring.One()
	}
	for _, f := range x.finals {
		final[f.State] = f.Weight
	}
	found := make([]int32, len(b.states)) // 1 + number in m
	var queue []int32
	visit := func(s int32) int32 {
		if found[s] == 0 {
			found[s] = m.AddState() + 1
			m.SetFinal(found[s]-1, final[s])
			queue = append(queue, s)
		}
		return found[s] - 1
	}
	m.AddStart(visit(x.start), b.ring.One())
	for i := 0; i < len(queue); i++ {
		from := int32(i)
		for _, a := range b.states[queue[i]].arcs {
			a.To = visit(b.find(a.To))
			m.AddArc(from, a)
		}
	}
	return m.Freeze()
}
