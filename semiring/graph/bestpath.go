package graph

import (
	"encoding/binary"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// Path is a path from a start to a final state.
type Path[W any] struct {
	Start  int32   // its first state; −1 if there is no path
	Arcs   []int32 // its arcs, in order
	Weight W       // λ ⊗ arc weights ⊗ ρ, multiplied in this order
}

// BestPath returns the path that the ring, which must be semiring.Ordered, puts first. Its weight
// is the path sum, up to the rounding of ⊗. Among equally good continuations from a state outside
// cycles it prefers ending there, then the arc of the least number. If there is no path, Start is
// −1 and the weight is Zero.
//
// It takes O(states + arcs) on an acyclic graph. In cyclic components it uses Dijkstra's
// algorithm if no arc there is better than One, and otherwise corrects labels. The error wraps
// semiring.ErrDiverges if a cycle on the way makes paths ever better, and semiring.ErrNotFinite
// if the path sum is NaN (see semiring.Metric).
func BestPath[W any](g *Graph[W]) (Path[W], error) {
	t, err := newBestTree(g)
	if err != nil {
		return Path[W]{}, err
	}
	if t.best < 0 {
		return Path[W]{Start: -1, Weight: g.ring.Zero()}, nil
	}
	return t.path(t.best, nil, 0), nil
}

// bestTree holds the best continuation from every state.
type bestTree[W any] struct {
	g     *Graph[W]
	order semiring.Ordered[W]
	beta  []W
	// inner is, per state, the arc of a best path that stays in the state's component, or −1 if
	// the path leaves it or ends; nil if the graph is acyclic.
	inner, component []int32
	// lambda is the sum of the start weights of every state in states.
	states []int32
	lambda []W
	best   int        // index in states of the best start; −1 if there is no path
	steps  []nextStep // per state: the cached result of next
	solver *solver[W]
}

func newBestTree[W any](g *Graph[W]) (*bestTree[W], error) {
	order, err := semiring.Require[semiring.Ordered[W]](g.ring)
	if err != nil {
		return nil, nested.Errorf("graph: best paths: %w; take semiring.Viterbi or semiring.Tropical", err)
	}
	s, beta, err := usefulBackward(g)
	if err != nil {
		return nil, err
	}
	t := &bestTree[W]{g: g, order: order, beta: beta, solver: s}
	if s.cyclic != nil {
		if t.inner = s.cyclic.Untyped.InnerArcs(); t.inner != nil {
			t.component = g.topology.ComponentOf()
		}
	}
	t.addStarts()
	t.steps = make([]nextStep, g.NumStates())
	return t, t.chooseStart()
}

// addStarts lists the start states without repetition.
func (t *bestTree[W]) addStarts() {
	starts := newStartIndex(t.g)
	for i, start := range t.g.starts {
		if starts.first[start.State] != int32(i+1) {
			continue // not the first entry of its state
		}
		sum := start.Weight
		for j := starts.next[i]; j != 0; j = starts.next[j-1] {
			sum = t.g.ring.Plus(sum, t.g.starts[j-1].Weight)
		}
		t.states = append(t.states, start.State)
		t.lambda = append(t.lambda, sum)
	}
}

// chooseStart finds the best start.
func (t *bestTree[W]) chooseStart() error {
	ring, best := t.g.ring, t.g.ring.Zero()
	t.best = -1
	for i, s := range t.states {
		w := ring.Times(t.lambda[i], t.beta[s])
		if !ring.IsZero(w) && (t.best < 0 || t.order.Compare(w, best) < 0) {
			t.best, best = i, w
		}
	}
	if weights.IsNaN(ring, best) {
		return nested.Errorf("graph: %w: the best path from state %d weighs %v", semiring.ErrNotFinite, t.states[t.best], best)
	}
	return nil
}

// nextStep is the next step of the best path from a state.
type nextStep struct {
	arc int32 // −1: end there
	to  int32 // the target of arc
	set bool
}

// next returns the next step of the best path from s. There must be such a path.
func (t *bestTree[W]) next(s int32) nextStep {
	w := t.steps[s]
	if !w.set {
		w = nextStep{-1, -1, true}
		if t.inner != nil {
			w.arc = t.inner[s]
		}
		if w.arc < 0 {
			w.arc = t.exit(s)
		}
		if w.arc >= 0 {
			w.to = t.g.To()[w.arc]
		}
		t.steps[s] = w
	}
	return w
}

// exit is next for a state whose best path leaves its component or ends.
func (t *bestTree[W]) exit(s int32) int32 {
	g, best := t.g, int32(-1)
	weight := g.final[s]
	for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
		q := g.To()[e]
		if t.component != nil && t.component[q] == t.component[s] {
			continue
		}
		if w := g.ring.Times(g.weight[e], t.beta[q]); t.order.Compare(w, weight) < 0 {
			best, weight = e, w
		}
	}
	return best
}

// sidetrack is an arc other than the best continuation from state; arc −1 stands for ending
// there.
type sidetrack struct{ state, arc int32 }

// path returns the path from states[start] that takes the given sidetracks in turn and otherwise
// the best continuation. length is a guess of its number of arcs.
func (t *bestTree[W]) path(start int, sidetracks []sidetrack, length int) Path[W] {
	g := t.g
	s := t.states[start]
	p := Path[W]{Start: s, Weight: t.lambda[start]}
	if length > 0 {
		p.Arcs = make([]int32, 0, length)
	}
	for {
		w := t.next(s)
		if len(sidetracks) > 0 && sidetracks[0].state == s {
			w.arc = sidetracks[0].arc
			if sidetracks = sidetracks[1:]; w.arc >= 0 {
				w.to = g.To()[w.arc]
			}
		}
		if w.arc < 0 {
			p.Weight = g.ring.Times(p.Weight, g.final[s])
			return p
		}
		p.Arcs = append(p.Arcs, w.arc)
		p.Weight = g.ring.Times(p.Weight, g.weight[w.arc])
		s = w.to
	}
}

// paths yields all paths, best first.
//
// The expanded part is frozen. The best key in the queue is a bound on all paths that leave the
// part: paths of the part that are no worse come next. A later part repeats the paths of the
// previous one, perhaps in another order because of rounding, so the sequences of their arcs
// identify yielded paths.
func (s *search[W]) paths(yield func(ImplicitPath[W]) bool) error {
	p, ok, err := s.first()
	if err == nil {
		err = failure(s.m)
	}
	if err != nil || !ok {
		return err
	}
	seen := map[string]struct{}{s.identity(): {}}
	if !yield(p) {
		return nil
	}
	for {
		part, err := s.part()
		if err == nil {
			err = failure(s.m)
		}
		if err != nil {
			return err
		}
		all, err := BestPaths(part.Graph)
		if err != nil {
			return nested.Errorf("the part of %d states that has been expanded: %w", len(part.State), err)
		}
		var next *W // the weight of the first path that is not settled
		for path := range all {
			if !s.settles(path.Weight) {
				next = &path.Weight
				break
			}
			id := part.identity(path)
			if _, ok := seen[id]; ok {
				continue
			}
			seen[id] = struct{}{}
			if !yield(part.Path(path)) {
				return nil
			}
		}
		if s.queue.Empty() {
			return nil
		}
		if err := s.grow(next); err != nil {
			return err
		}
	}
}

// settles reports whether every path through an unexpanded state is at most as good as weight.
func (s *search[W]) settles(weight W) bool {
	return s.queue.Empty() || s.order.Compare(weight, s.queue.Top().Key) <= 0
}

// grow expands a quarter more states, and continues until a path of weight next is settled,
// unless next is nil.
func (s *search[W]) grow(next *W) error {
	enough := len(s.expanded) + len(s.expanded)/4 + 16
	for !s.queue.Empty() {
		if s.queue.Top().Item == goal { // it was reached before
			s.queue.Pop()
			continue
		}
		settled := next == nil || s.settles(*next)
		if settled && len(s.expanded) >= enough {
			break
		}
		if settled && next != nil && len(s.expanded) >= s.maxStates {
			break
		}
		if err := s.expand(); err != nil {
			return err
		}
	}
	return nil
}

// expandedPart is the part of a graph that a search has expanded.
type expandedPart[W any] struct {
	Expansion[W]
	index []int32 // per arc: its index among the arcs of its state
}

// part freezes the states expanded so far and the arcs between them.
func (s *search[W]) part() (*expandedPart[W], error) {
	p := new(expandedPart[W])
	place := make([]int32, s.met.Len()+1) // per number: state of the part + 1
	for _, n := range s.expanded {
		if place[n] == 0 { // else it was expanded again
			p.State = append(p.State, s.state(n))
			place[n] = int32(len(p.State))
		}
	}
	row, to := make([]int32, 1, len(p.State)+1), []int32{}
	final, weight := make([]W, len(p.State)), []W{}
	for i, state := range p.State {
		final[i] = s.m.Final(state)
		s.arcs = s.m.AppendArcs(s.arcs[:0], state)
		for j, a := range s.arcs {
			if s.ring.IsZero(a.Weight) {
				continue
			}
			if q := place[s.number(a.To)]; q > 0 {
				to, weight = append(to, q-1), append(weight, a.Weight)
				p.In, p.Out = append(p.In, a.In), append(p.Out, a.Out)
				p.index = append(p.index, int32(j))
			}
		}
		row = append(row, int32(len(to)))
	}
	var starts []Start[W]
	for _, start := range s.m.AppendStarts(nil) {
		if s.ring.IsZero(start.Weight) {
			continue
		}
		if q := place[s.number(start.State)]; q > 0 {
			starts = append(starts, Start[W]{q - 1, start.Weight})
		}
	}
	var err error
	p.Graph, err = New(s.ring, row, to, weight, starts, final)
	return p, err
}

// identity identifies a path by its first state and the index of each of its arcs.
func (p *expandedPart[W]) identity(path Path[W]) string {
	b := appendNumber(make([]byte, 0, 4*len(path.Arcs)+4), p.State[path.Start])
	for _, e := range path.Arcs {
		b = appendNumber(b, p.index[e])
	}
	return string(b)
}

// identity identifies the path of trace.
func (s *search[W]) identity() string {
	var taken []int32 // from the last
	n := s.labels[goal].by.from
	for ; s.labels[n].by.from != source; n = s.labels[n].by.from {
		taken = append(taken, s.labels[n].by.arc)
	}
	b := appendNumber(nil, s.state(n))
	for i := len(taken) - 1; i >= 0; i-- {
		b = appendNumber(b, taken[i])
	}
	return string(b)
}

func appendNumber(b []byte, x int32) []byte { return binary.BigEndian.AppendUint32(b, uint32(x)) }
