package graph

// Accessible returns, for every state, whether a path from a start reaches it;
// arcs and starts of weight Zero do not count. O(states + arcs).
func (g *Graph[W]) Accessible() []bool {
	seen := make([]bool, g.NumStates())
	open := make([]int32, 0, g.NumStates())
	for _, start := range g.starts {
		if !seen[start.State] && !g.ring.IsZero(start.Weight) {
			seen[start.State] = true
			open = append(open, start.State)
		}
	}
	row, to := g.Row(), g.To()
	// First come, first served: the processor can fetch the next rows ahead.
	for n := 0; n < len(open); n++ {
		s := open[n]
		for e := row[s]; e < row[s+1]; e++ {
			if t := to[e]; !seen[t] && !g.ring.IsZero(g.weight[e]) {
				seen[t] = true
				open = append(open, t)
			}
		}
	}
	return seen
}

// Coaccessible returns, for every state, whether a path from it ends in a final
// state; arcs and final weights of weight Zero do not count. O(states + arcs).
func (g *Graph[W]) Coaccessible() []bool {
	seen := make([]bool, g.NumStates())
	open := make([]int32, 0, g.NumStates())
	for s, w := range g.final {
		if !g.ring.IsZero(w) {
			seen[s] = true
			open = append(open, int32(s))
		}
	}
	in := g.topology.In()
	for i := 0; i < len(open); i++ {
		t := open[i]
		for n := in.Row[t]; n < in.Row[t+1]; n++ {
			if s := in.Other[n]; !seen[s] && !g.ring.IsZero(g.weight[in.Arc[n]]) {
				seen[s] = true
				open = append(open, s)
			}
		}
	}
	return seen
}

// useful returns the states on paths from a start to a final state.
func (g *Graph[W]) useful() []bool {
	mask := g.Accessible()
	for s, ok := range g.Coaccessible() {
		mask[s] = mask[s] && ok
	}
	return mask
}
