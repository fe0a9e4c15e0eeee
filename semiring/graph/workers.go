package graph

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// WithWorkers returns g with n goroutines for each of its long sums (0: GOMAXPROCS), sharing
// everything else. PathSum, Posteriors and BestPath use them if the graph is acyclic and has
// fewestArcs arcs or more; all other computations ignore them. Graphs made from g by WithWeights
// and Map have the same n. It panics if n is negative.
//
// The results are functions of the graph alone: they are the same for any n, bit by bit. They
// differ from the results without WithWorkers by rounding, because paths are joined in the middle:
// α of the states before a cut and β of the states after it are computed at the same time. Both
// results of PathSum have the relative error of a path sum, at most 2⁻⁵³ for each arc of a path
// and each term added to it. BestPath may return another one of equally good paths. The Total of
// Posteriors has the bits of PathSum.
//
// Two goroutines compute sums. Further ones help with the posteriors of arcs only, which is most
// of the time if ⊕ selects. ⊗ must distribute over ⊕ from both sides; over other algebras sums
// run in one goroutine. The methods of the ring must be safe for concurrent use. Once the context
// of g is done, a sum ends after the current pass, within some nanoseconds per arc.
//
//go:noinline
func (g *Graph[W]) WithWorkers(n int) *Graph[W] {
	if n < 0 {
		panic("graph: WithWorkers of a negative number")
	}
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	c := *g
	c.workers = n
	return &c
}

// fewestArcs is the least number of arcs for which goroutines save time.
const fewestArcs = 1 << 14

// meets reports whether sums of g meet in the middle. The answer does not depend on the number of
// workers, so bits do not either.
func meets[W any](g *Graph[W]) bool {
	return g.workers > 0 && g.NumArcs() >= fewestArcs && !g.topology.Components().Cyclic() &&
		semiring.RequireSide(g.ring, semiring.LeftSide|semiring.RightSide) == nil
}

// split divides the states of an acyclic graph in two.
type split struct {
	before, from   []int32 // the states before the cut, and from the cut on, in topological order
	earlier, after []int32 // the same in reverse
	isBefore       []bool  // per state
}

// shareBefore is the share of arcs that leave states before the cut. They take about as long as
// the other arcs.
const shareBefore = .5

// halves returns the split of an acyclic graph.
func (t *topology) halves() *split {
	t.splitOnce.Do(func() {
		order, _ := t.order()
		isBefore := make([]bool, len(order))
		cut := 0
		for arcs := 0; arcs < int(shareBefore*float64(len(t.To))); cut++ {
			s := order[cut]
			isBefore[s] = true
			arcs += int(t.Row[s+1] - t.Row[s])
		}
		reverse := t.ReverseOrder()
		rest := len(order) - cut
		t.split = split{order[:cut], order[cut:], reverse[rest:], reverse[:rest], isBefore}
	})
	return &t.split
}

// meeting is a sum over the paths of an acyclic graph that is joined in the middle.
type meeting[W any] struct {
	*split
	g *Graph[W]
	// ahead computes α in one goroutine, and behind computes β in another.
	ahead, behind weights.Products[W]
	// alpha is α before the cut. From the cut on it is the sum over the paths that start in a state
	// or enter it by an arc from before the cut.
	alpha []W
	beta  []W // β from the cut on; before it, final weights, until posteriors replaces them by β
	total W   // the path sum
	lost  [2]bool
}

// meet computes both halves and the path sum. In Real, the error wraps semiring.ErrNotFinite if
// weights come so close to the limits of the range that a product of two may leave it.
func meet[W any](g *Graph[W]) (*meeting[W], error) {
	if err := interrupted(g.ctx); err != nil {
		return nil, err
	}
	m := &meeting[W]{
		split: g.topology.halves(), g: g,
		ahead: weights.NewProducts(g.ring), behind: weights.NewProducts(g.ring),
	}
	together(g.workers,
		func() {
			m.alpha = rows.Resized(*rows.Borrowed[[]W](), g.NumStates())
			zero := g.ring.Zero()
			for s := range m.alpha {
				m.alpha[s] = zero
			}
			addStarts(g, m.alpha)
			spread(m, m.alpha, m.before)
			m.lost[0] = nearLimits(g.ring, m.alpha)
		},
		func() {
			m.beta = append((*rows.Borrowed[[]W]())[:0], g.final...)
			sweep(m, m.after)
			m.lost[1] = nearLimits(g.ring, m.beta)
		})
	if err := failed(m); err != nil {
		return nil, err
	}
	m.total = joined(m)
	return m, nil
}

// together calls all functions, in goroutines of their own if there is more than one worker.
func together(workers int, calls ...func()) {
	if workers <= 1 {
		for _, call := range calls {
			call()
		}
		return
	}
	var wg sync.WaitGroup
	for _, call := range calls {
		wg.Go(call)
	}
	wg.Wait()
}

// nearLimits reports whether sums in Real come so close to the limits of the range that a product
// of two may leave it.
func nearLimits[W any](ring semiring.Semiring[W], sums []W) bool {
	numbers, ok := any(sums).([]float64)
	return ok && weights.IsReal(ring) && !weights.Within(300, numbers...)
}

// failed returns the error of a meeting whose goroutines have ended.
func failed[W any](m *meeting[W]) error {
	if m.lost[0] || m.lost[1] {
		return nested.Errorf("graph: %w in Real", semiring.ErrNotFinite)
	}
	return interrupted(m.g.ctx)
}

// release returns the storage of a meeting, whose sums must not be used any more.
func release[W any](m *meeting[W]) {
	rows.Repaid(&m.alpha)
	rows.Repaid(&m.beta)
}

// spread adds to x the terms that leave the given states, one half in topological order. x of a
// state must contain all other terms.
func spread[W any](m *meeting[W], x []W, states []int32) {
	g := m.g
	if sweeper := m.ahead.Sweeper; sweeper != nil {
		sweeper.Spread(x, states, g.Row(), g.weight, g.To())
		return
	}
	isBefore := m.isBefore[states[0]]
	if isBefore {
		pull(m, x, m.before, isBefore)
	}
	pull(m, x, m.from, isBefore)
}

// pull adds to x of each target the terms that it gets from states in one half.
func pull[W any](m *meeting[W], x []W, targets []int32, isBefore bool) {
	g := m.g
	in := g.topology.In()
	var arcs, from []int32
	for _, t := range targets {
		arcs, from = arcs[:0], from[:0]
		for n := in.Row[t]; n < in.Row[t+1]; n++ {
			if s := in.Other[n]; m.isBefore[s] == isBefore {
				arcs, from = append(arcs, in.Arc[n]), append(from, s)
			}
		}
		if len(arcs) == 0 {
			continue
		}
		var sum W
		weights.After(&m.ahead, &sum, g.weight, arcs, x, from)
		if !g.ring.IsZero(x[t]) {
			sum = g.ring.Plus(sum, x[t])
		}
		x[t] = sum
	}
}

// sweep completes β of the given states, which are in reverse topological order.
func sweep[W any](m *meeting[W], states []int32) {
	g := m.g
	if sweeper := m.behind.Sweeper; sweeper != nil {
		sweeper.Sweep(m.beta, states, g.Row(), g.weight, g.To())
		return
	}
	from := g.topology.Out()
	for _, s := range states {
		weights.Pull(&m.behind, &m.beta[s], g.weight, m.beta, s, from)
	}
}

// joined returns the sum over all paths. A path either ends before the cut, or it has a first
// state from the cut on. Unreachable states have no path, whatever their weights are.
func joined[W any](m *meeting[W]) W {
	ring := m.g.ring
	sum := ring.Zero()
	for _, half := range [][]int32{m.before, m.from} {
		for _, s := range half {
			if a := m.alpha[s]; !ring.IsZero(a) {
				sum = ring.Plus(sum, ring.Times(a, m.beta[s]))
			}
		}
	}
	return sum
}

// meetingPosteriors is Posteriors in workers, without a second attempt in Scaled. It also returns
// β. One goroutine computes β and posteriors before the cut, and a second one α from the cut on;
// then all share the posteriors from the cut on.
func meetingPosteriors[W any](g *Graph[W], prober semiring.Prober[W]) (*Posterior[W], []W, error) {
	m, err := meet(g)
	if err != nil {
		return nil, nil, err
	}
	p := &Posterior[W]{
		Total: m.total,
		Arc:   make([]float64, g.NumArcs()),
		State: make([]float64, g.NumStates()),
		Start: make([]float64, len(g.starts)),
		Final: make([]float64, g.NumStates()),
	}
	if g.ring.IsZero(p.Total) {
		return p, m.beta, nil
	}
	scale, err := weights.Inverse(g.ring, prober, p.Total)
	if err != nil {
		return nil, nil, nested.Errorf("graph: %w", err)
	}
	alpha := append((*rows.Borrowed[[]W]())[:0], m.alpha...) // the other half reads m.alpha
	var next atomic.Int64
	ready := make(chan struct{}) // α is complete
	finish := func() {
		kernel := semiring.KernelOf(g.ring)
		<-ready
		for interrupted(g.ctx) == nil {
			lo := blockStates * (int(next.Add(1)) - 1)
			if lo >= len(m.from) {
				return
			}
			posteriorsOf(m, p, kernel, scale, alpha, m.from[lo:min(lo+blockStates, len(m.from))])
		}
	}
	calls := []func(){
		func() {
			spread(m, alpha, m.from)
			m.lost[0] = nearLimits(g.ring, alpha)
			close(ready)
			finish()
		},
		func() {
			for lo := 0; lo < len(m.earlier) && interrupted(g.ctx) == nil; lo += blockStates {
				states := m.earlier[lo:min(lo+blockStates, len(m.earlier))]
				sweep(m, states)
				posteriorsOf(m, p, m.behind.Kernel, scale, m.alpha, states)
			}
			m.lost[1] = nearLimits(g.ring, m.beta)
			finish()
		},
	}
	for len(calls) < g.workers {
		calls = append(calls, finish)
	}
	together(g.workers, calls...)
	if err := failed(m); err != nil {
		return nil, nil, err
	}
	for i, start := range g.starts {
		b := m.beta[start.State : start.State+1]
		m.ahead.Kernel.Marginals(p.Start[i:i+1], scale, []W{start.Weight}, nil, b, nil)
	}
	rows.Repaid(&alpha)
	rows.Repaid(&m.alpha)
	return p, m.beta, nil
}

// blockStates is the number of states whose posteriors are computed while β of their arcs' targets
// is in the cache.
const blockStates = 256

// posteriorsOf fills in the posteriors of states, of their arcs and final weights; scale is the
// inverse of the total. Unreachable states have posteriors of 0.
func posteriorsOf[W any](m *meeting[W], p *Posterior[W], kernel semiring.Kernel[W], scale W, alpha []W, states []int32) {
	g := m.g
	row, to := g.Row(), g.To()
	var visits, ends [blockStates]float64
	kernel.Marginals(visits[:len(states)], scale, alpha, states, m.beta, states)
	kernel.Marginals(ends[:len(states)], scale, alpha, states, g.final, states)
	for i, s := range states {
		if g.ring.IsZero(alpha[s]) {
			continue
		}
		p.State[s], p.Final[s] = visits[i], ends[i]
		lo, hi := row[s], row[s+1]
		kernel.Marginals(p.Arc[lo:hi], g.ring.Times(scale, alpha[s]), g.weight[lo:hi], nil, m.beta, to[lo:hi])
	}
}

// meetingPath is BestPath in workers. It returns false if ⊗ rounds in different ways in α and in
// a product of two weights, or for an error.
func meetingPath[W any](g *Graph[W]) (p Path[W], ok bool, err error) {
	order, ok := semiring.As[semiring.Ordered[W]](g.ring)
	if !ok {
		return p, false, nil
	}
	m, err := meet(g)
	if err != nil {
		return p, false, err
	}
	defer release(m)
	ring, best, middle, place := g.ring, g.ring.Zero(), int32(-1), 0
	for i, half := range [][]int32{m.before, m.from} {
		for at, s := range half {
			if ring.IsZero(m.alpha[s]) {
				continue
			}
			if w := ring.Times(m.alpha[s], m.beta[s]); !ring.IsZero(w) && (middle < 0 || order.Compare(w, best) < 0) {
				best, middle, place = w, s, at+i*len(m.before)
			}
		}
	}
	if middle < 0 {
		return Path[W]{Start: -1, Weight: ring.Zero()}, true, nil
	}
	if weights.IsNaN(ring, best) {
		return p, false, nil
	}
	if p, ok = wayTo(m, order, middle, min(place, len(m.before))); !ok {
		return p, false, nil
	}
	if place >= len(m.before) {
		tree := &bestTree[W]{g: g, order: order, beta: m.beta}
		for e := tree.exit(middle); e >= 0; e = tree.exit(middle) {
			p.Arcs = append(p.Arcs, e)
			p.Weight = ring.Times(p.Weight, g.weight[e])
			middle = g.To()[e]
		}
	}
	p.Weight = ring.Times(p.Weight, g.final[middle])
	return p, true, nil
}

// wayTo returns a path of weight alpha[t], through states before the given place in topological
// order. It returns false if no product of weights is equal to alpha.
func wayTo[W any](m *meeting[W], order semiring.Ordered[W], t int32, place int) (p Path[W], ok bool) {
	g, row, to := m.g, m.g.Row(), m.g.To()
	for place--; place >= 0; place-- {
		s := m.before[place]
		for e := row[s]; e < row[s+1]; e++ {
			if to[e] == t && order.Compare(g.ring.Times(m.alpha[s], g.weight[e]), m.alpha[t]) == 0 {
				p.Arcs = append(p.Arcs, e)
				t = s
				break
			}
		}
	}
	p.Start, p.Weight = t, g.ring.Zero()
	for _, start := range g.starts {
		if start.State == t {
			p.Weight = g.ring.Plus(p.Weight, start.Weight)
		}
	}
	ok = order.Compare(p.Weight, m.alpha[t]) == 0
	slices.Reverse(p.Arcs)
	for _, e := range p.Arcs {
		p.Weight = g.ring.Times(p.Weight, g.weight[e])
	}
	return p, ok
}
