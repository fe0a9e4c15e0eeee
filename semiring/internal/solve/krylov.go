package solve

import "math"

// system is the matrix of the linear equations x = A·x + b of a component in float64: row i of A
// is a[n] in column col[n] for n = row[i], …, row[i+1]−1. The diagonal has been eliminated: if a
// state has self-loops of mass d, the rest of its row and its b are divided by pivot = 1 − d.
type system struct {
	row, col []int32
	a        []float64
	pivot    []float64
	// slack is four times a bound on the relative error of a row of A·x due to rounding of the
	// data and of the computations here.
	slack  []float64
	signed bool // some a, or a self-loop, is negative
	// interrupted returns an error once sweeping is to end, with any intermediate result.
	interrupted func() error
}

func (m *system) len() int { return len(m.pivot) }

// sweep replaces x by one Gauss-Seidel pass: row by row, with the newest x, x[i] = Σ a·x + b[i].
func (m *system) sweep(x, b []float64) {
	begin := m.row[0]
	for i, end := range m.row[1:] {
		x[i] = b[i] + dot(m.a[begin:end], m.col[begin:end], x)
		begin = end
	}
}

// relax is sweep with b = 0.
func (m *system) relax(x []float64) {
	begin := m.row[0]
	for i, end := range m.row[1:] {
		x[i] = dot(m.a[begin:end], m.col[begin:end], x)
		begin = end
	}
}

// product sets y to A·x.
func (m *system) product(y, x []float64) {
	begin := m.row[0]
	for i, end := range m.row[1:] {
		y[i] = dot(m.a[begin:end], m.col[begin:end], x)
		begin = end
	}
}

// dot returns Σ a[n]·x[col[n]].
func dot(a []float64, col []int32, x []float64) float64 {
	sum := 0.0
	a = a[:len(col)]
	for n, j := range col {
		sum += a[n] * x[j]
	}
	return sum
}

// residual sets size to |A|·|x| + |b|. It returns the greatest |A·x + b − x| relative to size, or
// NaN if a number is not finite, and the number of states above goodResidual.
func (m *system) residual(size, x, b []float64) (worst float64, above int) {
	begin := m.row[0]
	for i, end := range m.row[1:] {
		sum, abs := b[i], math.Abs(b[i])
		a := m.a[begin:end]
		for n, j := range m.col[begin:end] {
			t := a[n] * x[j]
			sum += t
			abs += math.Abs(t)
		}
		size[i] = abs
		if r := math.Abs(sum - x[i]); !(r <= goodResidual*abs) {
			above++
			if r /= abs; !(r <= worst) {
				worst = r
			}
			if !(r <= math.MaxFloat64) {
				return math.NaN(), above
			}
		}
		begin = end
	}
	return worst, above
}

const (
	// goodResidual is the target residual, a few roundings.
	goodResidual = 16 * rounding
	// fairResidual is the greatest residual of an accepted solution.
	fairResidual = 1e-12
)

// solve returns the solution of x = A·x + b, the size of its parts (see residual), its residual,
// and the number of sweeps left. The residual is large if the sweeps did not suffice. The
// spectral radius of |A| must be below 1.
//
// A Krylov method makes errors small relative to the largest part of x. It is repeated with each
// part measured by its own size: small parts become as accurate as large ones, and each
// repetition reaches parts that are smaller by some digits.
func (m *system) solve(b []float64, sweeps int) (x, size []float64, residual float64, left int) {
	const (
		goal     = 1e-8 // of one round
		patience = 3    // rounds without success
	)
	x, size = make([]float64, len(b)), make([]float64, len(b))
	positive := !m.signed
	for _, y := range b {
		positive = positive && y >= 0
	}
	k := newKrylov(m, sweeps)
	best, fewest, failures := math.Inf(1), len(b)+1, 0
	k.settle(x, b)
	for {
		m.sweep(x, b)
		var above int
		residual, above = m.residual(size, x, b)
		if above == 0 {
			return x, size, residual, k.sweeps
		}
		failures++
		if residual < best/4 || above < fewest {
			best, fewest, failures = min(best, residual), min(fewest, above), 0
		}
		if failures == patience || m.interrupted() != nil || residual != residual || k.sweeps <= 0 {
			break
		}
		copy(k.r, x)
		m.sweep(k.r, b)
		for i, y := range x {
			k.r[i] -= y
		}
		k.solve(x, size, goal)
		if positive {
			for i, y := range x {
				x[i] = math.Abs(y)
			}
		}
	}
	return x, size, residual, k.sweeps
}

// krylov solves systems of linear equations by BiCGSTAB (van der Vorst 1992), preconditioned on
// the left by Gauss-Seidel: with A = L + U, L below the diagonal, it solves (I − G)·e = r for G =
// (I − L)⁻¹·U. A product with G takes one pass over A, like a product with A, and about half as
// many products are needed.
type krylov struct {
	m      *system
	sweeps int // the remaining number
	// r is the residual, t and v are products with I − G, p is the direction of search; weight
	// defines the inner product, and shadow is the shadow residual times weight.
	r, p, t, v, weight, shadow []float64
}

func newKrylov(m *system, sweeps int) *krylov {
	n := m.len()
	store := make([]float64, 6*n)
	part := func(i int) []float64 { return store[i*n : (i+1)*n] }
	return &krylov{m, sweeps, part(0), part(1), part(2), part(3), part(4), part(5)}
}

// settle makes sweeps from x = 0 until every part of x has about its final size, that is, until
// no part grows much any more. Parts that b reaches by many arcs of little weight take more
// sweeps. The result x covers only paths of few arcs.
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

// solve adds to x an approximate solution e of (I − G)·e = k.r. Errors count relative to size. It
// stops when their norm has shrunk to goal, when k.sweeps is used up, or when the method breaks
// down. It overwrites all vectors of k.
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
	k.sweeps -= 3 // the other costs of a round
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

// times sets y to (I − G)·x and returns the inner product of y and the shadow residual.
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
