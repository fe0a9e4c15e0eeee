package em

// Dim returns the number of parameters that are not zero, less one.
func (Multinomial) Dim(theta []float64) int { return softmaxDim(theta) }

// Coordinates sets x_i = ln θ_i − ln θ_last over the parameters that are not zero,
// except the last of them.
func (Multinomial) Coordinates(x, theta []float64) { softmaxCoordinates(x, theta) }

// Theta inverts Coordinates. A probability below the range of float64 is rounded
// up into it.
func (Multinomial) Theta(theta, x []float64) { softmaxTheta(theta, x) }

// Gradient sets dx_i = count_i − θ_i·Σ counts.
func (Multinomial) Gradient(dx, theta, counts []float64) {
	softmaxGradient(dx, theta, counts, noPrior)
}

// Tangent sets d ln θ_i = dx_i − Σ θ·dx.
func (Multinomial) Tangent(direction, theta, dx []float64) { softmaxTangent(direction, theta, dx) }

// GradientTangent sets the change of Gradient.
func (Multinomial) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	softmaxGradientTangent(ddx, theta, counts, dx, dcounts, noPrior)
}

func noPrior(int) float64 { return 0 }

// Dim and the other methods of coordinates do what those of Multinomial do.
func (d Dirichlet) Dim(theta []float64) int { return softmaxDim(theta) }

// Coordinates is that of Multinomial.
func (d Dirichlet) Coordinates(x, theta []float64) { softmaxCoordinates(x, theta) }

// Theta is that of Multinomial.
func (d Dirichlet) Theta(theta, x []float64) { softmaxTheta(theta, x) }

// Gradient is that of Multinomial with counts + α − 1. The density is that of θ,
// so its mode is that of Maximize; where α < 1 it has no bound, and what follows
// the gradient may run to a zero and not arrive.
func (d Dirichlet) Gradient(dx, theta, counts []float64) {
	softmaxGradient(dx, theta, counts, d.pseudo)
}

// Tangent is that of Multinomial.
func (d Dirichlet) Tangent(direction, theta, dx []float64) { softmaxTangent(direction, theta, dx) }

// GradientTangent sets the change of Gradient.
func (d Dirichlet) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	softmaxGradientTangent(ddx, theta, counts, dx, dcounts, d.pseudo)
}

// pseudo is the number of observations of parameter i that the prior amounts to.
func (d Dirichlet) pseudo(i int) float64 { return d.alpha(i) - 1 }
