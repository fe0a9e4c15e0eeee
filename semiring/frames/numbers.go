package frames

import "math"

// fast computes row t, positions lo, …, hi−1, by numbers. It returns false if they are
// inaccurate.
func (p *pass) fast(t, lo, hi int) bool {
	g, next, at := p.g, p.at(t+1), p.at(t)
	basis := int(p.basisOf[next])
	p.basisOf[at] = int32(basis)
	p.tiltTo(basis)
	if p.e.deep[t] && p.steep {
		return false
	}
	top := p.top[next]
	u := usualBits + 1022 - int64(top>>52)
	p.shift[at] = u - p.w.common
	p.leave(t, u)
	y := p.row(t)[lo:hi]
	w, x := p.ws[:0], p.xs[:0]
	for d, offset := range g.offsets {
		w = append(w, p.tilt[d*g.stride+g.margin+lo:])
		x = append(x, p.z[g.margin+lo+int(offset):])
	}
	p.ws, p.xs = w, x
	if p.best {
		assignMax(y, w, x)
	} else {
		assign(y, w, x)
	}
	if len(g.looseNode) > 0 {
		p.addLoose(y, lo, hi)
	}
	if len(g.epsilonTo) > 0 {
		p.addEpsilon(p.row(t), lo, hi)
	}
	const span = (highBits - lowBits) << 52
	top = 0
	for i, b := range y {
		bits := math.Float64bits(b)
		if bits-math.Float64bits(lowest) > span && (b != 0 || p.lost(t, lo+i, y, lo)) {
			return false
		}
		top = max(top, bits)
	}
	p.top[at] = top
	return true
}

// tiltTo computes the weights of steps in a basis.
func (p *pass) tiltTo(basis int) {
	if p.tilted == basis {
		return
	}
	p.tilted, p.steep = basis, false
	g, s := p.g, p.bases[basis]
	for d, offset := range g.offsets {
		first := d*g.stride + g.margin
		tilt := p.tilt[d*g.stride:][:g.stride]
		clear(tilt[:g.margin])
		clear(tilt[g.margin+g.states:])
		tilt = tilt[g.margin:]
		for from := range g.states {
			tilt[from] = 0
			if x := p.w.number[first+from]; x != 0 {
				n := p.w.power[first+from] - p.w.common + s[g.nodeTo[from+int(offset)]] - s[from]
				tilt[from] = tilted(x, n)
				p.steep = p.steep || n > steepBits
			}
		}
	}
	for from := range g.states {
		for i := g.looseRow[from]; i < g.looseRow[from+1]; i++ {
			slot := g.firstLoose + int(i)
			x, n := p.w.number[slot], p.w.power[slot]-p.w.common+s[g.nodeTo[g.looseNode[i]]]-s[from]
			p.tilt[slot] = tilted(x, n)
			p.steep = p.steep || n > steepBits && x != 0
		}
		for i := g.epsilonRow[from]; i < g.epsilonRow[from+1]; i++ {
			slot := g.firstEpsilon + int(i)
			p.tilt[slot] = tilted(p.w.number[slot], p.w.power[slot]+s[g.epsilonTo[i]]-s[from])
		}
	}
}

// tilted returns x·2^n, at most largestTilt, and 0 below 2⁻¹⁰⁰⁰.
func tilted(x float64, n int64) float64 {
	switch {
	case n < -1000 || x == 0:
		return 0
	case n > tiltBits:
		return largestTilt
	}
	return x * math.Float64frombits(uint64(1023+n)<<52)
}

// leave sets z to 2^u times emission times b, of the nodes that frame t leads to.
func (p *pass) leave(t int, u int64) {
	g, b := p.g, p.row(t+1)
	lo, hi := g.reach.band(t+1, p.e.frames)
	unit := math.Float64frombits(uint64(1023+u) << 52)
	z := p.nodes(lo, hi)
	first := int(g.nodeRow[lo])
	symbol := g.nodeSymbol[first:][:len(z)]
	emission := p.e.weight[t*g.symbols:][:g.symbols]
	if g.single && len(z) > 0 {
		b = b[g.nodeTo[first]:][:len(z)]
		for i := range z {
			z[i] = emission[symbol[i]] * (unit * b[i])
		}
		return
	}
	to := g.nodeTo[first:][:len(z)]
	for i := range z {
		z[i] = emission[symbol[i]] * (unit * b[to[i]])
	}
}

// nodes returns z of the nodes of positions lo, …, hi−1 and sets z of all other nodes to 0.
func (p *pass) nodes(lo, hi int) []float64 {
	m := p.g.margin
	zlo, zhi := m+int(p.g.nodeRow[lo]), m+int(p.g.nodeRow[hi])
	if p.zlo < zlo {
		clear(p.z[p.zlo:min(zlo, p.zhi)])
	}
	if p.zhi > zhi {
		clear(p.z[max(zhi, p.zlo):p.zhi])
	}
	p.zlo, p.zhi = zlo, zhi
	return p.z[zlo:zhi]
}

// addLoose adds to y, of positions lo, …, hi−1, the steps to nodes that are in no diagonal.
func (p *pass) addLoose(y []float64, lo, hi int) {
	g := p.g
	w, node, z := p.tilt[g.firstLoose:g.firstEpsilon], g.looseNode, p.z[g.margin:]
	at := g.looseRow[lo]
	for i, end := range g.looseRow[lo+1 : hi+1] {
		sum := y[i]
		if p.best {
			for ; at < end; at++ {
				sum = max(sum, w[at]*z[node[at]])
			}
		} else {
			for ; at < end; at++ {
				sum += float64(w[at] * z[node[at]])
			}
		}
		y[i] = sum
	}
}

// addEpsilon adds to a row, positions lo, …, hi−1, the steps to later positions of the row.
func (p *pass) addEpsilon(row []float64, lo, hi int) {
	g, w := p.g, p.tilt[p.g.firstEpsilon:]
	for q := hi - 1; q >= lo; q-- {
		for i := g.epsilonRow[q]; i < g.epsilonRow[q+1]; i++ {
			if to := int(g.epsilonTo[i]); to < hi && p.best {
				row[q] = max(row[q], w[i]*row[to])
			} else if to < hi {
				row[q] += float64(w[i] * row[to])
			}
		}
	}
}

// lost reports whether the number of position q of row t, which is 0, has a term ≠ 0. y has the
// numbers from position lo on.
func (p *pass) lost(t, q int, y []float64, lo int) bool {
	g := p.g
	for d, offset := range g.offsets {
		slot := d*g.stride + g.margin + q
		if p.w.number[slot] != 0 && p.leads(t, q+int(offset)) {
			return true
		}
	}
	for i := g.looseRow[q]; i < g.looseRow[q+1]; i++ {
		if p.w.number[g.firstLoose+int(i)] != 0 && p.leads(t, int(g.looseNode[i])) {
			return true
		}
	}
	for i := g.epsilonRow[q]; i < g.epsilonRow[q+1]; i++ {
		if to := int(g.epsilonTo[i]) - lo; to < len(y) && p.w.number[g.firstEpsilon+int(i)] != 0 && y[to] != 0 {
			return true
		}
	}
	return false
}

// leads reports whether emission times β of a node of frame t is not 0.
func (p *pass) leads(t, node int) bool {
	if !p.e.deep[t] || p.z[p.g.margin+node] != 0 {
		return p.z[p.g.margin+node] != 0
	}
	g := p.g
	lo, hi := g.reach.band(t+1, p.e.frames)
	to, v := int(g.nodeTo[node]), int(g.nodeSymbol[node])
	return lo <= to && to < hi && p.row(t + 1)[to] != 0 && !p.e.relative(t, v, p.e.weight[t*g.symbols+v]).IsZero()
}

// assign sets y to the sum of the products w·x, elementwise, of the first three pairs at most.
func assign(y []float64, w, x [][]float64) {
	switch len(w) {
	case 0:
		clear(y)
	case 1:
		assign1(y, w[0], x[0])
	case 2:
		assign2(y, w[0], x[0], w[1], x[1])
	default:
		assign3(y, w[0], x[0], w[1], x[1], w[2], x[2])
	}
	for i := 3; i < len(w); i++ {
		addProducts(y, w[i], x[i])
	}
}

func assign1(y, w, x []float64) {
	w, x = w[:len(y)], x[:len(y)]
	for i := range y {
		y[i] = w[i] * x[i]
	}
}

func assign2(y, w, x, v, z []float64) {
	w, x, v, z = w[:len(y)], x[:len(y)], v[:len(y)], z[:len(y)]
	for i := range y {
		y[i] = float64(w[i]*x[i]) + float64(v[i]*z[i])
	}
}

func assign3(y, w, x, v, z, u, s []float64) {
	w, x, v, z, u, s = w[:len(y)], x[:len(y)], v[:len(y)], z[:len(y)], u[:len(y)], s[:len(y)]
	for i := range y {
		y[i] = float64(w[i]*x[i]) + float64(v[i]*z[i]) + float64(u[i]*s[i])
	}
}

// addProducts adds w·x to y.
func addProducts(y, w, x []float64) {
	w, x = w[:len(y)], x[:len(y)]
	for i := range y {
		y[i] += float64(w[i] * x[i])
	}
}

// assignMax sets y to the greatest of the products w·x, elementwise.
func assignMax(y []float64, w, x [][]float64) {
	clear(y)
	for n := range w {
		w, x := w[n][:len(y)], x[n][:len(y)]
		for i := range y {
			y[i] = max(y[i], w[i]*x[i])
		}
	}
}
