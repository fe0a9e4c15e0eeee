package align

import "iter"

// Competitive chooses links by competitive thresholding (DeNero and Klein 2007,
// §3): of the links of a source word whose posterior is not less than the threshold,
// those that are next to the best one, or to one that is next to it; of these, of
// each target word in the same way. So a word is never aligned with words far from
// each other.
type Competitive struct{ *Posterior }

// Align returns the links chosen at the threshold, which is greater than 0, in
// O(E·F).
func (c Competitive) Align(threshold float64) Alignment {
	p := c.Posterior
	rows := make([]bool, len(p.P))
	for e := range p.Source {
		compete(p.P, rows, e*p.Target, (e+1)*p.Target, 1, func(i int) bool { return p.P[i] >= threshold })
	}
	kept := make([]bool, len(p.P))
	for f := range p.Target {
		compete(p.P, kept, f, len(p.P), p.Target, func(i int) bool { return rows[i] })
	}
	var out Alignment
	for i, in := range kept {
		if in {
			out = append(out, p.link(i))
		}
	}
	return out
}

// Steps yields the changes. It calls Align for each different posterior.
func (c Competitive) Steps() iter.Seq[Step] { return steps(c.Align, c.P) }

// compete keeps, of the entries from, from+stride, … before to, the first best one
// of those that may be kept and the run of those that may be around it.
func compete(p []float64, kept []bool, from, to, stride int, may func(int) bool) {
	best := -1
	for i := from; i < to; i += stride {
		if may(i) && (best < 0 || p[i] > p[best]) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	for i := best; i >= from && may(i); i -= stride {
		kept[i] = true
	}
	for i := best; i < to && may(i); i += stride {
		kept[i] = true
	}
}
