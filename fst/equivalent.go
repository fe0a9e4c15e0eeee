package fst

import (
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

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
// which are those of random paths of a and of b in turn: true does not prove that the
// machines are equivalent, false proves that they are not. The machines may be
// nondeterministic, and have ε and cycles.
//
// The ring must be commutative, a semiring.Metric and have path sums; weights within
// o.Delta count as equal. The error wraps semiring.ErrCapability, ErrMismatch,
// semiring.ErrDiverges, or semiring.ErrLimit if the paths for one pair of strings are
// more than o.Limit states and arcs.
func RandomlyEquivalent[W any](a, b *FST[W], r *rand.Rand, n int, o *Options) (bool, error) {
	nonnil.Check("fst: RandomlyEquivalent", "machine", a, "machine", b, "source", r)
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
		p := samplers[i%len(samplers)].Sample(r)
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
