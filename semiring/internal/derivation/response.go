package derivation

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/semiring"
)

// covariance returns mean and covariance matrix of the sum of v over a random derivation. Column
// j is the derivative of the mean if masses are tilted by component j of v. The error comes from
// the solver of cycles.
func (d *Distribution) covariance(uses Uses, v values) ([]float64, *mat.SymDense, error) {
	r, c := newResponse(d, uses), columnsOf(v)
	value, each := d.zeros()
	count, counts := d.zeros()
	mean, covariance := make([]float64, v.dim), mat.NewSymDense(v.dim, nil)
	for j := range mean {
		c.scatter(each, j)
		if err := r.along(value, count); err != nil {
			return nil, nil, err
		}
		c.unscatter(each, j)
		mean[j] = r.mean
		for i := range j {
			covariance.SetSym(i, j, c.dot(i, counts))
		}
		covariance.SetSym(j, j, r.variance)
	}
	return mean, covariance, nil
}

// response computes the response of a distribution to tilting its masses by values v of entries,
// options and ends, for any number of v in turn.
//
// Let V be the value of the whole derivation and M(u) the expected value of a derivation of node
// u. A choice, for example of an option of a node, contributes its surprise to V: v + Σ M(tails)
// − M(node). The surprises add up to V − E[V]. Each has mean 0 given all other choices except the
// choices below it. So the variance of V is the expected sum of their squares. The covariance of
// V with the use of an option is the covariance of the use with the surprises of the option
// itself and of the choices above it.
//
// All quantities are plain numbers, which pass from node to node, upwards and downwards, in
// proportion to the uses. On a cycle, M and the surprises above solve the same linear equations
// as the sums inside and outside.
type response struct {
	d    *Distribution
	uses Uses

	mean, variance float64   // of V
	expected       []float64 // per node: M
	above          []float64 // per node: its occurrences × the expected surprises above one

	// If there are cycles.
	cycle []int32                // per node: the number of its cycle, or a unique negative number
	x     []semiring.ScaledFloat // the unknowns of a cycle
}

func newResponse(d *Distribution, uses Uses) *response {
	n := d.numNodes()
	r := &response{d: d, uses: uses, expected: make([]float64, n), above: make([]float64, n)}
	if len(d.Cycles) == 0 {
		return r
	}
	r.cycle = make([]int32, n)
	for v := range r.cycle {
		r.cycle[v] = -1 - int32(v)
	}
	for i, c := range d.Cycles {
		for at := c.Lo; at < c.Hi; at++ {
			r.cycle[d.node(at)] = int32(i)
		}
	}
	return r
}

// along computes mean and variance of V, and sets counts to its covariances with the uses of
// all parts.
func (r *response) along(v, counts Numbers) error {
	if err := r.lookBelow(v); err != nil {
		return err
	}
	return r.lookAbove(v, counts)
}

// lookBelow computes expected, tails first.
func (r *response) lookBelow(v Numbers) error {
	d, at := r.d, 0
	for n, c := range d.Cycles {
		for ; at < c.Lo; at++ {
			r.expect(d.node(at), v)
		}
		for ; at < c.Hi; at++ {
			r.expected[d.node(at)] = 0
		}
		// The solution M ⊗ inside includes the terms of tails on the cycle.
		err := r.solve(n, r.expected, false, func(u int32) semiring.ScaledFloat {
			return semiring.NewScaled(r.choiceOf(u, v)).Mul(d.Inside[u])
		}, semiring.ScaledFloat.Div)
		if err != nil {
			return err
		}
	}
	for ; at < d.numNodes(); at++ {
		r.expect(d.node(at), v)
	}
	return nil
}

// expect computes expected for a node on no cycle.
func (r *response) expect(u int32, v Numbers) { r.expected[u] = r.choiceOf(u, v) }

// choiceOf returns the expected value of the choice at node u, with the current values in
// expected for the tails.
func (r *response) choiceOf(u int32, v Numbers) float64 {
	occurrences := r.uses.Node[u]
	if occurrences == 0 {
		return 0
	}
	lo, hi := r.d.Row[u], r.d.Row[u+1]
	value, sum := v.Option[lo:hi], 0.0
	if r.uses.End != nil {
		sum = r.uses.End[u] * v.End[u]
	}
	if r.d.Tail == nil { // saves the inner loop
		next := r.d.Tails[lo:hi]
		for i, n := range r.uses.Option[lo:hi] {
			sum += n * (value[i] + r.expected[next[i]])
		}
		return sum / occurrences
	}
	for i, n := range r.uses.Option[lo:hi] {
		sum += n * (value[i] + r.below(r.d.tails(lo+int32(i))))
	}
	return sum / occurrences
}

// below returns the expected contribution of tails to V.
func (r *response) below(tails []int32) float64 {
	sum := 0.0
	for _, u := range tails {
		sum += r.expected[u]
	}
	return sum
}

// lookAbove computes mean, variance, above and the counts, heads first.
func (r *response) lookAbove(v, counts Numbers) error {
	d := r.d
	r.mean, r.variance = 0, 0
	clear(r.above)
	for i, n := range r.uses.Entry {
		r.mean += n * (v.Entry[i] + r.expected[d.Entries[i]])
	}
	for i, n := range r.uses.Entry {
		u := d.Entries[i]
		surprise := v.Entry[i] + r.expected[u] - r.mean // exactly 0 if it is the only one
		counts.Entry[i] = n * surprise
		r.above[u] += counts.Entry[i]
		r.variance += counts.Entry[i] * surprise
	}
	at := d.numNodes()
	for n, c := range slices.Backward(d.Cycles) {
		for at > c.Hi {
			at--
			r.handDown(d.node(at), v, counts)
		}
		for at > c.Lo {
			at--
			r.surpriseOnCycle(d.node(at), v)
		}
		// Like the sums outside, above / inside propagates along the cycle.
		err := r.solve(n, r.above, true, func(u int32) semiring.ScaledFloat {
			return semiring.NewScaled(r.above[u]).Div(d.Inside[u])
		}, semiring.ScaledFloat.Mul)
		if err != nil {
			return err
		}
		for at = c.Hi; at > c.Lo; {
			at--
			r.handDown(d.node(at), v, counts)
		}
	}
	for at > 0 {
		at--
		r.handDown(d.node(at), v, counts)
	}
	return nil
}

// surpriseOnCycle adds to above the surprises of the options of node u, at their tails on the
// cycle of u.
func (r *response) surpriseOnCycle(u int32, v Numbers) {
	for e := r.d.Row[u]; e < r.d.Row[u+1]; e++ {
		tails := r.d.tails(e)
		for _, t := range tails {
			if r.cycle[t] == r.cycle[u] {
				r.above[t] += r.uses.Option[e] * (v.Option[e] + (r.below(tails) - r.expected[u]))
			}
		}
	}
}

// handDown sets the counts of the options and the end of node u, and adds them to above at the
// tails that are not on its cycle.
func (r *response) handDown(u int32, v, counts Numbers) {
	lo, hi := r.d.Row[u], r.d.Row[u+1]
	value, out := v.Option[lo:hi], counts.Option[lo:hi]
	occurrences, m := r.uses.Node[u], r.expected[u]
	if occurrences == 0 {
		clear(out)
		if r.uses.End != nil {
			counts.End[u] = 0
		}
		return
	}
	past, variance := r.above[u]/occurrences, 0.0
	if r.d.Tail == nil { // saves both inner loops
		next, expected, above, cycle := r.d.Tails[lo:hi], r.expected, r.above, r.cycle
		for i, n := range r.uses.Option[lo:hi] {
			t := next[i]
			surprise := value[i] + (expected[t] - m)
			variance += n * surprise * surprise
			x := n * (past + surprise)
			out[i] = x
			if cycle == nil || cycle[t] != cycle[u] {
				above[t] += x
			}
		}
	} else {
		for i, n := range r.uses.Option[lo:hi] {
			tails := r.d.tails(lo + int32(i))
			surprise := value[i] + (r.below(tails) - m)
			variance += n * surprise * surprise
			x := n * (past + surprise)
			out[i] = x
			for _, t := range tails {
				if r.cycle == nil || r.cycle[t] != r.cycle[u] {
					r.above[t] += x
				}
			}
		}
	}
	if r.uses.End != nil {
		n, surprise := r.uses.End[u], v.End[u]-m
		counts.End[u] = n * (past + surprise)
		variance += n * surprise * surprise
	}
	r.variance += variance
}

// solve sets y, at the nodes of cycle n, to unscale(x, inside), where x solves the equations of
// the cycle with the given right-hand sides.
func (r *response) solve(n int, y []float64, down bool,
	side func(u int32) semiring.ScaledFloat, unscale func(x, inside semiring.ScaledFloat) semiring.ScaledFloat) error {
	nodes, any := r.d.Order[r.d.Cycles[n].Lo:r.d.Cycles[n].Hi], false
	r.x = slices.Grow(r.x[:0], len(nodes))[:len(nodes)]
	for i, u := range nodes {
		r.x[i] = semiring.ScaledFloat{}
		if r.uses.Node[u] != 0 {
			r.x[i] = side(u)
			any = any || !r.x[i].IsZero()
		}
	}
	if any {
		if err := r.d.Solve(n, r.x, down); err != nil {
			return err
		}
	}
	for i, u := range nodes {
		y[u] = 0
		if r.uses.Node[u] != 0 {
			y[u] = unscale(r.x[i], r.d.Inside[u]).Float64()
		}
	}
	return nil
}
