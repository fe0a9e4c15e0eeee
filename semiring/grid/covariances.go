package grid

// add adds the posteriors and the covariances of the segment at hand, given α and β; also
// those of the last row of all. The covariance of V and an arc is the slope of its
// posterior, p·(v − E[V]) and what the slopes of α and β make of p.
func (d *slopes) add(alpha, beta []float64) {
	p, unit := d.pair, d.s.floats.unit
	if p.lo == 0 {
		d.addEnds(d.sum.Initial, d.change.Initial, d.v.Initial, d.initialNumber, d.started, alpha, beta, nil, d.slope[1].rows, unit[0])
	}
	for i := p.lo; i < p.hi; i++ {
		if p.single != nil {
			d.addSingle(i, alpha, beta)
		} else {
			d.addRow(i, alpha, beta)
		}
	}
	if p.hi < p.n {
		return
	}
	a, b := rowOf(p, alpha, p.n), rowOf(p, beta, p.n)
	da, db := d.slope[0].row(p, p.n), d.slope[1].row(p, p.n)
	for j, r := range p.insert {
		d.addArcs(r, span{cellOf(p, a, j), cellOf(p, da, j)}, span{cellOf(p, b, j+1), cellOf(p, db, j+1)}, d.inserted[j], unit[p.n])
	}
	d.addEnds(d.sum.Final, d.change.Final, d.v.Final, d.finalNumber, d.ended,
		cellOf(p, a, p.m), cellOf(p, b, p.m), cellOf(p, da, p.m), nil, unit[p.n])
}

// span is numbers of a cell and their slopes.
type span struct{ number, slope []float64 }

// addEnds adds what concerns how paths start, or end, at the states of a cell with α and β,
// given the slopes of that of the two which it is not made of.
func (d *slopes) addEnds(count, change, v, weight []float64, taken float64, alpha, beta, slopeA, slopeB []float64, unit float64) {
	for q, w := range weight {
		if w == 0 {
			continue
		}
		p := alpha[q] * unit * beta[q]
		count[q] += p
		y := p * (v[q] - taken - d.mean)
		if slopeA != nil {
			y += slopeA[q] * unit * beta[q]
		} else {
			y += alpha[q] * unit * slopeB[q]
		}
		change[q] += y
	}
}

// addRow adds what concerns the arcs in row i and from it to the next.
func (d *slopes) addRow(i int, alpha, beta []float64) {
	p, f := d.pair, &d.s.floats
	a, b, below := rowOf(p, alpha, i), rowOf(p, beta, i), rowOf(p, beta, i+1)
	da, db, dbelow := d.slope[0].row(p, i), d.slope[1].row(p, i), d.slope[1].row(p, i+1)
	both := p.both(i)
	for j := range p.m + 1 {
		here := span{cellOf(p, a, j), cellOf(p, da, j)}
		d.addArcs(p.remove[i], here, span{cellOf(p, below, j), cellOf(p, dbelow, j)}, d.removed[i], f.step[i])
		if j == p.m {
			break
		}
		d.addArcs(both[j], here, span{cellOf(p, below, j+1), cellOf(p, dbelow, j+1)}, d.removed[i]+d.inserted[j], f.step[i])
		d.addArcs(p.insert[j], here, span{cellOf(p, b, j+1), cellOf(p, db, j+1)}, d.inserted[j], f.unit[i])
	}
}

// addArcs adds what concerns the arcs of row r between two cells, with α and β.
func (d *slopes) addArcs(r int32, alpha, beta span, taken, unit float64) {
	taken += d.mean
	for k := d.start[r]; k < d.start[r+1]; k++ {
		arc, p, q, w := d.arc[k], d.Machine.from[k], d.to[k], d.number[k]
		a, b := alpha.number[p]*unit, w*beta.number[q]
		d.sum.Arc[arc] += a * b
		d.change.Arc[arc] += alpha.slope[p]*unit*b + a*(w*beta.slope[q]+(d.v.Arc[arc]-taken)*b)
	}
}

// addSingle is addRow for a machine with a table.
func (d *slopes) addSingle(i int, alpha, beta []float64) {
	p, f, t := d.pair, &d.s.floats, d.pair.single
	m, count, change, v := p.m, d.sum.Arc, d.change.Arc, d.v.Arc
	x := int(p.xs[i]) * p.rows.width
	w, arc := t.weight[x:][:p.rows.width], t.arc[x:][:p.rows.width]
	at := (i - p.lo) * p.width
	a, da := alpha[at:][:m+1], d.slope[0].rows[at:][:m+1]
	b, db := beta[at:][:2*p.width], d.slope[1].rows[at:][:2*p.width]
	below, dbelow := b[p.width:], db[p.width:]
	unit, step, removed := f.unit[i], f.step[i], d.removed[i]+d.mean
	counted, changed := 0.0, 0.0 // of the arc that only reads, divided by its weight
	for j, y := range p.ys {
		u, du := a[j]*step, da[j]*step
		counted += u * below[j]
		changed += du*below[j] + u*dbelow[j]
		k, z := arc[y], w[y]*below[j+1]
		count[k] += u * z
		change[k] += du*z + u*(w[y]*dbelow[j+1]+(v[k]-removed-d.inserted[j])*z)
		k, z = t.arc[y], t.weight[y]*b[j+1]
		u, du = a[j]*unit, da[j]*unit
		count[k] += u * z
		change[k] += du*z + u*(t.weight[y]*db[j+1]+(v[k]-d.inserted[j]-d.mean)*z)
	}
	u := a[m] * step
	counted += u * below[m]
	changed += da[m]*step*below[m] + u*dbelow[m]
	count[arc[0]] += counted * w[0]
	change[arc[0]] += (changed + counted*(v[arc[0]]-removed)) * w[0]
}

// aheadSingle is aheadRow for a machine with a table.
func (d *slopes) aheadSingle(row, before, here, above []float64, unit float64, i int) {
	p, t, v, removed := d.pair, d.pair.single, d.v.Arc, d.removed[i]
	x := int(p.xs[i]) * p.rows.width
	w, arc := t.weight[x:][:p.rows.width], t.arc[x:][:p.rows.width]
	vr := v[arc[0]] - removed
	z := (before[0] + above[0]*vr) * w[0]
	row[0] = z
	for j, y := range p.ys {
		vb, vi := v[arc[y]]-removed-d.inserted[j], v[t.arc[y]]-d.inserted[j]
		z = (before[j+1]+above[j+1]*vr)*w[0] + (before[j]+above[j]*vb)*w[y] + (z+here[j]*unit*vi)*t.weight[y]
		row[j+1] = z
	}
}

// backSingle is backRow for a machine with a table.
func (d *slopes) backSingle(row, after, here, below []float64, unit float64, i int) {
	p, t, v, removed := d.pair, d.pair.single, d.v.Arc, d.removed[i]
	x := int(p.xs[i]) * p.rows.width
	w, arc := t.weight[x:][:p.rows.width], t.arc[x:][:p.rows.width]
	vr := v[arc[0]] - removed
	z := (after[p.m] + below[p.m]*vr) * w[0]
	row[p.m] = z
	for j := p.m - 1; j >= 0; j-- {
		y := p.ys[j]
		vb, vi := v[arc[y]]-removed-d.inserted[j], v[t.arc[y]]-d.inserted[j]
		z = (after[j]+below[j]*vr)*w[0] + (after[j+1]+below[j+1]*vb)*w[y] + (z+here[j+1]*unit*vi)*t.weight[y]
		row[j] = z
	}
}
