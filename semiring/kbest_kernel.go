package semiring

// Products of lists, best first. The products of two lists (or three) form a grid
// that gets worse along each axis; all that can come next is in a frontier, a heap
// that has at first the best product of every term. Taking a product from it lets
// in its neighbours, each product by one neighbour only: that with the last index
// that is not 0 less by one.

// arm is one factor of the terms of a dot product: lists[index[n]] in term n.
type arm[W any] struct {
	lists []Ranked[W]
	index []int32
}

// candidate is a product of entries, number at[f] of the list in arm f.
type candidate[W any] struct {
	value W
	term  int32
	at    [3]int32
}

// dot appends to dst the best products of the entries of arms 0 … m−1, over all n
// terms, until there are k.
func (r kBest[W]) dot(dst Ranked[W], n int, arms [3]arm[W], m int) Ranked[W] {
	f := r.heaps.Get().(*frontier[W])
	defer r.heaps.Put(f)
	f.heap = f.heap[:0]
	for term := range int32(n) {
		if c := (candidate[W]{term: term}); r.enter(&c, &arms, m) {
			f.heap = append(f.heap, c)
		}
	}
	f.init()
	for len(f.heap) > 0 && !r.full(dst) {
		c := f.heap[0]
		if r.base.IsZero(c.value) {
			break // and so are all the others
		}
		dst = append(dst, c.value)
		gone := false // c, from the top
		for axis := m - 1; axis >= 0; axis-- {
			next := c
			next.at[axis]++
			if r.enter(&next, &arms, m) {
				if gone {
					f.push(next)
				} else {
					f.heap[0], gone = next, true
					f.down(0)
				}
			}
			if c.at[axis] != 0 {
				break
			}
		}
		if !gone {
			f.pop()
		}
	}
	return dst
}

// enter computes the value of c, unless a list is too short.
func (r kBest[W]) enter(c *candidate[W], arms *[3]arm[W], m int) bool {
	for f := range m {
		list := arms[f].lists[arms[f].index[c.term]]
		if int(c.at[f]) >= len(list) {
			return false
		}
		if w := list[c.at[f]]; f == 0 {
			c.value = w
		} else {
			c.value = r.base.Times(c.value, w)
		}
	}
	return true
}

// frontier is a heap of candidates, the best on top.
type frontier[W any] struct {
	order Ordered[W]
	heap  []candidate[W]
}

func (f *frontier[W]) init() {
	for i := len(f.heap)/2 - 1; i >= 0; i-- {
		f.down(i)
	}
}

func (f *frontier[W]) push(c candidate[W]) {
	f.heap = append(f.heap, c)
	i := len(f.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if f.order.Compare(f.heap[i].value, f.heap[parent].value) >= 0 {
			break
		}
		f.heap[i], f.heap[parent] = f.heap[parent], f.heap[i]
		i = parent
	}
}

func (f *frontier[W]) pop() candidate[W] {
	top, last := f.heap[0], len(f.heap)-1
	f.heap[0] = f.heap[last]
	f.heap = f.heap[:last]
	f.down(0)
	return top
}

func (f *frontier[W]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(f.heap) {
			return
		}
		if right := child + 1; right < len(f.heap) && f.order.Compare(f.heap[right].value, f.heap[child].value) < 0 {
			child = right
		}
		if f.order.Compare(f.heap[child].value, f.heap[i].value) >= 0 {
			return
		}
		f.heap[i], f.heap[child] = f.heap[child], f.heap[i]
		i = child
	}
}

// kBestKernel takes the k best of all terms at once: for n terms O(n + k log(n+k)),
// and not k entries of each.
type kBestKernel[W any] struct{ ring kBest[W] }

func (c kBestKernel[W]) Dot(dst *Ranked[W], w []Ranked[W], k []int32, x []Ranked[W], i []int32) {
	n := terms(k, i, w)
	arms := [3]arm[W]{{w, indices(k, n)}, {x, indices(i, n)}}
	*dst = c.ring.dot((*dst)[:0], n, arms, 2)
}

func (c kBestKernel[W]) Dot2(dst *Ranked[W], w []Ranked[W], k []int32, x []Ranked[W], i []int32, y []Ranked[W], j []int32) {
	n := terms(k, i, w)
	arms := [3]arm[W]{{w, indices(k, n)}, {x, indices(i, n)}, {y, indices(j, n)}}
	*dst = c.ring.dot((*dst)[:0], n, arms, 3)
}

func (c kBestKernel[W]) Marginals(p []float64, a Ranked[W], w []Ranked[W], k []int32, x []Ranked[W], i []int32) {
	fold[Ranked[W]]{c.ring}.Marginals(p, a, w, k, x, i)
}
