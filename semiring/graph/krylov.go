package graph

import "math"

// krylov solves systems of linear equations by BiCGSTAB (van der Vorst 1992),
// preconditioned on the left by Gauss and Seidel: with A = L + U, L below the
// diagonal, it solves (I − G)·e = r for G = (I − L)⁻¹·U. A product with G is one
// pass over A, no more than one with A, and there are about half as many.
type krylov struct {
	m      *system
	sweeps int // that may yet be made
	// r is the residual, t and v are products with I − G, p is the direction
	// of search; weight is that of the inner product, and shadow the shadow
	// residual times it.
	r, p, t, v, weight, shadow []float64
}

func newKrylov(m *system, sweeps int) *krylov {
	n := m.len()
	store := make([]float64, 6*n)
	part := func(i int) []float64 { return store[i*n : (i+1)*n] }
	return &krylov{m, sweeps, part(0), part(1), part(2), part(3), part(4), part(5)}
}

// settle makes sweeps from x = 0 until every part of x has about the size that it will
// have: none grows much any more. What b reaches by many arcs of little weight takes
// more of them. x is then from paths of few arcs.
func (k *krylov) settle(x, b []float64) {
	const much = 16
	for growing := true; growing && k.sweeps > 0 && k.m.interrupted() == nil; k.sweeps-- {
		growing = false
		copy(k.t, x)
		k.m.sweep(x, b)
		for i, y := range k.t {
			if math.Abs(x[i]) > much*math.Abs(y) {
				growing = true
				break
			}
		}
	}
}

// solve adds to x an approximate solution e of (I − G)·e = k.r. Errors count in
// proportion to size. It stops when their norm has shrunk to goal, when k.sweeps is
// used up, or where the method breaks down. All vectors of k are overwritten.
func (k *krylov) solve(x, size []float64, goal float64) {
	r, p, t, v, weight, shadow := k.r, k.p, k.t, k.v, k.weight, k.shadow
	norm := 0.0
	for i, s := range size {
		p[i], v[i], weight[i], shadow[i] = 0, 0, 0, 0
		if s != 0 {
			weight[i] = 1 / s / s
			shadow[i] = weight[i] * r[i]
			norm += shadow[i] * r[i]
		}
	}
	enough := norm * goal * goal
	k.sweeps -= 3 // what else a round takes
	rho, alpha, omega, next := 1.0, 1.0, 1.0, norm
	for ; k.sweeps > 0 && norm > enough && k.m.interrupted() == nil; k.sweeps -= 2 {
		beta := next / rho * (alpha / omega)
		rho = next
		for i := range p {
			p[i] = r[i] + beta*(p[i]-omega*v[i])
		}
		alpha = rho / k.times(v, p)
		if alpha-alpha != 0 {
			return
		}
		for i := range r {
			r[i] -= alpha * v[i]
		}
		copy(t, r)
		k.m.relax(t)
		tr, tt := 0.0, 0.0
		for i, y := range t {
			y = r[i] - y
			t[i] = y
			y *= weight[i]
			tr += y * r[i]
			tt += y * t[i]
		}
		omega = tr / tt
		if omega-omega != 0 {
			omega = 0 // r is 0
		}
		norm, next = 0, 0
		for i := range x {
			x[i] += alpha*p[i] + omega*r[i]
			y := r[i] - omega*t[i]
			r[i] = y
			norm += weight[i] * y * y
			next += shadow[i] * y
		}
		if omega == 0 {
			return
		}
	}
}

// times sets y to (I − G)·x and returns its product with the shadow residual.
func (k *krylov) times(y, x []float64) float64 {
	copy(y, x)
	k.m.relax(y)
	sum := 0.0
	for i, z := range y {
		y[i] = x[i] - z
		sum += y[i] * k.shadow[i]
	}
	return sum
}
