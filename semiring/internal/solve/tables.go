package solve

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// tables are places for weights of one type. All that is here is compiled anew in every
// package for every type of weights: what need not be here, should not.
type tables[W any] struct {
	of        [][]W // by table
	first     [8][]W
	constants [2]W
	ring      semiring.Semiring[W]
	products  *weights.Products[W]
	sum       W // scratch of addBefore and addAfter

	// Capabilities, some of them not before they have been asked for.
	mass    *weights.Mass[W]
	numbers weights.Numbers[W]
	order   semiring.Ordered[W]
	dist    func(a, b W) float64
	closed  semiring.Closed[W]
}

// initTables fills in t for a graph, and returns what the algorithms need to know of it.
func initTables[W any](t *tables[W], g *Graph[W]) problem {
	t.ring, t.products, t.mass, t.numbers = g.Products.Ring, g.Products, weights.MassOf(g.Products.Ring), weights.NumbersOf(g.Products)
	t.constants = [...]W{t.ring.Zero(), t.ring.One()}
	t.of = append(t.first[:0], nil, g.Weight, t.constants[:])
	p := problem{places: t, topology: g.Topology, plans: g.Plans, interrupted: g.Interrupted}
	if m := t.mass; m != nil {
		p.adds, p.numeric, p.exact = true, m.Weight != nil, m.Exact
	}
	return p
}

func (t *tables[W]) newTable(n int) table {
	t.of = append(t.of, make([]W, n))
	return table(len(t.of) - 1)
}

func (t *tables[W]) at(p place) *W { return &t.of[p.table][p.at] }

func (t *tables[W]) set(dst, src place)      { *t.at(dst) = *t.at(src) }
func (t *tables[W]) times(dst, a, b place)   { *t.at(dst) = t.ring.Times(*t.at(a), *t.at(b)) }
func (t *tables[W]) isZero(a place) bool     { return t.ring.IsZero(*t.at(a)) }
func (t *tables[W]) text(a place) string     { return fmt.Sprint(*t.at(a)) }
func (t *tables[W]) laws() semiring.Laws     { return semiring.LawsOf(t.ring) }
func (t *tables[W]) requireBothSides() error { return semiring.RequireSide(t.ring, semiring.BothSides) }

func (t *tables[W]) pull(dst place, s int32, from *rows.Adjacency) {
	weights.Pull(t.products, t.at(dst), t.of[arcs], t.of[sums], s, *from)
}

func (t *tables[W]) move(dst table, begin int32, src table, at []int32) {
	x, to, zero := t.of[src], t.of[dst][begin:], *t.at(zero)
	for n, i := range at {
		to[n], x[i] = x[i], zero
	}
}

func (t *tables[W]) restore(states []int32, src table) {
	x, y := t.of[sums], t.of[src]
	for n, s := range states {
		x[s] = y[n]
	}
}

func (t *tables[W]) addArcs(row table, s int32, in *inside) {
	work := t.of[row]
	for e := in.row[s]; e < in.row[s+1]; e++ {
		if r := in.position[in.to[e]]; in.lo <= r && r < in.hi {
			w := t.of[arcs][e]
			if in.absent(s, e) {
				w = *t.at(zero)
			}
			work[r] = t.ring.Plus(work[r], w)
		}
	}
}

func (t *tables[W]) reduce(f *factors, row table, n, r int32, at []int32, begin int32) bool {
	work, upper, zero := t.of[row], t.of[f.upper][begin:], *t.at(zero)
	x := work[r]
	work[r] = zero
	ok := !t.ring.IsZero(x)
	if ok {
		x = t.ring.Times(x, t.of[f.star][r])
		for m, c := range at {
			work[c] = t.ring.Plus(work[c], t.ring.Times(x, upper[m]))
		}
	} else {
		x = zero
	}
	t.of[f.lower][n] = x
	return ok
}

func (t *tables[W]) addBefore(s int32, f table, begin int32, col []int32) {
	t.sum = *new(W) // its storage is now that of a sum
	weights.Before(t.products, &t.sum, t.of[f][begin:int(begin)+len(col)], nil, t.of[sums], col)
	addSum(t, s)
}

func (t *tables[W]) addAfter(s int32, f table, k, col []int32) {
	t.sum = *new(W)
	weights.After(t.products, &t.sum, t.of[f], k, t.of[sums], col)
	addSum(t, s)
}

// addSum adds t.sum to the sum of s.
func addSum[W any](t *tables[W], s int32) {
	x := &t.of[sums][s]
	*x = t.ring.Plus(*x, t.sum)
}

func (t *tables[W]) isOrdered() (ok bool) {
	t.order, ok = semiring.As[semiring.Ordered[W]](t.ring)
	return ok
}

func (t *tables[W]) precedes() func(a, b rows.Entry[struct{}]) bool {
	return func(a, b rows.Entry[struct{}]) bool {
		x := t.of[sums]
		c := t.order.Compare(x[a.Item], x[b.Item])
		return c < 0 || c == 0 && a.Item < b.Item
	}
}

func (t *tables[W]) improves(s int32, d *spread) bool {
	one := *t.at(one)
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		if d.component[d.Other[n]] == d.component[s] && t.order.Compare(one, t.of[arcs][d.ArcAt(n)]) > 0 {
			return true
		}
	}
	return false
}

func (t *tables[W]) improve(s int32, d *spread, better func(s, to, arc int32)) {
	x := t.of[sums]
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		to, arc := d.Other[n], d.ArcAt(n)
		if !d.leads(s, to) {
			continue
		}
		label, ok := extended(t, x[s], arc, d.before)
		if ok && t.order.Compare(label, x[to]) < 0 {
			x[to] = label
			better(s, to, arc)
		}
	}
}

// extended returns x extended by an arc, false if that weighs Zero.
func extended[W any](t *tables[W], x W, arc int32, before bool) (W, bool) {
	w := t.of[arcs][arc]
	if t.ring.IsZero(w) {
		return w, false
	}
	if before {
		x, w = w, x
	}
	return t.ring.Times(x, w), true
}

func (t *tables[W]) isMeasured() bool {
	t.dist = DistanceOf(t.ring)
	return t.dist != nil
}

func (t *tables[W]) send(s int32, residual table, d *spread, more func(to int32)) {
	x, rest := t.of[sums], t.of[residual]
	sent := rest[s]
	rest[s] = *t.at(zero)
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		to := d.Other[n]
		if !d.leads(s, to) {
			continue
		}
		label, ok := extended(t, sent, d.ArcAt(n), d.before)
		if !ok {
			continue
		}
		if sum := t.ring.Plus(x[to], label); t.dist(sum, x[to]) != 0 {
			x[to], rest[to] = sum, t.ring.Plus(rest[to], label)
			more(to)
		}
	}
}

func (t *tables[W]) requireClosed() (err error) {
	t.closed, err = semiring.RequireClosed(t.ring)
	return err
}

func (t *tables[W]) star(dst, a place) bool {
	star, ok := t.closed.Star(*t.at(a))
	if ok {
		*t.at(dst) = star
	}
	return ok
}

func (t *tables[W]) double(dst, a place) (last float64, ok bool) {
	star, last, ok := doubled(t.ring, t.dist, *t.at(a))
	if ok {
		*t.at(dst) = star
	}
	return last, ok
}

func (t *tables[W]) number(a place) semiring.ScaledFloat { return t.mass.Of(*t.at(a)) }

func (t *tables[W]) setNumber(dst place, x semiring.ScaledFloat) { *t.at(dst) = t.mass.Weight(x) }

func (t *tables[W]) setNumbers(dst table, begin int32, at []int32, x []float64, unit semiring.ScaledFloat) {
	w := t.of[dst]
	for n, y := range x {
		i := begin + int32(n)
		if at != nil {
			i = at[n]
		}
		w[i] = t.mass.Weight(semiring.NewScaled(y).Mul(unit))
	}
}

func (t *tables[W]) readArcs(dst []float64, begin int32, arc []int32) {
	w := t.of[arcs]
	if arc == nil {
		w = w[begin : int(begin)+len(dst)]
	}
	weights.Read(&t.numbers, dst, w, arc)
}

func (t *tables[W]) readSums(dst []float64, s []int32, product []float64, arc, from []int32) (exp int64) {
	x := t.of[sums]
search:
	for _, states := range [...][]int32{from, s} {
		for _, s := range states {
			if !t.ring.IsZero(x[s]) {
				exp = t.mass.Of(x[s]).Exp
				break search
			}
		}
	}
	unit := t.mass.Weight(semiring.ScaledFloat{Mant: 1, Exp: -exp})
	t.numbers.Kernel.Marginals(dst, unit, x, s, weights.Ones(&t.numbers, len(dst)), nil)
	if len(arc) > 0 {
		t.numbers.Kernel.Marginals(product, unit, t.of[arcs], arc, x, from)
	}
	return exp
}
