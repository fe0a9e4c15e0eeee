package frames

import (
	"math"
	"slices"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// weighing holds the weights of steps for sums, or for maxima.
type weighing struct {
	weight []semiring.ScaledFloat // per slot; 0 if there is no step
	end    []semiring.ScaledFloat // per position: for ending there, or at another state of its knot
	// A weight is number · 2^power, with number 0 or in [½, 1).
	number []float64
	power  []int64
	common int64 // the greatest power of steps to nodes
}

// star is the closure of a knot: sums, or maxima, over the paths between each pair of its states.
type star struct{ sums, maxima [][]semiring.ScaledFloat }

// reach limits the positions that a path may be at after a number of frames. Tables have an entry
// for every number of frames up to the number of states; the last entry also stands for greater
// numbers.
type reach struct {
	minFirst, maxFirst []int32 // positions that at most this number of frames leads to
	minLast, maxLast   []int32 // positions from which at most this number leads to the end
}

// mostDigits is the greatest |Exp| of a weight: a sum over 2²⁹ frames is still in range.
const mostDigits = 1 << 24

// SetWeights sets all weights, which are copied. The error wraps semiring.ErrShape if the lengths
// of slices differ from the numbers of states and arcs. It wraps semiring.ErrNegative or
// semiring.ErrNotFinite for a weight that is not a finite number ≥ 0, and semiring.ErrLimit for a
// weight outside e^±5·10⁹. It wraps semiring.ErrDiverges if a cycle of ε arcs diverges. After an
// error the weights are unchanged.
//
// It takes O(states + arcs), plus the cube of the number of states on common cycles of ε arcs.
func (g *Graph) SetWeights(w Weights) error {
	if len(w.Initial) != g.states || len(w.Arc) != len(g.arcs) || len(w.Final) != g.states {
		return nested.Errorf("frames: %w: weights of %d starts, %d arcs and %d ends for %d states and %d arcs",
			semiring.ErrShape, len(w.Initial), len(w.Arc), len(w.Final), g.states, len(g.arcs))
	}
	for _, part := range []struct {
		name   string
		weight []semiring.ScaledFloat
	}{{"the start at state", w.Initial}, {"arc", w.Arc}, {"the end at state", w.Final}} {
		for k, x := range part.weight {
			switch {
			case !x.IsFinite():
				return nested.Errorf("frames: %w: the weight of %s %d is %v", semiring.ErrNotFinite, part.name, k, x)
			case x.Mant < 0:
				return nested.Errorf("frames: %w: the weight of %s %d is %v", semiring.ErrNegative, part.name, k, x)
			case x.Exp < -mostDigits || x.Exp > mostDigits:
				return nested.Errorf("frames: %w: the weight of %s %d is %v", semiring.ErrLimit, part.name, k, x)
			}
		}
	}
	before, inside := g.w, g.inside
	g.w = Weights{slices.Clone(w.Initial), slices.Clone(w.Arc), slices.Clone(w.Final)}
	if err := g.weigh(); err != nil {
		g.w, g.inside = before, inside
		return err
	}
	return nil
}

// weigh computes the data that depend on the weights.
func (g *Graph) weigh() error {
	stars, err := g.closeKnots()
	if err != nil {
		return nested.Errorf("frames: cycles of ε arcs: %w", err)
	}
	g.stars = stars
	g.sums = g.weighed(false)
	g.maxima = g.sums
	if len(g.knots) > 0 || len(g.parts) > g.slotsInUse() {
		g.maxima = g.weighed(true)
	}
	g.findReach()
	return nil
}

func (g *Graph) slotsInUse() (n int) {
	for s := range g.slots {
		if g.partRow[s] < g.partRow[s+1] {
			n++
		}
	}
	return n
}

// knotGraph makes the graph of the ε arcs inside knots, with the states of g.
func (g *Graph) knotGraph() (err error) {
	g.knotArcs = g.knotArcs[:0]
	for k, a := range g.arcs {
		if a.Symbol == Epsilon && g.sameKnot(g.position[a.From], g.position[a.To]) {
			g.knotArcs = append(g.knotArcs, int32(k))
		}
	}
	arcs := g.knotArcs
	slices.SortStableFunc(arcs, func(a, b int32) int { return int(g.arcs[a].From) - int(g.arcs[b].From) })
	row, to := make([]int32, g.states+1), make([]int32, len(arcs))
	weight := make([]semiring.ScaledFloat, len(arcs))
	for i, k := range arcs {
		to[i], weight[i] = g.arcs[k].To, g.w.Arc[k]
		row[g.arcs[k].From+1]++
	}
	for q := range g.states {
		row[q+1] += row[q]
	}
	g.inside, err = graphs.New(semiring.Scaled{}, row, to, weight, nil, make([]semiring.ScaledFloat, g.states))
	return err
}

// closeKnots computes the stars of all knots.
func (g *Graph) closeKnots() ([]star, error) {
	if len(g.knots) == 0 {
		return nil, nil
	}
	if err := g.knotGraph(); err != nil {
		return nil, err
	}
	sums, err := g.closures(g.inside)
	if err != nil {
		return nil, err
	}
	maxima, err := g.closures(g.inside.WithSemiring(semiring.Viterbi{}))
	if err != nil {
		return nil, err
	}
	stars := make([]star, len(g.knots))
	for i := range stars {
		stars[i] = star{sums[i], maxima[i]}
	}
	return stars, nil
}

// closures returns, per knot, ⊕ over the paths between each pair of its states.
func (g *Graph) closures(arcs *graph.Graph[semiring.ScaledFloat]) ([][][]semiring.ScaledFloat, error) {
	pairs, err := graphs.NewPairs(arcs)
	if err != nil {
		return nil, err
	}
	all := make([][][]semiring.ScaledFloat, len(g.knots))
	for i, members := range g.knots {
		for _, p := range members {
			states, sums, err := pairs.From(g.state[p])
			if err != nil {
				return nil, err
			}
			row := make([]semiring.ScaledFloat, len(members))
			for n, q := range states {
				row[g.inKnot[g.position[q]]] = sums[n]
			}
			all[i] = append(all[i], row)
		}
	}
	return all, nil
}

// through returns the sum, or the maximum, over the paths of ε arcs inside a knot from position p
// to position q. It is 1 if p = q and p is in no knot.
func (g *Graph) through(p, q int32, best bool) semiring.ScaledFloat {
	k := g.knot[p]
	switch {
	case k < 0:
		return semiring.ScaledFloat{Mant: 1}
	case best:
		return g.stars[k].maxima[g.inKnot[p]][g.inKnot[q]]
	}
	return g.stars[k].sums[g.inKnot[p]][g.inKnot[q]]
}

// partWeight returns the weight of part n, an arc, as part of a step from position p.
func (g *Graph) partWeight(p, n int32, best bool) semiring.ScaledFloat {
	k := g.parts[n]
	return g.through(p, g.position[g.arcs[k].From], best).Mul(g.w.Arc[k])
}

// endWeight returns the weight of ending at position q after paths inside a knot from position p.
func (g *Graph) endWeight(p, q int32, best bool) semiring.ScaledFloat {
	return g.through(p, q, best).Mul(g.w.Final[g.state[q]])
}

// ends returns the positions at which a path at position p may end.
func (g *Graph) ends(p int32) []int32 {
	if k := g.knot[p]; k >= 0 {
		return g.knots[k]
	}
	return []int32{p}
}

// weighed returns the weights of steps.
func (g *Graph) weighed(best bool) *weighing {
	add := semiring.ScaledFloat.Add
	if best {
		add = greater
	}
	w := &weighing{
		weight: make([]semiring.ScaledFloat, g.slots), end: make([]semiring.ScaledFloat, g.states),
		number: make([]float64, g.slots), power: make([]int64, g.slots),
	}
	for s := range w.weight {
		if lo, hi := g.partRow[s], g.partRow[s+1]; lo < hi {
			p, sum := g.from(int32(s)), semiring.ScaledFloat{}
			for n := lo; n < hi; n++ {
				sum = add(sum, g.partWeight(p, n, best))
			}
			w.weight[s] = sum
			w.number[s], w.power[s] = parted(sum)
		}
	}
	w.common = math.MinInt64
	for s, x := range w.number[:g.firstEpsilon] {
		if x != 0 {
			w.common = max(w.common, w.power[s])
		}
	}
	if w.common == math.MinInt64 { // there are no such steps
		w.common = 0
	}
	for p := range w.end {
		if g.knot[p] < 0 {
			w.end[p] = g.w.Final[g.state[p]]
			continue
		}
		for _, q := range g.ends(int32(p)) {
			w.end[p] = add(w.end[p], g.endWeight(int32(p), q, best))
		}
	}
	return w
}

// greater returns the greater of two numbers ≥ 0.
func greater(x, y semiring.ScaledFloat) semiring.ScaledFloat {
	if y.Cmp(x) > 0 {
		return y
	}
	return x
}

// parted returns x > 0 as number · 2^power with number in [½, 1), and 0 as 0.
func parted(x semiring.ScaledFloat) (number float64, power int64) {
	number, e := math.Frexp(x.Mant)
	return number, int64(e) + 512*x.Exp
}

// powerOf2 returns 2^n.
func powerOf2(n int64) semiring.ScaledFloat {
	rest, digits := n&511, n>>9
	if rest >= 256 {
		rest, digits = rest-512, digits+1
	}
	return semiring.ScaledFloat{Mant: math.Float64frombits(uint64(1023+rest) << 52), Exp: digits}
}

// findReach fills in the tables of reach, by steps whose weights are not 0.
func (g *Graph) findReach() {
	n := g.states
	first, last := make([]int32, n), make([]int32, n)
	for p := range n {
		first[p], last[p] = math.MaxInt32, math.MaxInt32
	}
	var ahead, back reachQueue
	for p := range n {
		if !g.w.Initial[g.state[p]].IsZero() {
			ahead.reach(first, int32(p), 0, 0)
		}
		if !g.sums.end[p].IsZero() {
			back.reach(last, int32(p), 0, 0)
		}
	}
	row, from, steps := g.incoming()
	for p, ok := ahead.next(first); ok; p, ok = ahead.next(first) {
		g.each(p, func(slot, to, frames int32) { ahead.reach(first, to, first[p]+frames, frames) })
	}
	for p, ok := back.next(last); ok; p, ok = back.next(last) {
		for i := row[p]; i < row[p+1]; i++ {
			back.reach(last, from[i], last[p]+steps[i], steps[i])
		}
	}
	g.reach = reach{}
	g.reach.minFirst, g.reach.maxFirst = reached(first)
	g.reach.minLast, g.reach.maxLast = reached(last)
}

// each calls visit for the steps from position p whose weights are not 0, with the position that
// they lead to and the number of frames, 0 or 1.
func (g *Graph) each(p int32, visit func(slot, to, frames int32)) {
	for d, offset := range g.offsets {
		if slot := int32(d*g.stride+g.margin) + p; !g.sums.weight[slot].IsZero() {
			visit(slot, g.nodeTo[p+offset], 1)
		}
	}
	for i := g.looseRow[p]; i < g.looseRow[p+1]; i++ {
		if slot := int32(g.firstLoose) + i; !g.sums.weight[slot].IsZero() {
			visit(slot, g.nodeTo[g.looseNode[i]], 1)
		}
	}
	for i := g.epsilonRow[p]; i < g.epsilonRow[p+1]; i++ {
		if slot := int32(g.firstEpsilon) + i; !g.sums.weight[slot].IsZero() {
			visit(slot, g.epsilonTo[i], 0)
		}
	}
}

// incoming lists the steps of each that lead to each position.
func (g *Graph) incoming() (row, from, frames []int32) {
	row = make([]int32, g.states+2)
	for p := range int32(g.states) {
		g.each(p, func(_, to, _ int32) { row[to+2]++ })
	}
	for p := range g.states {
		row[p+2] += row[p+1]
	}
	from, frames = make([]int32, row[g.states+1]), make([]int32, row[g.states+1])
	for p := range int32(g.states) {
		g.each(p, func(_, to, n int32) {
			from[row[to+1]], frames[row[to+1]] = p, n
			row[to+1]++
		})
	}
	return row[:g.states+1], from, frames
}

// reachQueue has positions in the order of their distance, which grows by 0 or 1.
type reachQueue struct{ now, then []int32 }

// reach records that the distance of position p is at most d. frames, 0 or 1, is the difference
// of d and the current distance.
func (q *reachQueue) reach(distance []int32, p, d, frames int32) {
	switch {
	case d >= distance[p]:
		return
	case frames == 0:
		q.now = append(q.now, p)
	default:
		q.then = append(q.then, p)
	}
	distance[p] = d
}

// next returns a position whose distance is final.
func (q *reachQueue) next(distance []int32) (p int32, ok bool) {
	if len(q.now) == 0 {
		q.now, q.then = q.then, q.now[:0]
	}
	if len(q.now) == 0 {
		return 0, false
	}
	p = q.now[len(q.now)-1]
	q.now = q.now[:len(q.now)-1]
	return p, true
}

// reached returns the least and the greatest position that have at most each distance. Without
// such positions they are the number of positions and −1.
func reached(distance []int32) (least, greatest []int32) {
	n := len(distance)
	least, greatest = make([]int32, n+1), make([]int32, n+1)
	for d := range least {
		least[d], greatest[d] = int32(n), -1
	}
	for p, d := range distance {
		if d != math.MaxInt32 {
			least[d], greatest[d] = min(least[d], int32(p)), max(greatest[d], int32(p))
		}
	}
	for d := range n {
		least[d+1], greatest[d+1] = min(least[d+1], least[d]), max(greatest[d+1], greatest[d])
	}
	return least, greatest
}

// band returns positions lo, …, hi−1 among which a path is after frame t of n, if there is any.
func (r *reach) band(t, n int) (lo, hi int) {
	longest := len(r.minFirst) - 1
	before, after := min(t, longest), min(n-t, longest)
	lo = int(max(r.minFirst[before], r.minLast[after]))
	hi = int(min(r.maxFirst[before], r.maxLast[after])) + 1
	return lo, max(lo, hi)
}
