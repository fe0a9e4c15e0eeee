package semiring

// lexKernel multiplies second parts only where the first ones are the best so far.
type lexKernel[A, B any] struct{ lex lex[A, B] }

func (c lexKernel[A, B]) Dot(dst *Pair[A, B], w []Pair[A, B], k []int32, x []Pair[A, B], i []int32) {
	n := terms(k, i, w)
	k, i = indices(k, n), indices(i, n)
	a, b := c.lex.pair.a, c.lex.pair.b
	sum := c.lex.Zero()
	for n, kn := range k {
		u, v := &w[kn], &x[i[n]]
		first := a.Times(u.First, v.First)
		if order := c.rank(first, sum.First); order == 0 {
			sum.Second = b.Plus(sum.Second, b.Times(u.Second, v.Second))
		} else if order < 0 {
			sum = Pair[A, B]{first, b.Times(u.Second, v.Second)}
		}
	}
	*dst = sum
}

func (c lexKernel[A, B]) Dot2(dst *Pair[A, B], w []Pair[A, B], k []int32, x []Pair[A, B], i []int32, y []Pair[A, B], j []int32) {
	n := terms(k, i, w)
	k, i, j = indices(k, n), indices(i, n), indices(j, n)
	a, b := c.lex.pair.a, c.lex.pair.b
	sum := c.lex.Zero()
	for n, kn := range k {
		u, v, z := &w[kn], &x[i[n]], &y[j[n]]
		first := a.Times(a.Times(u.First, v.First), z.First)
		if order := c.rank(first, sum.First); order == 0 {
			sum.Second = b.Plus(sum.Second, b.Times(b.Times(u.Second, v.Second), z.Second))
		} else if order < 0 {
			sum = Pair[A, B]{first, b.Times(b.Times(u.Second, v.Second), z.Second)}
		}
	}
	*dst = sum
}

// rank compares a new first part with the best so far; 0̄ comes after all.
func (c lexKernel[A, B]) rank(first, best A) int {
	if c.lex.pair.a.IsZero(first) {
		return 1
	}
	return c.lex.order.Compare(first, best)
}

func (c lexKernel[A, B]) Marginals(p []float64, a Pair[A, B], w []Pair[A, B], k []int32, x []Pair[A, B], i []int32) {
	fold[Pair[A, B]]{c.lex}.Marginals(p, a, w, k, x, i)
}
