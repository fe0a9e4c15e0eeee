package rewrite

import (
	"encoding/binary"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// compiler explores the reachable memories, from left to right.
type compiler[W any] struct {
	Options[W]
	parts  []part[W]
	partOf [][]int32 // the parts of every rule, by number
	left   contexts  // λ of every rule
	ahead  contexts  // φ ρ of every part
	// before and behind are the orders of left and ahead.
	before, behind *order

	names   *fst.FST[W] // a machine with the common ring and symbols, nil at first
	always  []int32     // the start states of left, which every left context includes
	builder *fst.Builder[W]
	letter  map[int32]bool // of the alphabet
	kinds   []int32        // per label of the alphabet; contexts treat labels of a kind alike
	copied  []int32        // per kind: 1 + the next state after a copy, −1 if a copy is not allowed
	numbers map[string]int32
	queue   []memory // by number
	size    int      // counts toward the limit
	key     []byte
}

// memory is the information about the past that a state of the result stands for.
type memory struct {
	part, change int32 // the current part of a rule and state of its change; -1 between changes
	// inserted is, between changes, whether the last change was an insertion at this position.
	inserted bool
	left     []int32   // states of left contexts
	promised [][]int32 // of each ρ, or φ ρ, that has to follow
	barred   []int32   // of the φ ρ that must not follow
	// place contains, within a change, the states of all φ that could be the match, if the Match is
	// Longest or Shortest.
	place []int32
}

func newCompiler[W any](o Options[W]) *compiler[W] {
	c := &compiler[W]{Options: o, numbers: map[string]int32{}, letter: map[int32]bool{}}
	for _, l := range o.Alphabet {
		c.letter[l] = true
	}
	return c
}

// join checks that the ring and the symbols of a rule match the others and merges the symbols.
func (c *compiler[W]) join(r frozenRule[W]) error {
	all := []fst.Machine[W]{fst.ProjectOut(r.change)}
	for _, f := range []*fst.FST[W]{r.left, r.right, c.names} {
		if f != nil {
			all = append(all, f)
		}
	}
	f, err := fst.Expand(fst.Union(fst.ProjectIn(r.change), all...), nil)
	if err == nil {
		c.names = fst.FromString(f.Semiring(), nil).WithSymbols(f.InSymbols(), f.OutSymbols())
	}
	return err
}

// add adds a rule.
func (c *compiler[W]) add(r frozenRule[W]) error {
	if err := add(&c.left, r.left, c.Limit); err != nil {
		return err
	}
	parts, err := split(r.change)
	if err != nil {
		return err
	}
	var numbers []int32
	for _, p := range parts {
		if err := addWhole(&c.ahead, p.change, r.right, c.Limit); err != nil {
			return err
		}
		numbers = append(numbers, int32(len(c.parts)))
		c.parts = append(c.parts, p)
	}
	c.partOf = append(c.partOf, numbers)
	return nil
}

func (c *compiler[W]) compile() (*fst.FST[W], error) {
	ring := c.names.Semiring()
	c.builder = fst.NewBuilder(ring)
	c.builder.AllowZero()
	c.builder.SetSymbols(c.names.InSymbols(), c.names.OutSymbols())
	c.always = union(c.left.starts...)
	c.sort()
	begin, end := c.Begin, c.End
	if c.Direction == RightToLeft {
		begin, end = end, begin
	}
	first := memory{part: -1, change: -1, left: c.readLeft(c.always, begin)}
	c.builder.AddStart(c.number(first), ring.One())
	for s := 0; s < len(c.queue); s++ {
		m := c.queue[s]
		if m.part < 0 {
			c.between(int32(s), m, end)
		} else {
			c.within(int32(s), m)
		}
		if c.size > c.Limit {
			return nil, nested.Errorf("rewrite: %w: more than %d states, arcs and remembered states", semiring.ErrLimit, c.Limit)
		}
	}
	f, err := c.builder.Freeze()
	if err != nil {
		return nil, err
	}
	return fst.Connect(f, nil)
}

// sort finds the kinds of labels.
func (c *compiler[W]) sort() {
	traces := map[int32][]byte{} // the transitions of a label in all contexts
	c.left.trace(traces, 0)
	c.ahead.trace(traces, 1)
	number := map[string]int32{}
	for _, label := range c.Alphabet {
		trace := string(traces[label])
		if _, ok := number[trace]; !ok {
			number[trace] = int32(len(number))
		}
		c.kinds = append(c.kinds, number[trace])
	}
	c.copied = make([]int32, len(number))
	kinds := map[int32]int32{c.Begin: int32(len(number)), c.End: int32(len(number)) + 1}
	for i, label := range c.Alphabet {
		kinds[label] = c.kinds[i]
	}
	c.before, c.behind = newOrder(&c.left, kinds, false), newOrder(&c.ahead, kinds, true)
}

// number returns the state for m.
func (c *compiler[W]) number(m memory) int32 {
	m.left, m.barred, m.place = c.before.least(m.left), c.behind.least(m.barred), c.behind.least(m.place)
	var promised [][]int32
	for _, p := range m.promised {
		promised = promise(promised, c.behind.least(p))
	}
	m.promised = c.behind.strictest(promised)
	c.key = m.key(c.key[:0])
	if s, ok := c.numbers[string(c.key)]; ok {
		return s
	}
	s := c.builder.AddState()
	c.numbers[string(c.key)] = s
	c.queue = append(c.queue, m)
	c.size += 1 + len(m.left) + len(m.barred) + len(m.place)
	for _, p := range m.promised {
		c.size += len(p)
	}
	return s
}

// key appends an encoding of m that is unique to it.
func (m memory) key(key []byte) []byte {
	var inserted int64
	if m.inserted {
		inserted = 1
	}
	key = binary.AppendVarint(key, int64(m.part))
	key = binary.AppendVarint(binary.AppendVarint(key, int64(m.change)), inserted)
	for _, set := range [][]int32{m.left, m.barred, m.place} {
		key = appendSet(key, set)
	}
	for _, set := range m.promised {
		key = appendSet(key, set)
	}
	return key
}

func appendSet(key []byte, set []int32) []byte {
	key = binary.AppendUvarint(key, uint64(len(set)))
	for _, s := range set {
		key = binary.AppendUvarint(key, uint64(s))
	}
	return key
}

// turn is the memory after a decision at a position, and the weight of the decision.
type turn[W any] struct {
	memory
	weight W
}

// between adds the arcs of a state between changes, which begin a change or copy a label. At most
// one insertion is made, before anything else.
func (c *compiler[W]) between(s int32, m memory, end int32) {
	turns := []turn[W]{{m, c.names.Semiring().One()}}
	if !m.inserted {
		turns = c.decide(s, turns[0], c.matching(m.left, true))
	}
	changes := c.matching(m.left, false)
	for _, t := range turns {
		if c.ahead.accepts(t.barred) {
			continue
		}
		for _, stay := range c.decide(s, t, changes) {
			c.copy(s, stay.memory, stay.weight, end)
		}
	}
}

// decide adds the arcs that begin one of the changes of parts, and returns the memories for the
// case that no change begins.
func (c *compiler[W]) decide(s int32, t turn[W], parts []int32) []turn[W] {
	var here []int32 // of the φ ρ that may begin here
	for _, part := range parts {
		here = union(here, c.ahead.starts[part])
	}
	for _, part := range parts {
		c.begin(s, t, part, here)
	}
	if len(here) == 0 || c.Application == Optional && c.Coin == nil {
		return []turn[W]{t}
	}
	barred := t
	barred.barred = union(t.barred, here)
	if c.Application == Obligatory {
		return []turn[W]{barred}
	}
	// Either no change can begin, or one can and does not.
	if !c.ahead.accepts(here) {
		t.promised = promise(t.promised, here)
	}
	t.weight = c.names.Semiring().Times(t.weight, c.Coin.Tails)
	return []turn[W]{barred, t}
}

// begin adds the arcs that begin the change of a part; here contains the starts of all φ ρ that may
// begin.
func (c *compiler[W]) begin(s int32, t turn[W], part int32, here []int32) {
	ring, m, w := c.names.Semiring(), t.memory, t.weight
	if m.part, m.inserted = part, false; c.Match != Any {
		m.place = c.ahead.changes(here)
	}
	if c.Coin != nil {
		w = ring.Times(w, c.Coin.Heads)
	}
	for _, start := range c.parts[part].change.AppendStarts(nil) {
		m.change = start.State
		c.arc(s, fst.Arc[W]{Weight: ring.Times(w, start.Weight)}, m)
	}
}

// copy adds the arcs of weight w that copy a label, and makes s final if the string may end.
func (c *compiler[W]) copy(s int32, m memory, w W, end int32) {
	if c.ahead.accepts(m.barred) {
		return
	}
	m.inserted = false
	clear(c.copied)
	for i, label := range c.Alphabet {
		kind := c.kinds[i]
		if c.copied[kind] == 0 {
			c.copied[kind] = -1
			if to, ok := c.read(m, label); ok {
				to.left = c.readLeft(to.left, label)
				c.copied[kind] = 1 + c.number(to)
			}
		}
		if to := c.copied[kind] - 1; to >= 0 {
			c.builder.AddArc(s, fst.Arc[W]{In: label, Out: label, To: to, Weight: w})
			c.size++
		}
	}
	if m, ok := c.read(m, end); ok && len(m.promised) == 0 {
		c.builder.SetFinal(s, w)
	}
}

// matching returns the parts of rules whose left context matches, ascending: insertions or
// others.
func (c *compiler[W]) matching(left []int32, inserts bool) []int32 {
	var parts []int32
	for _, s := range left {
		rule := c.left.accept[s]
		if rule < 0 {
			continue
		}
		for _, part := range c.partOf[rule] {
			if c.parts[part].inserts == inserts {
				parts = append(parts, part)
			}
		}
	}
	return union(parts)
}

// within adds the arcs of a state within a change: the arcs of the change, and one that
// ends it.
func (c *compiler[W]) within(s int32, m memory) {
	f := c.parts[m.part].change
	ring := f.Semiring()
	if w := f.Final(m.change); !ring.IsZero(w) {
		if to, ok := c.ended(m); ok {
			c.arc(s, fst.Arc[W]{Weight: w}, to)
		}
	}
	for _, a := range f.AppendArcs(nil, m.change) {
		to, ok := m, true
		if a.In != fst.Epsilon {
			if !c.letter[a.In] {
				continue
			}
			to, ok = c.readChange(to, a.In)
		}
		seen := a.Out
		if c.Direction == Simultaneous {
			seen = a.In
		}
		if seen != fst.Epsilon {
			to.left = c.readLeft(to.left, seen)
		}
		if to.change = a.To; ok {
			c.arc(s, a, to)
		}
	}
}

// ended returns the memory after the current change of m. It returns false if an earlier rule with
// the same φ has to be applied instead. With Longest, a longer φ must not follow.
func (c *compiler[W]) ended(m memory) (memory, bool) {
	inserts := c.parts[m.part].inserts
	if c.Match != Any {
		before := c.ahead.following(m.place, m.part)
		if c.ahead.accepts(before) {
			return m, false
		}
		m.barred = union(m.barred, before)
	}
	if c.Match == Longest && !inserts {
		m.barred = union(m.barred, m.place)
	}
	if follow := c.ahead.follow[m.part]; !c.ahead.accepts(follow) {
		m.promised = promise(m.promised, follow)
	}
	m.part, m.change, m.inserted, m.place = -1, -1, inserts, nil
	return m, true
}

// readChange returns the memory after a change has read one more label. It returns false if the
// label is not allowed: with Shortest, if a φ could have ended before it.
func (c *compiler[W]) readChange(m memory, label int32) (memory, bool) {
	if c.Match == Shortest {
		m.barred = union(m.barred, c.ahead.following(m.place, int32(len(c.parts))))
		if c.ahead.accepts(m.barred) {
			return m, false
		}
	}
	if c.Match != Any {
		m.place = c.ahead.changes(c.ahead.step(m.place, label))
	}
	return c.read(m, label)
}

func (c *compiler[W]) arc(from int32, a fst.Arc[W], to memory) {
	a.To = c.number(to)
	c.builder.AddArc(from, a)
	c.size++
}

// readLeft returns the states of left contexts after one more label.
func (c *compiler[W]) readLeft(left []int32, label int32) []int32 {
	return union(c.left.step(left, label), c.always)
}

// read updates m.promised and m.barred for one more label of the input. It returns false if a
// promise is broken or a barred φ ρ is complete.
func (c *compiler[W]) read(m memory, label int32) (memory, bool) {
	m.barred = c.ahead.step(m.barred, label)
	if c.ahead.accepts(m.barred) {
		return m, false
	}
	var promised [][]int32
	for _, p := range m.promised {
		p = c.ahead.step(p, label)
		if len(p) == 0 {
			return m, false
		}
		if !c.ahead.accepts(p) {
			promised = promise(promised, p)
		}
	}
	m.promised = promised
	return m, true
}

// promise returns promised with p inserted, in a fixed order.
func promise(promised [][]int32, p []int32) [][]int32 {
	at, ok := slices.BinarySearchFunc(promised, p, slices.Compare[[]int32])
	if ok {
		return promised
	}
	return slices.Insert(slices.Clone(promised), at, p)
}
