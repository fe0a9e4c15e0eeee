package fst

// survey is the state of an expansion that visits the states of a composition twice. The first
// pass counts the arcs and numbers the states. The second pass writes the arcs into arrays of
// the right size.
type survey[W any] struct {
	pass pass
	arcs int      // counted or written so far
	into *arcs[W] // the arrays of the second pass

	// targets holds the numbers of states that the first pass found, in order. The second pass
	// reads them instead of searching again. If they are partial, it has to search after the
	// last one.
	targets []int32
	partial bool
	next    int // the next target of the second pass

	// list holds the arcs of the iterated sides at the states first … first+len(rows)−1 of the
	// composition. They are copied in advance, so that the processor waits for many of them at
	// the same time.
	first int32
	rows  []surveyRow
	list  []Arc[W]
}

// pass selects what becomes of the arcs of a composition.
type pass int8

const (
	making   pass = iota // they are appended to an array
	counting             // they are counted
	placing              // they are written into arrays of the right size
)

// surveyRow is the position of a state's arcs in survey.list.
type surveyRow struct {
	at    span
	fromA bool
}

// listed returns the arcs of the iterated side at state s, and whether this side is a. ok is
// false if the list does not contain them.
func (v *survey[W]) listed(s int32) (fromA bool, arcs []Arc[W], ok bool) {
	i := int(s) - int(v.first)
	if uint(i) >= uint(len(v.rows)) {
		return false, nil, false
	}
	r := &v.rows[i]
	return r.fromA, v.list[r.at.lo:r.at.hi], true
}

const (
	// list contains the arcs of at most listStates states. The state at which it exceeds
	// listArcs arcs is the last one.
	listStates = 32
	listArcs   = 1 << 10
	// fewTargets is the number of targets that the first pass keeps for any number of arcs. It
	// keeps one more for every four arcs.
	fewTargets = 1 << 14
)

// prepare lists the arcs of the states from s on, unless they are listed already. It does
// nothing if an operand is lazy.
func (c *Composition[W]) prepare(s int32) {
	v, a, b := &c.survey, c.a.frozen, c.b.frozen
	if int(s) < int(v.first)+len(v.rows) || a == nil || b == nil {
		return
	}
	v.first, v.rows, v.list = s, v.rows[:0], v.list[:0]
	rowA, rowB := a.labels.row, b.labels.row
	for end := min(int(s)+listStates, c.states.len()); int(s) < end; s++ {
		p, q := c.State(s)
		r := surveyRow{at: span{rowB[q], rowB[q+1]}}
		if c.iteratesA(p, q, anyLabel, anyLabel) {
			r.at, r.fromA = span{rowA[p], rowA[p+1]}, true
		}
		v.rows = append(v.rows, r)
	}
	for i := range v.rows {
		r, from, lo := &v.rows[i], b, len(v.list)
		if r.fromA {
			from = a
		}
		v.list = appendArcs(v.list, &from.arcs, r.at.lo, r.at.hi)
		r.at = span{int32(lo), int32(len(v.list))}
		if len(v.list) > listArcs {
			v.rows = v.rows[:i+1]
			break
		}
	}
}

// count numbers the states that the arcs of state s lead to, as generate does, and returns the
// number of arcs. States are counted in ascending order.
func (c *Composition[W]) count(s int32) int {
	v := &c.survey
	if v.pass == making {
		v.pass = counting
	}
	before := v.arcs
	c.prepare(s)
	c.generate(nil, s, Output, anyLabel)
	return v.arcs - before
}

// place writes the arcs of the counted states, which are the states from s on, to a from
// position n on. It appends the position of the first arc of each state to row.
func (c *Composition[W]) place(a *arcs[W], n int, s int32, row []int32) []int32 {
	v := &c.survey
	v.pass, v.arcs, v.into, v.rows = placing, n, a, v.rows[:0]
	for ; int(s) < c.states.len(); s++ {
		row = append(row, int32(v.arcs))
		c.prepare(s)
		c.generate(nil, s, Output, anyLabel)
	}
	return row
}

// endSurvey returns to arcs that are made on demand.
func (c *Composition[W]) endSurvey() {
	v := &c.survey
	*v = survey[W]{rows: v.rows[:0], list: v.list[:0]}
}

// take counts or places the moves along arc fixed of one side and each of the arcs list of the
// other side. ofA means that fixed is an arc of a. filter is the filter state after moves of b.
func (c *Composition[W]) take(fixed *Arc[W], list []Arc[W], ofA bool, filter int64) {
	v := &c.survey
	n := v.arcs
	v.arcs += len(list)
	if v.pass == counting {
		last := int32(-1)
		for i := range list {
			if list[i].To == last {
				continue
			}
			last = list[i].To
			to := c.target(fixed.To, last, ofA, filter)
			if v.partial = v.partial || len(v.targets) > fewTargets+v.arcs/4; !v.partial {
				v.targets = append(v.targets, to)
			}
		}
		return
	}
	a := arcs[W]{v.into.in[n:v.arcs], v.into.out[n:v.arcs], v.into.to[n:v.arcs], v.into.w[n:v.arcs]}
	last, to := int32(-1), int32(-1)
	for i := range a.to {
		if list[i].To != last {
			last = list[i].To
			if v.next < len(v.targets) {
				to = v.targets[v.next]
				v.next++
			} else {
				to = c.target(fixed.To, last, ofA, filter)
			}
		}
		a.to[i] = to
	}
	c.fill(&a, fixed, list, ofA)
}

// target returns the number of the state that a move along two arcs leads to, the fixed arc and
// an arc to state other.
func (c *Composition[W]) target(fixed, other int32, ofA bool, filter int64) int32 {
	p, pair := fixed, int64(other)<<c.shift|filter
	if !ofA {
		p, pair = other, int64(fixed)<<c.shift
	}
	to := c.states.at(p, pair)
	if to < 0 {
		to = c.states.number(p, pair)
	}
	return to
}

// fill sets the labels and weights of arcs to the moves along arc fixed of one side and each of
// the arcs list of the other side, as take does.
func (c *Composition[W]) fill(to *arcs[W], fixed *Arc[W], list []Arc[W], ofA bool) {
	unit, others := c.b.unit, c.a.unit // all weights of fixed's side, or of the other, are One
	if ofA {
		unit, others = others, unit
		for i := range to.in {
			to.in[i], to.out[i] = fixed.In, list[i].Out
		}
	} else {
		for i := range to.in {
			to.in[i], to.out[i] = list[i].In, fixed.Out
		}
	}
	switch w := to.w; {
	case unit || fixed == &c.still:
		for i := range w {
			w[i] = list[i].Weight
		}
	case others:
		for i := range w {
			w[i] = fixed.Weight
		}
	case ofA:
		for i := range w {
			w[i] = c.ring.Times(fixed.Weight, list[i].Weight)
		}
	default:
		for i := range w {
			w[i] = c.ring.Times(list[i].Weight, fixed.Weight)
		}
	}
}
