package em

// Dim returns the number of strengths.
func (l *LogLinear) Dim([]float64) int { return l.d }

// Coordinates sets x = w.
func (l *LogLinear) Coordinates(x, theta []float64) { copy(x, theta[:l.d]) }

// Theta sets w = x and what follows for the outcomes.
func (l *LogLinear) Theta(theta, x []float64) {
	copy(theta, x)
	l.Derive(theta)
}

// Gradient sets observed less predicted firings of each feature, Σₒ (countₒ −
// N·p(o))·times, N being the counts of o's set, plus the strength's own count and
// −w/σ².
func (l *LogLinear) Gradient(dx, theta, counts []float64) {
	copy(dx, counts[:l.d])
	for k, w := range theta[:l.d] {
		dx[k] -= w * l.precision()
	}
	c, p := counts[l.d:], theta[l.d:]
	for s, lo := range l.set[:len(l.set)-1] {
		hi := l.set[s+1]
		total := sum(c[lo:hi])
		for o := lo; o < hi; o++ {
			l.fire(dx, o, c[o]-total*p[o])
		}
	}
}

// fire adds to dx what it is for each strength that outcome o occurs n times.
func (l *LogLinear) fire(dx []float64, o int32, n float64) {
	for _, t := range l.terms[l.row[o]:l.row[o+1]] {
		dx[t.Strength] += n * t.Times
	}
}

// Tangent sets dx for strengths, and for outcomes what the terms add up to less its
// mean over the set.
func (l *LogLinear) Tangent(direction, theta, dx []float64) {
	copy(direction, dx)
	d, p := direction[l.d:], theta[l.d:]
	for o := range d {
		d[o] = l.along(o, dx)
	}
	for s, lo := range l.set[:len(l.set)-1] {
		set := d[lo:l.set[s+1]]
		mean := 0.0
		for i, x := range set {
			mean += p[int(lo)+i] * x
		}
		for i := range set {
			set[i] -= mean
		}
	}
}

// GradientTangent sets the change of Gradient.
func (l *LogLinear) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	direction := make([]float64, len(theta))
	l.Tangent(direction, theta, dx)
	copy(ddx, dcounts[:l.d])
	for k, v := range dx {
		ddx[k] -= v * l.precision()
	}
	c, dc, p, dlogp := counts[l.d:], dcounts[l.d:], theta[l.d:], direction[l.d:]
	for s, lo := range l.set[:len(l.set)-1] {
		hi := l.set[s+1]
		total, dtotal := sum(c[lo:hi]), sum(dc[lo:hi])
		for o := lo; o < hi; o++ {
			l.fire(ddx, o, dc[o]-p[o]*(dtotal+total*dlogp[o]))
		}
	}
}

// L1 sets 1/scale, 0 without a Laplace prior.
func (l *LogLinear) L1(weights, _ []float64) {
	for k := range weights {
		weights[k] = inverse(l.options.Scale)
	}
}
