package grid

import (
	"slices"

	"example.org/pathsum/semiring"
)

// enter makes sure that β of the segment at hand is.
func (t *tilting) enter() {
	if segment := t.lo / t.segment; t.at != segment {
		t.at = segment
		t.s.weight[1].backwardAgain(&t.s.exact, t.pair, segment)
	}
	t.prepare()
}

// betas returns β of row i and of the row after, nil after the last.
func (t *tilting) betas(i int) (beta [2][]semiring.ScaledFloat) {
	beta[0] = t.s.weight[1].row(t.pair, i)
	if i < t.n {
		beta[1] = t.s.weight[1].row(t.pair, i+1)
	}
	return beta
}

// first and ahead are not asked for: values ahead come from behind.
func (t *tilting) first([]float64) bool { panic("grid: no α of values") }
func (t *tilting) ahead([]float64) bool { panic("grid: no α of values") }

// last sets row to the value expected of what follows the nodes of row n.
func (t *tilting) last(row []float64) bool {
	t.backRow(row, nil, t.n)
	return true
}

// back sets rows to the values expected of what follows their nodes.
func (t *tilting) back(rows []float64) bool {
	for i := t.hi - 1; i >= t.lo; i-- {
		t.backRow(rowOf(t.pair, rows, i), rowOf(t.pair, rows, i+1), i)
	}
	return true
}

// backRow sets row to the value expected of what follows the nodes of row i, given that
// of the row after, and takes out of it what they have in common.
func (t *tilting) backRow(row, after []float64, i int) {
	t.enter()
	beta, ahead := t.betas(i), [2][]float64{row, after}
	clear(row)
	if i == t.n {
		for q, w := range t.final {
			if n := t.m*t.states + q; !beta[0][n].IsZero() {
				row[n] = w.Div(beta[0][n]).Float64() * of(t.v.Final, int32(q))
			}
		}
	}
	for j := t.m; j >= 0; j-- {
		t.leaving(i, j, func(k int32, from, down, to int) {
			if p := t.chance(k, beta[0][from], beta[down][to]); p != 0 {
				row[from] += p * (of(t.v.Arc, t.arc[k]) + ahead[down][to])
			}
		})
	}
	t.shift[i] = 0
	if first := slices.IndexFunc(beta[0], func(b semiring.ScaledFloat) bool { return !b.IsZero() }); first >= 0 {
		t.shift[i] = row[first]
	}
	for n := range row {
		row[n] -= t.shift[i]
	}
}

// chance returns the probability of arc k once a path is where it begins, given β there
// and where it ends.
func (t *tilting) chance(k int32, from, to semiring.ScaledFloat) float64 {
	if to.IsZero() || from.IsZero() {
		return 0
	}
	return t.Machine.weight[k].Mul(to).Div(from).Float64()
}

// push adds the posteriors and the covariances, row by row. flow is the probability of
// each node, and behind is flow times the surprises expected before it.
func (t *tilting) push() {
	clear(t.flow[0])
	clear(t.behind[0])
	for segment := range t.segments() {
		t.pair.enter(segment)
		t.enter()
		t.values.backwardAgain(t, t.pair, segment)
		if segment == 0 {
			t.start()
		}
		for i := t.lo; i < t.hi; i++ {
			t.pushRow(i)
		}
	}
	t.pushRow(t.n)
	t.end()
}

// start sets flow and behind where paths start.
func (t *tilting) start() {
	flow, behind := t.flow[0][:t.states], t.behind[0][:t.states]
	beta, ahead := t.s.weight[1].row(t.pair, 0), t.values.row(t.pair, 0)
	semiring.Scaled{}.Marginals(flow, semiring.NewScaled(1).Div(t.total), t.initial, nil, beta[:t.states], nil)
	mean := 0.0
	for q, p := range flow {
		behind[q] = of(t.v.Initial, int32(q)) + ahead[q]
		mean += p * behind[q]
	}
	for q, p := range flow {
		behind[q] = p * (behind[q] - mean)
		add(t.count.Initial, int32(q), t.weight*p)
		add(t.change.Initial, int32(q), t.weight*behind[q])
	}
}

// pushRow goes on from the nodes of row i.
func (t *tilting) pushRow(i int) {
	now := i & 1
	flow, behind := [2][]float64{t.flow[now], t.flow[1-now]}, [2][]float64{t.behind[now], t.behind[1-now]}
	clear(flow[1])
	clear(behind[1])
	beta, ahead := t.betas(i), [2][]float64{t.values.row(t.pair, i), nil}
	if i < t.n {
		ahead[1] = t.values.row(t.pair, i+1)
	}
	shift := [2]float64{0, t.shift[i]}
	for j := range t.m + 1 {
		t.leaving(i, j, func(k int32, from, down, to int) {
			p := flow[0][from]
			if p == 0 {
				return
			}
			past := behind[0][from] / p
			if p *= t.chance(k, beta[0][from], beta[down][to]); p == 0 {
				return
			}
			arc := t.arc[k]
			surprise := p * (past + (of(t.v.Arc, arc) + (ahead[down][to] - (ahead[0][from] + shift[down]))))
			add(t.count.Arc, arc, t.weight*p)
			add(t.change.Arc, arc, t.weight*surprise)
			flow[down][to] += p
			behind[down][to] += surprise
		})
	}
}

// end adds what concerns the ends of paths.
func (t *tilting) end() {
	last := t.m * t.states
	beta, ahead := t.s.weight[1].row(t.pair, t.n)[last:], t.values.row(t.pair, t.n)[last:]
	flow, behind := t.flow[t.n&1][last:], t.behind[t.n&1][last:]
	for q, p := range flow {
		if p == 0 {
			continue
		}
		past, q := behind[q]/p, int32(q)
		p *= t.final[q].Div(beta[q]).Float64()
		add(t.count.Final, q, t.weight*p)
		add(t.change.Final, q, t.weight*p*(past+(of(t.v.Final, q)-(ahead[q]+t.shift[t.n]))))
	}
}
