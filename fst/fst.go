package fst

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// FST is a frozen weighted transducer: states 0 … NumStates()−1, several weighted initial
// states λ, final weights ρ, and arcs (p, i:o/w, q) in arrays ordered by p. Build it with a
// Builder, FromString or an operation. It is safe for concurrent use unless an Arena owns it.
// The label indexes for composition are built when first needed and shared with WithWeights,
// WithSemiring and Map.
type FST[W any] struct {
	ring   semiring.Semiring[W]
	labels *labels
	arcs   arcs[W]
	starts []Start[W]
	final  []W
	sorted *sorted[W]
	unit   bool // arc and start weights are One, final weights One or Zero

	inSymbols, outSymbols *Symbols

	graphOnce sync.Once
	graph     *graph.Graph[W] // nil: not built yet
	spare     *graph.Graph[W] // if not nil: a graph whose memory can be reused
	other     *graph.Graph[W] // if not nil: the graph over another ring
}

// sorted holds the arcs in the orders of the label indexes of the two tapes.
type sorted[W any] [2]tape[W]

// tape is a machine's arcs in the order of one of its label indexes.
type tape[W any] struct {
	once  sync.Once
	index *index
	arcs  []Arc[W]
}

// Unexported operations on machines, tapes, arcs and drafts are functions instead of methods:
// methods would be compiled by every package that mentions an FST.

// fill sets t to the arcs a in the order of x.
func fill[W any](t *tape[W], x *index, a *arcs[W]) {
	t.index = x
	t.arcs = t.arcs[:0]
	if len(x.arc) == 0 {
		t.arcs = appendArcs(t.arcs, a, 0, int32(len(a.to)))
		return
	}
	t.arcs = slices.Grow(t.arcs, len(a.to))
	for _, e := range x.arc {
		t.arcs = append(t.arcs, Arc[W]{In: a.in[e], Out: a.out[e], To: a.to[e], Weight: a.w[e]})
	}
}

// arcsAt returns the arcs of state s with this key and this other label, which may
// be anyLabel.
func arcsAt[W any](t *tape[W], s, key, other int32) []Arc[W] {
	at := t.index.find(s, key, other)
	return t.arcs[at.lo:at.hi]
}

// byLabel returns the arcs of f in the order of the labels on a tape.
func byLabel[W any](f *FST[W], on Tape) *tape[W] {
	t := &f.sorted[on]
	t.once.Do(func() { fill(t, f.labels.index(on), &f.arcs) })
	return t
}

// Semiring returns the ring of the weights.
func (f *FST[W]) Semiring() semiring.Semiring[W] { return f.ring }

// AppendStarts appends the initial states to dst.
func (f *FST[W]) AppendStarts(dst []Start[W]) []Start[W] { return append(dst, f.starts...) }

// Final returns the final weight of state s, Zero if s is not final.
func (f *FST[W]) Final(s int32) W { return f.final[s] }

// AppendArcs appends the arcs that leave state s to dst, in the order of In, Out
// and Graph.
func (f *FST[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	return appendArcs(dst, &f.arcs, f.labels.row[s], f.labels.row[s+1])
}

// NumStates returns the number of states.
func (f *FST[W]) NumStates() int { return len(f.final) }

// NumArcs returns the number of arcs.
func (f *FST[W]) NumArcs() int { return len(f.arcs.to) }

// Graph returns the machine without its labels: the states, arcs and weights
// that path sums are taken over. Arc e of the graph has the labels In()[e] and
// Out()[e].
func (f *FST[W]) Graph() *graph.Graph[W] {
	f.graphOnce.Do(func() {
		if f.other != nil {
			f.graph = f.other.WithSemiring(f.ring)
		}
		if f.graph != nil {
			return
		}
		f.graph = f.spare
		if f.graph == nil {
			f.graph = new(graph.Graph[W])
		}
		if err := f.graph.Reset(f.ring, f.labels.row, f.arcs.to, f.arcs.w, f.starts, f.final); err != nil {
			panic("fst: " + err.Error()) // an Arena only makes well-formed machines
		}
	})
	return f.graph
}

// In returns the input label of every arc. It must not be modified.
func (f *FST[W]) In() []int32 { return f.arcs.in }

// Out returns the output label of every arc. It must not be modified.
func (f *FST[W]) Out() []int32 { return f.arcs.out }

// InSymbols returns the names of the input labels, nil if they have none.
func (f *FST[W]) InSymbols() *Symbols { return f.inSymbols }

// OutSymbols returns the names of the output labels, nil if they have none.
func (f *FST[W]) OutSymbols() *Symbols { return f.outSymbols }

// WithSymbols returns f with other names for its labels; nil means none.
func (f *FST[W]) WithSymbols(in, out *Symbols) *FST[W] {
	g := shared(f)
	g.inSymbols, g.outSymbols = in, out
	return g
}

// WithWeights returns a machine with the states, arcs and labels of f and other weights: the
// given starts, weight[e] for arc e, final[s] for state s. It takes ownership of the slices.
// The error wraps ErrInvalid if their lengths or states do not fit.
func (f *FST[W]) WithWeights(weight []W, starts []Start[W], final []W) (*FST[W], error) {
	h, err := f.Graph().WithWeights(weight, starts, final)
	if err != nil {
		return nil, nested.Errorf("fst: %w: %w", ErrInvalid, err)
	}
	g := shared(f)
	g.graph, g.other, g.unit = h, nil, false
	g.arcs.w, g.starts, g.final, g.sorted = weight, starts, final, new(sorted[W])
	return g, nil
}

// WithSemiring returns f over another ring of the same weight type, such as a fork of its
// expr.Space. The weights do not change and must have the same meaning in the new ring. It
// takes constant time.
func (f *FST[W]) WithSemiring(ring semiring.Semiring[W]) *FST[W] {
	nonnil.Check("fst: WithSemiring", "ring", ring)
	g := shared(f)
	if f.other == nil {
		g.graph, g.other = nil, f.Graph()
	}
	g.ring = ring
	return g
}

// withTapes returns f with other labels and names.
func withTapes[W any](f *FST[W], in, out []int32, inSymbols, outSymbols *Symbols) *FST[W] {
	g := shared(f)
	g.arcs.in, g.arcs.out = in, out
	g.labels = &labels{row: f.labels.row, in: in, out: out}
	g.sorted = new(sorted[W])
	g.inSymbols, g.outSymbols = inSymbols, outSymbols
	return g
}

func mapFrozen[A, B any](f *FST[A], ring semiring.Semiring[B], h func(A) B) *FST[B] {
	g := graph.Map(f.Graph(), ring, h)
	return &FST[B]{
		ring: ring, labels: f.labels, arcs: arcs[B]{f.arcs.in, f.arcs.out, f.arcs.to, g.Weights()},
		starts: g.Starts(), final: g.Finals(), sorted: new(sorted[B]), graph: g,
		inSymbols: f.inSymbols, outSymbols: f.outSymbols,
	}
}

// shared returns a copy of f that shares everything with it.
//
//go:noinline
func shared[W any](f *FST[W]) *FST[W] {
	g := &FST[W]{
		ring: f.ring, labels: f.labels, arcs: f.arcs, starts: f.starts, final: f.final, sorted: f.sorted,
		unit: f.unit, inSymbols: f.inSymbols, outSymbols: f.outSymbols, other: f.other,
	}
	if f.other == nil { // otherwise Graph creates it, possibly at this moment
		g.graph = f.graph
	}
	return g
}

// acceptor reports whether the labels of every arc are equal.
func (l *labels) acceptor() bool {
	in, out := l.in, l.out
	return len(in) == 0 || &in[0] == &out[0] || slices.Equal(in, out)
}

// requireAcceptor returns an error that wraps ErrInvalid and names an arc of f with different
// labels, or nil.
func requireAcceptor[W any](f *FST[W]) error {
	if f.labels.acceptor() {
		return nil
	}
	for s := range int32(f.NumStates()) {
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			if x, y := f.arcs.in[e], f.arcs.out[e]; x != y {
				return noAcceptor[W](f, s, int(e-f.labels.row[s]), x, y)
			}
		}
	}
	return nil
}

// noAcceptor returns the error for arc i of state s of m.
func noAcceptor[W any](m Machine[W], s int32, i int, in, out int32) error {
	ins, outs := symbolsOf(m)
	return fmt.Errorf("%w: arc %d of state %d reads %s and writes %s, want an acceptor", ErrInvalid, i, s, ins.Describe(in), outs.Describe(out))
}

// stringLines is the maximum number of lines of arcs and states that String writes.
const stringLines = 100

// String returns f in a readable form, for example for the message of a failed test:
//
//	→ 0/w         state 0 is initial with weight w
//	0 a:b/w → 1   an arc from 0 to 1
//	1/w →         state 1 is final
//
// A weight One is omitted, and a name that contains a blank or one of the signs above is
// quoted. After a hundred lines, only the numbers of states and arcs follow. The form may
// change; WriteText of fstio writes a form that can be read back.
func (f *FST[W]) String() string {
	texter, _ := semiring.As[semiring.Textual[W]](f.ring)
	text := func(w W) string {
		if texter != nil {
			return texter.Format(w)
		}
		return fmt.Sprint(w) // a ring without a text form
	}
	p := printer{labels: f.labels, to: f.arcs.to, inSymbols: f.inSymbols, outSymbols: f.outSymbols, one: text(f.ring.One())}
	for _, s := range f.starts {
		if !p.start(s.State, text(s.Weight)) {
			break
		}
	}
	return p.machine(func(e int32) string { return text(f.arcs.w[e]) },
		func(s int) (string, bool) { return text(f.final[s]), !f.ring.IsZero(f.final[s]) })
}

// printer writes a machine; weights are given as texts, so it does not depend on their type.
type printer struct {
	*labels
	to                    []int32
	inSymbols, outSymbols *Symbols
	one                   string
	b                     strings.Builder
	lines                 int
}

// weight returns the suffix for the weight of a label or a state.
func (p *printer) weight(text string) string {
	if text != p.one {
		return "/" + text
	}
	return ""
}

// line writes a line, and returns false if the limit has been reached.
func (p *printer) line(parts ...string) bool {
	if p.lines++; p.lines > stringLines {
		fmt.Fprintf(&p.b, "… of %d states and %d arcs\n", len(p.row)-1, len(p.to))
		return false
	}
	p.b.WriteString(strings.Join(parts, ""))
	p.b.WriteByte('\n')
	return true
}

// start writes a start. Starts come first.
func (p *printer) start(s int32, weight string) bool {
	return p.line("→ ", strconv.Itoa(int(s)), p.weight(weight))
}

// machine writes the arcs and the final states, and returns the complete text.
func (p *printer) machine(arc func(e int32) string, final func(s int) (text string, ends bool)) string {
	p.states(arc, final)
	return p.b.String()
}

func (p *printer) states(arc func(e int32) string, final func(s int) (text string, ends bool)) {
	if p.lines > stringLines {
		return
	}
	for s, first := range p.row[:len(p.row)-1] {
		from := strconv.Itoa(s)
		for e := first; e < p.row[s+1]; e++ {
			if !p.line(from, " ", p.label(e), p.weight(arc(e)), " → ", strconv.Itoa(int(p.to[e]))) {
				return
			}
		}
		if text, ends := final(s); ends && !p.line(from, p.weight(text), " →") {
			return
		}
	}
}

func (p *printer) label(e int32) string {
	in, out := nameOf(p.inSymbols, p.in[e]), nameOf(p.outSymbols, p.out[e])
	if in == out {
		return in
	}
	return in + ":" + out
}
