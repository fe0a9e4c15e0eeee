package fst

// Heuristic returns an estimate of the best way on from the states of c, for
// graph.Search: what it takes in each of the two machines alone. a and b hold that per
// state of the first and the second machine, which must be frozen, as graph.Backward
// finds it; nil stands for One, no information. It is computed once and serves every
// composition of the machine, such as a lexicon with a cost per word; the estimate for a
// string and its edits, expanded, takes no more than a pass over them.
//
// The estimate is exact where the machines do not depend on each other, and admissible
// and consistent always, for a path of c is a path of each: so the paths that Search
// finds are those that it would find without it, from fewer states where weights are of
// different sizes. Between edits that cost the same, and where nothing costs anything at
// all in one of the machines, it says little.
func (c *Composition[W]) Heuristic(a, b []W) func(s int32) W {
	return func(s int32) W {
		p, q := c.State(s)
		switch {
		case a == nil && b == nil:
			return c.ring.One()
		case a == nil:
			return b[q]
		case b == nil:
			return a[p]
		}
		return c.ring.Times(a[p], b[q])
	}
}
