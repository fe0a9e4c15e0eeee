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
	of       [][]W // by table
	ring     semiring.Semiring[W]
	products *weights.Products[W]
	sum      W // scratch of addBefore and addAfter

	// Capabilities, some of them not before they have been asked for.
	mass    *weights.Mass[W]
	numbers weights.Numbers[W]
	order   semiring.Ordered[W]
	dist    func(a, b W) float64
	closed  semiring.Closed[W]
}

func newTables[W any](g *Graph[W]) *tables[W] {
	ring := g.Ring
	zero := ring.Zero()
	return &tables[W]{
		of:   append(make([][]W, 0, 8), nil, g.Weight, []W{zero, ring.One(), zero, zero, zero}),
		ring: ring, products: g.Products,
		mass: weights.MassOf(ring), numbers: g.Numbers(),
	}
}

// problemOf returns what the algorithms need to know of a graph whose weights are in t.
func problemOf[W any](t *tables[W], g *Graph[W]) *problem {
	p := &problem{places: t, topology: g.Topology, plans: g.Plans, interrupted: g.Interrupted}
	if m := t.mass; m != nil {
		p.adds, p.numeric, p.exact = true, m.Weight != nil, m.Exact
	}
	return p
}

func (t *tables[W]) newTable(n int) table {
	t.of = append(t.of, make([]W, n))
	return table(len(t.of) - 1)
}

func (t *tables[W]) resize(p table, n int) { t.of[p] = rows.Resized(t.of[p], n) }

func (t *tables[W]) at(p place) *W { return &t.of[p.table][p.at] }

func (t *tables[W]) set(dst, src place)      { *t.at(dst) = *t.at(src) }
func (t *tables[W]) plus(dst, a, b place)    { *t.at(dst) = t.ring.Plus(*t.at(a), *t.at(b)) }
func (t *tables[W]) times(dst, a, b place)   { *t.at(dst) = t.ring.Times(*t.at(a), *t.at(b)) }
func (t *tables[W]) isZero(a place) bool     { return t.ring.IsZero(*t.at(a)) }
func (t *tables[W]) text(a place) string     { return fmt.Sprint(*t.at(a)) }
func (t *tables[W]) laws() semiring.Laws     { return semiring.LawsOf(t.ring) }
func (t *tables[W]) requireBothSides() error { return semiring.RequireSide(t.ring, semiring.BothSides) }

func (t *tables[W]) pull(dst place, s int32, from *rows.Adjacency) {
	t.products.Pull(t.at(dst), t.of[arcs], t.of[sums], s, *from)
}

func (t *tables[W]) addBefore(s int32, f table, begin int32, col []int32) {
	t.sum = *new(W) // its storage is now that of a sum
	t.products.Before(&t.sum, t.of[f][begin:int(begin)+len(col)], nil, t.of[sums], col)
	x := &t.of[sums][s]
	*x = t.ring.Plus(*x, t.sum)
}

func (t *tables[W]) addAfter(s int32, f table, k, col []int32) {
	t.sum = *new(W)
	t.products.After(&t.sum, t.of[f], k, t.of[sums], col)
	x := &t.of[sums][s]
	*x = t.ring.Plus(*x, t.sum)
}

func (t *tables[W]) addRow(work table, col []int32, a place, u table, begin int32) {
	w, y, v := t.of[work], *t.at(a), t.of[u][begin:]
	for n, c := range col {
		w[c] = t.ring.Plus(w[c], t.ring.Times(y, v[n]))
	}
}

func (t *tables[W]) move(dst table, begin int32, work table, col []int32) {
	w, to, zero := t.of[work], t.of[dst][begin:], *t.at(zero)
	for n, c := range col {
		to[n], w[c] = w[c], zero
	}
}

func (t *tables[W]) isOrdered() (ok bool) {
	t.order, ok = semiring.As[semiring.Ordered[W]](t.ring)
	return ok
}

func (t *tables[W]) compare(a, b place) int { return t.order.Compare(*t.at(a), *t.at(b)) }

func (t *tables[W]) improve(to, from, arc int32, side side) bool {
	w, x := t.of[arcs][arc], t.of[sums]
	if t.ring.IsZero(w) {
		return false
	}
	label := t.extended(x[from], w, side)
	if t.order.Compare(label, x[to]) >= 0 {
		return false
	}
	x[to] = label
	return true
}

// extended returns x extended by an arc of weight w.
func (t *tables[W]) extended(x, w W, side side) W {
	if side == before {
		x, w = w, x
	}
	return t.ring.Times(x, w)
}

func (t *tables[W]) isMeasured() bool {
	t.dist = DistanceOf(t.ring)
	return t.dist != nil
}

func (t *tables[W]) distance(a, b place) float64 { return t.dist(*t.at(a), *t.at(b)) }

func (t *tables[W]) send(residual table, to, arc int32, side side) bool {
	w, x := t.of[arcs][arc], &t.of[sums][to]
	if t.ring.IsZero(w) {
		return false
	}
	label := t.extended(*t.at(spares[0]), w, side)
	sum := t.ring.Plus(*x, label)
	if t.dist(sum, *x) == 0 {
		return false
	}
	rest := &t.of[residual][to]
	*x, *rest = sum, t.ring.Plus(*rest, label)
	return true
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

func (t *tables[W]) number(a place) semiring.ScaledFloat { return t.mass.Of(*t.at(a)) }

func (t *tables[W]) setNumber(dst place, x semiring.ScaledFloat) { *t.at(dst) = t.mass.Weight(x) }

func (t *tables[W]) readArcs(dst []float64, begin int32, arc []int32) {
	w := t.of[arcs]
	if arc == nil {
		w = w[begin : int(begin)+len(dst)]
	}
	t.numbers.Read(dst, w, arc)
}

func (t *tables[W]) readSums(unit semiring.ScaledFloat, dst []float64, s []int32, product []float64, arc, from []int32) {
	u, x := t.mass.Weight(unit), t.of[sums]
	t.numbers.Kernel.Marginals(dst, u, x, s, t.numbers.All(len(dst)), nil)
	if len(arc) > 0 {
		t.numbers.Kernel.Marginals(product, u, t.of[arcs], arc, x, from)
	}
}
