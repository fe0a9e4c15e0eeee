package part

import (
	"errors"
	"math"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Slack is the amount by which upper bounds are raised, in nats: sums of n terms along paths of n
// arcs have errors of about n·2⁻⁵², as have sums of probabilities that should be 1.
const Slack = 1e-9

// Freeze returns part over expressions, the ln of an upper bound of the sum over the lattice, and
// whether the part is the whole lattice.
//
// A derivation outside the part leaves it by an arc, a start or an end that is not in the part,
// from a node with forward sum α within the part. Its continuations are bounded by rest.
// So the bound is the path sum of the part with one additional arc per node, to an end, that
// replaces its omitted arcs. If rest is exact, so is the sum over the lattice.
func (l *Lattice) Freeze(part *Part) (g *graph.Graph[expr.W], upper float64, whole bool, err error) {
	v := &view{Lattice: l}
	end, left := int32(len(part.state)), semiring.ScaledFloat{}
	whole, open := true, false // open: a continuation has no bound
	leave := func(w expr.W, ahead semiring.ScaledFloat) {
		whole = false
		switch x := v.number(w); {
		case x.IsZero() || ahead.IsZero():
		case !ahead.IsFinite():
			open = true
		default:
			left = left.Add(x.Mul(ahead))
		}
	}
	var starts []graph.Start[expr.W]
	var startNumbers []graph.Start[semiring.ScaledFloat]
	for _, s := range l.starts() {
		if n, ok := part.starts[s.State]; ok {
			starts = append(starts, graph.Start[expr.W]{State: n, Weight: s.Weight})
			startNumbers = append(startNumbers, graph.Start[semiring.ScaledFloat]{State: n, Weight: v.number(s.Weight)})
		} else {
			leave(s.Weight, l.rest(s.State))
		}
	}
	startNumbers = append(startNumbers, graph.Start[semiring.ScaledFloat]{State: end, Weight: left})
	final, finalNumbers := make([]expr.W, end), make([]semiring.ScaledFloat, end+1)
	weights := make([]expr.W, len(part.arc))
	row, to, numbers := []int32{0}, []int32{}, []semiring.ScaledFloat{}
	var kept []int32 // of a node: per arc of the lattice, its index in the part plus 1, or 0
	for n, state := range part.state {
		left = semiring.ScaledFloat{}
		if w := l.m.Final(state); part.final[n] {
			final[n], finalNumbers[n] = w, v.number(w)
		} else if w != expr.Zero {
			leave(w, unit)
		}
		v.arcs = l.m.AppendArcs(v.arcs[:0], state)
		kept = append(kept[:0], make([]int32, len(v.arcs))...)
		for e := part.row[n]; e < part.row[n+1]; e++ {
			kept[part.arc[e]] = e + 1
		}
		for i, a := range v.arcs {
			e := kept[i] - 1
			if e < 0 {
				leave(a.Weight, l.rest(a.To))
				continue
			}
			weights[e] = a.Weight
			to, numbers = append(to, part.to[e]), append(numbers, v.number(a.Weight))
		}
		if !left.IsZero() {
			to, numbers = append(to, end), append(numbers, left)
		}
		row = append(row, int32(len(to)))
	}
	finalNumbers[end], row = unit, append(row, int32(len(to)))
	if err := v.Err(); err != nil {
		return nil, 0, false, err
	}
	if len(part.row) == 0 {
		part.row = []int32{0}
	}
	if g, err = machines.ExprGraph(l.values.space, part.row, part.to, weights, starts, final); err != nil {
		return nil, 0, false, err
	}
	ahead := semiring.ScaledFloat{}
	for _, s := range l.starts() {
		ahead = ahead.Add(v.number(s.Weight).Mul(l.rest(s.State)))
	}
	upper = math.Inf(1)
	if ahead.IsFinite() {
		upper = ahead.Log() + Slack
	}
	if open || l.Exact() {
		return g, upper, whole, nil
	}
	all, err := graphs.New(scaled(), row, to, numbers, startNumbers, finalNumbers)
	if err != nil {
		return nil, 0, false, err
	}
	sum, err := graphs.PathSum(all)
	if errors.Is(err, semiring.ErrDiverges) || errors.Is(err, semiring.ErrInaccurate) {
		return g, upper, whole, nil
	}
	return g, min(upper, sum.Log()+Slack), whole, err
}
