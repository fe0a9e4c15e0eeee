package graph

import "slices"

// usage tells which states are in use: those on the paths that matter. Finding them
// takes a walk through the graph, which the sums of most graphs do without: states that
// others do not reach get Zero from them anyway, and harm is done only by cycles without
// a sum and by infinite weights.
type usage struct {
	find func() []bool // nil: it is known
	use  []bool        // what is known; nil: all are in use
}

// known finds what is in use unless that is known, and returns it; nil: all states.
func (u *usage) known() []bool {
	if u.find != nil {
		u.use, u.find = u.find(), nil
		if !slices.Contains(u.use, false) {
			u.use = nil
		}
	}
	return u.use
}

// skips reports whether state s is known not to be in use.
func (u *usage) skips(s int32) bool { return u.use != nil && !u.use[s] }
