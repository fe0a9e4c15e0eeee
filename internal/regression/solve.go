package regression

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/moments/privacy"
)

// Statistics returns the number of statistics of the regression on width features: the products
// of two features, then the products of each feature and the target.
func Statistics(width int) int { return width*(width+1)/2 + width }

// newDomain returns the domain of the statistics of values in [−1, 1].
func newDomain(width int) (*privacy.Domain, error) {
	ranges := slices.Repeat([]privacy.Range{{Lo: -1, Hi: 1}}, Statistics(width))
	for i, k := 0, 0; i < width; i++ {
		ranges[k] = privacy.Range{Lo: 0, Hi: 1} // a square
		k += width - i
	}
	return privacy.NewDomain(ranges...)
}

// products returns the statistics of a person.
func products(features []float64, target float64) []float64 {
	s := make([]float64, 0, Statistics(len(features)))
	for i, x := range features {
		for _, y := range features[i:] {
			s = append(s, x*y)
		}
	}
	for _, x := range features {
		s = append(s, x*target)
	}
	return s
}

// solve returns the expected weights w of C·w = b, given mean statistics (C, b) and the
// standard deviations stderr of their noise.
//
// C is shrunk towards its expectation without data, equal squares and zero products: the factor
// is the fraction of its squared differences from the expectation that is not noise (Wiener).
// It is shrunk further if it would have negative eigenvalues. With w ~ N(0, τ²), b has the
// covariance τ²·C² + v, where v is the variance of the noise of b and of C·w. So the
// expectation of w is τ²·C·(τ²·C² + v)⁻¹·b. τ is estimated by the evidence. Without noise, w is
// the solution of least norm.
func solve(mean, stderr []float64, width int) ([]float64, error) {
	pairs := len(mean) - width
	var squares, products, squareNoise, productNoise []float64
	k := 0
	for i := range width {
		squares, squareNoise = append(squares, mean[k]), append(squareNoise, stderr[k])
		products, productNoise = append(products, mean[k+1:k+width-i]...), append(productNoise, stderr[k+1:k+width-i]...)
		k += width - i
	}
	usual := stat.Mean(squares, nil)
	floats.AddConst(-usual, squares)
	floats.Scale(signal(squares, squareNoise), squares)
	floats.AddConst(usual, squares)
	for i, noise := range squareNoise {
		squares[i] = max(squares[i], noise)
	}
	share := signal(products, productNoise)
	eigen, err := decompose(squares, products, share)
	if err != nil {
		return nil, err
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	b := mat.NewVecDense(width, nil)
	b.MulVec(vectors.T(), mat.NewVecDense(width, mean[pairs:]))
	w := mat.NewVecDense(width, nil)
	prior, v := evidence(values, b.RawVector().Data, meanSquare(stderr[pairs:]), float64(width)*share*meanSquare(productNoise))
	for i, c := range values {
		if c > 1e-12*values[width-1] && prior > 0 {
			w.SetVec(i, c*b.AtVec(i)/(c*c+v/prior))
		}
	}
	out := mat.NewVecDense(width, nil)
	out.MulVec(&vectors, w)
	return out.RawVector().Data, nil
}

func meanSquare(x []float64) float64 {
	return floats.Dot(x, x) / float64(max(1, len(x)))
}

// signal returns the fraction of the squares of x that is not noise.
func signal(x, noise []float64) float64 {
	seen, expected := floats.Dot(x, x), floats.Dot(noise, noise)
	if expected >= seen {
		return 0
	}
	return 1 - expected/seen
}

// decompose returns the eigenvalues of the matrix of squares and products, the latter times a
// factor: the largest up to share for which no eigenvalue is negative.
func decompose(squares, products []float64, share float64) (*mat.EigenSym, error) {
	width := len(squares)
	c, eigen := mat.NewSymDense(width, nil), &mat.EigenSym{}
	factorize := func(share float64) error {
		k := 0
		for i := range width {
			c.SetSym(i, i, squares[i])
			for j := i + 1; j < width; j++ {
				c.SetSym(i, j, share*products[k])
				k++
			}
		}
		if !eigen.Factorize(c, true) {
			return errors.New("the eigenvalues of the mean products were not found")
		}
		return nil
	}
	negative := func() bool {
		v := eigen.Values(nil)
		return v[0] < -1e-12*v[width-1]
	}
	if err := factorize(share); err != nil || !negative() {
		return eigen, err
	}
	lo, hi := 0.0, share
	for range 30 {
		if err := factorize((lo + hi) / 2); err != nil {
			return nil, err
		}
		if negative() {
			hi = (lo + hi) / 2
		} else {
			lo = (lo + hi) / 2
		}
	}
	return eigen, factorize(lo)
}

// evidence returns the τ² for which b is most probable, whose components are N(0, τ²·values² +
// v), and v = noise + τ²·more: the noise of b and of C·w. Ranges of targets and features have
// the same length in standard deviations. So τ² is at most explained/width, for which features
// explain the expected fraction of the target.
func evidence(values, b []float64, noise, more float64) (prior, v float64) {
	const steps = 100
	most := math.Inf(-1)
	for k := range steps + 1 {
		p := explained / float64(len(b)) * float64(k) / steps
		of, log := noise+p*more, 0.0
		for i, c := range values {
			variance := p*c*c + of
			log -= math.Log(variance) + b[i]*b[i]/variance
		}
		if noise == 0 || log > most { // without noise, any p is valid
			prior, v, most = p, of, log
		}
	}
	return prior, v
}
