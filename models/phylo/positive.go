package phylo

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// positive is the law of positive numbers, with their logarithms as coordinates and a
// uniform prior: branch lengths, a shape. Counts are the derivatives by the logarithms.
type positive struct{}

func (positive) Start(theta []float64) {
	for i := range theta {
		theta[i] = 1
	}
}

// Random draws around the start, within a factor of two for the most part.
func (positive) Random(theta []float64, src rand.Source) {
	rng := rand.New(src)
	for i := range theta {
		theta[i] *= math.Exp(rng.NormFloat64() / 2)
	}
}

func (positive) Check(theta []float64) error {
	for i, x := range theta {
		if !(x > 0) {
			return fmt.Errorf("number %d is %g, want one > 0", i, x)
		}
	}
	return nil
}

func (positive) LogPrior([]float64) float64 { return 0 }

var errNoStep = errors.New("no M step in closed form: train with em.LBFGS")

func (positive) Maximize(_, _ []float64) error { return errNoStep }

func (positive) Dim(theta []float64) int { return len(theta) }

func (positive) Coordinates(x, theta []float64) {
	for i, v := range theta {
		x[i] = math.Log(v)
	}
}

// Theta keeps numbers in the range of float64.
func (positive) Theta(theta, x []float64) {
	for i, v := range x {
		theta[i] = min(max(math.Exp(v), math.SmallestNonzeroFloat64), math.MaxFloat64)
	}
}

func (positive) Gradient(dx, _, counts []float64) { copy(dx, counts) }
