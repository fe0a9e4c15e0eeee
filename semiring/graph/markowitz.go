package graph

// markowitz eliminates the states of one component after the other, without
// their weights, to find a good order and where arcs appear. The next state is
// one with the least number of new arcs at most, in-degree × out-degree
// (Markowitz 1957), which is linear on chains, trees, cycles and nested loops.
//
// Neighbours are lists that may hold eliminated states and repetitions: an
// elimination appends, and a list is cleaned when it has doubled. That keeps the
// degree of a long list approximate and the time within a constant of the
// arithmetic that follows.
type markowitz struct {
	states  []int32   // of the component, by local number
	out, in [][]int32 // neighbours, local numbers
	// base is the length of a list when it was last cleaned.
	outBase, inBase []int32
	cost            []int64 // as the queue knows it
	live            int     // length of all lists
	dead            []bool
	mark            []int32 // mark[x] == stamp: x was seen in this list
	stamp           int32
	queue           queue

	// Results for all components so far. Rows of upper and columns of lower,
	// in order of elimination; their entries are states.
	upper, upperCol []int32
	lower, lowerRow []int32
}

// shortList is the length up to which a list is always kept clean.
const shortList = 64

// load takes the states at positions lo … hi−1 of pl, a component.
func (m *markowitz) load(row, to []int32, pl *plan, lo, hi int) {
	n := hi - lo
	m.states = append(m.states[:0], pl.order[lo:hi]...)
	m.out, m.in = lists(m.out, n), lists(m.in, n)
	m.outBase, m.inBase = resized(m.outBase, n), resized(m.inBase, n)
	m.dead, m.mark, m.stamp = resized(m.dead, n), resized(m.mark, n), 0
	m.cost, m.live = resized(m.cost, n), 0
	clear(m.dead)
	clear(m.mark)
	for i, s := range m.states {
		for _, t := range to[row[s]:row[s+1]] {
			if p := int(pl.position[t]); lo <= p && p < hi {
				m.out[i] = append(m.out[i], int32(p-lo))
				m.live++
			}
		}
		m.clean(m.out, m.outBase, int32(i))
		for _, j := range m.out[i] {
			m.in[j] = append(m.in[j], int32(i))
			m.live++
		}
	}
	for j, list := range m.in {
		m.inBase[j] = int32(len(list))
	}
}

// run stores the order of elimination in order and appends to the results, false
// if they get too large.
func (m *markowitz) run(order []int32) bool {
	m.queue.init(len(m.states), func(a, b int32) bool {
		return m.cost[a] < m.cost[b] || m.cost[a] == m.cost[b] && a < b
	})
	for i := range m.states {
		m.enqueue(int32(i))
	}
	for n := range order {
		k := m.queue.pop()
		m.clean(m.out, m.outBase, k)
		m.clean(m.in, m.inBase, k)
		left := len(order) - n - 1
		if left > 64 && 16*len(m.out[k])*len(m.in[k]) >= left*left {
			return m.finishDense(order, n, k)
		}
		order[n] = m.states[k]
		m.eliminate(k)
		// Every arc left, on two lists and there perhaps twice, becomes an entry.
		if len(m.upperCol)+len(m.lowerRow)+m.live/4 > maxFill {
			return false
		}
	}
	return true
}

// eliminate records the arcs of k and connects its neighbours.
func (m *markowitz) eliminate(k int32) {
	m.dead[k] = true
	for _, j := range m.out[k] {
		m.upperCol = append(m.upperCol, m.states[j])
		m.in[j] = append(m.in[j], m.in[k]...)
		m.live += len(m.in[k])
		m.tidy(m.in, m.inBase, j)
	}
	for _, i := range m.in[k] {
		m.lowerRow = append(m.lowerRow, m.states[i])
		m.out[i] = append(m.out[i], m.out[k]...)
		m.live += len(m.out[k])
		m.tidy(m.out, m.outBase, i)
	}
	m.live -= len(m.in[k]) + len(m.out[k])
	for _, i := range m.in[k] {
		m.enqueue(i)
	}
	for _, j := range m.out[k] {
		m.enqueue(j)
	}
	m.closeRow()
}

// enqueue puts state i where its neighbours say.
func (m *markowitz) enqueue(i int32) {
	m.cost[i] = int64(len(m.out[i])) * int64(len(m.in[i]))
	m.queue.push(i)
}

// closeRow ends a row of upper and a column of lower.
func (m *markowitz) closeRow() {
	m.upper = append(m.upper, int32(len(m.upperCol)))
	m.lower = append(m.lower, int32(len(m.lowerRow)))
}

// finishDense eliminates k, for position n, and all others as if there were an
// arc between any two: soon nearly all are there.
func (m *markowitz) finishDense(order []int32, n int, k int32) bool {
	left := len(order) - n
	if len(m.upperCol)+len(m.lowerRow)+left*(left-1) > maxFill {
		return false
	}
	order[n] = m.states[k]
	m.dead[k] = true
	rest := order[n+1 : n+1]
	for i, s := range m.states {
		if !m.dead[i] {
			rest = append(rest, s)
		}
	}
	for p := n; p < len(order); p++ {
		m.upperCol = append(m.upperCol, order[p+1:]...)
		m.lowerRow = append(m.lowerRow, order[p+1:]...)
		m.closeRow()
	}
	return true
}

// tidy cleans list i if that is due.
func (m *markowitz) tidy(list [][]int32, base []int32, i int32) {
	if n := len(list[i]); n <= shortList || n > 2*int(base[i]) {
		m.clean(list, base, i)
	}
}

// clean removes eliminated states, repetitions and i itself from list i.
func (m *markowitz) clean(list [][]int32, base []int32, i int32) {
	m.stamp++
	m.mark[i] = m.stamp
	kept := list[i][:0]
	for _, x := range list[i] {
		if m.mark[x] != m.stamp && !m.dead[x] {
			m.mark[x] = m.stamp
			kept = append(kept, x)
		}
	}
	m.live -= len(list[i]) - len(kept)
	list[i] = kept
	base[i] = int32(len(kept))
}

// lists returns n empty lists, reusing storage.
func lists(l [][]int32, n int) [][]int32 {
	for len(l) < n {
		l = append(l, nil)
	}
	l = l[:n]
	for i := range l {
		l[i] = l[i][:0]
	}
	return l
}

// resized returns s with length n and arbitrary content, reusing its storage if
// that is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/4)[:n]
	}
	return s[:n]
}
