package fst

import "slices"

// arcs are arcs as a struct of arrays.
type arcs[W any] struct {
	in, out, to []int32
	w           []W
}

func (a *arcs[W]) len() int { return len(a.to) }

func (a *arcs[W]) add(in, out, to int32, w W) {
	a.in = append(a.in, in)
	a.out = append(a.out, out)
	a.to = append(a.to, to)
	a.w = append(a.w, w)
}

// extend adds the arcs of from and returns how many.
func (a *arcs[W]) extend(from []Arc[W]) int {
	e, n := a.len(), len(from)
	a.resize(e + n)
	in, out, to, w := a.in[e:e+n], a.out[e:e+n], a.to[e:e+n], a.w[e:e+n]
	for i := range from {
		x := &from[i]
		in[i], out[i], to[i], w[i] = x.In, x.Out, x.To, x.Weight
	}
	return n
}

// resize sets the number of arcs, keeping those that there are.
func (a *arcs[W]) resize(n int) {
	a.in = resize(a.in, n)
	a.out = resize(a.out, n)
	a.to = resize(a.to, n)
	a.w = resize(a.w, n)
}

// resize returns s with length n, contents kept, as append would do it.
func resize[T any](s []T, n int) []T {
	if n > cap(s) {
		s = slices.Grow(s, n-len(s))
	}
	return s[:n]
}

// appendTo appends the arcs lo … hi−1 to dst.
func (a *arcs[W]) appendTo(dst []Arc[W], lo, hi int32) []Arc[W] {
	for e := lo; e < hi; e++ {
		dst = append(dst, Arc[W]{In: a.in[e], Out: a.out[e], To: a.to[e], Weight: a.w[e]})
	}
	return dst
}
