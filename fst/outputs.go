package fst

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring"
)

// DeterminizeAll is Determinize for transducers that write several strings for one that
// they read. The result, a p-subsequential transducer, writes all of them, each with the
// sum of its paths. What they have in common is written as soon as it is certain; the rests
// follow at the end of the string, each on an arc that reads ε. It ends if weights are as
// Determinize wants them and the rests to be remembered are bounded in number and length.
// Errors are as for Determinize, ErrNotFunctional apart. The limit counts each word that is
// left to a member like a member. A state whose cycles read the same and write several strings
// is no twin of itself.
//
// Mohri, "Finite-state transducers in language and speech processing" (1997), §3.6.
func DeterminizeAll[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("DeterminizeAll", m, o, determinizeAll[W])
}

func determinizeAll[W any](f *FST[W], o Options) (*FST[W], error) {
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, err
	}
	g, weights := toGallic(connect(f))
	g, err := determinedAll(g, weights, o)
	if err != nil {
		return nil, err
	}
	return fromGallic(g, weights, f)
}

// determinedAll returns the deterministic form of f, with ε-arcs where several words end.
func determinedAll(f *FST[gallic], b base, o Options) (*FST[gallic], error) {
	ring, err := newOutputs(b)
	if err != nil {
		return nil, err
	}
	each := func(w gallic) []gallic {
		if ring.base.IsZero(w.Second) {
			return nil
		}
		return []gallic{w}
	}
	g, err := determinize(mapFrozen(f, ring, each), ring.residuals(), o)
	if err != nil {
		return nil, err
	}
	return ring.spread(g)
}

// outputs is the ring of finite sets of words with weights, in the order of the words:
// union, in which the weights of the same word add up, and concatenation.
type outputs struct {
	semiring.Divider[gallic]
	semiring.Keyer[gallic]
	base   base
	pair   gallicRing
	ranges ranges[gallic]
}

func newOutputs(b base) (outputs, error) {
	r := outputs{base: b, pair: newGallicRing(b)}
	r.ranges = rangesOf(r.pair)
	var err error
	if r.Divider, err = semiring.Require[semiring.Divider[gallic]](r.pair); err != nil {
		return r, err
	}
	r.Keyer, err = semiring.Require[semiring.Keyer[gallic]](r.pair)
	return r, err
}

// TypeName and String are for errors.
func (r outputs) TypeName() string { return r.base.TypeName() }

func (r outputs) String(a []gallic) string {
	text := make([]string, len(a))
	for i, w := range a {
		text[i] = r.pair.String(w)
	}
	return fmt.Sprint(text)
}

func (r outputs) Zero() []gallic         { return nil }
func (r outputs) One() []gallic          { return []gallic{r.pair.One()} }
func (r outputs) IsZero(a []gallic) bool { return len(a) == 0 }

// Plus merges two sets.
func (r outputs) Plus(a, b []gallic) []gallic {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return r.summed(slices.Concat(a, b))
}

// Times concatenates each word of a and each of b.
func (r outputs) Times(a, b []gallic) []gallic {
	product := make([]gallic, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			product = append(product, r.pair.Times(x, y))
		}
	}
	return r.summed(product)
}

// summed sorts words, adds up the weights of equal ones and drops those without a weight. It
// changes words.
func (r outputs) summed(words []gallic) []gallic {
	order := func(x, y gallic) int { return x.First.Compare(y.First) }
	if !slices.IsSortedFunc(words, order) {
		slices.SortStableFunc(words, order)
	}
	sums := words[:0]
	for len(words) > 0 {
		sum, n := words[0], 1
		for n < len(words) && words[n].First == sum.First {
			sum.Second = r.base.Plus(sum.Second, words[n].Second)
			n++
		}
		if !r.base.IsZero(sum.Second) {
			sums = append(sums, sum)
		}
		words = words[n:]
	}
	return sums
}

// LDiv divides by a set of one word.
func (r outputs) LDiv(a, b []gallic) ([]gallic, bool) {
	if len(a) != 1 {
		return nil, false
	}
	quotient := make([]gallic, len(b))
	for i, y := range b {
		var ok bool
		if quotient[i], ok = r.Divider.LDiv(a[0], y); !ok {
			return nil, false
		}
	}
	return quotient, true
}

// RDiv has no use.
func (r outputs) RDiv(_, _ []gallic) ([]gallic, bool) { return nil, false }

func (r outputs) AppendKey(dst []byte, a []gallic, delta float64) []byte {
	for _, x := range a {
		dst = appendKey(dst, r.Keyer, x, delta)
	}
	return dst
}

// InRange reports whether x has the words of a and b, one of which has a single one, and
// all have their digits.
func (r outputs) InRange(x, a, b []gallic) bool {
	for _, w := range x {
		if !r.ranges.hasDivisor(w) {
			return false
		}
	}
	return len(x) >= max(len(a), len(b)) || len(a) == 0 || len(b) == 0
}

// residuals is the arithmetic of transducers whose outputs are all kept.
func (r outputs) residuals() residuals[[]gallic] {
	one := functional(r.base)
	return residuals[[]gallic]{
		merge:  func(a, b []gallic) ([]gallic, bool) { return r.Plus(a, b), true },
		own:    r.divisor,
		common: func(a, b []gallic) []gallic { return r.divisor(slices.Concat(a, b)) },
		cycle:  func(w []gallic) []gallic { return []gallic{one.cycle(w[0])} },
		apart:  func(u, v []gallic) bool { return len(u) > 1 || len(v) > 1 || one.apart(u[0], v[0]) },
		size: func(w []gallic) int {
			n := 0
			for _, x := range w {
				n += one.size(x)
			}
			return n
		},
	}
}

// divisor returns what the words of a have in common, with the sum of the weights.
func (r outputs) divisor(a []gallic) []gallic {
	if len(a) <= 1 {
		return a
	}
	sum := a[0]
	for _, x := range a[1:] {
		sum = r.pair.Plus(sum, x)
	}
	if r.base.IsZero(sum.Second) { // summands may cancel each other
		sum.Second = r.base.One()
	}
	return []gallic{sum}
}

// spread returns f with arcs ε in place of final weights that are several.
func (r outputs) spread(f *FST[[]gallic]) (*FST[gallic], error) {
	d, end := new(draft[gallic]), int32(f.NumStates())
	for s, rests := range f.final {
		final := r.pair.Zero()
		several := rests
		if len(rests) == 1 || len(rests) > 0 && rests[0].First.Len() == 0 {
			final, several = rests[0], rests[1:]
		}
		d.state(final)
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			addArc(&d.arcs, f.arcs.in[e], f.arcs.in[e], f.arcs.to[e], f.arcs.w[e][0])
		}
		for _, w := range several {
			addArc(&d.arcs, Epsilon, Epsilon, end, w)
		}
	}
	d.state(r.pair.One())
	for _, s := range f.starts {
		d.start(s.State, s.Weight[0])
	}
	g, err := d.freeze(r.pair)
	if err != nil {
		return nil, err
	}
	return connect(g), nil
}
