package fst

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Equal reports whether a and b are the same machine: states of the same numbers, the
// same starts and arcs in the same order, and the same symbols; weights within o.Delta
// count as equal. The ring must be a semiring.Metric; the error wraps
// semiring.ErrCapability, or ErrMismatch for different rings. O(states + arcs).
//
// See Isomorphic for machines with other numbers and another order, and Equivalent for
// others of the same relation.
func Equal[W any](a, b *FST[W], o *Options) (bool, error) {
	nonnil.Check("fst: Equal", "machine", a, "machine", b)
	if err := requireSameRing(a.ring, b.ring); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, fmt.Errorf("fst: equality: %w", err)
	}
	alike := func(x, y Start[W]) bool { return x.State == y.State && near(x.Weight, y.Weight) }
	return slices.EqualFunc(a.starts, b.starts, alike) &&
		slices.EqualFunc(a.final, b.final, near) &&
		slices.Equal(a.labels.row, b.labels.row) &&
		slices.Equal(a.arcs.in, b.arcs.in) &&
		slices.Equal(a.arcs.out, b.arcs.out) &&
		slices.Equal(a.arcs.to, b.arcs.to) &&
		slices.EqualFunc(a.arcs.w, b.arcs.w, near) &&
		a.inSymbols.Equal(b.inSymbols) && a.outSymbols.Equal(b.outSymbols), nil
}

// Equivalent reports whether a and b have the same relation. Both must be
// deterministic, and read no ε: acceptors, or transducers such as Determinize makes
// where they need no such arcs. The error wraps ErrNondeterministic, or ErrInvalid for
// an arc that reads ε, ErrMismatch for different rings or symbols, or is that of
// PushWeights.
//
// The ring must have what PushWeights needs, and be a semiring.Metric; weights within
// o.Delta count as equal after pushing; o.Limit does not matter. Pushing apart, it takes
// time near O(states + arcs), by uniting states that should be equivalent (J. E.
// Hopcroft and R. M. Karp, "A linear algorithm for testing equivalence of finite
// automata", 1971).
func Equivalent[W any](a, b *FST[W], o *Options) (bool, error) {
	nonnil.Check("fst: Equivalent", "machine", a, "machine", b)
	if _, _, err := alike([]Machine[W]{a, b}); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, fmt.Errorf("fst: equivalence: %w", err)
	}
	var pushed [2]*FST[gallic[W]]
	for i, f := range []*FST[W]{a, b} {
		if err := requireDeterministic("equivalence", f); err != nil {
			return false, err
		}
		if f.labels.measure(); f.labels.epsIn {
			return false, fmt.Errorf("fst: equivalence: %w: machine %d has arcs that read ε", ErrInvalid, i)
		}
		if f, err = PushWeights(f, TowardInitial); err != nil {
			return false, err
		}
		if pushed[i], err = pushedLabels(toGallic(f), TowardInitial); err != nil {
			return false, fmt.Errorf("fst: pushing labels: %w", err)
		}
	}
	u := union[gallic[W]]{a: pushed[0], b: pushed[1], same: func(x, y gallic[W]) bool {
		return x.First == y.First && near(x.Second, y.Second)
	}}
	return u.equal(), nil
}

// nearness returns a test for weights within o.Delta.
func nearness[W any](ring semiring.Semiring[W], o *Options) (func(x, y W) bool, error) {
	metric, err := semiring.Require[semiring.Metric[W]](ring)
	delta := o.resolved().Delta
	return func(x, y W) bool { return metric.Dist(x, y) <= delta }, err
}

// union unites the states of two machines that should be equivalent, both
// deterministic, trimmed and pushed.
type union[W any] struct {
	a, b   *FST[W]
	same   func(x, y W) bool
	parent []int32 // of a's states, then b's: a forest of united states
	open   [][2]int32
}

// equal reports whether no difference turns up.
func (u *union[W]) equal() bool {
	if len(u.a.starts) == 0 || len(u.b.starts) == 0 {
		return len(u.a.starts) == len(u.b.starts)
	}
	if !u.same(totalStart(u.a), totalStart(u.b)) {
		return false
	}
	u.parent = make([]int32, u.a.NumStates()+u.b.NumStates())
	for s := range u.parent {
		u.parent[s] = int32(s)
	}
	u.unite(u.a.starts[0].State, u.b.starts[0].State)
	for len(u.open) > 0 {
		pair := u.open[len(u.open)-1]
		u.open = u.open[:len(u.open)-1]
		if !u.step(pair[0], pair[1]) {
			return false
		}
	}
	return true
}

// totalStart returns the weight of all starts of f, which name one state.
func totalStart[W any](f *FST[W]) W {
	sum := f.ring.Zero()
	for _, s := range f.starts {
		sum = f.ring.Plus(sum, s.Weight)
	}
	return sum
}

// unite makes state p of a and state q of b one, and has them looked at if they were
// not.
func (u *union[W]) unite(p, q int32) {
	x, y := u.root(p), u.root(q+int32(u.a.NumStates()))
	if x != y {
		u.parent[x] = y
		u.open = append(u.open, [2]int32{p, q})
	}
}

func (u *union[W]) root(s int32) int32 {
	for u.parent[s] != s {
		u.parent[s] = u.parent[u.parent[s]]
		s = u.parent[s]
	}
	return s
}

// step unites what the arcs of state p of a and of state q of b lead to; it reports
// whether they are alike.
func (u *union[W]) step(p, q int32) bool {
	x, y := u.a.byIn(), u.b.byIn()
	xs := x.arcs[x.index.row[p]:x.index.row[p+1]]
	ys := y.arcs[y.index.row[q]:y.index.row[q+1]]
	if len(xs) != len(ys) || !u.same(u.a.final[p], u.b.final[q]) {
		return false
	}
	for i := range xs {
		if xs[i].In != ys[i].In || !u.same(xs[i].Weight, ys[i].Weight) {
			return false
		}
		u.unite(xs[i].To, ys[i].To)
	}
	return true
}

// RandomlyEquivalent reports whether a and b give n pairs of strings the same weight,
// drawn with random paths of a and of b in turn: true does not prove that the
// machines are equivalent, false proves that they are not. The machines may be
// nondeterministic, and have ε and cycles.
//
// The ring must be commutative, a semiring.Metric and have path sums; weights within
// o.Delta count as equal. The error wraps semiring.ErrCapability, ErrMismatch,
// semiring.ErrDiverges, or semiring.ErrLimit if the paths for one pair of strings are
// more than o.Limit states and arcs.
func RandomlyEquivalent[W any](a, b *FST[W], src rand.Source, n int, o *Options) (bool, error) {
	nonnil.Check("fst: RandomlyEquivalent", "machine", a, "machine", b, "source", src)
	if _, _, err := alike([]Machine[W]{a, b}); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, fmt.Errorf("fst: equivalence: %w", err)
	}
	var samplers []*Sampler[float64]
	for _, f := range []*FST[W]{a, b} {
		if g := Uniform(f); g.NumStates() > 0 {
			z, err := NewSampler(g)
			if err != nil {
				return false, err
			}
			samplers = append(samplers, z)
		}
	}
	for i := range n {
		if len(samplers) == 0 {
			return true, nil
		}
		p := samplers[i%len(samplers)].Sample(src)
		x, err := weightOf(a, p.In, p.Out, o.resolved().Limit)
		if err != nil {
			return false, err
		}
		y, err := weightOf(b, p.In, p.Out, o.resolved().Limit)
		if err != nil {
			return false, err
		}
		if !near(x, y) {
			return false, nil
		}
	}
	return true, nil
}

// weightOf returns ⟦f⟧(in, out).
func weightOf[W any](f *FST[W], in, out []int32, limit int) (W, error) {
	var none W
	left, err := Compose[W](FromString(f.ring, in), f.WithSymbols(nil, nil))
	if err != nil {
		return none, err
	}
	both, err := Compose[W](left, FromString(f.ring, out))
	if err != nil {
		return none, err
	}
	g, err := Expand(both, limit)
	if err != nil {
		return none, err
	}
	return graph.PathSum(g.Graph())
}

// Isomorphic reports whether a and b are the same machine but for the numbers of
// their states and the order of their arcs; weights within o.Delta count as equal. Both
// must have one start at most, and no state two arcs of the same labels, or the error
// wraps ErrNondeterministic. What no start reaches does not matter. The ring must be a
// semiring.Metric; the error wraps semiring.ErrCapability, or ErrMismatch for different
// rings or symbols. O(states + arcs · log degree).
func Isomorphic[W any](a, b *FST[W], o *Options) (bool, error) {
	nonnil.Check("fst: Isomorphic", "machine", a, "machine", b)
	if _, _, err := alike([]Machine[W]{a, b}); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, fmt.Errorf("fst: isomorphism: %w", err)
	}
	for _, f := range []*FST[W]{a, b} {
		if len(f.starts) > 1 {
			return false, fmt.Errorf("fst: isomorphism: %w: %d starts", ErrNondeterministic, len(f.starts))
		}
		if err := requireDistinct(f); err != nil {
			return false, err
		}
	}
	m := matching[W]{a: a, b: b, near: near, image: unmatched(a.NumStates()), origin: unmatched(b.NumStates())}
	return m.complete(), nil
}

// requireDistinct returns an error, wrapping ErrNondeterministic, that names a state
// with two arcs of the same labels.
func requireDistinct[W any](f *FST[W]) error {
	x := f.labels.indexIn()
	for s, lo := range x.row[:len(x.row)-1] {
		for e := lo + 1; e < x.row[s+1]; e++ {
			if x.key[e] == x.key[e-1] && x.other[e] == x.other[e-1] {
				return fmt.Errorf("fst: isomorphism: %w: two arcs of state %d have the labels %s:%s",
					ErrNondeterministic, s, f.inSymbols.describe(x.key[e]), f.outSymbols.describe(x.other[e]))
			}
		}
	}
	return nil
}

func unmatched(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = -1
	}
	return x
}

// matching maps the states of a to those of b one to one, from the start on.
type matching[W any] struct {
	a, b          *FST[W]
	near          func(x, y W) bool
	image, origin []int32 // −1: none yet
	open          []int32 // states of a
}

// complete reports whether the starts, and all that follows, can be matched.
func (m *matching[W]) complete() bool {
	if len(m.a.starts) == 0 || len(m.b.starts) == 0 {
		return len(m.a.starts) == len(m.b.starts)
	}
	x, y := m.a.starts[0], m.b.starts[0]
	if !m.near(x.Weight, y.Weight) || !m.match(x.State, y.State) {
		return false
	}
	for len(m.open) > 0 {
		s := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		if !m.arcs(s, m.image[s]) {
			return false
		}
	}
	return true
}

// match matches state p of a with state q of b.
func (m *matching[W]) match(p, q int32) bool {
	if m.image[p] < 0 && m.origin[q] < 0 {
		m.image[p], m.origin[q] = q, p
		m.open = append(m.open, p)
	}
	return m.image[p] == q && m.origin[q] == p
}

// arcs matches what the arcs of p and q lead to.
func (m *matching[W]) arcs(p, q int32) bool {
	x, y := m.a.byIn(), m.b.byIn()
	xs := x.arcs[x.index.row[p]:x.index.row[p+1]]
	ys := y.arcs[y.index.row[q]:y.index.row[q+1]]
	if len(xs) != len(ys) || !m.near(m.a.final[p], m.b.final[q]) {
		return false
	}
	for i := range xs {
		if xs[i].In != ys[i].In || xs[i].Out != ys[i].Out || !m.near(xs[i].Weight, ys[i].Weight) || !m.match(xs[i].To, ys[i].To) {
			return false
		}
	}
	return true
}
