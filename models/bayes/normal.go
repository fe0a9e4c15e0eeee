package bayes

import (
	"fmt"
	"math"

	"example.org/pathsum/em"
)

// completeNormals checks the distributions of family i, whose children are continuous,
// or makes standard ones.
func (n *Network) completeNormals(i, configurations int) error {
	f := &n.families[i]
	d, r, name := len(f.Children), len(f.Regressors), n.variables[f.Children[0]].Name
	if f.Normals == nil {
		for range configurations {
			f.Normals = append(f.Normals, standard(d, r))
		}
	}
	if len(f.Normals) != configurations {
		return fmt.Errorf("bayes: %w: %s has %d normal distributions, want %d", ErrInvalid, name, len(f.Normals), configurations)
	}
	for c, x := range f.Normals {
		if len(x.Mean) != d || len(x.Covariance) != d*d || len(x.Slope) != d*r {
			return fmt.Errorf("bayes: %w: %s has a mean of %d numbers, a covariance of %d and slopes of %d, want %d, %d and %d", ErrInvalid,
				n.given(f.Children[0], c), len(x.Mean), len(x.Covariance), len(x.Slope), d, d*d, d*r)
		}
		density, err := x.density()
		if err != nil {
			return fmt.Errorf("bayes: %w: P(%s): %w", ErrInvalid, n.given(f.Children[0], c), err)
		}
		n.density[i] = append(n.density[i], density)
	}
	return nil
}

func standard(d, r int) Normal {
	x := Normal{Mean: make([]float64, d), Covariance: make([]float64, d*d)}
	if r > 0 {
		x.Slope = make([]float64, d*r)
	}
	for i := range d {
		x.Covariance[i*d+i] = 1
	}
	return x
}

// density returns the distribution, or what is wrong with it.
func (x Normal) density() (*em.Density, error) {
	d := len(x.Mean)
	for i, s := range x.Slope {
		if s-s != 0 {
			return nil, fmt.Errorf("slope %d is %g", i, s)
		}
	}
	for i, m := range x.Mean {
		if m-m != 0 {
			return nil, fmt.Errorf("the mean of component %d is %g", i, m)
		}
		for j := range i {
			if a, b := x.Covariance[i*d+j], x.Covariance[j*d+i]; !(math.Abs(a-b) <= 1e-12*math.Abs(a)) {
				return nil, fmt.Errorf("the covariance of components %d and %d is %g, and the other way round %g", i, j, a, b)
			}
		}
	}
	return em.NewGaussian(d).Density(x.theta(d))
}

// newNormal returns the distribution that parameters of a law with these blocks are.
func newNormal(blocks []int, theta []float64) Normal {
	d := 0
	for _, b := range blocks {
		d += b
	}
	x := Normal{Mean: append([]float64(nil), theta[1:1+d]...), Covariance: make([]float64, d*d)}
	at, lo := 1+d, 0
	for _, b := range blocks {
		for i := lo; i < lo+b; i++ {
			for j := lo; j <= i; j++ {
				x.Covariance[i*d+j], x.Covariance[j*d+i] = theta[at], theta[at]
				at++
			}
		}
		lo += b
	}
	return x
}

// theta returns x as the parameters of an em.Gaussian with these blocks: covariances
// between blocks are left out.
func (x Normal) theta(blocks ...int) []float64 {
	d := len(x.Mean)
	theta := append([]float64{1}, x.Mean...)
	lo := 0
	for _, b := range blocks {
		for i := lo; i < lo+b; i++ {
			theta = append(theta, x.Covariance[i*d+lo:i*d+i+1]...)
		}
		lo += b
	}
	return theta
}
