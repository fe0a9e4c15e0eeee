package agree_test

import (
	"math"
	"slices"
)

// The definitions of the algorithms, computed by listing all structures.

// oracle returns the objective, without priors, and the counts of an E step.
func (e *space) oracle(algorithm string, theta []float64) (objective float64, counts []float64) {
	counts = make([]float64, len(theta))
	add := func(params []int, amount float64) {
		for _, p := range params {
			counts[p] += amount
		}
	}
	all := func(x, z int) (list []int) { // the parameters of all shared potentials
		for m := range e.submodels() {
			list = append(list, e.shared(m, x, z)...)
		}
		return list
	}
	n := float64(e.submodels())
	for x, weight := range e.weight {
		if algorithm == "exact" {
			ln, q := e.posterior(theta, e.common, 1, func(z int) []int {
				list := all(x, z)
				for m := range e.submodels() {
					list = append(list, e.private[m][z]...)
				}
				return list
			})
			objective += weight * ln
			for z := range q {
				add(all(x, z), weight*q[z])
				for m := range e.submodels() {
					add(e.private[m][z], weight*q[z])
				}
			}
			continue
		}
		mu := make([][]float64, e.submodels())
		for m := range e.submodels() {
			domain := func(z int) bool { return e.domain[m][z] }
			beta, share := 1.0, 1.0
			potentials := func(z int) []int { return append(e.shared(m, x, z), e.private[m][z]...) }
			switch algorithm {
			case "domain":
				share = 1 / n
				potentials = func(z int) []int { return append(all(x, z), e.private[m][z]...) }
			case "parameter", "average":
				domain, beta, share = e.common, n, 1/n
			}
			ln, q := e.posterior(theta, domain, beta, potentials)
			objective += weight * share * ln
			mu[m] = make([]float64, len(e.feature[0]))
			for z := range q {
				for i, k := range e.feature[z] {
					mu[m][i] += q[z] * float64(k)
				}
				switch algorithm {
				case "average", "product":
					add(e.private[m][z], weight*q[z])
				default:
					add(potentials(z), weight*share*beta*q[z])
				}
			}
		}
		if algorithm != "average" && algorithm != "product" {
			continue
		}
		for i := range e.feature[0] {
			sum, product := 0.0, 1.0
			for m := range mu {
				sum += mu[m][i]
				product *= mu[m][i]
			}
			for m := range mu {
				if algorithm == "average" {
					add(e.use[m][x][i], weight*sum/n)
				} else {
					add(e.use[m][x][i], weight*product)
				}
			}
		}
	}
	return objective, counts
}

// posterior returns ln Σ p^beta over the structures of a domain, where p is the product of
// parameters, and each structure's share of the sum.
func (e *space) posterior(theta []float64, domain func(z int) bool, beta float64, params func(z int) []int) (float64, []float64) {
	q, total := make([]float64, len(e.feature)), 0.0
	for z := range q {
		if domain(z) {
			q[z] = 1
			for _, p := range params(z) {
				q[z] *= math.Pow(theta[p], beta)
			}
			total += q[z]
		}
	}
	if e.best {
		total = slices.Max(q)
	}
	for z := range q {
		q[z] /= total
	}
	return math.Log(total), q
}
