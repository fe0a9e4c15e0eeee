package fst

import (
	"fmt"
	"math"
	"reflect"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Builder builds an FST: add states, arcs, starts and final weights in any order, then call
// Freeze, which reports mistakes.
type Builder[W any] struct {
	ring                  semiring.Semiring[W]
	final                 []W
	starts                []Start[W]
	full                  []added[W] // earlier arcs
	added[W]                         // the latest arcs
	inSymbols, outSymbols *Symbols
	allowZero             bool
	err                   error
}

// added holds some arcs of a Builder and their source states.
type added[W any] struct {
	from []int32
	arcs []Arc[W]
}

// NewBuilder returns a Builder of machines over ring.
func NewBuilder[W any](ring semiring.Semiring[W]) *Builder[W] {
	nonnil.Check("fst: NewBuilder", "ring", ring)
	return &Builder[W]{ring: ring}
}

// AddState adds a state that is neither initial nor final and returns its number:
// 0, 1, 2, ….
func (b *Builder[W]) AddState() int32 { return b.AddStates(1) }

// AddStates adds n states and returns the number of the first. It panics if n is
// negative.
func (b *Builder[W]) AddStates(n int) int32 {
	if n < 0 {
		panic(fmt.Sprintf("fst: AddStates(%d)", n))
	}
	first := len(b.final)
	if first+n > maxLimit {
		b.fail(nested.Errorf("fst: %w: %d states, of at most %d", semiring.ErrLimit, first+n, maxLimit))
		return 0
	}
	for range n {
		b.final = append(b.final, b.ring.Zero())
	}
	return int32(first)
}

// AddArc adds the arc (from, a.In:a.Out/a.Weight, a.To). Both states may be added
// later. Arcs that leave one state keep the order in which they were added.
func (b *Builder[W]) AddArc(from int32, a Arc[W]) {
	if n := len(b.arcs); n >= chunkArcs && n == cap(b.arcs) {
		// Longer arrays would leave behind as much memory as they take, each time they grow.
		b.full = append(b.full, b.added)
		b.added = added[W]{make([]int32, 0, chunkArcs), make([]Arc[W], 0, chunkArcs)}
	}
	b.from = append(b.from, from)
	b.arcs = append(b.arcs, a)
}

// allAdded returns all arcs, in the order in which they were added, and their number.
func (b *Builder[W]) allAdded() (parts []added[W], n int) {
	parts = append(b.full, b.added)
	for _, p := range parts {
		n += len(p.arcs)
	}
	return parts, n
}

// AddStart makes state s initial with weight w. A state may be made initial
// several times; the weights add up.
func (b *Builder[W]) AddStart(s int32, w W) {
	b.starts = append(b.starts, Start[W]{State: s, Weight: w})
}

// SetFinal sets the final weight of state s, which must have been added.
func (b *Builder[W]) SetFinal(s int32, w W) {
	if uint32(s) >= uint32(len(b.final)) {
		b.fail(nested.Errorf("fst: %w: final weight for state %d of %d", ErrInvalid, s, len(b.final)))
		return
	}
	b.final[s] = w
}

// SetSymbols sets the names of input and output labels; nil, the default, means
// that labels have no names.
func (b *Builder[W]) SetSymbols(in, out *Symbols) { b.inSymbols, b.outSymbols = in, out }

// AllowZero lets arcs have the weight Zero. Without it, Freeze rejects Zero as a forgotten
// weight. Use it if weights are computed or read, and may legitimately be Zero. It applies to
// all further machines of the Builder.
func (b *Builder[W]) AllowZero() { b.allowZero = true }

func (b *Builder[W]) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Freeze returns the machine. The Builder is then empty in any case, ready for the next machine
// over the same ring.
//
// The error wraps ErrInvalid if a state does not exist, a label is negative, or a weight is not
// a number; the last is only detected if the ring is a semiring.Metric. The error also wraps
// ErrInvalid if the Weight of an arc seems to be forgotten, unless AllowZero was called. A
// forgotten weight is detected if the zero value of W is Zero, as in semiring.Real and an
// expr.Space. In semiring.Tropical and semiring.Log the zero value is One: there an arc without
// Weight costs 0. The error wraps semiring.ErrLimit for more than 2³¹−1 states or arcs.
// O(states + arcs).
func (b *Builder[W]) Freeze() (*FST[W], error) {
	done := *b
	*b = Builder[W]{ring: done.ring, allowZero: done.allowZero}
	if err := done.check(); err != nil {
		return nil, err
	}
	f, err := done.draft().freeze(done.ring)
	if err != nil {
		return nil, err
	}
	f.inSymbols, f.outSymbols = done.inSymbols, done.outSymbols
	return f, nil
}

// OneState returns a machine with one state, which is initial with the weight One and has the
// given final weight. It reads any sequence of the arcs, which must all lead back to the state.
// Err wraps the errors of Freeze.
//
//	flip := fst.OneState(semiring.Real{}, .5, fst.Arc[float64]{In: 'a', Out: 'b', Weight: .5})
func OneState[W any](ring semiring.Semiring[W], final W, arcs ...Arc[W]) Machine[W] {
	nonnil.Check("fst: OneState", "ring", ring)
	return built("OneState", ring, func() (*FST[W], error) {
		for i, a := range arcs {
			if a.To != 0 {
				return nil, fmt.Errorf("%w: arc %d goes to state %d, want 0, the only one", ErrInvalid, i, a.To)
			}
		}
		return fromArcs(ring, map[int32]W{0: final}, arcs)
	})
}

// FromArcs returns the machine with the arcs arcs[s] at state s, the initial state 0 with the
// weight One, and the given final weights. It has all states that occur in arcs, as source or
// target, or in final. Err is as for OneState.
func FromArcs[W any](ring semiring.Semiring[W], final map[int32]W, arcs ...[]Arc[W]) Machine[W] {
	nonnil.Check("fst: FromArcs", "ring", ring)
	return built("FromArcs", ring, func() (*FST[W], error) { return fromArcs(ring, final, arcs...) })
}

func fromArcs[W any](ring semiring.Semiring[W], final map[int32]W, arcs ...[]Arc[W]) (*FST[W], error) {
	b := NewBuilder(ring)
	last := int32(max(0, len(arcs)-1))
	for s := range final {
		last = max(last, s)
	}
	for s, leaving := range arcs {
		for _, a := range leaving {
			last = max(last, a.To)
			b.AddArc(int32(s), a)
		}
	}
	if last == math.MaxInt32 {
		return nil, fmt.Errorf("%w: state %d", semiring.ErrLimit, last)
	}
	b.AddStates(int(last) + 1)
	b.AddStart(0, ring.One())
	for s, w := range final {
		b.SetFinal(s, w)
	}
	return b.Freeze()
}

func (b *Builder[W]) check() error {
	if b.err != nil {
		return b.err
	}
	parts, arcs := b.allAdded()
	if arcs > maxLimit {
		return nested.Errorf("fst: %w: %d arcs, of at most %d", semiring.ErrLimit, arcs, maxLimit)
	}
	isNaN := nanTest(b.ring)
	n := uint32(len(b.final))
	first := 0 // number of the first arc of a part
	for k, p := range parts {
		for i, a := range p.arcs {
			switch from := p.from[i]; {
			case uint32(from) >= n:
				return nested.Errorf("fst: %w: arc %d leaves state %d of %d", ErrInvalid, first+i, from, n)
			case uint32(a.To) >= n:
				return nested.Errorf("fst: %w: arc %d from state %d goes to state %d of %d", ErrInvalid, first+i, from, a.To, n)
			case a.In < 0 || a.Out < 0:
				return nested.Errorf("fst: %w: arc %d from state %d has labels %d:%d, want none negative", ErrInvalid, first+i, from, a.In, a.Out)
			case isNaN(a.Weight):
				return nested.Errorf("fst: %w: weight of arc %d from state %d is not a number", ErrInvalid, first+i, from)
			case !b.allowZero && forgotten(b.ring, a.Weight):
				n := 0 // index among the arcs of its state
				for j, earlier := range parts[:k+1] {
					if j == k {
						earlier.from = earlier.from[:i]
					}
					for _, s := range earlier.from {
						if s == from {
							n++
						}
					}
				}
				return nested.Errorf("fst: %w: arc %d of state %d has the weight Zero, which usually means that the field Weight was not set; leave the arc out, or call Builder.AllowZero to keep it", ErrInvalid, n, from)
			}
		}
		first += len(p.arcs)
	}
	for _, s := range b.starts {
		if uint32(s.State) >= n {
			return nested.Errorf("fst: %w: start at state %d of %d", ErrInvalid, s.State, n)
		}
		if isNaN(s.Weight) {
			return nested.Errorf("fst: %w: start weight of state %d is not a number", ErrInvalid, s.State)
		}
	}
	for s, w := range b.final {
		if isNaN(w) {
			return nested.Errorf("fst: %w: final weight of state %d is not a number", ErrInvalid, s)
		}
	}
	return nil
}

// forgotten reports whether w is Zero and also the zero value of W, as if it was never set.
func forgotten[W any](ring semiring.Semiring[W], w W) bool {
	return ring.IsZero(w) && reflect.ValueOf(&w).Elem().IsZero()
}

// nanTest returns a test for weights that are not numbers; it is always false if the ring is
// not a semiring.Metric.
func nanTest[W any](ring semiring.Semiring[W]) func(W) bool {
	m, ok := semiring.As[semiring.Metric[W]](ring)
	if !ok {
		return func(W) bool { return false }
	}
	return func(w W) bool { return math.IsNaN(m.Dist(w, w)) }
}

// draft sorts the arcs by source state with a counting sort.
func (b *Builder[W]) draft() *draft[W] {
	parts, m := b.allAdded()
	n := len(b.final)
	d := new(draft[W])
	d.row, d.starts, d.final = make([]int32, n, n+1), b.starts, b.final
	resizeArcs(&d.arcs, m)
	next := make([]int32, n+1)
	for _, p := range parts {
		for _, s := range p.from {
			next[s+1]++
		}
	}
	for s := range n {
		next[s+1] += next[s]
	}
	copy(d.row, next)
	for _, p := range parts {
		for i, a := range p.arcs {
			e := next[p.from[i]]
			next[p.from[i]]++
			d.arcs.in[e], d.arcs.out[e], d.arcs.to[e], d.arcs.w[e] = a.In, a.Out, a.To, a.Weight
		}
	}
	return d
}

// draft is a machine under construction, with arcs ordered by source state.
type draft[W any] struct {
	row    []int32 // first arc of each state so far
	arcs   arcs[W]
	starts []Start[W]
	final  []W
}

// state starts the next state, whose arcs are added next, and returns its number.
func (d *draft[W]) state(final W) int32 {
	d.row = append(d.row, int32(len(d.arcs.to)))
	d.final = append(d.final, final)
	return int32(len(d.final) - 1)
}

// start makes s initial.
func (d *draft[W]) start(s int32, w W) {
	d.starts = append(d.starts, Start[W]{State: s, Weight: w})
}

// freeze returns the finished machine, which takes over the draft's slices.
func (d *draft[W]) freeze(ring semiring.Semiring[W]) (*FST[W], error) {
	if max(len(d.arcs.to), len(d.final)) > maxLimit {
		return nil, nested.Errorf("fst: %w: more than 2³¹−1 states or arcs", semiring.ErrLimit)
	}
	row, a := append(d.row, int32(len(d.arcs.to))), d.arcs
	g, err := graph.New(ring, row, a.to, a.w, d.starts, d.final)
	if err != nil {
		return nil, nested.Errorf("fst: %w: %w", ErrInvalid, err)
	}
	return &FST[W]{
		ring:   ring,
		labels: &labels{row: row, in: a.in, out: a.out},
		arcs:   a,
		starts: d.starts,
		final:  d.final,
		sorted: new(sorted[W]),
		graph:  g,
	}, nil
}

// freezeLike is freeze with the ring and the symbols of f.
func (d *draft[W]) freezeLike(f *FST[W]) (*FST[W], error) {
	g, err := d.freeze(f.ring)
	if err != nil {
		return nil, err
	}
	g.inSymbols, g.outSymbols = f.inSymbols, f.outSymbols
	return g, nil
}

// stringDraft makes d the machine of FromPair.
func stringDraft[W any](d *draft[W], ring semiring.Semiring[W], in, out []int32) {
	one, zero := ring.One(), ring.Zero()
	d.starts = append(d.starts, Start[W]{Weight: one})
	n := alignLabels(in, out, &d.row, &d.arcs.in, &d.arcs.out, &d.arcs.to)
	for range n {
		d.arcs.w, d.final = append(d.arcs.w, one), append(d.final, zero)
	}
	d.final = append(d.final, one)
}

// alignLabels appends the rows, labels and targets of the machine of a pair of strings, and
// returns the number of its arcs.
//
//go:noinline
func alignLabels(in, out []int32, row, ins, outs, to *[]int32) int {
	n := max(len(in), len(out))
	for i := range n {
		x, y := labelAt(in, i), labelAt(out, i)
		if x < 0 || y < 0 {
			panic(fmt.Sprintf("fst: labels %d:%d at position %d of a string, want none negative", x, y, i))
		}
		*row = append(*row, int32(i))
		*ins, *outs, *to = append(*ins, x), append(*outs, y), append(*to, int32(i+1))
	}
	*row = append(*row, int32(n))
	return n
}

func labelAt(labels []int32, i int) int32 {
	if i < len(labels) {
		return labels[i]
	}
	return Epsilon
}
