package graph

import "math"

// system is the matrix of the linear equations x = A·x + b of a component in
// float64: row i of A is a[n] in column col[n] for n = row[i], …, row[i+1]−1. The
// diagonal is gone: where a state has self-loops of mass d, the rest of its row and
// its b are divided by pivot = 1 − d.
type system struct {
	row, col []int32
	a        []float64
	pivot    []float64
	// slack is four times a bound on the relative error that rounding, of the
	// data and of what is done with them here, brings into a row of A·x.
	slack  []float64
	signed bool // some a, or a self-loop, is negative
	// interrupted returns an error once sweeping is to end, with whatever it came to.
	interrupted func() error
}

func (m *system) len() int { return len(m.pivot) }

// sweep replaces x by one pass of Gauss and Seidel: row by row, with the newest x,
// x[i] = Σ a·x + b[i].
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

// residual sets size to |A|·|x| + |b| and returns the greatest |A·x + b − x| in
// proportion to it, NaN if anything is not finite, and how many of them are above
// goodResidual.
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
	// goodResidual is the residual aimed at, a few roundings.
	goodResidual = 16 * rounding
	// fairResidual is what a solution must have.
	fairResidual = 1e-12
)

// solve returns the solution of x = A·x + b, the size of its parts (see residual) and
// its residual, which is large if so many sweeps do not suffice, and how many sweeps are
// left. The spectral radius of |A| must be below 1.
//
// A Krylov method makes errors small in proportion to the largest part of x. What
// is left of them is removed by repeating it with each part measured by its own
// size, so that the small parts become as accurate as the large ones, some digits
// farther down each time.
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

// sweepOut solves x = A·x + b by most sweeps alone, slowly and surely. It returns the
// residual when that is good, or when a thousand sweeps did not halve it.
func (m *system) sweepOut(size, x, b []float64, most int) float64 {
	const check = 50
	clear(x)
	last := math.Inf(1)
	for n := check; ; n += check {
		for range check {
			m.sweep(x, b)
		}
		residual, above := m.residual(size, x, b)
		if above == 0 || n >= most || m.interrupted() != nil {
			return residual
		}
		if n%1000 == 0 {
			if !(residual < last/2) {
				return residual
			}
			last = residual
		}
	}
}
