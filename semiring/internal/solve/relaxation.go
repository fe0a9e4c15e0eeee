package solve

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// residuals are the sums of a relaxation and, per state, the residual: the terms that have
// arrived since the state's arcs were last followed.
type residuals interface {
	// take makes the sums of states the sums and residuals. It marks states with a non-zero
	// residual as due, and returns their number.
	take(states []int32, due []bool) int
	// send sets the residual of s to Zero and extends it by each arc. If this changes the sum of
	// the target, it is added to the sum and the residual of the target. send marks these targets
	// as due, and returns the number of newly marked ones.
	send(s int32, d *direction, due []bool) int
	// put copies the sums of the relaxation to the sums of states.
	put(states []int32)
}

// relaxed are residuals of one type of weights.
type relaxed[W any] struct {
	e              *engine[W]
	distance       func(a, b W) float64
	sums, residual []W // per state
}

func (r *relaxed[W]) take(states []int32, due []bool) (waiting int) {
	if r.sums == nil {
		r.sums, r.residual = make([]W, len(due)), make([]W, len(due))
	}
	for _, s := range states {
		w := r.e.x[s]
		r.sums[s], r.residual[s] = w, w
		if due[s] = !r.e.ring.IsZero(w); due[s] {
			waiting++
		}
	}
	return waiting
}

func (r *relaxed[W]) send(s int32, d *direction, due []bool) (more int) {
	ring, sent := r.e.ring, r.residual[s]
	r.residual[s] = r.e.zero
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		t := d.Other[n]
		w := r.e.weight[d.ArcAt(n)]
		if !d.leads(s, t) || ring.IsZero(w) {
			continue
		}
		old, product := r.sums[t], extended(ring, sent, w, d)
		sum := ring.Plus(old, product)
		if r.distance(sum, old) == 0 {
			continue
		}
		r.sums[t], r.residual[t] = sum, ring.Plus(r.residual[t], product)
		if !due[t] {
			due[t] = true
			more++
		}
	}
	return more
}

func (r *relaxed[W]) put(states []int32) {
	for _, s := range states {
		r.e.x[s] = r.sums[s]
	}
}

// relaxation is the closure of k-closed rings, in which at most k rounds of a cycle matter: a
// state sends its residual along its arcs until no sum changes any more (Mohri, "Semiring
// frameworks and algorithms for shortest-distance problems", 2002, §3). Every path is sent once,
// so ⊕ need not be idempotent, and each state has its weights on the correct side of ⊗.
//
// The queue discipline is by rounds. A round visits the states with a residual in reverse
// postorder, or its opposite in the backward direction. So it covers all paths along forward arcs
// at once; after i rounds all paths of i arcs are included.
//
// A component that does not settle soon, or never will, is left to elimination, whose stars
// decide whether it diverges.
type relaxation struct {
	*problem
	weights ringWeights

	sequence []int32 // states by position, in reverse postorder in each component
	ordered  []bool  // per state: it is in sequence
	next     []int32 // scratch of order
	due      []bool  // per state: its residual is not Zero

	elimination *ringElimination // nil: not needed yet
}

const (
	// patience is the number of rounds, each of the cost of a round of all states, after which a
	// component is considered not to settle soon.
	patience = 64
	// maxRelaxations is the limit on the arcs followed in a component that cannot be eliminated.
	maxRelaxations = 1 << 30
)

func newRelaxation(p *problem, w ringWeights) *relaxation {
	n := p.topology.NumStates()
	return &relaxation{problem: p, weights: w,
		sequence: make([]int32, n), ordered: make([]bool, n), next: make([]int32, n), due: make([]bool, n)}
}

func (r *relaxation) forward(lo, hi int) error {
	if settled, err := r.solve(lo, hi, r.direction(false)); settled || err != nil {
		return err
	}
	return r.elimination.forward(lo, hi)
}

func (r *relaxation) backward(lo, hi int) error {
	if settled, err := r.solve(lo, hi, r.direction(true)); settled || err != nil {
		return err
	}
	return r.elimination.backward(lo, hi)
}

// solve visits the states in sequence, or backward in reverse. If they do not settle, it leaves x
// unchanged, for r.elimination.
func (r *relaxation) solve(lo, hi int, d *direction) (settled bool, err error) {
	r.order(lo, hi)
	states := r.sequence[lo:hi]
	waiting := r.weights.residuals.take(states, r.due)
	arcs := 0
	for _, s := range states {
		arcs += int(d.Row[s+1]-d.Row[s]) + 1
	}
	budget, extended := patience*arcs, false
	for waiting > 0 {
		if err := r.interrupted(); err != nil {
			return false, err
		}
		if budget <= 0 && !extended {
			budget, extended = r.eliminationCost(lo, hi)-patience*arcs, true
			continue
		}
		if budget <= 0 {
			if r.elimination == nil {
				return false, nested.Errorf("graph: %w: the component of state %d, %d states, has not settled after %d relaxations, and elimination cannot take it",
					semiring.ErrLimit, states[0], hi-lo, maxRelaxations)
			}
			return false, nil
		}
		for i := range states {
			s := states[i]
			if d.before {
				s = states[len(states)-1-i]
			}
			if budget--; r.due[s] {
				r.due[s] = false
				waiting += r.weights.residuals.send(s, d, r.due) - 1
				budget -= int(d.Row[s+1] - d.Row[s])
			}
		}
	}
	r.weights.residuals.put(states)
	return true, nil
}

// eliminationCost prepares the elimination, if there is a plan for it, and returns the number of
// its products in the component at positions lo … hi−1. Without a plan it returns maxRelaxations.
func (r *relaxation) eliminationCost(lo, hi int) int {
	if r.elimination == nil {
		pl, err := r.plans.full(r.topology, r.interrupted)
		if err != nil {
			return maxRelaxations
		}
		r.elimination = newRingElimination(r.problem, r.weights, pl)
	}
	upper, lower := r.elimination.plan.upper.row, r.elimination.plan.lower.in.Row
	cost := 0
	for p := lo; p < hi; p++ {
		cost += int(upper[p+1]-upper[p]) * int(lower[p+1]-lower[p])
	}
	return cost
}

// order sorts the states at positions lo … hi−1, a component, into sequence.
func (r *relaxation) order(lo, hi int) {
	t, of, root := r.topology, r.topology.ComponentOf(), r.components.State(lo)
	if r.ordered[root] {
		return
	}
	r.ordered[root], r.next[root] = true, t.Row[root]
	path, free := []int32{root}, hi
descend:
	for len(path) > 0 {
		s := path[len(path)-1]
		for e := r.next[s]; e < t.Row[s+1]; e++ {
			if q := t.To[e]; !r.ordered[q] && of[q] == of[s] {
				r.next[s] = e + 1
				r.ordered[q], r.next[q] = true, t.Row[q]
				path = append(path, q)
				continue descend
			}
		}
		path = path[:len(path)-1]
		free--
		r.sequence[free] = s
	}
}
