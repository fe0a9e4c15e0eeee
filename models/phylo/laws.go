package phylo

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.org/pathsum/em"
)

var errNoStep = fmt.Errorf("%w: no M step in closed form: train with em.LBFGS", em.ErrMethod)

// kneeLength is the branch length around which its coordinate changes from √length to a
// multiple of −1/√length.
const kneeLength = 1e-8

// lengthUnit scales the coordinate, so that a step of 1 from a length of .1 leads to a length of
// .17: half a step of 1 in the logarithm, the coordinate of frequencies.
const lengthUnit = 10

// lengths is the law of branch lengths, with a uniform prior. A length y² has the coordinate x = y
// − kneeLength/y.
//
// As a function of √length, the log likelihood of n columns has a curvature of about −4n at its
// maximum, for any length. At length 10⁻⁶ the derivative is 200 times the derivative by the
// logarithm, so that training can leave it. A maximum at length 0 is approached as 1/x². Counts are
// the derivatives by the logarithms.
type lengths struct{}

func (lengths) Start(theta []float64) {
	for i := range theta {
		theta[i] = startLength
	}
}

// Random draws around the start, within a factor of two for the most part.
func (lengths) Random(theta []float64, src rand.Source) {
	disturb(theta, src)
	for i := range theta {
		theta[i] = min(max(theta[i], shortest), math.MaxFloat64)
	}
}

func (lengths) Check(theta []float64) error {
	for i, x := range theta {
		if !(x > 0) {
			return fmt.Errorf("length %d is %g, want one > 0", i, x)
		}
	}
	return nil
}

func (lengths) LogPrior([]float64) float64 { return 0 }

func (lengths) Maximize(_, _ []float64) error { return errNoStep }

func (lengths) Dim(theta []float64) int { return len(theta) }

func (lengths) Coordinates(x, theta []float64) {
	for i, v := range theta {
		y := math.Sqrt(v)
		x[i] = lengthUnit * (y - kneeLength/y)
	}
}

// Theta keeps lengths in the range of float64.
func (lengths) Theta(theta, x []float64) {
	for i, v := range x {
		v /= lengthUnit
		y := math.Hypot(v, 2*math.Sqrt(kneeLength)) // the difference of the two roots
		if v < 0 {
			y = 2 * kneeLength / (y - v)
		} else {
			y = (v + y) / 2
		}
		theta[i] = min(max(y*y, shortest), math.MaxFloat64)
	}
}

// shortest is the least length: a normal number, whose products with rates are positive.
const shortest = 1e-300

func (lengths) Gradient(dx, theta, counts []float64) {
	for i, v := range theta {
		dx[i] = counts[i] * 2 * math.Sqrt(v) / (v + kneeLength) / lengthUnit
	}
}

// shape is the law of the shape of a gamma distribution, in [leastShape, greatestShape], with
// its logarithm as coordinate and a uniform prior. Counts are the derivatives by the
// logarithm.
type shape struct{}

func (shape) Start(theta []float64) { theta[0] = 1 }

// Random draws around the start, within a factor of two for the most part.
func (shape) Random(theta []float64, src rand.Source) {
	disturb(theta, src)
	theta[0] = min(max(theta[0], leastShape), greatestShape)
}

func (shape) Check(theta []float64) error { return checkShape(theta[0]) }

func (shape) LogPrior([]float64) float64 { return 0 }

func (shape) Maximize(_, _ []float64) error { return errNoStep }

func (shape) Dim([]float64) int { return 1 }

func (shape) Coordinates(x, theta []float64) { x[0] = math.Log(theta[0]) }

func (shape) Theta(theta, x []float64) {
	theta[0] = min(max(math.Exp(x[0]), leastShape), greatestShape)
}

// Gradient is 0 at a bound if the function increases beyond it.
func (shape) Gradient(dx, theta, counts []float64) {
	dx[0] = counts[0]
	if theta[0] == leastShape && dx[0] < 0 || theta[0] == greatestShape && dx[0] > 0 {
		dx[0] = 0
	}
}

// ratios is the law of exchangeabilities. The likelihood depends on their ratios only.
type ratios struct{ em.Multinomial }

func (ratios) Maximize(_, _ []float64) error { return errNoStep }

// disturb multiplies numbers by random factors; two thirds of the factors are within √e of 1.
func disturb(theta []float64, src rand.Source) {
	rng := rand.New(src)
	for i := range theta {
		theta[i] *= math.Exp(rng.NormFloat64() / 2)
	}
}
