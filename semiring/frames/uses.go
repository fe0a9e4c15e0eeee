package frames

import "example.org/pathsum/semiring"

// distribute adds the uses of steps and ends to the uses of arcs and states.
func (f *flow) distribute(weight float64, uses Parts) {
	g := f.g
	var within [][]float64 // per knot: expected number of ways from each of its states to each
	for _, k := range g.knots {
		within = append(within, make([]float64, len(k)*len(k)))
	}
	way := func(p, q int32, x float64) {
		if k := g.knot[p]; k >= 0 {
			within[k][int(g.inKnot[p])*len(g.knots[k])+int(g.inKnot[q])] += x
		}
	}
	n := f.e.frames
	lo, hi := g.reach.band(n, n)
	a, b := f.a[g.margin:], f.row(n)
	for q := lo; q < hi; q++ {
		x := f.ending(n, q, a[q], b[q])
		if x == 0 {
			continue
		}
		p := int32(q)
		for _, r := range g.ends(p) {
			share := x
			if g.knot[p] >= 0 {
				share *= g.endWeight(p, r, false).Div(f.w.end[p]).Float64()
				way(p, r, share)
			}
			if uses.Final != nil {
				uses.Final[g.state[r]] += weight * share
			}
		}
	}
	if uses.Arc == nil {
		return
	}
	for slot, x := range f.steps {
		if x == 0 {
			continue
		}
		lo, hi, p := g.partRow[slot], g.partRow[slot+1], g.from(int32(slot))
		for i := lo; i < hi; i++ {
			share := x
			if hi-lo > 1 || g.knot[p] >= 0 {
				share *= g.partWeight(p, i, false).Div(f.w.weight[slot]).Float64()
			}
			k := g.parts[i]
			way(p, g.position[g.arcs[k].From], share)
			uses.Arc[k] += weight * share
		}
	}
	if len(g.knots) > 0 {
		f.inside(weight, within, uses.Arc)
	}
}

// ending returns the probability that a path ends at position q, or in its knot, where a·b is the
// probability of being there after all frames.
func (f *flow) ending(n, q int, a, b float64) float64 {
	if a == 0 || b == 0 || f.w.end[q].IsZero() {
		return 0
	}
	if len(f.g.epsilonTo) == 0 {
		return a * b
	}
	end := f.w.end[q].Mul(powerOf2(f.shift[f.at(n)] - f.basis(n)[q]))
	return semiring.NewScaled(a).Mul(end).Float64()
}

// inside adds the uses of the ε arcs inside knots, given how often a path goes from each of their
// states to each: an arc from i to j is on the part star(q, i)·w·star(j, r)/star(q, r) of the ways
// from q to r.
func (f *flow) inside(weight float64, within [][]float64, uses []float64) {
	g := f.g
	// Per knot, i and j: the sum over q and r of within·star(q, i)·star(j, r)/star(q, r).
	before := make([][]semiring.ScaledFloat, len(g.knots))
	for k, members := range g.knots {
		n, star := len(members), g.stars[k].sums
		after := make([]semiring.ScaledFloat, n*n) // of q and j: Σ over r
		for q := range n {
			for r := range n {
				x := within[k][q*n+r]
				if x == 0 {
					continue
				}
				ratio := semiring.NewScaled(x).Div(star[q][r])
				for j := range n {
					after[q*n+j] = after[q*n+j].Add(ratio.Mul(star[j][r]))
				}
			}
		}
		before[k] = make([]semiring.ScaledFloat, n*n)
		for q := range n {
			for i := range n {
				for j := range n {
					before[k][i*n+j] = before[k][i*n+j].Add(star[q][i].Mul(after[q*n+j]))
				}
			}
		}
	}
	for k, a := range g.arcs {
		p, q := g.position[a.From], g.position[a.To]
		if a.Symbol == Epsilon && g.sameKnot(p, q) {
			of := g.knot[p]
			x := before[of][int(g.inKnot[p])*len(g.knots[of])+int(g.inKnot[q])]
			uses[k] += weight * x.Mul(g.w.Arc[k]).Float64()
		}
	}
}
