package rewrite

import (
	"encoding/binary"
	"fmt"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// compiler explores what has to be remembered, from the left to the right.
type compiler[W any] struct {
	Options
	changes []*fst.FST[W]
	left    contexts // λ of every rule
	right   contexts // ρ
	whole   contexts // φ ρ

	names   *fst.FST[W] // a machine with the ring and the symbols of all, nil at first
	before  []int32     // the start states of left, which every left context includes
	builder *fst.Builder[W]
	letter  map[int32]bool // of the alphabet
	numbers map[string]int32
	queue   []memory // by number
	size    int      // of what counts toward the limit
}

// memory is what is remembered at a place.
type memory struct {
	rule, change int32 // in which rule and state of its change; -1 between changes
	// moved is, within a change, whether it has read a label, and between changes,
	// whether one could begin: the last did not read nothing.
	moved    bool
	left     []int32   // states of left contexts
	promised [][]int32 // of each ρ that has to follow
	barred   []int32   // of the φ ρ that must not follow
}

func newCompiler[W any](o Options) *compiler[W] {
	c := &compiler[W]{Options: o, numbers: map[string]int32{}, letter: map[int32]bool{}}
	for _, l := range o.Alphabet {
		c.letter[l] = true
	}
	return c
}

// join takes account of the ring and the symbols of a rule.
func (c *compiler[W]) join(r Rule[W]) error {
	all := []fst.Machine[W]{fst.ProjectOut(r.Change)}
	for _, f := range []*fst.FST[W]{r.Left, r.Right, c.names} {
		if f != nil {
			all = append(all, f)
		}
	}
	m, err := fst.Union(fst.ProjectIn(r.Change), all...)
	if err != nil {
		return err
	}
	f, err := fst.Expand(m, 0)
	if err == nil {
		c.names = fst.FromString(f.Semiring(), nil).WithSymbols(f.InSymbols(), f.OutSymbols())
	}
	return err
}

// add adds a rule.
func (c *compiler[W]) add(r Rule[W]) error {
	whole := r.Change
	if r.Right != nil {
		m, err := fst.Concat(fst.ProjectIn(r.Change), fst.Machine[W](r.Right))
		if err != nil {
			return err
		}
		if whole, err = fst.Expand(m, 0); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		to *contexts
		f  *fst.FST[W]
	}{{&c.left, r.Left}, {&c.right, r.Right}, {&c.whole, whole}} {
		if err := add(x.to, x.f, c.Limit); err != nil {
			return err
		}
	}
	c.changes = append(c.changes, r.Change)
	return nil
}

func (c *compiler[W]) compile() (*fst.FST[W], error) {
	ring := c.changes[0].Semiring()
	c.builder = fst.NewBuilder(ring)
	c.builder.SetSymbols(c.names.InSymbols(), c.names.OutSymbols())
	c.before = union(c.left.starts...)
	begin, end := c.Begin, c.End
	if c.Direction == RightToLeft {
		begin, end = end, begin
	}
	first := memory{rule: -1, change: -1, moved: true, left: c.before}
	if begin != 0 {
		first.left = c.readLeft(first.left, begin)
	}
	c.builder.AddStart(c.number(first), ring.One())
	for s := 0; s < len(c.queue); s++ {
		m := c.queue[s]
		if m.rule < 0 {
			c.between(int32(s), m, end)
		} else {
			c.within(int32(s), m)
		}
		if c.size > c.Limit {
			return nil, fmt.Errorf("rewrite: %w: more than %d states, arcs and remembered states", semiring.ErrLimit, c.Limit)
		}
	}
	f, err := c.builder.Freeze()
	if err != nil {
		return nil, err
	}
	return fst.Connect(f), nil
}

// number returns the state for m.
func (c *compiler[W]) number(m memory) int32 {
	key := string(m.key())
	if s, ok := c.numbers[key]; ok {
		return s
	}
	s := c.builder.AddState()
	c.numbers[key] = s
	c.queue = append(c.queue, m)
	c.size += 1 + len(m.left) + len(m.barred)
	for _, p := range m.promised {
		c.size += len(p)
	}
	return s
}

// key returns the same bytes for equal memories alone.
func (m memory) key() []byte {
	var moved int64
	if m.moved {
		moved = 1
	}
	key := binary.AppendVarint(nil, int64(m.rule))
	key = binary.AppendVarint(binary.AppendVarint(key, int64(m.change)), moved)
	for _, set := range slices.Concat([][]int32{m.left, m.barred}, m.promised) {
		key = binary.AppendUvarint(key, uint64(len(set)))
		for _, s := range set {
			key = binary.AppendUvarint(key, uint64(s))
		}
	}
	return key
}

// between adds the arcs of a state between changes, which begin a change or copy a
// label.
func (c *compiler[W]) between(s int32, m memory, end int32) {
	ring := c.changes[0].Semiring()
	copying := m
	if m.moved {
		for _, rule := range c.matching(m.left) {
			for _, start := range c.changes[rule].AppendStarts(nil) {
				to := m
				to.rule, to.change, to.moved = rule, start.State, false
				c.arc(s, fst.Arc[W]{Weight: start.Weight}, to)
			}
			if c.Application == Obligatory {
				copying.barred = union(copying.barred, c.whole.starts[rule])
			}
		}
	}
	if c.whole.accepts(copying.barred) {
		return
	}
	copying.moved = true
	for _, label := range c.Alphabet {
		if to, ok := c.read(copying, label); ok {
			to.left = c.readLeft(to.left, label)
			c.arc(s, fst.Arc[W]{In: label, Out: label, Weight: ring.One()}, to)
		}
	}
	if end != 0 {
		var ok bool
		if copying, ok = c.read(copying, end); !ok {
			return
		}
	}
	if len(copying.promised) == 0 {
		c.builder.SetFinal(s, ring.One())
	}
}

// matching returns the rules whose left context matches, ascending.
func (c *compiler[W]) matching(left []int32) []int32 {
	var rules []int32
	for _, s := range left {
		if rule := c.left.accept[s]; rule >= 0 {
			rules = append(rules, rule)
		}
	}
	return union(rules)
}

// within adds the arcs of a state within a change: the arcs of the change, and one that
// ends it.
func (c *compiler[W]) within(s int32, m memory) {
	f := c.changes[m.rule]
	ring := f.Semiring()
	if w := f.Final(m.change); !ring.IsZero(w) {
		to := m
		to.rule, to.change = -1, -1
		if start := c.right.starts[m.rule]; !c.right.accepts(start) {
			to.promised = promise(m.promised, start)
		}
		c.arc(s, fst.Arc[W]{Weight: w}, to)
	}
	for _, a := range f.AppendArcs(nil, m.change) {
		to, ok := m, true
		if a.In != fst.Epsilon {
			if !c.letter[a.In] {
				continue
			}
			to.moved = true
			to, ok = c.read(to, a.In)
		}
		seen := a.Out
		if c.Direction == AtOnce {
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

func (c *compiler[W]) arc(from int32, a fst.Arc[W], to memory) {
	a.To = c.number(to)
	c.builder.AddArc(from, a)
	c.size++
}

// readLeft returns the states of left contexts after one more label.
func (c *compiler[W]) readLeft(left []int32, label int32) []int32 {
	return union(c.left.step(left, label), c.before)
}

// read returns what is promised and barred after one more label of the input, false if
// a promise is broken or what was barred has followed.
func (c *compiler[W]) read(m memory, label int32) (memory, bool) {
	m.barred = c.whole.step(m.barred, label)
	if c.whole.accepts(m.barred) {
		return m, false
	}
	var promised [][]int32
	for _, p := range m.promised {
		p = c.right.step(p, label)
		if len(p) == 0 {
			return m, false
		}
		if !c.right.accepts(p) {
			promised = promise(promised, p)
		}
	}
	m.promised = promised
	return m, true
}

// promise returns promised with one more, in a fixed order.
func promise(promised [][]int32, p []int32) [][]int32 {
	at, ok := slices.BinarySearchFunc(promised, p, slices.Compare[[]int32])
	if ok {
		return promised
	}
	return slices.Insert(slices.Clone(promised), at, p)
}
