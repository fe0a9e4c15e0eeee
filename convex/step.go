package convex

import "math"

// The step is at most stepCap over the curvature, whose estimate forgets by curvatureDecay
// an iteration: early curvature is large. Until adaptUntil, every adaptEvery iterations,
// the step changes by adaptFactor if one of primal and dual residual is adaptRatio times
// the other. Without the cap the iteration may cycle; once the step is fixed below
// 2/curvature it converges (Davis and Yin 2017, theorem 3.1). An iteration along which the
// curvature was more than rejectAbove over the step is taken back, and the step reduced, by
// rejectFactor at most; or, if it was extrapolated, only that.
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

// move sets z, and the factor of the step, after an iteration that led to the projections
// a. B and G were before and slope an iteration ago.
func (d *descent) move(a, before, slope [][]float64) {
	primal := 0.0
	var z, tz []float64 // all slots, one after the other
	for k, s := range d.constraints.slots {
		b := d.B[s]
		z = append(z, d.Z[k]...)
		for i, v := range a[k] {
			primal += (v - b[i]) * (v - b[i])
			tz = append(tz, d.Z[k][i]+v-b[i])
		}
	}
	if d.Iteration > 0 {
		curvature, moved := d.secant(before, slope)
		if excess := curvature * d.Step; excess > rejectAbove {
			d.B, d.G = before, slope
			if d.Acceleration.Extrapolated {
				d.put(d.Acceleration.Point)
			} else {
				d.Factor = max(rejectFactor, stepCap/excess)
				d.put(d.Last)
			}
			d.Acceleration = acceleration{}
			return
		}
		d.Curvature = max(curvatureDecay*d.Curvature, curvature)
		d.adapt(moved, math.Sqrt(primal))
	}
	if d.Factor == 1 {
		tz = d.Acceleration.next(z, tz)
	} else { // another iteration from now on
		d.Acceleration = acceleration{}
	}
	d.Last = z
	d.put(tz)
}

// put sets z, all slots one after the other.
func (d *descent) put(z []float64) {
	for _, dst := range d.Z {
		z = z[copy(dst, z):]
	}
}

// secant returns the curvature along the latest change of B, 0 if it is too short to tell,
// and the length of the change. B and G were before and slope an iteration ago.
func (d *descent) secant(before, slope [][]float64) (curvature, moved float64) {
	bent, product := 0.0, 0.0
	for _, r := range d.turn {
		copies := float64(d.constraints.copies[r])
		for i, b := range d.B[r] {
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

// adapt chooses the factor of the step. So far moved B, and so far is it from the entrywise
// constraints.
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
	dual := moved / (d.Step * d.norm(d.G))
	switch {
	case primal > adaptRatio*dual:
		d.Factor = adaptFactor
	case dual > adaptRatio*primal:
		d.Factor = min(1/adaptFactor, bound/d.Step)
	}
}
