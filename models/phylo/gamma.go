package phylo

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Shapes of a gamma distribution that its classes can be computed for.
const (
	leastShape    = .005
	greatestShape = 1e4
)

// gammaRates sets rate to the means of the classes, as many, of equal probability of the
// gamma distribution of a shape and mean 1 (Yang 1994).
func gammaRates(rate []float64, shape float64) error {
	if !(shape >= leastShape && shape <= greatestShape) {
		return fmt.Errorf("shape %g of a gamma distribution, want one in [%g, %g]", shape, leastShape, greatestShape)
	}
	gammaMeans(rate, shape)
	return nil
}

func gammaMeans(rate []float64, shape float64) {
	n := float64(len(rate))
	below := 0.0
	for k := range rate {
		upto := 1.0
		if k < len(rate)-1 {
			upto = mathext.GammaIncReg(shape+1, mathext.GammaIncRegInv(shape, float64(k+1)/n))
		}
		rate[k] = n * (upto - below)
		below = upto
	}
}

// gammaSlopes returns the derivatives of the rates by the ln of the shape, by differences
// of fourth order: they are exact to about ten digits.
func gammaSlopes(n int, shape float64) []float64 {
	const h = 1e-3
	slope, rate := make([]float64, n), make([]float64, n)
	for i, weight := range []float64{1, -8, 8, -1} {
		gammaMeans(rate, shape*math.Exp(h*[]float64{-2, -1, 1, 2}[i]))
		for k, r := range rate {
			slope[k] += weight * r / (12 * h)
		}
	}
	return slope
}
