package graph

import (
	"math"
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
	entered        []int32 // the states in from that arcs enter from before the cut, in order
	isBefore       []bool  // per state
	low, reach     int32   // all of from are low or more; before and entered are below reach
}

// shareBefore is the share of arcs that leave states before the cut. They take about as long as
// the other arcs.
const shareBefore = .47

// halves returns the split of an acyclic graph.
func (t *topology) halves() *split {
	t.splitOnce.Do(func() {
		order, _ := t.order()
		isBefore, isEntered := make([]bool, len(order)), make([]bool, len(order))
		h := &t.split
		cut := 0
		for arcs := 0; arcs < int(shareBefore*float64(len(t.To))); cut++ {
			s := order[cut]
			isBefore[s] = true
			h.reach = max(h.reach, s+1)
			next := t.To[t.Row[s]:t.Row[s+1]]
			arcs += len(next)
			for _, q := range next {
				isEntered[q] = true
				h.reach = max(h.reach, q+1)
			}
		}
		h.before, h.from, h.isBefore = order[:cut], order[cut:], isBefore
		reverse := t.ReverseOrder()
		h.after, h.earlier = reverse[:len(h.from)], reverse[len(h.from):]
		h.low = int32(len(order))
		for _, s := range h.from {
			h.low = min(h.low, s)
			if isEntered[s] {
				h.entered = append(h.entered, s)
			}
		}
	})
	return &t.split
}

// meeting is a sum over the paths of an acyclic graph that is joined in the middle.
type meeting[W any] struct {
	*split
	g *Graph[W]
	// ahead computes α in one goroutine, and behind computes β in another.
	ahead, behind weights.Products[W]
	// alpha is α before the cut. For the states that are entered it is the sum over the paths
	// through their arcs from before the cut. It has elements for the states below reach.
	alpha []W
	beta  []W // β from the cut on; later β of all states
	total W   // the path sum

	sweeper semiring.TermSweeper[W] // for posteriors by shares; nil if they are not computed
	unit    []float64               // per state: its unit of the terms
	shared  [2]bool                 // from the cut on, and before: β can be divided into shares
	near    [2]bool                 // α and β come near the limits of Real
}

// meet computes both halves and the path sum. If p is not nil and the ring is a
// semiring.TermSweeper, it leaves terms of β in p. In Real, the error wraps semiring.ErrNotFinite
// if weights come so close to the limits of the range that a product of two may leave it.
func meet[W any](g *Graph[W], p *Posterior[W]) (*meeting[W], error) {
	if err := interrupted(g.ctx); err != nil {
		return nil, err
	}
	m := &meeting[W]{
		split: g.topology.halves(), g: g,
		ahead: weights.NewProducts(g.ring), behind: weights.NewProducts(g.ring),
	}
	if p != nil {
		m.sweeper, _ = semiring.As[semiring.TermSweeper[W]](g.ring)
	}
	var ends W // of the paths that end before the cut
	together(g.workers,
		func() {
			m.alpha = rows.Resized(*rows.Borrowed[[]W](), g.NumStates())[:m.reach]
			zero := g.ring.Zero()
			for s := range m.alpha {
				m.alpha[s] = zero
			}
			addStarts(m, m.alpha, true)
			spread(m, m.alpha, m.before)
			weights.Before(&m.ahead, &ends, m.alpha, m.before, g.final, m.before)
			m.near[0] = nearLimits(g.ring, m.alpha)
		},
		func() {
			m.beta = rows.Resized(*rows.Borrowed[[]W](), g.NumStates())
			copy(m.beta[m.low:], g.final[m.low:])
			if m.sweeper != nil {
				m.unit = rows.Resized(*rows.Borrowed[[]float64](), g.NumStates())
				m.shared[0] = m.sweeper.SweepTerms(p.Arc, p.Final, m.unit, m.beta, m.after, g.Row(), g.weight, g.To())
			} else {
				sweep(m, m.after)
			}
			m.near[1] = nearLimits(g.ring, m.beta[m.low:])
		})
	if err := failed(m); err != nil {
		return nil, err
	}
	var across W // of the paths with an arc across the cut
	weights.Before(&m.ahead, &across, m.alpha, m.entered, m.beta, m.entered)
	m.total = g.ring.Plus(ends, across)
	for _, start := range g.starts {
		if !m.isBefore[start.State] {
			m.total = g.ring.Plus(m.total, g.ring.Times(start.Weight, m.beta[start.State]))
		}
	}
	return m, nil
}

// addStarts adds to x the start weights of the states before the cut, or of the others.
func addStarts[W any](m *meeting[W], x []W, before bool) {
	for _, start := range m.g.starts {
		if s := start.State; m.isBefore[s] == before {
			x[s] = m.g.ring.Plus(x[s], start.Weight)
		}
	}
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
	if m.near[0] || m.near[1] {
		return nested.Errorf("graph: %w in Real", semiring.ErrNotFinite)
	}
	return interrupted(m.g.ctx)
}

// release returns the storage of a meeting, whose sums must not be used any more.
func release[W any](m *meeting[W]) {
	rows.Repaid(&m.alpha)
	rows.Repaid(&m.beta)
	if m.unit != nil {
		rows.Repaid(&m.unit)
	}
}

// spread adds to x the terms that leave the given states, one half in topological order. x of a
// state must contain all other terms.
func spread[W any](m *meeting[W], x []W, states []int32) {
	g := m.g
	if sweeper := m.ahead.Sweeper; sweeper != nil {
		sweeper.Spread(x, states, g.Row(), g.weight, g.To())
		return
	}
	if m.isBefore[states[0]] {
		pull(m, x, m.before, true)
		pull(m, x, m.entered, true)
	} else {
		pull(m, x, m.from, false)
	}
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

// meetingPosteriors is PosteriorsInto in workers, for a p of the right size and without a second
// attempt in Scaled.
func meetingPosteriors[W any](p *Posterior[W], g *Graph[W], prober semiring.Prober[W]) error {
	m, err := meet(g, p)
	if err != nil {
		return err
	}
	p.Total = m.total
	if g.ring.IsZero(p.Total) {
		for _, x := range [][]float64{p.Arc, p.State, p.Start, p.Final} {
			clear(x)
		}
		return nil
	}
	scale, err := weights.Inverse(g.ring, prober, p.Total)
	if err != nil {
		return nested.Errorf("graph: %w", err)
	}
	if !meetingShares(m, p, scale) {
		meetingMarginals(m, p, scale)
	}
	if err := failed(m); err != nil {
		return err
	}
	for i := range g.starts {
		startPosterior(m, p, scale, i)
	}
	release(m)
	return nil
}

// startPosterior sets the posterior of start entry i.
func startPosterior[W any](m *meeting[W], p *Posterior[W], scale W, i int) {
	start := m.g.starts[i]
	b := m.beta[start.State : start.State+1]
	m.ahead.Kernel.Marginals(p.Start[i:i+1], scale, []W{start.Weight}, nil, b, nil)
}

// restoreFinals makes β of states before the cut their final weights.
func restoreFinals[W any](m *meeting[W], states []int32) {
	for _, s := range states {
		m.beta[s] = m.g.final[s]
	}
}

// visits calls do for blocks of states, and gives it the posteriors of the states of each block,
// which must have α and β.
func visits[W any](m *meeting[W], kernel semiring.Kernel[W], scale W, states []int32, do func(block []int32, visits []float64)) {
	var posterior [blockStates]float64
	for block := range slices.Chunk(states, blockStates) {
		if interrupted(m.g.ctx) != nil {
			return
		}
		kernel.Marginals(posterior[:len(block)], scale, m.alpha, block, m.beta, block)
		do(block, posterior[:len(block)])
	}
}

// meetingShares computes posteriors from shares, as shares does. One goroutine pushes visits on
// from the cut; another one computes β before the cut, and with it and α the visits there. It
// returns false, leaving garbage in p, if β cannot be divided into shares.
func meetingShares[W any](m *meeting[W], p *Posterior[W], scale W) bool {
	if !m.shared[0] {
		return false
	}
	g, pushed := m.g, false
	m.shared[1] = true
	together(g.workers,
		func() {
			for _, s := range m.from {
				p.State[s] = 0
			}
			visits(m, m.ahead.Kernel, scale, m.entered, func(block []int32, visits []float64) {
				for i, s := range block {
					p.State[s] = visits[i]
				}
			})
			for i, start := range g.starts {
				if !m.isBefore[start.State] {
					startPosterior(m, p, scale, i)
					p.State[start.State] += p.Start[i]
				}
			}
			pushed = pushShares(&g.topology.Topology, len(m.before), p.Arc, p.State, p.Final, m.unit)
		},
		func() {
			for block := range slices.Chunk(m.earlier, blockStates) {
				restoreFinals(m, block)
				m.shared[1] = m.sweeper.SweepTerms(p.Arc, p.Final, m.unit, m.beta, block, g.Row(), g.weight, g.To()) && m.shared[1]
				visits(m, m.behind.Kernel, scale, block, func(block []int32, visits []float64) {
					m.shared[1] = divide(&g.topology.Topology, block, visits, p.Arc, p.State, p.Final, m.unit) && m.shared[1]
				})
			}
			m.near[1] = nearLimits(g.ring, m.beta)
		})
	return pushed && m.shared[1]
}

// divide sets the visits of states, and replaces the terms of their arcs and final weights by
// posteriors. It returns false if visits are not finite or a posterior of an arc is negative. It
// is not generic, so it is compiled once.
func divide(t *rows.Topology, states []int32, visits, arc, state, final, unit []float64) bool {
	signs, sum := uint64(0), 0.0
	for i, s := range states {
		state[s] = visits[i]
		sum += visits[i]
		factor := visits[i] * unit[s]
		final[s] *= factor
		terms := arc[t.Row[s]:t.Row[s+1]]
		for e := range terms {
			terms[e] *= factor
			signs |= math.Float64bits(terms[e])
		}
	}
	return signs>>63 == 0 && math.Abs(sum) <= math.MaxFloat64
}

// meetingMarginals computes posteriors from α and β. One goroutine computes β and posteriors
// before the cut, and a second one α from the cut on; then all share the posteriors from the cut
// on.
func meetingMarginals[W any](m *meeting[W], p *Posterior[W], scale W) {
	g := m.g
	alpha := rows.Resized(*rows.Borrowed[[]W](), g.NumStates()) // the other half reads m.alpha
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
			marginalsOf(m, p, kernel, scale, alpha, m.from[lo:min(lo+blockStates, len(m.from))])
		}
	}
	calls := []func(){
		func() {
			zero := g.ring.Zero()
			for s := copy(alpha, m.alpha); s < len(alpha); s++ {
				alpha[s] = zero
			}
			addStarts(m, alpha, false)
			spread(m, alpha, m.from)
			m.near[0] = nearLimits(g.ring, alpha)
			close(ready)
			finish()
		},
		func() {
			for block := range slices.Chunk(m.earlier, blockStates) {
				if interrupted(g.ctx) != nil {
					break
				}
				restoreFinals(m, block)
				sweep(m, block)
				marginalsOf(m, p, m.behind.Kernel, scale, m.alpha, block)
			}
			m.near[1] = nearLimits(g.ring, m.beta)
			finish()
		},
	}
	for len(calls) < g.workers {
		calls = append(calls, finish)
	}
	together(g.workers, calls...)
	rows.Repaid(&alpha)
}

// blockStates is the number of states whose posteriors are computed while β of their arcs' targets
// is in the cache.
const blockStates = 256

// marginalsOf computes the posteriors of states, of their arcs and final weights; scale is the
// inverse of the total. Unreachable states have posteriors of 0.
func marginalsOf[W any](m *meeting[W], p *Posterior[W], kernel semiring.Kernel[W], scale W, alpha []W, states []int32) {
	g := m.g
	row, to := g.Row(), g.To()
	var visits, ends [blockStates]float64
	kernel.Marginals(visits[:len(states)], scale, alpha, states, m.beta, states)
	kernel.Marginals(ends[:len(states)], scale, alpha, states, g.final, states)
	for i, s := range states {
		lo, hi := row[s], row[s+1]
		if g.ring.IsZero(alpha[s]) {
			p.State[s], p.Final[s] = 0, 0
			clear(p.Arc[lo:hi])
			continue
		}
		p.State[s], p.Final[s] = visits[i], ends[i]
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
	m, err := meet(g, nil)
	if err != nil {
		return p, false, err
	}
	defer release(m)
	ring, best, middle, place := g.ring, g.ring.Zero(), int32(-1), len(m.before)
	starts := false // the path starts in middle, which is not before the cut
	try := func(a, b W) bool {
		w := ring.Times(a, b)
		if ring.IsZero(w) || middle >= 0 && order.Compare(w, best) >= 0 {
			return false
		}
		best = w
		return true
	}
	for at, s := range m.before {
		if f := g.final[s]; !ring.IsZero(f) && try(m.alpha[s], f) {
			middle, place = s, at
		}
	}
	for _, s := range m.entered {
		if try(m.alpha[s], m.beta[s]) {
			middle, place = s, len(m.before)
		}
	}
	for _, start := range g.starts {
		if s := start.State; !m.isBefore[s] && try(start.Weight, m.beta[s]) {
			middle, starts = s, true
		}
	}
	if middle < 0 {
		return Path[W]{Start: -1, Weight: ring.Zero()}, true, nil
	}
	if weights.IsNaN(ring, best) {
		return p, false, nil
	}
	if starts {
		p = Path[W]{Start: middle, Weight: startWeight(g, middle)}
	} else if p, ok = wayTo(m, order, middle, place); !ok {
		return p, false, nil
	}
	if !m.isBefore[middle] {
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
	p.Start, p.Weight = t, startWeight(g, t)
	ok = order.Compare(p.Weight, m.alpha[t]) == 0
	slices.Reverse(p.Arcs)
	for _, e := range p.Arcs {
		p.Weight = g.ring.Times(p.Weight, g.weight[e])
	}
	return p, ok
}

// startWeight returns the sum of the start weights of a state.
func startWeight[W any](g *Graph[W], state int32) W {
	sum := g.ring.Zero()
	for _, start := range g.starts {
		if start.State == state {
			sum = g.ring.Plus(sum, start.Weight)
		}
	}
	return sum
}
