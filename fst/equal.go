package fst

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Equal reports whether a and b are the same machine: states with the same numbers, the same
// starts and arcs in the same order, and the same symbols; weights within o.Delta count as
// equal. The ring must be a semiring.Metric, or the error wraps semiring.ErrCapability. It
// wraps ErrMismatch for different rings. O(states + arcs).
//
// Use Isomorphic to ignore state numbers and arc order, and Equivalent to compare relations.
func Equal[W any](a, b Machine[W], o *Options) (bool, error) {
	return compared("Equal", a, b, o, equal[W])
}

func equal[W any](a, b *FST[W], o Options) (bool, error) {
	if err := requireSameRing(a.ring, b.ring); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, err
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

// Equivalent reports whether a and b have the same relation. Both must be deterministic and not
// read ε. They may be acceptors, or transducers made by Determinize if these need no arcs that
// read ε. The error wraps ErrNondeterministic, ErrInvalid for an arc that reads ε, or
// ErrMismatch for different rings or symbols, or is as for PushWeights.
//
// The ring must have what PushWeights needs, and be a semiring.Metric. Weights within o.Delta
// count as equal after pushing. o.Limit bounds only the expansion of a and b. Apart from
// pushing, it takes nearly O(states + arcs) time, by uniting states that should be equivalent
// (J. E. Hopcroft and R. M. Karp, "A linear algorithm for testing equivalence of finite
// automata", 1971).
func Equivalent[W any](a, b Machine[W], o *Options) (bool, error) {
	return compared("Equivalent", a, b, o, equivalent[W])
}

func equivalent[W any](a, b *FST[W], o Options) (bool, error) {
	if _, _, err := alike([]Machine[W]{a, b}); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, err
	}
	var pushed [2]*FST[gallic]
	var weights [2]*numbered[W]
	for i, f := range []*FST[W]{a, b} {
		if err := requireDeterministic(f); err != nil {
			return false, err
		}
		if f.labels.measure(); f.labels.tapes[Input].epsilon {
			return false, fmt.Errorf("%w: machine %d has arcs that read ε", ErrInvalid, i)
		}
		if f, err = pushWeights(f, TowardInitial); err != nil {
			return false, err
		}
		pushed[i], weights[i] = toGallic(f)
		if pushed[i], err = pushedLabels(pushed[i], TowardInitial); err != nil {
			return false, err
		}
	}
	return similar(pushed[0], pushed[1], func(x, y int) bool { return near(weights[0].weights[x], weights[1].weights[y]) }), nil
}

// similar reports whether two pushed machines have the same paths.
func similar(a, b *FST[gallic], near func(x, y int) bool) bool {
	c := comparison[gallic]{a: a, b: b, pair: byUniting(a.NumStates(), b.NumStates())}
	c.near = func(x, y gallic) bool { return x.First == y.First && near(x.Second, y.Second) }
	return c.holds()
}

// nearness returns a test for weights within o.Delta.
func nearness[W any](ring semiring.Semiring[W], o Options) (func(x, y W) bool, error) {
	metric, err := semiring.Require[semiring.Metric[W]](ring)
	if err != nil {
		return nil, err
	}
	return func(x, y W) bool { return metric.Dist(x, y) <= o.Delta }, nil
}

// comparison visits two machines in parallel, from the start on: the targets of arcs with the
// same labels must also be equivalent. No state may have two arcs with the same labels. pair
// reports whether the pair of states is new and whether the states may be equivalent.
type comparison[W any] struct {
	a, b *FST[W]
	near func(x, y W) bool
	pair func(p, q int32) (news, fits bool)
	open [][2]int32
}

// holds reports whether the machines are free of differences.
func (c *comparison[W]) holds() bool {
	if len(c.a.starts) == 0 || len(c.b.starts) == 0 {
		return len(c.a.starts) == len(c.b.starts)
	}
	if !c.near(totalStart(c.a), totalStart(c.b)) || !c.meet(c.a.starts[0].State, c.b.starts[0].State) {
		return false
	}
	for len(c.open) > 0 {
		pair := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		if !c.step(pair[0], pair[1]) {
			return false
		}
	}
	return true
}

// totalStart returns the sum of the start weights of f, whose starts have the same state.
func totalStart[W any](f *FST[W]) W {
	sum := f.ring.Zero()
	for _, s := range f.starts {
		sum = f.ring.Plus(sum, s.Weight)
	}
	return sum
}

// meet pairs state p of a and state q of b, and queues the pair if it is new.
func (c *comparison[W]) meet(p, q int32) bool {
	news, fits := c.pair(p, q)
	if news {
		c.open = append(c.open, [2]int32{p, q})
	}
	return fits
}

// step pairs the targets of the arcs of state p of a and of state q of b.
func (c *comparison[W]) step(p, q int32) bool {
	x, y := byLabel(c.a, Input), byLabel(c.b, Input)
	xs := x.arcs[x.index.row[p]:x.index.row[p+1]]
	ys := y.arcs[y.index.row[q]:y.index.row[q+1]]
	if len(xs) != len(ys) || !c.near(c.a.final[p], c.b.final[q]) {
		return false
	}
	for i := range xs {
		if xs[i].In != ys[i].In || xs[i].Out != ys[i].Out || !c.near(xs[i].Weight, ys[i].Weight) || !c.meet(xs[i].To, ys[i].To) {
			return false
		}
	}
	return true
}

// byUniting returns a pair function for comparison that unites states: the n states of one
// machine, and others states of another one.
func byUniting(n, others int) func(p, q int32) (news, fits bool) {
	parent := make([]int32, n+others) // a forest of united states
	for s := range parent {
		parent[s] = int32(s)
	}
	root := func(s int32) int32 {
		for parent[s] != s {
			parent[s] = parent[parent[s]]
			s = parent[s]
		}
		return s
	}
	return func(p, q int32) (news, fits bool) {
		x, y := root(p), root(q+int32(n))
		parent[x] = y
		return x != y, true
	}
}

// oneToOne returns a pair function for comparison that maps the n states of one machine to the
// states of another one, one to one.
func oneToOne(n, others int) func(p, q int32) (news, fits bool) {
	image, origin := make([]int32, n), make([]int32, others) // 1 + the state, or 0
	return func(p, q int32) (news, fits bool) {
		if news = image[p] == 0 && origin[q] == 0; news {
			image[p], origin[q] = q+1, p+1
		}
		return news, image[p] == q+1 && origin[q] == p+1
	}
}

// RandomlyEquivalent reports whether a and b assign the same weight to n pairs of strings,
// drawn with random paths of a and of b in turn: true does not prove that the machines are
// equivalent, false proves that they are not. The machines may be nondeterministic, and have ε
// and cycles.
//
// The ring must be a semiring.Metric and have path sums; weights within o.Delta count as equal.
// The error wraps semiring.ErrCapability, ErrMismatch, semiring.ErrDiverges, or
// semiring.ErrLimit if the paths for one pair of strings have more than o.Limit states and
// arcs.
func RandomlyEquivalent[W any](a, b Machine[W], src rand.Source, n int, o *Options) (bool, error) {
	nonnil.Check("fst: RandomlyEquivalent", "machine 0", a, "machine 1", b, "source of randomness", src)
	return compared("RandomlyEquivalent", a, b, o, func(a, b *FST[W], o Options) (bool, error) {
		return randomlyEquivalent(a, b, src, n, o)
	})
}

func randomlyEquivalent[W any](a, b *FST[W], src rand.Source, n int, o Options) (bool, error) {
	if _, _, err := alike([]Machine[W]{a, b}); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, err
	}
	var samplers []*Sampler[float64]
	for _, f := range []*FST[W]{a, b} {
		g, err := uniform(connect(f))
		if err != nil {
			return false, err
		}
		if g.NumStates() > 0 {
			z, err := NewSampler[float64](g, nil)
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
		x, err := Weight[W](a, p.In, p.Out, &o)
		if err != nil {
			return false, err
		}
		y, err := Weight[W](b, p.In, p.Out, &o)
		if err != nil {
			return false, err
		}
		if !near(x, y) {
			return false, nil
		}
	}
	return true, nil
}

// Isomorphic reports whether a and b are the same machine up to the numbers of their states and
// the order of their arcs; weights within o.Delta count as equal. Both must have at most one
// start, and no state may have two arcs with the same labels, or the error wraps
// ErrNondeterministic. Unreachable states are ignored. The ring must be a semiring.Metric, or
// the error wraps semiring.ErrCapability. It wraps ErrMismatch for different rings or symbols.
// O(states + arcs · log degree).
func Isomorphic[W any](a, b Machine[W], o *Options) (bool, error) {
	return compared("Isomorphic", a, b, o, isomorphic[W])
}

func isomorphic[W any](a, b *FST[W], o Options) (bool, error) {
	if _, _, err := alike([]Machine[W]{a, b}); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, err
	}
	for _, f := range []*FST[W]{a, b} {
		if len(f.starts) > 1 {
			return false, fmt.Errorf("%w: %d starts", ErrNondeterministic, len(f.starts))
		}
		if err := requireDistinct(f); err != nil {
			return false, err
		}
	}
	c := comparison[W]{a: a, b: b, near: near, pair: oneToOne(a.NumStates(), b.NumStates())}
	return c.holds(), nil
}

// requireDistinct returns an error that wraps ErrNondeterministic and names a state with two
// arcs with the same labels.
func requireDistinct[W any](f *FST[W]) error {
	x := f.labels.index(Input)
	for s, lo := range x.row[:len(x.row)-1] {
		for e := lo + 1; e < x.row[s+1]; e++ {
			if x.key[e] == x.key[e-1] && x.other[e] == x.other[e-1] {
				return fmt.Errorf("%w: two arcs of state %d have the labels %s:%s",
					ErrNondeterministic, s, f.inSymbols.Describe(x.key[e]), f.outSymbols.Describe(x.other[e]))
			}
		}
	}
	return nil
}
