// Package softmax has the coordinates of a distribution of finitely many outcomes:
// x_i = ln θ_i/θ_last over the parameters that are not zero except the last of them, as many
// coordinates as there are degrees of freedom. Counts c are pulled back to c_i − θ_i·Σc.
package softmax

import "math"

// lastOf returns the number of parameters that are not zero and the last of them.
func lastOf(theta []float64) (support, last int) {
	last = -1
	for i, x := range theta {
		if x > 0 {
			support++
			last = i
		}
	}
	return support, last
}

// Dim returns the number of coordinates of theta.
func Dim(theta []float64) int {
	support, _ := lastOf(theta)
	return max(0, support-1)
}

// Coordinates sets those of theta.
func Coordinates(x, theta []float64) {
	_, last := lastOf(theta)
	j := 0
	for i, p := range theta {
		if p > 0 && i != last {
			x[j] = math.Log(p) - math.Log(theta[last])
			j++
		}
	}
}

// Theta inverts Coordinates. It rounds a probability that is less than the least float64 up to
// it, so that no parameter loses its coordinate.
func Theta(theta, x []float64) {
	_, last := lastOf(theta)
	top := 0.0
	for _, v := range x {
		top = math.Max(top, v)
	}
	j, sum := 0, 0.0
	for i, p := range theta {
		if p == 0 {
			continue
		}
		v := 0.0
		if i != last {
			v = x[j]
			j++
		}
		theta[i] = math.Max(math.Exp(v-top), math.SmallestNonzeroFloat64)
		sum += theta[i]
	}
	for i, p := range theta {
		if p > 0 {
			theta[i] = math.Max(p/sum, math.SmallestNonzeroFloat64)
		}
	}
}

// Gradient sets what counts are by the coordinates.
func Gradient(dx, theta, counts []float64) {
	sum := total(theta, counts)
	_, last := lastOf(theta)
	j := 0
	for i, p := range theta {
		if p > 0 && i != last {
			dx[j] = counts[i] - p*sum
			j++
		}
	}
}

// total returns the sum of counts over the parameters that are not zero.
func total(theta, counts []float64) float64 {
	sum := 0.0
	for i, p := range theta {
		if p > 0 {
			sum += counts[i]
		}
	}
	return sum
}

// Tangent sets d ln θ_i = dx_i − Σ θ·dx.
func Tangent(direction, theta, dx []float64) {
	_, last := lastOf(theta)
	j, mean := 0, 0.0
	for i, p := range theta {
		direction[i] = 0
		if p > 0 && i != last {
			direction[i] = dx[j]
			mean += p * dx[j]
			j++
		}
	}
	for i, p := range theta {
		if p > 0 {
			direction[i] -= mean
		}
	}
}

// Hessian adds the change of Gradient as the coordinates change by dx.
func Hessian(ddx, theta, counts, dx []float64) {
	direction := make([]float64, len(theta))
	Tangent(direction, theta, dx)
	sum := total(theta, counts)
	_, last := lastOf(theta)
	j := 0
	for i, p := range theta {
		if p > 0 && i != last {
			ddx[j] -= p * direction[i] * sum
			j++
		}
	}
}
