package fst

import (
	"errors"
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// ErrNondeterministic is wrapped by the error for a machine that should have one
// initial state and no state with two arcs that read the same label.
var ErrNondeterministic = errors.New("machine is not deterministic")

// Minimize returns the deterministic machine of fewest states with the relation of m,
// which must be deterministic itself, ε being a label like any other: see Determinize.
// Weights are pushed toward the initial state (PushWeights), and then states with equal arcs
// to equal states are one. Weights within o.Delta count as equal; the result has the weights
// of the first such state. States keep their order.
//
// States of a transducer may differ only in what they write at first. To merge them, output
// labels are moved as PushLabels moves them, no farther than necessary. An arc that then writes
// several labels becomes a chain of arcs that read ε, so labels are moved only if
// fewer states result, and ε is read only if m does. So the result has no more states than m,
// and Equivalent takes it if it takes m.
//
// The ring must have what PushWeights needs, and be a semiring.Keyer. The error wraps
// semiring.ErrCapability, ErrNondeterministic or is as for PushWeights; o.Limit bounds the
// expansion of m alone. It costs what pushing does, and O(m) for an acyclic machine of m
// arcs, by hashing states from the end on (Revuz 1992), and otherwise O(m log m), by
// refinement of a partition (Hopcroft 1971; A. Valmari, "Fast brief practical DFA
// minimization", 2012).
func Minimize[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("Minimize", m, o, minimizeAny[W])
}

func minimizeAny[W any](f *FST[W], o Options) (*FST[W], error) {
	if err := requireDeterministic(f); err != nil {
		return nil, err
	}
	pushed, err := pushWeights(f, TowardInitial)
	if err != nil {
		return nil, err
	}
	if pushed.labels.acceptor() {
		return minimize(pushed, o.Delta)
	}
	return withWords(pushed, func(g *FST[gallic], n numbers) (*FST[gallic], error) {
		return minimizedWords(g, newWordResiduals(n), o.Delta)
	})
}

// requireDeterministic returns an error, wrapping ErrNondeterministic, that names a
// state with two arcs for one input label, or two initial states.
func requireDeterministic[W any](f *FST[W]) error {
	for _, s := range f.starts {
		if first := f.starts[0].State; s.State != first {
			return fmt.Errorf("%w: states %d and %d are initial", ErrNondeterministic, first, s.State)
		}
	}
	x := f.labels.index(Input)
	for s, lo := range x.row[:len(x.row)-1] {
		for e := lo + 1; e < x.row[s+1]; e++ {
			if x.key[e] == x.key[e-1] {
				return fmt.Errorf("%w: two arcs of state %d read %s", ErrNondeterministic, s, f.inSymbols.Describe(x.key[e]))
			}
		}
	}
	return nil
}

// minimize makes one state of those that have the same future, arc by arc. f is an
// acceptor of its input labels, deterministic and trimmed.
func minimize[W any](f *FST[W], delta float64) (*FST[W], error) {
	keyer, err := semiring.Require[semiring.Keyer[W]](f.ring)
	if err != nil {
		return nil, err
	}
	m := newMerger(f, keyer, delta)
	return m.merged(m.classes())
}

// merger finds and merges states with the same future.
type merger[W any] struct {
	f     *FST[W]
	arcs  *index // by label
	keyer semiring.Keyer[W]
	delta float64
	key   []byte
}

func newMerger[W any](f *FST[W], keyer semiring.Keyer[W], delta float64) *merger[W] {
	return &merger[W]{f: f, arcs: f.labels.index(Input), keyer: keyer, delta: delta}
}

// classes returns the classes of states with the same future, numbered from 0.
func (m *merger[W]) classes() []int32 {
	if order, ok := m.f.Graph().TopologicalOrder(); ok {
		return m.acyclic(order)
	}
	return m.cyclic()
}

// arc returns the arc at a position of the index.
func (m *merger[W]) arc(e int32) int32 {
	if len(m.arcs.arc) > 0 {
		return m.arcs.arc[e]
	}
	return e
}

// finalKey begins the key with the final weight of state s.
func (m *merger[W]) finalKey(s int32) {
	m.key = m.key[:0]
	if w := m.f.final[s]; !m.f.ring.IsZero(w) {
		m.key = appendKey(m.key, m.keyer, w, m.delta)
	}
}

// acyclic returns the classes of the states, given in topological order.
func (m *merger[W]) acyclic(order []int32) []int32 {
	f, classes := m.f, newByteTable()
	class := make([]int32, f.NumStates())
	for i := len(order) - 1; i >= 0; i-- {
		s := order[i]
		m.finalKey(s)
		for e := m.arcs.row[s]; e < m.arcs.row[s+1]; e++ {
			a := m.arc(e)
			m.key = appendNumber(m.key, f.arcs.in[a])
			m.key = appendNumber(m.key, class[f.arcs.to[a]])
			m.key = appendKey(m.key, m.keyer, f.arcs.w[a], m.delta)
		}
		m.key = appendNumber(m.key, m.arcs.row[s+1]-m.arcs.row[s])
		class[s], _ = classes.number(m.key)
	}
	return class
}

// cyclic returns the classes of the states of any deterministic machine.
func (m *merger[W]) cyclic() []int32 {
	f := m.f
	finals, names := newByteTable(), newByteTable()
	class := make([]int32, f.NumStates())
	name := make([]int32, f.NumArcs())
	for s := range class {
		m.finalKey(int32(s))
		class[s], _ = finals.number(m.key)
	}
	for e, w := range f.arcs.w {
		m.key = appendKey(appendNumber(m.key[:0], f.arcs.in[e]), m.keyer, w, m.delta)
		name[e], _ = names.number(m.key)
	}
	return refine(f.Graph(), class, finals.len(), name, names.len())
}

// merged returns the machine with a state per class: its first member. It numbers classes by
// sight.
func (m *merger[W]) merged(class []int32) (*FST[W], error) {
	f := m.f
	numberBySight(class)
	d := new(draft[W])
	for s, c := range class {
		if int(c) < len(d.final) { // not the first
			continue
		}
		d.state(f.final[s])
		for e := m.arcs.row[s]; e < m.arcs.row[s+1]; e++ {
			a := m.arc(e)
			addArc(&d.arcs, f.arcs.in[a], f.arcs.out[a], class[f.arcs.to[a]], f.arcs.w[a])
		}
	}
	for _, s := range f.starts {
		d.start(class[s.State], s.Weight)
	}
	return d.freezeLike(f)
}

// numberBySight numbers classes, which are from 0 to less than their members, in the order of
// their first members, and returns how many there are.
func numberBySight(class []int32) int {
	number := make([]int32, len(class)) // by class, plus one
	n := int32(0)
	for s, c := range class {
		if number[c] == 0 {
			n++
			number[c] = n
		}
		class[s] = number[c] - 1
	}
	return int(n)
}

// Optimize returns a machine with the relation of m that has no arcs ε:ε, and is as
// small and deterministic as the other operations of this package can make it without
// taking risks: ε-removal, determinization and minimization, of a transducer with pairs
// of labels for labels, and of a cyclic machine with the weights in them (see Codec). So
// acyclic acceptors become minimal, and so do cyclic ones without weights; others
// become smaller. What takes more than o.Limit is left out: determinization and
// minimization, where the states and arcs of the result and the members of its sets
// are more.
//
// The ring must have what RemoveEpsilon, Determinize and Minimize need; errors are
// theirs but for that limit, and semiring.ErrLimit if ε-removal exceeds it.
func Optimize[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("Optimize", m, o, optimize[W])
}

func optimize[W any](f *FST[W], o Options) (*FST[W], error) {
	g, err := whole(removeEpsilon[W](f, o.Limit))
	if err != nil {
		return nil, err
	}
	var parts Parts
	if !g.labels.acceptor() {
		parts |= Labels
	}
	if _, acyclic := g.Graph().TopologicalOrder(); !acyclic {
		parts |= Labels | Weights
	}
	c, err := NewCodec(f.ring, parts)
	if err != nil {
		return nil, err
	}
	h := g
	if parts != 0 {
		if h, err = c.encode(g); err != nil {
			return nil, err
		}
	}
	h, err = whole(determinizeAny[W](h, o))
	if errors.Is(err, semiring.ErrLimit) {
		return g, nil
	}
	switch {
	case err != nil:
	case parts&Weights != 0: // nothing is left to push
		h, err = minimize(h, o.Delta)
	default:
		h, err = minimizeAny(h, o)
	}
	if err == nil && parts != 0 {
		h, err = c.decode(h)
	}
	if err == nil && parts&Weights != 0 {
		h, err = whole(removeEpsilon[W](h, DefaultLimit)) // arcs that differ in nothing but weight
	}
	if err != nil {
		return nil, err
	}
	return h.WithSymbols(f.inSymbols, f.outSymbols), nil
}

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
