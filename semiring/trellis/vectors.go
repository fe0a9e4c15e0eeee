package trellis

import "math"

// arrive sets alpha and arrival to y·v, and returns the greatest absolute values of alpha
// and of v.
func arrive(alpha, arrival, y, v []float64) (top, factor float64) {
	alpha, arrival, y = alpha[:len(v)], arrival[:len(v)], y[:len(v)]
	var most, mostV uint64
	for i, w := range v {
		a := y[i] * w
		arrival[i], alpha[i] = a, a
		most, mostV = max(most, absBits(a)), max(mostV, absBits(w))
	}
	return math.Float64frombits(most), math.Float64frombits(mostV)
}

// arriveOrStay sets arrival to y·v, and alpha to that and what stays of before. It
// returns the greatest absolute values of alpha and of v.
func arriveOrStay(alpha, arrival, y, v []float64, stay float64, before []float64) (top, factor float64) {
	alpha, arrival, y, before = alpha[:len(v)], arrival[:len(v)], y[:len(v)], before[:len(v)]
	var most, mostV uint64
	for i, w := range v {
		a := y[i] * w
		arrival[i] = a
		a += stay * before[i]
		alpha[i] = a
		most, mostV = max(most, absBits(a)), max(mostV, absBits(w))
	}
	return math.Float64frombits(most), math.Float64frombits(mostV)
}

// leave sets p to the products of arrival, unit and beta, and z to those of v and beta.
func leave(p, z, arrival []float64, unit float64, v, beta []float64) {
	p, z, arrival, v = p[:len(beta)], z[:len(beta)], arrival[:len(beta)], v[:len(beta)]
	for i, b := range beta {
		p[i] = arrival[i] * unit * b
		z[i] = v[i] * b
	}
}

// posteriors sets p to the products of alpha, unit and beta.
func posteriors(p, alpha []float64, unit float64, beta []float64) {
	alpha, beta = alpha[:len(p)], beta[:len(p)]
	for i := range p {
		p[i] = alpha[i] * unit * beta[i]
	}
}

// back sets beta to y and returns the greatest absolute value.
func back(beta, y []float64) float64 {
	beta = beta[:len(y)]
	var most uint64
	for i, b := range y {
		beta[i] = b
		most = max(most, absBits(b))
	}
	return math.Float64frombits(most)
}

// backOrStay adds y to what stays of beta, and returns the greatest absolute value and
// the product of alpha and what beta was.
func backOrStay(beta, y []float64, stay float64, alpha []float64) (top, share float64) {
	y, alpha = y[:len(beta)], alpha[:len(beta)]
	var most uint64
	for i, b := range beta {
		share += alpha[i] * b
		b = y[i] + stay*b
		beta[i] = b
		most = max(most, absBits(b))
	}
	return math.Float64frombits(most), share
}
