package fst

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// RemoveEpsilon returns a machine without arcs ε:ε and with the relation of m. Its states
// are the states of m that are initial or entered by another arc. In place of the ε-arcs,
// they have the arcs and final weights of the states that those lead to. Arcs with the same
// labels and ends are one, of the sum of the weights. States are made as they are asked
// for. Of a frozen machine, which is trimmed before (Connect), they keep the order.
//
// Any ring will do if no cycle has ε-arcs alone; the ring must sum the cycles that do, as for
// graph.PathSum. ⊗ has to distribute over ⊕ from both sides; if it does not, Err wraps
// semiring.ErrCapability, as it does if a sum is lacking. It wraps semiring.ErrDiverges for a cycle
// that has no sum, semiring.ErrNotFinite if a weight leaves the range of semiring.Real, and
// semiring.ErrLimit if the result has more than DefaultLimit states and arcs so far. Expand bounds
// both the result and what ε-arcs lead to by its own limit.
//
// It takes, per state, the path sums to the states that its ε-arcs lead to (see
// graph.Pairs) and one step per arc of theirs. In an acyclic machine of n states the
// result may have O(n) times as many arcs.
//
// A machine that is not frozen may have no end. It is read as far as ε-arcs lead from the
// states that are asked for, within the limit. A cycle without a sum counts there even if no
// path comes to an end. It is asked for the arcs of a state again for each
// state from which ε-arcs lead there. The sums of a cycle are taken once, for all states
// that ε-arcs lead to from the first of them.
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
	kept  keytable.Table[int32] // states of m, in the order of the states that stand for them
	place []int32               // per state of m, where it is in kept; nil: kept finds it
	draft *draft[W]

	acceptor bool // the draft has no output labels, they are the input labels
	// The state under construction has the arcs begin … end−1. By target, last[t] is the
	// last arc to state t, if it is one of them, and older[e−begin] the one before arc e.
	begin, end  int
	last, older []int32
	// found has the places of its arcs if it is crowded: there are too many to look through.
	found   map[arcKey]int32
	crowded bool
}

// arcKey is what arcs have in common that are one.
type arcKey struct{ in, out, to int32 }

// crowd is how many arcs to one state are looked through.
const crowd = 48

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

// keep makes the states of f that are initial or entered by an arc that is not ε:ε those
// of the result, in their order.
func (r *removal[W]) keep(f *FST[W]) {
	keep := make([]bool, f.NumStates())
	for _, s := range f.starts {
		keep[s.State] = true
	}
	for e, to := range f.arcs.to {
		if !isEpsilon(f.arcs.in[e], f.arcs.out[e]) {
			keep[to] = true
		}
	}
	r.place = make([]int32, len(keep))
	for s, ok := range keep {
		if ok {
			r.place[s] = r.kept.List(int32(s))
		}
	}
	r.last = slices.Repeat([]int32{-1}, len(r.kept.Keys()))
}

// number returns the state of the result that stands for state s of m.
func (r *removal[W]) number(s int32) int32 {
	if r.place != nil {
		return r.place[s]
	}
	return r.discover(s)
}

func (r *removal[W]) discover(s int32) int32 {
	n, isNew := r.kept.Number(s)
	if isNew {
		r.last = append(r.last, -1)
	}
	return n
}

// samples is the number of states by which reserve guesses how many arcs there will be.
const samples = 512

// reserve makes room for all arcs: growing them step by step would take twice the memory.
func (r *removal[W]) reserve() error {
	kept := r.kept.Keys()
	if r.place == nil || r.sums == nil || len(kept) < 8*samples {
		return nil
	}
	for i := range samples {
		if err := r.state(kept[i*len(kept)/samples]); err != nil {
			return err
		}
	}
	n := min(int(1.05*float64(len(r.draft.arcs.to))*float64(len(kept))/samples), r.limit, r.most)
	*r.draft = draft[W]{
		row:    make([]int32, 0, len(kept)+1),
		final:  make([]W, 0, len(kept)),
		arcs:   arcs[W]{in: make([]int32, 0, n), to: make([]int32, 0, n), w: make([]W, 0, n)},
		starts: r.draft.starts,
	}
	if !r.acceptor {
		r.draft.arcs.out = make([]int32, 0, n)
	}
	for s := range r.last {
		r.last[s] = -1
	}
	return nil
}

// state makes the next state, which stands for s.
func (r *removal[W]) state(s int32) error {
	ring, d := r.ring, r.draft
	r.begin, r.end = len(d.arcs.to), len(d.arcs.to)
	r.crowded = false
	if a, at := r.arcsOf(s); !anyEpsilon(a, at) {
		d.state(r.finalOf(s))
		r.add(a, at, ring.One(), true)
		r.lengthen(r.end)
		if r.end-r.begin < int(at.hi-at.lo) { // sums of arcs
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
		a, at := r.arcsOf(q)
		r.add(a, at, sums[i], false)
	}
	r.lengthen(r.end)
	if err := r.inRange(s); err != nil {
		return err
	}
	return r.fits()
}

// inRange returns an error if a weight of the state under construction, which stands for s, has
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

// anyEpsilon reports whether some of the arcs at are ε:ε.
func anyEpsilon[W any](a *arcs[W], at span) bool {
	for e := at.lo; e < at.hi; e++ {
		if isEpsilon(a.in[e], a.out[e]) {
			return true
		}
	}
	return false
}

// add adds the arcs of a state that are not ε:ε to the state under construction, which
// reaches it by ε-arcs of weight w; here says that it is that state, and w One. It leaves
// the arrays longer than they are to be: to append arc by arc takes a tenth more time.
func (r *removal[W]) add(from *arcs[W], at span, w W, here bool) {
	most := r.end + int(at.hi-at.lo)
	if most > len(r.draft.arcs.to) {
		r.lengthen(most)
		r.lengthen(r.room())
	}
	if most -= r.begin; most > len(r.older) {
		r.older = resize(r.older, 2*most)
	}
	a, last, older, lo, n := r.draft.arcs, r.last, r.older, r.begin, r.end
	for e := at.lo; e < at.hi; e++ {
		in, out := from.in[e], from.out[e]
		if isEpsilon(in, out) {
			continue
		}
		v := from.w[e]
		if !here {
			v = r.ring.Times(w, v)
		}
		to := from.to[e]
		if r.place != nil {
			to = r.place[to]
		} else {
			to = r.discover(to)
			last = r.last
		}
		k := int(last[to])
		for hops := 0; k >= lo && !r.crowded && (a.in[k] != in || !r.acceptor && a.out[k] != out); hops++ {
			if k = int(older[k-lo]); hops == crowd {
				r.find(lo, n)
			}
		}
		if r.crowded {
			k = r.lookUp(in, out, to, n)
		}
		if k >= lo {
			a.w[k] = r.ring.Plus(a.w[k], v)
			continue
		}
		older[n-lo], last[to] = last[to], int32(n)
		a.in[n], a.to[n], a.w[n] = in, to, v
		if !r.acceptor {
			a.out[n] = out
		}
		n++
	}
	r.end = n
}

// find makes found know the arcs from lo to n−1.
func (r *removal[W]) find(lo, n int) {
	r.found = make(map[arcKey]int32, 4*crowd)
	r.crowded = true
	a := r.draft.arcs
	for k := lo; k < n; k++ {
		key := arcKey{in: a.in[k], to: a.to[k]}
		if !r.acceptor {
			key.out = a.out[k]
		}
		r.found[key] = int32(k)
	}
}

// lookUp returns the arc that is found, −1 if it is not: then it is going to be arc n.
func (r *removal[W]) lookUp(in, out, to int32, n int) int {
	key := arcKey{in: in, to: to}
	if !r.acceptor {
		key.out = out
	}
	if k, ok := r.found[key]; ok {
		return int(k)
	}
	r.found[key] = int32(n)
	return -1
}

// room returns how many arcs the draft has memory for.
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

// fits returns the error for a result that has outgrown the limit.
func (r *removal[W]) fits() error {
	if states, arcs := len(r.kept.Keys()), len(r.draft.arcs.to); states+arcs > r.limit {
		return fmt.Errorf("%w: more than %d states and arcs; %d of %d states have %d arcs", semiring.ErrLimit, r.limit, len(r.draft.final), states, arcs)
	}
	return nil
}

// epsilonSums are path sums over arcs ε:ε: a graph.Pairs, or several.
type epsilonSums[W any] interface {
	// From returns the states that ε-arcs lead to from state s, s among them, and for
	// each the sum over the paths there. Both slices are valid until the next call.
	From(s int32) (states []int32, sums []W, err error)
}

// sumEpsilons returns the path sums of f, nil if it has no ε-arcs.
func sumEpsilons[W any](f *FST[W]) (epsilonSums[W], error) {
	var d draft[W]
	for s := range int32(f.NumStates()) {
		d.state(f.ring.Zero())
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			if isEpsilon(f.arcs.in[e], f.arcs.out[e]) {
				addArc(&d.arcs, Epsilon, Epsilon, f.arcs.to[e], f.arcs.w[e])
			}
		}
	}
	if len(d.arcs.to) == 0 {
		return nil, nil
	}
	return pairsOf(&d, f.ring)
}

// pairsOf returns the path sums of a draft.
func pairsOf[W any](d *draft[W], ring semiring.Semiring[W]) (*graph.Pairs[W], error) {
	f, err := d.freeze(ring)
	if err != nil {
		return nil, err
	}
	return graph.NewPairs(f.Graph())
}

// epsilonParts are those of a machine that is read as they are asked for: of a state that
// has not been met, and of all states that ε-arcs lead to from there, a part of its own.
type epsilonParts[W any] struct {
	stateReader[W]
	ring    semiring.Semiring[W]
	room    int // for states and arcs in further parts
	most    int // states and arcs of a part that an expansion allows
	met     keytable.Table[int32]
	home    []epsilonHome[W] // per state met
	reached []int32
}

// epsilonHome is the first part that a state was in, and its number there.
type epsilonHome[W any] struct {
	part *epsilonPart[W]
	at   int32
}

// epsilonPart has some states, numbered from 0, and all ε-arcs that leave them.
type epsilonPart[W any] struct {
	states []int32 // as the machine numbers them
	pairs  *graph.Pairs[W]
}

// From reads on in the machine if s has not been met.
func (x *epsilonParts[W]) From(s int32) (states []int32, sums []W, err error) {
	n := x.met.Find(s)
	if n < 0 {
		if err := x.explore(s); err != nil {
			return nil, nil, err
		}
		n = x.met.Find(s)
	}
	home := x.home[n]
	reached, sums, err := home.part.pairs.From(home.at)
	if err != nil {
		return nil, nil, among(home.part.states[0], err)
	}
	x.reached = x.reached[:0]
	for _, q := range reached {
		x.reached = append(x.reached, home.part.states[q])
	}
	return x.reached, sums, nil
}

// explore makes the part of state s.
func (x *epsilonParts[W]) explore(s int32) error {
	var d draft[W]
	var found keytable.Table[int32]
	found.Number(s)
	for n := 0; n < len(found.Keys()); n++ {
		d.state(x.ring.Zero())
		a, at := x.arcsOf(found.Keys()[n])
		for e := at.lo; e < at.hi; e++ {
			if isEpsilon(a.in[e], a.out[e]) && !x.ring.IsZero(a.w[e]) {
				to, _ := found.Number(a.to[e])
				addArc(&d.arcs, Epsilon, Epsilon, to, a.w[e])
			}
		}
		if size := len(found.Keys()) + len(d.arcs.to); size > x.room {
			return fmt.Errorf("%w: ε-arcs from state %d lead to %d states and arcs, and there is room for %d", semiring.ErrLimit, s, size, x.room)
		} else if size > x.most {
			return passing{fmt.Errorf("%w: ε-arcs from state %d lead to more than %d states and arcs", semiring.ErrLimit, s, x.most)}
		}
	}
	x.room -= len(found.Keys()) + len(d.arcs.to)
	pairs, err := pairsOf(&d, x.ring)
	if err != nil {
		return among(s, err)
	}
	part := &epsilonPart[W]{states: found.Keys(), pairs: pairs}
	for at, q := range part.states {
		if _, isNew := x.met.Number(q); isNew {
			x.home = append(x.home, epsilonHome[W]{part, int32(at)})
		}
	}
	return nil
}

// among returns err, which numbers the states where ε-arcs lead from state s.
func among(s int32, err error) error {
	return nested.Errorf("where ε-arcs lead from state %d, states numbered as they are met, that one 0: %w", s, err)
}
