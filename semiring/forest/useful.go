package forest

// usable reports whether edge e has a weight and a derivation of every tail; x are
// inside weights (see pairs).
func (p *pass[W]) usable(e int32, x []W) bool {
	return !p.ring.IsZero(p.weight[e]) && !p.ring.IsZero(x[p.first[e]]) && !p.ring.IsZero(x[p.second[e]])
}

// onTrees returns, for every node, whether it occurs in a tree; x are inside weights.
func (p *pass[W]) onTrees(x []W) []bool {
	occurs := make([]bool, p.NumNodes())
	for _, r := range p.roots {
		occurs[r.Node] = occurs[r.Node] || !p.ring.IsZero(r.Weight) && !p.ring.IsZero(x[r.Node])
	}
	for at := p.NumNodes() - 1; at >= 0; at-- {
		v := p.topology.node(at)
		if !occurs[v] {
			continue
		}
		for e := p.topology.edge[v]; e < p.topology.edge[v+1]; e++ {
			if !p.usable(e, x) {
				continue
			}
			for _, u := range p.Tails(e) {
				occurs[u] = true
			}
		}
	}
	return occurs
}
