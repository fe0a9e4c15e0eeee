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
	group := p.group(b, groups)
	c := &part{ridge: b.ridge, families: b.families, row: make([]int, len(b.row))}
	for row, k := range b.row {
		c.row[row] = group[k]
	}
	n := make([]float64, slices.Max(group)+1)
	for k, w := range b.n {
		n[group[k]] += w
	}
	c.weigh(n)
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

// group returns the group of each merged row: by k-means, in which values of discrete
// variables are corners of a simplex.
func (p *Problem) group(b *part, groups int) []int {
	first := slices.Repeat([]int{none}, len(b.n))
	for row, k := range b.row {
		if first[k] == none {
			first[k] = row
		}
	}
	alone := make([]bool, len(b.n))
	for _, r := range b.relations {
		for _, d := range r.differ {
			alone[d[0]], alone[d[1]] = true, true
		}
	}
	var points kmeans.Points
	var rows []int // merged
	of, next := make([]int, len(b.n)), 0
	for k, row := range first {
		if alone[k] {
			of[k] = next
			next++
			continue
		}
		rows = append(rows, k)
		points.X = append(points.X, p.features(b, row))
		points.Weight = append(points.Weight, b.n[k])
	}
	if len(rows) == 0 {
		return of
	}
	labels, _ := points.Divide(max(1, min(groups-next, len(rows))), 1, rand.New(rand.NewPCG(0, 0)))
	place := make(map[int]int) // groups may be empty
	for i, k := range rows {
		g, ok := place[labels[i]]
		if !ok {
			g = next
			place[labels[i]] = g
			next++
		}
		of[k] = g
	}
	return of
}

// features returns what was observed in a row of the data and is in b's families.
func (p *Problem) features(b *part, row int) []float64 {
	var relevant []int
	for _, i := range b.families {
		relevant = append(append(relevant, i), p.variables[i].Parents...)
	}
	slices.Sort(relevant)
	var x []float64
	for _, i := range slices.Compact(relevant) {
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
	for _, r := range d.turn {
		x.M[r] = lift(d.Best[r])
	}
	x.descent = newDescent(x.p, d.turn, x.points())
	for k := range d.slots {
		copy(x.descent.slot(x.descent.Z, k), lift(d.slot(d.Z, k)))
	}
	for _, r := range d.turn {
		x.descent.Best[r] = x.M[r]
	}
	x.descent.Upper = d.Upper
	x.descent.Step, x.descent.Curvature = d.Step*d.Factor, d.Curvature
}
