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
// everything else. A long sum has 2¹⁴ arcs or more:
//
//	PathSum      of an acyclic graph, by two goroutines
//	Posteriors   of any graph: sums by two goroutines, then the arcs by all
//
// Other computations ignore n. Graphs made from g by WithWeights and Map have the same n. It
// panics if n is negative.
//
// Results are the same for any n, bit by bit. They differ from results without WithWorkers by
// rounding if they are joined in the middle: one goroutine computes α of the states before a cut,
// while another one computes β of the states after it. Both results of PathSum have the relative
// error of a path sum: at most 2⁻⁵³ for each arc of a path and each term added to it. In Log the
// same share of the logarithm is added. Posteriors of a graph with cycles, or in a ring in which ⊕
// selects, have the same bits as without WithWorkers. A sum may be NaN because of an infinite
// weight at an unreachable state.
//
// A sum that is joined requires ⊗ to distribute over ⊕ from both sides; other algebras sum in one
// goroutine. The methods of the ring must be safe for concurrent use. Once the context of g is
// done, a sum ends after the current pass, within some nanoseconds per arc.
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

// large reports whether sums of g are worth several goroutines. The answer does not depend on the
// number of workers, so bits do not either.
func large[W any](g *Graph[W]) bool { return g.workers > 0 && g.NumArcs() >= fewestArcs }

// meets reports whether sums of g meet in the middle.
func meets[W any](g *Graph[W]) bool {
	return large(g) && !g.topology.Components().Cyclic() &&
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
const shareBefore = .42

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
		h.entered = []int32{} // a nil list would stand for all states
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
	beta  []W // β from the cut on; in posteriors of all states
	ends  W   // the sum over the paths that end before the cut
	near  [2]bool
}

func newMeeting[W any](g *Graph[W]) *meeting[W] {
	return &meeting[W]{
		split: g.topology.halves(), g: g,
		ahead: weights.NewProducts(g.ring), behind: weights.NewProducts(g.ring),
	}
}

// meet computes both halves and the path sum. In Real, the error wraps semiring.ErrNotFinite if
// weights come so close to the limits of the range that a product of two may leave it.
func meet[W any](g *Graph[W]) (m *meeting[W], sum W, err error) {
	m = newMeeting(g)
	together(g.workers, func() { advance(m) }, func() {
		startBeta(m)
		sweep(m)
		m.near[1] = nearLimits(g.ring, m.beta[m.low:])
	})
	if err := failed(m); err != nil {
		return nil, sum, err
	}
	return m, joined(m), nil
}

// advance computes α before the cut, and the sum over the paths that end there.
func advance[W any](m *meeting[W]) {
	g := m.g
	m.alpha = rows.Resized(*rows.Borrowed[[]W](), g.NumStates())[:m.reach]
	zero := g.ring.Zero()
	for s := range m.alpha {
		m.alpha[s] = zero
	}
	for _, start := range g.starts {
		if s := start.State; m.isBefore[s] {
			m.alpha[s] = g.ring.Plus(m.alpha[s], start.Weight)
		}
	}
	if sweeper := m.ahead.Sweeper; sweeper != nil {
		sweeper.Spread(m.alpha, m.before, g.Row(), g.weight, g.To())
	} else {
		pull(m, m.before)
		pull(m, m.entered)
	}
	weights.Before(&m.ahead, &m.ends, m.alpha, m.before, g.final, m.before)
	m.near[0] = nearLimits(g.ring, m.alpha)
}

// startBeta makes β from the cut on the final weights.
func startBeta[W any](m *meeting[W]) {
	m.beta = rows.Resized(*rows.Borrowed[[]W](), m.g.NumStates())
	copy(m.beta[m.low:], m.g.final[m.low:])
}

// joined returns the sum over all paths: those that end before the cut, that cross it, and that
// start after it.
func joined[W any](m *meeting[W]) W {
	ring := m.g.ring
	var across W
	weights.Before(&m.ahead, &across, m.alpha, m.entered, m.beta, m.entered)
	sum := ring.Plus(m.ends, across)
	for _, start := range m.g.starts {
		if !m.isBefore[start.State] {
			sum = ring.Plus(sum, ring.Times(start.Weight, m.beta[start.State]))
		}
	}
	return sum
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
}

// pull adds to α of each target the terms that it gets from states before the cut.
func pull[W any](m *meeting[W], targets []int32) {
	g := m.g
	in := g.topology.In()
	var arcs, from []int32
	for _, t := range targets {
		arcs, from = arcs[:0], from[:0]
		for n := in.Row[t]; n < in.Row[t+1]; n++ {
			if s := in.Other[n]; m.isBefore[s] {
				arcs, from = append(arcs, in.Arc[n]), append(from, s)
			}
		}
		if len(arcs) == 0 {
			continue // a nil list would stand for all arcs
		}
		var sum W
		weights.After(&m.ahead, &sum, g.weight, arcs, m.alpha, from)
		if !g.ring.IsZero(m.alpha[t]) {
			sum = g.ring.Plus(sum, m.alpha[t])
		}
		m.alpha[t] = sum
	}
}

// sweep completes β from the cut on.
func sweep[W any](m *meeting[W]) {
	g := m.g
	if sweeper := m.behind.Sweeper; sweeper != nil {
		sweeper.Sweep(m.beta, m.after, g.Row(), g.weight, g.To())
		return
	}
	from := g.topology.Out()
	for _, s := range m.after {
		weights.Pull(&m.behind, &m.beta[s], g.weight, m.beta, s, from)
	}
}

// meetingShares computes posteriors from shares, as shares does, for a p of the right size. One
// goroutine computes β. The other one computes α before the cut; then it pushes visits on from
// there. Visits before the cut are products of α and β, which all goroutines compute. It returns
// false, leaving garbage in p, if there is no path, if a sum or the total is out of range, or if β
// cannot be divided into shares.
func meetingShares[W any](p *Posterior[W], g *Graph[W], prober semiring.Probabilistic[W], sweeper semiring.TermSweeper[W]) bool {
	unit := rows.Borrowed[[]float64]()
	defer rows.Repaid(unit)
	*unit = rows.Resized(*unit, g.NumStates())
	m := &sharing[W]{meeting: newMeeting(g), p: p, prober: prober, sweeper: sweeper, unit: *unit}
	defer release(m.meeting)
	if g.workers == 1 {
		for _, stage := range []func(){m.startBetas, m.startAlphas, m.endBetas, m.push, m.divide} {
			stage()
		}
	} else {
		half, whole, pushed := make(chan struct{}), make(chan struct{}), make(chan struct{})
		calls := []func(){
			func() {
				m.startBetas()
				close(half)
				m.endBetas()
				close(whole)
			},
			func() {
				m.startAlphas()
				<-half
				m.push()
				close(pushed)
			},
		}
		for len(calls) < g.workers {
			calls = append(calls, func() {})
		}
		for i, call := range calls {
			calls[i] = func() {
				call()
				<-whole
				<-pushed
				m.divide()
			}
		}
		together(g.workers, calls...)
	}
	if m.failed.Load() {
		return false
	}
	for i, start := range g.starts {
		if m.isBefore[start.State] {
			startPosterior(p, g, m.ahead.Kernel, m.beta, m.scale, i)
		}
	}
	return true
}

// sharing is a meeting that computes posteriors from shares. Its methods are the stages.
type sharing[W any] struct {
	*meeting[W]
	p       *Posterior[W]
	prober  semiring.Probabilistic[W]
	sweeper semiring.TermSweeper[W]
	unit    []float64 // per state: the inverse of its sum of terms
	scale   W         // the inverse of the total
	failed  atomic.Bool
	next    atomic.Int64 // the next block of states before the cut to divide
}

// check fails unless a stage went well.
func (m *sharing[W]) check(ok bool) {
	if !ok {
		m.failed.Store(true)
	}
}

// terms completes β of states, and leaves the terms of their sums in p.
func (m *sharing[W]) terms(states []int32) {
	m.check(m.sweeper.SweepTerms(m.p.Arc, m.p.Final, m.unit, m.beta, states, m.g.Row(), m.g.weight, m.g.To()))
}

// startBetas computes β from the cut on.
func (m *sharing[W]) startBetas() {
	startBeta(m.meeting)
	m.terms(m.after)
}

// endBetas computes β before the cut.
func (m *sharing[W]) endBetas() {
	for _, s := range m.before {
		m.beta[s] = m.g.final[s]
	}
	m.terms(m.earlier)
	m.check(!nearLimits(m.g.ring, m.beta))
}

// startAlphas computes α before the cut.
func (m *sharing[W]) startAlphas() { advance(m.meeting) }

// push computes the total, and pushes visits on from the cut.
func (m *sharing[W]) push() {
	g, p := m.g, m.p
	if m.failed.Load() || m.near[0] {
		m.check(false)
		return
	}
	regular := false
	p.Total = joined(m.meeting)
	if m.scale, regular = semiring.Inverse(g.ring, m.prober, p.Total); !regular {
		m.check(false)
		return
	}
	for _, s := range m.from {
		p.State[s] = 0
	}
	visits(m.meeting, m.ahead.Kernel, m.scale, m.entered, p.State)
	for i, start := range g.starts {
		if !m.isBefore[start.State] {
			startPosterior(p, g, m.ahead.Kernel, m.beta, m.scale, i)
			p.State[start.State] += p.Start[i]
		}
	}
	m.check(pushShares(&g.topology.Topology, len(m.before), p.Arc, p.State, p.Final, m.unit))
}

// divide divides the visits of states before the cut among their arcs, block by block. Several
// goroutines call it at once.
func (m *sharing[W]) divide() {
	kernel := semiring.KernelOf(m.g.ring)
	for !m.failed.Load() {
		lo := blockStates * (int(m.next.Add(1)) - 1)
		if lo >= len(m.before) {
			return
		}
		block := m.before[lo:min(lo+blockStates, len(m.before))]
		visits(m.meeting, kernel, m.scale, block, m.p.State)
		m.check(divideShares(&m.g.topology.Topology, block, m.p.Arc, m.p.State, m.p.Final, m.unit))
	}
}

// visits sets the posteriors of states to products of their α and β.
func visits[W any](m *meeting[W], kernel semiring.Kernel[W], scale W, states []int32, posterior []float64) {
	var products [blockStates]float64
	for block := range slices.Chunk(states, blockStates) {
		kernel.Marginals(products[:len(block)], scale, m.alpha, block, m.beta, block)
		for i, s := range block {
			posterior[s] = products[i]
		}
	}
}

// divideShares replaces the terms of the arcs and of the final weights of states by posteriors. It
// returns false if visits are not finite or a posterior of an arc is negative. It is not generic,
// so it is compiled once.
func divideShares(t *rows.Topology, states []int32, arc, state, final, unit []float64) bool {
	signs, sum := uint64(0), 0.0
	for _, s := range states {
		sum += state[s]
		factor := state[s] * unit[s]
		final[s] *= factor
		terms := arc[t.Row[s]:t.Row[s+1]]
		for e, x := range terms {
			x *= factor
			terms[e] = x
			signs |= math.Float64bits(x)
		}
	}
	return signs>>63 == 0 && math.Abs(sum) <= math.MaxFloat64
}

// blockStates is the number of states whose posteriors a goroutine computes at a time.
const blockStates = 256

// bothPasses computes posteriors from α and β, each in a goroutine of its own, for a p of the
// right size. Then all goroutines share the states. In Real it also reports whether α, β or the
// total is close to the limits of the range.
func bothPasses[W any](p *Posterior[W], g *Graph[W], prober semiring.Probabilistic[W]) (far bool, err error) {
	var alpha, beta []W
	var behind *solver[W]
	var failure [2]error
	together(g.workers,
		func() {
			var s *solver[W]
			if s, failure[0] = newSolver(g, func() []bool { return useful(g) }); failure[0] == nil {
				alpha, failure[0] = forward(s)
			}
		},
		func() { behind, beta, failure[1] = usefulBackward(g) })
	for _, err := range []error{failure[1], failure[0], interrupted(g.ctx)} {
		if err != nil {
			return false, err
		}
	}
	scale, err := begin(p, g, prober, behind.products.Kernel, beta)
	if err != nil || g.ring.IsZero(p.Total) {
		return false, err
	}
	var next atomic.Int64
	calls := make([]func(), g.workers)
	for i := range calls {
		calls[i] = func() {
			kernel := semiring.KernelOf(g.ring)
			for interrupted(g.ctx) == nil {
				lo := blockStates * (int(next.Add(1)) - 1)
				if lo >= len(alpha) {
					return
				}
				marginals(behind, kernel, p, alpha, beta, scale, lo, min(lo+blockStates, len(alpha)))
			}
		}
	}
	together(g.workers, calls...)
	far = nearLimits(g.ring, alpha) || nearLimits(g.ring, beta) || nearLimits(g.ring, []W{p.Total})
	rows.Repaid(&beta)
	return far, interrupted(g.ctx)
}
