package regression

import (
	"math"

	"example.org/pathsum/moments/privacy"
)

// question asks people for their gradient: the products of their features and their residual.
type question struct {
	loss float64
	// tells is the information of an answer about all weights: the trace of its Fisher
	// information, if features are normal and uncorrelated and the residual is normal with its
	// expected variance.
	tells float64
	// answer releases a record.
	answer func(features []float64, residual float64, source *privacy.Source) (privacy.Record, error)
	// read returns an estimate of the difference from the best weights from the records of a
	// round, and its variance, the same for all features.
	read func(e privacy.Estimate) (gradient []float64, variance float64)
}

// residual is the expected standard deviation of the residual of the target.
var residual = math.Sqrt(1 - explained)

// bound is the clipping bound of a product of a feature and the residual, in standard
// deviations of the feature times those of the target.
const bound = .7

// askBits asks for the clipped products, with a bit for each of some features: neighbours in a
// circle of all features. Their number is the most informative one for ε.
func askBits(width int, epsilon float64) (question, error) {
	most, size := 0.0, 1
	for n := 1; n <= width; n++ {
		truth := math.Tanh(epsilon / 2 / float64(n)) // 2q − 1
		if x := float64(n) * truth * truth; x > most {
			most, size = x, n
		}
	}
	const end = bound / (wide * wide)
	ranges, groups := make([]privacy.Range, width), make([][]int, width)
	for i := range groups {
		ranges[i] = privacy.Range{Lo: -end, Hi: end}
		for k := range size {
			groups[i] = append(groups[i], (i+k)%width)
		}
	}
	d, err := privacy.NewDomain(ranges...)
	if err != nil {
		return question{}, err
	}
	m, err := privacy.NewGroupRelease(d, groups, nil, epsilon, privacy.Tight)
	if err != nil {
		return question{}, err
	}
	// The change of the mean clipped product with the weight.
	slope := overNormal(func(x float64) float64 {
		x = min(x, wide)
		return overNormal(func(z float64) float64 { return min(x*residual*z, bound) * z * x / residual })
	})
	return question{
		loss:  m.Loss(),
		tells: most * slope * slope / (bound * bound),
		answer: func(features []float64, residual float64, source *privacy.Source) (privacy.Record, error) {
			products := make([]float64, width)
			for j, x := range features {
				products[j] = x * residual
			}
			s, err := d.Clip(products)
			if err != nil {
				return privacy.Record{}, err
			}
			return m.Release(s, source)
		},
		read: func(e privacy.Estimate) ([]float64, float64) {
			unit := wide * wide / slope
			gradient := make([]float64, width)
			for j, x := range e.Mean {
				gradient[j] = unit * x
			}
			return gradient, unit * unit * meanSquare(e.StdErr)
		},
	}, nil
}

// askLargest asks for the index of the product with the largest magnitude, and its sign, by
// randomized response.
func askLargest(width int, epsilon float64) (question, error) {
	m, err := privacy.NewRandomizedResponse(2*width, nil, epsilon)
	if err != nil {
		return question{}, err
	}
	// The largest of all features exceeds x with probability 1 − P(one does not)^width.
	const step = .01
	largest := 0.0
	for x := step / 2; x < wide; x += step {
		largest += step * (1 - math.Pow(math.Erf(x/math.Sqrt2), float64(width)))
	}
	change := math.Sqrt(2/math.Pi) / residual * largest // of the signs, all weights changing
	tell := m.Keep() * change
	return question{
		loss:  m.Loss(),
		tells: tell * tell,
		answer: func(features []float64, residual float64, source *privacy.Source) (privacy.Record, error) {
			j := 0
			for k, x := range features {
				if math.Abs(x) > math.Abs(features[j]) {
					j = k
				}
			}
			category := 2 * j
			if features[j]*residual < 0 {
				category++
			}
			return m.Release(category, source)
		},
		read: func(e privacy.Estimate) ([]float64, float64) {
			unit := float64(width) / change
			gradient := make([]float64, width)
			for j := range gradient {
				gradient[j] = unit * (e.Mean[2*j] - e.Mean[2*j+1])
			}
			// Frequencies p of two categories have the covariance −p², approximately as if all
			// categories were equally frequent.
			p := .5 / float64(width)
			return gradient, 2 * unit * unit * meanSquare(e.StdErr) / (1 - p)
		},
	}, nil
}

// overNormal returns the mean of f(|x|) for a normal variable x.
func overNormal(f func(x float64) float64) float64 {
	const step = .02
	sum := 0.0
	for x := step / 2; x < 8; x += step {
		sum += 2 * step * normal(x) * f(x)
	}
	return sum
}
