package fst

import (
	"fmt"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// RemoveEpsilon returns a machine without arcs ε:ε and with the relation of m. Its states are
// the states of m that are initial or the target of another arc. They replace their ε-arcs by
// the arcs and final weights of the states that the ε-arcs lead to. Arcs with the same labels,
// source and target are merged, and their weights added. States are created on demand. A frozen
// machine is trimmed first (Connect), and its states keep their order.
//
// If no cycle consists of ε-arcs alone, any ring is allowed; otherwise the ring must sum such
// cycles, as for graph.PathSum. ⊗ must distribute over ⊕ from both sides. If it does not, or if
// the ring cannot sum cycles, Err wraps semiring.ErrCapability. Err wraps semiring.ErrDiverges
// for a cycle without a sum, semiring.ErrNotFinite if a weight leaves the range of
// semiring.Real, and semiring.ErrLimit if the result has more than DefaultLimit states and arcs
// so far. Expand bounds both the result and the states reached by ε-arcs by its own limit.
//
// Per state, it computes the path sums to the states reached by ε-arcs (see graph.Pairs) and
// takes one step per arc of these states. In an acyclic machine of n states the result may have
// O(n) times as many arcs.
//
// A machine that is not frozen may have infinitely many states. It is read as far as ε-arcs
// lead from the visited states, within the limit. A cycle without a sum is an error there even
// if no path through it reaches a final state. The arcs of a state are read again for each
// state from which ε-arcs lead to it. The sums of a cycle are computed once, for all states
// that ε-arcs lead to from the first visited one.
//
// Mohri, "Generic ε-removal and input ε-normalization algorithms for weighted
// transducers" (2002).
func RemoveEpsilon[W any](m Machine[W]) Machine[W] {
	return lazily("RemoveEpsilon", func() (Machine[W], error) { return removeEpsilon(m, DefaultLimit) }, m)
}

// removeEpsilon is RemoveEpsilon with a limit on the states and arcs of the result.
func removeEpsilon[W any](m Machine[W], limit int) (Machine[W], error) {
	f, frozen := m.(*FST[W])
	if frozen {
		f = connect(f)
		m = f
	}
	r, err := newRemoval(m, limit)
	if err != nil {
		return nil, err
	}
	if frozen {
		r.acceptor = f.labels.acceptor()
		r.keep(f)
	}
	for _, s := range m.AppendStarts(nil) {
		r.draft.start(r.number(s.State), s.Weight)
	}
	known := func() int { return len(r.kept.Keys()) }
	x := newOnDemand("RemoveEpsilon", m, r.draft, known, func(s int32) error { return r.state(r.kept.Keys()[s]) })
	x.same, x.begin, x.within = r.acceptor, r.reserve, func(limit int) { r.most = limit }
	if parts, ok := r.sums.(*epsilonParts[W]); ok {
		x.within = func(limit int) { parts.most = limit }
	}
	return x, nil
}

// removal makes the states of the result.
type removal[W any] struct {
	stateReader[W]
	ring  semiring.Semiring[W]
	sums  epsilonSums[W]
	limit int
	most  int                   // states and arcs that an expansion allows
	kept  keytable.Table[int32] // states of m that the result keeps, in its order
	place []int32               // per state of m, its index in kept; nil: kept finds it
	draft *draft[W]

	acceptor bool // the draft has no output labels; they equal the input labels
	kinds    moveKinds
	last     []int32          // per kind of moves, the last arc of the draft with this kind, or −1
	moves    []removalMove[W] // of all states of a frozen machine, or of one of another
	row      []int32          // per state of a frozen machine, its first move; nil if not frozen
	// The state under construction has the arcs begin … end−1.
	begin, end int
}

// removalMove is an arc of m other than ε:ε, to a state of the result. Moves of the same kind
// have the same labels and target; if they leave the same state of the result, they are merged
// into one arc.
type removalMove[W any] struct {
	kind, in, out, to int32
	weight            W
}

// moveKinds numbers the kinds of moves.
type moveKinds struct {
	labels keytable.Table[uint64] // pairs of labels
	kinds  keytable.Table[uint64] // pairs of the number of a pair of labels and a target
}

func (k *moveKinds) number(in, out, to int32) int32 {
	labels, _ := k.labels.Number(keytable.Pair(in, out))
	kind, _ := k.kinds.Number(keytable.Pair(labels, to))
	return kind
}

func newRemoval[W any](m Machine[W], limit int) (*removal[W], error) {
	r := &removal[W]{stateReader: newStateReader(m), ring: m.Semiring(), limit: limit, most: maxLimit, draft: new(draft[W])}
	err := semiring.RequireSide(r.ring, semiring.BothSides)
	if r.f == nil {
		r.sums = &epsilonParts[W]{stateReader: newStateReader(m), ring: r.ring, room: limit, most: maxLimit}
	} else if err == nil {
		r.sums, err = sumEpsilons(r.f)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// keep makes the states of f that are initial, or the target of an arc other than ε:ε, the
// states of the result, in order.
func (r *removal[W]) keep(f *FST[W]) {
	keep := make([]bool, f.NumStates())
	for _, s := range f.starts {
		keep[s.State] = true
	}
	solid, kept := 0, 0
	for e, to := range f.arcs.to {
		if !isEpsilon(f.arcs.in[e], f.arcs.out[e]) {
			keep[to] = true
			solid++
		}
	}
	for _, ok := range keep {
		if ok {
			kept++
		}
	}
	r.kept.Grow(kept)
	r.place = make([]int32, len(keep))
	for s, ok := range keep {
		if ok {
			r.place[s] = r.kept.List(int32(s))
		}
	}
	r.row, r.moves = make([]int32, 1, len(keep)+1), make([]removalMove[W], 0, solid)
	r.kinds.kinds.Grow(solid)
	r.last = make([]int32, 0, solid)
	for s := range int32(len(keep)) {
		r.read(s)
		r.row = append(r.row, int32(len(r.moves)))
	}
	r.kinds = moveKinds{} // all kinds are known
}

// read appends the moves of state s of m to moves, and returns the number of its arcs.
func (r *removal[W]) read(s int32) int {
	a, at := r.arcsOf(s)
	for e := at.lo; e < at.hi; e++ {
		in, out := a.in[e], a.out[e]
		if isEpsilon(in, out) {
			continue
		}
		to := r.number(a.to[e])
		kind := r.kinds.number(in, out, to)
		if int(kind) == len(r.last) {
			r.last = append(r.last, -1)
		}
		r.moves = append(r.moves, removalMove[W]{kind, in, out, to, a.w[e]})
	}
	return int(at.hi - at.lo)
}

// movesOf returns the moves of state s of m, valid until the next call, and the number of its
// arcs.
func (r *removal[W]) movesOf(s int32) (moves []removalMove[W], arcs int) {
	if r.row != nil {
		row := r.f.labels.row
		return r.moves[r.row[s]:r.row[s+1]], int(row[s+1] - row[s])
	}
	r.moves = r.moves[:0]
	arcs = r.read(s)
	return r.moves, arcs
}

// number returns the state of the result for state s of m.
func (r *removal[W]) number(s int32) int32 {
	if r.place != nil {
		return r.place[s]
	}
	n, _ := r.kept.Number(s)
	return n
}

// samples is the number of states from which reserve estimates the number of arcs.
const samples = 512

// reserve makes room for all arcs. Growing step by step would take twice the memory.
func (r *removal[W]) reserve() error {
	kept := r.kept.Keys()
	if r.place == nil || r.sums == nil || len(kept) < 8*samples {
		return nil
	}
	found := 0
	for i := range samples {
		states, sums, err := r.sums.From(kept[i*len(kept)/samples])
		if err != nil {
			return err
		}
		for k, q := range states {
			if !r.ring.IsZero(sums[k]) {
				moves, _ := r.movesOf(q)
				found += r.mark(moves, int32(i))
			}
		}
	}
	for kind := range r.last {
		r.last[kind] = -1
	}
	n := min(int(1.05*float64(found)*float64(len(kept))/samples), r.limit, r.most)
	*r.draft = draft[W]{
		row:    make([]int32, 0, len(kept)+1),
		final:  make([]W, 0, len(kept)),
		arcs:   arcs[W]{in: make([]int32, 0, n), to: make([]int32, 0, n), w: make([]W, 0, n)},
		starts: r.draft.starts,
	}
	if !r.acceptor {
		r.draft.arcs.out = make([]int32, 0, n)
	}
	return nil
}

// mark sets the entries of last for the kinds of moves to mark, and returns how many it
// changed.
func (r *removal[W]) mark(moves []removalMove[W], mark int32) (fresh int) {
	for i := range moves {
		if last := &r.last[moves[i].kind]; *last != mark {
			*last = mark
			fresh++
		}
	}
	return fresh
}

// state creates the next state, which represents state s of m.
func (r *removal[W]) state(s int32) error {
	ring, d := r.ring, r.draft
	r.begin, r.end = len(d.arcs.to), len(d.arcs.to)
	if moves, arcs := r.movesOf(s); len(moves) == arcs { // no ε:ε
		d.state(r.finalOf(s))
		r.add(moves, ring.One(), true)
		r.lengthen(r.end)
		if r.end-r.begin < arcs { // sums of arcs
			if err := r.inRange(s); err != nil {
				return err
			}
		}
		return r.fits()
	}
	states, sums, err := r.sums.From(s)
	if err != nil {
		return err
	}
	n := d.state(ring.Zero())
	for i, q := range states {
		if ring.IsZero(sums[i]) {
			continue
		}
		if w := r.finalOf(q); !ring.IsZero(w) {
			d.final[n] = ring.Plus(d.final[n], ring.Times(sums[i], w))
		}
		moves, _ := r.movesOf(q)
		r.add(moves, sums[i], false)
	}
	r.lengthen(r.end)
	if err := r.inRange(s); err != nil {
		return err
	}
	return r.fits()
}

// inRange returns an error if a weight of the state under construction, which represents s, has
// left the range of semiring.Real.
func (r *removal[W]) inRange(s int32) error {
	if _, ok := any(r.ring).(semiring.Real); !ok {
		return nil
	}
	d := r.draft
	for _, list := range [...][]W{d.arcs.w[r.begin:r.end], d.final[len(d.final)-1:]} {
		numbers, _ := any(list).([]float64)
		for _, w := range numbers {
			if w-w != 0 {
				return fmt.Errorf("%w in Real: a weight of state %d, of several arcs; semiring.Scaled holds it", semiring.ErrNotFinite, s)
			}
		}
	}
	return nil
}

// add adds the moves of a state to the state under construction, which reaches it by ε-arcs of
// weight w. If here is true, they are the same state, and w is One. It leaves the arrays longer
// than needed, because appending arc by arc takes a tenth more time.
func (r *removal[W]) add(moves []removalMove[W], w W, here bool) {
	if most := r.end + len(moves); most > len(r.draft.arcs.to) {
		r.lengthen(most)
		r.lengthen(r.room())
	}
	a, last, n := r.draft.arcs, r.last, r.end
	for i := range moves {
		m := &moves[i]
		v := m.weight
		if !here {
			v = r.ring.Times(w, v)
		}
		if k := int(last[m.kind]); k >= r.begin {
			a.w[k] = r.ring.Plus(a.w[k], v)
			continue
		}
		last[m.kind] = int32(n)
		a.in[n], a.to[n], a.w[n] = m.in, m.to, v
		if !r.acceptor {
			a.out[n] = m.out
		}
		n++
	}
	r.end = n
}

// room returns the number of arcs for which the draft has memory.
func (r *removal[W]) room() int {
	a := &r.draft.arcs
	n := min(cap(a.in), cap(a.to), cap(a.w))
	if !r.acceptor {
		n = min(n, cap(a.out))
	}
	return n
}

// lengthen sets the number of arcs of the draft.
func (r *removal[W]) lengthen(n int) {
	a := &r.draft.arcs
	a.in, a.to, a.w = resize(a.in, n), resize(a.to, n), resize(a.w, n)
	if !r.acceptor {
		a.out = resize(a.out, n)
	}
}

// fits returns an error if the result has outgrown the limit.
func (r *removal[W]) fits() error {
	if states, arcs := len(r.kept.Keys()), len(r.draft.arcs.to); states+arcs > r.limit {
		return fmt.Errorf("%w: more than %d states and arcs; %d of %d states have %d arcs", semiring.ErrLimit, r.limit, len(r.draft.final), states, arcs)
	}
	return nil
}
