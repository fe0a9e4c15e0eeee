package fst

import (
	"errors"
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// ErrNondeterministic is returned for a machine with several initial states, or with two arcs
// of a state that read the same label, if a deterministic machine is required.
var ErrNondeterministic = errors.New("machine is not deterministic")

// Minimize returns the deterministic machine with the fewest states that has the relation of m.
// m must be deterministic itself, where ε is a label like any other: see Determinize. Weights
// are pushed toward the initial state (PushWeights), and then states with equal arcs to equal
// states are merged. Weights within o.Delta count as equal; the result has the weights of the
// first merged state. States keep their order.
//
// Some states of a transducer differ only in the prefixes of their outputs. To merge such
// states, output labels are moved as in PushLabels, but no farther than necessary. An arc that
// then writes several labels becomes a chain of arcs that read ε. So labels are moved only if
// this reduces the number of states, and the result reads ε only if m does. Therefore the
// result has at most as many states as m, and Equivalent accepts it if it accepts m.
//
// The ring must have what PushWeights needs, and be a semiring.Keyer. The error wraps
// semiring.ErrCapability, ErrNondeterministic or is as for PushWeights; o.Limit bounds only the
// expansion of m. In addition to pushing, it takes O(m) for an acyclic machine of m arcs, by
// hashing states in reverse topological order (Revuz 1992). Otherwise it takes O(m log m), by
// partition refinement (Hopcroft 1971; A. Valmari, "Fast brief practical DFA minimization",
// 2012).
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

// minimize merges states with the same future, arc by arc. f is an acceptor of its input
// labels, deterministic and trimmed.
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

// arc returns the number of the arc at a position of the index.
func (m *merger[W]) arc(e int32) int32 {
	if len(m.arcs.arc) > 0 {
		return m.arcs.arc[e]
	}
	return e
}

// finalKey resets the key to the final weight of state s.
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

// merged returns the machine with one state per class: its first member. It numbers classes in
// order of first occurrence.
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

// numberBySight renumbers classes in the order of their first members, and returns the number
// of classes. The given numbers are non-negative and less than the number of states.
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

// Optimize returns a machine with the relation of m that has no arcs ε:ε, and is as small and
// deterministic as the other operations of this package can safely make it. It applies
// ε-removal, determinization and minimization. For a transducer, pairs of labels are encoded as
// labels, and for a cyclic machine, weights too (see Codec). So acyclic acceptors become
// minimal, and so do cyclic ones without weights; others become smaller. Determinization and
// minimization are skipped if the states and arcs of the result and the members of its sets are
// more than o.Limit.
//
// The ring must have what RemoveEpsilon, Determinize and Minimize need. Errors are as for these
// operations, except that the limit on determinization is not an error; the error wraps
// semiring.ErrLimit if ε-removal exceeds the limit.
func Optimize[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("Optimize", m, o, optimize[W])
}

func optimize[W any](f *FST[W], o Options) (*FST[W], error) {
	g, err := whole(removeEpsilon[W](f, o.Limit))
	if err != nil {
		return nil, err
	}
	var parts ArcParts
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
	case parts&Weights != 0: // the weights are encoded and cannot be pushed
		h, err = minimize(h, o.Delta)
	default:
		h, err = minimizeAny(h, o)
	}
	if err == nil && parts != 0 {
		h, err = c.decode(h)
	}
	if err == nil && parts&Weights != 0 {
		h, err = whole(removeEpsilon[W](h, DefaultLimit)) // merge arcs that differ only in weight
	}
	if err != nil {
		return nil, err
	}
	return h.WithSymbols(f.inSymbols, f.outSymbols), nil
}

// minimizedWords is minimize for the result of toGallic, trimmed and with pushed weights.
// States have the same future if they write the same after the common prefix of the outputs of
// their paths. To merge states with different prefixes, labels have to be moved. An arc may
// then write a word, which requires additional states. So it compares several machines.
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

// firstWords returns the common prefix of the outputs of all paths from each state.
func firstWords(f *FST[gallic]) ([]semiring.Word, error) {
	return graph.Backward(graph.Map(f.Graph(), semiring.Semiring[semiring.Word](semiring.LeftString{}), func(w gallic) semiring.Word { return w.First }))
}

// commonEnds returns for each of n classes the longest common suffix of the words of its
// members.
func commonEnds(words []semiring.Word, class []int32, n int) []semiring.Word {
	var ends semiring.RightString
	common := make([]semiring.Word, n) // infinite, the sum of the empty set of words
	for s, c := range class {
		common[c] = ends.Plus(common[c], words[s])
	}
	return common
}

// delayed returns f with words moved toward the final states: a state writes delay, or the
// suffix of it that can be postponed, after it is reached instead of before. So an arc from p
// to q that writes w now writes delay[p]·w without the suffix delay[q]. It sets delay to the
// postponed words.
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

// size is the criterion for choosing between machines.
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

// less reports whether a machine of size s is preferred to one of size t. A machine that does
// not read ε is preferred, then the number of states counts, then the number of arcs.
func (s size) less(t size) bool {
	switch {
	case s.silent != t.silent:
		return t.silent
	case s.states != t.states:
		return s.states < t.states
	}
	return s.arcs < t.arcs
}
