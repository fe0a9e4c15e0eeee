package graph

// queue is a heap of distinct items 0 … n−1 with keys that may change; first says which
// of two comes first. Keys are in the heap, so that they are found where they are
// compared. A node has four children: few steps up, as most items of a search are never
// popped.
type queue[K any] struct {
	first func(a, b entry[K]) bool
	heap  []entry[K]
	place []int32 // index of an item in heap plus one; 0: not in it
}

type entry[K any] struct {
	key  K
	item int32
}

func (q *queue[K]) init(n int, first func(a, b entry[K]) bool) {
	q.first = first
	q.heap = q.heap[:0]
	if cap(q.place) < n {
		q.place = make([]int32, n)
	}
	q.place = q.place[:n]
	clear(q.place)
}

func (q *queue[K]) len() int { return len(q.heap) }

// push adds item, or moves it where it belongs with a new key.
func (q *queue[K]) push(item int32, key K) {
	e, at := entry[K]{key, item}, int(q.place[item])-1
	if at < 0 {
		q.heap = append(q.heap, e)
		q.up(len(q.heap)-1, e)
		return
	}
	if q.first(e, q.heap[at]) {
		q.up(at, e)
	} else {
		q.down(at, e)
	}
}

// pop removes and returns the first item, with its key.
func (q *queue[K]) pop() entry[K] {
	top := q.heap[0]
	last := len(q.heap) - 1
	e := q.heap[last]
	q.heap = q.heap[:last]
	q.place[top.item] = 0
	if last > 0 {
		q.down(0, e)
	}
	return top
}

func (q *queue[K]) put(i int, e entry[K]) {
	q.heap[i] = e
	q.place[e.item] = int32(i) + 1
}

// up puts e at i, or above it where it comes before what is there.
func (q *queue[K]) up(i int, e entry[K]) {
	for i > 0 {
		parent := (i - 1) / 4
		if !q.first(e, q.heap[parent]) {
			break
		}
		q.put(i, q.heap[parent])
		i = parent
	}
	q.put(i, e)
}

// down puts e at i, or below it where what is there comes before it.
func (q *queue[K]) down(i int, e entry[K]) {
	for {
		child := 4*i + 1
		if child >= len(q.heap) {
			break
		}
		for other := child + 1; other < min(4*i+5, len(q.heap)); other++ {
			if q.first(q.heap[other], q.heap[child]) {
				child = other
			}
		}
		if !q.first(q.heap[child], e) {
			break
		}
		q.put(i, q.heap[child])
		i = child
	}
	q.put(i, e)
}
