package phylo

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"example.org/pathsum/semiring"
)

type matrix [bases][bases]float64

// exchange numbers the unordered pairs of different bases: AC, AG, AT, CG, CT, GT.
var exchange = [bases][bases]int{{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}}

// rates is a reversible rate matrix Q, of one expected substitution per unit of time, in its
// eigen-decomposition: exp(Qt) = right · diag(exp(value·t)) · left. Before scaling its entries are
// s_ij·π_j, with symmetric exchangeabilities s.
//
// A base of frequency 0 never occurs. The other bases are decomposed; such a base has the
// eigenvalue 0, as if it did not change, which does not affect probabilities.
type rates struct {
	pi          [bases]float64
	q           matrix
	value       [bases]float64
	right, left matrix
	equilibrium int // the index of its eigenvalue, 0
}

// newRates returns the matrix of frequencies, ≥ 0, and exchangeabilities, > 0.
func newRates(pi [bases]float64, s [6]float64) (*rates, error) {
	r, scale := &rates{pi: pi}, 0.0 // expected substitutions per unit of time
	for i := range bases {
		for j := range bases {
			if i != j {
				r.q[i][j] = s[exchange[i][j]] * pi[j]
				r.q[i][i] -= r.q[i][j]
			}
		}
		scale -= pi[i] * r.q[i][i]
	}
	var present, absent []int // bases
	for i, f := range pi {
		if f > 0 {
			present = append(present, i)
		} else {
			absent = append(absent, i)
		}
	}
	n := len(present)
	if n == 1 {
		r.q, scale = matrix{}, 1 // a single base does not change
	}
	if !(scale > 0) || math.IsInf(scale, 1) {
		return nil, fmt.Errorf("%g substitutions per unit of time at frequencies %v and exchangeabilities %v", scale, pi, s)
	}
	// diag(√π) · Q · diag(1/√π) is symmetric.
	symmetric := mat.NewSymDense(n, nil)
	for i := range bases {
		for j := range bases {
			r.q[i][j] /= scale
		}
	}
	for x, i := range present {
		for y, j := range present[:x] {
			symmetric.SetSym(x, y, s[exchange[i][j]]*math.Sqrt(pi[i]*pi[j])/scale)
		}
		symmetric.SetSym(x, x, r.q[i][i])
	}
	var e mat.EigenSym
	if !e.Factorize(symmetric, true) {
		return nil, fmt.Errorf("no eigen-decomposition at frequencies %v and exchangeabilities %v", pi, s)
	}
	var u mat.Dense
	e.VectorsTo(&u)
	values := e.Values(nil)
	values[n-1] = 0 // the equilibrium: the greatest, which rounding could change
	r.equilibrium = n - 1
	for k := range n {
		r.value[k] = min(0, values[k]) // rounding could make it grow on a long branch
		for x, i := range present {
			root := math.Sqrt(pi[i])
			r.right[i][k] = u.At(x, k) / root
			r.left[k][i] = u.At(x, k) * root
		}
	}
	for k, i := range absent {
		r.right[i][n+k], r.left[n+k][i] = 1, 1
	}
	return r, nil
}

// transition returns exp(Qt). Entries have rounding errors of 1e-15·min(1, t); values that would be
// negative by rounding are 0.
func (r *rates) transition(t float64) (p matrix) {
	for k := range bases {
		grown := math.Expm1(r.value[k] * t)
		for i := range bases {
			for j := range bases {
				p[i][j] += r.right[i][k] * grown * r.left[k][j]
			}
		}
	}
	for i := range bases {
		p[i][i]++
		for j := range bases {
			p[i][j] = max(0, p[i][j])
		}
	}
	return p
}

// gradient collects the derivatives of a function of transition matrices.
type gradient struct {
	rates *rates
	// inner is the derivative by Q in the basis of the eigenvectors.
	inner matrix
}

// longestStay bounds an integral over an infinite branch between two sets of bases that do not
// change into each other, so that its products with 0 are 0.
const longestStay = 1e150

// add adds the contribution of the uses of the entries of exp(Qt) = p, where uses/p are the
// derivatives by p, and returns the derivative by t.
func (g *gradient) add(p *matrix, uses []float64, t float64) float64 {
	r := g.rates
	var by matrix // rightᵀ · (uses/p) · leftᵀ
	for i := range bases {
		for j := range bases {
			if p[i][j] == 0 {
				continue
			}
			d := uses[bases*i+j] / p[i][j]
			for k := range bases {
				for l := range bases {
					by[k][l] += r.right[i][k] * d * r.left[l][j]
				}
			}
		}
	}
	slope := 0.0
	for k := range bases {
		grown := math.Exp(r.value[k] * t)
		slope += by[k][k] * r.value[k] * grown
		for l := range bases {
			if l == r.equilibrium {
				continue // the rows of a change of Q sum to 0
			}
			// ∫₀ᵗ exp(value[k]·u + value[l]·(t−u)) du, computed from the greater exponential: the
			// other one may be 0, and its inverse infinite.
			between := t * grown
			if d := math.Abs(r.value[l]-r.value[k]) * t; d != 0 {
				between = math.Exp(max(r.value[k], r.value[l])*t) * -math.Expm1(-d) / math.Abs(r.value[l]-r.value[k])
			}
			g.inner[k][l] += by[k][l] * min(between, longestStay)
		}
	}
	return slope
}

// logs returns the derivatives by ln π and ln s, with each number varying independently: Q is
// scaled for any sums.
func (g *gradient) logs() (pi [bases]float64, s [6]float64) {
	r := g.rates
	var d matrix // by Q: leftᵀ · inner · rightᵀ
	byScale := 0.0
	for i := range bases {
		for j := range bases {
			for k := range bases {
				for l := range bases {
					d[i][j] += r.left[k][i] * g.inner[k][l] * r.right[j][l]
				}
			}
			byScale -= d[i][j] * r.q[i][j] // ln of the scale
		}
	}
	for i := range bases {
		for j := range bases {
			if i == j {
				continue
			}
			flow := r.pi[i] * r.q[i][j] // its part of the scale
			x := (d[i][j]-d[i][i])*r.q[i][j] + byScale*flow
			s[exchange[i][j]] += x
			pi[j] += x
			pi[i] += byScale * flow
		}
	}
	return pi, s
}

// table sets the 16 weights of a branch.
func (p *matrix) table(dst []semiring.ScaledFloat) {
	for i := range bases {
		for j := range bases {
			dst[bases*i+j] = semiring.NewScaled(p[i][j])
		}
	}
}

// Shapes of a gamma distribution that its classes can be computed for.
const (
	leastShape    = .005
	greatestShape = 1e4
)

// gammaRates sets rate to the means of len(rate) classes of equal probability of the gamma
// distribution with the given shape and mean 1 (Yang 1994).
func gammaRates(rate []float64, shape float64) error {
	if err := checkShape(shape); err != nil {
		return err
	}
	gammaMeans(rate, shape)
	return nil
}

func checkShape(shape float64) error {
	if !(shape >= leastShape && shape <= greatestShape) {
		return fmt.Errorf("shape %g of a gamma distribution, want one in [%g, %g]", shape, leastShape, greatestShape)
	}
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
