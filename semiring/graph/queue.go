package graph

// queue is a heap of distinct items 0 … n−1 whose keys may change; the caller keeps
// the keys and says which item comes first. A node has four children: few steps up,
// as most items of a search are never popped.
type queue struct {
	first func(a, b int32) bool
	heap  []int32
	place []int32 // index of an item in heap plus one; 0: not in it
}

func (q *queue) init(n int, first func(a, b int32) bool) {
	q.first = first
	q.heap = q.heap[:0]
	if cap(q.place) < n {
		q.place = make([]int32, n)
	}
	q.place = q.place[:n]
	clear(q.place)
}

func (q *queue) len() int { return len(q.heap) }

// push adds item, or moves it where it belongs after its key has changed.
func (q *queue) push(item int32) {
	if q.place[item] == 0 {
		q.heap = append(q.heap, item)
		q.place[item] = int32(len(q.heap))
		q.up(len(q.heap) - 1)
		return
	}
	q.up(int(q.place[item]) - 1)
	q.down(int(q.place[item]) - 1)
}

// pop removes and returns the first item.
func (q *queue) pop() int32 {
	top := q.heap[0]
	last := len(q.heap) - 1
	q.put(0, q.heap[last])
	q.heap = q.heap[:last]
	q.place[top] = 0
	if last > 0 {
		q.down(0)
	}
	return top
}

func (q *queue) put(i int, item int32) {
	q.heap[i] = item
	q.place[item] = int32(i) + 1
}

func (q *queue) up(i int) {
	item := q.heap[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !q.first(item, q.heap[parent]) {
			break
		}
		q.put(i, q.heap[parent])
		i = parent
	}
	q.put(i, item)
}

func (q *queue) down(i int) {
	item := q.heap[i]
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
		if !q.first(q.heap[child], item) {
			break
		}
		q.put(i, q.heap[child])
		i = child
	}
	q.put(i, item)
}
