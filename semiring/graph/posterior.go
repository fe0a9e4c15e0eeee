package graph

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// Posterior holds, for each part of a graph, the expected number of times that a random path uses
// it, if paths are drawn in proportion to their weights. On an acyclic graph these are
// probabilities. If there is no path, all of them are 0 and Total is Zero.
type Posterior[W any] struct {
	Total W         // the path sum
	Arc   []float64 // traversals per arc
	State []float64 // visits per state
	Start []float64 // per start entry: the probability of starting with it
	Final []float64 // per state: the probability of ending there
}

// Posteriors returns the posterior of every arc, state, start and final weight of g, forward ⊗
// weight ⊗ backward / total. The ring must be a semiring.Probabilistic. In a selective ring they
// are max-marginals: the weight of the best path through a part relative to the best path. In a
// ring that adds they are the derivatives of ln Total with respect to the logarithms of the
// weights; see HessianVector for second derivatives.
//
// Like PathSum it uses only states on paths from a start to a final state, and has the same
// errors. In addition, the error wraps semiring.ErrNotFinite if the total is infinite, NaN or not
// invertible. In Real, posteriors stay accurate if intermediate weights or the total leave the
// range of float64; a total below the range is 0.
//
// On an acyclic graph in Real, Scaled, Log or another semiring.TermSweeper without negative
// weights, it takes one sweep and a pass over the terms. Posteriors then have a relative error of
// at most 16·2⁻⁵³ for every arc of a path, and in Log also the rounding of the logarithms.
// Posteriors below 2⁻⁴⁰⁰ may have a greater relative error.
func Posteriors[W any](g *Graph[W]) (*Posterior[W], error) {
	p := new(Posterior[W])
	if err := PosteriorsInto(p, g); err != nil {
		return nil, err
	}
	return p, nil
}

// PosteriorsInto sets *dst to the result of Posteriors, bit by bit the same. It reuses slices of
// dst that are large enough, whatever they contain: 8 bytes per arc, which the system otherwise
// allocates page by page. A zero Posterior is valid. Errors are as for Posteriors; after an error
// the content of dst is arbitrary.
func PosteriorsInto[W any](dst *Posterior[W], g *Graph[W]) error {
	prober, err := semiring.Require[semiring.Probabilistic[W]](g.ring)
	if err != nil {
		return nested.Errorf("graph: posteriors: %w", err)
	}
	resize(dst, g)
	far, err := fill(dst, g, prober) // β or the total, in Real, is close to the limits of the range
	wide := widened(g, weights.Lost[W](err) || err == nil && (g.ring.IsZero(dst.Total) || weights.Lost(nil, dst.Total) || far && dst.unbalanced(g)))
	if wide == nil {
		return err
	}
	q := Posterior[semiring.ScaledFloat]{Arc: dst.Arc, State: dst.State, Start: dst.Start, Final: dst.Final}
	if err := posteriorsScaled(&q, wide); err != nil {
		return err
	}
	totals, err := narrowed[W]([]semiring.ScaledFloat{q.Total}, nil)
	if err != nil {
		return err
	}
	*dst = Posterior[W]{totals[0], q.Arc, q.State, q.Start, q.Final}
	return nil
}

// resize gives the slices of p the lengths for g, and arbitrary content.
func resize[W any](p *Posterior[W], g *Graph[W]) {
	p.Arc, p.Start = sized(p.Arc, g.NumArcs()), sized(p.Start, len(g.starts))
	p.State, p.Final = sized(p.State, g.NumStates()), sized(p.Final, g.NumStates())
}

// sized returns n numbers, in the storage of s if that is large enough. Unlike rows.Resized, it
// leaves no room to grow.
func sized(s []float64, n int) []float64 {
	if s == nil || cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// fill computes the total of a graph and its posteriors, by shares if possible. In Real it also
// reports whether β or the total is close to the limits of the range.
func fill[W any](p *Posterior[W], g *Graph[W], prober semiring.Probabilistic[W]) (far bool, err error) {
	sweeper, divides := semiring.As[semiring.TermSweeper[W]](g.ring)
	if large(g) {
		if err := interrupted(g.ctx); err != nil {
			return false, err
		}
		if divides && meets(g) && meetingShares(p, g, prober, sweeper) {
			return false, interrupted(g.ctx)
		}
		return bothPasses(p, g, prober)
	}
	s, err := newSolver(g, func() []bool { return useful(g) })
	if err != nil {
		return false, err
	}
	s.buffer = (*rows.Borrowed[[]W]())[:0]
	var beta []W
	if divides && s.cyclic == nil {
		beta = append(s.buffer, g.final...)
		if shares(p, s, prober, sweeper, beta) {
			rows.Repaid(&beta)
			return false, nil
		}
	} else if beta, err = backward(s); err != nil {
		return false, err
	}
	if err = posteriors(p, s, prober, beta); err != nil {
		return false, err
	}
	if numbers, ok := any(beta).([]float64); ok && weights.IsReal(g.ring) {
		far = !weights.Within(300, numbers...) || !weights.Within(300, any(p.Total).(float64))
	}
	rows.Repaid(&beta)
	return far, nil
}

// unbalanced reports whether overflow or underflow of intermediate weights has spoiled the
// posteriors of g, in a ring that adds and with a total. It tests that a state is left as often
// as it is entered, and that every path has one end.
func (p *Posterior[W]) unbalanced(g *Graph[W]) bool {
	const tolerance = 1e-6
	row, to := g.Row(), g.To()
	entered := make([]float64, len(p.State))
	for i, start := range g.starts {
		entered[start.State] += p.Start[i]
	}
	for e, x := range p.Arc {
		entered[to[e]] += x
	}
	for s, visits := range p.State {
		left := p.Final[s] + floats.Sum(p.Arc[row[s]:row[s+1]])
		slack := tolerance * (1 + math.Abs(visits))
		if !(math.Abs(visits-left) <= slack && math.Abs(visits-entered[s]) <= slack) {
			return true
		}
	}
	return !(math.Abs(floats.Sum(p.Final)-1) <= tolerance)
}

// posteriorsScaled is PosteriorsInto in Scaled, compiled here alone.
//
//go:noinline
func posteriorsScaled(p *Posterior[semiring.ScaledFloat], g *Graph[semiring.ScaledFloat]) error {
	return PosteriorsInto(p, g)
}

// posteriors is Posteriors for a graph whose β is known, in a p of the right size.
func posteriors[W any](p *Posterior[W], s *solver[W], prober semiring.Probabilistic[W], beta []W) error {
	g := s.g
	scale, err := begin(p, g, prober, s.products.Kernel, beta)
	if err != nil || g.ring.IsZero(p.Total) {
		return err
	}
	if s.cyclic == nil && push(s, p, beta) {
		return nil
	}
	alpha, err := forward(s)
	if err != nil {
		return err
	}
	marginals(s, s.products.Kernel, p, alpha, beta, scale, 0, len(alpha))
	return nil
}

// begin sets the total and the posteriors of the starts, given β, and returns the inverse of the
// total. If the total is Zero, all posteriors are 0 and there is no inverse.
func begin[W any](p *Posterior[W], g *Graph[W], prober semiring.Probabilistic[W], kernel semiring.Kernel[W], beta []W) (scale W, err error) {
	p.Total = total(g, beta)
	if g.ring.IsZero(p.Total) {
		for _, x := range [][]float64{p.Arc, p.State, p.Start, p.Final} {
			clear(x)
		}
		return scale, nil
	}
	if scale, err = weights.Inverse(g.ring, prober, p.Total); err != nil {
		return scale, nested.Errorf("graph: %w", err)
	}
	for i := range g.starts {
		startPosterior(p, g, kernel, beta, scale, i)
	}
	return scale, nil
}

// startPosterior sets the posterior of start entry i, given β and the inverse of the total.
func startPosterior[W any](p *Posterior[W], g *Graph[W], kernel semiring.Kernel[W], beta []W, scale W, i int) {
	start := g.starts[i]
	kernel.Marginals(p.Start[i:i+1], scale, []W{start.Weight}, nil, beta[start.State:start.State+1], nil)
}

// push fills in the posteriors of states, arcs and final weights of an acyclic graph from the
// posteriors of the starts, without a forward pass: it divides the visits of a state among its
// arcs and its final weight in proportion to the terms of its β. It returns false, leaving
// garbage in p, if quotients cannot be used: the ring has no division or does not add, a quotient
// overflows, or negative weights may have cancelled in β.
func push[W any](s *solver[W], p *Posterior[W], beta []W) bool {
	g, kernel := s.g, s.products.Kernel
	number, err := semiring.FromScaled(g.ring)
	divider, ok := semiring.As[semiring.Divider[W]](g.ring)
	if err != nil || !ok || !weights.Adds(g.ring) {
		return false
	}
	clear(p.State)
	clear(p.Final)
	for i, start := range g.starts {
		p.State[start.State] += p.Start[i]
	}
	row, to := g.Row(), g.To()
	one := []W{g.ring.One()}
	signs := uint64(0)
	for n := range beta {
		state := s.components.State(n)
		visits := p.State[state]
		if !(visits <= math.MaxFloat64) {
			return false
		}
		lo, hi := row[state], row[state+1]
		if visits == 0 {
			clear(p.Arc[lo:hi])
			if g.ring.IsZero(beta[state]) && cancels(s, state, beta) {
				return false
			}
			continue
		}
		unit, ok := divider.RDiv(number(semiring.NewScaled(visits)), beta[state])
		if !ok {
			return false
		}
		arcs, next := p.Arc[lo:hi], to[lo:hi]
		kernel.Marginals(arcs, unit, g.weight[lo:hi], nil, beta, next)
		for e, x := range arcs {
			signs |= math.Float64bits(x)
			p.State[next[e]] += x
		}
		if !g.ring.IsZero(g.final[state]) {
			kernel.Marginals(p.Final[state:state+1], unit, g.final[state:state+1], nil, one, nil)
		}
	}
	return signs>>63 == 0
}

// cancels reports whether the β of a state, which is Zero, has non-zero terms.
func cancels[W any](s *solver[W], state int32, beta []W) bool {
	g := s.g
	for e := g.Row()[state]; e < g.Row()[state+1]; e++ {
		if !g.ring.IsZero(g.weight[e]) && !g.ring.IsZero(beta[g.To()[e]]) {
			return true
		}
	}
	return !g.ring.IsZero(g.final[state])
}

// marginals fills in the posteriors of states from lo to hi, of their arcs and final weights;
// scale is the inverse of the total.
func marginals[W any](s *solver[W], kernel semiring.Kernel[W], p *Posterior[W], alpha, beta []W, scale W, lo, hi int) {
	g := s.g
	kernel.Marginals(p.State[lo:hi], scale, alpha[lo:hi], nil, beta[lo:hi], nil)
	kernel.Marginals(p.Final[lo:hi], scale, alpha[lo:hi], nil, g.final[lo:hi], nil)
	row, to := g.Row(), g.To()
	for state := lo; state < hi; state++ {
		if lo, hi := row[state], row[state+1]; s.cyclic == nil || !s.cyclic.Untyped.Skips(int32(state)) {
			kernel.Marginals(p.Arc[lo:hi], g.ring.Times(scale, alpha[state]), g.weight[lo:hi], nil, beta, to[lo:hi])
		} else {
			clear(p.Arc[lo:hi])
		}
	}
}

// Pruned is a part of a graph: every state and arc of it lies on a path from a start to a final
// state. Weights are the same as in the whole graph; states, arcs and starts keep their order.
type Pruned[W any] struct {
	Graph             *Graph[W]
	State, Arc, Start []int32 // per state, arc and start entry: its number in the whole graph
}

// PrunePosterior removes from g the arcs, starts and final weights that a random path uses less
// than min times on average (see Posteriors), and then all parts that are on no path. The ring
// must be a semiring.Probabilistic; in a selective ring the posteriors are max-marginals.
//
// If there are many paths, each may have a low posterior, and even all arcs of a state may be
// below min. Then the result may be a graph without states, and no error. A min of 0 keeps all
// paths. PruneBeam never empties a graph. The cost is Posteriors and O(states + arcs); the errors
// are as for Posteriors.
func PrunePosterior[W any](g *Graph[W], min float64) (*Pruned[W], error) {
	p, err := Posteriors(g)
	if err != nil {
		return nil, err
	}
	return restrict(g, derivation.Kept{
		Entry: atLeast(p.Start, min), Option: atLeast(p.Arc, min), End: atLeast(p.Final, min),
	}), nil
}

// atLeast reports, for each posterior, whether it is min or more.
func atLeast(posterior []float64, min float64) []bool {
	keep := make([]bool, len(posterior))
	for i, x := range posterior {
		keep[i] = x >= min
	}
	return keep
}

// PruneBeam removes from g the arcs, starts and final weights that are on no path of weight best
// ⊗ beam or better. best is the path sum; the ring must be semiring.Ordered. A beam of 5 in
// Tropical admits paths that cost up to 5 more than the best; a beam of 1e-3 in Viterbi admits
// paths with at least a thousandth of its weight. Other paths may survive if they consist of
// parts of good paths. The path of BestPath always survives, whatever the beam; at the exact
// limit of the beam the result depends on rounding.
//
// It takes a backward and a forward pass (see PathSum). Errors are as for BestPath.
func PruneBeam[W any](g *Graph[W], beam W) (*Pruned[W], error) {
	t, err := newBestTree(g)
	if err != nil {
		return nil, err
	}
	keep := derivation.Kept{
		Entry: make([]bool, len(g.starts)), Option: make([]bool, g.NumArcs()), End: make([]bool, g.NumStates()),
	}
	if t.best < 0 {
		return restrict(g, keep), nil
	}
	best := t.path(t.best, nil, 0) // before the solver computes α
	alpha, err := forward(t.solver)
	if err != nil {
		return nil, err
	}
	ring, row, to := g.ring, g.Row(), g.To()
	limit := ring.Times(total(g, t.beta), beam)
	good := func(w W) bool { return !ring.IsZero(w) && t.order.Compare(w, limit) <= 0 }
	for s, a := range alpha {
		for e := row[s]; e < row[s+1]; e++ {
			keep.Option[e] = good(ring.Times(a, ring.Times(g.weight[e], t.beta[to[e]])))
		}
		keep.End[s] = good(ring.Times(a, g.final[s]))
	}
	for i, start := range g.starts {
		keep.Entry[i] = good(ring.Times(start.Weight, t.beta[start.State])) ||
			start.State == best.Start && t.order.Compare(start.Weight, t.lambda[t.best]) == 0
	}
	last := best.Start
	for _, e := range best.Arcs {
		keep.Option[e], last = true, to[e]
	}
	keep.End[last] = true
	return restrict(g, keep), nil
}

// restrict returns the kept, non-zero parts of g that lie on a path of such parts. It clears all
// other entries of keep.
func restrict[W any](g *Graph[W], keep derivation.Kept) *Pruned[W] {
	keep.Entries = startStates(g)
	for i, start := range g.starts {
		keep.Entry[i] = keep.Entry[i] && !g.ring.IsZero(start.Weight)
	}
	andPositive(g.ring, keep.Option, g.weight)
	andPositive(g.ring, keep.End, g.final)
	part := g.topology.part(keep)
	p := &Pruned[W]{State: part.Node, Arc: part.Option, Start: part.Entry}
	p.Graph = &Graph[W]{
		ring:     g.ring,
		topology: newTopology(part.Row, part.Tails),
		weight:   rows.Picked(g.weight, part.Option),
		final:    rows.Picked(g.final, part.Node),
	}
	for i, s := range part.Node {
		if !keep.End[s] {
			p.Graph.final[i] = g.ring.Zero()
		}
	}
	for _, i := range part.Entry {
		start := g.starts[i]
		p.Graph.starts = append(p.Graph.starts, Start[W]{part.Number[start.State], start.Weight})
	}
	return p
}

// andPositive clears keep where a weight is Zero.
func andPositive[W any](ring semiring.Semiring[W], keep []bool, weight []W) {
	for i, w := range weight {
		keep[i] = keep[i] && !ring.IsZero(w)
	}
}

// part returns the part of t on paths of kept arcs, starts and final states.
func (t *topology) part(keep derivation.Kept) *derivation.Part {
	s := structure(t)
	return s.Part(keep, t.coaccessible(
		func(s int32) bool { return keep.End[s] }, func(e int32) bool { return keep.Option[e] }))
}
