package rows

// Components are the strongly connected components of a graph in topological order. Each holds
// the states at some positions lo, …, hi−1 of States. If states are numbered topologically, the
// nil forms save all storage.
type Components struct {
	States []int32 // the states, component by component; nil: 0, 1, 2, …
	offset []int32 // component i is States[offset[i]:offset[i+1]]; nil: one state each
	Loop   []bool  // component i contains a cycle; nil: the graph is acyclic
	N      int     // number of states
	// Position is the inverse of States; nil: the graph is acyclic.
	Position []int32
}

// Cyclic reports whether any component contains a cycle.
func (c *Components) Cyclic() bool { return c.Loop != nil }

// Len returns the number of components.
func (c *Components) Len() int {
	if c.offset == nil {
		return c.N
	}
	return len(c.offset) - 1
}

// Bounds returns the positions of the states of component i.
func (c *Components) Bounds(i int) (lo, hi int) {
	if c.offset == nil {
		return i, i + 1
	}
	return int(c.offset[i]), int(c.offset[i+1])
}

// crossing returns which states arcs enter from other components, and which states arcs leave for
// other components.
func (c *Components) crossing(row, to []int32) (entered, left []bool) {
	entered, left = make([]bool, c.N), make([]bool, c.N)
	for i := range c.Len() {
		lo, hi := c.Bounds(i)
		for p := lo; p < hi; p++ {
			s := c.State(p)
			for _, t := range to[row[s]:row[s+1]] {
				if q := int(c.Position[t]); q < lo || hi <= q {
					entered[t], left[s] = true, true
				}
			}
		}
	}
	return entered, left
}

// State returns the state at position p.
func (c *Components) State(p int) int32 {
	if c.States == nil {
		return int32(p)
	}
	return c.States[p]
}

// findComponents returns the components of compressed rows.
func findComponents(row, to []int32) *Components {
	n := len(row) - 1
	if numberedTopologically(row, to) {
		return &Components{N: n}
	}
	t := newTarjan(row, to)
	for root := range int32(n) {
		if t.rank[root] == 0 {
			t.visit(root)
		}
	}
	c := &Components{States: t.states, N: n}
	selfLoop := hasSelfLoop(row, to)
	if len(t.ends) == n && !selfLoop {
		return c
	}
	// Tarjan finishes components in reverse topological order.
	c.offset = make([]int32, 1, len(t.ends)+1)
	for i := len(t.ends) - 1; i > 0; i-- {
		c.offset = append(c.offset, t.ends[i-1])
	}
	c.offset = append(c.offset, int32(n))
	c.Position = make([]int32, n)
	for p, s := range c.States {
		c.Position[s] = int32(p)
	}
	c.Loop = make([]bool, c.Len())
	for i := range c.Loop {
		lo, hi := c.Bounds(i)
		c.Loop[i] = hi-lo > 1 || selfLoop && loopsTo(row, to, c.States[lo])
	}
	return c
}

// numberedTopologically reports whether every arc goes to a higher state.
func numberedTopologically(row, to []int32) bool {
	for s, begin := range row[:len(row)-1] {
		for _, t := range to[begin:row[s+1]] {
			if t <= int32(s) {
				return false
			}
		}
	}
	return true
}

func hasSelfLoop(row, to []int32) bool {
	for s := range int32(len(row) - 1) {
		if loopsTo(row, to, s) {
			return true
		}
	}
	return false
}

func loopsTo(row, to []int32, s int32) bool {
	for _, t := range to[row[s]:row[s+1]] {
		if t == s {
			return true
		}
	}
	return false
}

// tarjan is Tarjan's algorithm (1972) with an explicit stack.
type tarjan struct {
	row, to []int32
	rank    []int32 // order of discovery from 1; 0: undiscovered; done: in a finished component
	low     []int32 // least rank known to be reachable
	next    []int32 // next arc to follow
	path    []int32 // the depth-first path
	open    []int32 // states of unfinished components
	states  []int32 // finished components, filled from the end
	free    int32   // states[free:] is filled
	ends    []int32 // first position of every finished component
	count   int32
}

const done = 1<<31 - 1 // a rank above all others

func newTarjan(row, to []int32) *tarjan {
	n := len(row) - 1
	return &tarjan{
		row: row, to: to, free: int32(n),
		rank: make([]int32, n), low: make([]int32, n), next: make([]int32, n), states: make([]int32, n),
	}
}

func (t *tarjan) discover(s int32) {
	t.count++
	t.rank[s], t.low[s], t.next[s] = t.count, t.count, t.row[s]
	t.path = append(t.path, s)
	t.open = append(t.open, s)
}

func (t *tarjan) visit(root int32) {
	t.discover(root)
descend:
	for len(t.path) > 0 {
		s := t.path[len(t.path)-1]
		for e := t.next[s]; e < t.row[s+1]; e++ {
			q := t.to[e]
			if t.rank[q] == 0 {
				t.next[s] = e // look at q's low on return
				t.discover(q)
				continue descend
			}
			if t.rank[q] != done {
				t.low[s] = min(t.low[s], t.low[q])
			}
		}
		t.path = t.path[:len(t.path)-1]
		if t.low[s] == t.rank[s] {
			t.finish(s)
		}
	}
}

// finish moves the component of root s, the open states from s on, to states.
func (t *tarjan) finish(s int32) {
	for {
		q := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.rank[q] = done
		t.free--
		t.states[t.free] = q
		if q == s {
			break
		}
	}
	t.ends = append(t.ends, t.free)
}
