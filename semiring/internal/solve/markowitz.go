package solve

import (
	"slices"

	"example.org/pathsum/semiring/internal/rows"
)

// markowitz eliminates the states of one component after the other, without their weights, to
// find a good order and the positions of new arcs. The next state is a state with the least upper
// bound on new arcs, in-degree × out-degree (Markowitz 1957). This takes linear time on chains,
// trees, cycles and nested loops.
//
// Neighbours are lists that may contain eliminated states and repetitions: an elimination
// appends, and a list is cleaned when it has doubled. So the degree of a long list is
// approximate, and the time is within a constant factor of the arithmetic that follows.
type markowitz struct {
	states  []int32   // of the component, by local number
	out, in [][]int32 // neighbours, local numbers
	// base is the length of a list when it was last cleaned.
	outBase, inBase []int32
	live            int // total length of all lists
	work            int // multiplications so far, of this component
	maxFill         int // of all components together
	pace            workload
	dead            []bool
	mark            []int32 // mark[x] == stamp: x was seen in this list
	stamp           int32
	twins           []int32 // states to be eliminated together
	queue           rows.Queue[int64]
	store           []int32 // of the lists, at first

	// Results for all components so far. Rows of upper and columns of lower are in order of
	// elimination; their entries are states.
	upper, upperCol []int32
	lower, lowerRow []int32
}

const (
	// shortList is the length up to which a list is always kept clean.
	shortList = 64
	// fewNeighbours is the number of neighbours below which looking for twins does not pay.
	fewNeighbours = 4
	// growing is added to the cost of a state whose elimination increases the number of arcs.
	growing = 1 << 62
)

// load reads the states at positions lo … hi−1 of pl, a component. It returns the number of arcs
// between different states, without repetitions.
func (m *markowitz) load(row, to []int32, pl *plan, lo, hi int) int {
	n := hi - lo
	m.states = append(m.states[:0], pl.order[lo:hi]...)
	m.out, m.in = rows.Resized(m.out, n), rows.Resized(m.in, n)
	m.outBase, m.inBase = rows.Resized(m.outBase, n), rows.Resized(m.inBase, n)
	m.dead, m.mark, m.stamp = rows.Resized(m.dead, n), rows.Resized(m.mark, n), 0
	m.live, m.work = 0, 0
	clear(m.dead)
	clear(m.mark)
	clear(m.inBase)
	store := m.store[:0]
	for i, s := range m.states {
		begin := len(store)
		m.stamp++
		m.mark[i] = m.stamp
		for _, t := range to[row[s]:row[s+1]] {
			if p := int(pl.position[t]); lo <= p && p < hi {
				if j := int32(p - lo); m.mark[j] != m.stamp {
					m.mark[j] = m.stamp
					store = append(store, j)
					m.inBase[j]++
				}
			}
		}
		m.outBase[i] = int32(len(store) - begin)
	}
	// Lists are windows of one array until they outgrow it.
	arcs := len(store)
	store = slices.Grow(store, arcs)[:2*arcs]
	m.store = store
	begin, end := 0, arcs
	for i := range m.states {
		out, in := begin+int(m.outBase[i]), end+int(m.inBase[i])
		m.out[i], m.in[i] = store[begin:out:out], store[end:end:in]
		begin, end = out, in
	}
	for i, list := range m.out {
		for _, j := range list {
			m.in[j] = append(m.in[j], int32(i))
		}
	}
	m.live = 2 * arcs
	return arcs
}

// run stores the order of elimination in order and appends to the results. It returns false,
// leaving garbage in the results, if they get too large or if elimination needs more than budget
// multiplications. The error comes from m.pace.
func (m *markowitz) run(order []int32, budget int) (bool, error) {
	m.queue.Init(len(m.states), func(a, b rows.Entry[int64]) bool {
		return a.Key < b.Key || a.Key == b.Key && a.Item < b.Item
	})
	for i := range m.states {
		m.enqueue(int32(i))
	}
	core := false
	for n := 0; n < len(order); {
		e := m.queue.Pop()
		k := e.Item
		if m.dead[k] {
			continue // a twin
		}
		m.clean(m.out, m.outBase, k)
		m.clean(m.in, m.inBase, k)
		left := len(order) - n
		cost := len(m.out[k]) * len(m.in[k])
		if budget < noBudget {
			work := m.work + cost
			if e.Key >= growing {
				if !core && m.expands(k, left) {
					return false, nil
				}
				core = true
				// The cost of the next states is no less, until few are left.
				work += cost * (left / 4)
			}
			if work > budget {
				return false, nil
			}
		}
		if left > shortList && 4*cost >= left*left {
			return m.finishDense(order, n, k), nil
		}
		m.gather(k)
		for _, i := range m.twins {
			order[n] = m.states[i]
			n++
		}
		m.eliminate()
		if err := m.pace.done(1 + cost); err != nil {
			return false, err
		}
		// Every remaining arc, which is on two lists and possibly twice on each, becomes an
		// entry.
		if len(m.upperCol)+len(m.lowerRow)+m.live/4 > m.maxFill {
			return false, nil
		}
	}
	return true, nil
}

// expands reports whether the remaining states, among them k, look like a random graph, which
// fills up in any order of elimination. The test is that 8 steps from each of some states lead to
// more than 256 others; on lines, bands and grids this takes more steps. Each remaining state has
// several neighbours on both sides, since trees, chains and reducible loops have been eliminated.
// Walks do not pass through states with very many neighbours: a few of them do no harm.
func (m *markowitz) expands(k int32, left int) bool {
	const states, steps, samples = 256, 8, 8
	if left < 4*states {
		return false
	}
	stride := max(1, len(m.states)/samples)
	for i := int(k) % stride; i < len(m.states); i += stride {
		if !m.dead[i] && m.ball(int32(i), steps, states) <= states {
			return false
		}
	}
	return true
}

// ball returns the number of states that are reachable from i in the given number of steps, or
// some number above most.
func (m *markowitz) ball(i int32, steps, most int) int {
	m.stamp++
	m.mark[i] = m.stamp
	ball := []int32{i}
	begin := 0
	for range steps {
		end := len(ball)
		for _, s := range ball[begin:end] {
			if len(m.out[s]) > shortList {
				continue
			}
			for _, t := range m.out[s] {
				if m.mark[t] != m.stamp && !m.dead[t] {
					m.mark[t] = m.stamp
					ball = append(ball, t)
				}
			}
			if len(ball) > most {
				return len(ball)
			}
		}
		begin = end
	}
	return len(ball)
}

// gather sets twins to k and those of its neighbours, on both sides, that have no neighbours
// except k and the neighbours of k: once k is eliminated, they add no new arcs. In grids and
// similar graphs most states finally are twins (mass elimination, George and McIntyre 1978). k
// and its twins are removed from the lists of k, which must be clean.
func (m *markowitz) gather(k int32) {
	m.twins = append(m.twins[:0], k)
	m.dead[k] = true
	if min(len(m.out[k]), len(m.in[k])) < fewNeighbours {
		return // nothing to save
	}
	m.markAll(m.out[k], k)
	for _, i := range m.in[k] {
		if m.mark[i] == m.stamp && m.allMarked(m.out[i], len(m.out[k])) {
			m.twins = append(m.twins, i)
		}
	}
	m.markAll(m.in[k], k)
	kept := m.twins[:1]
	for _, i := range m.twins[1:] {
		if m.allMarked(m.in[i], len(m.in[k])) {
			kept = append(kept, i)
		}
	}
	m.twins = kept
	if len(kept) > 1 {
		for _, i := range kept {
			m.dead[i] = true
		}
		m.clean(m.out, m.outBase, k)
		m.clean(m.in, m.inBase, k)
	}
}

// markAll marks the states of a list, and k.
func (m *markowitz) markAll(list []int32, k int32) {
	m.stamp++
	m.mark[k] = m.stamp
	for _, i := range list {
		m.mark[i] = m.stamp
	}
}

// allMarked reports whether all remaining states of a list are marked, if they are at most most.
// It returns false for much longer lists, which may be full of eliminated states.
func (m *markowitz) allMarked(list []int32, most int) bool {
	if len(list) > 2*most+shortList {
		return false
	}
	for _, i := range list {
		if m.mark[i] != m.stamp && !m.dead[i] {
			return false
		}
	}
	return true
}

// eliminate records the arcs of the twins and connects their neighbours.
func (m *markowitz) eliminate() {
	k := m.twins[0]
	in, out := m.in[k], m.out[k]
	for n, i := range m.twins {
		later := m.twins[n+1:]
		for _, j := range later {
			m.upperCol = append(m.upperCol, m.states[j])
			m.lowerRow = append(m.lowerRow, m.states[j])
		}
		for _, j := range out {
			m.upperCol = append(m.upperCol, m.states[j])
		}
		for _, j := range in {
			m.lowerRow = append(m.lowerRow, m.states[j])
		}
		m.closeRow()
		m.work += (len(out) + len(later)) * (len(in) + len(later))
		m.live -= len(m.in[i]) + len(m.out[i])
	}
	for _, j := range out {
		m.in[j] = append(m.in[j], in...)
		m.live += len(in)
		m.tidy(m.in, m.inBase, j)
	}
	for _, i := range in {
		m.out[i] = append(m.out[i], out...)
		m.live += len(out)
		m.tidy(m.out, m.outBase, i)
	}
	for _, i := range in {
		m.enqueue(i)
	}
	for _, j := range out {
		m.enqueue(j)
	}
}

// enqueue gives state i a key by its number of neighbours: first states whose elimination does
// not increase the number of arcs, then states of low cost.
func (m *markowitz) enqueue(i int32) {
	out, in := int64(len(m.out[i])), int64(len(m.in[i]))
	cost := out * in
	if out*in > out+in {
		cost += growing
	}
	m.queue.Push(i, cost)
}

// closeRow ends a row of upper and a column of lower.
func (m *markowitz) closeRow() {
	m.upper = append(m.upper, int32(len(m.upperCol)))
	m.lower = append(m.lower, int32(len(m.lowerRow)))
}

// finishDense eliminates k, at position n, and all other states as if there were an arc between
// any two of them, since nearly all of these arcs would soon appear.
func (m *markowitz) finishDense(order []int32, n int, k int32) bool {
	left := len(order) - n
	if len(m.upperCol)+len(m.lowerRow)+left*(left-1) > m.maxFill {
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

// tidy cleans list i if necessary.
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
