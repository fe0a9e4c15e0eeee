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

// rates is a reversible rate matrix Q, of one expected substitution per unit of time, in
// its eigen-decomposition: exp(Qt) = right · diag(exp(value·t)) · left. Before it is
// scaled its entries are s_ij·π_j, with symmetric exchangeabilities s.
type rates struct {
	pi          [bases]float64
	q           matrix
	value       [bases]float64
	right, left matrix
}

// newRates returns the matrix of frequencies and exchangeabilities, all > 0.
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
	if !(scale > 0) || math.IsInf(scale, 1) {
		return nil, fmt.Errorf("%g substitutions per unit of time at frequencies %v and exchangeabilities %v", scale, pi, s)
	}
	// diag(√π) · Q · diag(1/√π) is symmetric.
	symmetric := mat.NewSymDense(bases, nil)
	for i := range bases {
		for j := range bases {
			r.q[i][j] /= scale
		}
		for j := range i {
			symmetric.SetSym(i, j, s[exchange[i][j]]*math.Sqrt(pi[i]*pi[j])/scale)
		}
		symmetric.SetSym(i, i, r.q[i][i])
	}
	var e mat.EigenSym
	if !e.Factorize(symmetric, true) {
		return nil, fmt.Errorf("no eigen-decomposition at frequencies %v and exchangeabilities %v", pi, s)
	}
	var u mat.Dense
	e.VectorsTo(&u)
	values := e.Values(nil)
	values[bases-1] = 0 // of the equilibrium: the greatest, which rounding would let drift
	for k := range bases {
		r.value[k] = values[k]
		for i := range bases {
			root := math.Sqrt(pi[i])
			r.right[i][k] = u.At(i, k) / root
			r.left[k][i] = u.At(i, k) * root
		}
	}
	return r, nil
}

// transition returns exp(Qt). Entries are exact to rounding of 1e-15·min(1, t); what
// would be below 0 by that is 0.
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

// add adds what the uses of the entries of exp(Qt) = p say, uses/p being the derivatives
// by p, and returns the derivative by t.
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
			between := t * grown
			if d := (r.value[l] - r.value[k]) * t; d != 0 {
				between *= math.Expm1(d) / d
			}
			g.inner[k][l] += by[k][l] * between
		}
	}
	return slope
}

// logs returns the derivatives by ln π and ln s, each number free of the others: Q is
// scaled whatever they sum to.
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
