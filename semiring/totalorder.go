package semiring

import "cmp"

// KBest ranks paths whose values Lex would add up, such as the vectors along best paths of the
// same mass. It needs a total order, because otherwise the sums depend on the order of summation.

// rankedBy makes an order the capability Ordered.
type rankedBy[W any] func(a, b W) int

// Compare compares a and b by the order.
func (f rankedBy[W]) Compare(a, b W) int { return f(a, b) }

// ranker is a ring that ranks paths by an order that ⊗ keeps, although ⊕ may add weights up.
type ranker[W any] interface{ ranking() func(a, b W) int }

// rankingOf returns the order by which KBest ranks weights of s: the order of an Ordered ring or
// of a ranker. The error wraps ErrCapability.
func rankingOf[W any](s Semiring[W]) (Ordered[W], error) {
	order, err := Require[Ordered[W]](s)
	if err == nil {
		return order, nil
	}
	if r, ok := s.(ranker[W]); ok {
		if rank := r.ranking(); rank != nil {
			return rankedBy[W](rank), nil
		}
	}
	return nil, err
}

// ranking orders by the first parts and then by the total order of the second ones. It returns
// nil if the second parts have no total order.
func (l lex[A, B]) ranking() func(x, y Pair[A, B]) int {
	second := totalOrderOf[B](l.b)
	if second == nil {
		return nil
	}
	return func(x, y Pair[A, B]) int {
		if first := l.order.Compare(x.First, y.First); first != 0 || l.IsZero(x) {
			return first
		}
		return second(x.Second, y.Second)
	}
}

// totallyOrdered is a ring or a module whose weights or vectors have a total order. Sums keep
// it, and so do products with weights that are not negative.
type totallyOrdered[V any] interface{ totalOrder() func(u, v V) int }

// totalOrderOf returns the total order of a ring or a module. The default is its order if it is
// Ordered, and nil otherwise.
func totalOrderOf[V any](of any) func(u, v V) int {
	if o, ok := of.(totallyOrdered[V]); ok {
		return o.totalOrder()
	}
	if o, ok := capability[Ordered[V]](of); ok {
		return o.Compare
	}
	return nil
}

func (Real) totalOrder() func(u, v float64) int { return cmp.Compare[float64] }

func (Log) totalOrder() func(u, v LogProb) int { return cmp.Compare[LogProb] }

func (Scaled) totalOrder() func(u, v ScaledFloat) int { return ScaledFloat.Cmp }

func (m scalar[W]) totalOrder() func(u, v W) int { return totalOrderOf[W](m.Semiring) }

// totalOrder compares by the first component in which two vectors differ.
func (m dense[W]) totalOrder() func(u, v []W) int {
	compare := totalOrderOf[W](m.base)
	if compare == nil {
		return nil
	}
	return func(u, v []W) int {
		for n := range max(len(u), len(v)) {
			if c := compare(entry(m.base, u, n), entry(m.base, v, n)); c != 0 {
				return c
			}
		}
		return 0
	}
}

// totalOrder compares by the first component in which two vectors differ.
func (m sparse[W]) totalOrder() func(u, v SparseVector[W]) int {
	compare := totalOrderOf[W](m.base)
	if compare == nil {
		return nil
	}
	return func(u, v SparseVector[W]) int {
		first := 0
		m.union(u, v, func(_ int32, a, b W) {
			if first == 0 {
				first = compare(a, b)
			}
		})
		return first
	}
}

func (l lex[A, B]) totalOrder() func(x, y Pair[A, B]) int { return l.ranking() }

// totalOrder compares masses and then vectors: for equal masses, ⊗ keeps the order of vectors.
func (r expectation[W, V]) totalOrder() func(a, b Expected[W, V]) int {
	base, module := totalOrderOf[W](r.base), totalOrderOf[V](r.module)
	if base == nil || module == nil {
		return nil
	}
	return func(a, b Expected[W, V]) int {
		if c := base(a.P, b.P); c != 0 {
			return c
		}
		return module(a.V, b.V)
	}
}

// totalOrder compares part by part: the terms that ⊗ adds to a part depend on earlier parts only.
func (e expectation2[W, R, S, T]) totalOrder() func(a, b Expected2[W, R, S, T]) int {
	base, r := totalOrderOf[W](e.base), totalOrderOf[R](e.r)
	s, t := totalOrderOf[S](e.s), totalOrderOf[T](e.t)
	if base == nil || r == nil || s == nil || t == nil {
		return nil
	}
	return func(a, b Expected2[W, R, S, T]) int {
		return cmp.Or(base(a.P, b.P), r(a.R, b.R), s(a.S, b.S), t(a.T, b.T))
	}
}
