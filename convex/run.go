package convex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/kmeans"
)

// splittingRun is a call of Splitting.Solve.
type splittingRun struct {
	Splitting
	p     *Problem
	began time.Time
	whose string     // identity, for the checkpoint
	parts []*partRun // runs of the parts begun so far
}

// partRun minimizes over the relations of one part.
type partRun struct {
	p       *part
	descent *descent
	Status  Status
}

// partState is the state of a partRun in a checkpoint.
type partState struct {
	Status  Status
	Descent descentState
}

// looseness is the tolerance of the gradients of terms, divided by the square of the requested gap:
// the error of a value is of second order in the error of its gradient. Bounds hold for any
// tolerance.
const looseness = 1e-3

func newPartRun(p *part, s *Splitting) *partRun {
	r := &partRun{p: p.fresh()}
	r.p.tol = looseness * s.Gap * s.Gap
	var start [][]float64
	r.p.centres(s.Set)
	for range r.p.relations {
		m := make([]float64, len(p.n)*len(p.n))
		outer(.5, p.s, m)
		start = append(start, m)
	}
	r.p.feasible(start)
	r.descent = newDescent(r.p, r.p.points(start))
	return r
}

// points returns the relations with their factors.
func (p *part) points(m [][]float64) []*point {
	at := make([]*point, len(m))
	for i, x := range m {
		at[i] = p.nearest(i, slices.Clone(x), exact)
	}
	return at
}

// solve iterates to the end. It calls observe at each check.
func (r *partRun) solve(ctx context.Context, s *Splitting, observe func() error) (err error) {
	r.Status, err = r.descent.run(ctx, s, observe)
	return err
}

// solve begins and solves the parts one after the other, continuing with those already begun.
func (r *splittingRun) solve(ctx context.Context) error {
	for i, b := range r.p.parts {
		if i == len(r.parts) {
			x, err := r.begin(ctx, b)
			r.parts = append(r.parts, x)
			if err != nil {
				return err
			}
		}
		x := r.parts[i]
		observe := func() error {
			if d := x.descent; r.Observer != nil {
				r.Observer(Event{Part: i, Parts: len(r.p.parts), Iteration: d.Iteration, Iterations: r.Iterations,
					Lower: max(x.p.floor(), d.Lower), Upper: d.Upper, Rank: d.rank(), Step: d.Step, Elapsed: time.Since(r.began)})
			}
			return r.save()
		}
		if err := x.solve(ctx, &r.Splitting, observe); err != nil {
			return err
		}
	}
	return nil
}

// result returns the Result of the current state.
func (r *splittingRun) result() *Result {
	out := &Result{Lower: r.p.constant, Upper: r.p.constant, LabelsLower: r.p.constant, MarginalLower: r.p.constant, Relations: make([]*Relation, len(r.p.hidden))}
	for i, b := range r.p.parts {
		if i == len(r.parts) { // not begun
			r.parts = append(r.parts, newPartRun(b, &r.Splitting))
			r.parts[i].Status = Canceled
		}
		x := r.parts[i]
		d, status := x.descent, x.Status
		out.Iterations += d.Iteration
		if math.IsInf(d.Upper, 1) { // ended before the first upper bound
			_, d.Upper = x.p.evaluate(d.at)
			for r, at := range d.at {
				d.Best[r] = at.m
			}
		}
		lower := max(b.floor(), d.Lower)
		for k, rel := range b.relations {
			if rel.variable == none {
				continue
			}
			out.Relations[slices.Index(r.p.hidden, rel.variable)] = b.unscaled(rel.variable, d.Best[k])
			if status == Converged && b.together(d.Best[k]) {
				status = Degenerate
			}
		}
		out.Lower += lower
		out.Upper += d.Upper
		out.LabelsLower += max(0, lower)
		out.MarginalLower += max(0, lower-b.choices)
		out.Status = worse(out.Status, status)
	}
	return out
}

// worse returns the combined status of two parts.
func worse(a, b Status) Status {
	for _, s := range []Status{Canceled, IterationLimit, Degenerate} {
		if a == s || b == s {
			return s
		}
	}
	return Converged
}

// unscaled returns the relation of a hidden variable with the given scaled matrix.
func (p *part) unscaled(variable int, m []float64) *Relation {
	t := len(p.n)
	data := make([]float64, t*t)
	for at, v := range m {
		data[at] = v / (p.s[at/t] * p.s[at%t])
	}
	return &Relation{Variable: variable, Row: slices.Clone(p.row), Weight: slices.Clone(p.n), M: mat.NewSymDense(t, data)}
}

// oneClass is the relative scatter of the rows around their mean below which they count as one
// class.
const oneClass = 1e-6

// together reports whether the scaled matrix puts all rows into one class.
func (p *part) together(m []float64) bool {
	return p.total-quadratic(p.s, m)/p.total < oneClass*p.total
}

// fresh returns a copy of p with relations and terms of its own, unsolved.
func (p *part) fresh() *part {
	c := *p
	c.relations = slices.Clone(p.relations)
	c.terms = make([]*term, len(p.terms))
	for i, t := range p.terms {
		u := *t
		u.loss = t.loss.fresh()
		c.terms[i] = &u
	}
	return &c
}

// begin returns the run of a part. If the part has more than Rows merged rows, it first solves the
// problem for groups of them and starts from the result.
func (r *splittingRun) begin(ctx context.Context, b *part) (*partRun, error) {
	x := newPartRun(b, &r.Splitting)
	if r.Rows == 0 || len(b.n) <= r.Rows {
		return x, nil
	}
	c, group := r.p.coarsen(b, r.Rows)
	s := r.Splitting
	s.Gap = max(s.Gap, coarseGap)
	y := newPartRun(c, &s)
	err := y.solve(ctx, &s, func() error { return nil })
	x.refine(y, group)
	return x, err
}

// coarseGap is the least relative gap of the problem for groups. The problem for rows, for which it
// only provides a start, differs by more.
const coarseGap = 1e-3

// coarsen returns the part with its merged rows in at most the given number of groups, and the
// group of each. The rows of a group share one row of a relation and contribute all their
// observations: its minimum is taken over relations that are constant on groups, and is an upper
// bound of b's minimum.
func (p *Problem) coarsen(b *part, groups int) (*part, []int) {
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
	p.mergeInto(c, rows)
	for _, r := range b.relations {
		if r.variable == none {
			continue // addTerms makes it again
		}
		c.relations = append(c.relations, r)
	}
	p.markKnown(c)
	p.addAllTerms(c)
	return c, group
}

// group returns the merged rows in groups, by k-means with the values of discrete variables as
// corners of a simplex. Rows with different known values are in different groups. Each combination
// of known values has at least one group, and otherwise a number of groups in proportion to its
// rows.
func (p *Problem) group(b *part, groups int) [][]int {
	var hidden []int
	for _, r := range b.relations {
		if r.variable != none {
			hidden = append(hidden, r.variable)
		}
	}
	relevant := p.relevant(b)
	known := groupBy(b.all, func(k int) string { return string(p.key(nil, hidden, b.rows[k][0])) })
	label, first, left := make([]int, len(b.n)), 0, groups
	divide := func(merged []int, most int) {
		var points kmeans.Points
		for _, k := range merged {
			points.X = append(points.X, p.features(relevant, b.rows[k][0]))
			points.Weight = append(points.Weight, b.n[k])
		}
		most = max(1, min(most, len(merged)))
		labels, _ := points.Divide(most, 1, rand.New(rand.NewPCG(0, 0)))
		for i, k := range merged {
			label[k] = first + labels[i]
		}
		first += most
		left -= most
	}
	for _, merged := range known {
		if b.isKnown(merged[0]) {
			divide(merged, groups*len(merged)/len(b.n))
		}
	}
	for _, merged := range known {
		if !b.isKnown(merged[0]) {
			divide(merged, left)
		}
	}
	return groupBy(b.all, func(k int) int { return label[k] })
}

// isKnown reports whether a value of merged row k is known.
func (p *part) isKnown(k int) bool {
	return slices.ContainsFunc(p.relations, func(r relation) bool { return r.known != nil && r.known[k] != Hidden })
}

// features returns the observed values of the variables in a row of the data, as a vector.
func (p *Problem) features(variables []int, row int) []float64 {
	var x []float64
	for _, i := range variables {
		v := &p.variables[i]
		switch {
		case v.Vectors != nil:
			x = append(x, v.Vectors[row]...)
		case !v.hidden():
			x = append(x, make([]float64, v.States)...)
			if !v.absent(row) {
				x[len(x)-v.States+v.Values[row]] = math.Sqrt2 / 2
			}
		}
	}
	return x
}

// refine starts x from the state of y, the run for its groups.
func (x *partRun) refine(y *partRun, group []int) {
	share := make([]float64, len(group)) // the columns, one per group, of an orthogonal matrix
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
	from := y.descent
	at, best := make([]*point, len(from.Best)), make([][]float64, len(from.Best))
	for r, m := range from.Best {
		best[r] = lift(m)
		at[r] = x.p.point(best[r])
	}
	x.descent = newDescent(x.p, at)
	for k := range from.slots {
		copy(x.descent.slot(x.descent.Z, k), lift(from.slot(from.Z, k)))
	}
	x.descent.Best, x.descent.Upper = best, from.Upper
	x.descent.Step, x.descent.Curvature = from.Step*from.Factor, from.Curvature
}
