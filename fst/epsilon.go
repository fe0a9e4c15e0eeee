package fst

import (
	"fmt"

	"example.org/pathsum/semiring/graph"
)

// RemoveEpsilon returns a machine without arcs ε:ε and with the relation of f. Its
// states are those of f that are initial or entered by another arc, in their order,
// after what is on no path has been left out; in place of the ε-arcs, they have the
// arcs and final weights of the states that those lead to. Arcs with the same labels
// and ends are one, of the sum of the weights.
//
// Any ring will do if no cycle has ε-arcs alone; the ring must sum the cycles that do,
// as for graph.PathSum. ⊗ has to distribute over ⊕ from both sides, except where
// no arc is ε:ε. The error wraps semiring.ErrCapability, graph.ErrDiverges for a cycle
// that has no sum, and ErrLimit if the result has more than limit states and arcs
// together; a limit ≤ 0 stands for DefaultLimit.
//
// It takes, per state, the path sums to the states that its ε-arcs lead to (see
// graph.Pairs) and one step per arc of theirs. In an acyclic machine of n states the
// result may have O(n) times as many arcs.
//
// Mohri, "Generic ε-removal and input ε-normalization algorithms for weighted
// transducers" (2002).
func RemoveEpsilon[W any](f *FST[W], limit int) (*FST[W], error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	f = Connect(f)
	r, err := newRemoval(f)
	if err != nil {
		return nil, err
	}
	if err := r.run(min(limit, maxLimit)); err != nil {
		return nil, err
	}
	return r.draft.freezeLike(f)
}

// RemoveEpsilonLazily is RemoveEpsilon made as it is asked for: path sums over ε-arcs
// from the states that are met alone. Errors on the way, ErrDiverges, are in the
// result's Err. What Expand makes of it has the states in the order of their discovery.
func RemoveEpsilonLazily[W any](f *FST[W]) (*OnDemand[W], error) {
	f = Connect(f)
	r, err := newRemoval(f)
	if err != nil {
		return nil, err
	}
	r.acceptor = false // whose arcs are incomplete until the end
	r.starts()
	return newOnDemand(f, r.draft, func(s int32) error { return r.state(r.kept[s]) }), nil
}

// removal is a run of RemoveEpsilon on a trimmed machine.
type removal[W any] struct {
	f     *FST[W]
	pairs *graph.Pairs[W] // of the ε-arcs
	moves []bool          // states with ε-arcs
	kept  []int32         // states of the result
	place []int32         // per state, where it is in kept
	draft *draft[W]

	acceptor bool // the draft has no output labels, they are the input labels
	// The arcs of the state under construction, by target: last[t] is the last
	// arc to state t, if it is one of this state, and older[e−lo] the one before
	// arc e, lo being the first arc of the state.
	last, older []int32
}

func isEpsilon(in, out int32) bool { return in|out == Epsilon }

func newRemoval[W any](f *FST[W]) (*removal[W], error) {
	n := f.NumStates()
	r := &removal[W]{
		f: f, moves: make([]bool, n), place: make([]int32, n),
		draft: new(draft[W]), acceptor: f.acceptor(), last: make([]int32, n),
	}
	keep := make([]bool, n)
	for _, s := range f.starts {
		keep[s.State] = true
	}
	row := f.labels.row
	eps := struct {
		row, to []int32
		w       []W
	}{row: []int32{0}}
	for s := range n {
		for e := row[s]; e < row[s+1]; e++ {
			if to := f.arcs.to[e]; isEpsilon(f.arcs.in[e], f.arcs.out[e]) {
				r.moves[s] = true
				eps.to, eps.w = append(eps.to, to), append(eps.w, f.arcs.w[e])
			} else {
				keep[to] = true
			}
		}
		eps.row = append(eps.row, int32(len(eps.to)))
		r.last[s] = -1
	}
	for s, ok := range keep {
		if ok {
			r.place[s] = int32(len(r.kept))
			r.kept = append(r.kept, int32(s))
		}
	}
	if len(eps.to) == 0 {
		return r, nil
	}
	g, err := graph.New(f.ring, eps.row, eps.to, eps.w, nil, f.final)
	if err == nil {
		r.pairs, err = graph.NewPairs(g)
	}
	if err != nil {
		return nil, fmt.Errorf("fst: ε-removal: %w", err)
	}
	return r, nil
}

func (r *removal[W]) run(limit int) error {
	if err := r.reserve(limit); err != nil {
		return err
	}
	for i, s := range r.kept {
		if err := r.state(s); err != nil {
			return err
		}
		if n := r.draft.arcs.len(); len(r.kept)+n > limit {
			return fmt.Errorf("fst: %w: ε-removal makes more than %d states and arcs; %d of %d states have %d arcs", ErrLimit, limit, i+1, len(r.kept), n)
		}
	}
	r.starts()
	if r.acceptor {
		r.draft.arcs.out = r.draft.arcs.in
	}
	return nil
}

func (r *removal[W]) starts() {
	for _, s := range r.f.starts {
		r.draft.start(r.place[s.State], s.Weight)
	}
}

// samples is the number of states by which reserve guesses how many arcs there will be.
const samples = 512

// reserve makes room for all arcs: growing them step by step would take twice the memory.
func (r *removal[W]) reserve(limit int) error {
	if r.pairs == nil || len(r.kept) < 8*samples {
		return nil
	}
	for i := range samples {
		if err := r.state(r.kept[i*len(r.kept)/samples]); err != nil {
			return err
		}
	}
	n := int(1.05 * float64(r.draft.arcs.len()) * float64(len(r.kept)) / samples)
	*r.draft = draft[W]{row: make([]int32, 0, len(r.kept)+1), final: make([]W, 0, len(r.kept))}
	r.draft.arcs.resize(min(n, limit))
	if r.acceptor {
		r.draft.arcs.out = nil
	}
	r.draft.arcs.resize(0)
	for s := range r.last {
		r.last[s] = -1
	}
	return nil
}

// state makes the next state, which stands for s.
func (r *removal[W]) state(s int32) error {
	ring, d := r.f.ring, r.draft
	r.older = r.older[:0]
	n := d.state(r.f.final[s])
	if !r.moves[s] {
		r.add(s, ring.One(), true)
		return nil
	}
	states, sums, err := r.pairs.From(s)
	if err != nil {
		return fmt.Errorf("fst: ε-removal: %w", err)
	}
	d.final[n] = ring.Zero()
	for i, q := range states {
		if ring.IsZero(sums[i]) {
			continue
		}
		if w := r.f.final[q]; !ring.IsZero(w) {
			d.final[n] = ring.Plus(d.final[n], ring.Times(sums[i], w))
		}
		r.add(q, sums[i], false)
	}
	return nil
}

// add adds the arcs of state q that are not ε:ε to the state under construction,
// which reaches it by ε-arcs of weight w; here says that it is that state, and w One.
func (r *removal[W]) add(q int32, w W, here bool) {
	f, a := r.f, &r.draft.arcs
	lo := a.len() - len(r.older)
	for e := f.labels.row[q]; e < f.labels.row[q+1]; e++ {
		in, out, to := f.arcs.in[e], f.arcs.out[e], r.place[f.arcs.to[e]]
		if isEpsilon(in, out) {
			continue
		}
		v := f.arcs.w[e]
		if !here {
			v = f.ring.Times(w, v)
		}
		k := r.last[to]
		for int(k) >= lo && (a.in[k] != in || !r.acceptor && a.out[k] != out) {
			k = r.older[int(k)-lo]
		}
		if int(k) >= lo {
			a.w[k] = f.ring.Plus(a.w[k], v)
			continue
		}
		r.older = append(r.older, r.last[to])
		r.last[to] = int32(a.len())
		a.in, a.to, a.w = append(a.in, in), append(a.to, to), append(a.w, v)
		if !r.acceptor {
			a.out = append(a.out, out)
		}
	}
}
