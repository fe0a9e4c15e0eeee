package edit

import (
	"cmp"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// readerLimit bounds the arcs of a reader.
const readerLimit = 1 << 22

// Reader returns the machine that reads a string and writes its Labels, with weights 1 over m's
// Params: a stage before the model's machine, which other stages may precede.
//
//	cascade.Problem{Params: m.Params, Stages: []cascade.Stage{language, reader, m.Stages[0]}}
//
// The reader has one path for each string of symbols that the model knows. A state combines a left
// context with a guess of the right context. For contexts of one symbol on each side the reader has
// the square of the alphabet in states and its cube in arcs. The error wraps semiring.ErrLimit for
// more than 1<<22 arcs. The reader of a memoryless model copies its symbols.
func (m *Model) Reader() (*fst.FST[expr.W], error) {
	ring := semiring.Semiring[expr.W](m.Params.Space())
	if m.contexts != nil {
		return reader(m.contexts, ring, machines.Exprs)
	}
	var paths []fst.Arc[expr.W]
	seen := map[int32]bool{fst.Epsilon: true}
	f, err := m.machine()
	if err != nil {
		return nil, err
	}
	for _, l := range f.In() {
		if !seen[l] {
			seen[l] = true
			paths = append(paths, fst.Arc[expr.W]{In: l, Out: l, Weight: expr.One})
		}
	}
	b := machines.Exprs.NewBuilder(ring)
	s := b.AddState()
	b.AddStart(s, expr.One)
	b.SetFinal(s, expr.One)
	for _, a := range paths {
		b.AddArc(s, a)
	}
	return b.Freeze()
}

// reader returns the machine that writes the labels of a string, over any ring. One automaton reads
// from the left and determines the left context of a symbol; another reads from the right and
// determines the right context. A state is a pair of their states. The right state is guessed, and
// each arc checks that it follows from its successor.
func reader[W any](c *contexts, ring semiring.Semiring[W], of machines.Operations[W]) (*fst.FST[W], error) {
	left, right, alphabet := c.sides()
	if n := float64(len(left.known)) * float64(len(right.known)) * float64(len(alphabet)); n > readerLimit {
		return nil, nested.Errorf("edit: %w: a reader of contexts would have up to %.0f arcs, want at most %d", semiring.ErrLimit, n, readerLimit)
	}
	type arc struct{ symbol, after int32 }
	into := make([][]arc, len(right.known)) // per state of right: the arcs into it
	for r := range right.known {
		for _, a := range alphabet {
			to := right.next(int32(r), a)
			into[to] = append(into[to], arc{a, int32(r)})
		}
	}
	b := of.NewBuilder(ring)
	b.SetSymbols(nil, c.names)
	b.AddStart(b.AddState(), ring.One())
	type state struct{ l, r int32 }
	number := map[state]int32{}
	var queue []state
	visit := func(s state) int32 {
		n, ok := number[s]
		if !ok {
			n = b.AddState()
			number[s] = n
			queue = append(queue, s)
			if s.r == right.start {
				b.SetFinal(n, ring.One())
			}
		}
		return n
	}
	write := func(from, in, symbol, l int32, to state) {
		if label, ok := c.label(left.known[l], symbol, right.known[to.r]); ok {
			b.AddArc(from, fst.Arc[W]{In: in, Out: label, Weight: ring.One(), To: visit(to)})
		}
	}
	for r := range right.known {
		write(0, fst.Epsilon, boundary, left.start, state{left.start, int32(r)})
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, a := range into[s.r] {
			write(number[s], a.symbol, a.symbol, s.l, state{left.next(s.l, a.symbol), a.after})
		}
	}
	f, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	return of.Connect(f, nil)
}

// label returns the label of the widest labeled context of a symbol between the given left and
// right contexts, each with the nearest symbol last.
func (c *contexts) label(left []int32, symbol int32, right []int32) (int32, bool) {
	for _, w := range c.windows {
		if w.Left > len(left) || w.Right > len(right) {
			continue // no context begins or ends like this
		}
		x := append(slices.Clone(left[len(left)-w.Left:]), symbol)
		for d := range w.Right {
			x = append(x, right[len(right)-1-d])
		}
		if label, ok := c.names.Find(place{x, w.Left}.context(w)); ok {
			return label, true
		}
	}
	return 0, false
}

// sides returns automata for the left and right sides of the contexts, and the symbols in the
// middle.
func (c *contexts) sides() (left, right *suffixes, alphabet []int32) {
	left, right = newSuffixes(), newSuffixes()
	for label, name := range c.names.All() {
		if label == fst.Epsilon {
			continue
		}
		l, x := parseContext(name)
		left.add(x[:l])
		r := slices.Clone(x[l+1:])
		slices.Reverse(r)
		right.add(r)
		if x[l] != boundary && !slices.Contains(alphabet, x[l]) {
			alphabet = append(alphabet, x[l])
		}
	}
	left.begin()
	right.begin()
	return left, right, alphabet
}

// suffixes is an automaton whose states are the prefixes of some strings. After any string, its
// state is the longest of these prefixes that is a suffix of the string (Aho and Corasick 1975).
type suffixes struct {
	known   [][]int32 // per state
	child   map[step]int32
	shorter []int32 // per state: its longest proper suffix that is a state
	start   int32   // after boundaries alone
}

// step is a symbol after a state.
type step struct{ state, symbol int32 }

func newSuffixes() *suffixes { return &suffixes{known: [][]int32{nil}, child: map[step]int32{}} }

// add adds a string and its prefixes.
func (z *suffixes) add(x []int32) {
	s := int32(0)
	for n, a := range x {
		t, ok := z.child[step{s, a}]
		if !ok {
			t = int32(len(z.known))
			z.child[step{s, a}] = t
			z.known = append(z.known, x[:n+1])
		}
		s = t
	}
}

// begin computes the suffix links of the strings added.
func (z *suffixes) begin() {
	before := make([]int32, len(z.known)) // per state: without its last symbol
	order := make([]int32, len(z.known))
	for i := range order {
		order[i] = int32(i)
	}
	for at, t := range z.child {
		before[t] = at.state
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(len(z.known[a]), len(z.known[b])), cmp.Compare(a, b))
	})
	z.shorter = make([]int32, len(z.known))
	for _, s := range order {
		if n := len(z.known[s]); n > 1 {
			z.shorter[s] = z.next(z.shorter[before[s]], z.known[s][n-1])
		}
	}
	for range z.known[order[len(order)-1]] {
		z.start = z.next(z.start, boundary)
	}
}

// next returns the state after one more symbol.
func (z *suffixes) next(s, symbol int32) int32 {
	for {
		if t, ok := z.child[step{s, symbol}]; ok {
			return t
		}
		if s == 0 {
			return 0
		}
		s = z.shorter[s]
	}
}
