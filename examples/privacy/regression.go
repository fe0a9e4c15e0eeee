package main

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/moments/privacy"
)

// statistics returns how many statistics the regression on so many features takes: the
// products of two features, then those of each feature and the target.
func statistics(width int) int { return width*(width+1)/2 + width }

// newDomain returns the domain of the statistics of values in [−1, 1].
func newDomain(width int) (*privacy.Domain, error) {
	ranges := slices.Repeat([]privacy.Range{{Lo: -1, Hi: 1}}, statistics(width))
	for i, k := 0, 0; i < width; i++ {
		ranges[k] = privacy.Range{Lo: 0, Hi: 1} // a square
		k += width - i
	}
	return privacy.NewDomain(ranges...)
}

// products returns the statistics of a person.
func products(features []float64, target float64) []float64 {
	s := make([]float64, 0, statistics(len(features)))
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

// reach is how far declared ranges reach to both sides of the middle, in standard
// deviations: wide ones take more noise, narrow ones clip more values.
const reach = 1.5

// scale maps the declared range of a value onto [−1, 1].
type scale struct{ middle, half float64 }

// newScale returns the scale whose range is about the mean of x.
func newScale(x []float64) scale {
	mean, sd := stat.MeanStdDev(x, nil)
	if sd == 0 {
		sd = 1 // a constant is in the middle of any range
	}
	return scale{mean, reach * sd}
}

func (s scale) clip(x float64) float64 { return min(max((x-s.middle)/s.half, -1), 1) }

// solve returns the weights w of C·w = b for mean statistics (C, b) with standard errors.
//
// Noise leaves C indefinite, and its inverse wild. So negative eigenvalues are set to 0,
// and all are raised by the size of those of a matrix of noise alone; where there is no
// noise, directions of eigenvalue 0 are left out. And b is shrunk by as much as noise
// makes it longer (James and Stein 1961): if it is no longer than noise alone, to 0.
func solve(mean, stderr []float64, width int) ([]float64, error) {
	pairs := len(mean) - width
	c := mat.NewSymDense(width, nil)
	k := 0
	for i := range width {
		for j := i; j < width; j++ {
			c.SetSym(i, j, mean[k])
			k++
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(c, true) {
		return nil, errors.New("the eigenvalues of the mean products were not found")
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	ridge := floats.Norm(stderr[:pairs], 2) * math.Sqrt(float64(width)/float64(pairs))
	small := 1e-12 * values[width-1]
	b, noise := floats.Norm(mean[pairs:], 2), floats.Norm(stderr[pairs:], 2)
	if b <= noise {
		return make([]float64, width), nil
	}
	shrink := 1 - (noise/b)*(noise/b)
	w := mat.NewVecDense(width, nil)
	w.MulVec(vectors.T(), mat.NewVecDense(width, mean[pairs:]))
	for i, v := range values {
		x := 0.0
		if v := max(v, 0) + ridge; v > small {
			x = shrink * w.AtVec(i) / v
		}
		w.SetVec(i, x)
	}
	out := mat.NewVecDense(width, nil)
	out.MulVec(&vectors, w)
	return out.RawVector().Data, nil
}
