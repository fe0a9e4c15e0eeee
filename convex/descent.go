package convex

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// descent is Davis–Yin splitting over the relations of a part. With P the projection onto positive
// semidefinite matrices and Q the projection onto the entrywise constraints,
//
//	B = P(z);  A = Q(2B − z − γ∇g(B));  z ← z + A − B,
//
// in the scaled metric, in which a merged row counts like the rows that it replaces. A relation in
// several products has a copy z for each; P averages them. Matrices are indexed by relation, or
// stored per slot in a single vector.
type descent struct {
	p *part
	constraints
	objective objective
	at        []*point // per relation: B
	descentState
}

// objective is a convex function of the relations of a part.
type objective interface {
	// evaluate returns bounds of the value at points whose factors are known.
	evaluate(at []*point) (lower, upper float64)
	// slopes stores the derivatives by the scaled matrices, at the latest evaluation.
	slopes(at []*point, dst [][]float64)
	// bound returns an upper bound of the value at other points, of which it uses only matrix and
	// mass.
	bound(at []*point) (upper float64)
}

// descentState is the state of a descent in a checkpoint.
type descentState struct {
	Z            []float64 // per slot
	Last         []float64 // Z an iteration ago
	Step         float64   // γ
	Factor       float64   // by which γ is multiplied once B is known
	Curvature    float64   // estimate of the Lipschitz constant of ∇g
	Iteration    int
	B, G         [][]float64 // per relation, of the latest iteration
	Residuals    [][]float64 // per term
	Acceleration acceleration
	Lower, Upper float64
	Best         [][]float64 // per relation: the point of C with the value Upper
}

// newDescent returns the descent from the points at.
func newDescent(p *part, at []*point) *descent {
	d := &descent{p: p, constraints: newConstraints(p), objective: p, at: at}
	d.Factor = 1
	d.Lower, d.Upper = math.Inf(-1), math.Inf(1)
	d.B, d.G, d.Best = d.matrices(), d.matrices(), d.matrices()
	for _, s := range d.slots {
		d.Z = append(d.Z, at[s].m...)
	}
	return d
}

// matrices returns a matrix per relation.
func (d *descent) matrices() [][]float64 {
	x := make([][]float64, len(d.p.relations))
	for r := range x {
		x[r] = make([]float64, len(d.p.n)*len(d.p.n))
	}
	return x
}

// mean returns the mean of the copies of each relation.
func (d *descent) mean(x []float64) [][]float64 {
	mean := d.matrices()
	for k, s := range d.slots {
		floats.AddScaled(mean[s], 1/float64(d.copies[s]), d.slot(x, k))
	}
	return mean
}

// iterate takes one iteration and, if check is true, improves the bounds.
func (d *descent) iterate(check bool) {
	before, slope := d.B, d.G
	d.semidefinite()
	if d.Factor != 1 {
		d.Step *= d.Factor
		for k, s := range d.slots { // keeps the multipliers (B − z)/γ
			z := d.slot(d.Z, k)
			for i, b := range d.B[s] {
				z[i] = b + d.Factor*(z[i]-b)
			}
		}
		d.Factor = 1
	}
	value, upper := d.objective.evaluate(d.at)
	d.G = d.matrices()
	d.objective.slopes(d.at, d.G)
	if d.Step == 0 { // B is the start, a point of C
		d.Step = d.p.total / 2 / norm(d.G)
		d.Upper, d.Best = upper, d.B
	}
	x := make([]float64, len(d.Z))
	for k, s := range d.slots {
		z, x := d.slot(d.Z, k), d.slot(x, k)
		step := d.Step / float64(d.copies[s])
		for i, b := range d.B[s] {
			x[i] = 2*b - z[i] - step*d.G[s][i]
		}
	}
	d.project(d.p, x)
	if check {
		d.check(value, x)
	}
	d.move(x, before, slope)
	d.Iteration++
}

// semidefinite sets B and its points to the projections of Z. At the start the points are set
// already.
func (d *descent) semidefinite() {
	z := d.mean(d.Z)
	d.B = make([][]float64, len(z))
	for r := range z {
		if d.Step != 0 {
			d.at[r] = d.p.nearest(r, z[r], near)
		}
		d.B[r] = d.at[r].m
	}
}

func norm(x [][]float64) float64 {
	sum := 0.0
	for _, m := range x {
		sum += floats.Dot(m, m)
	}
	return math.Sqrt(sum)
}

// check improves the bounds at an iterate; value is a lower bound of g there, and a contains its
// projections onto the entrywise constraints, per slot.
func (d *descent) check(value float64, a []float64) {
	d.Lower = max(d.Lower, d.lower(value))
	b := make([][]float64, len(d.B))
	for r, m := range d.B {
		b[r] = slices.Clone(m)
	}
	for _, x := range [][][]float64{b, d.mean(a)} {
		d.p.feasible(x)
		at := make([]*point, len(x))
		for r, m := range x {
			at[r] = d.p.point(m)
		}
		if upper := d.objective.bound(at); upper < d.Upper {
			d.Upper, d.Best = upper, x
		}
	}
}

// rank returns the total rank of the relations.
func (d *descent) rank() int {
	rank := 0
	for _, x := range d.at {
		rank += x.factor.Rows
	}
	return rank
}

// run iterates until the relative gap is small enough, and calls observe at each check.
func (d *descent) run(ctx context.Context, s *Splitting, observe func() error) (Status, error) {
	for {
		if relativeGap(d.Lower, d.Upper) <= s.Gap {
			return Converged, nil
		}
		if d.Iteration >= s.Iterations {
			return IterationLimit, nil
		}
		check := d.Iteration%s.Every == s.Every-1 || d.Iteration == s.Iterations-1
		d.iterate(check)
		if check {
			if err := observe(); err != nil {
				return Canceled, err
			}
		}
		if err := ctx.Err(); err != nil {
			return Canceled, err
		}
	}
}

// The step is at most stepCap/curvature. The estimate of the curvature decays by curvatureDecay per
// iteration, because early curvature is large. Until adaptUntil, every adaptEvery iterations, the
// step changes by adaptFactor if one of the primal and dual residuals is adaptRatio times the
// other. Without the cap the iteration may cycle; once the step is fixed below 2/curvature it
// converges (Davis and Yin 2017, theorem 3.1). If the curvature along an iteration was more than
// rejectAbove/step, the iteration is undone and the step reduced, at most by rejectFactor. If the
// iteration was extrapolated, only the extrapolation is undone.
const (
	stepCap        = 1.6
	curvatureDecay = .9
	adaptUntil     = 1000
	adaptEvery     = 5
	adaptFactor    = .7
	adaptRatio     = 4
	rejectAbove    = 30
	rejectFactor   = .1
)

// move sets z and the factor of the step after an iteration with the projections a. before and
// slope are B and G of the previous iteration.
func (d *descent) move(a []float64, before, slope [][]float64) {
	primal := 0.0
	image := make([]float64, len(a))
	for k, s := range d.slots {
		z, a, image := d.slot(d.Z, k), d.slot(a, k), d.slot(image, k)
		for i, b := range d.B[s] {
			primal += (a[i] - b) * (a[i] - b)
			image[i] = z[i] + a[i] - b
		}
	}
	if d.Iteration > 0 {
		curvature, moved := d.secant(before, slope)
		if excess := curvature * d.Step; excess > rejectAbove {
			d.B, d.G = before, slope
			if d.Acceleration.Extrapolated {
				d.Z = d.Acceleration.Point
			} else {
				d.Factor = max(rejectFactor, stepCap/excess)
				d.Z = slices.Clone(d.Last)
			}
			d.Acceleration = acceleration{}
			return
		}
		d.Curvature = max(curvatureDecay*d.Curvature, curvature)
		d.adapt(moved, math.Sqrt(primal))
	}
	d.Last = d.Z
	if d.Factor == 1 {
		d.Z = d.Acceleration.next(d.Z, image)
	} else { // the fixed-point map changes
		d.Z, d.Acceleration = image, acceleration{}
	}
}

// secant returns the curvature along the latest change of B, or 0 if the change is too short, and
// the length of the change. before and slope are B and G of the previous iteration.
func (d *descent) secant(before, slope [][]float64) (curvature, moved float64) {
	bent, product := 0.0, 0.0
	for r, m := range d.B {
		copies := float64(d.copies[r])
		for i, b := range m {
			db, dg := b-before[r][i], d.G[r][i]-slope[r][i]
			moved += copies * db * db
			bent += dg * dg / copies
			product += db * dg
		}
	}
	moved = math.Sqrt(moved)
	if product > 1e-14 && moved > 1e-9*d.p.total {
		curvature = bent / product
	}
	return curvature, moved
}

// adapt sets the factor of the step. moved is the length of the latest change of B, and primal its
// distance from the entrywise constraints.
func (d *descent) adapt(moved, primal float64) {
	bound := math.Inf(1)
	if d.Curvature > 0 {
		bound = stepCap / d.Curvature
	}
	if d.Step > bound {
		d.Factor = bound / d.Step
		return
	}
	if d.Acceleration.Extrapolated || d.Iteration%adaptEvery != adaptEvery-1 || d.Iteration >= adaptUntil {
		return
	}
	primal /= d.p.total
	dual := moved / (d.Step * norm(d.G))
	switch {
	case primal > adaptRatio*dual:
		d.Factor = adaptFactor
	case dual > adaptRatio*primal:
		d.Factor = min(1/adaptFactor, bound/d.Step)
	}
}

// acceleration extrapolates a fixed-point iteration z ← T(z) from the differences of its latest
// points, by Anderson's method of type II (Walker and Ni 2011). It undoes an extrapolation that
// increases the residual T(z) − z (Zhang, O'Donoghue and Boyd 2020). Its fields are exported so
// that a checkpoint holds them.
type acceleration struct {
	Point, Residual   []float64   // T(z) and its residual in the latest iteration; nil at first
	Points, Residuals [][]float64 // their differences, oldest first
	Extrapolated      bool        // z is an extrapolation from Point
	Norm              float64     // of Residual
}

const (
	accelerationMemory = 10
	// accelerationRidge regularizes the least squares problem, relative to the trace.
	accelerationRidge = 1e-8
)

// next returns the point after z, whose image is tz.
func (a *acceleration) next(z, tz []float64) []float64 {
	residual := make([]float64, len(z))
	floats.SubTo(residual, tz, z)
	norm := floats.Norm(residual, 2)
	if a.Extrapolated && norm > a.Norm {
		back := a.Point
		*a = acceleration{}
		return back
	}
	if a.Point != nil {
		dp, dr := make([]float64, len(z)), make([]float64, len(z))
		floats.SubTo(dp, tz, a.Point)
		floats.SubTo(dr, residual, a.Residual)
		if len(a.Points) == accelerationMemory {
			a.Points, a.Residuals = slices.Delete(a.Points, 0, 1), slices.Delete(a.Residuals, 0, 1)
		}
		a.Points, a.Residuals = append(a.Points, dp), append(a.Residuals, dr)
	}
	a.Point, a.Residual, a.Norm, a.Extrapolated = tz, residual, norm, false
	theta := a.weights()
	if theta == nil {
		return tz
	}
	x := slices.Clone(tz)
	for i, p := range a.Points {
		floats.AddScaled(x, -theta.AtVec(i), p)
	}
	a.Extrapolated = true
	return x
}

// weights returns the θ that minimizes |Σ θᵢ·Residualsᵢ − Residual|, or nil if there are too few
// differences or they are singular.
func (a *acceleration) weights() *mat.VecDense {
	m := len(a.Points)
	if m < 2 {
		return nil
	}
	gram, right := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	for i, x := range a.Residuals {
		for j := range i + 1 {
			gram.SetSym(i, j, floats.Dot(x, a.Residuals[j]))
		}
		right.SetVec(i, floats.Dot(x, a.Residual))
	}
	ridge := accelerationRidge * mat.Trace(gram)
	for i := range m {
		gram.SetSym(i, i, gram.At(i, i)+ridge)
	}
	var chol mat.Cholesky
	theta := new(mat.VecDense)
	if !chol.Factorize(gram) || chol.SolveVecTo(theta, right) != nil {
		return nil
	}
	return theta
}
