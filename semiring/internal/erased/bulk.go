package erased

import "example.org/pathsum/semiring"

// Bulk is Of with the bulk operations of the ring itself: Kernel, Scatterer, Sweeper and
// TermSweeper. Each call copies its vectors, so Bulk is for tests.
func Bulk[W any](ring semiring.Semiring[W]) semiring.Semiring[any] { return &bulk[W]{Of(ring), ring} }

// bulk is an erased ring with the bulk operations of the ring itself.
type bulk[W any] struct {
	semiring.Semiring[any]
	of semiring.Semiring[W]
}

// As implements semiring.As.
func (r *bulk[W]) As(target any) (ok bool) {
	switch target := target.(type) {
	case *semiring.Kernel[any]:
		c := new(kernel[W])
		c.of, ok = semiring.As[semiring.Kernel[W]](r.of)
		*target = c
	case *semiring.Scatterer[any]:
		c := new(scatterer[W])
		c.of, ok = semiring.As[semiring.Scatterer[W]](r.of)
		*target = c
	case *semiring.Sweeper[any]:
		c := new(sweeper[W])
		c.of, ok = semiring.As[semiring.Sweeper[W]](r.of)
		*target = c
	case *semiring.TermSweeper[any]:
		c := new(termSweeper[W])
		c.of, ok = semiring.As[semiring.TermSweeper[W]](r.of)
		*target = c
	default:
		return r.Semiring.(interface{ As(target any) bool }).As(target)
	}
	return ok
}

// typed returns weights with their type, and nil for nil. It is not inlined, to compile it once.
//
//go:noinline
func typed[W any](weights []any) []W {
	if weights == nil {
		return nil
	}
	w := make([]W, len(weights))
	for n, a := range weights {
		w[n] = Weight[W](a)
	}
	return w
}

// back copies a vector back after a call, even if the call should not have changed it.
//
//go:noinline
func back[W any](weights []any, w []W) {
	for n := range weights {
		weights[n] = w[n]
	}
}

type kernel[W any] struct{ of semiring.Kernel[W] }

func (c *kernel[W]) Dot(dst *any, w []any, k []int32, x []any, i []int32) {
	d, wt, xt := Weight[W](*dst), typed[W](w), typed[W](x)
	c.of.Dot(&d, wt, k, xt, i)
	back(w, wt)
	back(x, xt)
	*dst = d // dst may be an element of a vector, at an index that is not read
}

func (c *kernel[W]) Dot2(dst *any, w []any, k []int32, x []any, i []int32, y []any, j []int32) {
	d, wt, xt, yt := Weight[W](*dst), typed[W](w), typed[W](x), typed[W](y)
	c.of.Dot2(&d, wt, k, xt, i, yt, j)
	back(w, wt)
	back(x, xt)
	back(y, yt)
	*dst = d
}

func (c *kernel[W]) Marginals(p []float64, a any, w []any, k []int32, x []any, i []int32) {
	wt, xt := typed[W](w), typed[W](x)
	c.of.Marginals(p, Weight[W](a), wt, k, xt, i)
	back(w, wt)
	back(x, xt)
}

func (c *kernel[W]) Marginals2(p []float64, a any, w []any, k []int32, x []any, i []int32, y []any, j []int32) {
	wt, xt, yt := typed[W](w), typed[W](x), typed[W](y)
	c.of.Marginals2(p, Weight[W](a), wt, k, xt, i, yt, j)
	back(w, wt)
	back(x, xt)
	back(y, yt)
}

type scatterer[W any] struct{ of semiring.Scatterer[W] }

func (c *scatterer[W]) Scatter2(sum []any, a any, w []any, x []any, i, j []int32) {
	st, wt, xt := typed[W](sum), typed[W](w), typed[W](x)
	c.of.Scatter2(st, Weight[W](a), wt, xt, i, j)
	back(sum, st)
	back(w, wt)
	back(x, xt)
}

type sweeper[W any] struct{ of semiring.Sweeper[W] }

func (c *sweeper[W]) Sweep(x []any, order, row []int32, w []any, i []int32) {
	xt, wt := typed[W](x), typed[W](w)
	c.of.Sweep(xt, order, row, wt, i)
	back(x, xt)
	back(w, wt)
}

func (c *sweeper[W]) Spread(x []any, order, row []int32, w []any, i []int32) {
	xt, wt := typed[W](x), typed[W](w)
	c.of.Spread(xt, order, row, wt, i)
	back(x, xt)
	back(w, wt)
}

type termSweeper[W any] struct{ of semiring.TermSweeper[W] }

func (c *termSweeper[W]) SweepTerms(term, own, unit []float64, x []any, order, row []int32, w []any, i []int32) bool {
	xt, wt := typed[W](x), typed[W](w)
	ok := c.of.SweepTerms(term, own, unit, xt, order, row, wt, i)
	back(x, xt)
	back(w, wt)
	return ok
}
