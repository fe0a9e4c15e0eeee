package regression

import "math"

// Bound returns a bound of the R² that weights can have, on average over all directions of the
// best weights. Each of n people releases one record with a privacy loss of epsilon, by any
// mechanism, which may depend on all earlier records.
//
// Let the features, after decorrelation, be normal, the target have variance 1, and the best
// weights w be drawn from N(0, r2/width). The information of a person's data about w is the
// score S = x·(y − x·w)/(1−r2). The information of a record is E[S | record]; as all
// likelihoods of a record are within a factor of e^ε, its squared length is at most
//
//	J = max over t of ((e^ε−1)·E[S₁; S₁ > t] / (1 + (e^ε−1)·P(S₁ > t)))².
//
// So the records have a Fisher information of trace at most n·J, and at most the information of
// the people's data. By van Trees's inequality the expected loss of R² is at least width²/(n·J
// + width²/r2). (Barnes, Chen and Özgür 2020, "Fisher information under local differential
// privacy", also bound J.)
func Bound(n, width int, r2, epsilon float64) float64 {
	if !(r2 > 0 && r2 < 1) {
		return r2
	}
	d := float64(width)
	information := min(told(epsilon), d) / (1 - r2) * float64(n)
	return r2 - d*d/(information+d*d/r2)
}

// told returns J·(1 − r2), for S₁ a product of two independent normal variables.
func told(epsilon float64) float64 {
	most := 0.0
	grow := math.Expm1(epsilon)
	for t := 0.0; t < 30; t += .05 {
		// E[zr; zr > t] = 2·∫ z·φ(z)·φ(t/z) dz and P = 2·∫ φ(z)·Q(t/z) dz over z > 0.
		const step = .01
		mean, p := 0.0, 0.0
		for z := step / 2; z < 9; z += step {
			mean += 2 * step * z * normal(z) * normal(t/z)
			p += step * normal(z) * math.Erfc(t/z/math.Sqrt2)
		}
		x := mean / (1/grow + p)
		if x*x < most {
			break // it has one maximum
		}
		most = x * x
	}
	return most
}

func normal(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
