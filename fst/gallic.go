package fst

import (
	"slices"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// gallic is the weight of a transducer's arcs when the output is part of the weight. The
// original weight is represented by a number (see numbered). So a single copy of the operations
// on transducers, compiled in this package, serves all rings, and users of the package do not
// compile another copy for each ring.
type gallic = semiring.Pair[semiring.Word, int]

// withWords applies operate to f as an acceptor of its input, with outputs in the weights, and
// returns the result as a transducer. The error wraps semiring.ErrCapability if the ring is not
// a Divider and a Keyer.
func withWords[W any](f *FST[W], operate func(g *FST[gallic], n numbers) (*FST[gallic], error)) (*FST[W], error) {
	of, err := newRingResiduals(f.ring)
	if err != nil {
		return nil, err
	}
	g, weights := toGallic(f)
	if g, err = operate(g, numberedWeights[W]{weights, of}); err != nil {
		return nil, err
	}
	return fromGallic(g, weights, f)
}

// toGallic returns f as an acceptor of its input, with outputs in the weights, and the ring
// whose numbers represent the original weights.
func toGallic[W any](f *FST[W]) (*FST[gallic], *numbered[W]) {
	ring := numberedOf(f.ring)
	ring.weights = slices.Grow(ring.weights, f.NumArcs()+f.NumStates()+len(f.starts))
	first := len(ring.weights)
	ring.weights = append(append(ring.weights, f.arcs.w...), f.final...)
	starts := make([]Start[int], len(f.starts))
	for i, s := range f.starts {
		starts[i] = Start[int]{State: s.State, Weight: ring.number(s.Weight)}
	}
	g := gallicOf(f.labels, f.arcs.to, first, starts, ring)
	g.inSymbols, g.outSymbols = f.inSymbols, f.outSymbols
	return g, ring
}

// gallicOf returns the acceptor with these states and arcs, whose outputs become part of the
// weights. The numbers of the arc weights, followed by those of the final weights, begin at
// first.
func gallicOf(x *labels, to []int32, first int, starts []Start[int], b semiring.Semiring[int]) *FST[gallic] {
	ring := semiring.Gallic(b)
	words := map[int32]semiring.Word{Epsilon: semiring.NewWord()}
	states := len(x.row) - 1
	d := &draft[gallic]{row: x.row[:states:states]}
	d.arcs = arcs[gallic]{x.in, x.in, to, make([]gallic, len(to))}
	for e, label := range x.out {
		word, ok := words[label]
		if !ok {
			word = semiring.NewWord(label)
			words[label] = word
		}
		d.arcs.w[e] = gallic{First: word, Second: first + e}
	}
	for _, s := range starts {
		d.start(s.State, gallic{First: words[Epsilon], Second: s.Weight})
	}
	d.final = make([]gallic, states)
	for s := range d.final {
		w := first + len(to) + s
		d.final[s] = gallic{First: words[Epsilon], Second: w}
		if b.IsZero(w) {
			d.final[s] = ring.Zero()
		}
	}
	g, err := d.freeze(ring)
	if err != nil {
		panic(err.Error()) // it is as large as the transducer
	}
	return g
}

// determined, disambiguated and minimizedWords are the operations on acceptors for the weight
// type gallic. They are not inlined, so they are compiled with this package and not with its
// users.

//go:noinline
func determined(f *FST[gallic], r residuals[gallic], o Options) (*FST[gallic], error) {
	return determinize(f, r, o)
}

//go:noinline
func disambiguated(f *FST[gallic], r residuals[gallic], o Options) (*FST[gallic], error) {
	return disambiguate(f, r, o)
}

// fromGallic returns f as a transducer over the ring of like. A word of several labels becomes
// a chain of arcs that read ε; chains with the same suffix share it. The numbers in f are
// numbers of ring.
func fromGallic[W any](f *FST[gallic], ring *numbered[W], like *FST[W]) (*FST[W], error) {
	x := unroll(f)
	d := &draft[W]{row: x.row}
	d.arcs = arcs[W]{x.arcs.in, x.arcs.out, x.arcs.to, make([]W, len(x.arcs.w))}
	for e, w := range x.arcs.w {
		d.arcs.w[e] = ring.weights[w]
	}
	d.final = make([]W, len(x.final))
	for s, w := range x.final {
		d.final[s] = ring.weights[w]
	}
	for _, s := range x.starts {
		d.start(s.State, ring.weights[s.Weight])
	}
	return d.freezeLike(like)
}

// unroll is fromGallic with numbers for weights.
func unroll(f *FST[gallic]) *draft[int] {
	x := &unrolling{first: int32(f.NumStates()), final: -1}
	d := new(draft[int])
	end := func(to int32, w gallic) (label, state int32, weight int) {
		label, state = x.chain(w.First, to)
		return label, state, w.Second
	}
	for s, w := range f.final {
		empty := w.First.Len() == 0 // or infinite
		if empty {
			d.state(w.Second)
		} else {
			d.state(numberedZero)
		}
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			out, to, weight := end(f.arcs.to[e], f.arcs.w[e])
			addArc(&d.arcs, f.arcs.in[e], out, to, weight)
		}
		if !empty {
			out, to, weight := end(x.finalState(), w)
			addArc(&d.arcs, Epsilon, out, to, weight)
		}
	}
	for _, s := range f.starts {
		out, to, weight := end(s.State, s.Weight)
		if out == Epsilon {
			d.start(to, weight)
			continue
		}
		d.start(x.link(out, to), weight)
	}
	x.append(d)
	return d
}

// unrolling creates states with a single arc, which reads ε and writes one label.
type unrolling struct {
	first int32                  // number of the first such state
	table keytable.Table[uint64] // label and target
	final int32                  // the final state without arcs, −1 before it exists
}

// link returns the state with an arc ε:label to state to.
func (x *unrolling) link(label, to int32) int32 {
	n, _ := x.table.Number(keytable.Pair(label, to))
	return x.first + n
}

// chain returns the first label of word, ε if it is empty, and the state from which the
// remaining labels are written on the way to state to.
func (x *unrolling) chain(word semiring.Word, to int32) (label, state int32) {
	if word.Len() == 0 {
		return Epsilon, to
	}
	labels := word.Labels()
	for i := len(labels) - 1; i > 0; i-- {
		to = x.link(labels[i], to)
	}
	return labels[0], to
}

// finalState returns the final state without arcs. Its key differs from the keys of links.
func (x *unrolling) finalState() int32 {
	if x.final < 0 {
		n, _ := x.table.Number(finalKey)
		x.final = x.first + n
	}
	return x.final
}

const finalKey = 1<<64 - 1

// append adds the states to d.
func (x *unrolling) append(d *draft[int]) {
	for _, key := range x.table.Keys() {
		if key == finalKey {
			d.state(numberedOne)
			continue
		}
		d.state(numberedZero)
		label, to := keytable.Unpair(key)
		addArc(&d.arcs, Epsilon, label, to, numberedOne)
	}
}

// numbered is a ring of numbers that represent the weights of another ring: indexes into a
// table, which grows with every result. Code that computes with numbers is compiled once for
// all rings, and a number needs no allocation. The table serves one operation in one goroutine
// and keeps all its weights until the end.
type numbered[W any] struct {
	ring    semiring.Semiring[W]
	weights []W // the first two are 0̄ and 1̄
}

// The numbers of 0̄ and 1̄.
const numberedZero, numberedOne = 0, 1

func numberedOf[W any](ring semiring.Semiring[W]) *numbered[W] {
	return &numbered[W]{ring, []W{ring.Zero(), ring.One()}}
}

// number returns a number that represents w.
func (r *numbered[W]) number(w W) int {
	r.weights = append(r.weights, w)
	return len(r.weights) - 1
}

func (r *numbered[W]) Zero() int          { return numberedZero }
func (r *numbered[W]) One() int           { return numberedOne }
func (r *numbered[W]) Plus(a, b int) int  { return r.number(r.ring.Plus(r.weights[a], r.weights[b])) }
func (r *numbered[W]) IsZero(a int) bool  { return r.ring.IsZero(r.weights[a]) }
func (r *numbered[W]) Times(a, b int) int { return r.number(r.ring.Times(r.weights[a], r.weights[b])) }

// numbers is the ring, and the arithmetic, of numbers that represent weights.
type numbers interface {
	semiring.Semiring[int]
	arithmetic[int]
	inRange(x, a, b int) bool // x, a product or a quotient of a and b, or a sum if all are one
	compare(a, b int) int     // only if the ring is Ordered
}

// numberedWeights is a numbered ring whose weights are parts of residuals.
type numberedWeights[W any] struct {
	*numbered[W]
	of *ringResiduals[W]
}

func (n numberedWeights[W]) times(a, b int) (int, bool) {
	x, ok := n.of.times(n.weights[a], n.weights[b])
	return n.number(x), ok
}

func (n numberedWeights[W]) rest(divisor, a int) (int, error) {
	x, err := n.of.rest(n.weights[divisor], n.weights[a])
	return n.number(x), err
}

func (n numberedWeights[W]) inRange(x, a, b int) bool {
	return n.of.ranges.has(n.weights[x], n.weights[a], n.weights[b])
}

func (n numberedWeights[W]) AppendKey(dst []byte, a int, delta float64) []byte {
	return n.of.AppendKey(dst, n.weights[a], delta)
}

func (n numberedWeights[W]) apart(a, b int) bool { return n.of.apart(n.weights[a], n.weights[b]) }
func (n numberedWeights[W]) measured() bool      { return n.of.measured() }
func (n numberedWeights[W]) text(a int) string   { return n.of.text(n.weights[a]) }
func (n numberedWeights[W]) TypeName() string    { return n.of.TypeName() }
func (n numberedWeights[W]) compare(a, b int) int {
	return n.of.order.Compare(n.weights[a], n.weights[b])
}
