package convex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/kmeans"
)

// begin returns the run of a part, from relations between groups of its merged rows if it
// has more than Rows.
func (r *splittingRun) begin(ctx context.Context, b *part) (*partRun, error) {
	x := newPartRun(b, &r.Splitting)
	if r.Rows == 0 || len(b.n) <= r.Rows {
		return x, nil
	}
	c, group, err := r.p.coarsen(b, r.Rows)
	if err != nil {
		return x, err
	}
	s := r.Splitting
	s.Gap = max(s.Gap, coarseGap)
	y := newPartRun(c, &s)
	err = y.solve(ctx, &s, func() error { return nil })
	x.refine(y, group)
	return x, err
}

// coarseGap is the least relative gap to which relations between groups are found: what
// they are a start for differs by more.
const coarseGap = 1e-3

// coarsen returns the part with its merged rows in at most the given number of groups, and the
// group of each. Rows of a group have one place in relations, and count with all that
// they observe: its minimum is that over relations that do not tell them apart, an upper
// bound of that of b. Rows of a known class stay alone.
func (p *Problem) coarsen(b *part, groups int) (*part, []int, error) {
	group := make([]int, len(b.n))
	var rows [][]int
	for g, merged := range p.group(b, groups) {
		rows = append(rows, nil)
		for _, k := range merged {
			group[k] = g
			rows[g] = append(rows[g], b.rows[k]...)
		}
	}
	c := &part{ridge: b.ridge, families: b.families}
	p.place(c, rows)
	for _, r := range b.relations {
		if r.variable == none {
			continue // addTerms makes it anew
		}
		r.differ = slices.Clone(r.differ)
		for i, d := range r.differ {
			r.differ[i] = [2]int{group[d[0]], group[d[1]]}
		}
		c.relations = append(c.relations, r)
	}
	return c, group, p.complete(c)
}

// group returns the merged rows in groups: by k-means, in which values of discrete variables
// are corners of a simplex.
func (p *Problem) group(b *part, groups int) [][]int {
	label := make([]int, len(b.n)) // below 0: alone
	for _, r := range b.relations {
		for _, d := range r.differ {
			label[d[0]], label[d[1]] = -1-d[0], -1-d[1]
		}
	}
	var points kmeans.Points
	var rows []int // merged
	relevant := p.relevant(b)
	for k, of := range b.rows {
		if label[k] == 0 {
			rows = append(rows, k)
			points.X = append(points.X, p.features(relevant, of[0]))
			points.Weight = append(points.Weight, b.n[k])
		}
	}
	if len(rows) > 0 {
		alone := len(b.n) - len(rows)
		labels, _ := points.Divide(max(1, min(groups-alone, len(rows))), 1, rand.New(rand.NewPCG(0, 0)))
		for i, k := range rows {
			label[k] = labels[i]
		}
	}
	return groupBy(b.all, func(k int) int { return label[k] })
}

// features returns what was observed of the variables in a row of the data.
func (p *Problem) features(variables []int, row int) []float64 {
	var x []float64
	for _, i := range variables {
		v := &p.variables[i]
		switch {
		case v.Vectors != nil:
			x = append(x, v.Vectors[row]...)
		case !v.hidden():
			x = append(x, make([]float64, v.States)...)
			x[len(x)-v.States+v.Values[row]] = math.Sqrt2 / 2
		}
	}
	return x
}

// refine makes x go on from where the run of its groups is.
func (x *partRun) refine(y *partRun, group []int) {
	share := make([]float64, len(group)) // columns of an orthogonal matrix, a group each
	for i, g := range group {
		share[i] = x.p.s[i] / y.p.s[g]
	}
	t, k := len(x.p.n), len(y.p.n)
	lift := func(m []float64) []float64 {
		fine := make([]float64, t*t)
		for i, g := range group {
			for j, h := range group {
				fine[i*t+j] = share[i] * share[j] * m[g*k+h]
			}
		}
		return fine
	}
	for r, m := range y.M {
		x.M[r] = lift(m)
	}
	d := y.descent
	if d == nil || len(y.p.turns) > 1 || d.Step == 0 {
		return
	}
	at := make([]*point, len(x.M))
	for r, m := range d.Best {
		x.M[r] = lift(m)
		at[r] = x.p.point(x.M[r])
	}
	x.descent = newDescent(x.p, d.turn, at)
	for k := range d.slots {
		copy(x.descent.slot(x.descent.Z, k), lift(d.slot(d.Z, k)))
	}
	x.descent.Best, x.descent.Upper = slices.Clone(x.M), d.Upper
	x.descent.Step, x.descent.Curvature = d.Step*d.Factor, d.Curvature
}
