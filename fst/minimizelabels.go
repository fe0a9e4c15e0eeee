package fst

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// minimizedWords is minimize for what a transducer became (toGallic), trimmed and with pushed
// weights. States have the same future if they write the same after what all their paths write
// at first. To merge states of which that differs, labels have to be moved, and an arc may then
// write a word, which needs states of its own. So there are several machines to choose from.
//
//go:noinline
func minimizedWords(f *FST[gallic], keyer semiring.Keyer[gallic], delta float64) (*FST[gallic], error) {
	m := newMerger(f, keyer, delta)
	unmoved, err := m.merged(m.classes())
	if err != nil || len(unmoved.starts) == 0 {
		return unmoved, err
	}
	pushed, err := pushedLabels(f, TowardInitial)
	if err != nil {
		return nil, err
	}
	m = newMerger(pushed, keyer, delta)
	class := m.classes()
	if numberBySight(class) == unmoved.NumStates() { // moving labels merges no more
		return unmoved, nil
	}
	merged, err := m.merged(class)
	if err != nil {
		return nil, err
	}
	first, err := firstWords(f)
	if err != nil {
		return nil, err
	}
	late := commonEnds(first, class, merged.NumStates())
	early := make([]semiring.Word, len(late))
	for c := range early {
		early[c] = semiring.NewWord()
	}
	start := merged.starts[0].State
	early[start] = late[start]
	best, least := unmoved, sizeOf(unmoved)
	for _, delay := range [][]semiring.Word{late, early} {
		g, err := delayed(merged, delay)
		if err != nil {
			return nil, err
		}
		if size := sizeOf(g); size.less(least) {
			best, least = g, size
		}
	}
	return best, nil
}

// firstWords returns what all paths on from each state write at first.
func firstWords(f *FST[gallic]) ([]semiring.Word, error) {
	return graph.Backward(graph.Map(f.Graph(), semiring.Semiring[semiring.Word](semiring.LeftString{}), func(w gallic) semiring.Word { return w.First }))
}

// commonEnds returns for each of n classes the suffix that the words of its members have in
// common.
func commonEnds(words []semiring.Word, class []int32, n int) []semiring.Word {
	var ends semiring.RightString
	common := make([]semiring.Word, n) // infinite, which is the sum of no words
	for s, c := range class {
		common[c] = ends.Plus(common[c], words[s])
	}
	return common
}

// delayed returns f with words moved the other way: a state writes delay, or what of its end can
// be put off, after it is reached and not before. So an arc from p to q that writes w comes to
// write delay[p]·w less delay[q] at its end. It changes delay to what was put off.
func delayed(f *FST[gallic], delay []semiring.Word) (*FST[gallic], error) {
	var words semiring.RightString
	open := make([]int32, 0, f.NumStates()) // states whose delay has become shorter
	for s := range f.NumStates() {
		open = append(open, int32(s))
	}
	shorten := func(s int32, written semiring.Word) {
		if common := words.Plus(delay[s], written); common != delay[s] {
			delay[s] = common
			open = append(open, s)
		}
	}
	for _, s := range f.starts {
		shorten(s.State, s.Weight.First)
	}
	for len(open) > 0 {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			shorten(f.arcs.to[e], words.Times(delay[s], f.arcs.w[e].First))
		}
	}
	move := func(before semiring.Word, w gallic, after semiring.Word) gallic {
		rest, _ := words.RDiv(words.Times(before, w.First), after)
		return gallic{First: rest, Second: w.Second}
	}
	none := semiring.NewWord()
	d := new(draft[gallic])
	for s, final := range f.final {
		d.state(move(delay[s], final, none))
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			to := f.arcs.to[e]
			addArc(&d.arcs, f.arcs.in[e], f.arcs.out[e], to, move(delay[s], f.arcs.w[e], delay[to]))
		}
	}
	for _, s := range f.starts {
		d.start(s.State, move(none, s.Weight, delay[s.State]))
	}
	return d.freezeLike(f)
}

// size is what one machine has more of than another.
type size struct {
	silent       bool // arcs read ε
	states, arcs int
}

// sizeOf returns the size of the transducer that f becomes (fromGallic).
func sizeOf(f *FST[gallic]) size {
	d := unroll(f)
	s := size{states: len(d.final), arcs: len(d.arcs.to)}
	for _, in := range d.arcs.in {
		s.silent = s.silent || in == Epsilon
	}
	return s
}

// less reports whether a machine of size s is to be preferred: it has fewer states and arcs, and
// reads ε only if the other does.
func (s size) less(t size) bool {
	switch {
	case s.silent != t.silent:
		return t.silent
	case s.states != t.states:
		return s.states < t.states
	}
	return s.arcs < t.arcs
}
